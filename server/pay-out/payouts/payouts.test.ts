/**
 * Payouts over real HTTP against the simulator: every shilling is in the wallet, in flight, or paid, for all requests, answers and
 * losses.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { payoutStatuses } from '../../domain/payout.ts'
import { eventually, share, startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { setKycStatus } from '../../merchants/onboarding/decide-by-operator.ts'
import { fromWire, homeOfId } from '../../platform/ids.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { returnsToWallet, payoutTransitions } from './payout.ts'
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
  silentPayout,
  type Fields,
  type SilentPayout,
} from '../../../test/fixtures/payouts.ts'
import { acceptReportsAgain } from './payout.sql.ts'
import { checkPayouts } from './send-payout.ts'
import { settlePayout, type PayoutUpdate } from './settle-payout.ts'

const slowApp = share((ending) => startTestApp(ending, { simulator: { delayMs: 60_000 } }))

const sharedApp = share((ending) => startTestApp(ending))

const lines = async (app: TestApp, key: string): Promise<[string, string, number, number][]> =>
  (await app.call('GET', '/v1/transactions?direction=all', { key })).body.data
    .filter(({ type }: Fields) => type !== 'payment')
    .map(({ type, direction, amount, balance_after }: any) => [type, direction, amount, balance_after])

test('the database holds the same transitions as the service, and refuses every other move', async () => {
  const app = await sharedApp()
  const { rows } = await app.owner.pool.query('select from_status, to_status, gives_back from payout_transitions')
  const expected = payoutStatuses.flatMap((from) =>
    payoutTransitions[from].map((to) => `${from} ${to} ${returnsToWallet.has(to)}`),
  )
  assert.deepEqual(rows.map((row) => `${row.from_status} ${row.to_status} ${row.gives_back}`).toSorted(), expected.toSorted())
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await ended(app, key, id, 'completed')
  await assert.rejects(
    app.owner.pool.query(`update payouts set status = 'failed', failure_code = 'provider_error' where id = $1`, [
      fromWire('po', id),
    ]),
    /a completed payout cannot become failed/,
  )
})

test('a payout debits the wallet with amount and fee, arrives once, and both lines are in the list', async (t) => {
  const app = await startTestApp(t)
  const { key } = await paidStudent(app)
  const { body: quoted } = await app.call('GET', '/v1/payouts/fee?amount=20000', { key })
  const { fee } = quoted.data
  assert.deepEqual(quoted.data, {
    amount: 20_000,
    fee,
    total_debited: 20_000 + fee,
    currency: 'TZS',
    network: null,
    warnings: [],
    last_paid_name: null,
    duplicate_of: null,
  })
  const { body: toHalotel } = await app.call('GET', '/v1/payouts/fee?amount=20000&phone_number=0624000123', { key })
  assert.equal(toHalotel.data.network, 'halotel')
  const answer = await ask(app, key, { narration: 'Rent', reference: 'R-1', metadata: { order: '7' } })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const { id, created_at, status, ...payout } = answer.body.data
  assert.match(id, /^po_/)
  assert.ok(created_at && ['pending', 'processing'].includes(status))
  assert.deepEqual(payout, {
    amount: 20_000,
    fee,
    total_debited: 20_000 + fee,
    currency: 'TZS',
    phone_number: '+255754000123',
    recipient_name: 'Asha Mushi',
    network: 'mpesa',
    narration: 'Rent',
    merchant_reference: 'R-1',
    reference: 'R-1',
    metadata: { order: '7' },
    warnings: [],
    approval: 'none',
    approval_by: null,
    waits_until: null,
    failure: null,
    under_review: null,
    hold: null,
    batch_id: null,
    environment: 'test',
    completed_at: null,
    reversed_at: null,
  })
  const done = await ended(app, key, id, 'completed')
  assert.ok(done.completed_at)
  assert.deepEqual(await balance(app, key), [80_000 - fee, 0])
  assert.deepEqual(await lines(app, key), [
    ['fee', 'debit', fee, 80_000 - fee],
    ['payout', 'debit', 20_000, 80_000],
  ])
  const { data } = (await app.call('GET', '/v1/transactions?direction=debit&type=payout', { key })).body
  assert.deepEqual([data[0].payout_id, data[0].network, data[0].description], [id, 'mpesa', 'Rent'])
  assert.equal(data[0].reference, 'R-1')
  const [there, ...more] = await providersOf(app)
  assert.deepEqual(
    [more.length, there.status, there.amount, there.create_calls ?? there.createCalls ?? 1],
    [0, 'completed', 20_000, 1],
  )
  await ended(app, key, (await ask(app, key)).body.data.id, 'completed')
  const ofPayout = (query: string) => app.call('GET', `/v1/transactions?${query}`, { key })
  assert.deepEqual(
    (await ofPayout(`direction=all&payout_id=${id}`)).body.data.map((line: any) => [line.type, line.payout_id, line.reference]),
    [
      ['fee', id, 'R-1'],
      ['payout', id, 'R-1'],
    ],
  )
  assert.deepEqual((await ofPayout(`payout_id=${id}`)).body.data, [], 'the default direction is credit')
  assert.equal((await ofPayout('payout_id=pay_1')).status, 400)
  const stranger = await paidStudent(app, 1_000)
  const theirs = await app.call('GET', `/v1/transactions?direction=all&payout_id=${id}`, { key: stranger.key })
  assert.deepEqual(theirs.body.data, [])
})

test('a payout that fails, that our account cannot pay, or that is reversed returns everything to the wallet, once [P34]', async () => {
  const app = await sharedApp()
  const { key, token } = await paidStudent(app)
  const notFound = (await ask(app, key, { phone_number: '+255754000089' })).body.data
  const failed = await ended(app, key, notFound.id, 'failed')
  assert.equal(failed.failure.code, 'recipient_not_found')
  const unpaid = (await ask(app, key, { phone_number: '+255754000319' })).body.data
  const rejected = await ended(app, key, unpaid.id, 'failed')
  // Merchants must not see that our own account is empty.
  assert.deepEqual([rejected.failure.code, /balance/i.test(JSON.stringify(rejected.failure))], ['provider_error', false])
  assert.deepEqual(await balance(app, key), [100_000, 0])
  const { fee } = failed
  const reversed = (await ask(app, key, { phone_number: '+255754000309' })).body.data
  const back = await ended(app, key, reversed.id, 'reversed')
  assert.ok(back.completed_at && back.reversed_at)
  assert.deepEqual(await balance(app, key), [100_000, 0])
  const total = 20_000 + fee
  assert.deepEqual((await lines(app, key)).slice(0, 3), [
    ['payout_reversal', 'credit', total, 100_000],
    ['fee', 'debit', fee, 100_000 - total],
    ['payout', 'debit', 20_000, 80_000],
  ])
  const month = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
  const statement = await app.call('GET', `/v1/merchant/statement?environment=test&month=${month}`, { token })
  const { totals, closing_balance } = statement.body.data
  const given = totals.find(({ type }: Fields) => type === 'payout_reversal')
  assert.deepEqual([given.count, given.amount, closing_balance], [3, 3 * total, 100_000])
})

test('a payout is read with its history: requested, sent, ended, and its lines in the wallet', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const timelineOf = async (id: string): Promise<unknown[]> =>
    (await read(app, key, id)).timeline.map(({ type, status, kind, direction, amount, balance_after }: Fields) =>
      type === 'transaction' ? [kind, direction, amount, balance_after] : (status ?? type),
    )
  const paid = (await ask(app, key)).body.data
  const { fee } = await ended(app, key, paid.id, 'completed')
  const left = 80_000 - fee
  assert.deepEqual(await timelineOf(paid.id), [
    'pending',
    ['payout', 'debit', 20_000, 80_000],
    ['fee', 'debit', fee, left],
    'sent',
    'completed',
  ])
  const refused = (await ask(app, key, { phone_number: '+255754000089' })).body.data
  await ended(app, key, refused.id, 'failed')
  const [, , , ...rest] = await timelineOf(refused.id)
  assert.deepEqual(rest, ['sent', 'failed', ['payout_reversal', 'credit', 20_000 + fee, left]])
  const reversed = (await ask(app, key, { phone_number: '+255754000309' })).body.data
  await ended(app, key, reversed.id, 'reversed')
  const [, , , ...steps] = await timelineOf(reversed.id)
  assert.deepEqual(steps, ['sent', 'completed', 'reversed', ['payout_reversal', 'credit', 20_000 + fee, left]])
})

test('fifty requests under one key make one payout; another body under it is refused [F33]', async (t) => {
  const app = await startTestApp(t)
  const { key } = await paidStudent(app)
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(app, key, {}, 'order-1')))
  assert.deepEqual(new Set(answers.map(short)), new Set(['201', '200']))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
  const { id, fee } = answers[0]!.body.data
  await ended(app, key, id, 'completed')
  assert.deepEqual(await balance(app, key), [80_000 - fee, 0])
  assert.equal((await providersOf(app)).length, 1)
  const replay = await ask(app, key, { phone_number: '0754 000 123' }, 'order-1')
  assert.deepEqual(
    [short(replay), replay.headers.get('idempotency-replayed'), replay.body.data.status],
    ['200', 'true', 'completed'],
  )
  const other = await ask(app, key, { amount: 30_000 }, 'order-1')
  assert.deepEqual([short(other), JSON.stringify(other.body).includes(id)], ['422 idempotency_key_reused', false])
  // A key in the body is the same key.
  assert.equal((await ask(app, key, { idempotency_key: 'order-1' }, null)).body.data.id, id)
  // Another wallet is another scope.
  const stranger = await paidStudent(app)
  assert.equal(short(await ask(app, stranger.key, {}, 'order-1')), '201')
})

test('a hundred payouts of the whole balance at once: one is accepted, and nothing is overdrawn [F32, P38]', async () => {
  const app = await sharedApp()
  const { key, token } = await paidStudent(app, 50_000)
  // A key may send a hundred requests a second.
  const { key: second } = await app.key({ token } as Student)
  const { fee } = (await app.call('GET', '/v1/payouts/fee?amount=20000', { key })).body.data
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, turn) => ask(app, turn % 2 ? key : second, { amount: 50_000 - fee })),
  )
  const counts = new Map<string, number>()
  for (const answer of answers) counts.set(short(answer), (counts.get(short(answer)) ?? 0) + 1)
  assert.deepEqual([counts.get('201'), counts.get('402 insufficient_balance')], [1, 99], JSON.stringify([...counts]))
  const refused = answers.find(({ status }) => status === 402)!
  assert.equal(refused.body.error.details.available, 0)
  assert.equal(refused.body.error.type, 'payment')
  const { id } = answers.find(({ status }) => status === 201)!.body.data
  await ended(app, key, id, 'completed')
  assert.deepEqual(await balance(app, key), [0, 0])
})

const codesOf = (warnings: { code: string }[]): string[] => warnings.map(({ code }) => code)

test('the same number, amount and reference within a day warns, before and in the answer, and never for a repeat of the same key [R11]', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app, 300_000, 7)
  const pay = async (fields: Fields = {}, idempotencyKey?: string) => {
    const { status, body } = await ask(app, key, { amount: 5_000, ...fields }, idempotencyKey)
    assert.ok(status === 200 || status === 201, JSON.stringify(body))
    return body.data
  }
  const before = async (fields: Record<string, string> = {}) => {
    const query = new URLSearchParams({ amount: '5000', phone_number: '0754000123', recipient_name: 'Asha Mushi', ...fields })
    const { warnings, duplicate_of } = (await app.call('GET', `/v1/payouts/fee?${query.toString()}`, { key })).body.data
    return [codesOf(warnings), duplicate_of]
  }
  assert.deepEqual(await before(), [[], null])
  const first = await pay({}, 'first')
  assert.deepEqual(first.warnings, [])
  assert.deepEqual((await pay({}, 'first')).warnings, [], 'a repeat of the key')
  assert.deepEqual(await before(), [['possible_duplicate'], { id: first.id, created_at: first.created_at }])
  for (const other of [{ amount: 5_001 }, { reference: 'R-1' }, { phone_number: '+255754000124' }]) {
    assert.deepEqual((await pay(other)).warnings, [], JSON.stringify(other))
  }
  const second = await pay()
  assert.deepEqual(codesOf(second.warnings), ['possible_duplicate'])
  assert.match(second.warnings[0].message, /in the last 24 hours/)
  assert.deepEqual((await read(app, key, second.id)).warnings, second.warnings)
  assert.deepEqual(codesOf((await pay({ reference: 'R-1' })).warnings), ['possible_duplicate'])
  assert.deepEqual((await before({ reference: 'R-1' }))[0], ['possible_duplicate'])
  assert.deepEqual(await before({ reference: 'R-2' }), [[], null])

  const stranger = await paidStudent(app, 100_000, 7)
  assert.deepEqual((await ask(app, stranger.key, { amount: 5_000 })).body.data.warnings, [])
  // One whose money came back is no double, nor one of the day before.
  const failing = { phone_number: '+255754000089' }
  await ended(app, key, (await pay(failing)).id, 'failed')
  assert.deepEqual((await pay(failing)).warnings, [])
  await app.owner.pool.query(
    `update payouts set created_at = created_at - interval '24 hours' where phone_number = '+255754000123'`,
  )
  assert.deepEqual(await before(), [[], null])
  assert.deepEqual((await pay()).warnings, [])
})

test('of the same payout requested five times at once under different keys, four warn', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask(app, key, { amount: 5_000, reference: 'at once' })))
  for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body))
  const warned = answers.map(({ body }) => codesOf(body.data.warnings).join()).toSorted()
  assert.deepEqual(warned, ['', ...Array.from({ length: 4 }, () => 'possible_duplicate')])
})

test('repeats of one payout request do not count against the payouts of a minute', async (t) => {
  // The limit of the key itself is never reached, however fast the answers come.
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'payout=30/60' } })
  const { key } = await paidStudent(app)
  const { quota } = app.config.limits.policies.payout
  const repeated = randomUUID()
  const statuses = new Set<string>()
  for (let sent = 0; sent < quota + 5; sent += 25) {
    const answers = await Promise.all(Array.from({ length: 25 }, () => ask(app, key, {}, repeated)))
    for (const answer of answers) statuses.add(short(answer))
    // The first requests arrive at once: before there is a payout to repeat, each of them may create it.
    if (sent === 0) await ended(app, key, answers[0]!.body.data.id, 'completed')
  }
  assert.deepEqual([...statuses].toSorted(), ['200', '201'])
  assert.equal(short(await ask(app, key)), '201')
})

test('bad requests are refused in the contract’s order and debit nothing', async (t) => {
  const app = await startTestApp(t)
  const { key, token } = await paidStudent(app)
  const cases: [Fields, string | null, string][] = [
    [{}, null, '400 idempotency_key_required'],
    [{}, 'x'.repeat(256), '400 validation_error'],
    [{ idempotency_key: 'other' }, 'one', '400 validation_error'],
    [{ amount: 4_999 }, 'k', '400 amount_too_small'],
    [{ amount: 10_000_001 }, 'k', '400 amount_too_large'],
    [{ amount: 20_000.5 }, 'k', '400 amount_invalid'],
    [{ amount: '20000' }, 'k', '400 amount_invalid'],
    [{ amount: undefined }, 'k', '400 validation_error'],
    [{ phone_number: '+254712345678' }, 'k', '400 phone_invalid'],
    [{ phone_number: '+255734000123' }, 'k', '400 network_unsupported'],
    [{ recipient_name: ' ' }, 'k', '400 validation_error'],
    [{ recipient_name: 'A\nB' }, 'k', '400 validation_error'],
    [{ status: 'completed' }, 'k', '400 validation_error'],
    [{ amount: 100_000 }, 'k', '402 insufficient_balance'],
  ]
  for (const [fields, idempotencyKey, expected] of cases) {
    assert.equal(short(await ask(app, key, fields, idempotencyKey)), expected, JSON.stringify([fields, idempotencyKey]))
  }
  const newcomer = await app.student({ verified: false })
  const { key: theirs } = await app.key(newcomer)
  assert.equal(short(await ask(app, theirs)), '403 kyc_required')
  const { key: readOnly } = await app.key({ ...newcomer, token }, 'test', ['payouts:read'])
  assert.equal(short(await ask(app, readOnly)), '403 insufficient_scope')
  assert.deepEqual(await balance(app, key), [100_000, 0])
  assert.equal((await providersOf(app)).length, 0)
})

test('what the provider refuses already when it is asked for its fee is refused with its reason, in both languages', async (t) => {
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        quotePayout: async () => ({ kind: 'refused', failure: 'recipient_not_found', text: 'x', isOurFloat: false }),
      })),
    }),
  })
  const student = await paidStudent(app)
  const [payment] = (await app.call('GET', '/v1/payments', { key: student.key })).body.data
  const fee = `/v1/payouts/fee?amount=20000`
  const refund = { headers: { 'idempotency-key': 'r' }, body: { amount: 20_000 } }
  const ofPayout = [await ask(app, student.key), await app.call('GET', `${fee}&phone_number=0754123789`, { key: student.key })]
  const ofRefund = [
    await app.call('POST', `/v1/payments/${payment.reference}/refunds`, { key: student.key, ...refund }),
    await app.call('GET', `${fee}&payment=${payment.reference}`, { key: student.key }),
  ]
  for (const answer of [...ofPayout, ...ofRefund]) {
    assert.equal(short(answer), '400 validation_error')
    assert.match(answer.body.error.message, /^The provider refuses this payout\. This number has no mobile money account\./)
    assert.match(
      answer.body.error.message_sw,
      /^Mtoa huduma amekataa kutuma pesa hii\. Namba hii haina akaunti ya pesa za simu\./,
    )
  }
  for (const { body } of ofPayout) {
    const { param, message, message_sw, errors } = body.error
    assert.equal(param, 'phone_number')
    assert.deepEqual(errors, [{ field: 'phone_number', code: 'recipient_not_found', message, message_sw }])
  }
  // The phone that paid cannot be changed: another way remains.
  for (const { body } of ofRefund) {
    assert.equal(body.error.errors, undefined)
    assert.match(body.error.message, /Give the money back yourself, and record it\.$/)
    assert.match(body.error.message_sw, /Irudishe mwenyewe, kisha uiandike hapa\.$/)
  }
  assert.deepEqual(await balance(app, student.key), [100_000, 0])
})

test('a test key moves test money only, and payouts are their owner’s alone [A68]', async () => {
  const app = await sharedApp()
  // Both wallets are in one home: only the filter by owner separates them.
  const { key, token } = await paidStudent(app, 100_000, 7)
  const stranger = await app.student({ home: 7 })
  const { key: theirs } = await app.key(stranger)
  const { key: live } = await app.key({ token } as Student, 'live')
  const { id } = (await ask(app, key)).body.data
  await ended(app, key, id, 'completed')
  for (const other of [theirs, live]) {
    assert.equal((await app.call('GET', `/v1/payouts/${id}`, { key: other })).status, 404)
    assert.equal((await app.call('POST', `/v1/payouts/${id}/cancel`, { key: other, body: { nonsense: 1 } })).status, 404)
    assert.deepEqual((await app.call('GET', '/v1/payouts', { key: other })).body.data, [])
  }
  const { rows } = await app.owner.pool.query(`select from ledger_transfers where environment = 'live'`)
  assert.equal(rows.length, 0)
  // The owner sees the same when signed in.
  const own = await app.call('GET', '/v1/merchant/payouts?environment=test', { token })
  assert.deepEqual(
    own.body.data.map((payout: Fields) => payout['id']),
    [id],
  )
  assert.equal((await app.call('GET', `/v1/payouts?status=failed`, { key })).body.data.length, 0)
})

test('the signed-in owner pays out after a second identity check', async () => {
  const app = await sharedApp()
  const { token, key } = await paidStudent(app)
  const pay = () =>
    app.call('POST', '/v1/merchant/payouts?environment=test', {
      token,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
    })
  const made = await pay()
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await ended(app, key, made.body.data.id, 'completed')
  await app.owner.pool.query(`update sessions set authenticated_at = now() - interval '10 minutes'`)
  assert.equal(short(await pay()), '401 step_up_required')
})

test('a payout that no operator has approved waits, and an operator decides', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '30000' } })
  const { key } = await paidStudent(app, 500_000)
  const [admin, other] = [await app.admin(), await app.admin()]
  const small = (await ask(app, key, { amount: 30_000 })).body.data
  await ended(app, key, small.id, 'completed')
  const waiting = (await ask(app, key, { amount: 40_000 })).body.data
  assert.deepEqual([waiting.status, waiting.approval], ['pending', 'required'])
  const listed = async (query: string): Promise<string[]> =>
    (await app.call('GET', `/v1/admin/payouts?${query}`, { token: admin.token })).body.data.map((payout: Fields) => payout['id'])
  assert.deepEqual(await listed('environment=test&approval=required'), [waiting.id])
  assert.deepEqual(await listed('approval=required'), [waiting.id])
  assert.deepEqual(await listed('environment=live'), [])
  assert.deepEqual(await listed(''), [waiting.id, small.id])
  const first = await app.call('GET', '/v1/admin/payouts?limit=1', { token: admin.token })
  assert.deepEqual(await listed(`limit=1&cursor=${first.body.next_cursor}`), [small.id])
  const decide = (id: string, verb: string, token = admin.token) =>
    app.call('POST', `/v1/admin/payouts/${id}/${verb}`, { token, body: { note: 'Checked' } })
  const approved = await decide(waiting.id, 'approve')
  assert.equal(approved.status, 200, JSON.stringify(approved.body))
  await ended(app, key, waiting.id, 'completed')
  assert.equal(short(await decide(waiting.id, 'approve', other.token)), '409 invalid_state')
  assert.deepEqual([await listed('approval=required'), await listed('approval=approved')], [[], [waiting.id]])

  const before = await balance(app, key)
  const refused = (await ask(app, key, { amount: 50_000 })).body.data
  assert.equal((await decide(refused.id, 'refuse')).body.data.status, 'cancelled')
  const { failure } = await read(app, key, refused.id)
  assert.deepEqual([failure?.code, failure?.message], ['approval_refused', 'Its approval was refused.'])
  assert.deepEqual(await balance(app, key), before)
  const { body } = await app.call('GET', `/v1/admin/audit?object=${refused.id}`, { token: admin.token })
  assert.deepEqual([body.data[0].action, body.data[0].after.note], ['payout.refused', 'Checked'])
  // Operators cannot decide on payouts that they requested themselves.
  const own = (await ask(app, key, { amount: 60_000 })).body.data
  await app.owner.pool.query('update payouts set requested_by = $1 where id = $2', [admin.userId, fromWire('po', own.id)])
  assert.equal(short(await decide(own.id, 'approve')), '403 self_approval_forbidden')
  assert.equal((await decide(own.id, 'refuse', other.token)).status, 200)
  assert.equal((await providersOf(app)).length, 2)
})

test('operators accept the reports of one payout again, and of no other one of the same wallet', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  const [one, other] = [(await ask(app, key)).body.data.id, (await ask(app, key)).body.data.id]
  for (const id of [one, other]) await ended(app, key, id, 'completed')
  const ids = [one, other].map((id) => fromWire('po', id)!)
  await app.owner.pool.query('update payouts set held = true where id = any($1)', [ids])
  await app.db.tx((tx) => acceptReportsAgain(tx, { home: homeOfId(ids[0]!), id: ids[0]! }))
  const { rows } = await app.owner.pool.query('select id from payouts where held and id = any($1)', [ids])
  assert.deepEqual(rows, [{ id: ids[1] }])
  await app.owner.pool.query('update payouts set held = false where id = any($1)', [ids])
})

test('more payouts than the pool has connections can be refused at the same time', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '1' } })
  const { key } = await paidStudent(app, 500_000)
  const admin = await app.admin()
  const count = app.config.database.poolSize + 3
  const waiting = await Promise.all(Array.from({ length: count }, () => ask(app, key)))
  const answers = await Promise.all(
    waiting.map(({ body }) => app.call('POST', `/v1/admin/payouts/${body.data.id}/refuse`, { token: admin.token, body: {} })),
  )
  assert.deepEqual(answers.map(short), Array(count).fill('200'))
  assert.deepEqual(await balance(app, key), [500_000, 0])
})

test('a payout that waits can be cancelled; one in flight cannot', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '1' } })
  const { key, token, userId } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  const cancel = () => app.call('POST', `/v1/payouts/${id}/cancel`, { key })
  const both = await Promise.all([cancel(), cancel()])
  assert.deepEqual(both.map(short).toSorted(), ['200', '409 invalid_state'])
  assert.deepEqual(await balance(app, key), [100_000, 0])
  // By a person it is in the audit log, with their name.
  const own = (await ask(app, key)).body.data
  const byPerson = await app.call('POST', `/v1/merchant/payouts/${own.id}/cancel?environment=test`, { token })
  assert.equal(short(byPerson), '200')
  const { body: audit } = await app.call('GET', `/v1/admin/audit?object=${own.id}`, { token: (await app.admin()).token })
  assert.deepEqual(
    audit.data.map((entry: Fields) => [entry['action'], entry['actor']]),
    [['payout.cancelled', userId]],
  )
  const sent = await startTestApp(t)
  const rich = await paidStudent(sent)
  const payout = (await ask(sent, rich.key)).body.data
  await ended(sent, rich.key, payout.id, 'completed')
  assert.equal(short(await sent.call('POST', `/v1/payouts/${payout.id}/cancel`, { key: rich.key })), '409 invalid_state')

  // A payout that is being sent is still pending and may have been sent.
  let letGo = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  // Runs before the app is closed, because closing waits for sends in flight.
  t.after(() => letGo())
  const slow = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        sendPayout: async (request) => {
          await gate
          return provider.sendPayout(request)
        },
      })),
    }),
  })
  const patient = await paidStudent(slow)
  const leaving = (await ask(slow, patient.key)).body.data
  await eventually('it is being sent', async () => {
    const { rows } = await slow.owner.pool.query(`select 1 from provider_payouts where state = 'claimed'`)
    return rows.length === 1
  })
  assert.equal((await read(slow, patient.key, leaving.id)).status, 'pending')
  assert.equal(short(await slow.call('POST', `/v1/payouts/${leaving.id}/cancel`, { key: patient.key })), '409 invalid_state')
  letGo()
  await ended(slow, patient.key, leaving.id, 'completed')
})

test('a payout of a merchant whose verification is revoked before sending is not paid, and everything is returned [F39]', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { PAYOUT_APPROVAL_ABOVE: '1' } })
  const { key, email } = await paidStudent(app)
  const admin = await app.admin()
  const { id } = (await ask(app, key)).body.data
  await setKycStatus(app.deps, email, 'rejected')
  await app.call('POST', `/v1/admin/payouts/${id}/approve`, { token: admin.token })
  const payout = await eventually('it is cancelled', async () => {
    const { body } = await app.call('GET', `/v1/admin/payouts/${id}`, { token: admin.token })
    return body.data.status === 'cancelled' && body.data
  })
  assert.equal(payout.order_state, 'withdrawn')
  assert.equal((await providersOf(app)).length, 0)
  assert.deepEqual(await balance(app, key), [100_000, 0])
  const { body } = await app.call('GET', `/v1/admin/audit?object=${id}&action=payout.cancelled`, { token: admin.token })
  assert.equal(body.data[0].after.reason, 'account_not_verified')
})

test('completed and reversed are each booked once, in any order and any number of messages [P36, F38]', async () => {
  const app = await slowApp()
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const payout = await silentPayout(app, key)
  const settle = (payout: SilentPayout, update: PayoutUpdate) => settlePayout(app.deps, payout.at, payout.source, update)
  const verdicts: string[] = []
  for (const status of ['pending', 'completed', 'completed', 'pending', 'reversed', 'reversed'] as const) {
    verdicts.push((await settle(payout, says(payout.reference, status))).verdict)
  }
  assert.deepEqual(verdicts, ['unchanged', 'applied', 'unchanged', 'ignored', 'applied', 'unchanged'])
  // A message from before the reversal is late: the provider is queried for the current state.
  const reported = { ...payout.source, isReport: true }
  assert.equal((await settlePayout(app.deps, payout.at, reported, says(payout.reference, 'completed'))).verdict, 'to_confirm')
  assert.equal((await read(app, key, payout.id)).status, 'reversed')
  assert.deepEqual(await balance(app, key), [100_000, 0])
  // A reversal that arrives first means that a completion was missed.
  const second = await silentPayout(app, key)
  assert.equal((await settle(second, says(second.reference, 'reversed'))).verdict, 'applied')
  assert.deepEqual(await balance(app, key), [100_000, 0])
  // A message that says no more than what was expected is believed: no query, so no wait.
  const third = await silentPayout(app, key)
  const expected = { ...third.source, isReport: true }
  assert.equal((await settlePayout(app.deps, third.at, expected, says(third.reference, 'completed'))).verdict, 'applied')
})

test('a completion after the money was returned, another amount, another reference: nothing moves, a break opens', async () => {
  const app = await slowApp()
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 200_000)
  const settle = (payout: SilentPayout, update: PayoutUpdate) => settlePayout(app.deps, payout.at, payout.source, update)
  const breaksOf = async () =>
    (await app.owner.pool.query('select kind from breaks where payout_id is not null order by opened_at')).rows.map(
      ({ kind }) => kind,
    )

  const [first, second, third] = [await silentPayout(app, key), await silentPayout(app, key), await silentPayout(app, key)]
  await settle(first, says(first.reference, 'failed'))
  const afterFailure = await balance(app, key)
  assert.equal((await settle(first, says(first.reference, 'completed'))).verdict, 'set_aside')
  assert.deepEqual(await balance(app, key), afterFailure)

  assert.equal((await settle(second, says(second.reference, 'completed', { amount: 20_001 }))).verdict, 'set_aside')
  assert.equal((await read(app, key, second.id)).status, 'processing')

  assert.equal((await settle(third, says('other-reference', 'completed'))).verdict, 'set_aside')
  assert.equal((await settle(third, says('other-reference', 'completed'))).verdict, 'ignored')
  assert.deepEqual(await breaksOf(), ['payout_contradicts', 'payout_amount_differs', 'payout_reference_conflict'])
  const [, reserved] = await balance(app, key)
  assert.equal(reserved, 2 * (20_000 + 1_500))
  const { rows: events } = await app.owner.pool.query('select type from events where payout_id = $1', [fromWire('po', first.id)])
  assert.deepEqual(events, [{ type: 'payout.failed' }], 'what waits for operators is no second end')
})

test('while a network is down a payout waits and may be cancelled; while payouts are halted, no payout can start', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { key } = await paidStudent(app)
  const admin = await app.admin()
  const turn = async (name: string, state: 'on' | 'off') => {
    const body = { state, reason: 'Airtel cannot be reached.' }
    const answer = await app.call('PUT', `/v1/admin/switches/${name}`, { token: admin.token, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  await turn('test.payouts.mpesa', 'off')
  const [one, two] = [(await ask(app, key)).body.data, (await ask(app, key)).body.data]
  await eventually('both were looked at and not sent', async () => {
    const { rows } = await app.owner.pool.query(`select from provider_payouts where attempts > 0 and state = 'queued'`)
    return rows.length === 2
  })
  assert.deepEqual([(await read(app, key, one.id)).status, (await providersOf(app)).length], ['pending', 0])
  assert.equal((await app.call('POST', `/v1/payouts/${two.id}/cancel`, { key })).status, 200)
  await turn('test.payouts.mpesa', 'on')
  await app.owner.pool.query(`update provider_payouts set next_attempt_at = now() where state = 'queued'`)
  await ended(app, key, one.id, 'completed')
  assert.equal((await providersOf(app)).length, 1)

  await turn('test.payouts', 'off')
  assert.equal(short(await ask(app, key)), '503 provider_unavailable')
})

test('an answer that is lost is requested again under the same key: one payout [P33, F35]', async (t) => {
  const settings = { PAYMENT_CHECK_DELAYS_SECONDS: '0.2', CHARGE_CLAIM_LEASE_SECONDS: '1', PROVIDER_TIMEOUT_MS: '1000' }
  let lost = 0
  const app = await startTestApp(t, {
    worker: true,
    settings,
    // The provider executes it, and the connection breaks before its answer arrives.
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async sendPayout(request) {
          const outcome = await provider.sendPayout(request)
          lost += 1
          return lost <= 2 ? { kind: 'unknown', reason: 'ECONNRESET' } : outcome
        },
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const { id, fee } = (await ask(app, key)).body.data
  const done = await ended(app, key, id, 'completed')
  assert.equal(done.failure, null)
  assert.deepEqual(await balance(app, key), [80_000 - fee, 0])
  assert.equal((await providersOf(app)).length, 1)
})

test('a payout with an unknown outcome stays reserved, with a break [F36]', async (t) => {
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        sendPayout: async () => ({ kind: 'unknown', reason: 'http_502' }),
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const { id, fee } = (await ask(app, key)).body.data
  await ended(app, key, id, 'processing')
  await app.owner.pool.query(`update provider_payouts set first_sent_at = now() - interval '24 hours', next_attempt_at = now()`)
  await checkPayouts(app.deps, 10)
  assert.equal((await read(app, key, id)).status, 'processing')
  assert.deepEqual(await balance(app, key), [80_000 - fee, 20_000 + fee])
  const { rows } = await app.owner.pool.query(
    'select b.kind, p.next_attempt_at from breaks b join provider_payouts p using (home, payout_id)',
  )
  assert.deepEqual(rows, [{ kind: 'payout_unknown', next_attempt_at: null }])
})

test('a provider that cannot be reached debits nothing, and earlier payouts stay in the queue [F09]', async (t) => {
  let isAway = false
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        quotePayout: async (amount) =>
          isAway ? { kind: 'indeterminate', reason: 'ECONNREFUSED' } : provider.quotePayout(amount),
        sendPayout: async (request) => (isAway ? { kind: 'not_sent', reason: 'ECONNREFUSED' } : provider.sendPayout(request)),
      })),
    }),
  })
  const { key } = await paidStudent(app)
  isAway = true
  const refused = await ask(app, key)
  assert.deepEqual([short(refused), refused.headers.get('retry-after')], ['503 provider_unavailable', '30'])
  const unquoted = await app.call('GET', '/v1/payouts/fee?amount=20000', { key })
  assert.deepEqual([short(unquoted), unquoted.headers.get('retry-after')], ['503 provider_unavailable', '30'])
  assert.match(unquoted.body.error.message, /Try again in a minute/)
  assert.deepEqual(await balance(app, key), [100_000, 0])
  isAway = false
  const sent = ask(app, key)
  const { id } = (await sent).body.data
  await ended(app, key, id, 'completed')
})

test('a fee that cannot be right debits nothing and alerts', async (t) => {
  const logged: string[] = []
  let quote: { fee: number; total?: number } | undefined
  const app = await startTestApp(t, {
    logLevel: 'warn',
    logTo: (line) => logged.push(line),
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        quotePayout: async (amount) => (quote ? { kind: 'quoted', ...quote } : provider.quotePayout(amount)),
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const alerts = () => logged.filter((line) => line.includes('payout.quote_failed') && line.includes('"alert":true')).length
  const doubtful = [{ fee: 20_001 }, { fee: 50_000 }, { fee: 1_500, total: 21_000 }, { fee: 1_500, total: 1_500 }]
  for (quote of doubtful) assert.equal(short(await ask(app, key)), '503 provider_unavailable', JSON.stringify(quote))
  assert.equal(short(await app.call('GET', '/v1/payouts/fee?amount=20000', { key })), '503 provider_unavailable')
  assert.deepEqual([await balance(app, key), alerts()], [[100_000, 0], doubtful.length + 1])
  quote = { fee: 1_500, total: 21_500 }
  assert.equal((await ask(app, key)).body.data?.total_debited, 21_500)
})

test('a payout that the second provider refuses already when it is asked for its fee is refused, and an empty balance there alerts', async (t) => {
  const logged: string[] = []
  let isRefused = false
  const app = await startTestApp(t, {
    settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' },
    logLevel: 'warn',
    logTo: (line) => logged.push(line),
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        quotePayout: (amount, phoneNumber) => provider.quotePayout(amount, isRefused ? '+255' : phoneNumber),
      })),
    }),
  })
  const { key } = await paidStudent(app)
  const alerts = () => logged.filter((line) => line.includes('payout.float_empty') && line.includes('"alert":true')).length
  isRefused = true
  const refused = await ask(app, key)
  assert.equal(short(refused), '400 validation_error')
  assert.match(refused.body.error.message, /has no mobile money account\. Nothing was debited/)
  isRefused = false
  const { balance: held } = (await app.truth()).accounts['clickpesa-test']
  await app.control('POST', '/movement', { account: 'clickpesa-test', amount: -held })
  // What the wallet cannot pay is its own matter, and a question is no payout.
  assert.equal(short(await ask(app, key, { amount: 200_000 })), '402 insufficient_balance')
  const fee = await app.call('GET', '/v1/payouts/fee?amount=20000&phone_number=0754000123', { key })
  assert.deepEqual([short(fee), alerts()], ['503 provider_unavailable', 0])
  assert.deepEqual([short(await ask(app, key)), alerts()], ['503 provider_unavailable', 1])
  assert.deepEqual(await balance(app, key), [100_000, 0])
})

test('the fee through the second provider is quoted for its recipient, and exactly that is charged', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' } })
  const student = await paidStudent(app)
  const { key } = student
  const quoteOf = (query: string, caller: { key?: string; token?: string } = { key }, path = '/v1/payouts') =>
    app.call('GET', `${path}/fee?amount=20000${query}`, caller)
  const quoted = await quoteOf('&phone_number=0754000123')
  assert.equal(quoted.status, 200, JSON.stringify(quoted.body))
  const { fee, total_debited } = quoted.body.data
  // A fixed fee may be more than a small payout.
  const least = await app.call('GET', '/v1/payouts/fee?amount=1000&phone_number=0754000123', { key })
  assert.equal(least.body.data?.fee, 1_500, JSON.stringify(least.body))
  const inDashboard = await quoteOf('&phone_number=%2B255754000123', { token: student.token }, '/v1/merchant/payouts')
  assert.deepEqual(inDashboard.body.data, quoted.body.data)
  const { id, ...payout } = (await ask(app, key)).body.data
  assert.deepEqual([payout.fee, payout.total_debited], [fee, total_debited])
  await ended(app, key, id, 'completed')
  assert.deepEqual(await balance(app, key), [100_000 - total_debited, 0])
  // A refund goes to the payer, whose number the merchant may not know.
  const reference = (await app.call('GET', '/v1/payments', { key })).body.data[0].reference
  assert.deepEqual((await quoteOf(`&payment=${reference}`)).body.data, quoted.body.data)
  const stranger = await paidStudent(app)
  assert.equal(short(await quoteOf(`&payment=${reference}`, { key: stranger.key })), '404 not_found')
  // Without a recipient this provider has no exact answer: the refusal says what to send.
  const { status, body } = await quoteOf('')
  assert.deepEqual([status, body.error.param, body.error.errors[0].code], [400, 'phone_number', 'required'])
  assert.match(body.error.message, /Send `phone_number`/)
  assert.equal(short(await quoteOf('&phone_number=12345')), '400 phone_invalid')
  assert.equal(short(await quoteOf(`&phone_number=0754000123&payment=${reference}`)), '400 validation_error')
})

test('the fee comes from the provider that pays out now, although the other one cannot be reached', async (t) => {
  const app = await startTestApp(t, {
    settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) =>
        provider.name === 'snippe'
          ? {
              ...provider,
              quotePayout: async () => ({ kind: 'indeterminate', reason: 'circuit_open' }),
              pausedForMs: () => 60_000,
            }
          : provider,
      ),
    }),
  })
  const { key } = await app.key(await app.student())
  const quoted = await app.call('GET', '/v1/payouts/fee?amount=20000&phone_number=0754000123', { key })
  assert.equal(quoted.status, 200, JSON.stringify(quoted.body))
})

test('two operators decide on a payout that does not agree: paid, not paid, or queried again [P18, F38]', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 } })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 200_000)
  const [one, other] = [await app.admin(), await app.admin()]
  const post = (admin: { token: string }, path: string, body: object) =>
    app.call('POST', `/v1/admin/breaks/${path}`, { token: admin.token, body })
  const decide = async (resolution: string, isOtherAmount = true): Promise<string> => {
    const payout = await silentPayout(app, key)
    const lie = says(isOtherAmount ? payout.reference : 'another', 'completed', { amount: isOtherAmount ? 20_001 : 20_000 })
    assert.equal((await settlePayout(app.deps, payout.at, payout.source, lie)).verdict, 'set_aside')
    // Later messages of the provider move nothing.
    const late = says(payout.reference, 'failed')
    assert.equal((await settlePayout(app.deps, payout.at, payout.source, late)).verdict, 'ignored')
    const { body } = await app.call('GET', '/v1/admin/breaks?status=open&environment=test', { token: one.token })
    const [found] = body.data
    assert.equal(short(await post(one, `${found.id}/propose`, { resolution: 'provider_was_wrong', note: 'n' })), '200')
    const note = 'Statement of the provider.'
    const proposed = await post(one, `${found.id}/propose`, { resolution, note })
    const { proposed_at } = proposed.body.data.proposal
    assert.equal(short(await post(one, `${found.id}/confirm`, { resolution, proposed_at })), '403 self_approval_forbidden')
    const confirmed = await post(other, `${found.id}/confirm`, { resolution, proposed_at })
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
    assert.equal(short(await post(other, `${found.id}/confirm`, { resolution, proposed_at })), '409 invalid_state')
    return payout.id
  }
  const total = 20_000 + 1_500
  const paid = await decide('payout_paid', false)
  assert.deepEqual([(await read(app, key, paid)).status, await balance(app, key)], ['completed', [200_000 - total, 0]])
  // The provider paid another amount than our books have: it is never booked as our amount.
  await assert.rejects(decide('payout_paid'), /a different amount than the payout/)
  const [found] = (await app.call('GET', '/v1/admin/breaks?status=open&environment=test', { token: one.token })).body.data
  const note = 'Statement of the provider.'
  const { proposed_at } = (await post(one, `${found.id}/propose`, { resolution: 'payout_not_paid', note })).body.data.proposal
  assert.equal(short(await post(other, `${found.id}/confirm`, { resolution: 'payout_not_paid', proposed_at })), '200')
  const { rows } = await app.owner.pool.query(
    `select provider_reference, id, home from payouts join provider_payouts using (home) where payout_id = id and status = 'failed'`,
  )
  const [{ provider_reference: reference, id, home }] = rows
  const at = { home, id, environment: 'test' as const }
  const source = { provider: 'snippe', actor: 'test', requestId: 'req_test' }
  assert.equal((await settlePayout(app.deps, at, source, says(reference, 'completed', { amount: 20_001 }))).verdict, 'set_aside')
  const [contradiction] = (await app.call('GET', '/v1/admin/breaks?status=open&environment=test', { token: one.token })).body.data
  const again = (await post(one, `${contradiction.id}/propose`, { resolution: 'write_off', note })).body.data.proposal
  const writtenOff = { resolution: 'write_off', proposed_at: again.proposed_at }
  assert.equal(short(await post(other, `${contradiction.id}/confirm`, writtenOff)), '200')
  const lost = await app.owner.pool.query(`select sum(balance)::integer as total from ledger_accounts where kind = 'loss'`)
  assert.equal(lost.rows[0].total, -(20_001 + 1_500))
  const unpaid = await decide('payout_not_paid')
  assert.deepEqual([(await read(app, key, unpaid)).status, await balance(app, key)], ['failed', [200_000 - total, 0]])
  const asked = await decide('ask_again')
  await app.owner.pool.query(`update provider_payouts set next_attempt_at = now() where payout_id = $1`, [fromWire('po', asked)])
  await checkPayouts(app.deps, 10)
  const { body } = await app.call('GET', `/v1/admin/payouts/${asked}`, { token: one.token })
  assert.deepEqual([body.data.status, body.data.under_review, body.data.order_state], ['processing', null, 'accepted'])
})

test('a payout and the rows of a batch have your merchant_reference, which `reference` names too', async () => {
  const app = await sharedApp()
  const { key, token } = await paidStudent(app)
  const idempotencyKey = randomUUID()
  const made = await ask(app, key, { merchant_reference: 'W-1' }, idempotencyKey)
  assert.deepEqual([made.body.data.merchant_reference, made.body.data.reference], ['W-1', 'W-1'])
  // The same value under the older name, or under both, is the same request.
  for (const fields of [{ reference: 'W-1' }, { reference: 'W-1', merchant_reference: 'W-1' }]) {
    const again = await ask(app, key, fields, idempotencyKey)
    assert.deepEqual([again.status, again.body.data.id], [200, made.body.data.id])
  }
  const both = { reference: 'W-1', merchant_reference: 'W-2' }
  const refused = await ask(app, key, both)
  assert.deepEqual([short(refused), refused.body.error.param], ['400 validation_error', 'merchant_reference'])
  for (const name of ['merchant_reference', 'reference']) {
    const byKey = (await app.call('GET', `/v1/payouts?${name}=W-1`, { key })).body.data
    const bySession = (await app.call('GET', `/v1/merchant/payouts?environment=test&${name}=W-1`, { token })).body.data
    for (const list of [byKey, bySession])
      assert.deepEqual(
        list.map(({ id }: any) => id),
        [made.body.data.id],
      )
    const fee = `/v1/payouts/fee?amount=20000&phone_number=0754000123&recipient_name=Asha%20Mushi&${name}=W-1`
    assert.equal((await app.call('GET', fee, { key })).body.data.duplicate_of.id, made.body.data.id)
  }
  const item = { amount: 10_000, phone_number: '0754000123', recipient_name: 'Asha Mushi' }
  const batch = await app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'idempotency-key': randomUUID() },
    body: {
      items: [
        { ...item, merchant_reference: 'W-3' },
        { ...item, ...both },
      ],
    },
  })
  const path = `/v1/payout-batches/${batch.body.data.id}/items`
  const rows = async () =>
    (await app.call('GET', path, { key })).body.data.map((row: any) => [row.status, row.merchant_reference, row.reference])
  assert.deepEqual(await rows(), [
    ['ready', 'W-3', 'W-3'],
    ['invalid', 'W-2', 'W-2'],
  ])
  assert.equal((await app.call('PATCH', `${path}/2`, { key, body: { merchant_reference: 'W-4' } })).status, 200)
  assert.equal(short(await app.call('PATCH', `${path}/1`, { key, body: both })), '400 validation_error')
  assert.deepEqual((await rows())[1].slice(1), ['W-4', 'W-4'])
  const file = 'amount,phone_number,recipient_name,merchant_reference\n10000,0754000123,Asha Mushi,W-5\n'
  const headers = { 'idempotency-key': randomUUID(), 'content-type': 'text/csv' }
  const uploaded = await app.call('POST', '/v1/payout-batches', { key, headers, rawBody: file })
  const ofFile = await app.call('GET', `/v1/payout-batches/${uploaded.body.data.id}/items`, { key })
  assert.equal(ofFile.body.data[0].merchant_reference, 'W-5')
})

test('a reference is looked up as it was stored, however it was typed', async () => {
  const app = await sharedApp()
  const { key } = await paidStudent(app)
  for (const typed of ['WAGE-1001 ', '\u200eWAGE-1002', 'Zoe\u0308-3', '😀'.repeat(60)]) {
    const made = await ask(app, key, { merchant_reference: typed })
    assert.equal(made.status, 201, typed)
    for (const name of ['merchant_reference', 'reference']) {
      const found = await app.call('GET', `/v1/payouts?${name}=${encodeURIComponent(typed)}`, { key })
      assert.deepEqual(
        found.body.data?.map(({ id }: any) => id),
        [made.body.data.id],
        `${name}=${typed}`,
      )
    }
  }
})
