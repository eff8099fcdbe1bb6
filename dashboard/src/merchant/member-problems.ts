/** The refusals about members and approvals, as sentences. Loaded with the first screen that can meet one. */
import { defineTexts } from '../i18n/define-texts.ts'
import { furtherProblems } from '../ui/problem-text.ts'

defineTexts(furtherProblems, {
  en: {
    problem: {
      insufficient_role: 'Your role in this business does not allow this. Ask an owner of the business.',
      approvers_missing:
        'No one approves their own request, so this rule needs {{needed}} people who may approve. There would be {{available}}.',
      too_many_members: 'The business has as many members, or open invitations, as possible. Remove or cancel some first.',
      already_member: 'This person is a member already. Change their role in the list.',
      invitation_for_another_address: 'This invitation is for another e-mail address. Sign in with the account of that address.',
      self_approval_forbidden: 'You requested this yourself, or the money is yours. Another person must decide.',
    },
  },
  sw: {
    problem: {
      insufficient_role: 'Jukumu lako kwenye biashara hii haliruhusu hili. Muulize mmiliki wa biashara.',
      approvers_missing:
        'Hakuna anayeidhinisha ombi lake mwenyewe, kwa hiyo kanuni hii inahitaji watu {{needed}} wanaoweza kuidhinisha. Wangekuwa {{available}}.',
      too_many_members: 'Biashara imefikia kikomo cha wanachama au mialiko. Ondoa au ghairi baadhi kwanza.',
      already_member: 'Mtu huyu ameshakuwa mwanachama. Badilisha jukumu lake kwenye orodha.',
      invitation_for_another_address: 'Mwaliko huu ni wa barua pepe nyingine. Ingia kwa akaunti ya barua pepe hiyo.',
      self_approval_forbidden: 'Uliomba hili mwenyewe, au pesa ni zako. Mtu mwingine anaamua.',
    },
  },
})
