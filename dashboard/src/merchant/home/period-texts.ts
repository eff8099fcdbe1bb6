/** The texts of the period of the start page. They are loaded after the figures. */
import { defineTexts } from '../../i18n/define-texts.ts'
import { shared } from '../../ui/texts.ts'

export const periodTexts = defineTexts('home-period', [shared], {
  custom: ['Choose days', 'Chagua siku'],
  to: ['To', 'Mpaka'],
  backward: ['Choose a day that is not before the first.', 'Chagua siku isiyotangulia ya kwanza.'],
  tooLong: ['Choose at most 366 days.', 'Chagua siku 366 au chache zaidi.'],
  byPage: ['By page', 'Kwa ukurasa'],
  byNetwork: ['By network', 'Kwa mtandao'],
  network: ['Network', 'Mtandao'],
  received: ['Received, share', 'Kilichopokelewa, sehemu'],
  request: ['Payment requests', 'Maombi ya malipo'],
  direct: ['Requested by your server', 'Yaliyoombwa na seva yako'],
  other: ['All other pages', 'Kurasa nyingine zote'],
  unknown: ['Not known', 'Haujulikani'],
  nothing: ['No payments in this period.', 'Hakuna malipo kwenye kipindi hiki.'],
})
