/**
 * Refunds over real HTTP against the simulator: the money of a payment returns to the phone that paid, never more than the payment, for
 * all requests, answers and losses.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { decideBusiness, submittedBusiness } from '../../../test/onboarding.ts'
import { eventually, share, startTestApp, type Answer, type Student, type TestApp } from '../../../test/app.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { fromWire, homeOfId, newMoneyId, toWire } from '../../platform/ids.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import { verifyAll } from '../../assurance/invariants/verify-all.ts'
import { rememberDatabase } from '../../../test/remember-database.ts'
import {
  ask,
  balance,
  fund,
  paidStudent,
  providersOf,
  says,
  short,
  silentRefund,
  type Fields,
} from '../../../test/fixtures/payouts.ts'
import { requestRefund } from './request-refund.ts'
import { checkPayouts } from './send-payout.ts'
import { settlePayout } from './settle-payout.ts'

const sharedApp = share((ending) => startTestApp(ending))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

/** A completed payment from this phone. */
async function paid(app: TestApp, student: Student, phone = '0754000789', amount = 30_000): Promise<string> {
  const page = await app.page(student, { amount })
  const { body } = await app.checkout(page.slug, { phone_number: phone })
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
  return body.data.reference
}

function refund(
  app: TestApp,
  key: string,
  reference: string,
  body: Fields = {},
  idempotencyKey: string | null = randomUUID(),
): Promise<Answer> {
  const headers: Record<string, string> = idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }
  return app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers, body })
}

const ended = (app: TestApp, key: string, id: string, status: string): Promise<Json> =>
  eventually(`the refund is ${status}`, async () => {
    const { body } = await app.call('GET', `/v1/refunds/${id}`, { key })
    return body.data.status === status && body.data
  })

const payment = async (app: TestApp, { token }: Student, reference: string): Promise<Json> =>
  (await app.call('GET', `/v1/merchant/payments/${reference}?environment=test`, { token })).body.data

const lines = async (app: TestApp, key: string, query = ''): Promise<Json[]> =>
  (await app.call('GET', `/v1/transactions?direction=all${query}`, { key })).body.data

test('a refund returns what is left of a payment to the phone that paid', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  const reference = await paid(app, student)
  const answer = await refund(app, key, reference, { amount: 10_000, reason: 'One shirt too many', merchant_reference: 'R-7' })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  const { id, created_at, status, fee, ...fields } = answer.body.data
  assert.match(id, /^rf_/)
  assert.ok(created_at && ['pending', 'processing'].includes(status))
  assert.deepEqual(fields, {
    payment: reference,
    method: 'provider',
    amount: 10_000,
    total_debited: 10_000 + fee,
    currency: 'TZS',
    reason: 'One shirt too many',
    merchant_reference: 'R-7',
    failure: null,
    approval: 'none',
    approval_by: null,
    waits_until: null,
    warnings: [],
    under_review: null,
    hold: null,
    environment: 'test',
    completed_at: null,
  })
  assert.ok((await ended(app, key, id, 'completed')).completed_at)
  let shown = await payment(app, student, reference)
  assert.deepEqual([shown.status, shown.refunded_amount, shown.refund_status], ['completed', 10_000, 'partial'])
  const rest = (await refund(app, key, reference)).body.data
  assert.equal(rest.amount, 20_000)
  await ended(app, key, rest.id, 'completed')
  shown = await payment(app, student, reference)
  assert.deepEqual([shown.status, shown.refunded_amount, shown.refund_status], ['completed', 30_000, 'full'])
  assert.deepEqual(await balance(app, key), [100_000 - 2 * fee, 0])
  const list = (await app.call('GET', `/v1/payments/${reference}/refunds`, { key })).body.data
  assert.deepEqual(
    list.map((one: Json) => one.id),
    [rest.id, id],
  )
  const there = (await providersOf(app)).filter(({ phone }: Json) => phone === '255754000789')
  assert.deepEqual(new Set(there.map(({ amount }: Json) => amount)), new Set([10_000, 20_000]))
  assert.equal(there.length, 2)
})

