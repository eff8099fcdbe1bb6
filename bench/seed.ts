/**
 * Writes past data in sets: payments of the last three months with everything that each leaves behind (charge, message, transfers,
 * event, webhook, receipt), so that every invariant holds. Invariant: accounts and pages end with the values of their own rows,
 * chunk after chunk.
 */
import type { PoolClient } from 'pg'
import { paymentEventData } from '../server/collect/payments/payment-event.sql.ts'
import { sql, type Db, type Sql } from '../server/platform/db/db.ts'
import type { BenchPage } from './postgres.ts'

/** The text of a piece of SQL without values. */
const textOf = ({ strings, values }: Sql): string =>
  strings.reduce((text, next, index) => text + textOf(values[index - 1] as Sql) + next)

/** The data of the event of a payment `p`, as SQL. */
const eventData = textOf(paymentEventData(sql`p`, sql`p.id`))

const chunkSize = 100_000
const days = 90
/** Hours since the newest payment ended, so that none of it is still in flight. */
const endedHours = 80

/** A UUIDv7 of a time and a home, as platform/ids.ts makes them. */
const idFunction = `
  create function pg_temp.money_id(at timestamptz, home integer) returns uuid language sql volatile as $$
    select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(home), 3, '0')
      || '8' || substr(md5(random()::text), 1, 15))::uuid
  $$`

/** The pages with the accounts of their money. Their order decides their share of the payments. */
const placesTable = `
  create temp table places as
  select p.ord - 1 as number, g.home, g.id as page_id, g.merchant_id, g.environment, w.id as wallet, c.id as clearing, f.id as fees,
    e.id as endpoint_id, e.app_id, e.url
  from unnest($1::uuid[]) with ordinality as p (id, ord)
  join payment_pages g on g.id = p.id
  join ledger_accounts w on w.home = g.home and w.environment = g.environment and w.kind = 'wallet' and w.holder = g.merchant_id
  join ledger_accounts c on c.home = g.home and c.environment = g.environment and c.kind = 'provider_clearing'
  join ledger_accounts f on f.home = g.home and f.environment = g.environment and f.kind = 'provider_fees'
  join webhook_endpoints e on e.merchant_id = g.merchant_id and e.environment = g.environment`

/**
 * $1 is the first, $2 the last of this chunk, $3 the total number. Every fifth payment belongs to the first page, which makes it a
 * hot page.
 */
const pastTable = `
  create temp table past on commit drop as
  with drawn as materialized (
    select n, random() as luck, random() as size,
      date_trunc('milliseconds', clock_now() - interval '${endedHours} hours' - interval '${days} days' * (($3 - n)::double precision / $3)) as at,
      case when n % 5 = 0 then 0 else n * 7919 % (select count(*) from places) end as number
    from generate_series($1::bigint, $2::bigint) n
  )
  select d.n, p.home, pg_temp.money_id(d.at, p.home) as id, p.merchant_id, p.environment, p.page_id, p.wallet, p.clearing, p.fees,
    p.endpoint_id, p.app_id, p.url, d.at as created_at, d.at + interval '20 seconds' as ended_at,
    case when luck < 0.9 then 'completed' when luck < 0.97 then 'failed' else 'expired' end as status,
    500 + 100 * floor(size * 400)::bigint as amount, 3 + floor(size * 200)::bigint as fee,
    pg_temp.money_id(d.at + interval '20 seconds', p.home) as event_id,
    '+2557' || lpad((d.n * 104729 % 100000000)::text, 8, '0') as phone_number,
    (array['mpesa', 'airtel', 'mixx', 'halotel'])[1 + d.n % 4] as network
  from drawn d
  join places p on p.number = d.number`

/** The position of each transfer in its accounts: the past of one wallet, and of one home's clearing account, in order of time. */
const linesTable = `
  create temp table lines on commit drop as
  select p.*, pg_temp.money_id(p.ended_at, p.home) as transfer_id, pg_temp.money_id(p.ended_at, p.home) as fee_transfer_id,
    pg_temp.money_id(p.ended_at, p.home) as movement_id,
    w.last_seq + row_number() over wallet as wallet_seq, w.balance + sum(p.amount) over wallet as wallet_after,
    c.last_seq + 2 * row_number() over home - 1 as clearing_seq,
    c.balance - sum(p.amount) over home + sum(p.fee) over home - p.fee as clearing_after,
    f.last_seq + row_number() over home as fees_seq, f.balance - sum(p.fee) over home as fees_after
  from past p
  join ledger_accounts w on w.home = p.home and w.id = p.wallet
  join ledger_accounts c on c.home = p.home and c.id = p.clearing
  join ledger_accounts f on f.home = p.home and f.id = p.fees
  where p.status = 'completed'
  window wallet as (partition by p.home, p.wallet order by p.n rows unbounded preceding),
    home as (partition by p.home, p.clearing order by p.n rows unbounded preceding)`

