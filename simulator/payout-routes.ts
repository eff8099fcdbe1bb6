/** `/v1/payouts`: disbursements as published by Snippe. Invariant: an account sees only its own payouts; another's is not found. */
import type { FastifyInstance } from 'fastify'
import type { Books } from './books.sql.ts'
import { struckOf } from './charges.ts'
import type { SimulatorConfig } from './config.ts'
import { faultsOfCreate, type CreateFaults } from './create-faults.ts'
import { payoutFee } from './fees.ts'
import type { Idempotency } from './idempotency.ts'
import { readFields, readPage, readPayoutOrder, readQuotedAmount } from './orders.ts'
import type { Payout } from './payout.ts'
import { payoutScenarioOf, type Payouts } from './payouts.ts'
import { withPlus } from './phones.ts'
import type { Serve } from './serve.ts'
import type { Storm } from './storm.ts'
import type { Switches } from './switches.ts'
import { apiVersion, isoTime, money, ProviderRefusal, success } from './wire.ts'

type Deps = {
  books: Books
  payouts: Payouts
  config: SimulatorConfig
  createFaults: CreateFaults
  idempotency: Idempotency
  storm: Storm
  switches: Switches
  now: () => number
  /** Every create waits for this once it is in the books. */
  beforeAnswer: () => Promise<void>
}

export function payoutRoutes(app: FastifyInstance, deps: Deps, serve: Serve): void {
  const { books, config, createFaults, idempotency, now, payouts, storm, switches } = deps

  app.post(
    '/v1/payouts/send',
    serve('disbursement:create', async ({ account, body, idempotencyKey }) => {
      const readOrder = () => readPayoutOrder(readFields(body), config, switches.narrationRequired)
      const faultOf = (phone: string) => payoutScenarioOf(phone).create
      return await idempotency.once(account, 'payouts', idempotencyKey, body, {
        ...faultsOfCreate(createFaults, { account, idempotencyKey }, readOrder, faultOf),
        make: () => {
          const payout = payouts.send(account, readOrder(), idempotencyKey)
          return { reference: payout.reference, answer: success(201, shown(payout)) }
        },
        settle: () => deps.beforeAnswer(),
        recall: (reference) => payouts.countCreateCall(reference),
      })
    }),
  )

  app.get(
    '/v1/payouts',
    serve('disbursement:read', ({ account, query }) => {
      const { limit, offset } = readPage(query)
      storm.spoilRead('listFails', { account, key: `payouts ${limit} ${offset}`, reference: null })
      const items = books.payouts.of(account, limit, offset).map(shown)
      return success(200, { items, total: books.payouts.count(account), limit, offset })
    }),
  )

  app.get(
    '/v1/payouts/fee',
    serve('disbursement:read', ({ query }) => {
      const amount = readQuotedAmount(query)
      return success(200, { amount, fee_amount: payoutFee(), total_amount: amount + payoutFee(), currency: 'TZS' })
    }),
  )

  app.get(
    '/v1/payouts/:reference',
    serve('disbursement:read', ({ account, params }) => {
      const payout = books.payouts.get(params.reference ?? '')
      const isSeen = payout?.account === account && now() >= payout.createdAt + switches.readLagMs
      if (!isSeen) throw new ProviderRefusal('notFound', 'payout not found')
      storm.spoilRead('getFails', struckOf(payout))
      return success(200, shown(payout))
    }),
  )
}

const shown = (payout: Payout): Record<string, unknown> => ({
  amount: money(payout.amount),
  api_version: apiVersion,
  channel: { provider: payout.network, type: 'mobile_money' },
  completed_at: payout.completedAt === null ? null : isoTime(payout.completedAt),
  created_at: isoTime(payout.createdAt),
  external_reference: payout.externalReference,
  failure_reason: payout.failureReason,
  fees: money(payout.fees),
  id: payout.reference,
  metadata: payout.metadata,
  narration: payout.narration,
  object: 'payout',
  recipient: { name: payout.recipientName, phone: withPlus(payout.phone) },
  reference: payout.reference,
  source: 'api',
  status: payout.status,
  total: money(payout.amount + payout.fees),
})