test('refunds are lines of the wallet and the statement as refunds, never as payouts', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  const reference = await paid(app, student)
  const { id, fee } = (await refund(app, key, reference, { amount: 10_000 })).body.data
  await ended(app, key, id, 'completed')
  const shownOf = ({ type, direction, amount, refund_id, payout_id, reference: to }: Json) => [
    type,
    direction,
    amount,
    refund_id,
    payout_id,
    to,
  ]
  const expected = [
    ['fee', 'debit', fee, id, null, reference],
    ['refund', 'debit', 10_000, id, null, reference],
  ]
  assert.deepEqual((await lines(app, key)).slice(0, 2).map(shownOf), expected)
  assert.deepEqual((await lines(app, key, `&reference=${reference}`)).map(shownOf), [
    ...expected,
    ['payment', 'credit', 30_000, null, null, reference],
  ])
  assert.deepEqual((await lines(app, key, '&type=payout')).length, 0)
  assert.deepEqual((await lines(app, key, '&type=refund')).map(shownOf), [expected[1]])
  const payouts = await app.call('GET', '/v1/payouts', { key })
  assert.deepEqual(payouts.body.data, [])
  const asPayout = toWire('po', fromWire('rf', id)!)
  assert.equal((await app.call('GET', `/v1/payouts/${asPayout}`, { key })).status, 404)
  assert.equal((await app.call('GET', `/v1/refunds/${asPayout}`, { key })).status, 404)
  const month = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
  const { token } = student
  const statement = await app.call('GET', `/v1/merchant/statement?environment=test&month=${month}`, { token })
  const { totals } = statement.body.data
  const total = (type: string) => totals.find((one: Json) => one.type === type)
  assert.deepEqual([total('refund').amount, total('fee').amount, total('payout')], [10_000, fee, undefined])
})

test('a refund that fails, that our account cannot pay, or that comes back has failed: everything returns once, and counts again', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  for (const [phone, code] of [
    ['0754000419', 'recipient_not_found'],
    ['0754000459', 'provider_error'],
    ['0754000449', 'returned'],
  ] as const) {
    const before = await balance(app, key)
    const reference = await paid(app, student, phone)
    const { id } = (await refund(app, key, reference)).body.data
    const failed = await ended(app, key, id, 'failed')
    assert.deepEqual([failed.failure.code, failed.completed_at], [code, null])
    assert.deepEqual(await balance(app, key), [before[0] + 30_000, 0])
    const shown = await payment(app, student, reference)
    assert.deepEqual([shown.refunded_amount, shown.refund_status], [0, 'none'])
    const back = (await lines(app, key, '&type=refund_reversal'))[0]
    assert.deepEqual([back.refund_id, back.direction, back.amount], [id, 'credit', 30_000 + failed.fee])
    const second = await refund(app, key, reference)
    assert.equal(second.status, 201, 'it can be refunded again')
    await ended(app, key, second.body.data.id, 'failed')
  }
})

test('a provider that loses its answers pays a refund once', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  for (const phone of ['0754000199', '0754000289', '0754000159']) {
    const reference = await paid(app, student, phone)
    const { id } = (await refund(app, key, reference)).body.data
    await ended(app, key, id, 'completed')
    const there = (await providersOf(app)).filter((one: Json) => one.phone === `255${phone.slice(1)}`)
    assert.deepEqual([there.length, there[0].status], [1, 'completed'], phone)
  }
})

test('fifty refunds at once never exceed the payment, and the balance is right', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app, 200_000)
  const { key } = student
  const reference = await paid(app, student, '0754000789', 47_500)
  // A busy machine may answer 503 to some of so many at once: nothing was made then, and the same request is repeated.
  const insist = async (body: Fields, idempotencyKey = randomUUID()): Promise<Answer> => {
    const answer = await refund(app, key, reference, body, idempotencyKey)
    return answer.status === 503 ? insist(body, idempotencyKey) : answer
  }
  const answers = await Promise.all(Array.from({ length: 50 }, () => insist({ amount: 6_000 })))
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.data)
  const refused = answers.filter(({ status }) => status !== 201)
  assert.equal(made.length, 7, JSON.stringify(answers.map(short)))
  for (const answer of refused) {
    assert.equal(short(answer), '409 refund_exceeds_payment')
    assert.ok(answer.body.error.details.refundable < 6_000 * 8)
  }
  for (const { id } of made) await ended(app, key, id, 'completed')
  assert.deepEqual(await balance(app, key), [247_500 - made.reduce((sum, one) => sum + one.total_debited, 0), 0])
  const last = await refund(app, key, reference, { amount: 6_000 })
  assert.deepEqual([short(last), last.body.error.details], ['409 refund_exceeds_payment', { refundable: 5_500 }])
  const oneKey = randomUUID()
  const same = await Promise.all(Array.from({ length: 20 }, () => insist({}, oneKey)))
  assert.deepEqual(new Set(same.map(({ status }) => status)), new Set([200, 201]))
  assert.equal(new Set(same.map(({ body }) => body.data.id)).size, 1)
  assert.equal((await payment(app, student, reference)).refunded_amount, 47_500)
})

