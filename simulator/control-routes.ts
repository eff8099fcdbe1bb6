/**
 * `/__control`: what tests and demos may do to the provider. Invariant: it uses the same moves as the phone and the scenarios, and
 * never bypasses the books.
 */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Agenda } from './agenda.ts'
import type { Books } from './books.sql.ts'
import { ImpossibleMove, type Charges } from './charges.ts'
import type { Clock } from './clock.ts'
import { accountNames } from './config.ts'
import type { GateName, Holds } from './holds.ts'
import { wasReturned } from './payout.ts'
import type { Payouts } from './payouts.ts'
import { seedCharges, seedWish } from './seeding.ts'
import { queryOf } from './serve.ts'
import { stormChange } from './storm-settings.ts'
import type { Storm } from './storm.ts'
import { switchTable, type Switches } from './switches.ts'
import { chargeTruth, payoutTruth } from './truth.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { Webhooks } from './webhooks.ts'
import { isoTime } from './wire.ts'

type Deps = {
  agenda: Agenda
  books: Books
  charges: Charges
  clock: Clock
  holds: Holds
  payouts: Payouts
  storm: Storm
  switches: Switches
  webhooks: Webhooks
  now: () => number
}

const mostHits = 100_000
/** A hundred thousand orders, each with its own metadata, in one body. */
const seedLimitBytes = 128 * 1024 * 1024

/** `release` opens a closed gate, so a wish is either true or absent. */
const gates = z.strictObject({ create: z.literal(true).optional(), webhooks: z.literal(true).optional() })

const chargeAnswer = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('pin'), pin: z.string().default('1234') }),
  z.strictObject({ action: z.literal('cancel') }),
  z.strictObject({ action: z.literal('timeout') }),
  z.strictObject({ action: z.literal('insufficient') }),
  z.strictObject({
    action: z.enum(['complete', 'fail', 'void', 'expire']),
    reason: z.string().optional(),
    copies: z.number().int().min(0).max(50).optional(),
    /** For `complete` only: the amount that the payer pays, where it differs from the order. */
    amount: z.number().int().min(1).optional(),
  }),
])

const clockWish = z.strictObject({ now: z.iso.datetime() })

/** TZS, below zero for money that leaves: what no charge or payout moved. */
const movementWish = z.strictObject({ account: z.enum(accountNames), amount: z.number().int() })

const payoutAnswer = z.strictObject({
  /** `pay_after_all`: pays a payout that failed or was reversed. */
  action: z.enum(['complete', 'fail', 'reverse', 'pay_after_all']),
  reason: z.string().optional(),
})

const resend = z.strictObject({
  times: z.number().int().min(1).max(200).default(1),
  concurrently: z.boolean().default(false),
  /** `payment.completed` or `completed`; the latest event when absent. */
  type: z.string().optional(),
  /** Sends the same event under a new event id. */
  new_id: z.boolean().default(false),
  /** The amount in the event instead of the charge's amount; makes it a separate event. */
  amount: z.number().int().min(0).optional(),
  /** The fee in the event instead of the charge's fee; also makes it a separate event. */
  fee: z.number().int().min(0).optional(),
})

const statusOfAction = {
  complete: 'completed',
  fail: 'failed',
  void: 'voided',
  expire: 'expired',
  reverse: 'reversed',
  pay_after_all: 'completed',
} as const

class ControlRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export function controlRoutes(app: FastifyInstance, deps: Deps): void {
  const { agenda, books, charges, holds, payouts, storm, switches } = deps

  const chargeNow = (reference: string) => chargeTruth(charges.get(reference), books, deps.now())
  const payoutNow = (reference: string) => payoutTruth(payouts.get(reference), books)

  const clockNow = () => {
    const { running, nextAt } = agenda.view()
    return { now: isoTime(deps.now()), running, next_at: nextAt === null ? null : isoTime(nextAt) }
  }

  const faultsNow = (limit: number, reference?: string) => ({
    settings: storm.settings,
    counts: books.faultCounts(),
    hits: books.faults(limit, reference).map(({ at, subject, ...hit }) => ({ at: isoTime(at), ...hit, key: subject })),
  })

  app.get('/__control/switches', () => ({ ...switches, holds: holds.view() }))

  app.patch('/__control/switches', (request) => {
    const wished = read(switchTable.partial(), request.body)
    Object.assign(switches, wished)
    return { ...switches, holds: holds.view() }
  })

  app.get('/__control/faults', (request) => {
    const query = queryOf(request)
    const reference = query.get('reference') ?? undefined
    const limit = Number(query.get('limit') ?? mostHits)
    if (!Number.isSafeInteger(limit) || limit < 0) throw new ControlRefusal(400, 'limit must be a number')
    return faultsNow(limit, reference)
  })

  app.patch('/__control/faults', (request) => {
    storm.change(read(stormChange, request.body))
    return faultsNow(0)
  })

  app.delete('/__control/faults', () => {
    storm.end()
    return faultsNow(0)
  })

  app.post('/__control/seed', { bodyLimit: seedLimitBytes }, (request) => {
    const references = seedCharges(deps, read(seedWish, request.body))
    return { made: references.length, references }
  })

