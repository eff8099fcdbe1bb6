/**
 * Reads the bodies of creates as the documents describe them. Invariant: a returned order can be carried out; the first broken rule
 * is the message.
 */
import type { ChargeOrder } from './charges.ts'
import type { SimulatorConfig } from './config.ts'
import type { PayoutOrder } from './payouts.ts'
import { isTtcl, readPhone } from './phones.ts'
import { ProviderRefusal } from './wire.ts'

type Fields = Record<string, unknown>

const smallestCharge = 500
const smallestPayout = 5_000
const longestWebhookUrl = 500

const invalid = (message: string): ProviderRefusal => new ProviderRefusal('validation', message)

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The JSON object of a request body. */
export function readFields(body: Buffer): Fields {
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    throw new ProviderRefusal('unreadableBody', 'invalid request body')
  }
  if (!isFields(value)) throw new ProviderRefusal('unreadableBody', 'invalid request body')
  return value
}

export function readChargeOrder(fields: Fields, config: SimulatorConfig): ChargeOrder {
  if (fields.payment_type === undefined) throw invalid('payment_type is required')
  if (fields.payment_type !== 'mobile') throw invalid('payment_type must be mobile: this account has no other payment type')
  const details = isFields(fields.details) ? fields.details : {}
  const amount = readAmount(details.amount, smallestCharge)
  if (amount > config.maxChargeTzs) throw invalid(`amount ${amount} is above maximum of ${config.maxChargeTzs}`)
  if (details.currency === undefined) throw invalid('currency is required')
  if (details.currency !== 'TZS') throw invalid('currency must be TZS')
  const phone = readMobile(fields.phone_number, 'phone_number')
  const customer = isFields(fields.customer) ? fields.customer : {}
  const email = requiredText(customer.email, 'customer.email')
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw invalid('customer.email must be a valid email address')
  return {
    amount,
    phone,
    customer: {
      firstName: requiredText(customer.firstname, 'customer.firstname'),
      lastName: requiredText(customer.lastname, 'customer.lastname'),
      email,
    },
    webhookUrl: readWebhookUrl(fields.webhook_url, config),
    metadata: readMetadata(fields.metadata),
  }
}

export function readPayoutOrder(fields: Fields, config: SimulatorConfig, narrationRequired: boolean): PayoutOrder {
  const amount = readAmount(fields.amount, smallestPayout)
  if (fields.channel === undefined) throw invalid('channel is required')
  if (fields.channel !== 'mobile') throw invalid('channel must be mobile: this account has no other channel')
  const narration = fields.narration === undefined && !narrationRequired ? null : requiredText(fields.narration, 'narration')
  return {
    amount,
    phone: readMobile(fields.recipient_phone, 'recipient_phone'),
    recipientName: requiredText(fields.recipient_name, 'recipient_name'),
    narration,
    webhookUrl: readWebhookUrl(fields.webhook_url, config),
    metadata: readMetadata(fields.metadata),
  }
}

/** `limit` 1–100, 20 when absent; `offset` 0 when absent. */
export function readPage(query: URLSearchParams): { limit: number; offset: number } {
  const limit = readCount(query.get('limit'), 20, 'limit')
  if (limit < 1 || limit > 100) throw invalid('limit must be between 1 and 100')
  return { limit, offset: readCount(query.get('offset'), 0, 'offset') }
}

/** The amount of `GET /v1/payouts/fee?amount=`. */
export function readQuotedAmount(query: URLSearchParams): number {
  const written = query.get('amount')
  if (written === null || written === '') throw invalid('amount is required')
  return readAmount(Number(written), smallestPayout)
}

/** The optional `{"phone"}` of a push; null for the phone of the charge. */
export function readPushPhone(body: Buffer): string | null {
  if (body.length === 0) return null
  const { phone } = readFields(body)
  return phone === undefined ? null : readMobile(phone, 'phone')
}

function readCount(written: string | null, absent: number, name: string): number {
  if (written === null) return absent
  if (!/^\d{1,9}$/.test(written)) throw invalid(`${name} must be a number`)
  return Number(written)
}

function readAmount(value: unknown, smallest: number): number {
  if (value === undefined || value === null) throw invalid('amount is required')
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw invalid('amount must be an integer')
  if (value < smallest) throw invalid(`amount ${value} is below minimum of ${smallest}`)
  return value
}

function readMobile(value: unknown, name: string): string {
  if (value === undefined || value === '') throw invalid(`${name} is required`)
  const phone = readPhone(value)
  if (phone === null) throw invalid(`${name} must be a valid phone number`)
  if (isTtcl(phone)) throw invalid(`${name} belongs to an unsupported network`)
  return phone
}

function requiredText(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') throw invalid(`${name} is required`)
  return value
}

function readMetadata(value: unknown): Fields {
  if (value === undefined || value === null) return {}
  if (!isFields(value)) throw invalid('metadata must be an object')
  return value
}

function readWebhookUrl(value: unknown, config: SimulatorConfig): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || !URL.canParse(value)) throw invalid('webhook_url must be a valid HTTPS URL')
  if (value.length > longestWebhookUrl) throw invalid(`webhook_url must be at most ${longestWebhookUrl} characters`)
  const { protocol, hostname } = new URL(value)
  const loopback = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && loopback && config.allowHttpWebhooks)) return value
  throw invalid('webhook_url must be a valid HTTPS URL')
}
