/**
 * Fills the books with charges that no one created over the wire. Invariant: seeded charges follow the same rules as created ones:
 * balance, numbers, expiry.
 */
import { z } from 'zod'
import type { Agenda } from './agenda.ts'
import type { Books } from './books.sql.ts'
import type { Charges } from './charges.ts'
import { accountNames, isClickPesa } from './config.ts'
import { failureWords } from './scenarios.ts'

const most = 1_000_000

const one = z.strictObject({
  amount: z.number().int().min(1).default(5_000),
  phone: z
    .string()
    .regex(/^255\d{9}$/)
    .default('255712345678'),
  status: z.enum(['pending', 'completed', 'failed', 'voided', 'expired']).default('pending'),
  metadata: z.record(z.string(), z.unknown()).default({}),
  idempotency_key: z.string().nullable().default(null),
})

/** Either `count` equal charges, where `{n}` in a word of the metadata becomes 1, 2, 3 …, or each of `orders` unchanged. */
export const seedWish = z.strictObject({
  account: z.enum(accountNames).default('test'),
  count: z.number().int().min(0).max(most).default(0),
  ...one.omit({ idempotency_key: true }).shape,
  orders: z.array(one).max(most).default([]),
  webhook_url: z.string().nullable().default(null),
  /** How long ago they were created. */
  age_ms: z.number().int().min(0).default(0),
})

type SeedWish = z.infer<typeof seedWish>
type Deps = { agenda: Agenda; books: Books; charges: Charges }

const customer = { firstName: 'Asha', lastName: 'Juma', email: 'asha@example.com' }

/** Writes them in one transaction, oldest first, without prompts, steps or events. Returns their references in that order. */
export function seedCharges({ agenda, books, charges }: Deps, wish: SeedWish): string[] {
  return books.tx(() => {
    const references: string[] = []
    let net = 0
    for (const order of ordersOf(wish)) {
      const { amount, idempotency_key: key, metadata, phone, status } = order
      const { order_reference: named } = metadata
      // A provider that finds records by the caller's reference finds seeded records by it too.
      const orderReference = isClickPesa(wish.account) && typeof named === 'string' ? named : undefined
      const made = { amount, customer, metadata, orderReference, phone, webhookUrl: wish.webhook_url }
      const charge = charges.compose(wish.account, made, key)
      charge.createdAt -= wish.age_ms
      charge.expiresAt -= wish.age_ms
      charge.status = status
      charge.history = [{ at: charge.createdAt, what: 'seeded', detail: status }]
      if (status === 'completed') {
        charge.completedAt = charge.createdAt
        charge.moneyMoved = true
        net += charge.amount - charge.fees
      } else if (status === 'failed') {
        charge.failedAt = charge.createdAt
        charge.failureReason = failureWords.unspecified
      }
      books.charges.add(charge)
      const { reference } = charge
      if (status === 'pending') agenda.put(`expiry:${reference}`, 'charge-expiry', charge.expiresAt, { reference })
      references.push(reference)
    }
    books.addToBalance(wish.account, net)
    return references
  })
}

function* ordersOf({ amount, count, metadata, orders, phone, status }: SeedWish): Generator<z.infer<typeof one>> {
  for (let n = 1; n <= count; n++) {
    const numbered = Object.entries(metadata).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('{n}', String(n)) : value,
    ])
    yield { amount, phone, status, metadata: Object.fromEntries(numbered), idempotency_key: null }
  }
  yield* orders
}
