/** Expiry does not prove that no money moves: the provider is queried before a payment expires, and a later success counts once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../test/app.ts'
import { checkCharges } from './check-charges.ts'

const control = async (world: TestApp, method: string, path: string, body: unknown): Promise<void> => {
  const response = await fetch(`${world.simulatorUrl}/__control${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.equal(response.status, 200, await response.text())
}

const setSwitches = (world: TestApp, switches: Record<string, unknown>) => control(world, 'PATCH', '/switches', switches)

const answerPrompt = async (world: TestApp, answer: Record<string, unknown>) =>
  control(world, 'POST', `/charges/${(await world.truth()).charges[0].reference}/answer`, answer)

/** A payment without an answer from its payer, for a student whose wallet can be read. */
async function openPayment(world: TestApp): Promise<{ reference: string; key: string }> {
  const student = await world.student()
  const { key } = await world.key(student)
  const page = await world.page(student)
  const { body } = await world.checkout(page.slug, { phone_number: '0754000111' })
  return { reference: body.data.reference, key }
}

const status = async (world: TestApp, reference: string) =>
  (await world.call('GET', `/v1/payments/${reference}/status`)).body.data

/** The payment once it is completed. The status route does not wait after an end, so this reads the database. */
async function paidLate(world: TestApp, reference: string): Promise<any> {
  await eventually('it is completed', async () => {
    const { rows } = await world.owner.pool.query(`select 1 from payments where status = 'completed'`)
    return rows.length === 1
  })
  return status(world, reference)
}

const total = async (world: TestApp, key: string) => (await world.call('GET', '/v1/balance', { key })).body.data.total

const expirePayments = (world: TestApp) =>
  world.owner.pool.query(`update payments set expires_at = clock_now() - interval '1 second'`)

/** Queries every charge that is still queried, now. */
async function queryNow(world: TestApp): Promise<void> {
  await world.owner.pool.query(
    `update provider_charges set next_attempt_at = clock_now() - interval '1 second' where next_attempt_at is not null`,
  )
  await checkCharges(world.deps, 50)
}

const nextCheck = async (world: TestApp): Promise<{ next_attempt_at: Date | null; state: string }> =>
  (await world.owner.pool.query('select next_attempt_at, state from provider_charges')).rows[0]

test('our expiry comes long before the provider’s: we query the provider, the payment expires, and a payer who pays later is credited once [P28, F40, F41]', async (t) => {
  const world = await startTestApp(t)
  await setSwitches(world, { chargeLifetimeMs: 4 * 3_600_000 })
  const { reference, key } = await openPayment(world)
  await expirePayments(world)
  // No query was sent yet: the expiry alone ends nothing.
  assert.equal((await status(world, reference)).status, 'pending')
  await queryNow(world)
  const expired = await status(world, reference)
  assert.deepEqual([expired.status, expired.completed_at], ['expired', null])
  assert.ok((await nextCheck(world)).next_attempt_at, 'it is queried until the provider has ended it')
  await queryNow(world)
  assert.ok((await nextCheck(world)).next_attempt_at)
  assert.equal(await total(world, key), 0)

  await answerPrompt(world, { action: 'pin' })
  const paid = await paidLate(world, reference)
  assert.deepEqual([paid.late, paid.failure], [true, null])
  await queryNow(world)
  const events = await world.call('GET', '/v1/events', { key })
  assert.deepEqual([await total(world, key), events.body.data.length], [1500, 1])
  assert.equal((await nextCheck(world)).next_attempt_at, null)
})

test('the payer pays after our expiry and the message is lost: a query finds the success and credits it once [P28, P15]', async (t) => {
  const world = await startTestApp(t)
  const { reference, key } = await openPayment(world)
  await expirePayments(world)
  await queryNow(world)
  assert.equal((await status(world, reference)).status, 'expired')
  await answerPrompt(world, { action: 'complete', copies: 0 })
  await Promise.all([queryNow(world), queryNow(world)])
  const paid = await paidLate(world, reference)
  assert.equal(paid.late, true)
  await queryNow(world)
  assert.equal(await total(world, key), 1500)
})

