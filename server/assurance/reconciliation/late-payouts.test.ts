/** Payouts for which the provider changes its answer: each contradiction can be booked, and the books equal the provider's final state. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { addMember } from '../../../test/members.ts'
import { registerBusiness } from '../../../test/onboarding.ts'
import { ask, balance, fund, read, says, short, silentPayout, type SilentPayout } from '../../../test/fixtures/payouts.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { repayReceivables } from '../../money/ledger/repay-receivables.ts'
import { settlePayoutMessage } from '../provider-webhooks/receive-payout-message.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import { verify } from '../invariants/verify.ts'
import { wrapProviders, type PayoutSnapshot, type Provider } from '../../money/providers/provider.ts'
import { moveClock, reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { closeDay } from '../invariants/close-days.ts'

const fee = 1_500
const total = 20_000 + fee

async function start(t: Parameters<typeof startTestApp>[0], money = 100_000, instead: Partial<Provider> = {}) {
  const app = await startTestApp(t, {
    simulator: { delayMs: 60_000 },
    wrap: (deps) => ({ ...deps, providers: wrapProviders(deps.providers, (provider) => ({ ...provider, ...instead })) }),
  })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, money)
  return { app, student, key }
}

const receive = async (app: TestApp, payout: SilentPayout, status: 'completed' | 'failed' | 'reversed'): Promise<string> =>
  (await settlePayout(app.deps, payout.at, payout.source, says(payout.reference, status))).verdict

async function openBreaks(app: TestApp) {
  // Signs in again: the clock may have moved past the end of the last session.
  const { token } = await app.admin()
  return (await app.call('GET', '/v1/admin/breaks?status=open', { token })).body.data
}

/** Two operators resolve the only open break. */
async function resolve(app: TestApp, resolution: string, rest: Record<string, unknown> = {}): Promise<string> {
  const [one, other] = [await app.admin(), await app.admin()]
  const [found, ...more] = await openBreaks(app)
  assert.equal(more.length, 0)
  const path = `/v1/admin/breaks/${found.id}`
  const body = { resolution, note: 'Statement of the provider.', ...rest }
  const proposed = await app.call('POST', `${path}/propose`, { token: one.token, body })
  if (proposed.status !== 200) return short(proposed)
  const { proposed_at } = proposed.body.data.proposal
  return short(await app.call('POST', `${path}/confirm`, { token: other.token, body: { resolution, proposed_at } }))
}

/** TZS by account over all homes. */
async function accounts(app: TestApp): Promise<Record<string, number>> {
  const { rows } = await app.owner.pool.query(
    'select kind, sum(balance)::integer as balance from ledger_accounts group by kind having sum(balance) <> 0',
  )
  return Object.fromEntries(rows.map(({ kind, balance: sum }) => [kind, sum]))
}

for (const after of ['1 hour', '3 days']) {
  test(`[T06] a payout that failed and is paid after all after ${after} is booked, and the merchant owes the part that the wallet lacks`, async (t) => {
    const { app, key } = await start(t, 30_000)
    const payout = await silentPayout(app, key)
    await receive(app, payout, 'failed')
    assert.deepEqual(await balance(app, key), [30_000, 0])
    // The merchant pays most of it out to another phone.
    const second = await silentPayout(app, key)
    await receive(app, second, 'completed')
    const left = 30_000 - total
    assert.deepEqual(await balance(app, key), [left, 0])

    await moveClock(app, after)
    assert.equal(await receive(app, payout, 'completed'), 'set_aside')
    assert.equal(await resolve(app, 'payout_paid_after_all'), '200')

    const now = await read(app, key, payout.id)
    assert.deepEqual([now.status, now.failure], ['completed', null])
    const { wallet = 0, receivable, provider_clearing } = await accounts(app)
    assert.deepEqual([wallet, receivable], [0, left - total])
    // Both payouts have left at the provider, each with its fee.
    assert.equal(provider_clearing, -30_000 + 2 * total)
    assert.deepEqual(await verify(app.db), [])
  })
}