/** The rows that each payment leaves behind, in the order of their references. */
const rows = [
  `insert into payments (home, id, merchant_id, environment, page_id, status, amount, phone_number, network, customer_name, customer_email,
    payer_language, idempotency_hash, request_hash, failure_code, expires_at, completed_at, request_id, created_at, updated_at)
  select home, id, merchant_id, environment, page_id, status, amount, phone_number, network, 'Juma Hamisi', 'juma@example.com',
    'sw', sha256(convert_to(id::text, 'utf8')), sha256(convert_to('r' || id::text, 'utf8')),
    case when status = 'failed' then 'insufficient_funds' end, created_at + interval '1 hour',
    case when status = 'completed' then ended_at end, 'req_past', created_at, ended_at
  from past order by n`,
  `insert into provider_charges (home, payment_id, provider, state, idempotency_key, request_body, provider_reference, claimed_at, updated_at)
  select home, id, 'snippe', 'accepted', 'c-' || left(replace(id::text, '-', ''), 26),
    '{"payment_type":"mobile","details":{"currency":"TZS","amount":' || amount || '},"phone_number":"' || ltrim(phone_number, '+')
      || '","note":"' || repeat('x', 250) || '"}', 'SN' || replace(id::text, '-', ''),
    created_at, ended_at
  from past order by n`,
  `insert into provider_references (provider, environment, reference, home, payment_id)
  select 'snippe', environment, 'SN' || replace(id::text, '-', ''), home, id from past order by n`,
  `insert into provider_inbox (provider, environment, event_id, body_hash, body, state, home, payment_id, paid_amount, request_id, received_at,
    settled_at)
  select 'snippe', p.environment, m.event_id, sha256(convert_to(m.body, 'utf8')), m.body, 'settled', p.home, p.id,
    case when p.status = 'completed' then p.amount end, 'req_past', p.ended_at, p.ended_at
  from past p
  cross join lateral (select 'evt_' || md5(p.id::text) as event_id) e
  cross join lateral (
    select e.event_id, '{"id":"' || e.event_id || '","type":"payment.' || p.status || '","data":{"reference":"SN' || replace(p.id::text, '-', '')
      || '","status":"' || p.status || '","amount":{"value":' || p.amount || ',"currency":"TZS"}},"note":"' || repeat('x', 150) || '"}' as body
  ) m
  order by p.n`,
  `insert into ledger_transfers (home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount, debit_seq, credit_seq,
    debit_balance_after, credit_balance_after, payment_id, page_id, actor, request_id, created_at)
  select t.* from lines l cross join lateral (values
    (l.home, l.transfer_id, l.movement_id, l.environment, 'payment', l.clearing, l.wallet, l.amount, l.clearing_seq, l.wallet_seq,
      l.clearing_after, l.wallet_after, l.id, l.page_id, 'provider:webhook', 'req_past', l.ended_at),
    (l.home, l.fee_transfer_id, l.movement_id, l.environment, 'provider_fee', l.fees, l.clearing, l.fee, l.fees_seq, l.clearing_seq + 1,
      l.fees_after, l.clearing_after + l.fee, l.id, l.page_id, 'provider:webhook', 'req_past', l.ended_at)
  ) as t
  order by l.n`,
  `insert into events (home, id, type, merchant_id, environment, payment_id, data, created_at)
  select p.home, l.event_id, 'payment.' || p.status, p.merchant_id, p.environment, p.id, ${eventData}, l.ended_at
  from past l join payments p on p.home = l.home and p.id = l.id order by l.n`,
  `insert into receipts (home, event_id, outcome, created_at) select home, event_id, 'mailed', ended_at from lines order by n`,
  `create temp table chains on commit drop as
  select *, (substr(event_id::text, 1, 24) || substr(md5(event_id::text || endpoint_id::text), 1, 12))::uuid as delivery_id from lines`,
  `insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, status, attempts, created_at, finished_at)
  select home, delivery_id, event_id, endpoint_id, app_id, 'delivered', 1, ended_at, ended_at from chains order by n`,
  `insert into webhook_attempts (home, id, delivery_id, event_id, event_type, endpoint_id, app_id, url, attempt, trigger, outcome,
    response_status, response_body, duration_ms, attempted_at)
  select home, pg_temp.money_id(ended_at, home), delivery_id, event_id, 'payment.completed', endpoint_id, app_id, url, 1, 'automatic',
    'succeeded', 200, 'ok', 40, ended_at
  from chains order by n`,
  `update payment_pages g set paid_count = g.paid_count + n.paid, paid_total = g.paid_total + n.total
  from (select home, page_id, count(*) as paid, sum(amount)::bigint as total from lines group by home, page_id) n
  where g.home = n.home and g.id = n.page_id`,
  `update ledger_accounts a set balance = a.balance + d.delta, last_seq = a.last_seq + d.transfers
  from (
    select home, wallet as id, sum(amount)::bigint as delta, count(*) as transfers from lines group by home, wallet
    union all select home, clearing, sum(fee - amount)::bigint, 2 * count(*) from lines group by home, clearing
    union all select home, fees, -sum(fee)::bigint, count(*) from lines group by home, fees
  ) d
  where a.home = d.home and a.id = d.id`,
]

