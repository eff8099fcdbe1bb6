/** For tests of settling: payments that a provider has, without a checkout for each. */
import { randomBytes } from 'node:crypto'
import type { TestApp } from '../../test/app.ts'
import { newMoneyId } from '../platform/ids.ts'
import { chargeOrderMac } from './order-mac.ts'
import { insertPayments, type NewPayment } from './payment.sql.ts'
import { recordAcceptances } from './settle.sql.ts'
import type { Acceptance } from './settlement.ts'

export type Shop = { home: number; pageId: string; merchantId: string; slug: string }

/** A page of a merchant; with `home`, of a merchant of this home. */
export async function openShop(app: TestApp, home?: number): Promise<Shop> {
  const { slug } = await app.page(await app.student(home === undefined ? {} : { home }), { max_payments: 10_000 })
  const { rows } = await app.owner.pool.query<Omit<Shop, 'slug'>>(
    `select home, id as "pageId", merchant_id as "merchantId" from payment_pages
     where id in (select page_id from payment_page_slugs where slug = $1)`,
    [slug],
  )
  return { ...rows[0]!, slug }
}

const unsigned = ({ home, pageId, merchantId }: Shop): Omit<NewPayment, 'orderMac'> => ({
  home,
  id: newMoneyId(home),
  merchantId,
  environment: 'test',
  pageId,
  needsPlace: false,
  amount: 1500,
  phoneNumber: '+255754000111',
  network: 'mpesa',
  customerName: 'Juma',
  customerEmail: 'juma@example.com',
  merchantReference: null,
  metadata: '{}',
  description: null,
  payerLanguage: 'sw',
  idempotencyHash: randomBytes(32),
  requestHash: randomBytes(32),
  expirySeconds: 3600,
  claimLeaseSeconds: 600,
  requestId: 'req_test',
  provider: 'snippe',
  providerKey: randomBytes(8).toString('hex'),
  providerBody: '{}',
})

export function newPayment(app: TestApp, shop: Shop): NewPayment {
  const payment = unsigned(shop)
  const { providerKey: idempotencyKey, providerBody: requestBody } = payment
  return { ...payment, orderMac: chargeOrderMac(app.deps.recordMac, { ...payment, idempotencyKey, requestBody }) }
}

/** The acceptance of a payment by the provider, under the reference `ref-` plus its key. */
export const acceptanceOf = ({ home, id, providerKey }: NewPayment): Acceptance => ({
  home,
  paymentId: id,
  environment: 'test',
  provider: 'snippe',
  reference: `ref-${providerKey}`,
  providerExpiresAt: null,
  nextAttemptSeconds: 600,
})

/** Payments that the provider has accepted. */
export async function sentPayments(app: TestApp, shop: Shop, count: number): Promise<NewPayment[]> {
  const made = Array.from({ length: count }, () => newPayment(app, shop))
  for (let from = 0; from < made.length; from += 500) {
    const batch = made.slice(from, from + 500)
    await insertPayments(app.db, batch)
    await recordAcceptances(app.db, batch.map(acceptanceOf))
  }
  return made
}

/** The columns that a copied row of `payments` may write, as a list for SQL. */
export async function writableColumns(app: TestApp): Promise<string> {
  const { rows } = await app.owner.pool.query<{ columns: string }>(
    `select string_agg(attname, ', ') as columns from pg_attribute where attrelid = 'payments'::regclass and attnum > 0 and attgenerated = ''`,
  )
  return rows[0]!.columns
}
