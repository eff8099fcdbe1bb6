/** What a guard of payouts keeps apart: two processes, two wallets, two batches, two people. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { openShop } from '../../../test/fixtures/approvals.ts'
import { fileOf, richStudent, running } from '../../../test/fixtures/batches.ts'
import { runnerOf, undone } from '../../../test/fixtures/books.ts'
import { ask, balance, ended, paidStudent, read, says, short, silentOf } from '../../../test/fixtures/payouts.ts'
import { drive } from '../../../test/fixtures/reconciliation.ts'
import { newMember } from '../../../test/members.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { openBreak, resolveBreak } from '../../money/breaks/break.sql.ts'
import { freezeMerchantPayouts } from '../../money/controls/freeze-merchant.ts'
import { markRestored } from '../../money/controls/mark-restored.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { byCommandLine } from '../../base/audit/audit.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire, homeOfId, newMoneyId } from '../../platform/ids.ts'
import { createReconciler } from '../../assurance/reconciliation/reconcile.ts'
import { endUnapproved } from '../approvals/end-unapproved.ts'
import { cancelUnsent } from './cancel-payout.ts'
import { readHold } from './hold.sql.ts'
import { orderTables, payoutOrders } from './order-mac.sql.ts'
import { checkPayoutSoon, claimDuePayouts, scheduleCheck, type DuePayout } from './payout.sql.ts'
import { countAsPaidThere, countAsReturned, writeOffPaid } from './resolve-payout.ts'
import { settlePayout } from './settle-payout.ts'

/** Above 10,000 a payout waits for operators, and nothing else is sent without a call. */
const sharedApp = share((ending) =>
  startTestApp(ending, {
    settings: { PAYOUT_APPROVAL_ABOVE: '10000' },
    logLevel: 'warn',
    logTo: (line) => logged.push(line),
  }),
)
const logged: string[] = []

/** What the log says of a payout: the event, and what happened. */
const logOf = (wireId: string): string[] =>
  logged
    .map((line) => JSON.parse(line))
    .filter((line) => line.payout_id === wireId)
    .map(({ event, outcome, verdict, alert }) => [event, outcome ?? verdict, ...(alert ? ['alert'] : [])].join(' '))

const keyOf = (wireId: string): { home: number; id: string } => {
  const id = fromWire('po', wireId)!
  return { home: homeOfId(id), id }
}

test('a process that may not send a payout cancels nothing that another one has claimed meanwhile', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const { id, fee } = (await ask(app, key)).body.data
  const only = keyOf(id)
  const claim = async (): Promise<DuePayout> => {
    await app.owner.pool.query('update provider_payouts set next_attempt_at = now() where payout_id = $1', [only.id])
    return (await claimDuePayouts(app.db, { limit: 1, leaseSeconds: 60, lane: 'single', only }))[0]!
  }
  // The lease of the first one expires.
  const [late, now] = [await claim(), await claim()]
  await cancelUnsent(app.deps, late, 'account_suspended')
  assert.equal((await read(app, key, id)).status, 'pending')
  assert.deepEqual(await balance(app, key), [80_000 - fee, 20_000 + fee])
  await cancelUnsent(app.deps, now, 'account_suspended')
  const { token } = await app.admin()
  const shown = (await app.call('GET', `/v1/admin/payouts/${id}`, { token })).body.data
  // It is neither a refund nor the return of a break.
  assert.deepEqual([shown.status, shown.break_id, shown.refund_id, shown.refund_of], ['cancelled', null, null, null])
  assert.deepEqual(await balance(app, key), [100_000, 0])
  // An answer or a message that arrives after the end makes no process ask the provider again.
  await scheduleCheck(app.db, only, 60)
  await checkPayoutSoon(app.db, only)
  const due = await app.owner.pool.query('select next_attempt_at as at from provider_payouts where payout_id = $1', [only.id])
  assert.deepEqual(due.rows, [{ at: null }])
})

