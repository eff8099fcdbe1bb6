/** Payout orders that several processes claim, or whose process crashed: an order that may have been sent is never treated as unsent. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp, type TestApp } from '../../../test/app.ts'
import { fromWire } from '../../platform/ids.ts'
import { wrapProviders, type PayoutOutcome, type Provider } from '../../money/providers/provider.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import {
  ask,
  balance,
  ended,
  fund,
  paidStudent,
  providersOf,
  read,
  says,
  short,
  silentOf,
  silentPayout,
} from '../../../test/fixtures/payouts.ts'
import { checkPayouts } from './send-payout.ts'
import { settlePayout } from './settle-payout.ts'

const slowApp = share((ending) => startTestApp(ending, { simulator: { delayMs: 60_000 } }))

const wrapped =
  (instead: (provider: Provider) => Partial<Provider>) =>
  (deps: TestApp['deps']): TestApp['deps'] => ({
    ...deps,
    providers: wrapProviders(deps.providers, (provider) => ({ ...provider, ...instead(provider) })),
  })

const order = async (app: TestApp): Promise<any> =>
  (await app.owner.pool.query('select state, next_attempt_at, first_sent_at, provider_reference from provider_payouts')).rows[0]

const makeDue = (app: TestApp) => app.owner.pool.query('update provider_payouts set next_attempt_at = now()')

/** A call of ours that hangs until the test sets its outcome. */
function hanging(): { outcome: Promise<PayoutOutcome>; end(outcome: PayoutOutcome): void } {
  let end = (_outcome: PayoutOutcome): void => {}
  const outcome = new Promise<PayoutOutcome>((resolve) => (end = resolve))
  return { outcome, end: (value) => end(value) }
}

for (const late of [
  { kind: 'rejected', failure: 'provider_error', text: 'insufficient balance', isOurFloat: true },
  { kind: 'not_sent', reason: 'UND_ERR_CONNECT_TIMEOUT' },
] as const satisfies PayoutOutcome[]) {
  test(`a late answer to one process (${late.kind}) proves nothing about what another process has sent meanwhile`, async (t) => {
    const slow = hanging()
    let calls = 0
    const app = await startTestApp(t, {
      wrap: wrapped((provider) => ({
        async sendPayout(request) {
          calls += 1
          if (calls === 1) return slow.outcome
          await provider.sendPayout(request)
          return { kind: 'unknown', reason: 'ECONNRESET' }
        },
      })),
    })
    const { key } = await paidStudent(app)
    await app.control('POST', '/hold', { webhooks: true })
    const { id, fee } = (await ask(app, key)).body.data
    await eventually('the first call is in flight', async () => calls === 1)
    // Its lease expires: another process claims the order, and its answer is lost.
    await makeDue(app)
    await checkPayouts(app.deps, 1)
    assert.equal(calls, 2)
    slow.end(late)
    await app.deps.backgroundDone()
    assert.deepEqual([(await order(app)).state, (await read(app, key, id)).status], ['unknown', 'processing'])
    assert.equal(short(await app.call('POST', `/v1/payouts/${id}/cancel`, { key })), '409 invalid_state')
    assert.deepEqual(await balance(app, key), [80_000 - fee, 20_000 + fee])
  })
}

test('an error that names a reference binds it, and the payout is queried by it', async (t) => {
  let sends = 0
  const app = await startTestApp(t, {
    wrap: wrapped((provider) => ({
      async sendPayout(request) {
        sends += 1
        const outcome = await provider.sendPayout(request)
        if (outcome.kind !== 'accepted') return outcome
        return { kind: 'unknown', reason: 'payment_failed', reference: outcome.snapshot.reference }
      },
    })),
  })
  const { key } = await paidStudent(app)
  await app.control('POST', '/hold', { webhooks: true })
  const { id } = (await ask(app, key)).body.data
  await eventually('the call is recorded', async () => (await order(app)).state === 'accepted')
  const [there] = await providersOf(app)
  assert.equal((await order(app)).provider_reference, there.reference)
  await eventually('it is paid there', async () => (await providersOf(app))[0].status === 'completed')
  await makeDue(app)
  await checkPayouts(app.deps, 1)
  assert.deepEqual([(await read(app, key, id)).status, sends], ['completed', 1])
})

