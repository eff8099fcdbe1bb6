/**
 * The mails about members. Invariant: the only texts that a person typed are the name of the business and that of the inviter, and
 * strangers get each only after reviewers have approved it.
 */
import type { MemberRole } from '../../domain/member.ts'
import type { NewMail } from '../../base/mail/mail.ts'
import type { PowerNotice } from './mail-owners.ts'
import type { Member } from './member.ts'

/** The roles in Swahili. */
export const swahiliRoles: Record<MemberRole, string> = {
  owner: 'mmiliki',
  admin: 'meneja',
  approver: 'mwidhinishaji',
  accountant: 'mhasibu',
  cashier: 'mtunza fedha',
  developer: 'mtengenezaji programu',
}

/** A name is undefined until reviewers have approved it. The page behind the link shows both to the invited person. */
export type InvitationNames = { business: string | undefined; inviter: string | undefined }

/** The invitation with its link. The token stands behind `#`, so that it is in no log of any server. */
export function invitationMail(to: string, { business, inviter }: InvitationNames, role: MemberRole, link: string): NewMail {
  const by =
    inviter === undefined
      ? { sw: 'Umealikwa', en: 'You are invited' }
      : { sw: `${inviter} amekualika`, en: `${inviter} invites you` }
  return {
    to,
    kind: 'member_invited',
    subject: 'Umealikwa kwenye biashara · You are invited to a business',
    text: [
      'Habari,',
      `${by.sw} kujiunga na ${business ?? 'biashara'} kwenye Malipo kama ${swahiliRoles[role]}. Fungua kiungo hiki ndani ya siku saba. Kama humfahamu aliyekualika, puuza ujumbe huu.`,
      `${by.en} to join ${business ?? 'a business'} on Malipo as ${role}. Open this link within seven days. If you do not know who invited you, ignore this message.`,
      link,
      'Malipo',
    ].join('\n\n'),
  }
}

/** To an owner who has requested a role and is the only person who may decide. Opening the page does nothing. */
export function roleConfirmationMail(to: string, role: MemberRole, page: string): NewMail {
  return {
    to,
    kind: 'role_confirmation',
    subject: 'Thibitisha jukumu jipya · Confirm a new role',
    text: [
      'Habari,',
      `Umeomba mtu awe ${swahiliRoles[role]} kwenye biashara yako, na hakuna mwingine anayeweza kuidhinisha. Ingia, fungua kiungo hiki, kisha uidhinishe ndani ya saa 72. Kama hukuomba, badilisha nenosiri lako.`,
      `You have requested the role ${role} for a person in your business, and no one else could approve it. Sign in, open this link, and approve it there within 72 hours. If you did not request it, change your password.`,
      page,
      'Malipo',
    ].join('\n\n'),
  }
}

/** To a member whose role another person has changed or ended, at once. `after`: undefined for a person who was removed. */
export function ownRoleMail({ email, role }: Member, after: MemberRole | undefined, businessName: string): NewMail {
  const what = after
    ? {
        sw: `${businessName}: jukumu lako limebadilishwa kutoka ${swahiliRoles[role]} kuwa ${swahiliRoles[after]}.`,
        en: `${businessName}: Your role in this business was changed from ${role} to ${after}.`,
      }
    : {
        sw: `${businessName}: wewe si mwanachama (${swahiliRoles[role]}) wa biashara hii tena.`,
        en: `${businessName}: You are no longer a member (${role}) of this business.`,
      }
  return {
    to: email,
    kind: 'own_role_changed',
    subject: 'Jukumu lako kwenye biashara limebadilika · Your role in a business has changed',
    text: [
      'Habari,',
      `${what.sw} Kama hukutarajia haya, waulize wamiliki kwa simu, si kwa barua pepe; kama hawajui, wasiliana nasi mara moja.`,
      `${what.en} If you did not expect this, ask its owners by phone, not by mail; if they do not know, contact us at once.`,
      'Malipo',
    ].join('\n\n'),
  }
}

type Change =
  | 'member_invited'
  | 'member_joined'
  | 'member_confirmed'
  | 'member_removed'
  | 'member_role_changed'
  | 'owner_added'
  | 'owner_removed'

const texts: Record<Change, PowerNotice> = {
  member_invited: { sw: 'Mtu amealikwa kwenye biashara yako.', en: 'A person was invited to your business.' },
  member_joined: { sw: 'Mtu mpya amejiunga na biashara yako.', en: 'A new member has joined your business.' },
  member_confirmed: {
    sw: 'Mmiliki amethibitisha jukumu jipya la mtu kwenye biashara yako, hivyo linaanza sasa.',
    en: 'An owner has confirmed the new role of a member of your business, so it is active now.',
  },
  member_removed: { sw: 'Mtu ameondolewa kwenye biashara yako.', en: 'A member was removed from your business.' },
  member_role_changed: {
    sw: 'Jukumu la mtu kwenye biashara yako limebadilishwa.',
    en: 'The role of a member of your business was changed.',
  },
  owner_added: {
    sw: 'Biashara yako ina mmiliki mpya. Mmiliki anaweza kufanya kila kitu.',
    en: 'Your business has a new owner. An owner may do everything.',
  },
  owner_removed: { sw: 'Mmiliki mmoja wa biashara yako ameondolewa.', en: 'An owner of your business was removed.' },
}

/** What the owners are told about a change of the members. */
export function memberNotice(change: Change, role: MemberRole, businessName: string): PowerNotice {
  const { sw, en } = texts[change]
  return { sw: `${businessName}: ${sw} (${swahiliRoles[role]})`, en: `${businessName}: ${en} (${role})` }
}
