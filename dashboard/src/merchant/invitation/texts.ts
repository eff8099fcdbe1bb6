/** The texts of an invitation to a business. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { roleTexts } from '../roles.ts'

export const invitationTexts = defineTexts('invitation', [roleTexts], {
  title: ['Join {{business}}', 'Jiunge na {{business}}'],
  loading: ['Invitation', 'Mwaliko'],
  by: [
    '{{name}} invites you to work in {{business}} on Malipo.',
    '{{name}} anakualika kufanya kazi kwenye {{business}} ndani ya Malipo.',
  ],
  byBusiness: [
    'You are invited to work in {{business}} on Malipo.',
    'Unaalikwa kufanya kazi kwenye {{business}} ndani ya Malipo.',
  ],
  role: ['Your role', 'Jukumu lako'],
  for: ['For the address', 'Kwa anwani'],
  until: ['Until', 'Hadi'],
  signIn: ['Sign in to accept', 'Ingia ili ukubali'],
  register: ['Register to accept', 'Jisajili ili ukubali'],
  hasAccount: [
    'With an account, sign in. Without one, register with this address; it takes a minute.',
    'Kama una akaunti, ingia. Kama huna, jisajili kwa anwani hii; ni dakika moja tu.',
  ],
  signedInAs: ['You are signed in as {{email}}.', 'Umeingia kama {{email}}.'],
  accept: ['Accept the invitation', 'Kubali mwaliko'],
  accepted: ['You are a member of {{business}} now.', 'Sasa wewe ni mwanachama wa {{business}}.'],
  other: [
    'This invitation is for {{invited}}, but you are signed in as {{email}}. Sign in with the other account.',
    'Mwaliko huu ni wa {{invited}}, lakini umeingia kama {{email}}. Ingia kwa akaunti hiyo nyingine.',
  ],
  signOut: ['Sign out and use the other account', 'Toka, utumie akaunti nyingine'],
  unverified: [
    'Verify your e-mail address first: we mailed six digits to it.',
    'Thibitisha barua pepe yako kwanza: tumetuma tarakimu sita kwake.',
  ],
  verify: ['Verify the address', 'Thibitisha barua pepe'],
  kyc: [
    'An owner must be verified in person first. Send your documents; the invitation stays valid until its end.',
    'Mmiliki anatakiwa kuthibitishwa utambulisho kwanza. Tuma hati zako; mwaliko unabaki hadi mwisho wake.',
  ],
  toKyc: ['To my verification', 'Nenda kwenye uthibitisho wangu'],
  gone: ['This invitation no longer works', 'Mwaliko huu haufanyi kazi tena'],
  goneText: [
    'It was used, cancelled or replaced by a newer one, or it has ended. Ask the person who invited you to send it again.',
    'Umeshatumika, umeghairiwa, umetumwa mwingine mpya, au muda wake umeisha. Mwombe aliyekualika autume tena.',
  ],
  incomplete: ['The link is not complete', 'Kiungo hakijakamilika'],
  incompleteText: [
    'Open the link in the mail again, or copy the whole of it.',
    'Fungua tena kiungo kilicho kwenye barua pepe, au ukinakili chote.',
  ],
  toStart: ['To the start', 'Nenda mwanzo'],
})
