/** Finds payments by what a payer reads out: their short code or the number in the network's message, whole or five characters of it. */
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Runner } from '../../platform/db/db.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { beginningsOf, isMistyped } from '../../platform/short-code.ts'
import { findByReceipt, findByShortCode, type PaymentKey } from './code.sql.ts'
import { lettersOf, partsOfReceipt } from './receipt-parts.ts'

const [shortest, longest] = [5, 64]
/** Letters and digits in groups, as such codes are printed and typed. */
const written = /^[0-9a-z][0-9a-z\s./-]*$/i

export type NamedPayment = PaymentKey & { by: 'short_code' | 'network_receipt' }

/** The newest payments that a typed text may name by a code. Without an owner: of all merchants. */
export async function findByCode(
  db: Runner,
  typed: string,
  { owner, limit }: { owner?: Owner; limit: number },
): Promise<NamedPayment[]> {
  const letters = lettersOf(typed)
  if (!written.test(typed) || letters.length < shortest || letters.length > longest) return []
  const beginnings = isMistyped(typed) ? undefined : beginningsOf(typed)
  const [byShortCode, byReceipt] = await Promise.all([
    beginnings === undefined ? [] : findByShortCode(db, beginnings, owner, limit),
    findByReceipt(db, { letters, parts: partsOfReceipt(typed) }, owner, limit),
  ])
  const others = byReceipt.filter(({ id }) => byShortCode.every((found) => found.id !== id))
  return [
    ...byShortCode.map((key) => ({ ...key, by: 'short_code' as const })),
    ...others.map((key) => ({ ...key, by: 'network_receipt' as const })),
  ].slice(0, limit)
}

/** What is wrong with a whole short code whose last symbol does not check the others; undefined for any other text. */
export function mistypingOf(typed: string): string | undefined {
  // Letters alone may be a name, and digits alone a phone number.
  const isLikeACode = /[a-z]/i.test(typed) && /[\d-]/.test(typed)
  if (!isLikeACode || !isMistyped(typed)) return undefined
  return 'No payment has this code, and its last character does not match the others. Check it for a typing mistake.'
}

/** Refuses a search that has found nothing, if a typing mistake explains it. */
export function refuseMistyped(typed: string): void {
  const message = mistypingOf(typed)
  if (message !== undefined) throw invalidFields([{ field: 'q', code: 'mistyped', message }])
}
