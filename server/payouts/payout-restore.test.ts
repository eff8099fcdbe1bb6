/** The database is restored to an earlier moment and the provider is not: a request that is repeated under its key is paid once. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { rememberDatabase } from '../../test/remember-database.ts'
import { eventually, startTestApp, type TestApp } from '../../test/app.ts'
import { byCommandLine } from '../audit/audit.ts'
import { createReconciler } from '../reconciliation/reconcile.ts'
import {
  assertClearingIsTrue,
  control,
  decide,
  drive,
  reconcileRecent,
  reconcileToday,
} from '../reconciliation/reconciliation-fixture.ts'
import { toWire } from '../platform/ids.ts'
import { markRestored } from '../controls/mark-restored.ts'
import { ask, balance, ended, fund, paidStudent, providersOf, read, short, silentPayout } from './payouts-fixture.ts'
import { checkPayouts } from './send-payout.ts'

async function checkAll(world: TestApp): Promise<void> {
  await world.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkPayouts(world.deps, 10)
}

test('a payout that a restored database has lost is the same payout when its key is used again, and is paid once [T03]', async (t) => {
  const world = await startTestApp(t)
  const { key } = await paidStudent(world)
  const putBack = await rememberDatabase(world)
  const first = (await ask(world, key, {}, 'K')).body.data
  await ended(world, key, first.id, 'completed')
  const after = await balance(world, key)

  await putBack()
  assert.deepEqual(await balance(world, key), [100_000, 0])
  const again = await ask(world, key, {}, 'K')
  assert.equal(again.status, 201)
  assert.equal(again.body.data.id, first.id)
  // The provider reported the payout long ago and does not report it again: it is queried.
  await world.deps.backgroundDone()
  await checkAll(world)
  await ended(world, key, first.id, 'completed')
  const there = await providersOf(world)
  assert.deepEqual(
    there.map(({ amount, status }) => [amount, status]),
    [[20_000, 'completed']],
  )
  assert.deepEqual(await balance(world, key), after)

  // Another wallet, another environment, another key: another payout.
  const other = await paidStudent(world)
  assert.notEqual((await ask(world, other.key, {}, 'K')).body.data.id, first.id)
  assert.notEqual((await ask(world, key, {}, 'L')).body.data.id, first.id)
})

for (const provider of ['snippe', 'clickpesa']) {
  test(`a lost payout that is requested again with another body is neither paid again nor treated as failed (${provider})`, async (t) => {
    const world = await startTestApp(t, { settings: { PAYOUT_PROVIDER_TEST: provider } })
    const { key } = await paidStudent(world)
    const putBack = await rememberDatabase(world)
    const first = (await ask(world, key, {}, 'K')).body.data
    await ended(world, key, first.id, 'completed')

    await putBack()
    const again = (await ask(world, key, { amount: 30_000 }, 'K')).body.data
    assert.equal(again.id, first.id)
    const [available, reserved] = await eventually('the order was tried', async () => {
      const { rows } = await world.owner.pool.query('select state, held from provider_payouts join payouts on id = payout_id')
      return rows[0].state !== 'claimed' && rows[0].state !== 'queued' && balance(world, key)
    })
    await checkAll(world)
    assert.equal((await read(world, key, first.id)).status, 'processing')
    assert.deepEqual([available + reserved, reserved > 30_000], [100_000, true])
    assert.deepEqual(
      (await providersOf(world)).map(({ amount }) => amount),
      [20_000],
    )
  })
}

/** As the operators' command line does for a database that was restored by other means. */
async function markRestoredTo(world: TestApp, moment: Date): Promise<void> {
  await markRestored(world.db, { id: randomUUID(), restoredTo: moment }, byCommandLine)
  await world.deps.switches.read()
}

const turnPayouts = async (world: TestApp, token: string, state: 'on' | 'off', fields: object = {}) =>
  world.call('PUT', '/v1/admin/switches/payouts', { token, body: { state, reason: 'Compared.', ...fields } })

async function compareAll(world: TestApp): Promise<void> {
  const reconciler = createReconciler(world.deps)
  await reconciler.plan()
  await drive(reconciler, 'daily')
  await reconciler.plan()
}

const openBreaks = async (world: TestApp): Promise<string[]> =>
  (await world.owner.pool.query('select kind from breaks where resolved_at is null order by kind')).rows.map(({ kind }) => kind)

