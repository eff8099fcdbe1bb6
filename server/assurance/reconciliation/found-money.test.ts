/**
 * Money that cannot be credited as it is: it is booked to an account that operators see, and leaves it once, by a decision of two
 * operators.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verify } from '../invariants/verify.ts'
import { eventually, startTestApp, type Admin, type TestApp } from '../../../test/app.ts'
import { findBreak } from '../../money/breaks/break.sql.ts'
import { wrapProviders, type PayoutQuote } from '../../money/providers/provider.ts'
import { prepareReturn, requestReturn } from '../../pay-out/payouts/return-to-payer.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { messagesOf } from '../../views/web/checkout/messages.ts'
import { assertClearingIsTrue, counting, decide, reconcileToday } from '../../../test/fixtures/reconciliation.ts'

const operators = async (app: TestApp): Promise<[Admin, Admin]> => [await app.admin(), await app.admin()]

const balances = async (app: TestApp): Promise<Record<string, number>> => {
  const { rows } = await app.owner.pool.query(
    `select kind, sum(balance)::integer as balance from ledger_accounts where environment = 'test' group by kind`,
  )
  return Object.fromEntries(rows.map(({ kind, balance }) => [kind, balance]))
}

const openBreaks = async (app: TestApp, { token }: Admin, kind: string): Promise<any[]> =>
  (await app.call('GET', `/v1/admin/breaks?kind=${kind}&status=open`, { token })).body.data

const readBreak = async (app: TestApp, { token }: Admin, id: string) =>
  (await app.call('GET', `/v1/admin/breaks/${id}`, { token })).body.data

/** Sends the due payouts and waits until the break is in the wanted state. */
async function until(app: TestApp, admin: Admin, id: string, what: string, isSo: (found: any) => boolean): Promise<any> {
  return eventually(what, async () => {
    await checkPayouts(app.deps, 10)
    const found = await readBreak(app, admin, id)
    return isSo(found) && found
  })
}

test('what differs goes back to the phone that paid in a payout of ours, and the payment is voided when the money has left [P18]', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 10_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754123189' })).body.data
  await app.settled(reference, ['processing'])
  const two = await operators(app)
  const [found] = await openBreaks(app, two[0], 'amount_differs')
  assert.equal((await balances(app)).suspense, 9_900)

  // Nothing is ordered without the provider's fee, or when the money has moved since the fee was quoted.
  const { rows } = await app.owner.pool.query('select home, id from breaks where resolved_at is null')
  const one = (await findBreak(app.db, rows[0]))!
  const payer = { phoneNumber: '+255754123189', name: 'Asha', network: 'mpesa' } as const
  const quoting = (quote: PayoutQuote) =>
    prepareReturn(
      {
        ...app.deps,
        providers: wrapProviders(app.deps.providers, (provider) => ({ ...provider, quotePayout: async () => quote })),
      },
      one,
      payer,
    )
  await assert.rejects(quoting({ kind: 'indeterminate', reason: 'ECONNREFUSED' }), /did not return the fee/)
  const refused = { kind: 'refused', failure: 'recipient_not_found', text: null, isOurFloat: false } as const
  await assert.rejects(quoting(refused), { httpStatus: 409, message: /This number has no mobile money account/ })
  await assert.rejects(quoting({ ...refused, isOurFloat: true }), { httpStatus: 503 })
  const prepared = { ...(await prepareReturn(app.deps, one, payer)), amount: 6_000 }
  const late = app.db.tx((tx) => requestReturn(tx, one, prepared, { actor: 'test', requestId: 'r' }))
  await assert.rejects(late, /moved in the meantime/)

  const ordered = await decide(app, two, found.id, { resolution: 'return_to_payer' })
  assert.deepEqual([ordered.status, ordered.body.data.status, ordered.body.data.return.status], [200, 'proposed', 'pending'])
  const { suspense, returns_reserved: reserved } = await balances(app)
  assert.deepEqual([suspense, reserved, (await app.settled(reference, ['processing'])).status], [0, 9_900, 'processing'])
  const [listed] = (await app.call('GET', '/v1/admin/payouts', { token: two[0].token })).body.data
  assert.deepEqual(
    [listed.purpose, listed.merchant, listed.break_id, listed.refund_id],
    ['return_to_payer', null, found.id, null],
  )
  const again = await decide(app, two, found.id, { resolution: 'credit_payment' })
  assert.deepEqual([again.status, again.body.error.code], [409, 'invalid_state'])

  const resolved = await until(app, two[0], found.id, 'the payer has the money', ({ status }) => status === 'resolved')
  assert.deepEqual(
    [resolved.resolution, resolved.resolved_by, resolved.return.status],
    ['return_to_payer', two[1].userId, 'completed'],
  )
  assert.equal((await app.settled(reference)).status, 'voided')
  for (const language of ['sw', 'en'] as const) {
    const { moneyReturned, noMoneyTaken, closedSafe, voidedTitle } = messagesOf[language]
    const shown = await app.api.checkout.inject({ method: 'GET', url: `/pay/${page.slug}/${reference}?lang=${language}` })
    for (const untrue of [noMoneyTaken, closedSafe, voidedTitle]) assert.ok(!shown.payload.includes(untrue), untrue)
    assert.ok(shown.payload.includes(moneyReturned), language)
  }
  const [paid] = (await app.truth()).payouts
  assert.deepEqual([paid.amount, paid.phone], [9_900, '255754123189'])
  // It is a system payout: no wallet paid for it, and no merchant sees it.
  assert.deepEqual((await app.call('GET', '/v1/payouts', { key })).body.data, [])
  const after = await balances(app)
  assert.deepEqual([after.suspense, after.returns_reserved, after.wallet], [0, 0, 0])
  const { suspended, in_breaks: inBreaks } = (await reconcileToday(app)).by_network.mpesa!
  assert.deepEqual([suspended, inBreaks], [9_900, 0])
  assert.deepEqual((await reconcileToday(app, 'payouts')).breaks, 0)
  await assertClearingIsTrue(app)
})

