/**
 * The statements on `customers` and `customer_counts`. Invariant: each ledger line of a wallet is counted once, because the count holds the
 * lock of its row and passes each seq once. Every read of a merchant's customer takes its owner.
 */
import type { Environment } from '../../domain/environment.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { anywhere, holdsFolded } from '../../platform/db/holds-text.sql.ts'
import { recordset } from '../../platform/db/recordset.ts'
import type { ListRange } from '../../platform/http/page.ts'
import { newMoneyId } from '../../platform/ids.ts'
import type { Customer } from './customer.ts'

/** Whose lines are counted. */
export type Wallet = { home: number; merchantId: string; environment: Environment }

export const walletOf = ({ merchant, environment }: Owner): Wallet => ({
  home: merchant.home,
  merchantId: merchant.id,
  environment,
})

const columns = sql`c.home, c.id, c.environment, c.phone_number, c.name, c.network, c.paid_count, c.paid_total, c.refunded_total, c.first_paid_at,
  c.last_paid_at`

const ofOwner = ({ merchant, environment }: Owner): Sql =>
  sql`c.home = ${merchant.home} and c.merchant_id = ${merchant.id} and c.environment = ${environment}`

export async function findCustomer(db: Runner, owner: Owner, id: string): Promise<Customer | undefined> {
  return db.maybeOne<Customer>(sql`select ${columns} from customers c where ${ofOwner(owner)} and c.id = ${id}`)
}

/** `name` must be part of the name, or one of `digits` part of the number. `phoneNumber`: the whole number (E.164). */
export type CustomerFilter = { phoneNumber?: string; text?: { name: string; digits: readonly string[] } }

/** How far the list was searched, if the search stopped before its end. */
export type CustomersPage = { customers: Customer[]; hasMore: boolean; last: { lastPaidAt: Date; id: string } | undefined }

/**
 * A page of an owner's customers, those who paid last first. The filter for a text searches at most `among` customers: the page then holds
 * those found so far, and the next page continues from there.
 */
