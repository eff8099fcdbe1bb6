/** The database is restored to an earlier moment and the provider is not: a request that is repeated under its key is paid once. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { rememberDatabase } from '../../../test/remember-database.ts'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import { createReconciler } from '../../assurance/reconciliation/reconcile.ts'
import { assertClearingIsTrue, decide, drive, reconcileRecent, reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { toWire } from '../../platform/ids.ts'
import { markRestored } from '../../money/controls/mark-restored.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { ask, balance, ended, fund, paidStudent, providersOf, read, short, silentPayout } from '../../../test/fixtures/payouts.ts'
import { itemsOf, uploadCsv } from '../../../test/fixtures/batches.ts'
import { checkPayouts } from './send-payout.ts'

async function checkAll(app: TestApp): Promise<void> {
  await app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkPayouts(app.deps, 10)
}

/** As the operators' command line does for a database that was restored by other means. */
async function markRestoredTo(app: TestApp, moment: Date): Promise<void> {
  await markRestored(app.db, { id: randomUUID(), restoredTo: moment }, byCommandLine)
  await app.deps.switches.read()
}

const turnPayouts = async (app: TestApp, token: string, state: 'on' | 'off', fields: object = {}) =>
  app.call('PUT', '/v1/admin/switches/payouts', { token, body: { state, reason: 'Compared.', ...fields } })

async function compareAll(app: TestApp): Promise<void> {
  const reconciler = createReconciler(app.deps)
  await reconciler.plan()
  await drive(reconciler, 'daily')
  await reconciler.plan()
}

const openBreaks = async (app: TestApp): Promise<string[]> =>
  (await app.owner.pool.query('select kind from breaks where resolved_at is null order by kind')).rows.map(({ kind }) => kind)

test('a provider that can be queried by our id is queried before an order of a restored database is sent', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' } })
  const { key } = await paidStudent(app)
  const { token } = await app.admin()
  await turnPayouts(app, token, 'on')
  const airtel = (state: 'on' | 'off') =>
    app.call('PUT', '/v1/admin/switches/test.payouts.airtel', { token, body: { state, reason: 'Airtel.' } })
  await airtel('off')
  const waiting = (await ask(app, key, { phone_number: '+255684000123' })).body.data
  const never = (await ask(app, key, { phone_number: '+255684000124' })).body.data
  await app.deps.backgroundDone()
  const putBack = await rememberDatabase(app)
  assert.equal(short(await app.call('POST', `/v1/payouts/${never.id}/cancel`, { key })), '200')
  await airtel('on')
  await checkAll(app)
  await ended(app, key, waiting.id, 'completed')

  await putBack()
  await markRestoredTo(app, new Date())
  await checkAll(app)
  await ended(app, key, waiting.id, 'completed')
  assert.equal((await providersOf(app)).length, 1)
  // Its answer is enough, also when operators do not wait for the comparison.
  assert.equal(short(await turnPayouts(app, token, 'on', { force: true })), '200')
  await airtel('on')
  await checkAll(app)
  await ended(app, key, never.id, 'completed')
  assert.equal((await providersOf(app)).length, 2)
  assert.deepEqual(await openBreaks(app), [])
})

test('a payout that a restored database has lost is the same payout when its key is used again, and is paid once [T03]', async (t) => {
  const app = await startTestApp(t)
  const { key } = await paidStudent(app)
  const putBack = await rememberDatabase(app)
  const first = (await ask(app, key, {}, 'K')).body.data
  await ended(app, key, first.id, 'completed')
  const after = await balance(app, key)

  await putBack()
  assert.deepEqual(await balance(app, key), [100_000, 0])
  const again = await ask(app, key, {}, 'K')
  assert.equal(again.status, 201)
  assert.equal(again.body.data.id, first.id)
  // The provider reported the payout long ago and does not report it again: it is queried.
  await app.deps.backgroundDone()
  await checkAll(app)
  await ended(app, key, first.id, 'completed')
  const there = await providersOf(app)
  assert.deepEqual(
    there.map(({ amount, status }) => [amount, status]),
    [[20_000, 'completed']],
  )
  assert.deepEqual(await balance(app, key), after)

  // Another wallet, another environment, another key: another payout.
  const other = await paidStudent(app)
  assert.notEqual((await ask(app, other.key, {}, 'K')).body.data.id, first.id)
  assert.notEqual((await ask(app, key, {}, 'L')).body.data.id, first.id)
})