test('money that only the provider knows is booked to unallocated once, and credited to the payment that two operators name', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student, { allow_custom_amount: true, amount: 5_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000049', amount: 5_000 })).body.data
  assert.equal((await app.settled(reference)).status, 'failed')
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'completed' })
  await app.control('POST', '/seed', { account: 'test', count: 2, amount: 900, status: 'failed' })
  await reconcileToday(app)
  await reconcileToday(app)
  assert.equal((await balances(app)).unallocated, 7_000)
  await assertClearingIsTrue(app)

  const two = await operators(app)
  const [found, ...others] = await openBreaks(app, two[0], 'unknown_at_provider')
  assert.deepEqual(others, [])
  for (const [proposed, status] of [
    [{ resolution: 'credit_to_payment' }, 400],
    [{ resolution: 'keep_unallocated', parameters: { payment_reference: reference } }, 400],
    [{ resolution: 'credit_to_payment', parameters: { payment_reference: 'pay_06g2v1d1p5fz9b7q4w5w1y2k3m' } }, 400],
    [{ resolution: 'already_settled' }, 409],
  ] as const) {
    assert.equal((await decide(app, two, found.id, proposed)).status, status, JSON.stringify(proposed))
  }
  const named = { resolution: 'credit_to_payment', parameters: { payment_reference: reference } }
  const credited = await decide(app, two, found.id, named)
  assert.deepEqual(
    [credited.status, credited.body.data.status, credited.body.data.proposal.parameters],
    [200, 'resolved', named.parameters],
  )
  const paid = (await app.call('GET', `/v1/merchant/payments/${reference}?environment=test`, student)).body.data
  assert.deepEqual(
    [paid.status, paid.late, paid.amount, paid.amount_received, paid.net],
    ['completed', true, 5_000, 7_000, 7_000],
  )
  const after = await balances(app)
  assert.deepEqual([after.unallocated, after.wallet], [0, 7_000])
  await assertClearingIsTrue(app)
  const run = await reconcileToday(app)
  assert.deepEqual([run.breaks, Object.values(run.by_network).map(({ credited }) => credited)], [0, [7_000]])
  assert.deepEqual(await balances(app), after)
  assert.deepEqual(await openBreaks(app, two[0], 'unknown_at_provider'), [])
  // Messages of some providers name their own reference only: that of the earlier charge still explains its message, another one does not.
  const sayOnly = (charge: string): Promise<unknown> =>
    app.owner.pool.query(
      `update provider_inbox set body = b.body, body_hash = sha256(convert_to(b.body, 'utf8'))
       from (select format('{"reference":"%s"}', (${charge})) as body) b where paid_amount is null and payment_id is not null`,
    )
  const foundNow = async () => (await verify(app.owner, { since: null }, ['evidence'])).length
  await sayOnly(`select 'another'`)
  assert.equal(await foundNow(), 1)
  await sayOnly(`select r.reference from provider_references r join provider_charges c using (home, payment_id)
    where r.reference <> c.provider_reference`)
  assert.equal(await foundNow(), 0)
})