export async function listCustomers(
  db: Runner,
  owner: Owner,
  filter: CustomerFilter,
  range: ListRange & { among: number },
): Promise<CustomersPage> {
  const { after, createdFrom, createdTo, limit, among } = range
  const { phoneNumber, text } = filter
  const looked = sql`
    customers c
    where ${ofOwner(owner)}
      ${phoneNumber === undefined ? sql`` : sql`and c.phone_number = ${phoneNumber}`}
      ${createdFrom === undefined ? sql`` : sql`and c.last_paid_at >= ${createdFrom}::timestamptz`}
      ${createdTo === undefined ? sql`` : sql`and c.last_paid_at < ${createdTo}::timestamptz`}
      ${after ? sql`and (c.last_paid_at, c.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by c.last_paid_at desc, c.id desc`
  const name = text === undefined ? null : text.name
  const numbers = text === undefined ? [] : text.digits.map(anywhere)
  const rows = await db.rows<Customer>(sql`
    select ${columns}
    from (select c.* from ${looked} limit ${among}) c
    where ${name}::text is null or ${holdsFolded(sql`c.name`, name)} or c.phone_number like any(${numbers}::text[])
    order by c.last_paid_at desc, c.id desc
    limit ${limit + 1}`)
  const customers = rows.slice(0, limit)
  if (rows.length > limit) return { customers, hasMore: true, last: customers.at(-1) }
  // Fewer than requested: either there are no more customers, or the search limit was reached.
  const [end] = await db.rows<{ lastPaidAt: Date; id: string }>(
    sql`select c.last_paid_at, c.id from ${looked} offset ${among - 1} limit 1`,
  )
  return { customers, hasMore: end !== undefined, last: end ?? customers.at(-1) }
}

/** Whether lines of the wallet wait to be counted. */
export async function isBehind(db: Runner, { home, merchantId, environment }: Wallet): Promise<boolean> {
  return db.any(sql`
    select from ledger_accounts a
    left join customer_counts n on n.home = a.home and n.merchant_id = a.holder and n.environment = a.environment
    where a.home = ${home} and a.environment = ${environment} and a.kind in ('wallet', 'receivable') and a.holder = ${merchantId}
      and a.last_seq > coalesce(case a.kind when 'wallet' then n.wallet_seq else n.receivable_seq end, 0)`)
}

/** What some lines add to one customer. */
type Counted = Omit<Customer, 'home' | 'id' | 'environment'>

const newCustomerColumns = {
  id: 'uuid',
  phoneNumber: 'text',
  name: 'text',
  network: 'text',
  paidCount: 'bigint',
  paidTotal: 'bigint',
  refundedTotal: 'bigint',
  firstPaidAt: 'timestamptz',
  lastPaidAt: 'timestamptz',
} as const

const sideLines = (home: number, account: Sql, seq: Sql, span: { id: string; from: number; to: number }): Sql => sql`
  select ${seq} as seq, t.kind, t.amount, t.payment_id, t.payout_id, t.break_id, t.created_at from ledger_transfers t
  where t.home = ${home} and ${account} = ${span.id} and ${seq} > ${span.from}::bigint and ${seq} <= ${span.to}::bigint`

/**
 * What the lines of an account add to the customers of its wallet. The phone is read from the payment, so that an erased payer stays
 * erased. A refund counts with its own amount: its lines may contain the fee, too.
 */
async function readLines(tx: Tx, home: number, span: { id: string; from: number; to: number }): Promise<Counted[]> {
  return tx.rows<Counted>(sql`
    with lines as materialized (
      ${sideLines(home, sql`t.credit_account_id`, sql`t.credit_seq`, span)}
      union all
      ${sideLines(home, sql`t.debit_account_id`, sql`t.debit_seq`, span)}
    ),
    counted as (
      select l.seq, l.created_at, p.phone_number, p.customer_name, p.network, l.kind in ('payment', 'suspense_release') as is_paid,
        case when l.kind in ('payment', 'suspense_release', 'credit_added') then l.amount
          when l.kind in ('credit_reversed', 'credit_reversed_owed') then -l.amount else 0 end as paid,
        case when l.kind in ('refund', 'refund_again') then o.amount when l.kind = 'refund_reversal' then -o.amount
          when l.kind in ('payout_raised', 'payout_raised_owed') then l.amount when l.kind = 'payout_lowered' then -l.amount
          -- The part that is owed, of a refund that was paid after all: counted here if the wallet paid no part of it.
          when l.kind = 'payout_again_owed' and not exists (
            select from ledger_transfers w
            where w.home = ${home} and w.payout_id = l.payout_id and w.kind = 'refund_again' and w.break_id = l.break_id) then o.amount
          else 0 end as refunded
      from lines l
      left join payouts o on o.home = ${home} and o.id = l.payout_id and o.purpose = 'refund'
      join payments p on p.home = ${home} and p.id = coalesce(l.payment_id, o.refund_of)
      where l.kind in ('payment', 'suspense_release', 'credit_added', 'credit_reversed', 'credit_reversed_owed', 'refund', 'refund_again', 'refund_reversal',
        'payout_again_owed', 'payout_raised', 'payout_raised_owed', 'payout_lowered')
    )
    select phone_number, (array_agg(customer_name order by seq desc) filter (where customer_name is not null))[1] as name,
      (array_agg(network order by seq desc) filter (where network is not null))[1] as network,
      count(*) filter (where is_paid) as paid_count, sum(paid)::bigint as paid_total, coalesce(sum(refunded), 0)::bigint as refunded_total,
      coalesce(min(created_at) filter (where is_paid), min(created_at)) as first_paid_at,
      coalesce(max(created_at) filter (where is_paid), min(created_at)) as last_paid_at
    from counted
    group by phone_number
    order by phone_number`)
}

async function addCounted(tx: Tx, { home, merchantId, environment }: Wallet, counted: readonly Counted[]): Promise<void> {
  const rows = counted.map((one) => ({ id: newMoneyId(home), ...one }))
  await tx.rows(sql`
    insert into customers as c (home, id, merchant_id, environment, phone_number, name, network, paid_count, paid_total, refunded_total, first_paid_at,
      last_paid_at)
    select ${home}, i.id, ${merchantId}, ${environment}, i.phone_number, i.name, i.network, i.paid_count, i.paid_total, i.refunded_total,
      i.first_paid_at, i.last_paid_at
    from ${recordset(rows, 'i', newCustomerColumns)}
    on conflict on constraint customers_one_per_number do update
    set name = coalesce(excluded.name, c.name), network = coalesce(excluded.network, c.network), paid_count = c.paid_count + excluded.paid_count,
      paid_total = c.paid_total + excluded.paid_total, refunded_total = c.refunded_total + excluded.refunded_total,
      last_paid_at = case when excluded.paid_count > 0 then greatest(c.last_paid_at, excluded.last_paid_at) else c.last_paid_at end`)
}

/**
 * Counts up to `size` lines of a wallet, of its receivable only once the wallet is counted to its end. Returns whether more wait. The
 * lock comes first and in its own statement, so that the lines are read as they are after a wait for it.
 */
export async function countLines(tx: Tx, wallet: Wallet, size: number): Promise<boolean> {
  const { home, merchantId, environment } = wallet
  await tx.rows(sql`
    insert into customer_counts (home, merchant_id, environment) values (${home}, ${merchantId}, ${environment}) on conflict do nothing`)
  const [counts] = await tx.rows<{ walletSeq: number; receivableSeq: number }>(sql`
    select n.wallet_seq, n.receivable_seq from customer_counts n where n.home = ${home} and n.merchant_id = ${merchantId} and n.environment = ${environment} for update`)
  const accounts = await tx.rows<{ id: string; kind: string; lastSeq: number }>(sql`
    select id, kind, last_seq from ledger_accounts
    where home = ${home} and environment = ${environment} and kind in ('wallet', 'receivable') and holder = ${merchantId}
    order by kind desc`)
  const reached = { wallet: counts!.walletSeq, receivable: counts!.receivableSeq }
  let waits = false
  for (const { id, kind, lastSeq } of accounts) {
    const side = kind as keyof typeof reached
    const from = reached[side]
    const to: number = waits ? from : Math.min(lastSeq, from + size)
    if (to > from) await addCounted(tx, wallet, await readLines(tx, home, { id, from, to }))
    reached[side] = to
    waits ||= to < lastSeq
  }
  await tx.rows(sql`
    update customer_counts n set wallet_seq = ${reached.wallet}, receivable_seq = ${reached.receivable}, is_behind = ${waits}
    where n.home = ${home} and n.merchant_id = ${merchantId} and n.environment = ${environment}`)
  return waits
}

/** Wallets whose count a reader has left to the worker. */
export async function findBehind(db: Runner, limit: number): Promise<Wallet[]> {
  return db.rows<Wallet>(sql`select home, merchant_id, environment from customer_counts where is_behind limit ${limit}`)
}

/**
 * Replaces the payer of a phone with a pseudonym, in the transaction that does the same in the payments, and before that: the lock of the
 * counts keeps a count that has read the number from writing it afterwards.
 */
export async function pseudonymizeCustomer(tx: Tx, phoneNumber: string, pseudonym: string): Promise<number> {
  // Also of wallets that were not counted yet: the first count makes its row in its own transaction, for which this one must wait.
  await tx.rows(sql`
    insert into customer_counts (home, merchant_id, environment)
    select distinct p.home, p.merchant_id, p.environment from payments p where p.phone_number = ${phoneNumber}
    order by 1, 2, 3
    on conflict do nothing`)
  await tx.rows(sql`
    select from customer_counts n
    where (n.home, n.merchant_id, n.environment) in (
      select p.home, p.merchant_id, p.environment from payments p where p.phone_number = ${phoneNumber})
    order by n.home, n.merchant_id, n.environment
    for update`)
  return tx.rowCount(sql`
    update customers set phone_number = ${pseudonym}, name = case when name is not null then ${pseudonym} end where phone_number = ${phoneNumber}
    returning id`)
}
