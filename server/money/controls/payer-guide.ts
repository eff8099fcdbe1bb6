/**
 * How payers answer a payment request on each network, and how to open its menu. The only such table, for the API and for our own
 * checkout. The menus of M-Pesa and HaloPesa are the ones that vodacom.co.tz and halotel.co.tz publish; the other two come from
 * common guides.
 */
import type { PayerLanguage } from '../../domain/language.ts'
import { networkNames, type Network, type NetworkStatus } from '../../domain/network.ts'

export type Sentence = Record<PayerLanguage, string>

export type PayerGuide = {
  /** The network's name for the account: `M-Pesa`. */
  wallet: string
  /** Opens the menu of the account: `*150*00#`. */
  dialCode: string
  /** What the payer will see on the phone. */
  prompt: Sentence
  /** What the payer must do. */
  approve: Sentence
  /** The instruction to dial the menu. */
  dial: Sentence
}

/** The operator of the SIM card, so that a payer with two SIM cards knows which one gets the prompt. */
const lines: Record<Network, { operator: string; dialCode: string }> = {
  mpesa: { operator: 'Vodacom', dialCode: '*150*00#' },
  airtel: { operator: 'Airtel', dialCode: '*150*60#' },
  mixx: { operator: 'Yas (Tigo)', dialCode: '*150*01#' },
  halotel: { operator: 'Halotel', dialCode: '*150*88#' },
}

export function payerGuide(network: Network): PayerGuide {
  const wallet = networkNames[network]
  const { operator, dialCode } = lines[network]
  return {
    wallet,
    dialCode,
    prompt: {
      sw: `Dirisha la ${wallet} litajifungua kwenye simu yenye laini ya ${operator}.`,
      en: `The ${wallet} window opens by itself on the phone with the ${operator} line.`,
    },
    approve: {
      sw: `Weka namba ya siri (PIN) ya ${wallet} kuthibitisha`,
      en: `Enter your ${wallet} PIN to approve`,
    },
    dial: {
      sw: `Piga ${dialCode}. Menyu ya ${wallet} ikifunguka, mtandao unafanya kazi.`,
      en: `Dial ${dialCode}. If the ${wallet} menu opens, the network works.`,
    },
  }
}

/** Steps to try before the menu, on every network. */
export const noPromptSteps: readonly Sentence[] = [
  {
    sw: 'Hakikisha simu imewashwa, ina mtandao na skrini imefunguliwa.',
    en: 'Check that the phone is on, has signal, and that its screen is unlocked.',
  },
  {
    sw: 'Funga menyu nyingine ya pesa kwa simu iliyo wazi.',
    en: 'Close any other mobile money menu that is open.',
  },
]

export type NetworkTrouble = 'off' | Exclude<NetworkStatus, 'operational'>

/** What is wrong with a network; undefined: it works. */
export function troubleOf({
  status,
  isSwitchedOff,
}: {
  status: NetworkStatus
  isSwitchedOff: boolean
}): NetworkTrouble | undefined {
  if (isSwitchedOff) return 'off'
  return status === 'operational' ? undefined : status
}

/** What a payer reads after the names of the networks with this trouble. Only one that is switched off refuses a payment. */
export const troubleTexts: Record<NetworkTrouble, Sentence> = {
  off: {
    en: 'payments are not available at the moment. Use a number of another network, or try again later.',
    sw: 'malipo hayapatikani kwa sasa. Tumia namba ya mtandao mwingine, au jaribu tena baadaye.',
  },
  down: {
    en: 'payments rarely succeed at the moment. Use a number of another network, or try again later.',
    sw: 'ni malipo machache tu yanayofanikiwa kwa sasa. Tumia namba ya mtandao mwingine, au jaribu tena baadaye.',
  },
  degraded: {
    en: 'many payments fail at the moment. Use a number of another network if you can.',
    sw: 'malipo mengi hayafanikiwi kwa sasa. Tumia namba ya mtandao mwingine ukiweza.',
  },
}
