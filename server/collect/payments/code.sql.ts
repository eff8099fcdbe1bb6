/** Payments by a part of their short code or of their receipt's number, or by an order number, each in an index of its own. */
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import type { CodeBeginnings } from '../../platform/short-code.ts'

export type PaymentKey = { home: number; id: string }

/** Among 100 million payments, some hundred have codes with the same four symbols at one place. */
const mostWithBeginning = 1_000

const atMostOf = (owner: Owner | undefined): Sql =>
  owner === undefined
    ? sql``
    : sql`and p.home = ${owner.merchant.home} and p.merchant_id = ${owner.merchant.id} and p.environment = ${owner.environment}`

/** The newest payments with these symbols anywhere in their short code. Without an owner: of all merchants. */
export async function findByShortCode(
  db: Runner,
  { part, whole, end }: CodeBeginnings,
  owner: Owner | undefined,
  limit: number,
): Promise<PaymentKey[]> {
  const beginningWith = (code: Sql, beginnings: string[]): Sql => sql`
    select f.* from unnest(${beginnings}::text[]) as b (beginning)
    cross join lateral (
      select p.home, p.id, p.created_at, p.short_code from payments p
      where ${code} >= b.beginning collate "C" and ${code} < (b.beginning || '~') collate "C" ${atMostOf(owner)}
      -- In the order of the index, so that the planner reads nothing else.
      order by ${code} limit ${mostWithBeginning}
    ) f`
  return db.rows<PaymentKey>(sql`
    select c.home, c.id
    from (${beginningWith(sql`p.short_code`, whole)} union all ${beginningWith(sql`substr(p.short_code, 4)`, end)}) c
    where strpos(replace(c.short_code, '-', ''), ${part}) > 0
    group by c.home, c.id, c.created_at
    order by c.created_at desc, c.id desc
    limit ${limit}`)
}

/** The newest payments of an owner with exactly this order number. */
export async function findByOwnReference(db: Runner, owner: Owner, reference: string, limit: number): Promise<PaymentKey[]> {
  return db.rows<PaymentKey>(sql`
    select p.home, p.id from payments p
    where p.merchant_reference = ${reference}
      and p.home = ${owner.merchant.home} and p.merchant_id = ${owner.merchant.id} and p.environment = ${owner.environment}
    order by p.created_at desc, p.id desc
    limit ${limit}`)
}

/** How many payments that have all parts of a number are compared with it; a false one is rare. */
const mostCompared = 1_000

/** The newest payments with these letters anywhere in their receipt's number. Without an owner: of all merchants. */
export async function findByReceipt(
  db: Runner,
  { letters, parts }: { letters: string; parts: string[] },
  owner: Owner | undefined,
  limit: number,
): Promise<PaymentKey[]> {
  const wanted = owner === undefined ? parts : [...parts, `${owner.environment} ${owner.merchant.id}`]
  return db.rows<PaymentKey>(sql`
    -- Materialized: with a limit here, the planner would read the table instead of the index.
    with found as materialized (
      select r.home, r.payment_id from payment_receipts r where r.parts @> ${wanted}::text[]
    ),
    newest as materialized (
      select f.home, f.payment_id from found f order by f.payment_id desc limit ${mostCompared}
    )
    select p.home, p.id
    from newest n
    join payments p on p.home = n.home and p.id = n.payment_id
    where strpos(upper(regexp_replace(p.network_receipt, '[^0-9A-Za-z]', '', 'g')), ${letters}) > 0
    order by p.created_at desc, p.id desc
    limit ${limit}`)
}
