/**
 * A success reported by a webhook: above an amount, or after a different end, it credits nothing until a query to the provider confirms
 * it.
 */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp, type TestAppOptions } from '../../../test/app.ts'
import { counting, decide, reconcileToday, type Calls } from '../../../test/fixtures/reconciliation.ts'
import { wrapProviders } from '../../money/providers/provider.ts'
import { checkAll } from '../../../test/fixtures/books.ts'
import { toWire } from '../../platform/ids.ts'
import { checkCharges } from './check-charges.ts'
import { sweepInbox } from '../../assurance/provider-webhooks/receive-message.ts'

type Waiting = { reference: string; charge: string; amount: number }

/** A simulator that prompts and sends no webhooks: the test sends every message, signed with the right secret. */
async function quietApp(
  t: Parameters<typeof startTestApp>[0],
  options: TestAppOptions = {},
): Promise<{ app: TestApp; calls: Calls }> {
  const calls = { lists: 0, fetches: 0 }
  const app = await startTestApp(t, { wrap: counting(calls), ...options })
  await app.control('POST', '/hold', { webhooks: true })
  return { app, calls }
}

async function waiting(app: TestApp, amounts: number[]): Promise<Waiting[]> {
  const page = await app.page(await app.student(), { allow_custom_amount: true, amount: null })
  const payments: Waiting[] = []
  for (const [index, amount] of amounts.entries()) {
    // Charges to these numbers wait until the test sets their outcome.
    const phone = `0754${String(index).padStart(3, '0')}111`
    const { body } = await app.checkout(page.slug, { amount, phone_number: phone })
    const [charge] = (await app.truth(`?our_reference=${body.data.reference}`)).charges
    payments.push({ reference: body.data.reference, charge: charge.reference, amount })
  }
  return payments
}

