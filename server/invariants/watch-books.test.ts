/** The books of a running service are checked: a violation raises an alarm and stops payouts until an operator lets them go on. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorld } from '../../test/world.ts'
import { openDb } from '../platform/db.ts'
import { verify } from './verify.ts'
import { watchBooks } from './watch-books.ts'

test('books that do not hold raise an alarm for each promise and stop payouts, in every environment, until an operator looks', async (t) => {
  const lines: any[] = []
  const world = await startWorld(t, { logLevel: 'error', logTo: (line) => lines.push(JSON.parse(line)) })
  const page = await world.page(await world.student())
  await world.settled((await world.checkout(page.slug)).body.data.reference)
  const admin = await world.admin()
  const payouts = async () => {
    const { body } = await world.call('GET', '/v1/admin/switches', { token: admin.token })
    return body.data.find(({ name }: any) => name === 'payouts')
  }
  assert.deepEqual(await watchBooks(world.deps), [])
  assert.equal((await payouts()).state, 'on')

  await world.owner.pool.query(`update ledger_accounts set balance = balance + 1 where kind = 'wallet'`)
  const violations = await watchBooks(world.deps)
  assert.deepEqual(
    violations.map(({ invariant }) => invariant),
    ['I2', 'I3'],
  )
  const { state, reason, changed_by } = await payouts()
  assert.deepEqual([state, changed_by], ['off', 'system'])
  assert.match(reason, /2 violations, the first of I2/)
  assert.equal(await world.deps.switches.isPayoutOpen('live', 'mpesa'), false)
  const alarms = lines.filter(({ msg, message }) => /the books do not hold/.test(msg ?? message ?? ''))
  assert.deepEqual(
    alarms.map(({ invariant }) => invariant),
    ['I2', 'I3'],
  )

  await world.owner.pool.query(`update ledger_accounts set balance = balance - 1 where kind = 'wallet'`)
  assert.deepEqual(await watchBooks(world.deps), [])
  assert.equal((await payouts()).state, 'off', 'only an operator lets money leave again')
})

test('books that take longer to read than any request may are read to their end', async (t) => {
  const world = await startWorld(t)
  const impatient = openDb({
    ...world.config.database,
    poolSize: 1,
    statementTimeoutMs: 100,
    applicationName: 'test',
    onError() {},
  })
  t.after(() => impatient.close())
  const page = await world.page(await world.student())
  await world.checkout(page.slug, { phone_number: '0754000111' })
  await world.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language plpgsql volatile as $$ begin perform pg_sleep(2.5); return now(); end $$`,
  )
  assert.deepEqual(await verify(impatient), [])
  await world.owner.pool.query(`create or replace function clock_now() returns timestamptz language sql stable as 'select now()'`)
})

test('a day whose sums do not add up by network is a violation', async (t) => {
  const world = await startWorld(t)
  const broken = async () => (await watchBooks(world.deps)).map(({ invariant, what }) => `${invariant}: ${what}`)
  await world.owner.pool.query(
    `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by, phase, started_at, ended_at, by_network)
     values (gen_random_uuid(), 'daily', 'charges', 'live', 'snippe', '2026-01-25', clock_now(), 'system', 'ended', clock_now(), clock_now(),
       '{"mpesa": {"records": 2, "provider": 3000, "credited": 1500, "suspended": 0, "in_breaks": 0}}')`,
  )
  assert.deepEqual(await broken(), [
    'I8: charges of 2026-01-25 (snippe, live, mpesa): 3000 succeeded there, 1500 are in our books, 0 in suspense, 0 in breaks',
  ])
  await world.owner.pool.query(`delete from reconciliation_runs`)
})
