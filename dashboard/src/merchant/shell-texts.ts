/** The texts of the merchants' frame: sections, whose wallet it is, test or live. */
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
    },
    wallet: 'Wallet',
    switchWallet: 'Switch wallet',
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
    },
    wallet: 'Pochi',
    switchWallet: 'Badili pochi',
    personal: 'Binafsi',
    environment: 'Mazingira',
    live: 'Halisi',
    test: 'Majaribio',
    testBanner: 'Data za majaribio: hakuna pesa halisi hapa.',
    account: 'Akaunti yako',
    signOut: 'Toka',
  },
})
