/** The words of the first look of a visit; the screens that follow it say the same. Without React. */
export const homeWords = {
  title: ['Home', 'Mwanzo'],
  available: ['Available', 'Salio'],
  recent: ['Recent payments', 'Malipo ya karibuni'],
  noPayments: ['No payments yet', 'Hakuna malipo bado'],
} as const

export const testWords = {
  testBanner: ['Test data: no real money moves here.', 'Data za majaribio: hakuna pesa halisi hapa.'],
} as const

export const loadingWords = {
  rest: ['The rest is loading…', 'Mengine yanapakiwa…'],
  failed: ['The rest could not be loaded.', 'Mengine hayajapakiwa.'],
  again: ['Load again', 'Pakia tena'],
} as const
