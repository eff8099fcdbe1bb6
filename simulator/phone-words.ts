/**
 * The wording of each network, in the style of Tanzanian USSD menus and messages. The texts are ours: none of them is a network's
 * own text.
 */
import type { NetworkName } from './phones.ts'

/** The amount, the recipient and the reference; with the text before, between and after them. */
export type Asked = { before: string; between: string; reference: string; after: string }

export type Paid = { amount: string; merchant: string; reference: string; day: string; time: string }

export type NetworkWords = {
  wallet: string
  /** The text of the dialog around the amount and the merchant's name. */
  asked: Asked
  /** The label above the field. */
  pin: string
  send: string
  cancel: string
  /** The message after a success. */
  paid(paid: Paid): string
}

const anyNetwork: NetworkWords = {
  wallet: 'Simu',
  asked: { before: 'Thibitisha malipo ya', between: 'kwa', reference: 'Kumb. na.', after: '' },
  pin: 'Weka namba ya siri kuthibitisha',
  send: 'Tuma',
  cancel: 'Ghairi',
  paid: ({ amount, merchant, reference, day, time }) =>
    `Umelipa ${amount} kwa ${merchant}. Kumb. na. ${reference}. ${day} saa ${time}.`,
}

const wordsByNetwork: Record<NetworkName, NetworkWords> = {
  mpesa: {
    wallet: 'M-Pesa',
    asked: { before: 'Je, unataka kulipa', between: 'kwenda', reference: 'Kumbukumbu namba', after: 'kwa M-Pesa?' },
    pin: 'Weka namba ya siri ya M-Pesa',
    send: 'Tuma',
    cancel: 'Ghairi',
    paid: ({ amount, merchant, reference, day, time }) =>
      `${reference} Imethibitishwa. ${amount} imelipwa kwa ${merchant} tarehe ${day} saa ${time}.`,
  },
  airtel: {
    wallet: 'Airtel Money',
    asked: { before: 'Umeombwa kulipa', between: 'kwa', reference: 'Kumb:', after: '' },
    pin: 'Ingiza PIN yako ya Airtel Money kukubali',
    send: 'Tuma',
    cancel: 'Kataa',
    paid: ({ amount, merchant, reference, day, time }) =>
      `Muamala ${reference}: umelipa ${amount} kwa ${merchant}, ${day} ${time}. Asante kwa kutumia Airtel Money.`,
  },
  mixx: { ...anyNetwork, wallet: 'Mixx by Yas' },
  halotel: {
    wallet: 'HaloPesa',
    asked: { before: 'Lipa', between: 'kwenda kwa', reference: 'Kumbukumbu:', after: '' },
    pin: 'Ingiza namba ya siri ya HaloPesa kulipa',
    send: 'Kubali',
    cancel: 'Ghairi',
    paid: ({ amount, merchant, reference, day, time }) =>
      `HaloPesa: malipo ya ${amount} kwa ${merchant} yamefanikiwa ${day} ${time}. Kumbukumbu: ${reference}.`,
  },
}

export function wordsOf(network: NetworkName | null): NetworkWords {
  return network === null ? anyNetwork : wordsByNetwork[network]
}