  app.post('/__control/movement', (request) => {
    const { account, amount } = read(movementWish, request.body)
    deps.books.move(account, amount)
    return deps.books.account(account)
  })

  app.get('/__control/holds', () => holds.view())

  app.post('/__control/hold', (request) => {
    for (const gate of named(read(gates, request.body))) holds.hold(gate)
    return holds.view()
  })

  app.post('/__control/release', (request) => {
    for (const gate of named(read(gates, request.body))) holds.release(gate)
    return holds.view()
  })

  app.get('/__control/clock', () => clockNow())

  app.post('/__control/clock', (request) => {
    const { now } = read(clockWish, request.body)
    if (!deps.clock.moveTo(Date.parse(now))) throw new ControlRefusal(409, 'the clock does not go back')
    agenda.wake()
    return clockNow()
  })

  app.post<{ Params: { reference: string } }>('/__control/charges/:reference/answer', (request) => {
    const { reference } = request.params
    known(books.charges.get(reference))
    const answer = read(chargeAnswer, request.body)
    switch (answer.action) {
      case 'pin':
      case 'cancel':
      case 'timeout':
      case 'insufficient':
        charges.answer(reference, answer)
        break
      case 'complete':
      case 'fail':
      case 'void':
      case 'expire':
        charges.move(reference, statusOfAction[answer.action], {
          ...answer,
          amountOff: answer.amount === undefined ? 0 : answer.amount - charges.get(reference).amount,
        })
        break
    }
    return chargeNow(reference)
  })

  app.post<{ Params: { reference: string } }>('/__control/charges/:reference/webhook', async (request) => {
    const { reference } = request.params
    const charge = known(books.charges.get(reference))
    const wish = read(resend, request.body)
    const kept = latest(books.eventsOf(reference), wish.type)
    const status = statusNamed(wish.type ?? kept?.status ?? charge.status)
    const fresh = wish.new_id || wish.amount !== undefined || wish.fee !== undefined || kept === undefined
    const event = fresh ? charges.announce(reference, status, { copies: 0, amount: wish.amount, fee: wish.fee }) : kept
    return await sendTimes(deps.webhooks, event, wish)
  })

  app.post<{ Params: { reference: string } }>('/__control/payouts/:reference/answer', (request) => {
    const { reference } = request.params
    known(books.payouts.get(reference))
    const { action, reason } = read(payoutAnswer, request.body)
    if (action === 'complete' && wasReturned(payouts.get(reference)))
      throw new ControlRefusal(409, 'it has failed or was reversed: pay_after_all pays it nevertheless')
    payouts.move(reference, statusOfAction[action], reason)
    return payoutNow(reference)
  })
}

/** Turns an error thrown by a control route into its answer; null when it is not a refusal. */
export function controlRefused(error: unknown): { status: number; message: string } | null {
  if (error instanceof ControlRefusal) return { status: error.status, message: error.message }
  if (error instanceof ImpossibleMove) return { status: 409, message: error.message }
  return null
}

export async function refuseControl(reply: FastifyReply, refusal: { status: number; message: string }): Promise<FastifyReply> {
  return await reply.code(refusal.status).send({ error: refusal.message })
}

/** No body and an empty object both mean every gate. */
function named(wished: { create?: boolean; webhooks?: boolean }): GateName[] {
  const all: GateName[] = ['create', 'webhooks']
  const chosen = all.filter((gate) => wished[gate] === true)
  return Object.keys(wished).length === 0 ? all : chosen
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  let value: unknown = {}
  if (Buffer.isBuffer(body) && body.length > 0) {
    try {
      value = JSON.parse(body.toString('utf8'))
    } catch {
      throw new ControlRefusal(400, 'the body is not JSON')
    }
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new ControlRefusal(400, z.prettifyError(parsed.error))
  return parsed.data
}

function known<T>(record: T | undefined): T {
  if (record === undefined) throw new ControlRefusal(404, 'no such reference in the books')
  return record
}

function latest(events: readonly WebhookEvent[], type: string | undefined): WebhookEvent | undefined {
  return events.findLast((event) => type === undefined || [event.type, event.status, `payment.${event.status}`].includes(type))
}

function statusNamed(type: string): 'pending' | 'completed' | 'failed' | 'voided' | 'expired' {
  const status = type.replace(/^payment\./, '')
  const found = (['pending', 'completed', 'failed', 'voided', 'expired'] as const).find((name) => name === status)
  if (!found) throw new ControlRefusal(400, `type must name a payment status, not ${type}`)
  return found
}

async function sendTimes(webhooks: Webhooks, event: WebhookEvent, wish: { times: number; concurrently: boolean }) {
  const one = async () => {
    const { at, status, error, durationMs } = await webhooks.sendNow(event.eventId)
    return { at: isoTime(at), status, error, duration_ms: durationMs }
  }
  const results = []
  if (wish.concurrently) results.push(...(await Promise.all(Array.from({ length: wish.times }, one))))
  else for (let sent = 0; sent < wish.times; sent++) results.push(await one())
  return { event_id: event.eventId, type: event.type, results }
}