test('a stopped batch takes back its own rows that no process has claimed, and nothing else of the wallet', async () => {
  const app = await sharedApp()
  const student = await richStudent(app)
  const [stopped, other] = [await running(app, student, fileOf(3)), await running(app, student, fileOf(2))]
  const batches = [stopped, other].map(({ id }) => fromWire('pb', id))
  await app.owner.pool.query(
    `update provider_payouts set state = 'claimed', first_sent_at = now() where payout_id = (select id from payouts where batch_id = $1 and batch_row = 2)`,
    [batches[0]],
  )
  const [, reserved] = await balance(app, student.key)
  const { token } = student
  const { appId } = await app.key(student)
  const hook = { url: 'http://127.0.0.1:9999/hook', events: ['payout.cancelled'] }
  const made = await app.call('POST', `/developers/apps/${appId}/webhook`, { token, body: hook })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  let hurried = 0
  app.deps.notifications.on('webhooks_due', () => (hurried += 1))
  const answer = await app.call('POST', `/v1/payout-batches/${stopped.id}/stop`, { key: student.key })
  assert.deepEqual([short(answer), answer.body.data.progress.cancelled], ['200', 2])
  const { rows } = await app.owner.pool.query(
    `select wire_id('pb', p.batch_id) as batch, p.status, c.state, count(*)::integer
      from payouts p join provider_payouts c on c.home = p.home and c.payout_id = p.id
      where p.batch_id = any($1) group by 1, 2, 3 order by c.state`,
    [batches],
  )
  assert.deepEqual(rows, [
    { batch: stopped.id, status: 'pending', state: 'claimed', count: 1 },
    { batch: other.id, status: 'pending', state: 'queued', count: 2 },
    { batch: stopped.id, status: 'cancelled', state: 'withdrawn', count: 2 },
  ])
  assert.equal((await balance(app, student.key))[1], (reserved / 5) * 3)
  // The merchant's server learns it at once, and not at the worker's next look.
  await eventually('the webhooks are hurried', () => hurried > 0)
})

