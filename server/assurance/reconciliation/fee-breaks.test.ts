/** A doubtful fee waits for operators; the payment or payout does not wait. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { readStream } from '../../../test/streams.ts'
import { settlementOf } from '../../collect/payments/settlement.ts'
import { ask, balance, fund, read, says, silentPayout } from '../../../test/fixtures/payouts.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import { fromWire, homeOfId } from '../../platform/ids.ts'
import { isFeeDoubtful } from '../../money/providers/fee.ts'
import { wrapProviders, type ChargeSnapshot } from '../../money/providers/provider.ts'
import { assertClearingIsTrue, decide, reconcileToday } from '../../../test/fixtures/reconciliation.ts'

test('a fee is accepted up to the amount, and up to 1 % or 5 TZS from the expected fee', () => {
  const cases: [amount: number, fee: number, expected: number | null, doubtful: boolean][] = [
    [2_500, 999_999_999, null, true],
    [2_500, 2_500, null, false],
    [2_500, 55, 50, false],
    [2_500, 56, 50, true],
    [2_500, 44, 50, true],
    [100_000, 2_020, 2_000, false],
    [100_000, 2_021, 2_000, true],
    [5_000, 1_516, 1_500, true],
  ]
  for (const [amount, fee, expected, doubtful] of cases) {
    assert.equal(isFeeDoubtful(amount, fee, expected), doubtful, `${fee} of ${amount}, expected ${expected}`)
  }
})

/** A payment whose provider answers what the test sets. */
async function waitingPayment(app: TestApp) {
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  const id = fromWire('pay', body.data.reference)!
  const { rows } = await app.owner.pool.query('select provider_reference from provider_charges')
  const source = {
    home: homeOfId(id),
    paymentId: id,
    environment: 'test' as const,
    provider: 'snippe',
    actor: 'test',
    requestId: 'r',
  }
  const succeeded = (fee: number | null, changes: Partial<ChargeSnapshot> = {}): ChargeSnapshot => ({
    reference: rows[0].provider_reference,
    ourReference: null,
    status: 'completed',
    amount: 1500,
    currency: 'TZS',
    fee,
    network: null,
    failure: null,
    expiresAt: null,
    ...changes,
  })
  return (fee: number | null, changes?: Partial<ChargeSnapshot>) =>
    app.deps.settle(settlementOf(source, succeeded(fee, changes), 20))
}

const booked = async (app: TestApp, kind: string): Promise<number> =>
  (await app.owner.pool.query('select coalesce(sum(amount), 0)::integer as total from ledger_transfers where kind = $1', [kind]))
    .rows[0].total

