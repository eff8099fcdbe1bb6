/** Expiry does not prove that no money moves: the provider is queried before a payment expires, and a later success counts once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { checkCharges } from './check-charges.ts'

const setSwitches = (app: TestApp, switches: Record<string, unknown>) => app.control('PATCH', '/switches', switches)

const answerPrompt = async (app: TestApp, answer: Record<string, unknown>) =>
  app.control('POST', `/charges/${(await app.truth()).charges[0].reference}/answer`, answer)

/** A payment without an answer from its payer, for a student whose wallet can be read. */
async function openPayment(app: TestApp): Promise<{ reference: string; key: string }> {
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  return { reference: body.data.reference, key }
}

const status = async (app: TestApp, reference: string) => (await app.call('GET', `/v1/payments/${reference}/status`)).body.data

/** The payment once it is completed. The status route does not wait after an end, so this reads the database. */
async function paidLate(app: TestApp, reference: string): Promise<any> {
  await eventually('it is completed', async () => {
    const { rows } = await app.owner.pool.query(`select 1 from payments where status = 'completed'`)
    return rows.length === 1
  })
  return status(app, reference)
}

const total = async (app: TestApp, key: string) => (await app.call('GET', '/v1/balance', { key })).body.data.total

const expirePayments = (app: TestApp) =>
  app.owner.pool.query(`update payments set expires_at = clock_now() - interval '1 second'`)

/** Queries every charge that is still queried, now. */
async function queryNow(app: TestApp): Promise<void> {
  await app.owner.pool.query(
    `update provider_charges set next_attempt_at = clock_now() - interval '1 second' where next_attempt_at is not null`,
  )
  await checkCharges(app.deps, 50)
}

const nextCheck = async (app: TestApp): Promise<{ next_attempt_at: Date | null; state: string }> =>
  (await app.owner.pool.query('select next_attempt_at, state from provider_charges')).rows[0]

test('our expiry comes long before the provider’s: we query the provider, the payment expires, and a payer who pays later is credited once [P28, F40, F41]', async (t) => {
  const app = await startTestApp(t)
  await setSwitches(app, { chargeLifetimeMs: 4 * 3_600_000 })
  const { reference, key } = await openPayment(app)
  await expirePayments(app)
  // No query was sent yet: the expiry alone ends nothing.
  assert.equal((await status(app, reference)).status, 'pending')
  await queryNow(app)
  const expired = await status(app, reference)
  assert.deepEqual([expired.status, expired.completed_at], ['expired', null])
  assert.ok((await nextCheck(app)).next_attempt_at, 'it is queried until the provider has ended it')
  await queryNow(app)
  assert.ok((await nextCheck(app)).next_attempt_at)
  assert.equal(await total(app, key), 0)

  await answerPrompt(app, { action: 'pin' })
  const paid = await paidLate(app, reference)
  assert.deepEqual([paid.late, paid.failure], [true, null])
  await queryNow(app)
  const events = await app.call('GET', '/v1/events', { key })
  assert.equal(await total(app, key), 1500)
  assert.deepEqual(
    events.body.data.map(({ type }: { type: string }) => type),
    ['payment.completed', 'payment.expired'],
  )
  assert.equal((await nextCheck(app)).next_attempt_at, null)
})

test('the payer pays after our expiry and the message is lost: a query finds the success and credits it once [P28, P15]', async (t) => {
  const app = await startTestApp(t)
  const { reference, key } = await openPayment(app)
  await expirePayments(app)
  await queryNow(app)
  assert.equal((await status(app, reference)).status, 'expired')
  await answerPrompt(app, { action: 'complete', copies: 0 })
  await Promise.all([queryNow(app), queryNow(app)])
  const paid = await paidLate(app, reference)
  assert.equal(paid.late, true)
  await queryNow(app)
  assert.equal(await total(app, key), 1500)
})

test('a payment made just before our expiry, with its message lost: the query before the end finds the success, and it is not late [P28, F40]', async (t) => {
  const app = await startTestApp(t)
  const { reference, key } = await openPayment(app)
  await answerPrompt(app, { action: 'complete', copies: 0 })
  await expirePayments(app)
  await queryNow(app)
  const paid = await status(app, reference)
  assert.deepEqual([paid.status, paid.late], ['completed', false])
  assert.equal(await total(app, key), 1500)
})

