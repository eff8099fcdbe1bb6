/** A day of 100,000 records: within the provider's 60 calls a minute, and with memory that does not grow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startTestApp } from '../../../test/app.ts'
import { paymentEventData } from '../../collect/payments/payment-event.sql.ts'
import { makeChargeCodes } from '../../../test/fixtures/order-codes.ts'
import { writableColumns } from '../../../test/fixtures/payments.ts'
import { sql } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { createReconciler } from './reconcile.ts'
import { counting, type Calls } from '../../../test/fixtures/reconciliation.ts'
import { callsPerMinute } from './run.ts'

const records = 100_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapMegabytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

test('100,000 records of a day are compared within 20 minutes of the provider’s budget, and in constant memory', async (t) => {
  const calls: Calls = { lists: 0, fetches: 0 }
  const app = await startTestApp(t, { wrap: counting(calls) })
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  const { rows } = await app.owner.pool.query('select home, id from payments')
  const home: number = rows[0].home
  const ids = Array.from({ length: records }, () => newMoneyId(home))
  // Each is a payment of ours that failed, except the three that succeeded at the provider without a message to us.
  const orders = ids.map((id, index) => ({
    status: index % 40_000 === 7 ? 'completed' : 'failed',
    metadata: { malipo_payment: toWire('pay', id) },
    amount: 1_500,
  }))
  const { references } = (await app.control('POST', '/seed', { account: 'test', orders })) as { references: string[] }
  const columns = await writableColumns(app)
  // In parts: on a busy machine, one statement for all of them takes longer than a statement may.
  for (let from = 0; from < records; from += 20_000) {
    await app.owner.pool.query(
      `insert into payments (${columns}) select ${columns}
       from (select copy.* from unnest($1::uuid[]) as i (id) join payments p on p.id = $2
       cross join lateral jsonb_populate_record(p, jsonb_build_object('id', i.id, 'status', 'failed', 'failure_code', 'wrong_pin',
         'idempotency_hash', '\\x' || encode(sha256(i.id::text::bytea), 'hex'))) as copy) as copied`,
      [ids.slice(from, from + 20_000), rows[0].id],
    )
  }
  await app.owner.rows(sql`
    insert into events (home, id, type, merchant_id, environment, payment_id, created_at, data)
    select p.home, event_id(p.home, 'payment.failed', p.id), 'payment.failed', p.merchant_id, p.environment, p.id, p.updated_at,
      ${paymentEventData(sql`p`, sql`p.id`)}
    from payments p where p.status = 'failed'`)
  await app.owner.pool.query(
    `insert into provider_charges (home, payment_id, provider, state, idempotency_key, request_body, provider_reference)
     select $3, id, 'snippe', 'accepted', left(id::text, 30), '1500 from 255754000111', reference from unnest($1::uuid[], $2::text[]) as i (id, reference)`,
    [ids, references, home],
  )
  await makeChargeCodes(app.owner, app.deps.recordMac)
  await app.owner.pool.query(
    `insert into provider_references (provider, environment, reference, home, payment_id)
     select provider, 'test', provider_reference, home, payment_id from provider_charges where payment_id = any($1::uuid[])`,
    [ids],
  )
  await app.owner.pool.query('analyze')
  await app.owner.pool.query(
    `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by)
     values (gen_random_uuid(), 'daily', 'charges', 'test', 'snippe', clock_now()::date, clock_now(), 'system')`,
  )

  const reconciler = createReconciler(app.deps)
  let steps = 0
  const step = async () => {
    steps += 1
    return (await reconciler.step('daily')) > 0
  }
  while (steps < 50) await step()
  const before = heapMegabytes()
  while (await step());
  const grown = heapMegabytes() - before

  const run = (await app.owner.pool.query('select * from reconciliation_runs')).rows[0]
  assert.deepEqual(
    { phase: run.phase, seen: run.seen, matched: run.matched, repaired: run.repaired, breaks: run.breaks },
    { phase: 'ended', seen: records + 1, matched: records - 2, repaired: 3, breaks: 0 },
  )
  assert.ok(grown < 10, `${grown} MiB more after ${steps} steps`)
  // A step makes at most one call, and runs this many times a minute.
  assert.equal(run.calls, calls.lists + calls.fetches)
  assert.ok(steps / callsPerMinute <= 20, `${steps} steps at ${callsPerMinute} a minute`)
  assert.ok(callsPerMinute <= 60)
  assert.equal((await app.settled(body.data.reference, ['pending'])).status, 'pending')
})