async function openBreaks(app: TestApp, token: string): Promise<any[]> {
  const { status, body } = await app.call('GET', '/v1/admin/breaks?status=open', { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** Two operators decide. */
async function resolve(app: TestApp, found: { id: string }, resolution: string): Promise<number> {
  const [one, other] = [await app.admin(), await app.admin()]
  const path = `/v1/admin/breaks/${found.id}`
  const proposed = await app.call('POST', `${path}/propose`, {
    token: one.token,
    body: { resolution, note: 'Its letter of today' },
  })
  assert.equal(proposed.status, 200, JSON.stringify(proposed.body))
  const { proposed_at } = proposed.body.data.proposal
  return (await app.call('POST', `${path}/confirm`, { token: other.token, body: { resolution, proposed_at } })).status
}

test('open consoles are told of a break that a settlement opens', async (t) => {
  const app = await startTestApp(t)
  const say = await waitingPayment(app)
  const { token } = await app.admin()
  const console = await readStream(app, token, { path: '/v1/admin/changes' })
  await eventually('it is open', () => console.told.length > 0)
  assert.equal((await say(1_501)).feeWaits, true)
  await eventually('it is told', () => console.subjects().includes('me/*/breaks'))
  console.close()
})

test('a fee above the amount waits, the credit does not; two operators book it, once', async (t) => {
  const app = await startTestApp(t)
  const say = await waitingPayment(app)
  assert.equal((await say(1_501)).verdict, 'applied')
  assert.equal((await say(1_501)).feeWaits, false, 'it is not opened twice')
  assert.deepEqual([await booked(app, 'payment'), await booked(app, 'provider_fee')], [1500, 0])
  const { token } = await app.admin()
  const [found, ...others] = await openBreaks(app, token)
  assert.deepEqual([found.kind, found.evidence, others], ['fee_differs', { fee: 1_501, amount: 1_500 }, []])
  assert.deepEqual(found.resolutions, ['book_fee', 'provider_was_wrong'])
  assert.equal(await resolve(app, found, 'book_fee'), 200)
  assert.equal(await booked(app, 'provider_fee'), 1_501)
  await say(1_501)
  assert.deepEqual([await booked(app, 'provider_fee'), await openBreaks(app, token)], [1_501, []])
})

test('a fee that a later answer names, off the configured rate, waits too; after the provider corrects it, it is booked', async (t) => {
  const app = await startTestApp(t)
  const say = await waitingPayment(app)
  await say(null)
  const settled = await Promise.all([say(60, { expectedFee: 30 }), say(60, { expectedFee: 30 })])
  assert.deepEqual(settled.filter(({ feeWaits }) => feeWaits).length, 1)
  const { token } = await app.admin()
  const [found] = await openBreaks(app, token)
  assert.deepEqual(found.evidence, { fee: 60, amount: 1_500, expected_fee: 30 })
  assert.equal(await resolve(app, found, 'provider_was_wrong'), 200)
  // The same evidence, though the configured rate has changed.
  await say(60, { expectedFee: 20 })
  assert.deepEqual([await booked(app, 'provider_fee'), await openBreaks(app, token)], [0, []])
  await say(31, { expectedFee: 30 })
  assert.equal(await booked(app, 'provider_fee'), 31)
})

test('the fee of suspended money is booked once when only the list names it', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 3_600_000, promptMs: 3_600_000 } })
  const say = await waitingPayment(app)
  assert.equal((await say(null, { amount: 1_400 })).verdict, 'amount_differs')
  const [{ reference }] = (await app.truth()).charges
  await app.control('POST', `/charges/${reference}/answer`, { action: 'complete', amount: 1_400, copies: 0 })
  for (let time = 0; time < 2; time += 1) await reconcileToday(app)
  const [{ fees }] = (await app.truth()).charges
  assert.ok(fees > 0)
  assert.equal(await booked(app, 'provider_fee'), fees)
  await assertClearingIsTrue(app)
})

test('an implausible fee of suspended money waits too; two operators book it once, before they decide about the money', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 3_600_000, promptMs: 3_600_000 } })
  const say = await waitingPayment(app)
  // What operators credit is asked back from the provider.
  const [{ reference }] = (await app.truth()).charges
  await app.control('POST', `/charges/${reference}/answer`, { action: 'complete', amount: 1_400, copies: 0 })
  const settled = await say(1_401, { amount: 1_400 })
  assert.deepEqual([settled.verdict, settled.feeWaits], ['amount_differs', true])
  assert.deepEqual([await booked(app, 'suspense'), await booked(app, 'provider_fee')], [1_400, 0])
  const operators = [await app.admin(), await app.admin()] as const
  const breaks = await openBreaks(app, operators[0].token)
  const [ofAmount, ofFee] = breaks.toSorted((one, other) => one.kind.localeCompare(other.kind))
  assert.deepEqual([ofAmount.kind, ofFee.kind, breaks.length], ['amount_differs', 'fee_differs', 2])
  assert.deepEqual(ofFee.evidence, { fee: 1_401, amount: 1_400 })
  assert.equal(await resolve(app, ofFee, 'book_fee'), 200)
  assert.equal(await booked(app, 'provider_fee'), 1_401)
  assert.equal((await decide(app, operators, ofAmount.id, { resolution: 'credit_payment' })).status, 200)
  assert.deepEqual([await booked(app, 'provider_fee'), await openBreaks(app, operators[0].token)], [1_401, []])
})

