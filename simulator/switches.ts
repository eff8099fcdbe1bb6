/**
 * The table of switches: every undocumented or faulty behaviour that a test or demo may turn on. Invariant: switches are only in
 * memory, so a restart restores the documented provider.
 */
import { z } from 'zod'
import { driftSchema } from './drift.ts'
import type { SimulatorConfig } from './config.ts'

const ms = z.number().int().min(0).max(604_800_000)

/** Each switch with its allowed values and (in `fromConfig`) its initial value. */
export const switchTable = z.strictObject({
  /** The delay between a charge or payout and the scenario of its number. */
  delayMs: ms,
  /** Life of a USSD prompt opened from now on. */
  promptMs: ms,
  /** From the create to `expires_at`, for charges made from now on. */
  chargeLifetimeMs: ms,
  /** Every /v1 answer waits this long; a create is in the books before it waits. */
  latencyMs: ms,
  /** The generation of the documents that the error codes come from. */
  errorDialect: z.enum(['snake', 'prefix']),
  /** A second create with the key of an unanswered one: refused, answered together with it, or answered at once. */
  inFlight: z.enum(['conflict', 'wait', 'answer']),
  /** Whether a refused create is remembered under its idempotency key. */
  cacheErrors: z.boolean(),
  replayStatus: z.union([z.literal(200), z.literal(201)]),
  pay001Status: z.number().int().min(400).max(599),
  int003Status: z.number().int().min(400).max(599),
  /** How long a hanging create waits before it is accepted. A lower value ends hangs that have lasted longer. */
  hangMs: ms,
  /** How long GET answers 404 for a charge or payout after its create. */
  readLagMs: ms,
  /** `never` leaves a charge pending past its `expires_at` and sends no event. */
  expiry: z.enum(['on-time', 'never']),
  /** `documented` leaves metadata, settlement and failure_reason out of GET, as the published example does. */
  getDetail: z.enum(['documented', 'full']),
  /** One generation of the documents requires a payout's narration. */
  narrationRequired: z.boolean(),
  /**
   * The form of the amount in a webhook. Snippe's documents show an object, where the request had an integer; the other forms must be
   * expected too. ClickPesa has only those that change the currency or the sum.
   */
  webhookAmount: z.enum(['object', 'integer', 'text', 'dollars', 'lower-case', 'hundredfold']),
  /** Forms of answers and events that public integrations have seen instead of the documented ones. */
  drift: z.array(driftSchema),
  /** Snippe: what a webhook's signature covers, and its header. */
  webhookSignature: z.enum(['timestamp.body', 'body', 'x-snippe-signature']),
  /** Whether each attempt gets a new timestamp and signature. */
  restampWebhooks: z.boolean(),
  /** Wait before each attempt; its length is the number of attempts. */
  webhookDelaysMs: z.array(ms).min(1).max(20),
  webhookTimeoutMs: ms.min(1),
  /** Requests per account and minute; null enforces nothing. */
  rateLimitPerMinute: z.number().int().min(1).nullable(),
  /** How `X-Ratelimit-Reset` is written. */
  rateLimitReset: z.enum(['seconds', 'missing', 'zero', 'huge', 'garbage']),
  /**
   * The text with which the create of an order that is in the books is refused as invalid: at its first call, or at every later one. Null
   * refuses none.
   */
  refusedAlthoughBooked: z.strictObject({ text: z.string(), call: z.enum(['first', 'later']) }).nullable(),
  /** ClickPesa: whether bodies carry a checksum. Changing it makes every token invalid. */
  clickPesaChecksum: z.enum(['off', 'optional', 'required']),
  /** ClickPesa: SUCCESS and SETTLED both mean paid; REFUNDED and REVERSED, that the payer has the money back, which no book shows. */
  clickPesaPaidStatus: z.enum(['SUCCESS', 'SETTLED', 'REFUNDED', 'REVERSED']),
  clickPesaPendingStatus: z.enum(['PROCESSING', 'PENDING', 'ON-HOLD']),
  clickPesaTokenMs: ms,
  /** ClickPesa: the webhook addresses for charges and payouts made from now on. */
  clickPesaWebhookUrls: z.strictObject({ 'clickpesa-test': z.url().nullable(), 'clickpesa-live': z.url().nullable() }),
  /** The permissions of both API keys. */
  scopes: z.array(z.enum(['collection:read', 'collection:create', 'disbursement:read', 'disbursement:create'])),
})

export type Switches = z.infer<typeof switchTable>
export type Scope = Switches['scopes'][number]

/** The documented behaviour. Where the documents are silent: in-flight duplicates get 409, errors are not cached, a replay is 201 again, PAY_001 comes as 500 and INT_003 as 503, GET sees a create at once, retries are re-stamped. */
export function fromConfig(config: SimulatorConfig): Switches {
  return {
    delayMs: config.delayMs,
    promptMs: config.promptMs,
    chargeLifetimeMs: config.chargeLifetimeMs,
    latencyMs: 0,
    errorDialect: 'snake',
    inFlight: 'conflict',
    cacheErrors: false,
    replayStatus: 201,
    pay001Status: 500,
    int003Status: 503,
    hangMs: 45_000,
    readLagMs: 0,
    expiry: 'on-time',
    getDetail: 'documented',
    narrationRequired: false,
    webhookAmount: 'object',
    drift: [],
    webhookSignature: 'timestamp.body',
    restampWebhooks: true,
    webhookDelaysMs: [...config.webhookDelaysMs],
    webhookTimeoutMs: config.webhookTimeoutMs,
    rateLimitPerMinute: config.rateLimitPerMinute,
    rateLimitReset: 'seconds',
    refusedAlthoughBooked: null,
    clickPesaChecksum: 'optional',
    clickPesaPaidStatus: 'SUCCESS',
    clickPesaPendingStatus: 'PROCESSING',
    clickPesaTokenMs: 3_600_000,
    clickPesaWebhookUrls: {
      'clickpesa-test': config.clickPesa['clickpesa-test'].webhookUrl,
      'clickpesa-live': config.clickPesa['clickpesa-live'].webhookUrl,
    },
    scopes: ['collection:read', 'collection:create', 'disbursement:read', 'disbursement:create'],
  }
}