test('a record of the provider that belongs to another payout is not booked again: operators decide', async (t) => {
  let calls = 0
  const app = await startTestApp(t, {
    simulator: { delayMs: 60_000 },
    wrap: wrapped((provider) => ({
      async sendPayout(request) {
        calls += 1
        return calls === 1 ? provider.sendPayout(request) : { kind: 'unknown', reason: 'ECONNRESET' }
      },
    })),
  })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const first = await silentPayout(app, key)
  const { id } = (await ask(app, key, {}, randomUUID())).body.data
  await ended(app, key, id, 'processing')
  const reserved = await balance(app, key)
  const { at, source } = silentOf(fromWire('po', id)!, first.reference)
  assert.equal((await settlePayout(app.deps, at, source, says(first.reference, 'completed'))).verdict, 'set_aside')
  assert.deepEqual([(await read(app, key, id)).status, await balance(app, key)], ['processing', reserved])
  const { rows } = await app.owner.pool.query('select kind, payout_id from breaks where resolved_at is null')
  assert.deepEqual(rows, [{ kind: 'payout_reference_conflict', payout_id: at.id }])

  // The payout that it belongs to still ends by it.
  assert.equal((await settlePayout(app.deps, first.at, first.source, says(first.reference, 'completed'))).verdict, 'applied')
  assert.equal((await read(app, key, first.id)).status, 'completed')
})

test('a success without an amount is queried again, and escalated when no answer has an amount', async (t) => {
  let amount: number | null = null
  const app = await startTestApp(t, {
    simulator: { delayMs: 60_000 },
    wrap: wrapped((provider) => ({
      async fetchPayout(key) {
        const answer = await provider.fetchPayout(key)
        return answer.kind === 'found' ? { kind: 'found', snapshot: { ...answer.snapshot, status: 'completed', amount } } : answer
      },
    })),
  })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { id, reference, at, source } = await silentPayout(app, key)
  const reserved = await balance(app, key)
  const update = says(reference, 'completed', { amount: null })
  assert.equal((await settlePayout(app.deps, at, source, update)).verdict, 'unproven')
  assert.equal((await read(app, key, id)).status, 'processing')
  assert.deepEqual(await balance(app, key), reserved)
  assert.ok((await order(app)).next_attempt_at > new Date())
  for (let question = 0; question < 5; question += 1) {
    await makeDue(app)
    await checkPayouts(app.deps, 1)
  }
  const { rows } = await app.owner.pool.query('select kind from breaks where resolved_at is null')
  assert.deepEqual([rows, (await order(app)).next_attempt_at], [[{ kind: 'payout_unknown' }], null])
  assert.deepEqual(await balance(app, key), reserved)

  amount = 20_000
  assert.equal((await settlePayout(app.deps, at, source, says(reference, 'completed', { amount }))).verdict, 'applied')
  assert.equal((await read(app, key, id)).status, 'completed')
})

test('an order that may have been sent is not sent again while payouts are off, and continues when they are on', async (t) => {
  let calls = 0
  const app = await startTestApp(t, {
    wrap: wrapped((provider) => ({
      async sendPayout(request) {
        calls += 1
        return calls === 1 ? { kind: 'unknown', reason: 'ECONNRESET' } : provider.sendPayout(request)
      },
    })),
  })
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await ended(app, key, id, 'processing')
  // The first request was lost in flight: a request sent now would be the first that arrives.
  await app.deps.switches.freezePayouts('The books do not hold: I2.')
  await makeDue(app)
  await checkPayouts(app.deps, 1)
  assert.deepEqual([calls, (await providersOf(app)).length], [1, 0])
  const { state, next_attempt_at } = await order(app)
  assert.deepEqual([state, next_attempt_at > new Date()], ['unknown', true])
  const admin = await app.admin()
  await app.call('PUT', '/v1/admin/switches/payouts', { token: admin.token, body: { state: 'on', reason: 'Put right.' } })
  await makeDue(app)
  await checkPayouts(app.deps, 1)
  await ended(app, key, id, 'completed')
  assert.equal((await providersOf(app)).length, 1)
})

