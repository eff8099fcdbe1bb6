/**
 * Reads the bodies of ClickPesa's calls. Invariant: a returned order can be carried out, and its checksum was right where one is
 * required.
 */
import { timingSafeEqual } from 'node:crypto'
import { checksumOf } from './clickpesa-checksum.ts'
import { walletName } from './clickpesa-wire.ts'
import type { ChargeOrder } from './charges.ts'
import type { Switches } from './switches.ts'
import { readFields } from './orders.ts'
import type { PayoutOrder } from './payouts.ts'
import { readPhone } from './phones.ts'
import { ProviderRefusal } from './wire.ts'

type Fields = Record<string, unknown>

/** Not published; the smallest amount that the other provider accepts. */
const smallest = 500

const invalid = (message: string): ProviderRefusal => new ProviderRefusal('validation', message)

/** The fields of a body whose checksum is right, or absent where that is allowed. */
export function readProven(body: Buffer, key: string, setting: Switches['clickPesaChecksum']): Fields {
  const fields = readFields(body)
  if (setting === 'off' || (setting === 'optional' && fields.checksum === undefined)) return fields
  const given = Buffer.from(typeof fields.checksum === 'string' ? fields.checksum : '')
  const expected = Buffer.from(checksumOf(key, fields))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalid('Invalid checksum')
  return fields
}

/** A collection. Its amount is text: "10000" or "10000.00". */
export function readCollection(fields: Fields, webhookUrl: string | null): ChargeOrder & { orderReference: string } {
  const orderReference = readOrderReference(fields.orderReference)
  // docs.clickpesa.com, home/changelog, January 2026: of the two calls about a push.
  if (orderReference.length > 20) throw invalid('Order Reference should be less than or equal to 20 characters')
  if (typeof fields.amount !== 'string') throw invalid('amount must be a string')
  const amount = readAmount(/^(\d{1,12})(?:\.0{1,2})?$/.exec(fields.amount)?.[1])
  readCurrency(fields.currency)
  return {
    amount,
    phone: readMobile(fields.phoneNumber),
    customer: { firstName: '', lastName: '', email: '' },
    webhookUrl,
    metadata: { order_reference: orderReference },
    orderReference,
  }
}

/** A payout. Its amount is a number. */
export function readDisbursement(fields: Fields, webhookUrl: string | null): PayoutOrder & { orderReference: string } {
  const orderReference = readOrderReference(fields.orderReference)
  if (typeof fields.amount !== 'number') throw invalid('amount must be a number')
  const amount = readAmount(fields.amount)
  readCurrency(fields.currency)
  return {
    amount,
    phone: readMobile(fields.phoneNumber),
    recipientName: walletName,
    narration: null,
    webhookUrl,
    metadata: { order_reference: orderReference },
    orderReference,
  }
}

/** Of the sorting and filtering that the page about lists offers, only newest first is simulated; other requests are refused. */
export function readListing(query: URLSearchParams): { skip: number; limit: number } {
  const { sortBy = 'createdAt', orderBy = 'DESC', skip = '0', limit = '20', ...rest } = Object.fromEntries(query)
  const unplayed = Object.keys(rest)
  if (sortBy !== 'createdAt' || orderBy !== 'DESC' || unplayed.length > 0) throw invalid('not played: newest first only')
  if (!/^\d{1,9}$/.test(skip)) throw invalid('skip must be a number')
  if (!/^[1-9]\d{0,3}$/.test(limit)) throw invalid('limit must be at least 1')
  return { skip: Number(skip), limit: Number(limit) }
}

function readAmount(written: unknown): number {
  const amount = Number(written)
  if (!Number.isSafeInteger(amount) || amount < smallest) throw invalid(`amount must be a whole number of at least ${smallest}`)
  return amount
}

function readCurrency(currency: unknown): void {
  if (currency !== 'TZS') throw invalid('currency must be TZS')
}

/** Our interpretation, after integrators who strip everything else: letters and digits. */
function readOrderReference(written: unknown): string {
  if (typeof written === 'string' && /^[A-Za-z0-9]{1,64}$/.test(written)) return written
  throw invalid('orderReference must be alphanumeric')
}

/** With the country code and without the plus sign. */
function readMobile(written: unknown): string {
  const phone = typeof written === 'string' && written.startsWith('255') ? readPhone(written) : null
  if (phone === null) throw invalid('Invalid / unsupported phone number')
  return phone
}
