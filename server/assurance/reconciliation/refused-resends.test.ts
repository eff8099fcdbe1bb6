/**
 * Creates that the provider refuses although it has the order: the first call says that it is being processed, or a later call with the
 * same key is refused. Nothing ends and nothing goes back, because the money may move.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { checkAll } from '../../../test/fixtures/books.ts'
import { checkCharges } from '../../collect/payments/check-charges.ts'
import { fileOf, richStudent, running } from '../../../test/fixtures/batches.ts'
import { addMoney, ask, balance } from '../../../test/fixtures/payouts.ts'
import { checkLane } from '../../pay-out/payouts/send-payout.ts'
import { wrapProviders, type ChargeOutcome } from '../../money/providers/provider.ts'

const providers = ['snippe', 'clickpesa'] as const

const openApp = (
  t: Parameters<typeof startTestApp>[0],
  name: (typeof providers)[number],
  wrap?: (deps: TestApp['deps']) => TestApp['deps'],
) =>
  startTestApp(t, {
    settings: { CHARGE_PROVIDER_TEST: name, PAYOUT_PROVIDER_TEST: name, PROVIDER_CIRCUIT_FAILURES: '1000' },
    ...(wrap && { wrap }),
  })

const payoutOf = async (app: TestApp) =>
  (
    await app.owner.pool.query<{ id: string; status: string; state: string }>(
      'select p.id, p.status, c.state from payouts p join provider_payouts c on c.home = p.home and c.payout_id = p.id',
    )
  ).rows[0]

const chargeOf = async (app: TestApp) =>
  (
    await app.owner.pool.query<{ status: string; state: string }>(
      `select p.status, c.state from payments p join provider_charges c on c.home = p.home and c.payment_id = p.id order by p.created_at desc`,
    )
  ).rows[0]!

async function checkPayoutsNow(app: TestApp): Promise<void> {
  await app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null')
  const batches = providers.flatMap((provider) =>
    [false, true].map((isSent) => ({ provider, environment: 'test' as const, isSent })),
  )
  for (const lane of ['single' as const, ...batches]) await checkLane(app.deps, lane, 10)
}

/** Waits for the simulated payer, who answers a moment after the order. */
const payerAnswers = (app: TestApp): Promise<unknown> =>
  eventually('the payer has answered', async () =>
    (await app.truth()).charges.every(({ status }: { status: string }) => status !== 'pending'),
  )

/** The charge is due, and its last send is long ago. */
async function checkChargesNow(app: TestApp): Promise<void> {
  await app.owner.pool.query(
    `update provider_charges set next_attempt_at = clock_now(), claimed_at = claimed_at - interval '1 hour' where next_attempt_at is not null`,
  )
  await checkCharges(app.deps, 10)
}

const sendings = ['payout', 'refund', 'batch row'] as const

/** A merchant with money, and the sending whose first call is booked by the provider. The simulator sends no messages any more. */
async function sendOne(
  app: TestApp,
  kind: (typeof sendings)[number],
  refused: { text: string; call: 'first' | 'later' },
  digits: string,
) {
  const student = await richStudent(app, 100_000)
  if (kind === 'refund') {
    const page = await app.page(student, { amount: 50_000 })
    const { reference } = (await app.checkout(page.slug, { phone_number: `0754000${digits}` })).body.data
    await app.settled(reference)
    await app.control('POST', '/hold', { webhooks: true })
    await app.control('PATCH', '/switches', { refusedAlthoughBooked: refused })
    const before = await balance(app, student.key)
    const headers = { 'idempotency-key': randomUUID() }
    const made = await app.call('POST', `/v1/payments/${reference}/refunds`, {
      key: student.key,
      headers,
      body: { amount: 20_000 },
    })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return { ...student, before }
  }
  await app.control('POST', '/hold', { webhooks: true })
  await app.control('PATCH', '/switches', { refusedAlthoughBooked: refused })
  const before = await balance(app, student.key)
  if (kind === 'payout') assert.equal((await ask(app, student.key, { phone_number: `+255754000${digits}` })).status, 201)
  else {
    await running(app, student, fileOf(1, digits, 20_000))
    await checkPayoutsNow(app)
  }
  return { ...student, before }
}