test('a repeat answers with the same refund, and a key with another body or without a key is refused', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  const reference = await paid(app, student)
  const idempotencyKey = randomUUID()
  const first = await refund(app, key, reference, {}, idempotencyKey)
  const again = await refund(app, key, reference, {}, idempotencyKey)
  assert.deepEqual(
    [again.status, again.headers.get('idempotency-replayed'), again.body.data.id],
    [200, 'true', first.body.data.id],
  )
  assert.equal(short(await refund(app, key, reference, { amount: 600 }, idempotencyKey)), '422 idempotency_key_reused')
  assert.equal(short(await refund(app, key, reference, {}, null)), '400 idempotency_key_required')
  // The keys of payouts are others.
  const payout = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': idempotencyKey },
    body: { amount: 5_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  assert.equal(payout.status, 201)
})

test('a second refund of the same payment with the same amount and reference warns, and one of another payment does not [R11]', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  const [reference, other] = [await paid(app, student), await paid(app, student)]
  const codesOf = ({ body }: Answer): string[] => body.data.warnings.map(({ code }: Json) => code)
  const before = async (): Promise<Json> => {
    const answer = await app.call('GET', `/v1/payouts/fee?amount=5000&payment=${reference}`, { key })
    return [codesOf(answer), answer.body.data.duplicate_of]
  }
  assert.deepEqual(await before(), [[], null])
  const first = await refund(app, key, reference, { amount: 5_000 }, 'first')
  assert.deepEqual(codesOf(first), [])
  assert.deepEqual(codesOf(await refund(app, key, reference, { amount: 5_000 }, 'first')), [])
  const { id, created_at } = first.body.data
  assert.deepEqual(await before(), [['possible_duplicate'], { id, created_at }])
  assert.deepEqual(codesOf(await refund(app, key, other, { amount: 5_000 })), [])
  assert.deepEqual(codesOf(await refund(app, key, reference, { amount: 5_000, merchant_reference: 'another item' })), [])
  assert.deepEqual(codesOf(await refund(app, key, reference, { amount: 5_000 })), ['possible_duplicate'])
})

test('a repeat that overtakes the answer to the request that took all of the payment gets that refund, not a refusal', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const reference = await paid(app, student)
  const merchant = await findMerchantByWire(app.db, student.userId)
  const request = {
    method: 'provider' as const,
    paymentId: fromWire('pay', reference)!,
    amount: null,
    reason: null,
    merchantReference: null,
    idempotencyKey: 'K',
  }
  let first: Json
  const caller = {
    owner: { merchant: merchant!, environment: 'test' as const },
    by: { actor: 'test', requestId: 'r', userId: merchant!.userId, ip: null, isPerson: false },
    newRecipientWaitSeconds: 0,
    // The other request is stored between the two looks at the key.
    admit: async () => void (first = (await refund(app, student.key, reference, {}, 'K')).body.data),
    confirm: async () => {},
    sight: new Set<never>(),
  }
  const repeated = await requestRefund(app.deps, caller, request)
  assert.deepEqual([toWire('rf', repeated.payout.id), repeated.isReplay], [first.id, true])
  await ended(app, student.key, first.id, 'completed')
})