for (const provider of ['snippe', 'clickpesa']) {
  test(`a lost payout that is requested again with another body is neither paid again nor treated as failed (${provider})`, async (t) => {
    const app = await startTestApp(t, { settings: { PAYOUT_PROVIDER_TEST: provider } })
    const { key } = await paidStudent(app)
    const putBack = await rememberDatabase(app)
    const first = (await ask(app, key, {}, 'K')).body.data
    await ended(app, key, first.id, 'completed')

    await putBack()
    const again = (await ask(app, key, { amount: 30_000 }, 'K')).body.data
    assert.equal(again.id, first.id)
    const [available, reserved] = await eventually('the order was tried', async () => {
      const { rows } = await app.owner.pool.query('select state, held from provider_payouts join payouts on id = payout_id')
      return rows[0].state !== 'claimed' && rows[0].state !== 'queued' && balance(app, key)
    })
    await checkAll(app)
    assert.equal((await read(app, key, first.id)).status, 'processing')
    assert.deepEqual([available + reserved, reserved > 30_000], [100_000, true])
    assert.deepEqual(
      (await providersOf(app)).map(({ amount }) => amount),
      [20_000],
    )
  })
}

test('a restore does not end by itself while a payout of the lost time cannot be read', async (t) => {
  let unreadable = 0
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async listPayouts(page) {
          const listed = await provider.listPayouts(page)
          return listed.kind === 'page' ? { ...listed, unreadable } : listed
        },
      })),
    }),
  })
  const { token } = await app.admin()
  for (const { count, isForced, answer } of [
    { count: 0, isForced: false, answer: '200' },
    { count: 1, isForced: false, answer: '409 restore_not_compared' },
    { count: 1, isForced: true, answer: '200' },
  ]) {
    unreadable = count
    if (!isForced) await markRestoredTo(app, new Date())
    await compareAll(app)
    assert.equal(short(await turnPayouts(app, token, 'on', isForced ? { force: true } : {})), answer)
  }
})