test('an order that may have been sent is not sent again after the merchant lost the verification: it is escalated to operators', async (t) => {
  let calls = 0
  const app = await startTestApp(t, {
    wrap: wrapped(() => ({
      async sendPayout() {
        calls += 1
        return { kind: 'unknown', reason: 'ECONNRESET' }
      },
    })),
  })
  const { key, email } = await paidStudent(app)
  const { id, fee } = (await ask(app, key)).body.data
  await ended(app, key, id, 'processing')
  await setKycStatus(app.deps, email, 'rejected')
  await makeDue(app)
  await checkPayouts(app.deps, 1)
  assert.equal(calls, 1)
  const { rows } = await app.owner.pool.query('select kind, details from breaks where resolved_at is null')
  assert.deepEqual([rows.length, rows[0].kind], [1, 'payout_unknown'])
  const wallet = await app.owner.pool.query(
    `select kind, balance::integer from ledger_accounts where kind in ('wallet', 'payouts_reserved')`,
  )
  assert.deepEqual(Object.fromEntries(wallet.rows.map((row) => [row.kind, row.balance])), {
    wallet: 80_000 - fee,
    payouts_reserved: 20_000 + fee,
  })
})

test('a payout that waited for days in the queue is queried like any other when its answer is lost', async (t) => {
  let isAway = true
  let calls = 0
  const app = await startTestApp(t, {
    wrap: wrapped((provider) => ({
      async sendPayout(request) {
        if (isAway) return { kind: 'not_sent', reason: 'ECONNREFUSED' }
        calls += 1
        return calls === 1 ? { kind: 'unknown', reason: 'ECONNRESET' } : provider.sendPayout(request)
      },
    })),
  })
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await eventually('it could not be sent', async () => (await order(app)).state === 'unsent')
  await app.owner.pool.query(`update provider_payouts set first_sent_at = first_sent_at - interval '3 days'`)
  isAway = false
  for (let turn = 0; turn < 2; turn += 1) {
    await makeDue(app)
    await checkPayouts(app.deps, 1)
  }
  assert.equal(calls, 2)
  await ended(app, key, id, 'completed')
})

test('a provider message that arrives before the answer and differs from the payout can be decided by two operators', async (t) => {
  for (const resolution of ['payout_paid', 'payout_not_paid', 'ask_again'] as const) {
    const slow = hanging()
    const app = await startTestApp(t, { wrap: wrapped(() => ({ sendPayout: () => slow.outcome })) })
    const { key } = await paidStudent(app)
    const { id, fee } = (await ask(app, key)).body.data
    const payoutId = fromWire('po', id)!
    await eventually('it is in flight', async () => (await order(app)).state === 'claimed')
    const { rows } = await app.owner.pool.query('select home from payouts')
    const at = { home: rows[0].home, id: payoutId, environment: 'test' as const }
    const source = { provider: 'snippe', actor: 'provider:webhook', requestId: 'req_test' }
    const lie = says('ref-1', 'completed', resolution === 'payout_not_paid' ? { amount: 20_001 } : { ourReference: 'po_another' })
    assert.equal((await settlePayout(app.deps, at, source, lie)).verdict, 'set_aside')
    slow.end({ kind: 'unknown', reason: 'ECONNRESET' })
    await app.deps.backgroundDone()
    const [one, other] = [await app.admin(), await app.admin()]
    const [found] = (await app.call('GET', '/v1/admin/breaks?status=open', { token: one.token })).body.data
    const path = `/v1/admin/breaks/${found.id}`
    const proposed = await app.call('POST', `${path}/propose`, { token: one.token, body: { resolution, note: 'Statement.' } })
    const { proposed_at } = proposed.body.data.proposal
    const confirmed = await app.call('POST', `${path}/confirm`, { token: other.token, body: { resolution, proposed_at } })
    assert.equal(short(confirmed), '200')
    const expected = { payout_paid: 'completed', payout_not_paid: 'failed', ask_again: 'pending' }[resolution]
    assert.equal((await read(app, key, id)).status, expected)
    const wallet = { payout_paid: [80_000 - fee, 0], payout_not_paid: [100_000, 0], ask_again: [80_000 - fee, 20_000 + fee] }
    assert.deepEqual(await balance(app, key), wallet[resolution])
    if (resolution === 'ask_again') assert.notEqual((await order(app)).next_attempt_at, null)
  }
})