test('money that operators have kept is not booked again when its record reports more than before', async (t) => {
  const app = await startTestApp(t)
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'completed' })
  await reconcileToday(app)
  const two = await operators(app)
  const [found] = await openBreaks(app, two[0], 'unknown_at_provider')
  assert.equal((await decide(app, two, found.id, { resolution: 'keep_unallocated' })).status, 200)
  // When they decided, the record had no network.
  await app.owner.pool.query(`update breaks set details = details || '{"network": null}'`)
  await reconcileToday(app)
  assert.equal((await balances(app)).unallocated, 7_000)
  assert.deepEqual(await openBreaks(app, two[0], 'unknown_at_provider'), [])
  await assertClearingIsTrue(app)
})

test('a return that fails leaves the money where it was and the break open; an amount too small to be paid out is kept', async (t) => {
  const app = await startTestApp(t)
  const orders = [
    { amount: 8_000, status: 'completed', phone: '255754000089' },
    { amount: 3_000, status: 'completed', phone: '255754000123' },
    { amount: 6_000, status: 'completed', phone: '255754000309' },
  ]
  await app.control('POST', '/seed', { account: 'test', orders })
  await reconcileToday(app)
  assert.equal((await balances(app)).unallocated, 17_000)
  const two = await operators(app)
  const found = await openBreaks(app, two[0], 'unknown_at_provider')
  const of = (amount: number): string => found.find(({ evidence }) => evidence.amount_there === amount).id

  const little = await decide(app, two, of(3_000), { resolution: 'return_to_payer' })
  assert.deepEqual([little.status, little.body.error.code], [409, 'invalid_state'])
  assert.equal((await decide(app, two, of(3_000), { resolution: 'keep_unallocated' })).body.data.status, 'resolved')

  assert.equal((await decide(app, two, of(8_000), { resolution: 'return_to_payer' })).status, 200)
  const failed = await until(app, two[0], of(8_000), 'the return has failed', (one) => one.return?.status === 'failed')
  assert.deepEqual([failed.status, failed.proposal], ['open', null])
  assert.equal((await balances(app)).unallocated, 17_000)
  await assertClearingIsTrue(app)
  // Another attempt is another order, under another key.
  assert.equal((await decide(app, two, of(8_000), { resolution: 'return_to_payer' })).status, 200)
  await until(app, two[0], of(8_000), 'it has failed again', (one) => one.status === 'open' && one.return.status === 'failed')
  assert.equal((await app.truth()).payouts.length, 2)

  // Paid, and reversed by the network.
  assert.equal((await decide(app, two, of(6_000), { resolution: 'return_to_payer' })).status, 200)
  const back = await until(app, two[0], of(6_000), 'it came back', (one) => one.return?.status === 'reversed')
  assert.deepEqual([back.status, back.resolution], ['open', null])
  const after = await balances(app)
  assert.deepEqual([after.unallocated, after.returns_reserved], [17_000, 0])
  await assertClearingIsTrue(app)
  await reconcileToday(app)
  assert.deepEqual(await balances(app), after)
})

test('a second charge for one payment is found money, and goes back to the payer', async (t) => {
  const app = await startTestApp(t)
  const page = await app.page(await app.student(), { amount: 9_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754123789' })).body.data
  assert.equal((await app.settled(reference)).status, 'completed')
  const metadata = { malipo_payment: reference }
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 9_000, status: 'completed', metadata })
  await reconcileToday(app)
  await reconcileToday(app)
  const before = await balances(app)
  assert.deepEqual([before.unallocated, before.wallet], [9_000, 9_000])
  await assertClearingIsTrue(app)
  const two = await operators(app)
  const [found] = await openBreaks(app, two[0], 'reference_conflict')
  assert.equal((await decide(app, two, found.id, { resolution: 'already_settled' })).status, 409)
  assert.equal((await decide(app, two, found.id, { resolution: 'refund_second_charge' })).status, 200)
  await until(app, two[0], found.id, 'the payer has it', ({ status }) => status === 'resolved')
  const after = await balances(app)
  assert.deepEqual([after.unallocated, after.wallet, (await app.settled(reference)).status], [0, 9_000, 'completed'])
  assert.equal((await app.truth()).payouts[0].phone, '255754123789')
  await assertClearingIsTrue(app)
  await reconcileToday(app)
  assert.deepEqual(await openBreaks(app, two[0], 'reference_conflict'), [])
})

