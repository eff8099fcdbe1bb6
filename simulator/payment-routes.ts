/** `/v1/payments`: collections as published by Snippe. Invariant: an account sees only its own charges; another's is not found. */
import type { FastifyInstance } from 'fastify'
import type { Books } from './books.sql.ts'
import type { Charge } from './charge.ts'
import { ImpossibleMove, struckOf, type Charges } from './charges.ts'
import type { AccountName, SimulatorConfig } from './config.ts'
import { faultsOfCreate, type CreateFaults } from './create-faults.ts'
import type { Idempotency } from './idempotency.ts'
import { readChargeOrder, readFields, readPage, readPushPhone } from './orders.ts'
import { readPhone, suffixOf, withPlus } from './phones.ts'
import { chargeScenarios } from './scenarios.ts'
import type { Serve } from './serve.ts'
import type { Storm } from './storm.ts'
import type { Switches } from './switches.ts'
import { apiVersion, isoTime, money, nanoTime, ProviderRefusal, pushed, settlement, success } from './wire.ts'

type Deps = {
  books: Books
  charges: Charges
  config: SimulatorConfig
  createFaults: CreateFaults
  idempotency: Idempotency
  storm: Storm
  switches: Switches
  now: () => number
  /** Every create waits for this once it is in the books: the latency switch and the create gate. */
  beforeAnswer: () => Promise<void>
}

export function paymentRoutes(app: FastifyInstance, deps: Deps, serve: Serve): void {
  const { books, charges, config, createFaults, idempotency, storm, switches } = deps

  app.post(
    '/v1/payments',
    serve('collection:create', async ({ account, body, idempotencyKey }) => {
      const readOrder = () => readChargeOrder(readFields(body), config)
      const faultOf = (phone: string) => chargeScenarios[suffixOf(phone)]?.create ?? null
      return await idempotency.once(account, 'payments', idempotencyKey, body, {
        ...faultsOfCreate(createFaults, { account, idempotencyKey }, readOrder, faultOf),
        make: () => {
          const charge = charges.open(account, readOrder(), idempotencyKey)
          return { reference: charge.reference, answer: success(201, created(charge)) }
        },
        settle: async (reference) => {
          await charges.playBeforeAnswer(reference)
          await deps.beforeAnswer()
        },
        recall: (reference) => charges.countCreateCall(reference),
      })
    }),
  )

  app.get(
    '/v1/payments',
    serve('collection:read', ({ account, query }) => {
      const { limit, offset } = readPage(query)
      storm.spoilRead('listFails', { account, key: `payments ${limit} ${offset}`, reference: null })
      const items = books.charges.of(account, limit, offset).map(listed)
      return success(200, { items, total: books.charges.count(account), limit, offset })
    }),
  )

  app.get(
    '/v1/payments/balance',
    serve('collection:read', ({ account }) => {
      const { balance } = books.account(account)
      return success(200, { api_version: apiVersion, available: money(balance), balance: money(balance), object: 'balance' })
    }),
  )

  // The published documents name this route and its parameter but not its answer; this answer is the list's.
  app.get(
    '/v1/payments/search',
    serve('collection:read', ({ account, query }) => {
      const phone = readPhone(query.get('phone_number'))
      const reference = query.get('reference') ?? undefined
      if (reference === undefined && phone === null) throw new ProviderRefusal('validation', 'reference is required')
      const found = books.charges.matching({ account, reference, phone: phone ?? undefined })
      return success(200, { items: found.map(listed), total: found.length, limit: found.length, offset: 0 })
    }),
  )

  app.get(
    '/v1/payments/:reference',
    serve('collection:read', ({ account, params }) => {
      const charge = ownCharge(deps, account, params.reference)
      storm.spoilRead('getFails', struckOf(charge))
      return success(200, switches.getDetail === 'full' ? { ...shown(charge), ...detail(charge) } : shown(charge))
    }),
  )

  app.post(
    '/v1/payments/:reference/push',
    serve('collection:create', ({ account, body, params }) => {
      const charge = books.charges.get(params.reference ?? '')
      if (!charge) throw new ProviderRefusal('notFound', 'payment not found')
      if (charge.account !== account) throw new ProviderRefusal('forbidden', 'payment belongs to another account')
      try {
        const { reference, externalReference, status, promptPhone } = charges.push(charge.reference, readPushPhone(body))
        return pushed({ reference, external_reference: externalReference, status, phone: withPlus(promptPhone) })
      } catch (error) {
        if (error instanceof ImpossibleMove) throw new ProviderRefusal('notPending', error.message)
        throw error
      }
    }),
  )
}

function ownCharge({ books, now, switches }: Deps, account: AccountName, reference: string | undefined): Charge {
  const charge = books.charges.get(reference ?? '')
  const isSeen = charge?.account === account && now() >= charge.createdAt + switches.readLagMs
  if (!isSeen) throw new ProviderRefusal('notFound', 'payment not found')
  return charge
}

const created = (charge: Charge): Record<string, unknown> => ({
  amount: money(charge.amount),
  api_version: apiVersion,
  expires_at: nanoTime(charge.expiresAt, charge.reference),
  object: 'payment',
  payment_type: 'mobile',
  reference: charge.reference,
  // A create always answers pending, even when the payer was faster than the answer.
  status: 'pending',
})

const shown = (charge: Charge): Record<string, unknown> => ({
  ...created(charge),
  channel: { provider: charge.network, type: 'mobile_money' },
  ...(charge.completedAt === null ? {} : { completed_at: isoTime(charge.completedAt) }),
  created_at: isoTime(charge.createdAt),
  status: charge.status,
})

const detail = (charge: Charge): Record<string, unknown> => ({
  external_reference: charge.externalReference,
  customer: customer(charge),
  metadata: charge.metadata,
  settlement: settlement(charge.amount, charge.fees),
  ...(charge.failureReason === null ? {} : { failure_reason: charge.failureReason }),
})

const listed = (charge: Charge): Record<string, unknown> => ({
  amount: money(charge.amount),
  api_version: apiVersion,
  channel: { provider: charge.network, type: 'mobile_money' },
  completed_at: charge.completedAt === null ? null : isoTime(charge.completedAt),
  created_at: isoTime(charge.createdAt),
  customer: customer(charge),
  external_reference: charge.externalReference,
  id: charge.reference,
  metadata: charge.metadata,
  object: 'payment',
  payment_type: 'mobile',
  reference: charge.reference,
  settlement: settlement(charge.amount, charge.fees),
  status: charge.status,
})

const customer = (charge: Charge): Record<string, string> => ({
  email: charge.customer.email,
  first_name: charge.customer.firstName,
  last_name: charge.customer.lastName,
  phone: withPlus(charge.phone),
})
