/** The texts of the list of apps. */
import { shared } from '../../ui/texts.ts'
import { defineTexts } from '../../i18n/define-texts.ts'

export const developersTexts = defineTexts('developers', [shared], {
  title: ['Developers', 'Watengenezaji'],
  text: ['Your apps that use this wallet through the API.', 'Programu zako zinazotumia pochi hii kupitia API.'],
  apps: ['Apps', 'Programu'],
  create: ['Create an app', 'Unda programu'],
  nameHint: ['What it is for: “Shop website”, “Till”.', 'Ni ya nini: “Tovuti ya duka”, “Kaunta”.'],
  webhook: ['Webhook', 'Webhook'],
  asked: [
    'Who granted these keys has left or may no longer do it: keep or revoke each',
    'Aliyeruhusu funguo hizi ameondoka au hana tena haki hizo: uendelee na kila ufunguo au uufute',
  ],
  created: ['Created', 'Imeundwa'],
  where: ['Environment', 'Inapofanya kazi'],
  live: ['Live: moves real money', 'Halisi: inahamisha pesa halisi'],
  test: ['Test: for trying everything, without real money', 'Majaribio: inajaribu kila kitu, hakuna pesa inayohama'],
  forGood: [
    'The environment and the wallet of an app cannot be changed later.',
    'Programu hubaki kwenye mazingira yake na pochi yake daima.',
  ],
  none: ['No apps yet', 'Hakuna programu bado'],
  noneText: [
    'An app holds the keys and the webhook of one program, such as your shop’s website.',
    'Programu moja ina funguo na webhook ya mfumo mmoja, kama tovuti ya duka lako.',
  ],
})