test('what holds the payouts of one wallet holds no other: not of its home, and not in live', async () => {
  const app = await sharedApp()
  const [student, neighbour] = [await paidStudent(app, 100_000, 7), await paidStudent(app, 100_000, 7)]
  const merchant = (await findMerchantByWire(app.db, student.userId))!
  const holds = async (): Promise<unknown[]> => {
    const other = (await findMerchantByWire(app.db, neighbour.userId))!
    const owners = [
      { merchant, environment: 'test' },
      { merchant, environment: 'live' },
      { merchant: other, environment: 'test' },
    ] as const
    return Promise.all(owners.map(async (owner) => (await readHold(app.db, owner))?.reason))
  }
  /** The reason, in both languages. */
  const said = async (): Promise<string[]> => {
    const { code, message, message_sw } = (await ask(app, student.key)).body.error
    assert.equal(code, 'payouts_on_hold')
    return [message, message_sw]
  }
  assert.equal((await ask(app, neighbour.key)).status, 201)
  const payout = keyOf((await ask(app, student.key)).body.data.id)
  const doubt = async (kind: 'payout_unknown' | 'payout_contradicts'): Promise<{ home: number; id: string }> => {
    const id = newMoneyId(payout.home)
    const finding = { home: payout.home, payoutId: payout.id, environment: 'test', kind, provider: 'snippe' } as const
    await openBreak(app.db, { ...finding, reference: kind, details: {} }, id)
    return { home: payout.home, id }
  }
  const resolved = (key: { home: number; id: string }) =>
    resolveBreak(app.db, key, { resolution: 'provider_was_wrong', by: 'usr_1' })
  const unknown = await doubt('payout_unknown')
  assert.deepEqual(await holds(), [undefined, undefined, undefined])
  const contradiction = await doubt('payout_contradicts')
  assert.deepEqual(await holds(), ['payout_under_review', undefined, undefined])
  assert.deepEqual(await said(), [
    'Payouts of this account are on hold. Nothing was debited. The provider sent contradictory answers about an earlier payout. Payouts continue when this is resolved.',
    'Kutuma pesa kwa akaunti hii kumesimamishwa. Hakuna kilichokatwa. Mtoa huduma anajipinga kuhusu pesa zilizotumwa awali. Kutuma pesa kutaendelea hilo likimalizika.',
  ])
  for (const key of [unknown, contradiction]) await resolved(key)
  assert.deepEqual(await holds(), [undefined, undefined, undefined])
  const small = async (): Promise<string> => {
    const { id } = (await ask(app, student.key, { amount: 5_000 })).body.data
    await ended(app, student.key, id, 'completed')
    return id
  }
  const owe = async (id: string): Promise<Date | undefined> => {
    await app.db.tx((tx) => countAsPaidThere(tx, keyOf(id), 200_000, { actor: 'usr_1', requestId: 'req_test' }))
    assert.deepEqual(await holds(), ['amount_owed', undefined, undefined])
    return (await readHold(app.db, { merchant, environment: 'test' }))?.since
  }
  const [first, second] = [await small(), await small()]
  assert.deepEqual(await owe(first), await owe(second), 'a debt that grows is as old as it was')
  await assert.rejects(owe(second), /already matches/, 'what is booked is not booked again')
  assert.deepEqual(await said(), [
    'Payouts of this account are on hold. Nothing was debited. The account owes money: the next payments repay it, then payouts continue.',
    'Kutuma pesa kwa akaunti hii kumesimamishwa. Hakuna kilichokatwa. Akaunti ina deni: malipo yajayo yatalilipa, kisha kutuma pesa kutaendelea.',
  ])
  await freezeMerchantPayouts(app.db, merchant, 'test', 'The books are looked at.')
  assert.deepEqual(await holds(), ['books_under_review', undefined, undefined])
  assert.deepEqual(await said(), [
    'Payouts of this account are on hold. Nothing was debited. Our operators are checking the account. Contact support.',
    'Kutuma pesa kwa akaunti hii kumesimamishwa. Hakuna kilichokatwa. Wasimamizi wetu wanaikagua akaunti. Wasiliana na msaada.',
  ])
})

test('a loss that was booked for a paid payout is taken back once, when the provider shows that the money came back', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key, { amount: 5_000, phone_number: '+255754000309' })).body.data
  await ended(app, key, id, 'reversed')
  const before = await balance(app, key)
  const breakId = newMoneyId(keyOf(id).home)
  const finding = { home: keyOf(id).home, payoutId: keyOf(id).id, environment: 'test', kind: 'payout_contradicts' } as const
  await openBreak(app.db, { ...finding, provider: 'snippe', reference: id, details: {} }, breakId)
  const cause = { actor: 'usr_1', requestId: 'req_test', breakId }
  const lost = () => app.owner.value(sql`select late_success from payouts where id = ${keyOf(id).id}`)
  await app.db.tx((tx) => writeOffPaid(tx, keyOf(id), {}, cause))
  assert.equal(await lost(), 'written_off')
  await app.db.tx((tx) => countAsReturned(tx, keyOf(id), cause))
  assert.equal(await lost(), null)
  await assert.rejects(
    app.db.tx((tx) => countAsReturned(tx, keyOf(id), cause)),
    /not completed/,
  )
  assert.deepEqual(await balance(app, key), before)
  await resolveBreak(app.db, { home: keyOf(id).home, id: breakId }, { resolution: 'write_off', by: 'usr_1' })
})