for (const name of providers) {
  for (const kind of sendings) {
    test(`${name}: a ${kind} whose repeated call is refused gives nothing back, because the first may have arrived`, async (t) => {
      const app = await openApp(t, name)
      // Booked by the provider and answered with 500, so the outcome is unknown.
      const { key, before } = await sendOne(app, kind, { text: 'amount is required', call: 'later' }, '199')
      await eventually('its outcome is unknown', async () => (await payoutOf(app))?.state === 'unknown')
      await app.control('PATCH', '/switches', { readLagMs: 60_000 })
      const during = await balance(app, key)
      assert.ok(during[1] > before[1])
      for (const _ of [1, 2]) await checkPayoutsNow(app)
      const { status, state, id } = (await payoutOf(app))!
      assert.deepEqual([status, state, await balance(app, key)], ['processing', 'unknown', during])
      const [there] = (await app.truth()).payouts
      // The provider without keys gets no second order.
      assert.equal(there.create_calls > 1, name === 'snippe')
      const audited = await app.owner.pool.query(`select from ledger_transfers where payout_id = $1 and kind like '%returned%'`, [
        id,
      ])
      assert.equal(audited.rowCount, 0)
      await app.control('PATCH', '/switches', { refusedAlthoughBooked: null, readLagMs: 0 })
      for (const _ of [1, 2]) await checkPayoutsNow(app)
      assert.deepEqual([(await payoutOf(app))!.status, (await balance(app, key))[1]], ['completed', before[1]])
      assert.equal((await app.truth()).payouts.length, 1)
      assert.deepEqual(await checkAll(app), [])
    })
  }

  for (const text of ['Transaction is being processed', 'duplicate request in progress']) {
    for (const kind of sendings) {
      test(`${name}: “${text}” on the create of a ${kind} ends nothing: it is asked again and paid once`, async (t) => {
        const app = await openApp(t, name)
        const { key, before } = await sendOne(app, kind, { text, call: 'first' }, '789')
        await eventually('its outcome is unknown', async () => (await payoutOf(app))?.state === 'unknown')
        assert.equal((await payoutOf(app))!.status, 'processing')
        assert.ok((await balance(app, key))[1] > before[1])
        for (const _ of [1, 2]) await checkPayoutsNow(app)
        assert.deepEqual([(await payoutOf(app))!.status, (await balance(app, key))[1]], ['completed', before[1]])
        assert.equal((await app.truth()).payouts.length, 1)
        assert.deepEqual(await checkAll(app), [])
      })
    }

    test(`${name}: “${text}” on the create of a charge ends nothing: it is asked again and credited once`, async (t) => {
      const app = await openApp(t, name)
      await app.control('POST', '/hold', { webhooks: true })
      await app.control('PATCH', '/switches', { refusedAlthoughBooked: { text, call: 'first' } })
      await app.checkout((await app.page(await app.student())).slug, { phone_number: '0754000789' })
      assert.deepEqual(await chargeOf(app), { status: 'processing', state: 'unknown' })
      await payerAnswers(app)
      for (const _ of [1, 2]) await checkChargesNow(app)
      assert.equal((await chargeOf(app)).status, 'completed')
      assert.equal((await app.truth()).charges.length, 1)
      assert.deepEqual(await checkAll(app), [])
    })
  }

  test(`${name}: a charge whose repeated call is refused does not fail, because the first may have arrived`, async (t) => {
    const app = await openApp(t, name)
    await app.control('POST', '/hold', { webhooks: true })
    await app.control('PATCH', '/switches', {
      refusedAlthoughBooked: { text: 'Invalid phone number', call: 'later' },
      readLagMs: 60_000,
    })
    await app.checkout((await app.page(await app.student())).slug, { phone_number: '0754000199' })
    for (const _ of [1, 2]) await checkChargesNow(app)
    assert.deepEqual(await chargeOf(app), { status: 'processing', state: 'unknown' })
    assert.ok((await app.truth()).charges[0].create_calls > 1 || name === 'clickpesa')
    await app.control('PATCH', '/switches', { refusedAlthoughBooked: null, readLagMs: 0 })
    await payerAnswers(app)
    for (const _ of [1, 2]) await checkChargesNow(app)
    assert.equal((await chargeOf(app)).status, 'completed')
    assert.deepEqual(await checkAll(app), [])
  })
}

test('clickpesa: a create that is refused as invalid, although the provider has its order, ends nothing: the order is found', async (t) => {
  const app = await openApp(t, 'clickpesa')
  const { key, before, ...student } = await sendOne(app, 'payout', { text: 'Invalid phone number', call: 'first' }, '789')
  await app.checkout((await app.page(student)).slug, { phone_number: '0754000789' })
  await payerAnswers(app)
  for (const _ of [1, 2]) {
    await checkPayoutsNow(app)
    await checkChargesNow(app)
  }
  assert.deepEqual([(await payoutOf(app))!.status, (await chargeOf(app)).status], ['completed', 'completed'])
  assert.equal((await balance(app, key))[1], before[1])
  assert.deepEqual(await checkAll(app), [])
})

/** Outcomes of a repeated call that prove something about that call alone. */
const repeats = [
  { kind: 'rejected', failure: 'provider_error', text: 'amount is required', isOurFloat: false },
  { kind: 'not_sent', reason: 'ECONNREFUSED' },
  { kind: 'retry_later', afterMs: 1_000 },
] as const

for (const repeat of repeats) {
  test(`a repeated call with the outcome ${repeat.kind} leaves payout and charge unknown: they may have arrived before`, async (t) => {
    const calls = { charge: 0, payout: 0 }
    const app = await openApp(t, 'snippe', (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async charge(request, callers) {
          // The first payment brings the money.
          if (calls.charge++ === 0) return provider.charge(request, callers)
          return calls.charge === 2 ? { kind: 'unknown', reason: 'ECONNRESET' } : (repeat as ChargeOutcome)
        },
        async sendPayout() {
          return calls.payout++ === 0 ? { kind: 'unknown', reason: 'ECONNRESET' } : repeat
        },
      })),
    }))
    const student = await app.student()
    const { key } = await app.key(student)
    await addMoney(app, student, 100_000)
    const { id } = (await ask(app, key)).body.data
    await eventually('its outcome is unknown', async () => (await payoutOf(app))?.state === 'unknown')
    await app.checkout((await app.page(student)).slug, { phone_number: '0754000789' })
    const during = await balance(app, key)
    await checkPayoutsNow(app)
    await checkChargesNow(app)
    assert.deepEqual([calls.payout, calls.charge], [2, 3])
    assert.deepEqual([(await payoutOf(app))!.state, (await payoutOf(app))!.status], ['unknown', 'processing'])
    assert.deepEqual(await chargeOf(app), { status: 'processing', state: 'unknown' })
    assert.equal((await app.call('POST', `/v1/payouts/${id}/cancel`, { key })).status, 409)
    assert.deepEqual([await balance(app, key), await checkAll(app)], [during, []])
  })
}