test('only a completed payment of the caller is refunded, by a sum that the provider sends and the wallet has', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  const reference = await paid(app, student)
  assert.equal(short(await refund(app, key, reference, { amount: 30_001 })), '409 refund_exceeds_payment')
  assert.equal(short(await refund(app, key, reference, { amount: 100 })), '400 amount_too_small')
  assert.equal(short(await refund(app, key, reference, { amount: 0.5 })), '400 amount_invalid')
  assert.equal(short(await refund(app, key, 'pay_nothing')), '404 not_found')
  const page = await app.page(student, { amount: 1_000 })
  const failed = (await app.checkout(page.slug, { phone_number: '0754000049' })).body.data.reference
  await app.settled(failed)
  assert.equal(short(await refund(app, key, failed)), '409 invalid_state')
  const stranger = await paidStudent(app, 1_000)
  assert.equal(short(await refund(app, stranger.key, reference)), '404 not_found')
  assert.equal((await app.call('POST', `/v1/payments/${reference}/refunds`, { body: {} })).status, 401)
  const live = await app.key(student, 'live')
  assert.equal(short(await refund(app, live.key, reference)), '404 not_found')
  const id = fromWire('pay', reference)!
  await app.owner.pool.query(`update payments set credit_reversed_at = now() where id = $1`, [id])
  assert.equal(short(await refund(app, key, reference)), '409 invalid_state')
  await app.owner.pool.query(`update payments set credit_reversed_at = null where id = $1`, [id])
  // The wallet lacks one shilling of the fee.
  const { fee } = (await app.call('GET', '/v1/payouts/fee?amount=20000', { key })).body.data
  const just = 30_000 + fee - 1
  const others = { amount: 130_000 - fee - just, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }
  const payout = await app.call('POST', '/v1/payouts', { key, headers: { 'idempotency-key': randomUUID() }, body: others })
  assert.equal(payout.status, 201)
  const lacking = await refund(app, key, reference)
  assert.deepEqual([short(lacking), lacking.body.error.details.available], ['402 insufficient_balance', just])
  assert.equal((await payment(app, student, reference)).refunded_amount, 0, 'a refused refund takes nothing')
  assert.deepEqual((await app.call('GET', `/v1/payments/${reference}/refunds`, { key })).body.data, [])
  assert.equal((await balance(app, key))[0], just)
  assert.equal((await refund(app, key, reference, { amount: 29_999 })).status, 201)
  assert.equal((await balance(app, key))[0], 0)
})

test('operators read the refunds of a payment; its merchant finds one by its id, and nobody else does', async () => {
  const app = await sharedApp()
  const [student, stranger, admin] = [await paidStudent(app), await paidStudent(app, 1_000), await app.admin()]
  const { key } = student
  const reference = await paid(app, student)
  const first = (await refund(app, key, reference, { amount: 10_000 })).body.data
  await ended(app, key, first.id, 'completed')
  const second = (await refund(app, key, reference, { amount: 6_000 })).body.data
  await ended(app, key, second.id, 'completed')
  const shown = (await app.call('GET', `/v1/admin/payments/${reference}`, { token: admin.token })).body.data
  assert.equal(shown.refunded_amount, 16_000)
  const asPayout = (id: string) => toWire('po', fromWire('rf', id)!)
  assert.deepEqual(
    shown.refunds,
    [second, first].map(({ id, amount, fee, created_at }) => {
      return { id, payout_id: asPayout(id), status: 'completed', amount, fee, created_at }
    }),
  )
  const payout = (await app.call('GET', `/v1/admin/payouts/${asPayout(first.id)}`, { token: admin.token })).body.data
  const { purpose, refund_id, refund_of, merchant } = payout
  assert.deepEqual([purpose, refund_id, refund_of, merchant.id], ['refund', first.id, reference, student.userId])
  assert.match(merchant.name, /^Student /)

  const find = async ({ token }: Student, q: string, environment = 'test'): Promise<Json> =>
    (await app.call('GET', `/v1/merchant/search?environment=${environment}&q=${q}`, { token })).body.data
  assert.deepEqual(await find(student, first.id), [
    {
      type: 'refund',
      id: first.id,
      title: 'Juma Hamisi',
      detail: '0754 ••• 789',
      status: 'completed',
      amount: 10_000,
      reference,
      created_at: first.created_at,
    },
  ])
  assert.deepEqual(await find(stranger, first.id), [])
  assert.deepEqual(await find(student, first.id, 'live'), [])
})