test('a fee off the configured rate that only the list names for suspended money waits; after a decision it does not wait again', async (t) => {
  let expected = 10
  const app = await startTestApp(t, {
    simulator: { delayMs: 3_600_000, promptMs: 3_600_000 },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async listCharges(page) {
          const listed = await provider.listCharges(page)
          if (listed.kind !== 'page') return listed
          return { ...listed, items: listed.items.map((item) => ({ ...item, expectedFee: expected })) }
        },
      })),
    }),
  })
  const say = await waitingPayment(app)
  assert.equal((await say(null, { amount: 1_400 })).verdict, 'amount_differs')
  const [{ reference }] = (await app.truth()).charges
  await app.control('POST', `/charges/${reference}/answer`, { action: 'complete', amount: 1_400, copies: 0 })
  for (let time = 0; time < 2; time += 1) await reconcileToday(app)
  const [{ fees }] = (await app.truth()).charges
  assert.ok(fees > 15)
  assert.equal(await booked(app, 'provider_fee'), 0)
  const { token } = await app.admin()
  const found = (await openBreaks(app, token)).filter(({ kind }) => kind === 'fee_differs')
  assert.deepEqual(
    found.map(({ evidence }) => evidence),
    [{ fee: fees, amount: 1_400, expected_fee: 10 }],
  )
  assert.equal(await resolve(app, found[0], 'book_fee'), 200)
  expected = 9
  await reconcileToday(app)
  assert.equal(await booked(app, 'provider_fee'), fees)
  await assertClearingIsTrue(app)
})

test('a fee that operators have booked is taken back once when the provider shows that nothing was paid', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 3_600_000, promptMs: 3_600_000 } })
  const say = await waitingPayment(app)
  await say(60, { expectedFee: 30 })
  const { token } = await app.admin()
  assert.equal(await resolve(app, (await openBreaks(app, token))[0], 'book_fee'), 200)
  const [{ reference }] = (await app.truth()).charges
  await app.control('POST', `/charges/${reference}/answer`, { action: 'fail', copies: 0 })
  await reconcileToday(app)
  const [found] = await openBreaks(app, token)
  assert.equal(found.kind, 'settled_differs')
  assert.equal(await resolve(app, found, 'follow_provider'), 200)
  assert.equal(await booked(app, 'provider_fee_returned'), 60)
  await assertClearingIsTrue(app)
})

test('a payout that cost more than its quote is completed at the quote, with an alert, until operators book the rest', async (t) => {
  const lines: string[] = []
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 }, logLevel: 'error', logTo: (line) => lines.push(line) })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { token } = await app.admin()
  for (const [actual, isOff] of [
    [1_515, false],
    [3_000, true],
    [1_000, true],
  ] as const) {
    const before = {
      taken: await booked(app, 'payout_provider_fee'),
      returned: await booked(app, 'payout_provider_fee_returned'),
    }
    const { id, reference, at, source } = await silentPayout(app, key)
    const available = await balance(app, key)
    assert.equal((await settlePayout(app.deps, at, source, says(reference, 'completed', { fee: actual }))).verdict, 'applied')
    assert.equal((await read(app, key, id)).status, 'completed')
    assert.equal((await balance(app, key))[0], available[0], 'the merchant pays the quote')
    const [found] = await openBreaks(app, token)
    assert.deepEqual(found?.evidence, isOff ? { fee: actual, quoted_fee: 1_500, amount: 20_000 } : undefined)
    if (found) assert.equal(await resolve(app, found, 'book_fee'), 200)
    const taken = (await booked(app, 'payout_provider_fee')) - before.taken
    const returned = (await booked(app, 'payout_provider_fee_returned')) - before.returned
    assert.equal(taken - returned, actual)
  }
  assert.equal(lines.filter((line) => line.includes('payout.fee_differs')).length, 2)
  assert.equal((await ask(app, key, {}, 'after')).status, 201, 'payouts go on')
})
