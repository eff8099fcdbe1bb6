/** A long history for tests: completed payments of one page, with all their rows, created by a few statements instead of by payers. */
import type { TestApp } from '../../test/app.ts'
import { fromWire } from '../platform/ids.ts'

export type History = { count: number; amount: number; firstAt: string; everySeconds: number }

/** The page must be new. Payment n is created at `firstAt` + (n - 1) × `everySeconds`. */
export async function seedHistory(app: TestApp, pageId: string, history: History): Promise<void> {
  const { count, amount, firstAt, everySeconds } = history
  const page = fromWire('page', pageId)!
  const client = await app.owner.pool.connect()
  const moment = `$3::timestamptz + (n - 1) * make_interval(secs => $4)`
  const id = (kind: string) =>
    `('0${kind}-0000-7' || lpad(to_hex(g.home::integer), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
  const from = `from payment_pages g cross join generate_series(1, $5::integer) as n where g.id = $1`
  const values = [page, amount, firstAt, everySeconds, count]
  try {
    await client.query('begin')
    // The rows are created consistent; verify checks them at the end.
    await client.query(`set local session_replication_role = replica`)
    await client.query(`set local statement_timeout = 60000`)
    await client.query(
      `insert into payments (home, id, merchant_id, environment, page_id, status, amount, phone_number, network, customer_name,
        customer_email, idempotency_hash, request_hash, expires_at, completed_at, request_id, created_at, updated_at)
      select g.home, ${id('1900001')}, g.merchant_id, g.environment, g.id, 'completed', $2::bigint, '+255754' || lpad(n::text, 6, '0'), 'mpesa',
        'Payer ' || n, 'payer' || n || '@example.com', int8send(n), int8send(n), ${moment}, ${moment}, 'seed', ${moment}, ${moment} ${from}`,
      values,
    )
    await client.query(
      `insert into provider_charges (home, payment_id, provider, state, idempotency_key, request_body)
      select g.home, ${id('1900001')}, 'seed', 'unknown', n::text, $3::bigint || ' to 255754' || lpad(n::text, 6, '0') from payment_pages g cross join generate_series(1, $2::integer) as n where g.id = $1`,
      [page, count, amount],
    )
    await client.query(
      `insert into ledger_transfers (home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount, debit_seq,
        credit_seq, debit_balance_after, credit_balance_after, payment_id, page_id, actor, request_id, created_at)
      select g.home, ${id('1900002')}, ${id('1900002')}, g.environment, 'payment', c.id, w.id, $2::bigint, n, n, -$2::bigint * n, $2::bigint * n,
        ${id('1900001')}, g.id, 'seed', 'seed', ${moment}
      from payment_pages g
      join ledger_accounts w on w.home = g.home and w.environment = g.environment and w.kind = 'wallet' and w.holder = g.merchant_id
      join ledger_accounts c on c.home = g.home and c.environment = g.environment and c.kind = 'provider_clearing'
      cross join generate_series(1, $5::integer) as n where g.id = $1`,
      values,
    )
    await client.query(
      `insert into events (home, id, type, merchant_id, environment, payment_id, data, created_at)
      select g.home, ${id('1900003')}, 'payment.completed', g.merchant_id, g.environment, ${id('1900001')},
        row_to_json((select d from (select wire_id('pay', ${id('1900001')}) as reference, wire_id('page', g.id) as payment_page_id,
          $2::bigint as amount, 'TZS' as currency, wire_time(${moment}) as completed_at, short_code_of(${id('1900001')}) as short_code) d)), ${moment} ${from}`,
      values,
    )
    await client.query(
      `update ledger_accounts a
      set balance = case a.kind when 'wallet' then 1 else -1 end * $2::bigint * $3::bigint, last_seq = $3
      from payment_pages g
      where g.id = $1 and a.home = g.home and a.environment = g.environment and (a.kind = 'wallet' and a.holder = g.merchant_id or a.kind = 'provider_clearing')`,
      [page, amount, count],
    )
    await client.query(`update payment_pages set paid_count = $3, paid_total = $2::bigint * $3 where id = $1`, [
      page,
      amount,
      count,
    ])
    // A worker may have sealed the last hour already, without these rows.
    await client.query(`delete from sealed_spans where to_at > $1`, [firstAt])
    await client.query('commit')
    await client.query('analyze payments, ledger_transfers, events')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}