for (const [how, copies, days] of [
  ['its message', 1, null],
  ['the list of its day', 0, 0],
  ['the list six days later', 0, 6],
] as const) {
  test(`a charge that is paid after its payment was completed with found money is a second charge, seen by ${how}`, async (t) => {
    const app = await startTestApp(t)
    const page = await app.page(await app.student(), { allow_custom_amount: true, amount: 5_000 })
    const { reference } = (await app.checkout(page.slug, { phone_number: '0754123049', amount: 5_000 })).body.data
    assert.equal((await app.settled(reference)).status, 'failed')
    const [own] = (await app.truth()).charges
    await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'completed' })
    await reconcileToday(app)
    const two = await operators(app)
    const [found] = await openBreaks(app, two[0], 'unknown_at_provider')
    const named = { resolution: 'credit_to_payment', parameters: { payment_reference: reference } }
    assert.equal((await decide(app, two, found.id, named)).body.data.status, 'resolved')
    const before = await balances(app)
    assert.deepEqual([before.unallocated, before.wallet], [0, 7_000])

    await app.control('POST', `/charges/${own.reference}/answer`, { action: 'complete', copies })
    if (days !== null) await reconcileToday(app, 'charges', days)
    const [second] = await eventually('operators see it', async () => {
      const seen = await openBreaks(app, two[0], 'reference_conflict')
      return seen.length > 0 && seen
    })
    await reconcileToday(app)
    const after = await balances(app)
    assert.deepEqual([after.unallocated, after.wallet], [5_000, 7_000])
    await assertClearingIsTrue(app)
    assert.equal((await decide(app, two, second.id, { resolution: 'refund_second_charge' })).status, 200)
    await until(app, two[0], second.id, 'the payer has it', ({ status }) => status === 'resolved')
    await reconcileToday(app)
    const end = await balances(app)
    assert.deepEqual([end.unallocated, end.wallet], [0, 7_000])
    await assertClearingIsTrue(app)
    assert.deepEqual(await openBreaks(app, two[0], 'reference_conflict'), [])
  })
}

test('money of an unknown record leaves unallocated when its payment becomes known', async (t) => {
  let isNameless = true
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(
        { lists: 0, fetches: 0 },
        {
          async listCharges(page) {
            const listed = await provider.listCharges(page)
            if (listed.kind !== 'page' || !isNameless) return listed
            return { ...listed, items: listed.items.map((item) => ({ ...item, ourReference: null })) }
          },
        },
      )(deps)
    },
  })
  await app.control('POST', '/hold', { webhooks: true })
  const page = await app.page(await app.student(), { amount: 4_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data
  const [charge] = (await app.truth()).charges
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
  await app.owner.pool.query('delete from provider_references')
  await app.owner.pool.query(`update provider_charges set state = 'unknown', provider_reference = null, next_attempt_at = null`)
  await reconcileToday(app)
  assert.equal((await balances(app)).unallocated, 4_000)
  isNameless = false
  await reconcileToday(app)
  await reconcileToday(app)
  assert.equal((await app.settled(reference)).status, 'completed')
  const after = await balances(app)
  assert.deepEqual([after.unallocated, after.wallet], [0, 4_000])
  assert.deepEqual(await openBreaks(app, await app.admin(), 'unknown_at_provider'), [])
  await assertClearingIsTrue(app)
})

