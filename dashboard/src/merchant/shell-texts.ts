/** The texts of the merchants' frame: sections, wallets, test or live. */
import { defineTexts } from '../i18n/define-texts.ts'
import { testWords } from './first-look/words.ts'
import { shared } from '../ui/texts.ts'
import { roleTexts } from './roles.ts'

export const shellTexts = defineTexts('merchant-shell', [shared, roleTexts], {
  ...testWords,
  sections: {
    home: ['Home', 'Mwanzo'],
    payments: ['Payments', 'Malipo'],
    till: ['Till', 'Kaunta'],
    pages: ['Payment pages', 'Kurasa za malipo'],
    payouts: ['Payouts', 'Kutuma pesa'],
    approvals: ['Approvals', 'Idhini'],
    statement: ['Statement', 'Taarifa ya akaunti'],
    developers: ['Developers', 'Watengenezaji'],
    team: ['Team', 'Timu'],
    support: ['Support contact', 'Mawasiliano ya msaada'],
    brand: ['Logo and colour', 'Nembo na rangi'],
    verification: ['Verification', 'Uthibitisho'],
  },
  wallet: ['Wallet', 'Pochi'],
  switchWallet: ['Switch wallet', 'Badili pochi'],
  waiting_one: ['{{count}} waits for you', '{{count}} inakusubiri'],
  waiting_other: ['{{count}} wait for you', '{{count}} zinakusubiri'],
  newBusiness: ['Register a business', 'Sajili biashara'],
  profile: ['Account and security', 'Akaunti na usalama'],
  personal: ['Personal', 'Binafsi'],
  environment: ['Environment', 'Mazingira'],
  live: ['Live', 'Halisi'],
  test: ['Test', 'Majaribio'],
  account: ['Your account', 'Akaunti yako'],
  signOut: ['Sign out', 'Toka'],
})
