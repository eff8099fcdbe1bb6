/** The texts of the merchants' frame: sections, wallets, test or live. */
import { defineTexts } from '../i18n/define-texts.ts'

export const shellTexts = defineTexts('merchant-shell', {
  en: {
    sections: {
      home: 'Home',
      payments: 'Payments',
      pages: 'Payment pages',
      payouts: 'Payouts',
      statement: 'Statement',
      developers: 'Developers',
      verification: 'Verification',
    },
    wallet: 'Wallet',
    switchWallet: 'Switch wallet',
    newBusiness: 'Register a business',
    profile: 'Account and security',
    personal: 'Personal',
    environment: 'Environment',
    live: 'Live',
    test: 'Test',
    testBanner: 'Test data: no real money moves here.',
    account: 'Your account',
    signOut: 'Sign out',
  },
  sw: {
    sections: {
      home: 'Mwanzo',
      payments: 'Malipo',
      pages: 'Kurasa za malipo',
      payouts: 'Kutuma pesa',
      statement: 'Taarifa ya akaunti',
      developers: 'Watengenezaji',
      verification: 'Uthibitisho',
    },
    wallet: 'Pochi',
    switchWallet: 'Badili pochi',
    newBusiness: 'Sajili biashara',
    profile: 'Akaunti na usalama',
    personal: 'Binafsi',
    environment: 'Mazingira',
    live: 'Halisi',
    test: 'Majaribio',
    testBanner: 'Data za majaribio: hakuna pesa halisi hapa.',
    account: 'Akaunti yako',
    signOut: 'Toka',
  },
})