test('[T07] success and failure in any order, hours apart and across closed days: each change is booked on its own day', async (t) => {
  const { app, key } = await start(t)
  const payout = await silentPayout(app, key)
  const turns = [
    ['failed', null, 100_000],
    ['completed', 'payout_paid_after_all', 100_000 - total],
    ['failed', 'payout_returned', 100_000],
    ['completed', 'payout_paid_after_all', 100_000 - total],
    ['reversed', 'payout_returned', 100_000],
    ['completed', 'write_off', 100_000],
    ['failed', 'payout_returned', 100_000],
    ['completed', 'payout_paid_after_all', 100_000 - total],
  ] as const
  for (const [day, [word, resolution, expected]] of turns.entries()) {
    await moveClock(app, `${day * 23} hours`)
    const verdict = await receive(app, payout, word)
    assert.equal(verdict, resolution === null ? 'applied' : 'set_aside', `turn ${day}`)
    if (resolution !== null) assert.equal(await resolve(app, resolution), '200', `turn ${day}`)
    assert.deepEqual(await balance(app, key), [expected, 0], `turn ${day}`)
    const { provider_clearing, loss = 0 } = await accounts(app)
    assert.equal(provider_clearing, -100_000 + (word === 'completed' ? total : 0), `turn ${day}`)
    assert.equal(loss, resolution === 'write_off' ? -total : 0)
    while (await closeDay(app.deps)) continue
    assert.deepEqual(await verify(app.db), [], `turn ${day}`)
  }
})

test('a written-off payout stays a success of the provider: the same answer opens no break, another answer does', async (t) => {
  const { app, key } = await start(t)
  const payout = await silentPayout(app, key)
  await receive(app, payout, 'failed')
  await receive(app, payout, 'completed')
  const [found] = await openBreaks(app)
  assert.deepEqual(found.resolutions, ['payout_paid_after_all', 'write_off', 'provider_was_wrong'])
  assert.equal(await resolve(app, 'write_off'), '200')
  assert.equal((await read(app, key, payout.id)).status, 'failed')
  await receive(app, payout, 'completed')
  assert.deepEqual(await openBreaks(app), [])
  assert.equal(await receive(app, payout, 'failed'), 'set_aside')
  assert.deepEqual((await openBreaks(app))[0].resolutions, ['payout_returned', 'provider_was_wrong'])
})

test('a payout that was paid with another amount cannot be debited again from the merchant', async (t) => {
  const { app, key } = await start(t)
  const payout = await silentPayout(app, key)
  await receive(app, payout, 'failed')
  await settlePayout(app.deps, payout.at, payout.source, says(payout.reference, 'completed', { amount: 19_000 }))
  assert.equal(await resolve(app, 'payout_paid_after_all'), '409 invalid_state')
  assert.equal(await resolve(app, 'write_off'), '200')
  assert.deepEqual((await accounts(app))['loss'], -19_000 - fee)
  assert.equal(short(await ask(app, key)), '201')
})

test('while the provider contradicts itself, or something is owed, no payout leaves; the next credit repays first', async (t) => {
  const { app, student, key } = await start(t, 30_000)
  const payout = await silentPayout(app, key)
  await receive(app, payout, 'failed')
  const second = await silentPayout(app, key)
  await receive(app, second, 'completed')
  await receive(app, payout, 'completed')
  const { since, reason } = (await read(app, key, payout.id)).under_review
  assert.ok(new Date(since) <= new Date())
  assert.equal(reason, 'payout_contradicts')
  const refused = await ask(app, key)
  assert.equal(short(refused), '409 payouts_on_hold')
  assert.deepEqual(refused.body.error.details, { reason: 'payout_under_review', owed: 0 })
  const holdOfWallet = async () => (await app.call('GET', '/v1/balance', { key })).body.data.hold
  assert.deepEqual(await holdOfWallet(), { reason: 'payout_under_review', since, until: null, who_can_act: 'operators' })
  assert.deepEqual((await read(app, key, payout.id)).hold, {
    reason: 'under_review',
    since,
    until: null,
    who_can_act: 'operators',
  })

  assert.equal(await resolve(app, 'payout_paid_after_all'), '200')
  const owed = 2 * total - 30_000
  assert.equal((await read(app, key, payout.id)).under_review, null)
  assert.equal((await read(app, key, payout.id)).hold, null)
  const { rows } = await app.owner.pool.query(`select created_at from ledger_transfers where kind = 'payout_again_owed'`)
  const hold = { reason: 'amount_owed', since: rows[0].created_at.toISOString(), until: null, who_can_act: 'you' }
  assert.deepEqual(await holdOfWallet(), hold)
  assert.deepEqual((await ask(app, key)).body.error.details, { reason: 'amount_owed', owed })

  await fund(app, student, 5_000)
  // The process that credited may have died: the next worker repays.
  await repayReceivables(app.deps, 10)
  await repayReceivables(app.deps, 10)
  // A part is repaid: the debt is the same one.
  assert.deepEqual(await holdOfWallet(), hold)
  const read1 = (await app.call('GET', '/v1/balance', { key })).body.data
  assert.deepEqual([read1.available, read1.receivable], [0, owed - 5_000])
  const [line] = (await app.call('GET', '/v1/transactions?direction=debit', { key })).body.data
  assert.deepEqual([line.type, line.amount, line.balance_after], ['adjustment', 5_000, 0])

  await fund(app, student, 50_000)
  await repayReceivables(app.deps, 10)
  const read2 = (await app.call('GET', '/v1/balance', { key })).body.data
  assert.deepEqual([read2.available, read2.receivable], [55_000 - owed, 0])
  assert.equal(short(await ask(app, key)), '201')
})