/** The tables that grow with each payment. */
export const historyTables = [
  'payments',
  'provider_charges',
  'provider_references',
  'provider_inbox',
  'ledger_transfers',
  'events',
  'receipts',
  'webhook_deliveries',
  'webhook_attempts',
]

/**
 * Leaves the indexes of these tables unmaintained until all rows are written, then builds each in one step. That sorts instead of
 * searching a place for every row, and still refuses duplicates. Only a superuser may do this.
 */
async function withIndexesAfterwards(client: PoolClient, work: () => Promise<void>): Promise<void> {
  // Not valid either: a statement of this seed would search an unmaintained index and miss rows.
  await client.query(`update pg_index set indisready = false, indisvalid = false where indrelid = any($1::regclass[])`, [
    historyTables,
  ])
  await work()
  await client.query(`set maintenance_work_mem = '1GB'`)
  for (const table of historyTables) await client.query(`reindex table ${table}`)
  const { rows } = await client.query(
    'select 1 from pg_index where indrelid = any($1::regclass[]) and not (indisready and indisvalid)',
    [historyTables],
  )
  if (rows.length > 0) throw new Error('An index was not built.')
}

async function inTransaction(client: PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Writes that many payments on these pages, oldest first. No other process may have moved the money of `pages` in between. */
export async function seedPast(
  owner: Db,
  pages: BenchPage[],
  payments: number,
  say: (done: number) => void = () => undefined,
): Promise<void> {
  // Otherwise the log would start a checkpoint every few seconds and write whole pages again.
  await owner.script(`alter system set max_wal_size = '8GB'`)
  // All of it is vacuumed at the end, once.
  await owner.script('alter system set autovacuum = off')
  await owner.script('select pg_reload_conf()')
  const client = await owner.pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    await client.query(`set work_mem = '256MB'`)
    await client.query('set synchronous_commit = off')
    // Each key is copied from the row that it refers to; the invariants check them afterwards, once instead of row by row.
    await client.query('set session_replication_role = replica')
    await client.query(idFunction)
    await client.query(placesTable, [pages.map(({ pageId }) => pageId)])
    await client.query('analyze places')
    await withIndexesAfterwards(client, async () => {
      for (let first = 1; first <= payments; first += chunkSize) {
        const last = Math.min(first + chunkSize - 1, payments)
        await inTransaction(client, async () => {
          await client.query(pastTable, [first, last, payments])
          await client.query(linesTable)
          for (const text of rows) await client.query(text)
        })
        say(last)
      }
    })
  } finally {
    // The connection is not reused: its settings differ from those of the pool.
    client.release(true)
  }
  await owner.script('alter system reset max_wal_size')
  await owner.script('alter system reset autovacuum')
  await owner.script('select pg_reload_conf()')
  await owner.script('vacuum analyze')
  await owner.script('checkpoint')
}