async function report(app: TestApp, { reference, charge, amount }: Waiting, status: 'completed' | 'failed'): Promise<void> {
  const body = JSON.stringify({
    id: `evt_${randomUUID()}`,
    type: `payment.${status}`,
    data: { reference: charge, status, amount: { value: amount, currency: 'TZS' }, metadata: { malipo_payment: reference } },
  })
  const timestamp = Math.floor(Date.now() / 1000)
  const secret = app.settings['SNIPPE_TEST_WEBHOOK_SECRETS']!
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const headers = { 'x-webhook-timestamp': String(timestamp), 'x-webhook-signature': signature }
  const answer = await app.call('POST', '/v1/providers/snippe/test/webhook', {
    rawBody: body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  assert.equal(answer.status, 200)
  await app.deps.backgroundDone()
}

/** A provider that answers no query while it is away. */
const away =
  (isAway: () => boolean): NonNullable<TestAppOptions['wrap']> =>
  (deps) => ({
    ...deps,
    providers: wrapProviders(deps.providers, (provider) => ({
      ...provider,
      fetchCharge: async (key, priority) =>
        isAway() ? { kind: 'indeterminate', reason: 'away' } : provider.fetchCharge(key, priority),
    })),
  })

const statusOf = async (app: TestApp, { reference }: Waiting) =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status as string

const settings = { PAYMENT_CONFIRM_ABOVE: '1000000' }

test('[A88] with a stolen provider secret no payment above the amount is credited; reconciliation finds a smaller one', async (t) => {
  const lines: string[] = []
  const { app, calls } = await quietApp(t, { settings, logLevel: 'warn', logTo: (line) => lines.push(line) })
  const [large, small] = (await waiting(app, [1_000_001, 1_000_000])) as [Waiting, Waiting]
  await report(app, large, 'completed')
  assert.equal(await statusOf(app, large), 'pending')
  assert.equal(calls.fetches, 1)
  assert.ok(lines.some((line) => line.includes('payment.success_denied')))

  await report(app, small, 'completed')
  assert.equal(await statusOf(app, small), 'completed')
  assert.equal(calls.fetches, 1)
  // The provider ends the charge differently, and the day is compared with the provider's list.
  await app.control('POST', `/charges/${small.charge}/answer`, { action: 'fail' })
  await reconcileToday(app)
  const { rows } = await app.owner.pool.query('select payment_id, kind from breaks')
  assert.equal(rows.length, 1)

  // A charge that the provider itself reports as paid is credited by the same message.
  await app.control('POST', `/charges/${large.charge}/answer`, { action: 'complete' })
  await report(app, large, 'completed')
  assert.equal(await statusOf(app, large), 'completed')
})

test('[A88] a success after another end is never credited by its message alone, for any amount', async (t) => {
  const { app, calls } = await quietApp(t, { settings })
  const [payment] = (await waiting(app, [1500])) as [Waiting]
  await report(app, payment, 'failed')
  assert.equal(await statusOf(app, payment), 'failed')
  await report(app, payment, 'completed')
  assert.equal(await statusOf(app, payment), 'failed')
  assert.equal(calls.fetches, 1)
  await app.control('POST', `/charges/${payment.charge}/answer`, { action: 'complete' })
  await report(app, payment, 'completed')
  assert.equal(await statusOf(app, payment), 'completed')
})

test('a success that the provider never confirms blocks no payouts, and a success after another end is queried until there is an answer', async (t) => {
  let isAway = true
  const { app } = await quietApp(t, { settings, wrap: away(() => isAway) })
  const [forged, ended] = (await waiting(app, [2_000_000, 1_500])) as [Waiting, Waiting]
  await report(app, ended, 'failed')
  await app.control('POST', `/charges/${ended.charge}/answer`, { action: 'complete' })
  for (const payment of [forged, ended]) await report(app, payment, 'completed')
  assert.deepEqual(await checkAll(app), [])
  isAway = false
  await app.owner.pool.query('update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkCharges(app.deps, 10)
  assert.deepEqual([await statusOf(app, forged), await statusOf(app, ended)], ['pending', 'completed'])
})

test('a message whose process crashes before the query is queried by the worker and credits the payment', async (t) => {
  let isAway = true
  const { app } = await quietApp(t, {
    settings,
    wrap: away(() => isAway),
  })
  const [payment] = (await waiting(app, [2_000_000])) as [Waiting]
  await app.control('POST', `/charges/${payment.charge}/answer`, { action: 'complete' })
  await report(app, payment, 'completed')
  assert.equal(await statusOf(app, payment), 'pending')
  isAway = false
  await app.owner.pool.query('update provider_charges set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkCharges(app.deps, 10)
  assert.equal(await statusOf(app, payment), 'completed')
})

/** How many of 240 payments have each amount (TZS), and how many of them are paid after their charge had failed. */
const normalDay = { amounts: { 5_000: 90, 15_000: 60, 50_000: 40, 150_000: 30, 600_000: 19, 2_000_000: 1 }, late: 1 }

test('fewer than one in a hundred normal payments need a query', async (t) => {
  const { app, calls } = await quietApp(t, { settings })
  const amounts = Object.entries(normalDay.amounts).flatMap(([amount, count]) => Array<number>(count).fill(Number(amount)))
  const payments = await waiting(app, amounts)
  for (const [index, payment] of payments.entries()) {
    const [isLate, fails] = [index < normalDay.late, index % 10 === 0]
    if (fails || isLate) await report(app, payment, 'failed')
    await app.control('POST', `/charges/${payment.charge}/answer`, { action: fails && !isLate ? 'fail' : 'complete' })
    if (!fails || isLate) await report(app, payment, 'completed')
  }
  const share = calls.fetches / payments.length
  t.diagnostic(`${calls.fetches} of ${payments.length} payments were queried before their credit: ${(100 * share).toFixed(2)} %`)
  const { rows } = await app.owner.pool.query<{ count: number }>(
    `select count(*)::integer from payments where status = 'completed'`,
  )
  assert.deepEqual([calls.fetches, rows[0]!.count], [2, 217])
  assert.ok(share < 0.01)
})

const breaksOf = async (app: TestApp) =>
  (await app.owner.pool.query(`select kind, details from breaks order by id`)).rows as { kind: string; details: any }[]

test('a message that contradicts the amount of a credited payment causes a query at once; the credit stays, and the answer is escalated to operators', async (t) => {
  const { app, calls } = await quietApp(t)
  const [payment] = (await waiting(app, [9_000])) as [Waiting]
  await report(app, payment, 'completed')
  await app.control('POST', `/charges/${payment.charge}/answer`, { action: 'complete', amount: 9_600 })
  assert.deepEqual([await statusOf(app, payment), calls.fetches], ['completed', 0])
  for (const _ of [1, 2]) await report(app, { ...payment, amount: 9_600 }, 'completed')
  const [found, ...others] = await breaksOf(app)
  assert.deepEqual([found?.kind, found?.details.amount_there, found?.details.amount_here], ['settled_differs', 9_600, 9_000])
  await reconcileToday(app)
  assert.deepEqual([others, (await breaksOf(app)).length, calls.fetches], [[], 1, 2])
  const credits = await app.owner.pool.query(`select amount::integer from ledger_transfers where kind = 'payment'`)
  assert.deepEqual(credits.rows, [{ amount: 9_000 }])
  assert.deepEqual(await checkAll(app), [])
})

test('after follow_provider a message is compared with the corrected credit: the same amount changes nothing, the first one is asked back', async (t) => {
  let shown = 15_000
  let fetches = 0
  const { app } = await quietApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async listCharges(page) {
          const listed = await provider.listCharges(page)
          return listed.kind === 'page' ? { ...listed, items: listed.items.map((item) => ({ ...item, amount: shown })) } : listed
        },
        async fetchCharge(key, priority) {
          fetches += 1
          const answer = await provider.fetchCharge(key, priority)
          return answer.kind === 'found' ? { ...answer, snapshot: { ...answer.snapshot, amount: shown } } : answer
        },
      })),
    }),
  })
  const operators = [await app.admin(), await app.admin()] as const
  const [payment] = (await waiting(app, [20_000])) as [Waiting]
  await app.control('POST', `/charges/${payment.charge}/answer`, { action: 'complete' })
  await report(app, payment, 'completed')
  await reconcileToday(app)
  const { rows } = await app.owner.pool.query<{ id: string }>('select id from breaks')
  const followed = await decide(app, operators, toWire('brk', rows[0]!.id), { resolution: 'follow_provider' })
  assert.equal(followed.status, 200, JSON.stringify(followed.body))

  await report(app, { ...payment, amount: 15_000 }, 'completed')
  assert.deepEqual([fetches, (await breaksOf(app)).length], [0, 1])

  shown = 20_000
  await report(app, payment, 'completed')
  assert.equal(fetches, 1)
  const [, found, ...others] = await breaksOf(app)
  const { amount_here, amount_there, decided_before } = found!.details
  assert.deepEqual(
    [found!.kind, amount_here, amount_there, decided_before],
    ['settled_differs', 15_000, 20_000, 'follow_provider'],
  )
  const corrections = await app.owner.pool.query(
    `select kind, amount::integer from ledger_transfers where kind in ('payment', 'credit_reversed', 'credit_added') order by id`,
  )
  assert.deepEqual(
    [others, corrections.rows],
    [
      [],
      [
        { kind: 'payment', amount: 20_000 },
        { kind: 'credit_reversed', amount: 5_000 },
      ],
    ],
  )
  assert.deepEqual(await checkAll(app), [])
})