/** Deletes every key at the provider: its memory is over, and the same order would be paid again. */
const dropKeys = (world: TestApp) =>
  fetch(`${world.simulatorUrl}/__control/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ now: new Date(Date.now() + 25 * 3_600_000).toISOString() }),
  })

test('a restore keeps checkouts and payouts off until the lost time is compared; an order that the provider has is bound, not sent, when its key is used again [T03]', async (t) => {
  const world = await startTestApp(t)
  const { key, ...student } = await paidStudent(world)
  const page = await world.page(student)
  const { token } = await world.admin()
  const putBack = await rememberDatabase(world)
  const moment = new Date()
  const first = (await ask(world, key, {}, 'K')).body.data
  await ended(world, key, first.id, 'completed')
  const after = await balance(world, key)

  await putBack()
  await markRestoredTo(world, moment)
  assert.equal(short(await ask(world, key, {}, 'K')), '503 provider_unavailable')
  assert.equal(short(await world.checkout(page.slug)), '503 provider_unavailable')
  const tooEarly = await turnPayouts(world, token, 'on')
  assert.deepEqual([tooEarly.status, tooEarly.body.error.code], [409, 'restore_not_compared'])
  await compareAll(world)
  assert.deepEqual(await openBreaks(world), ['unknown_at_provider'])
  await dropKeys(world)
  assert.equal((await turnPayouts(world, token, 'on')).status, 200)

  const again = (await ask(world, key, {}, 'K')).body.data
  assert.equal(again.id, first.id)
  await ended(world, key, first.id, 'completed')
  assert.deepEqual(
    (await providersOf(world)).map(({ amount, status }) => [amount, status]),
    [[20_000, 'completed']],
  )
  assert.deepEqual(await balance(world, key), after)
  await reconcileRecent(world)
  assert.deepEqual(await openBreaks(world), [])
  assert.equal(
    short(await world.call('PUT', '/v1/admin/switches/test.checkout', { token, body: { state: 'on', reason: 'Compared.' } })),
    '200',
  )
  assert.equal((await world.checkout(page.slug)).status, 201)
})

for (const isForced of [false, true]) {
  test(`orders that wait in a restored database are looked for at the provider first, and none is sent without that${isForced ? ', even when operators do not wait' : ''} [T04]`, async (t) => {
    const world = await startTestApp(t)
    const { key } = await paidStudent(world)
    const { token } = await world.admin()
    // Airtel is away: two orders wait.
    const airtel = async (state: 'on' | 'off') =>
      assert.equal(
        (await world.call('PUT', '/v1/admin/switches/test.payouts.airtel', { token, body: { state, reason: 'Airtel.' } })).status,
        200,
      )
    await airtel('off')
    const sent = (await ask(world, key, { phone_number: '+255684000123' })).body.data
    const never = (await ask(world, key, { phone_number: '+255684000124' })).body.data
    await world.deps.backgroundDone()
    const putBack = await rememberDatabase(world)
    const moment = new Date()
    // One of them is sent and paid; the other is cancelled.
    assert.equal(short(await world.call('POST', `/v1/payouts/${never.id}/cancel`, { key })), '200')
    await airtel('on')
    await checkAll(world)
    await ended(world, key, sent.id, 'completed')

    await putBack()
    await markRestoredTo(world, moment)
    await airtel('on')
    await dropKeys(world)
    // The restored database is more than a day old.
    await world.owner.pool.query(`update payouts set created_at = created_at - interval '25 hours'`)
    await checkAll(world)
    assert.equal((await providersOf(world)).length, 1)
    assert.equal(short(await world.call('POST', `/v1/payouts/${sent.id}/cancel`, { key })), '409 invalid_state')
    if (!isForced) await compareAll(world)
    assert.equal((await turnPayouts(world, token, 'on', isForced ? { force: true } : {})).status, 200)
    await checkAll(world)
    await checkAll(world)
    if (isForced) {
      // The outcome is unknown: the money stays reserved, and operators decide.
      assert.deepEqual(await openBreaks(world), ['payout_unknown', 'payout_unknown'])
      assert.equal((await providersOf(world)).length, 1)
      assert.deepEqual((await balance(world, key))[1], 2 * (20_000 + sent.fee))
      return
    }
    // The list has shown the first order, and proves that there is no other.
    await ended(world, key, sent.id, 'completed')
    await ended(world, key, never.id, 'completed')
    assert.equal((await providersOf(world)).length, 2)
    assert.deepEqual(await openBreaks(world), [])
  })
}

test('a provider that can be queried by our id is queried before an order of a restored database is sent', async (t) => {
  const world = await startTestApp(t, { settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' } })
  const { key } = await paidStudent(world)
  const { token } = await world.admin()
  await turnPayouts(world, token, 'on')
  const airtel = (state: 'on' | 'off') =>
    world.call('PUT', '/v1/admin/switches/test.payouts.airtel', { token, body: { state, reason: 'Airtel.' } })
  await airtel('off')
  const waiting = (await ask(world, key, { phone_number: '+255684000123' })).body.data
  await world.deps.backgroundDone()
  const putBack = await rememberDatabase(world)
  await airtel('on')
  await checkAll(world)
  await ended(world, key, waiting.id, 'completed')

  await putBack()
  await markRestoredTo(world, new Date())
  await checkAll(world)
  await ended(world, key, waiting.id, 'completed')
  assert.equal((await providersOf(world)).length, 1)
})

for (const isDecided of [false, true]) {
  test(`a payout that a restore has lost and the provider’s list has shown${isDecided ? ', after operators had decided,' : ''} ends once when its key is used again`, async (t) => {
    const world = await startTestApp(t)
    const { key } = await paidStudent(world)
    const operators = [await world.admin(), await world.admin()] as const
    const before = await balance(world, key)
    const putBack = await rememberDatabase(world)
    const moment = new Date()
    const first = (await ask(world, key, {}, 'K')).body.data
    await ended(world, key, first.id, 'completed')
    await putBack()
    await markRestoredTo(world, moment)
    await compareAll(world)
    const [lost] = await providersOf(world)
    if (isDecided) {
      const { rows } = await world.owner.pool.query('select id from breaks')
      assert.equal(short(await decide(world, operators, toWire('brk', rows[0].id), { resolution: 'write_off' })), '200')
    }
    await control(world, `payouts/${lost!.reference}/answer`, { action: 'reverse' })
    await reconcileToday(world, 'payouts')
    assert.deepEqual(await openBreaks(world), isDecided ? ['unknown_at_provider'] : [])
    assert.equal((await turnPayouts(world, operators[0].token, 'on')).status, 200)

    const again = (await ask(world, key, {}, 'K')).body.data
    assert.equal(again.id, first.id)
    await checkAll(world)
    await reconcileToday(world, 'payouts')
    await ended(world, key, first.id, 'reversed')
    assert.equal((await providersOf(world)).length, 1)
    assert.deepEqual(await balance(world, key), before)
    // An order that is found again after it was written off waits for operators.
    assert.deepEqual(await openBreaks(world), isDecided ? ['unknown_at_provider'] : [])
    await assertClearingIsTrue(world)
  })
}

test('a payout that failed in the time that a restore has lost fails again, and no other order is sent, when its key is used again [T03]', async (t) => {
  const world = await startTestApp(t)
  const { key } = await paidStudent(world)
  // A recipient without an account: the provider accepts the order, and it fails.
  const noAccount = '+255754000089'
  const before = await balance(world, key)
  const { token } = await world.admin()
  const putBack = await rememberDatabase(world)
  const moment = new Date()
  const first = (await ask(world, key, { phone_number: noAccount }, 'K')).body.data
  await ended(world, key, first.id, 'failed')

  await putBack()
  await markRestoredTo(world, moment)
  await compareAll(world)
  assert.deepEqual(await openBreaks(world), [])
  await dropKeys(world)
  assert.equal((await turnPayouts(world, token, 'on')).status, 200)
  const again = (await ask(world, key, { phone_number: noAccount }, 'K')).body.data
  assert.equal(again.id, first.id)
  await checkAll(world)
  await ended(world, key, first.id, 'failed')
  assert.deepEqual(await balance(world, key), before)
  assert.equal((await providersOf(world)).length, 1)
})

test('a restore ends even if a list reports a payout in flight as paid, without an amount', async (t) => {
  const world = await startTestApp(t, { settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' }, simulator: { delayMs: 3_600_000 } })
  const student = await world.student()
  const { key } = await world.key(student)
  await fund(world, student, 100_000)
  const { token } = await world.admin()
  const { id } = await silentPayout(world, key)
  await world.deps.backgroundDone()
  const putBack = await rememberDatabase(world)
  const moment = new Date()
  const [there] = await providersOf(world)
  await control(world, `payouts/${there.reference}/answer`, { action: 'complete' })
  await ended(world, key, id, 'completed')

  await putBack()
  await markRestoredTo(world, moment)
  await compareAll(world)
  assert.equal(short(await turnPayouts(world, token, 'on')), '200')
  await checkAll(world)
  await ended(world, key, id, 'completed')
  assert.equal((await providersOf(world)).length, 1)
})
