/** The texts of the list of apps. */
import { defineTexts } from '../../i18n/define-texts.ts'

export const developersTexts = defineTexts('developers', {
  en: {
    title: 'Developers',
    text: 'Apps of your own that act on this wallet through the API.',
    apps: 'Apps',
    create: 'Create an app',
    name: 'Name',
    nameHint: 'What it is for: “Shop website”, “Till”.',
    description: 'Description',
    created: 'Created',
    where: 'Where it works',
    live: 'Live: it moves real money',
    test: 'Test: it tries everything out, and no money moves',
    forGood: 'An app stays in its environment and with its wallet for good.',
    none: 'No apps yet',
    noneText: 'An app holds the keys and the webhook of one program, such as your shop’s website.',
  },
  sw: {
    title: 'Watengenezaji',
    text: 'Programu zako zinazotumia pochi hii kupitia API.',
    apps: 'Programu',
    create: 'Unda programu',
    name: 'Jina',
    nameHint: 'Ni ya nini: “Tovuti ya duka”, “Kaunta”.',
    description: 'Maelezo',
    created: 'Imeundwa',
    where: 'Inapofanya kazi',
    live: 'Halisi: inahamisha pesa halisi',
    test: 'Majaribio: inajaribu kila kitu, hakuna pesa inayohama',
    forGood: 'Programu hubaki kwenye mazingira yake na pochi yake daima.',
    none: 'Hakuna programu bado',
    noneText: 'Programu moja ina funguo na webhook ya mfumo mmoja, kama tovuti ya duka lako.',
  },
})