test('an erased payer takes the number from payment and refund together; the books stay right, and nothing more is refunded', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key } = student
  const reference = await paid(app, student, '0754111789')
  const { id } = (await refund(app, key, reference, { amount: 10_000 })).body.data
  await ended(app, key, id, 'completed')
  const doubt = (payoutId: string) => {
    const about = { home: homeOfId(payoutId), payoutId, environment: 'test', kind: 'payout_amount_differs' } as const
    return openBreak(app.db, { ...about, provider: 'snippe', reference: payoutId, details: {} }, newMoneyId(about.home))
  }
  // A doubt about their own refund comes first; one about another person's does not concern them.
  await doubt(fromWire('rf', id)!)
  await assert.rejects(erasePayer(app.deps, '+255754111789'), /1 payouts to it have not ended/)
  await app.owner.pool.query('delete from breaks where payout_id = $1', [fromWire('rf', id)!])
  const other = await refund(app, key, await paid(app, student), { amount: 10_000 })
  await ended(app, key, other.body.data.id, 'completed')
  await doubt(fromWire('rf', other.body.data.id)!)
  assert.deepEqual(await erasePayer(app.deps, '+255754111789').then(({ payments, payouts }) => [payments, payouts]), [1, 1])
  assert.equal(short(await refund(app, key, reference)), '409 invalid_state')
  assert.equal((await payment(app, student, reference)).refunded_amount, 10_000)
  assert.deepEqual(await verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: app.deps.clocks }), [])
})

test('a refund that a restored database has lost is the same refund when its key is used again, and is paid once', async (t) => {
  const app = await startTestApp(t)
  const student = await paidStudent(app)
  const { key } = student
  const reference = await paid(app, student)
  const putBack = await rememberDatabase(app)
  const first = (await refund(app, key, reference, {}, 'K')).body.data
  await ended(app, key, first.id, 'completed')
  const after = await balance(app, key)
  await putBack()
  assert.equal((await payment(app, student, reference)).refunded_amount, 0)
  const again = await refund(app, key, reference, {}, 'K')
  assert.deepEqual([again.status, again.body.data.id], [201, first.id])
  await app.deps.backgroundDone()
  await app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkPayouts(app.deps, 10)
  await ended(app, key, first.id, 'completed')
  assert.deepEqual(
    (await providersOf(app)).map(({ amount, status }) => [amount, status]),
    [[30_000, 'completed']],
  )
  assert.deepEqual(await balance(app, key), after)
  assert.equal((await payment(app, student, reference)).refund_status, 'full')
})

test('a refund that failed and was paid after all counts again, even beyond the payment, and comes back once', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 60_000 } })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 30_000)
  const { rows } = await app.owner.pool.query('select id from payments')
  const reference = toWire('pay', rows[0].id)
  await fund(app, student, 100_000)
  const [one, two] = [await app.admin(), await app.admin()]
  const silent = async () => {
    const { id } = (await refund(app, key, reference)).body.data
    const payoutId = fromWire('rf', id)!
    const there = await eventually<string>('the provider has it', async () => {
      const order = await app.owner.pool.query('select provider_reference from provider_payouts where payout_id = $1', [payoutId])
      return (order.rows[0].provider_reference as string | null) ?? undefined
    })
    const at = { home: homeOfId(payoutId), id: payoutId, environment: 'test' as const }
    const source = { provider: 'snippe', actor: 'test', requestId: 'r' }
    return async (status: 'completed' | 'failed' | 'reversed') =>
      (await settlePayout(app.deps, at, source, says(there, status, { amount: 30_000 }))).verdict
  }
  const resolve = async (resolution: string) => {
    const [found] = (await app.call('GET', '/v1/admin/breaks?status=open', { token: one.token })).body.data
    const path = `/v1/admin/breaks/${found.id}`
    const body = { resolution, note: 'Statement of the provider.' }
    const proposed = await app.call('POST', `${path}/propose`, { token: one.token, body })
    const { proposed_at } = proposed.body.data.proposal
    assert.equal(short(await app.call('POST', `${path}/confirm`, { token: two.token, body: { resolution, proposed_at } })), '200')
  }
  const shown = async () => {
    const { refunded_amount, refund_status } = await payment(app, student, reference)
    return [refunded_amount, refund_status, (await balance(app, key))[0]]
  }
  const cost = 30_000 + 1_500
  const first = await silent()
  assert.equal(await first('failed'), 'applied')
  assert.deepEqual(await shown(), [0, 'none', 130_000])
  const second = await silent()
  assert.equal(await second('completed'), 'applied')
  assert.deepEqual(await shown(), [30_000, 'full', 130_000 - cost])
  assert.equal(await first('completed'), 'set_aside')
  await resolve('payout_paid_after_all')
  assert.deepEqual(await shown(), [60_000, 'full', 130_000 - 2 * cost])
  assert.deepEqual(short(await refund(app, key, reference)), '409 refund_exceeds_payment')
  assert.equal(await second('reversed'), 'applied')
  assert.deepEqual(await shown(), [30_000, 'full', 130_000 - cost])
  assert.equal(await first('reversed'), 'set_aside')
  await resolve('payout_returned')
  assert.deepEqual(await shown(), [0, 'none', 130_000])
  assert.equal((await refund(app, key, reference)).status, 201)
})

