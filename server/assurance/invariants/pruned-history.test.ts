/**
 * The books of an old service: rows removed by retention are not reported as missing, and one reference may exist in both environments.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import { moveClock } from '../../../test/fixtures/reconciliation.ts'
import { pruneExpiredRows } from '../../operations/data-lifecycle/prune-expired-rows.ts'
import { rules } from '../../operations/data-lifecycle/retention-rules.ts'
import { eventually, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { verify } from './verify.ts'
import { watchBooks } from './watch-books.ts'

const dayMs = 86_400_000

/** A merchant with a webhook, two payments and a payout. */
async function paidMerchant(app: TestApp): Promise<{ student: Student; reference: string }> {
  const student = await app.student()
  const { key, appId } = await app.key(student)
  await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: 'http://127.0.0.1:9999/hook' },
  })
  const page = await app.page(student, { amount: 40_000 })
  const reference = (await app.checkout(page.slug)).body.data.reference
  await app.settled(reference)
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const asked = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  await eventually('it is paid out', async () => {
    const { rows } = await app.owner.pool.query(`select from payouts where status = 'completed'`)
    return rows.length === 1
  })
  await app.deps.backgroundDone()
  // A webhook that was enabled long before its payments, and deliveries that ended at once.
  await app.owner.pool.query(`update webhook_endpoints set enabled_at = enabled_at - interval '1 hour'`)
  await app.owner.pool.query(
    `update webhook_deliveries set status = 'exhausted', finished_at = clock_now(), next_attempt_at = null, leased_by = null, lease_until = null`,
  )
  await app.owner.pool.query(
    `update mails set state = 'sent', finished_at = clock_now(), next_attempt_at = null, sealed_content = null`,
  )
  return { student, reference }
}

/** Runs every retention rule until none has anything left, with clocks that are this many days ahead. */
async function pruneAll(app: TestApp, days: number): Promise<void> {
  await moveClock(app, `${days} days`)
  const deps = { ...app.deps, clock: { now: () => Date.now() + days * dayMs } }
  await app.owner.rows(sql`update retention_turns set next_at = clock_now(), lease_until = null`)
  while (await pruneExpiredRows(deps)) {
    // Try the next rule.
  }
}

async function count(app: TestApp, table: string): Promise<number> {
  return (await app.owner.pool.query(`select count(*)::integer as n from ${table}`)).rows[0].n
}

const payoutsSwitch = async (app: TestApp): Promise<string> => {
  const admin = await app.admin()
  const { body } = await app.call('GET', '/v1/admin/switches', { token: admin.token })
  return body.data.find(({ name }: { name: string }) => name === 'payouts').state
}

test('on day 31 after the first webhook the books are right, and payouts continue [T01]', async (t) => {
  const app = await startTestApp(t)
  await paidMerchant(app)
  assert.equal(await count(app, 'webhook_deliveries'), 2)
  await pruneAll(app, 31)
  assert.equal(await count(app, 'webhook_deliveries'), 0)
  assert.deepEqual(await verify(app.owner), [])
  assert.deepEqual(await watchBooks(app.deps), [])
  assert.equal(await payoutsSwitch(app), 'on')
})

test('an event younger than the retention of deliveries still needs its chain', async (t) => {
  const app = await startTestApp(t)
  await paidMerchant(app)
  const { rows } = await app.owner.pool.query(`delete from webhook_deliveries returning *`)
  await moveClock(app, '28 days')
  const found = await verify(app.owner)
  assert.deepEqual([...new Set(found.map(({ invariant }) => invariant))], ['I6'])
  await moveClock(app, '31 days')
  assert.deepEqual(await verify(app.owner), [])
  assert.equal(rows.length, 2)
})

test('one provider reference and one idempotency key in test and in live are two payments, and no violation', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const references: string[] = []
  for (const environment of ['test', 'live'] as const) {
    const page = await app.page(student, { amount: 40_000 }, environment)
    references.push((await app.checkout(page.slug, { idempotency_key: 'same' })).body.data.reference)
    await app.settled(references.at(-1)!)
  }
  // Two accounts at a provider number their charges independently.
  await app.owner.pool.query(`update provider_references set reference = 'R1'`)
  await app.owner.pool.query(`update provider_charges set provider_reference = 'R1'`)
  assert.deepEqual(await verify(app.owner), [])
})

test('after all rows with a retention period are pruned at once, the books, the statement, the lists and the searches are still right [T02]', async (t) => {
  const app = await startTestApp(t)
  const { student, reference } = await paidMerchant(app)
  const owned = { token: student.token }
  const month = new Date().toISOString().slice(0, 7)
  const paths = [
    '/v1/merchant/balance?environment=test',
    '/v1/merchant/transactions?environment=test',
    `/v1/merchant/statement?environment=test&month=${month}`,
    `/v1/merchant/payments/${reference}?environment=test`,
    '/v1/merchant/payments?environment=test',
    '/v1/merchant/payouts?environment=test',
    `/v1/merchant/search?environment=test&q=${reference}`,
  ]
  const read = async () => {
    const answers: unknown[] = []
    for (const path of paths) {
      const { status, body } = await app.call('GET', path, owned)
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
      // Provider messages and delivery attempts are kept for a limited time only: the timeline of an old payment is shorter.
      const { timeline: _timeline, as_of: _asOf, ...kept } = Array.isArray(body.data) ? { rows: body.data } : body.data
      answers.push(kept)
    }
    return answers
  }
  const before = await read()
  await pruneAll(app, 400)
  const emptied = new Set(['webhook_deliveries', 'webhook_attempts', 'provider_inbox', 'mails', 'prompts'])
  assert.deepEqual(
    [...emptied].filter((table) => !rules.some(({ tables }) => tables.includes(table))),
    [],
  )
  for (const table of emptied) assert.equal(await count(app, table), 0, table)
  assert.deepEqual(await verify(app.owner), [])
  await moveClock(app, '0 days')
  const signed = await app.call('POST', '/v1/auth/login', { body: { identifier: student.email, password: student.password } })
  owned.token = signed.body.data.access_token
  assert.deepEqual(await read(), before)
  await moveClock(app, '400 days')
})