test('a provider that says pending after its own end, or gives no answer, ends nothing [P29, P16]', async (t) => {
  const app = await startTestApp(t)
  await setSwitches(app, { expiry: 'never', chargeLifetimeMs: 1 })
  const { reference, key } = await openPayment(app)
  // After the provider's own end and before our expiry: the provider says pending, so the payment is pending.
  await queryNow(app)
  assert.equal((await status(app, reference)).status, 'pending')

  await expirePayments(app)
  await setSwitches(app, { readLagMs: 3_600_000 })
  for (let time = 0; time < 3; time += 1) {
    await queryNow(app)
    assert.equal((await status(app, reference)).status, 'pending', 'not found proves nothing')
  }
  await app.owner.pool.query(
    `update payments set created_at = created_at - interval '49 hours', expires_at = expires_at - interval '49 hours'`,
  )
  await queryNow(app)
  assert.equal((await status(app, reference)).status, 'pending')
  const breaks = await app.owner.pool.query('select kind from breaks where resolved_at is null')
  assert.deepEqual(breaks.rows, [{ kind: 'charge_unknown' }])
  assert.equal((await nextCheck(app)).next_attempt_at, null)

  // Operators investigate, the provider answers again, and the payer has paid after all.
  await setSwitches(app, { readLagMs: 0 })
  await answerPrompt(app, { action: 'complete' })
  await paidLate(app, reference)
  assert.equal(await total(app, key), 1500)
})

test('a polling outage at our expiry keeps the payment open; the first answer of the provider decides [P29, P16]', async (t) => {
  const app = await startTestApp(t)
  const { reference, key } = await openPayment(app)
  await setSwitches(app, { readLagMs: 3_600_000 })
  await expirePayments(app)
  await queryNow(app)
  const waits = await status(app, reference)
  assert.deepEqual([waits.status, waits.can_resend], ['pending', false])
  await setSwitches(app, { readLagMs: 0 })
  await queryNow(app)
  assert.equal((await status(app, reference)).status, 'expired')
  await answerPrompt(app, { action: 'expire', copies: 0 })
  await queryNow(app)
  assert.equal((await status(app, reference)).status, 'expired')
  assert.equal((await nextCheck(app)).next_attempt_at, null)
  assert.equal(await total(app, key), 0)
})

for (const [end, action] of [
  ['failed', 'fail'],
  ['voided', 'void'],
  ['expired', 'expire'],
] as const) {
  test(`${end}, then a success confirmed by the provider: credited once, late, with one event, and flagged in the log [P05, F41]`, async (t) => {
    const lines: string[] = []
    const app = await startTestApp(t, { logLevel: 'warn', logTo: (line) => lines.push(line) })
    const { reference, key } = await openPayment(app)
    await answerPrompt(app, { action })
    assert.equal((await app.settled(reference)).status, end)
    await answerPrompt(app, { action: 'complete', copies: 5 })
    const paid = await paidLate(app, reference)
    assert.deepEqual([paid.late, paid.failure], [true, null])
    await app.deps.backgroundDone()
    const events = await app.call('GET', '/v1/events', { key })
    assert.equal(await total(app, key), 1500)
    assert.deepEqual(
      events.body.data.map(({ type }: { type: string }) => type),
      ['payment.completed', `payment.${end}`],
    )
    await eventually('it is flagged', () => lines.some((line) => line.includes('payment.credited_late')))
  })
}

test('a payment without an answer expires at its expires_at: the provider is queried then, not at the next of the growing delays', async (t) => {
  const app = await startTestApp(t)
  const { reference } = await openPayment(app)
  await app.owner.pool.query(`update payments set expires_at = clock_now() + interval '20 seconds'`)
  // Many queries without news: the usual delay is minutes long now.
  await app.owner.pool.query('update provider_charges set attempts = 50')
  await queryNow(app)
  const { rows } = await app.owner.pool.query(`
    select extract(epoch from c.next_attempt_at - p.expires_at)::float as late from payments p join provider_charges c on c.payment_id = p.id`)
  assert.ok(rows[0].late >= 0 && rows[0].late < 1, `the next query is ${rows[0].late} s after the expiry`)
  assert.equal((await status(app, reference)).status, 'pending')
})