test('a verified business refunds a live payment through the second provider, by its live key alone', async (t) => {
  const app = await startTestApp(t, { settings: { CHARGE_PROVIDER_LIVE: 'clickpesa', PAYOUT_PROVIDER_LIVE: 'clickpesa' } })
  const { student, business } = await submittedBusiness(app)
  const decided = await decideBusiness(app, await app.admin(), business.id, { status: 'verified' })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  const { token } = student
  const post = async (path: string, body: Fields): Promise<Json> => {
    const made = await app.call('POST', path, { token, body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data
  }
  const shop = await post('/developers/apps', { name: 'Duka', environment: 'live', business_id: business.id })
  const scopes = ['payments:read', 'balance:read', 'payouts:read', 'payouts:write']
  const { key } = await post('/developers/keys', { app_id: shop.id, key_name: 'server', scopes })
  const page = await post(`/v1/merchant/payment-pages?environment=live&business_id=${business.id}`, {
    type: 'payment',
    title: 'Chai',
    allow_custom_amount: true,
  })
  const references: string[] = []
  for (const amount of [30_000, 10_000]) {
    const { body } = await app.checkout(page.slug, { phone_number: '0754000789', amount })
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
    references.push(body.data.reference)
  }
  const [reference] = references as [string]
  // A key of the person behind the business is another merchant's.
  const own = await app.key(student, 'live')
  assert.equal(short(await refund(app, own.key, reference)), '404 not_found')
  const made = await refund(app, key, reference)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id, fee, environment } = made.body.data
  assert.equal(environment, 'live')
  await ended(app, key, id, 'completed')
  assert.deepEqual(await balance(app, key), [10_000 - fee, 0])
  const sent = await app.owner.pool.query('select provider, environment from provider_payouts')
  assert.deepEqual(sent.rows, [{ provider: 'clickpesa', environment: 'live' }])
  assert.equal((await providersOf(app)).length, 1)
  const { body } = await app.call('GET', `/v1/payments/${reference}`, { key })
  assert.deepEqual([body.data.refunded_amount, body.data.refund_status], [30_000, 'full'])
})

test('a refund whose outcome nobody knew completes once when the provider says so days later, however often', async (t) => {
  const app = await startTestApp(t, { simulator: { delayMs: 3_600_000 } })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const { rows } = await app.owner.pool.query('select id from payments')
  const reference = toWire('pay', rows[0].id)
  const silent = await silentRefund(app, key, reference)
  const id = toWire('rf', silent.at.id)
  const finding = { home: silent.at.home, payoutId: silent.at.id, environment: 'test', kind: 'payout_unknown' } as const
  await openBreak(
    app.db,
    { ...finding, provider: 'snippe', reference: silent.reference, details: {} },
    newMoneyId(silent.at.home),
  )
  await app.owner.pool.query('update provider_payouts set next_attempt_at = null')
  const { fee, status, under_review } = (await app.call('GET', `/v1/refunds/${id}`, { key })).body.data
  assert.deepEqual([status, under_review.reason], ['processing', 'payout_unknown'])
  const after = 100_000 - 20_000 - fee
  assert.deepEqual(await balance(app, key), [after, 20_000 + fee])
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => settlePayout(app.deps, silent.at, silent.source, says(silent.reference, 'completed'))),
  )
  assert.equal(answers.filter(({ verdict }) => verdict === 'applied').length, 1)
  await ended(app, key, id, 'completed')
  assert.deepEqual(await balance(app, key), [after, 0])
  assert.equal((await payment(app, student, reference)).refunded_amount, 20_000)
  assert.equal((await lines(app, key, '&type=refund')).length, 1)
})