test('a payout that waits to be sent waits on while its merchant’s payouts are on hold', async (t) => {
  let isAway = true
  let sent = 0
  const { app, key } = await start(t, 100_000, {
    async sendPayout() {
      sent += isAway ? 0 : 1
      return isAway ? { kind: 'not_sent', reason: 'ECONNREFUSED' } : { kind: 'unknown', reason: 'ECONNRESET' }
    },
  })
  const waiting = (await ask(app, key)).body.data.id
  await app.deps.backgroundDone()
  const { rows } = await app.owner.pool.query('select home, id from payouts')
  const { home, id } = rows[0]
  isAway = false
  const holds = async (doesHold: boolean) => {
    const finding = { home, environment: 'test', kind: 'payout_contradicts', payoutId: id, details: {} } as const
    if (doesHold) await openBreak(app.db, finding, newMoneyId(home))
    else await app.owner.pool.query('delete from breaks')
    await app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now()')
    await checkPayouts(app.deps, 10)
  }
  await holds(true)
  assert.deepEqual([sent, (await read(app, key, waiting)).status], [0, 'pending'])
  await holds(false)
  assert.equal(sent, 1)
})

test('a reported failure returns nothing until a query of the provider confirms it', async (t) => {
  let answer: PayoutSnapshot['status'] = 'processing'
  let reference = ''
  const { app, key } = await start(t, 100_000, {
    fetchPayout: async () => ({ kind: 'found', snapshot: says(reference, answer).snapshot }),
  })
  const payout = await silentPayout(app, key)
  reference = payout.reference
  const message = { provider: 'snippe', environment: 'test', eventId: 'evt_1', requestId: 'req_1' } as const
  assert.equal(await settlePayoutMessage(app.deps, message, says(reference, 'failed').snapshot), true)
  assert.equal((await read(app, key, payout.id)).status, 'processing')
  assert.deepEqual(await balance(app, key), [100_000 - total, total])

  answer = 'failed'
  await settlePayoutMessage(app.deps, message, says(reference, 'failed').snapshot)
  assert.equal((await read(app, key, payout.id)).status, 'failed')
  assert.deepEqual(await balance(app, key), [100_000, 0])
})