test('a payment made just before our expiry, with its message lost: the query before the end finds the success, and it is not late [P28, F40]', async (t) => {
  const world = await startTestApp(t)
  const { reference, key } = await openPayment(world)
  await answerPrompt(world, { action: 'complete', copies: 0 })
  await expirePayments(world)
  await queryNow(world)
  const paid = await status(world, reference)
  assert.deepEqual([paid.status, paid.late], ['completed', false])
  assert.equal(await total(world, key), 1500)
})

test('a provider that says pending after its own end, or gives no answer, ends nothing [P29, P16]', async (t) => {
  const world = await startTestApp(t)
  await setSwitches(world, { expiry: 'never', chargeLifetimeMs: 1 })
  const { reference, key } = await openPayment(world)
  // After the provider's own end and before our expiry: the provider says pending, so the payment is pending.
  await queryNow(world)
  assert.equal((await status(world, reference)).status, 'pending')

  await expirePayments(world)
  await setSwitches(world, { readLagMs: 3_600_000 })
  for (let time = 0; time < 3; time += 1) {
    await queryNow(world)
    assert.equal((await status(world, reference)).status, 'pending', 'not found proves nothing')
  }
  await world.owner.pool.query(
    `update payments set created_at = created_at - interval '49 hours', expires_at = expires_at - interval '49 hours'`,
  )
  await queryNow(world)
  assert.equal((await status(world, reference)).status, 'pending')
  const breaks = await world.owner.pool.query('select kind from breaks where resolved_at is null')
  assert.deepEqual(breaks.rows, [{ kind: 'charge_unknown' }])
  assert.equal((await nextCheck(world)).next_attempt_at, null)

  // Operators investigate, the provider answers again, and the payer has paid after all.
  await setSwitches(world, { readLagMs: 0 })
  await answerPrompt(world, { action: 'complete' })
  await paidLate(world, reference)
  assert.equal(await total(world, key), 1500)
})

test('a polling outage at our expiry keeps the payment open; the first answer of the provider decides [P29, P16]', async (t) => {
  const world = await startTestApp(t)
  const { reference, key } = await openPayment(world)
  await setSwitches(world, { readLagMs: 3_600_000 })
  await expirePayments(world)
  await queryNow(world)
  const waits = await status(world, reference)
  assert.deepEqual([waits.status, waits.can_resend], ['pending', false])
  await setSwitches(world, { readLagMs: 0 })
  await queryNow(world)
  assert.equal((await status(world, reference)).status, 'expired')
  await answerPrompt(world, { action: 'expire', copies: 0 })
  await queryNow(world)
  assert.equal((await status(world, reference)).status, 'expired')
  assert.equal((await nextCheck(world)).next_attempt_at, null)
  assert.equal(await total(world, key), 0)
})

for (const [end, action] of [
  ['failed', 'fail'],
  ['voided', 'void'],
  ['expired', 'expire'],
] as const) {
  test(`${end}, then a success confirmed by the provider: credited once, late, with one event, and flagged in the log [P05, F41]`, async (t) => {
    const lines: string[] = []
    const world = await startTestApp(t, { logLevel: 'warn', logTo: (line) => lines.push(line) })
    const { reference, key } = await openPayment(world)
    await answerPrompt(world, { action })
    assert.equal((await world.settled(reference)).status, end)
    await answerPrompt(world, { action: 'complete', copies: 5 })
    const paid = await paidLate(world, reference)
    assert.deepEqual([paid.late, paid.failure], [true, null])
    await world.deps.backgroundDone()
    const events = await world.call('GET', '/v1/events', { key })
    assert.deepEqual([await total(world, key), events.body.data.length], [1500, 1])
    await eventually('it is flagged', () => lines.some((line) => line.includes('payment.credited_late')))
  })
}