test('a reversal is accepted after operators have closed the break of an earlier contradiction', async () => {
  const app = await slowApp()
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { id, reference, at, source } = await silentPayout(app, key)
  const receive = async (status: 'completed' | 'failed' | 'reversed') =>
    (await settlePayout(app.deps, at, source, says(reference, status))).verdict
  assert.deepEqual(
    [await receive('completed'), await receive('failed'), await receive('completed'), await receive('reversed')],
    ['applied', 'set_aside', 'ignored', 'ignored'],
  )
  const [one, other] = [await app.admin(), await app.admin()]
  const [found] = (await app.call('GET', '/v1/admin/breaks?status=open', { token: one.token })).body.data
  const path = `/v1/admin/breaks/${found.id}`
  const body = { resolution: 'provider_was_wrong', note: 'Statement.' }
  const { proposed_at } = (await app.call('POST', `${path}/propose`, { token: one.token, body })).body.data.proposal
  const confirm = { resolution: 'provider_was_wrong', proposed_at }
  assert.equal(short(await app.call('POST', `${path}/confirm`, { token: other.token, body: confirm })), '200')
  // Evidence that operators have already decided on does not open a new break.
  assert.equal(await receive('failed'), 'ignored')
  assert.deepEqual((await app.call('GET', '/v1/admin/breaks?status=open', { token: one.token })).body.data, [])
  assert.deepEqual([await receive('reversed'), await receive('reversed')], ['applied', 'unchanged'])
  assert.equal((await read(app, key, id)).status, 'reversed')
  assert.deepEqual(await balance(app, key), [100_000, 0])
})

test('a payout that the provider reported as paid and then as failed goes back to the wallet once, when two operators have its proof', async () => {
  const app = await slowApp()
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { id, reference, at, source } = await silentPayout(app, key)
  const receive = async (status: 'completed' | 'failed') =>
    (await settlePayout(app.deps, at, source, says(reference, status))).verdict
  assert.deepEqual([await receive('completed'), await receive('failed')], ['applied', 'set_aside'])
  const [one, other] = [await app.admin(), await app.admin()]
  const [found] = (await app.call('GET', '/v1/admin/breaks?status=open', { token: one.token })).body.data
  const path = `/v1/admin/breaks/${found.id}`
  // It was paid by all we know: operators cannot decide that it was never paid.
  const never = { resolution: 'payout_not_paid', note: 'Statement.' }
  assert.equal(short(await app.call('POST', `${path}/propose`, { token: one.token, body: never })), '400 validation_error')
  const body = { resolution: 'payout_returned', note: 'The statement of the day shows it back.' }
  const { proposed_at } = (await app.call('POST', `${path}/propose`, { token: one.token, body })).body.data.proposal
  const confirm = { resolution: 'payout_returned', proposed_at }
  assert.equal(short(await app.call('POST', `${path}/confirm`, { token: other.token, body: confirm })), '200')
  assert.equal(short(await app.call('POST', `${path}/confirm`, { token: other.token, body: confirm })), '409 invalid_state')
  assert.equal((await read(app, key, id)).status, 'reversed')
  assert.deepEqual(await balance(app, key), [100_000, 0])
  // A failure now agrees with our books; a payment does not.
  assert.deepEqual([await receive('failed'), await receive('completed')], ['ignored', 'set_aside'])
})

test('an operator who queries a completed payout learns that it came back, even when the first answer is missing', async (t) => {
  let isSilent = true
  const app = await startTestApp(t, {
    wrap: wrapped((provider) => ({
      fetchPayout: async (key) => (isSilent ? { kind: 'indeterminate', reason: 'http_502' } : provider.fetchPayout(key)),
    })),
  })
  const { key } = await paidStudent(app)
  const { id, fee } = (await ask(app, key)).body.data
  await ended(app, key, id, 'completed')
  const [there] = await providersOf(app)
  await app.control('POST', '/hold', { webhooks: true })
  await app.control('POST', `/payouts/${there.reference}/answer`, { action: 'reverse' })
  const admin = await app.admin()
  const query = () => app.call('POST', `/v1/admin/payouts/${id}/query`, { token: admin.token })
  assert.equal((await query()).body.data.status, 'completed')
  assert.notEqual((await order(app)).next_attempt_at, null)
  isSilent = false
  await makeDue(app)
  await checkPayouts(app.deps, 1)
  assert.equal((await read(app, key, id)).status, 'reversed')
  assert.equal((await order(app)).next_attempt_at, null)
  assert.deepEqual(await balance(app, key), [100_000, 0])
  assert.ok(fee > 0)
  // More queries cannot change anything, so nothing is left to do.
  assert.equal((await query()).body.data.status, 'reversed')
  assert.equal((await order(app)).next_attempt_at, null)
})

