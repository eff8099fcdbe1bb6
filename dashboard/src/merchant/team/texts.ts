/** The texts of the members of a business. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { roleTexts } from '../roles.ts'
import { shared } from '../../ui/texts.ts'

export const teamTexts = defineTexts('team', [roleTexts, shared], {
  title: ['Team', 'Timu'],
  text: [
    'The people who work in this business, each with their own sign-in.',
    'Watu wanaofanya kazi kwenye biashara hii, kila mmoja kwa akaunti yake.',
  ],
  members: ['Members', 'Wanachama'],
  member: ['Member', 'Mwanachama'],
  role: ['Role', 'Jukumu'],
  status: ['Status', 'Hali'],
  since: ['Since', 'Tangu'],
  until: ['until {{when}}', 'hadi {{when}}'],
  activeFrom: [
    'Pays and approves in live from {{when}}, or once another owner confirms it.',
    'Analipa na kuidhinisha kwenye mazingira halisi kuanzia {{when}}, au mmiliki mwingine akithibitisha.',
  ],
  pending: ['Waits for approval: {{role}}', 'Inasubiri idhini: {{role}}'],
  asked: ['Other members approve this first, under Approvals.', 'Wanachama wengine wanaidhinisha hili kwanza, kwenye Idhini.'],
  confirm: ['Confirm the new role', 'Thibitisha jukumu jipya'],
  confirmed: ['{{name}} may pay and approve now.', '{{name}} sasa analipa na kuidhinisha.'],
  you: ['you', 'wewe'],
  invitedBy: ['Invited by {{name}}', 'Amealikwa na {{name}}'],
  actions: ['Actions for {{name}}', 'Hatua kwa {{name}}'],
  invite: ['Invite', 'Alika'],
  inviteTitle: ['Invite a person', 'Alika mtu'],
  inviteText: [
    'They get a mail with a link. It works for 7 days, for this address only.',
    'Atapata barua pepe yenye kiungo. Kinafanya kazi siku 7, kwa anwani hii tu.',
  ],
  email: ['E-mail address', 'Barua pepe'],
  send: ['Send the invitation', 'Tuma mwaliko'],
  sent: ['The invitation to {{email}} is on its way.', 'Mwaliko kwa {{email}} uko njiani.'],
  again: ['Send the invitation again', 'Tuma mwaliko tena'],
  cancel: ['Cancel the invitation', 'Ghairi mwaliko'],
  cancelText: ['The link in the mail to {{name}} stops working.', 'Kiungo kwenye barua pepe ya {{name}} kitaacha kufanya kazi.'],
  cancelled: ['The invitation is cancelled.', 'Mwaliko umeghairiwa.'],
  change: ['Change the role', 'Badilisha jukumu'],
  changeTitle: ['The role of {{name}}', 'Jukumu la {{name}}'],
  changed: ['{{name}} has another role now.', '{{name}} sasa ana jukumu jingine.'],
  removeTitle: ['Remove {{name}}?', 'Umwondoe {{name}}?'],
  removeText: [
    'They see and do nothing more in this business, from now on. What they requested and still waits is refused. Keys that they made keep working: replace them under Developers.',
    'Kuanzia sasa haoni wala hafanyi chochote kwenye biashara hii. Alichoomba na bado kinasubiri kitakataliwa. Funguo alizotengeneza zinaendelea kufanya kazi: zibadilishe kwenye Watengenezaji.',
  ],
  removed: ['{{name}} is no longer a member.', '{{name}} si mwanachama tena.'],
  yours: ['Your membership', 'Uanachama wako'],
  yourRole: ['Your role', 'Jukumu lako'],
  may: ['What it may do', 'Jukumu hili'],
  leave: ['Leave the business', 'Ondoka kwenye biashara'],
  leaveTitle: ['Leave {{name}}?', 'Uondoke {{name}}?'],
  leaveText: [
    'You see and do nothing more in this business, from now on. Only an invitation brings you back.',
    'Kuanzia sasa huoni wala hufanyi chochote kwenye biashara hii. Mwaliko tu utakurudisha.',
  ],
  left: ['You have left {{name}}.', 'Umeondoka {{name}}.'],
  lastOwner: [
    'You are the only owner. To hand the business over, make another member an owner first, then leave.',
    'Wewe ndiye mmiliki pekee. Kukabidhi biashara, mfanye mwanachama mwingine kuwa mmiliki kwanza, kisha uondoke.',
  ],
  handOver: [
    'To hand the business over, make another member an owner, then leave.',
    'Kukabidhi biashara, mfanye mwanachama mwingine kuwa mmiliki, kisha uondoke.',
  ],
})