for (const resolution of ['debit_wallet', 'write_off'] as const) {
  test(`money of an unknown order that was paid stays in unallocated until the break is resolved with ${resolution}`, async (t) => {
    const snapshot: PayoutSnapshot = { ...says('po-unknown', 'completed').snapshot, ourReference: null }
    const { app, student, key } = await start(t, 10_000, {
      listPayouts: async () => ({
        kind: 'page',
        items: [{ ...snapshot, createdAt: new Date() }],
        unreadable: 0,
        isLast: true,
      }),
    })
    await reconcileToday(app, 'payouts')
    assert.deepEqual((await accounts(app))['unallocated'], -total)
    await reconcileToday(app, 'payouts')
    const [found] = await openBreaks(app)
    assert.deepEqual(found.resolutions, ['debit_wallet', 'write_off'])
    if (resolution === 'debit_wallet') {
      assert.equal(await resolve(app, resolution), '400 validation_error')
      // No one names a business that they are a member of, in whatever role.
      const operator = await app.admin()
      const { id: merchant_id } = await registerBusiness(app, student)
      await addMember(app, student, merchant_id, { ...operator, phoneNumber: '' }, 'cashier')
      const own = await app.call('POST', `/v1/admin/breaks/${found.id}/propose`, {
        token: operator.token,
        body: { resolution, note: 'Ours.', parameters: { merchant_id } },
      })
      assert.equal(short(own), '403 self_approval_forbidden')
      const { rows } = await app.owner.pool.query('select merchant_id from payment_pages order by created_at limit 1')
      const parameters = { merchant_id: toWire('usr', rows[0].merchant_id) }
      assert.equal(await resolve(app, resolution, { parameters }), '200')
      assert.deepEqual(await balance(app, key), [0, 0])
    } else assert.equal(await resolve(app, resolution), '200')
    const { provider_clearing, unallocated, loss, receivable, wallet } = await accounts(app)
    assert.deepEqual(
      { provider_clearing, unallocated, loss, receivable, wallet },
      {
        provider_clearing: -10_000 + total,
        unallocated: undefined,
        ...(resolution === 'write_off'
          ? { loss: -total, receivable: undefined, wallet: 10_000 }
          : { loss: undefined, receivable: 10_000 - total, wallet: undefined }),
      },
    )
    assert.deepEqual(await verify(app.db), [])
  })
}

test('a proposal about an unknown order that did not see its amount debits no wallet', async (t) => {
  const order: PayoutSnapshot = { ...says('po-unknown', 'completed').snapshot, ourReference: null }
  let listed: PayoutSnapshot = { ...order, amount: null }
  const { app, key } = await start(t, 100_000, {
    listPayouts: async () => ({ kind: 'page', items: [{ ...listed, createdAt: new Date() }], unreadable: 0, isLast: true }),
  })
  await reconcileToday(app, 'payouts')
  const [found] = await openBreaks(app)
  const [one, other] = [await app.admin(), await app.admin()]
  const { rows } = await app.owner.pool.query('select merchant_id from payment_pages order by created_at limit 1')
  const parameters = { merchant_id: toWire('usr', rows[0].merchant_id) }
  const path = `/v1/admin/breaks/${found.id}`
  const body = { resolution: 'debit_wallet', note: 'Theirs.', parameters }
  const { proposed_at } = (await app.call('POST', `${path}/propose`, { token: one.token, body })).body.data.proposal

  listed = order
  await reconcileToday(app, 'payouts')
  const confirmation = { resolution: 'debit_wallet', proposed_at }
  const unseen = await app.call('POST', `${path}/confirm`, { token: other.token, body: confirmation })
  assert.equal(short(unseen), '409 proposal_changed')
  assert.deepEqual(await balance(app, key), [100_000, 0])
  assert.equal((await openBreaks(app))[0].status, 'open')
  assert.equal(await resolve(app, 'debit_wallet', { parameters }), '200')
  assert.deepEqual(await balance(app, key), [100_000 - total, 0])
  assert.deepEqual(await verify(app.db), [])
})

test('a payout that waits to be sent waits on while its merchant owes, and leaves when the debt is repaid', async (t) => {
  let isAway = false
  const app = await startTestApp(t, {
    simulator: { delayMs: 60_000 },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        sendPayout: async (order, priority) =>
          isAway ? { kind: 'not_sent', reason: 'ECONNREFUSED' } : provider.sendPayout(order, priority),
      })),
    }),
  })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 30_000)
  const failed = await silentPayout(app, key)
  await receive(app, failed, 'failed')
  isAway = true
  await ask(app, key)
  await app.deps.backgroundDone()
  await receive(app, failed, 'completed')
  assert.equal(await resolve(app, 'payout_paid_after_all'), '200')
  isAway = false
  const sent = async (): Promise<number> => {
    await app.owner.pool.query(`update provider_payouts set next_attempt_at = clock_now() where state in ('queued', 'unsent')`)
    await checkPayouts(app.deps, 10)
    return (await app.truth()).payouts.length
  }
  assert.equal(await sent(), 1)
  await fund(app, student, 50_000)
  await repayReceivables(app.deps, 10)
  assert.equal(await sent(), 2)
})