test('an answer after two days counts: no break opens for the payout that it ends', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 } })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { id, reference } = await silentPayout(app, key)
  await app.control('POST', '/hold', { webhooks: true })
  await app.control('POST', `/payouts/${reference}/answer`, { action: 'complete' })
  await app.owner.pool.query(`update provider_payouts set first_sent_at = first_sent_at - interval '3 days'`)
  await makeDue(app)
  await checkPayouts(app.deps, 1)
  assert.equal((await read(app, key, id)).status, 'completed')
  assert.deepEqual((await app.owner.pool.query('select kind from breaks')).rows, [])
})

test('an order that was changed in the database is not sent: an alert, a break, and the money stays reserved', async (t) => {
  const lines: any[] = []
  const app = await startTestApp(t, {
    settings: { PAYOUT_APPROVAL_ABOVE: '10000' },
    logLevel: 'error',
    logTo: (line) => lines.push(JSON.parse(line)),
  })
  const { key } = await paidStudent(app)
  const { id, fee } = (await ask(app, key)).body.data
  const query = (text: string) => app.owner.pool.query(text)
  const kept = (await query('select request_body from provider_payouts')).rows[0].request_body as string
  for (const [forge, correct] of [
    [
      `update provider_payouts set request_body = replace(request_body, '255754000123', '255754000999')`,
      `update provider_payouts set request_body = '${kept}'`,
    ],
    [`update payouts set phone_number = '+255754000999'`, `update payouts set phone_number = '+255754000123'`],
    // Both columns, so that they agree with each other.
    [
      `update provider_payouts set request_body = replace(request_body, '20000', '90000'); update payouts set amount = 90000`,
      `update provider_payouts set request_body = '${kept}'; update payouts set amount = 20000`,
    ],
    // The approval alone.
    ['select 1', 'select 1'],
    [
      `update payouts set approval_by = null, approval = 'none'`,
      `update payouts set approval = 'required', approval_by = 'operators'`,
    ],
  ] as const) {
    await query(`update payouts set approval = 'approved'`)
    await query(`set session_replication_role = replica; ${forge}; reset session_replication_role`)
    await makeDue(app)
    await checkPayouts(app.deps, 1)
    assert.deepEqual(await providersOf(app), [], forge)
    const { state, next_attempt_at } = await order(app)
    assert.deepEqual([state, next_attempt_at], ['queued', null], forge)
    const { rows } = await query(`select kind, details ->> 'reason' as reason from breaks where resolved_at is null`)
    assert.deepEqual(rows, [{ kind: 'payout_unknown', reason: 'forged_order' }])
    await query(correct)
    await query(`update payouts set approval = 'required'`)
    await query('delete from breaks')
  }
  assert.equal(lines.filter(({ event }) => event === 'order.forged').length, 5)
  assert.deepEqual(await balance(app, key), [80_000 - fee, 20_000 + fee])
  await query(`set session_replication_role = replica; update payouts set held = false; reset session_replication_role`)
  assert.equal(
    (await app.call('POST', `/v1/admin/payouts/${id}/approve`, { token: (await app.admin()).token, body: {} })).status,
    200,
  )
  await checkPayouts(app.deps, 1)
  await ended(app, key, id, 'completed')
})

test('an order with the code of its approval is not sent when it was changed, or has no code of its own', async (t) => {
  let isAway = true
  let calls = 0
  const app = await startTestApp(t, {
    wrap: wrapped((provider) => ({
      async sendPayout(request) {
        if (isAway) return { kind: 'not_sent', reason: 'ECONNREFUSED' }
        calls += 1
        return provider.sendPayout(request)
      },
    })),
  })
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await eventually('it could not be sent', async () => (await order(app)).state === 'unsent')
  isAway = false
  const query = (text: string) => app.owner.pool.query(text)
  const { request_body, order_mac } = (await query('select request_body, order_mac from provider_payouts')).rows[0]
  for (const forge of [`request_body = replace(request_body, '255754000123', '255754000999')`, 'order_mac = null']) {
    await query(`update provider_payouts set ${forge}`)
    await makeDue(app)
    await checkPayouts(app.deps, 1)
    assert.equal(calls, 0, forge)
    const { rows } = await query(`select details ->> 'reason' as reason from breaks`)
    assert.deepEqual(rows, [{ reason: 'forged_order' }], forge)
    await query(
      `update provider_payouts set request_body = '${request_body}', order_mac = '${order_mac}'; delete from breaks; update payouts set held = false`,
    )
  }
  await makeDue(app)
  await checkPayouts(app.deps, 1)
  await ended(app, key, id, 'completed')
})
