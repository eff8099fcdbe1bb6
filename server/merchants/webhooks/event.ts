/** Events in the form that merchants receive. The facts of an event never change; what is known of its payment may be added or erased. */
import { customValuesSchema } from '../../domain/custom-field.ts'
import { z } from 'zod'
import { environmentSchema } from '../../domain/environment.ts'
import { failureOfCode, failureSchema, moneyOutFailure, paymentFailure, refundEnds } from '../../domain/failure.ts'
import { networkSchema } from '../../domain/network.ts'
import { failureCodes, shortCodeSchema } from '../../domain/payment.ts'
import { payoutFailureCodes, payoutMethodSchema } from '../../domain/payout.ts'
import { alwaysSent, disabledReasons, eventTypes, type EventType } from '../../domain/webhook.ts'
import { toWire } from '../../platform/ids.ts'

export type EventRow = {
  id: string
  type: EventType
  /** JSON, in exactly the bytes that webhooks send. */
  data: string
  createdAt: Date
}

const amount = z.int().meta({ description: 'TZS.', example: 2500 })
const time = z.iso.datetime()
const environment = environmentSchema
const failureOf = (codes: readonly [string, ...string[]], example: z.infer<typeof failureSchema> | null) =>
  z
    .object({ ...failureSchema.shape, code: z.enum(codes) })
    .nullable()
    .meta({ description: 'Set if the status is `failed`.', example })