test('a credit is reversed when the provider has shown that it was not paid: the wallet pays as far as it can, the merchant owes the rest', async (t) => {
  const changed = new Map<string, { status?: 'failed'; amount?: number }>()
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(
        { lists: 0, fetches: 0 },
        {
          async listCharges(page) {
            const listed = await provider.listCharges(page)
            if (listed.kind !== 'page') return listed
            return { ...listed, items: listed.items.map((item) => ({ ...item, ...changed.get(item.reference) })) }
          },
        },
      )(deps)
    },
  })
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { allow_custom_amount: true, amount: 5_000 })
  const pay = async (amount: number) => {
    const { reference } = (await app.checkout(page.slug, { amount })).body.data
    await app.settled(reference)
    return { reference, charge: (await app.truth(`?our_reference=${reference}`)).charges[0] }
  }
  const [lost, less, wrong] = [await pay(20_000), await pay(9_000), await pay(7_000)]
  changed.set(lost.charge.reference, { status: 'failed' })
  changed.set(less.charge.reference, { amount: 8_000 })
  changed.set(wrong.charge.reference, { status: 'failed' })
  await reconcileToday(app)
  const two = await operators(app)
  const found = await openBreaks(app, two[0], 'settled_differs')
  const of = ({ reference }: { reference: string }): string => found.find(({ payment_reference: one }) => one === reference).id
  const clearing = (await balances(app)).provider_clearing!

  assert.equal((await decide(app, two, of(less), { resolution: 'follow_provider' })).body.data.status, 'resolved')
  // The rest was spent.
  const spent = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'spent' },
    body: { amount: 22_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  const { total_debited: debited } = spent.body.data
  await eventually('it is spent', async () => {
    await checkPayouts(app.deps, 10)
    return (await app.call('GET', `/v1/payouts/${spent.body.data.id}`, { key })).body.data.status === 'completed'
  })
  const before = await balances(app)
  assert.equal(before.wallet, 35_000 - debited)
  assert.equal((await decide(app, two, of(lost), { resolution: 'follow_provider' })).body.data.status, 'resolved')
  assert.equal((await decide(app, two, of(wrong), { resolution: 'provider_was_wrong' })).body.data.status, 'resolved')
  const after = await balances(app)
  assert.deepEqual([after.wallet, after.receivable], [0, before.wallet! - 20_000])
  assert.equal(after.provider_clearing, clearing + 1_000 + debited + 20_000 - lost.charge.fees)

  const read = async ({ reference }: { reference: string }) =>
    (await app.call('GET', `/v1/merchant/payments/${reference}?environment=test`, student)).body.data
  const [reversed, kept] = [await read(lost), await read(wrong)]
  assert.deepEqual([reversed.status, typeof reversed.credit_reversed_at, reversed.under_review], ['completed', 'string', null])
  assert.deepEqual([kept.status, kept.credit_reversed_at], ['completed', null])
  // What the merchant owes of it is not in the wallet either.
  assert.deepEqual([reversed.net, reversed.fee, kept.net], [0, 0, 7_000])
  const lines = (await app.call('GET', `/v1/transactions?direction=debit&type=adjustment`, { key })).body.data
  assert.deepEqual(
    lines.map(({ amount }: { amount: number }) => amount).toSorted((a: number, b: number) => a - b),
    [1_000, before.wallet],
  )
  // The same evidence does not open the break again; changed evidence does.
  await reconcileToday(app)
  assert.deepEqual(await openBreaks(app, two[0], 'settled_differs'), [])
  changed.set(less.charge.reference, { amount: 8_500 })
  await reconcileToday(app)
  assert.deepEqual(
    (await openBreaks(app, two[0], 'settled_differs')).map(({ payment_reference: one }) => one),
    [less.reference],
  )
})

test('an unknown charge that was open in a list and is never paid ends its break by itself', async (t) => {
  const app = await startTestApp(t)
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'pending' })
  const admin = await app.admin()
  await reconcileToday(app)
  const [found, ...others] = await openBreaks(app, admin, 'unknown_at_provider')
  assert.deepEqual(others, [])
  const [{ reference }] = (await app.truth()).charges
  await app.control('POST', `/charges/${reference}/answer`, { action: 'fail' })
  assert.deepEqual([(await reconcileToday(app)).breaks, await openBreaks(app, admin, 'unknown_at_provider')], [0, []])
  const { status, resolution, resolved_by } = await readBreak(app, admin, found.id)
  assert.deepEqual([status, resolution, resolved_by], ['resolved', 'provider_was_wrong', 'system'])
  // It is paid after all.
  await app.control('POST', `/charges/${reference}/answer`, { action: 'complete' })
  await reconcileToday(app)
  assert.deepEqual([(await openBreaks(app, admin, 'unknown_at_provider')).length, (await balances(app)).unallocated], [1, 7_000])
  await assertClearingIsTrue(app)
})