/** Deletes every key at the provider: its memory is over, and the same order would be paid again. */
const dropKeys = (app: TestApp) =>
  fetch(`${app.simulatorUrl}/__control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ now: new Date(Date.now() + 25 * 3_600_000).toISOString() }),
  })

test('a restore keeps checkouts and payouts off until the lost time is compared; an order that the provider has is bound, not sent, when its key is used again [T03]', async (t) => {
  const app = await startTestApp(t)
  const { key, ...student } = await paidStudent(app)
  const page = await app.page(student)
  const { token } = await app.admin()
  const putBack = await rememberDatabase(app)
  const moment = new Date()
  const first = (await ask(app, key, {}, 'K')).body.data
  await ended(app, key, first.id, 'completed')
  const after = await balance(app, key)

  await putBack()
  await markRestoredTo(app, moment)
  assert.equal(short(await ask(app, key, {}, 'K')), '503 provider_unavailable')
  assert.equal(short(await app.checkout(page.slug)), '503 provider_unavailable')
  const tooEarly = await turnPayouts(app, token, 'on')
  assert.deepEqual([tooEarly.status, tooEarly.body.error.code], [409, 'restore_not_compared'])
  assert.equal((await turnPayouts(app, token, 'off')).status, 200, 'off needs no comparison')
  await compareAll(app)
  assert.deepEqual(await openBreaks(app), ['unknown_at_provider'])
  await dropKeys(app)
  assert.equal((await turnPayouts(app, token, 'on')).status, 200)

  const again = (await ask(app, key, {}, 'K')).body.data
  assert.equal(again.id, first.id)
  await ended(app, key, first.id, 'completed')
  assert.deepEqual(
    (await providersOf(app)).map(({ amount, status }) => [amount, status]),
    [[20_000, 'completed']],
  )
  assert.deepEqual(await balance(app, key), after)
  await reconcileRecent(app)
  assert.deepEqual(await openBreaks(app), [])
  assert.equal(
    short(await app.call('PUT', '/v1/admin/switches/test.checkout', { token, body: { state: 'on', reason: 'Compared.' } })),
    '200',
  )
  assert.equal((await app.checkout(page.slug)).status, 201)
})

for (const isForced of [false, true]) {
  test(`orders that wait in a restored database are looked for at the provider first, and none is sent without that${isForced ? ', even when operators do not wait' : ''} [T04]`, async (t) => {
    const app = await startTestApp(t)
    const { key } = await paidStudent(app)
    const { token } = await app.admin()
    // Airtel is away: two orders wait.
    const airtel = async (state: 'on' | 'off') =>
      assert.equal(
        (await app.call('PUT', '/v1/admin/switches/test.payouts.airtel', { token, body: { state, reason: 'Airtel.' } })).status,
        200,
      )
    await airtel('off')
    const sent = (await ask(app, key, { phone_number: '+255684000123' })).body.data
    const never = (await ask(app, key, { phone_number: '+255684000124' })).body.data
    await app.deps.backgroundDone()
    const putBack = await rememberDatabase(app)
    const moment = new Date()
    // One of them is sent and paid; the other is cancelled.
    assert.equal(short(await app.call('POST', `/v1/payouts/${never.id}/cancel`, { key })), '200')
    await airtel('on')
    await checkAll(app)
    await ended(app, key, sent.id, 'completed')

    await putBack()
    await markRestoredTo(app, moment)
    await airtel('on')
    await dropKeys(app)
    // The restored database is more than a day old.
    await app.owner.pool.query(`update payouts set created_at = created_at - interval '25 hours'`)
    await checkAll(app)
    assert.equal((await providersOf(app)).length, 1)
    assert.equal(short(await app.call('POST', `/v1/payouts/${sent.id}/cancel`, { key })), '409 invalid_state')
    if (!isForced) await compareAll(app)
    assert.equal((await turnPayouts(app, token, 'on', isForced ? { force: true } : {})).status, 200)
    await checkAll(app)
    await checkAll(app)
    if (isForced) {
      // The outcome is unknown: the money stays reserved, and operators decide.
      assert.deepEqual(await openBreaks(app), ['payout_unknown', 'payout_unknown'])
      assert.equal((await providersOf(app)).length, 1)
      assert.deepEqual((await balance(app, key))[1], 2 * (20_000 + sent.fee))
      return
    }
    // The list has shown the first order, and proves that there is no other.
    await ended(app, key, sent.id, 'completed')
    await ended(app, key, never.id, 'completed')
    assert.equal((await providersOf(app)).length, 2)
    assert.deepEqual(await openBreaks(app), [])
  })
}

for (const isDecided of [false, true]) {
  test(`a payout that a restore has lost and the provider’s list has shown${isDecided ? ', after operators had decided,' : ''} ends once when its key is used again`, async (t) => {
    const app = await startTestApp(t)
    const { key } = await paidStudent(app)
    const operators = [await app.admin(), await app.admin()] as const
    const before = await balance(app, key)
    const putBack = await rememberDatabase(app)
    const moment = new Date()
    const first = (await ask(app, key, {}, 'K')).body.data
    await ended(app, key, first.id, 'completed')
    await putBack()
    await markRestoredTo(app, moment)
    await compareAll(app)
    const [lost] = await providersOf(app)
    if (isDecided) {
      const { rows } = await app.owner.pool.query('select id from breaks')
      assert.equal(short(await decide(app, operators, toWire('brk', rows[0].id), { resolution: 'write_off' })), '200')
    }
    await app.control('POST', `/payouts/${lost!.reference}/answer`, { action: 'reverse' })
    await reconcileToday(app, 'payouts')
    assert.deepEqual(await openBreaks(app), isDecided ? ['unknown_at_provider'] : [])
    assert.equal((await turnPayouts(app, operators[0].token, 'on')).status, 200)

    const again = (await ask(app, key, {}, 'K')).body.data
    assert.equal(again.id, first.id)
    await checkAll(app)
    await reconcileToday(app, 'payouts')
    await ended(app, key, first.id, 'reversed')
    assert.equal((await providersOf(app)).length, 1)
    assert.deepEqual(await balance(app, key), before)
    // An order that is found again after it was written off waits for operators.
    assert.deepEqual(await openBreaks(app), isDecided ? ['unknown_at_provider'] : [])
    await assertClearingIsTrue(app)
  })
}

test('a payout whose money an earlier decision has booked is not offered again after operators ended it as not paid', async (t) => {
  const app = await startTestApp(t)
  const { key } = await paidStudent(app)
  const operators = [await app.admin(), await app.admin()] as const
  const decideOpen = async (resolution: string): Promise<void> => {
    const open = await eventually('a break is open', async () => {
      const { rows } = await app.owner.pool.query('select id from breaks where resolved_at is null')
      return rows[0]
    })
    assert.equal(short(await decide(app, operators, toWire('brk', open.id), { resolution })), '200')
  }
  const putBack = await rememberDatabase(app)
  const moment = new Date()
  const first = (await ask(app, key, {}, 'K')).body.data
  await ended(app, key, first.id, 'completed')
  await putBack()
  await markRestoredTo(app, moment)
  await compareAll(app)
  await decideOpen('write_off')
  assert.equal((await turnPayouts(app, operators[0].token, 'on')).status, 200)
  assert.equal((await ask(app, key, {}, 'K')).body.data.id, first.id)
  await checkAll(app)
  await decideOpen('payout_not_paid')
  await ended(app, key, first.id, 'failed')

  const file = await app.call('GET', '/v1/payouts', { key, headers: { accept: 'text/csv' } })
  const batch = (await uploadCsv(app, key, String(file.body))).body.data
  assert.deepEqual([batch.rows, batch.rows_left_out], [0, 1])
  const [row] = await itemsOf(app, key, batch.id)
  assert.deepEqual([row.status, row.errors[0].code], ['removed', 'already_paid'])
})

test('a payout that failed in the time that a restore has lost fails again, and no other order is sent, when its key is used again [T03]', async (t) => {
  const app = await startTestApp(t)
  const { key } = await paidStudent(app)
  // A recipient without an account: the provider accepts the order, and it fails.
  const noAccount = '+255754000089'
  const before = await balance(app, key)
  const { token } = await app.admin()
  const putBack = await rememberDatabase(app)
  const moment = new Date()
  const first = (await ask(app, key, { phone_number: noAccount }, 'K')).body.data
  await ended(app, key, first.id, 'failed')

  await putBack()
  await markRestoredTo(app, moment)
  await compareAll(app)
  assert.deepEqual(await openBreaks(app), [])
  await dropKeys(app)
  assert.equal((await turnPayouts(app, token, 'on')).status, 200)
  const again = (await ask(app, key, { phone_number: noAccount }, 'K')).body.data
  assert.equal(again.id, first.id)
  await checkAll(app)
  await ended(app, key, first.id, 'failed')
  assert.deepEqual(await balance(app, key), before)
  assert.equal((await providersOf(app)).length, 1)
})

test('a process that dies after it has claimed a payout that a restore has lost causes no second order [T03]', async (t) => {
  let isDying = false
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        fetchPayout: async (query) => {
          if (isDying) throw new Error('the process ends here')
          return provider.fetchPayout(query)
        },
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const noAccount = '+255754000089'
  const { token } = await app.admin()
  const putBack = await rememberDatabase(app)
  const moment = new Date()
  const first = (await ask(app, key, { phone_number: noAccount }, 'K')).body.data
  await ended(app, key, first.id, 'failed')
  await app.deps.backgroundDone()
  await putBack()
  await markRestoredTo(app, moment)
  await compareAll(app)
  await dropKeys(app)
  assert.equal((await turnPayouts(app, token, 'on')).status, 200)

  isDying = true
  await ask(app, key, { phone_number: noAccount }, 'K')
  await app.deps.backgroundDone()
  const { rows } = await app.owner.pool.query('select state from provider_payouts')
  assert.deepEqual(rows, [{ state: 'claimed' }])
  isDying = false
  await checkAll(app)
  await ended(app, key, first.id, 'failed')
  assert.equal((await providersOf(app)).length, 1)
})

test('a restore ends even if a list reports a payout in flight as paid, without an amount', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' }, simulator: { delayMs: 3_600_000 } })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { token } = await app.admin()
  const { id } = await silentPayout(app, key)
  await app.deps.backgroundDone()
  const putBack = await rememberDatabase(app)
  const moment = new Date()
  const [there] = await providersOf(app)
  await app.control('POST', `/payouts/${there.reference}/answer`, { action: 'complete' })
  await ended(app, key, id, 'completed')

  await putBack()
  await markRestoredTo(app, moment)
  await compareAll(app)
  assert.equal(short(await turnPayouts(app, token, 'on')), '200')
  await checkAll(app)
  await ended(app, key, id, 'completed')
  assert.equal((await providersOf(app)).length, 1)
})
