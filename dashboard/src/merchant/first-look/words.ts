/** The words of the first look of a visit; the screens that follow it say the same. Without React. */
export const homeWords = {
  en: {
    title: 'Home',
    available: 'Available',
    recent: 'Recent payments',
    noPayments: 'No payments yet',
  },
  sw: {
    title: 'Mwanzo',
    available: 'Salio',
    recent: 'Malipo ya karibuni',
    noPayments: 'Hakuna malipo bado',
  },
} as const

export const testWords = {
  en: {
    testBanner: 'Test data: no real money moves here.',
  },
  sw: {
    testBanner: 'Data za majaribio: hakuna pesa halisi hapa.',
  },
} as const

export const loadingWords = {
  en: { rest: 'The rest is loading…', failed: 'The rest could not be loaded.', again: 'Load again' },
  sw: { rest: 'Mengine yanapakiwa…', failed: 'Mengine hayajapakiwa.', again: 'Pakia tena' },
} as const