test('a message that says a credited payment failed is queried until there is an answer', async (t) => {
  let isAway = true
  const { app } = await quietApp(t, { wrap: away(() => isAway) })
  const [payment] = (await waiting(app, [9_000])) as [Waiting]
  await report(app, payment, 'completed')
  await app.control('POST', `/charges/${payment.charge}/answer`, { action: 'fail' })
  await report(app, payment, 'failed')
  assert.deepEqual(await breaksOf(app), [])
  for (const away of [true, false]) {
    isAway = away
    // The first attempt may still hold the message for a moment.
    await eventually('the message is due', async () => {
      await app.owner.pool.query(`update provider_inbox set next_attempt_at = clock_now() where state = 'received'`)
      return (await sweepInbox(app.deps, 10)) === 1
    })
  }
  assert.deepEqual(
    (await breaksOf(app)).map(({ kind, details }) => [kind, details.status_there]),
    [['settled_differs', 'failed']],
  )
  assert.equal(await statusOf(app, payment), 'completed')
  assert.equal(await sweepInbox(app.deps, 10), 0)
})

test('a message with another amount changes nothing and is no corruption when an answer of the provider has credited the payment', async (t) => {
  const { app } = await quietApp(t)
  const [payment] = (await waiting(app, [9_000])) as [Waiting]
  await app.control('POST', `/charges/${payment.charge}/answer`, { action: 'complete' })
  await app.owner.pool.query('update provider_charges set next_attempt_at = clock_now()')
  await checkCharges(app.deps, 10)
  assert.equal(await statusOf(app, payment), 'completed')
  await report(app, { ...payment, amount: 9_600 }, 'completed')
  const { rows } = await app.owner.pool.query('select amount::integer, status from payments')
  assert.deepEqual(rows, [{ amount: 9_000, status: 'completed' }])
  assert.deepEqual(await breaksOf(app), [])
  assert.deepEqual(await checkAll(app), [])
})
