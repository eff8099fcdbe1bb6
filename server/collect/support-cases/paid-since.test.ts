/** The look for payments that were credited after their case was answered: it costs the same after a year of cases, and misses none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { createTestDatabase } from '../../../test/databases.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { answerPaidSince } from './ask-providers.ts'
import { lockPaidSince } from './support-case.sql.ts'

const oldCases = 1_000
const atOnce = 20

/** An answered case for each of many failed payments, over the last 300 days. */
async function seedCases(app: TestApp, reference: string): Promise<void> {
  const made = `clock_now() - n * interval '7 hours'`
  await app.owner.pool.query(
    `insert into payments (home, id, merchant_id, environment, page_id, status, failure_code, amount, phone_number, idempotency_hash, request_hash,
       expires_at, request_id, created_at, updated_at)
     select home, overlay(id::text placing lpad(n::text, 8, '0') from 1 for 8)::uuid, merchant_id, environment, page_id, status, failure_code, amount,
       phone_number, int8send(n), int8send(n), expires_at, 'seed', ${made}, ${made}
     from payments, generate_series(1, ${oldCases}) as n where id = $1`,
    [fromWire('pay', reference)],
  )
  await app.owner.pool.query(
    `insert into support_cases (home, id, payment_id, merchant_id, environment, sms_number, payer_language, request_id, state, finding, proven_at,
       next_attempt_at, created_at, updated_at)
     select home, gen_random_uuid(), id, merchant_id, environment, 'S46121174212', 'sw', 'req_test', 'answered', 'no_money', created_at, null,
       created_at, created_at
     from payments where request_id = 'seed'`,
  )
  await app.owner.pool.query('analyze support_cases, payments')
}

/** The rows of both tables that one look reads. */
const readByLook = (app: TestApp): Promise<number> =>
  app.db.tx(async (tx) => {
    const count = async () => {
      const [counted] = await tx.rows<{ count: number }>(sql`
        select sum(seq_tup_read + idx_tup_fetch)::integer as count from pg_stat_xact_all_tables where relname in ('support_cases', 'payments')`)
      return counted!.count
    }
    const before = await count()
    await lockPaidSince(tx, atOnce)
    return (await count()) - before
  })

const stateOf = async (app: TestApp): Promise<Record<string, number>> => {
  const { rows } = await app.owner.pool.query<{ state: string; count: number }>(
    `select state || ' ' || finding as state, count(*)::integer as count from support_cases group by 1`,
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

test('a look reads a batch of cases, not all of the year, and a late success reaches each of them within a day', async (t) => {
  const app = await startTestApp(t, { database: await createTestDatabase({ plansAsInProduction: true }) })
  const { slug } = await app.page(await app.student())
  const { reference } = (await app.checkout(slug, { phone_number: '+255754123059' })).body.data
  await app.settled(reference, ['failed'])
  await seedCases(app, reference)
  assert.ok((await readByLook(app)) <= 5 * atOnce)
  while ((await answerPaidSince(app.deps, atOnce)) > 0);
  assert.ok((await readByLook(app)) <= 5, 'none is due')
  const { rows: longest } = await app.owner.pool.query<{ hours: number }>(
    `select extract(epoch from max(next_look_at) - clock_now())::integer / 3600.0 as hours from support_cases`,
  )
  assert.ok(longest[0]!.hours <= 24)
  assert.deepEqual(await stateOf(app), { 'answered no_money': oldCases })

  // The money arrives after all. A day later:
  await app.owner.pool.query(
    `update payments set status = 'completed', completed_at = clock_now(), failure_code = null, late = true where request_id = 'seed'`,
  )
  await app.owner.pool.query(`update support_cases set next_look_at = next_look_at - interval '24 hours'`)
  while ((await answerPaidSince(app.deps, atOnce)) > 0);
  assert.deepEqual(await stateOf(app), { 'answered received': oldCases })
  await app.owner.pool.query('delete from support_cases')
  await app.owner.pool.query(`delete from payments where request_id = 'seed'`)
})