test('an erased person takes their name from their payouts, and from no others; a doubt that was decided does not keep it', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  const page = await app.page(student, { amount: 20_000 })
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754777789' })).body.data
  await app.settled(reference)
  const [own, other] = await Promise.all(
    ['777', '888'].map(async (digits) => {
      const { id } = (await ask(app, key, { amount: 5_000, phone_number: `+255754${digits}789` })).body.data
      await ended(app, key, id, 'completed')
      const at = keyOf(id)
      const breakId = newMoneyId(at.home)
      const finding = { home: at.home, payoutId: at.id, environment: 'test', kind: 'payout_amount_differs' } as const
      await openBreak(app.db, { ...finding, provider: 'snippe', reference: id, details: {} }, breakId)
      return { wireId: id as string, ...at, breakId }
    }),
  )
  await assert.rejects(erasePayer(app.deps, '+255754777789'), /1 payouts to it have not ended/)
  await resolveBreak(app.db, { home: own!.home, id: own!.breakId }, { resolution: 'provider_was_wrong', by: 'usr_1' })
  const { pseudonym, payments, payouts } = await erasePayer(app.deps, '+255754777789')
  assert.deepEqual([payments, payouts], [1, 1])
  const theirs = await payoutOrders.readOf(app.db, pseudonym)
  assert.deepEqual(
    theirs.map(({ id }) => id),
    [own!.id],
  )
  const names = async ({ wireId, id }: { wireId: string; id: string }): Promise<unknown[]> => {
    const { rows } = await app.owner.pool.query('select request_body from provider_payouts where payout_id = $1', [id])
    const { phone_number, recipient_name } = await read(app, key, wireId)
    return [phone_number, recipient_name, rows[0].request_body.includes('255754888789')]
  }
  assert.deepEqual(await names(own!), [pseudonym, pseudonym, false])
  assert.deepEqual(await names(other!), ['+255754888789', 'Asha Mushi', true])
  const fee = await app.call('GET', `/v1/payouts/fee?amount=5000&payment=${reference}`, { key })
  assert.equal(short(fee), '409 invalid_state')
  const headers = { 'idempotency-key': reference }
  const refund = await app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body: { amount: 5_000 } })
  assert.deepEqual([short(refund), refund.body.error.message], ['409 invalid_state', 'The payer of this payment was erased.'])
})

test('a payment whose credit was taken back is not refunded, although its wallet has the money', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const [{ reference }] = (await app.call('GET', '/v1/payments', { key })).body.data
  const setReversed = (at: string) =>
    app.owner.pool.query(`update payments set credit_reversed_at = ${at} where id = $1`, [fromWire('pay', reference)])
  await setReversed('now()')
  const headers = { 'idempotency-key': reference }
  const refund = await app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body: { amount: 5_000 } })
  assert.equal(short(refund), '409 invalid_state')
  await setReversed('null')
  assert.deepEqual(await balance(app, key), [100_000, 0])
})

