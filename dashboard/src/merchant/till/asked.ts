/**
 * What was typed at the till, and what became of it. It outlives the screen and a reload in the storage of this tab, with the idempotency
 * key of a request without a known end, so that the same request is sent again and a phone is prompted once.
 */
import type { Checkout, PaymentRequest } from '../../api/operations.ts'
import { useDraft, type Draft } from '../../ui/draft.ts'

export type Asked = {
  /** Digits. */
  amount: string
  /** As typed; empty: the customer scans a code. */
  phone: string
  made: PaymentRequest | undefined
  /** The prompt for the phone, which the provider may have. */
  sent: Checkout | undefined
  key: string | undefined
  /** It was paid, and the next opening starts another one. */
  isEnded: boolean
}

const nothing: Asked = { amount: '', phone: '', made: undefined, sent: undefined, key: undefined, isEnded: false }

/** `key`: names the person, the wallet and the environment. */
export function useAsked(key: string): Draft<Asked> {
  return useDraft(`till ${key}`, nothing, { survivesReload: true })
}