test('the rules of payouts hold for refunds: approval, freezes, switches, a break of the payment and step-up', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '20000' } })
  const student = await paidStudent(app)
  const { key, token } = student
  const reference = await paid(app, student)
  const waiting = (await refund(app, key, reference)).body.data
  assert.deepEqual([waiting.approval, waiting.status], ['required', 'pending'])
  const admin = await app.admin()
  const asPayout = toWire('po', fromWire('rf', waiting.id)!)
  const listed = (await app.call('GET', `/v1/admin/payouts/${asPayout}`, { token: admin.token })).body.data
  assert.deepEqual([listed.purpose, listed.refund_of], ['refund', reference])
  const refused = await app.call('POST', `/v1/admin/payouts/${asPayout}/refuse`, { token: admin.token })
  assert.equal(refused.status, 200, JSON.stringify(refused.body))
  const failed = await ended(app, key, waiting.id, 'failed')
  assert.deepEqual([failed.failure.code, failed.failure.retryable], ['approval_refused', false])
  const [event] = (await app.call('GET', '/v1/events?type=refund.failed', { key })).body.data
  assert.deepEqual(event.data.failure, failed.failure)

  const second = (await refund(app, key, reference)).body.data
  assert.equal((await app.call('POST', `/v1/refunds/${second.id}/cancel`, { key })).body.data.status, 'failed')
  assert.equal((await payment(app, student, reference)).refunded_amount, 0)

  // The dashboard reads and cancels the same refunds.
  const third = (await refund(app, key, reference)).body.data
  const signedIn = async (method: string, path: string): Promise<Json> =>
    (await app.call(method, `/v1/merchant/${path}?environment=test`, { token: student.token })).body.data
  const atDashboard: Json[] = await signedIn('GET', `payments/${reference}/refunds`)
  assert.deepEqual(
    atDashboard.map(({ id, status }) => [id, status]),
    [
      [third.id, 'pending'],
      [second.id, 'failed'],
      [failed.id, 'failed'],
    ],
  )
  assert.deepEqual(await signedIn('GET', `refunds/${third.id}`), third)
  assert.equal((await signedIn('POST', `refunds/${third.id}/cancel`)).status, 'failed')
  assert.equal((await payment(app, student, reference)).refunded_amount, 0)

  const paymentId = fromWire('pay', reference)!
  const home = homeOfId(paymentId)
  await app.owner.pool.query(
    `insert into payout_freezes (home, merchant_id, environment, reason)
      select home, merchant_id, 'test', 'books' from payments where id = $1`,
    [paymentId],
  )
  assert.equal(short(await refund(app, key, reference)), '409 payouts_on_hold')
  await app.owner.pool.query('delete from payout_freezes')

  const turn = (state: 'on' | 'off') =>
    app.call('PUT', '/v1/admin/switches/payouts', { token: admin.token, body: { state, reason: 'Maintenance.' } })
  assert.equal((await turn('off')).status, 200)
  await app.deps.switches.read()
  assert.equal(short(await refund(app, key, reference)), '503 provider_unavailable')
  await turn('on')
  await app.deps.switches.read()

  const finding = {
    home,
    paymentId,
    environment: 'test',
    kind: 'reference_conflict',
    provider: 'snippe',
    reference: 'r',
  } as const
  await openBreak(app.db, { ...finding, details: {} }, newMoneyId(home))
  assert.equal(short(await refund(app, key, reference)), '409 invalid_state')
  await app.owner.pool.query('delete from breaks')

  await app.owner.pool.query(`update sessions set authenticated_at = now() - interval '10 minutes'`)
  const unproven = await app.call('POST', `/v1/merchant/payments/${reference}/refunds?environment=test`, {
    token,
    headers: { 'idempotency-key': randomUUID() },
  })
  assert.equal(short(unproven), '401 step_up_required')
})