test('an empty account at the provider alerts operators, also when its error names a reference', async (t) => {
  const app = await startTestApp(t, {
    logLevel: 'warn',
    logTo: (line) => logged.push(line),
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async sendPayout(request) {
          const outcome = await provider.sendPayout(request)
          if (outcome.kind !== 'accepted') return outcome
          const { reference } = outcome.snapshot
          return { kind: 'unknown', reason: 'payment_failed', reference, isOurFloat: true }
        },
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await app.deps.backgroundDone()
  assert.deepEqual(logOf(id), ['payout.float_empty unknown alert'])
})

test('the log alerts operators when our account is empty, and names each report that moves nothing', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const unpaid = (await ask(app, key, { amount: 5_000, phone_number: '+255754000319' })).body.data
  await ended(app, key, unpaid.id, 'failed')
  assert.deepEqual(logOf(unpaid.id), ['payout.float_empty rejected alert'])
  const { id } = (await ask(app, key, { amount: 5_000 })).body.data
  await ended(app, key, id, 'completed')
  await app.deps.backgroundDone()
  assert.deepEqual(logOf(id), [])
  const { rows } = await app.owner.pool.query('select provider_reference from provider_payouts where payout_id = $1', [
    keyOf(id).id,
  ])
  const { at, source } = silentOf(keyOf(id).id, rows[0].provider_reference)
  const verdictOf = async (changes: { provider?: string; environment?: 'live' }, amount: number | null): Promise<string> => {
    const { provider = source.provider, environment = at.environment } = changes
    const update = says(rows[0].provider_reference, 'completed', { amount })
    return (await settlePayout(app.deps, { ...at, environment }, { ...source, provider }, update)).verdict
  }
  assert.equal(await verdictOf({}, 5_000), 'unchanged')
  assert.equal(await verdictOf({ provider: 'clickpesa' }, 5_001), 'unknown_payout')
  assert.equal(await verdictOf({ environment: 'live' }, 5_001), 'unknown_payout')
  assert.equal(await verdictOf({}, 5_001), 'set_aside')
  assert.equal(await verdictOf({}, 5_002), 'ignored')
  assert.deepEqual(logOf(id), [
    'payout.message_ignored unknown_payout',
    'payout.message_ignored unknown_payout',
    'payout.report_differs set_aside',
    'payout.message_ignored ignored',
  ])
})

test('each end of a payout has its event, counted apart from other payouts and other ends', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const ids: string[] = []
  for (let made = 0; made < 2; made += 1) {
    const { id } = (await ask(app, key, { amount: 5_000, phone_number: '+255754000309' })).body.data
    await ended(app, key, id, 'reversed')
    ids.push(fromWire('po', id)!)
  }
  const { rows } = await app.owner.pool.query(
    `select type, count(*)::integer, max(occurrence) as last from events where payout_id = any($1) group by type order by type`,
    [ids],
  )
  assert.deepEqual(rows, [
    { type: 'payout.completed', count: 2, last: 1 },
    { type: 'payout.reversed', count: 2, last: 1 },
  ])
})

test('an order without a code was made with no key', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  await ask(app, key)
  await undone(app, async (client) => {
    await client.query('update provider_payouts set order_mac = null, approval_mac = null')
    for (const { name, count } of orderTables)
      assert.deepEqual(name.startsWith('provider_payouts') ? await count(runnerOf(client)) : [], [], name)
  })
})

test('after a restore, no payout is refused or expires, and no row leaves its batch, until it is known whether the provider has it', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '10000' } })
  const student = await richStudent(app)
  const { key } = student
  const { id } = (await ask(app, key)).body.data
  const batch = await running(app, student, fileOf(2))
  const shop = await openShop(app)
  const approver = await newMember(app, shop.owner, shop.businessId, 'approver')
  assert.equal(short(await shop.setRule({ above: 0, approvers: 1 })), '200')
  const asked = (await shop.request(shop.owner, 20_000)).body.data
  const { token } = await app.admin()
  const balances = async () => [await balance(app, key), await shop.balance()]
  const before = await balances()
  await markRestored(app.db, { id: randomUUID(), restoredTo: new Date() }, byCommandLine)

  const byOperator = () => app.call('POST', `/v1/admin/payouts/${id}/refuse`, { token, body: {} })
  assert.equal(short(await byOperator()), '409 invalid_state')
  const byMember = await shop.as(approver, 'POST', `/approvals/${asked.id}/refuse`, { version: 1, reason: 'Not this one.' })
  assert.equal(short(byMember), '409 invalid_state')
  await app.owner.pool.query(`update approval_requests set expires_at = clock_now() - interval '1 second'`)
  // What has to wait neither keeps the worker busy nor stands before what can end.
  assert.equal(await endUnapproved(app.deps, 1), 0)
  const stopped = await app.call('POST', `/v1/payout-batches/${batch.id}/stop`, { key })
  assert.deepEqual([short(stopped), stopped.body.data.progress.cancelled], ['200', 0])
  assert.deepEqual(await balances(), before)

  const reconciler = createReconciler(app.deps)
  await reconciler.plan()
  await drive(reconciler, 'daily')
  await reconciler.plan()
  assert.equal(short(await byOperator()), '200')
  assert.equal(await endUnapproved(app.deps, 10), 1)
  assert.deepEqual(await shop.balance(), [200_000, 0])
})