const payment = {
  reference: z.string().meta({ description: 'The payment reference.', example: 'pay_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
  payment_page_id: z.string().nullable().meta({
    description: 'The page that the payment was made on. Null for a payment that your server requested.',
    example: 'page_01jz8e6c9kf0x9v4m2n7q5t3ab',
  }),
  amount,
}

/** What is read from the payment or payout when the event is read or sent. */
const ownFields = {
  merchant_reference: z.string().optional().meta({ description: 'Your own reference or order number, if you set one.' }),
  metadata: z.record(z.string(), z.string()).optional().meta({ description: 'Your own data, if you set any.' }),
}

const addedFields = {
  environment,
  network_receipt: z.string().nullable().meta({
    description: 'The number in the network’s message to the payer. Null while we do not know it.',
    example: 'S46121174212',
  }),
  ...ownFields,
  custom_fields: customValuesSchema.optional(),
}

const completedPayment = z
  .object({
    ...payment,
    amount_received: z.int().optional().meta({
      description: 'TZS that was received and credited, if it differs from `amount`.',
    }),
    currency: z.string(),
    completed_at: time,
    short_code: shortCodeSchema,
    status: z.literal('completed'),
    updated_at: time,
    ...addedFields,
  })
  .meta({ id: 'CompletedPaymentData' })

const endedPayment = z
  .object({
    ...payment,
    currency: z.string(),
    status: z.enum(['failed', 'voided', 'expired']),
    network: networkSchema.nullable(),
    failure: failureOf(failureCodes, paymentFailure('insufficient_funds')),
    created_at: time,
    updated_at: time,
    short_code: shortCodeSchema,
    ...addedFields,
  })
  .meta({ id: 'EndedPaymentData' })

const moneyOut = {
  amount: z.int().meta({ description: 'TZS that the recipient receives.' }),
  fee: z.int().meta({ description: 'TZS debited in addition to the amount.' }),
  total_debited: z.int(),
  currency: z.string(),
}

const payout = z
  .object({
    id: z.string().meta({ example: 'po_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    status: z.enum(['completed', 'failed', 'reversed', 'cancelled']),
    ...moneyOut,
    network: networkSchema.nullable(),
    failure: failureOf(payoutFailureCodes, moneyOutFailure('recipient_not_found')),
    created_at: time,
    completed_at: time.nullable(),
    reversed_at: time.nullable(),
    updated_at: time,
    environment,
    ...ownFields,
  })
  .meta({ id: 'PayoutData' })

const refund = z
  .object({
    id: z.string().meta({ example: 'rf_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    payment: z.string().meta({ description: 'The payment reference.', example: 'pay_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    payment_short_code: shortCodeSchema,
    status: z.enum(['completed', 'failed']),
    method: payoutMethodSchema.optional().meta({
      example: 'provider',
      description: '`outside`: you returned the money by your own means.',
    }),
    ...moneyOut,
    failure: failureOf([...payoutFailureCodes, ...refundEnds], moneyOutFailure('recipient_not_found')),
    created_at: time,
    completed_at: time.nullable(),
    updated_at: time,
    environment,
    payment_merchant_reference: z
      .string()
      .optional()
      .meta({ description: 'Your own order number of the payment, if you set one.' }),
    ...ownFields,
  })
  .meta({ id: 'RefundData' })

const payoutBatch = z
  .object({
    id: z.string().meta({ example: 'pb_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    status: z.enum(['done', 'stopped']).meta({ example: 'done' }),
    rows: z.int().meta({ example: 3 }),
    total: z.int().meta({ description: 'TZS of all rows.', example: 60_000 }),
    fees: z.int().meta({ description: 'TZS debited in addition.', example: 4_500 }),
    currency: z.string(),
    completed: z.int().meta({ description: 'Rows whose recipient has the money.', example: 2 }),
    failed: z.int().meta({ description: 'Rows whose money is back in the wallet.', example: 1 }),
    cancelled: z.int().meta({ description: 'Rows that were never sent.', example: 0 }),
    paid_amount: z.int().meta({ description: 'TZS that have arrived.', example: 40_000 }),
    failure: failureSchema.nullable().optional().meta({ example: null }),
    created_at: time,
    approved_at: time.nullable(),
    finished_at: time,
    updated_at: time,
    environment,
  })
  .meta({ id: 'PayoutBatchData' })

const business = z
  .object({
    id: z.string().meta({ example: 'biz_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    status: z.enum(['verified', 'rejected']),
    decided_at: time,
    updated_at: time,
    environment,
  })
  .meta({ id: 'BusinessData' })

const webhook = z
  .object({
    id: z.string().meta({ example: 'wh_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    app_id: z.string().meta({ example: 'app_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    status: z.literal('enabled'),
    disabled_reason: z.enum(disabledReasons).meta({ example: 'endpoint_failing' }),
    disabled_at: time.nullable().meta({ description: 'Since then nothing was sent to it: replay the events from here.' }),
    enabled_at: time,
    updated_at: time,
    environment,
  })
  .meta({ id: 'WebhookData' })

/** The content of each type of event, and when it is sent. */
const catalogue = {
  'payment.completed': { data: completedPayment, sent: 'The payer has paid, and the wallet is credited.' },
  'payment.failed': {
    data: endedPayment,
    sent: 'The payment has failed; `failure.code` says why. If the money arrives nevertheless, `payment.completed` follows.',
  },
  'payment.voided': {
    data: endedPayment,
    sent: 'The payment was cancelled, or the money that arrived was returned to the payer. A late success is possible, as after a failure.',
  },
  'payment.expired': {
    data: endedPayment,
    sent: 'The time to pay is over, and the provider has no success. A late success is possible, as after a failure.',
  },
  'payout.completed': { data: payout, sent: 'The recipient has the money.' },
  'payout.failed': { data: payout, sent: 'Nothing was paid, and the wallet has everything back; `failure.code` says why.' },
  'payout.reversed': { data: payout, sent: 'The network has returned the money, and the wallet has everything back.' },
  'payout.cancelled': {
    data: payout,
    sent: 'The payout was cancelled or refused before it was sent, and the wallet has everything back.',
  },
  'refund.completed': {
    data: refund,
    sent: 'The payer has the refund, or you recorded that you returned the money (`method` is `outside`).',
  },
  'refund.failed': { data: refund, sent: 'Nothing was refunded, and the wallet has everything back; `failure.code` says why.' },
  'payout_batch.completed': {
    data: payoutBatch,
    sent: 'The batch has ended, also after a stop or without approval. Sent once, beside the events of its payouts.',
  },
  'business.verified': { data: business, sent: 'A reviewer has verified the business. Sent in test and in live.' },
  'business.rejected': { data: business, sent: 'A reviewer has rejected the business. Sent in test and in live.' },
  'webhook.enabled': {
    data: webhook,
    sent: 'A webhook that was disabled is enabled again. Its own server receives it, too: resend what it missed.',
  },
} as const satisfies Record<EventType, { data: z.ZodObject; sent: string }>

/** `PaymentCompletedEvent`: the name of its schema. */
const nameOf = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`

export function describeEvent(type: EventType): { name: string; sent: string; isDefault: boolean } {
  return { name: nameOf(type), sent: catalogue[type].sent, isDefault: type === alwaysSent }
}

const eventOf = <Type extends EventType>(type: Type) =>
  z
    .object({
      id: z.string().meta({ example: 'evt_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
      type: z.literal(type),
      created_at: time,
      data: catalogue[type].data as (typeof catalogue)[Type]['data'],
    })
    .meta({ id: nameOf(type), description: catalogue[type].sent })

type SchemasOf<Types extends readonly unknown[]> = {
  [Place in keyof Types]: ReturnType<typeof eventOf<Extract<Types[Place], EventType>>>
}

export const eventSchemas = eventTypes.map((type) => eventOf(type)) as unknown as SchemasOf<typeof eventTypes>

export const eventSchema = z
  .discriminatedUnion('type', eventSchemas)
  .meta({ id: 'Event', description: 'The content of a webhook for this event.' })

/** An event as merchants receive it (service.md 6.1), in a fixed order of keys. */
export function eventToJson(event: EventRow): z.infer<typeof eventSchema> {
  return JSON.parse(eventBody(event)) as z.infer<typeof eventSchema>
}

/** The stored facts of an event have the code of a failure alone; it comes before anything that a person typed. */
const storedFailure = /"failure":\{"code":"([a-z_]+)"\}/

/** The exact body of the webhook of an event: an envelope around the bytes of its data, which a database statement made. */
export function eventBody({ id, type, data, createdAt }: EventRow): string {
  const of = type.startsWith('payment.') ? 'payment' : 'money_out'
  const sent = data.replace(storedFailure, (stored, code: string) => {
    const failure = failureOfCode(code, of)
    return failure === undefined ? stored : `"failure":${JSON.stringify(failure)}`
  })
  return `{"id":"${toWire('evt', id)}","type":"${type}","created_at":"${createdAt.toISOString()}","data":${sent}}`
}