test('the refunds of all payments are listed, by key and by session, with the filters of payouts', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key, token } = student
  const [first, second] = [await paid(app, student), await paid(app, student, '0754111789')]
  const made = [
    (await refund(app, key, first, { amount: 5000, merchant_reference: 'R-1' })).body.data.id,
    (await refund(app, key, second, { amount: 6000, merchant_reference: 'R-2' })).body.data.id,
    (await refund(app, key, first, { amount: 7000 })).body.data.id,
  ]
  for (const id of made) await ended(app, key, id, 'completed')
  // A payout is not in the list.
  assert.equal((await ask(app, key)).status, 201)
  const cases: [query: string, ids: string[]][] = [
    ['', [made[2], made[1], made[0]]],
    ['status=completed', [made[2], made[1], made[0]]],
    ['status=failed', []],
    [`payment=${first}`, [made[2], made[0]]],
    [`payment=${first}&merchant_reference=R-1`, [made[0]]],
    ['merchant_reference=R-2', [made[1]]],
    ['merchant_reference=R-2%20', [made[1]]],
    ['merchant_reference=%E2%80%8ER-2', [made[1]]],
    [`q=${made[1]}`, [made[1]]],
    [`q=${first}`, [made[2], made[0]]],
    ['q=0754111789', [made[1]]],
    ['q=r-1', [made[0]]],
    ['limit=1', [made[2]]],
  ]
  for (const [query, ids] of cases) {
    const byKey = await app.call('GET', `/v1/refunds?${query}`, { key })
    assert.deepEqual(
      byKey.body.data?.map((one: Json) => one.id),
      ids,
      `${query} ${JSON.stringify(byKey.body)}`,
    )
    const bySession = await app.call('GET', `/v1/merchant/refunds?environment=test&${query}`, { token })
    assert.deepEqual(bySession.body.data, byKey.body.data, query)
  }
  const page = (await app.call('GET', '/v1/refunds?limit=2', { key })).body
  assert.equal(page.has_more, true)
  const rest = (await app.call('GET', `/v1/refunds?limit=2&cursor=${page.next_cursor}`, { key })).body
  assert.deepEqual(
    rest.data.map((one: Json) => one.id),
    [made[0]],
  )
  assert.equal(short(await app.call('GET', '/v1/refunds?payment=rf_1', { key })), '400 validation_error')
  const other = await paidStudent(app)
  assert.deepEqual((await app.call('GET', `/v1/refunds?payment=${first}`, { key: other.key })).body.data, [])
})

test('a warning that a newer version of the service has stored is left out, and the others are shown', async (t) => {
  const app = await startTestApp(t)
  const student = await paidStudent(app)
  const { key } = student
  const reference = await paid(app, student, '0754000789', 12_000)
  const made = await refund(app, key, reference, { amount: 8_000 })
  // What a migration of a newer version would allow.
  await app.owner.pool.query('alter table payouts drop constraint payouts_warnings_known')
  await app.owner.pool.query(`update payouts set warnings = array['from_tomorrow'] || warnings`)
  const read = await app.call('GET', `/v1/refunds/${made.body.data.id}`, { key })
  assert.deepEqual(
    read.body.data.warnings.map(({ code }: Json) => code),
    ['rest_below_minimum'],
  )
  await ended(app, key, made.body.data.id, 'completed')
})

test('a refund that leaves less than the minimum warns, and the payment says what can be refunded now [R17]', async () => {
  const app = await sharedApp()
  const student = await paidStudent(app)
  const { key, token } = student
  const reference = await paid(app, student, '0754000789', 12_000)
  const rests = async () => {
    const byKey = (await app.call('GET', `/v1/payments/${reference}`, { key })).body.data
    const bySession = await payment(app, student, reference)
    assert.equal(bySession.refundable, byKey.refundable)
    return [byKey.refundable, byKey.refundable_now, bySession.refundable_now]
  }
  assert.deepEqual(await rests(), [12_000, 12_000, 12_000])
  const codes = ({ body }: Answer): string[] => body.data.warnings.map(({ code }: Json) => code)
  const fee = (amount: number) => app.call('GET', `/v1/payouts/fee?amount=${amount}&payment=${reference}`, { key })
  // The minimum of the simulated provider is TZS 5,000.
  assert.deepEqual([codes(await fee(12_000)), codes(await fee(7_000)), codes(await fee(8_000))], [[], [], ['rest_below_minimum']])
  const path = `/v1/merchant/payments/${reference}/refunds?environment=test`
  const headers = { 'idempotency-key': 'rest' }
  const made = await app.call('POST', path, { token, headers, body: { amount: 8_000 } })
  assert.deepEqual([made.status, codes(made)], [201, ['rest_below_minimum']])
  const again = await app.call('POST', path, { token, headers, body: { amount: 8_000 } })
  assert.deepEqual([again.status, codes(again)], [200, ['rest_below_minimum']])
  assert.deepEqual(await rests(), [4_000, 0, 0])
  assert.equal(short(await refund(app, key, reference)), '400 amount_too_small')
  await ended(app, key, made.body.data.id, 'completed')
})
