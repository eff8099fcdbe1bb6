/** The balance of our account with a provider, beside our books: what moved is recorded, in flight, or a break that operators see. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type Admin, type TestApp } from '../../../test/app.ts'
import { drive, reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { checkAll } from '../../../test/fixtures/books.ts'
import { ask, fund } from '../../../test/fixtures/payouts.ts'
import { wrapProviders, type WebhookMessage } from '../../money/providers/provider.ts'
import { watchBooks } from '../invariants/watch-books.ts'
import { advancePositions, insertBalance, insertMovement, listBalances, readBooks } from './balance.sql.ts'
import { compare as compareBooks } from './compare-balance.ts'
import { amountRule } from './record-movement.ts'
import { createReconciler } from './reconcile.ts'
import { insertRun, recordTotals } from './run.sql.ts'
import { sql } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'

const opening = 100_000_000

const record = (app: TestApp, { token }: Admin, kind: string, amount: number, reference = kind, provider = 'snippe') =>
  app.call('POST', '/v1/admin/provider-movements', {
    token,
    body: { provider, environment: 'test', kind, amount, reference, note: 'Bank statement.' },
  })

/** Every reading of the day's comparison at once. */
async function compare(app: TestApp, provider = 'snippe') {
  const account = { subject: 'payouts', environment: 'test', provider } as const
  await insertRun(app.db, { ...account, id: newId(), kind: 'balance', day: null, requestedBy: 'system' })
  const reconciler = createReconciler(app.deps)
  for (let reading = 0; reading < 12; reading += 1) {
    await drive(reconciler, 'balance')
    await app.owner.pool.query(
      `update reconciliation_runs set next_attempt_at = null where kind = 'balance' and ended_at is null`,
    )
  }
}

const seen = async (app: TestApp, { token }: Admin) => (await app.call('GET', '/v1/admin/provider-balances', { token })).body.data

const newest = async (app: TestApp) => (await listBalances(app.db, null, 1))[0]!

const openBreaks = async (app: TestApp, { token }: Admin): Promise<any[]> =>
  (await app.call('GET', '/v1/admin/breaks?kind=balance_differs&status=open', { token })).body.data

async function start(t: Parameters<typeof startTestApp>[0], settings: Record<string, string> = {}) {
  const app = await startTestApp(t, { settings })
  const student = await app.student()
  const { key } = await app.key(student)
  return { app, student, key, admin: await app.admin() }
}

test('without an opening balance nothing is concluded; with it, payments, payouts and fees agree to the shilling', async (t) => {
  const { app, student, key, admin } = await start(t)
  await fund(app, student, 60_000)
  const page = await app.page(student, { amount: 10_000 })
  for (const phone of ['0754123789', '0712345789', '0754123049']) {
    const { reference } = (await app.checkout(page.slug, { phone_number: phone })).body.data
    await app.settled(reference)
  }
  await compare(app)
  const [first] = (await seen(app, admin)).balances
  assert.deepEqual([first.has_opening, await openBreaks(app, admin)], [false, []])
  // What is shown is what to record.
  assert.equal(first.difference, opening)
  assert.equal((await record(app, admin, 'opening', opening)).status, 200)
  const { id } = (await ask(app, key, { amount: 20_000 })).body.data
  await eventually('the payout is paid', async () => {
    await checkPayouts(app.deps, 10)
    return (await app.call('GET', `/v1/payouts/${id}`, { key })).body.data.status === 'completed'
  })
  await compare(app)
  const [last] = (await seen(app, admin)).balances
  const { balance, expected_balance: truth } = (await app.truth()).accounts.test as unknown as Record<string, number>
  assert.deepEqual([last.reported, last.low, last.high, last.difference, balance], [truth, truth, truth, 0, truth])
  assert.deepEqual(await openBreaks(app, admin), [])
})

test('an unrecorded top-up opens a break; recorded, it ends by itself, and is recorded once', async (t) => {
  const { app, admin } = await start(t)
  await record(app, admin, 'opening', opening)
  await app.control('POST', '/movement', { account: 'test', amount: 7_000 })
  await compare(app)
  const [found] = await openBreaks(app, admin)
  assert.deepEqual(
    [found.provider, found.evidence],
    ['snippe', { reported: opening + 7_000, expected_low: opening, expected_high: opening, difference: 7_000 }],
  )
  const recorded = await record(app, admin, 'top_up', 7_000)
  assert.deepEqual((await record(app, admin, 'top_up', 7_000)).body.data, recorded.body.data)
  const other = await record(app, admin, 'top_up', 8_000)
  assert.deepEqual([other.status, other.body.error.code], [409, 'invalid_state'])
  assert.equal((await record(app, admin, 'opening', 1, 'second')).status, 409)
  await compare(app)
  assert.deepEqual(await openBreaks(app, admin), [])
  const { body } = await app.call('GET', `/v1/admin/breaks/${found.id}`, { token: admin.token })
  assert.deepEqual([body.data.resolution, body.data.resolved_by], ['already_settled', 'system'])
})

test('a movement whose amount does not fit its kind is refused, and records nothing', async (t) => {
  const { app, admin } = await start(t)
  const wrong = [
    ['opening', -1],
    ['top_up', 0],
    ['withdrawal', -5],
    ['correction', 0],
  ] as const
  for (const [kind, amount] of wrong) {
    const { status, body } = await record(app, admin, kind, amount)
    assert.deepEqual([status, body.error?.errors?.[0]?.message], [400, amountRule], kind)
  }
  assert.deepEqual((await seen(app, admin)).movements, [])
})

test('money that the provider lost opens a break, which two operators can end; it opens again while nothing explains it', async (t) => {
  const { app, admin } = await start(t)
  await record(app, admin, 'opening', opening)
  await app.control('POST', '/movement', { account: 'test', amount: -1 })
  await compare(app)
  const [found] = await openBreaks(app, admin)
  assert.equal(found.evidence.difference, -1)
  const other = await app.admin()
  const path = `/v1/admin/breaks/${found.id}`
  const body = { resolution: 'provider_was_wrong', note: 'They have written.' }
  const { resolution, proposed_at } = (await app.call('POST', `${path}/propose`, { token: admin.token, body })).body.data.proposal
  assert.equal((await app.call('POST', `${path}/confirm`, { token: other.token, body: { resolution, proposed_at } })).status, 200)
  assert.deepEqual(await openBreaks(app, admin), [])
  await compare(app)
  assert.equal((await openBreaks(app, admin)).length, 1)
  // It never stops payouts by itself.
  const { body: list } = await app.call('GET', '/v1/admin/switches', { token: admin.token })
  assert.deepEqual(new Set(list.data.map(({ state }: any) => state)), new Set(['on']))
})

test('a payout in flight is no difference, nor is one odd reading, and an unusable answer is unknown and asked again', async (t) => {
  const answers: any[] = [
    { kind: 'indeterminate', reason: 'http_500' },
    { kind: 'balance', amount: 1 },
  ]
  const { app, student, key, admin } = await start(t)
  await record(app, admin, 'opening', opening)
  await fund(app, student, 60_000)
  await ask(app, key, { amount: 20_000, phone_number: '0754345129' })
  await checkPayouts(app.deps, 10)
  const real = app.deps.providers
  const providers = wrapProviders(real, (provider) => ({
    ...provider,
    readBalance: async () => answers.shift() ?? provider.readBalance(),
  }))
  await compare({ ...app, deps: { ...app.deps, providers } })
  const [last] = (await seen(app, admin)).balances
  assert.deepEqual([last.difference, last.high - last.low >= 20_000, answers.length], [0, true, 0])
  assert.deepEqual(await openBreaks(app, admin), [])
})

test('the other provider of the environment has its own account and its own balance', async (t) => {
  const { app, student, admin } = await start(t)
  await fund(app, student, 60_000)
  await record(app, admin, 'opening', opening, 'opening', 'clickpesa')
  await compare(app, 'clickpesa')
  const [last] = (await seen(app, admin)).balances
  assert.deepEqual([last.provider, last.reported, last.booked, last.difference], ['clickpesa', opening, 0, 0])
})

test('a provider that names no fee of a charge: its fees are no difference, a lost payment is one, also days later', async (t) => {
  const settings = { CHARGE_PROVIDER_TEST: 'clickpesa', CLICKPESA_TEST_CHARGE_FEE_PERCENT: '2' }
  const { app, student, admin } = await start(t, settings)
  await record(app, admin, 'opening', opening, 'opening', 'clickpesa')
  const page = await app.page(student, { amount: 10_000 })
  const pay = async (phones: readonly string[]) => {
    for (const phone of phones) await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
  }
  await pay(['0754123789', '0712345789', '0754223789'])
  await compare(app, 'clickpesa')
  const { feesLow: low, feesHigh: high, ...first } = await newest(app)
  assert.deepEqual([first.booked, first.unnamed, first.unnamedCount, first.difference], [30_000, 30_000, 3, 0])
  assert.deepEqual(
    [low, high],
    [opening + 30_000 - first.reported, opening + 30_000 - first.reported],
    'the answer tells the fees',
  )
  await app.control('POST', '/movement', { account: 'clickpesa-test', amount: -10_000 })
  await pay(['0754323789', '0712445789'])
  await compare(app, 'clickpesa')
  const [found] = await openBreaks(app, admin)
  assert.ok(Math.abs(found.evidence.difference + 10_000) <= 30, `${found.evidence.difference}`)
  for (let day = 0; day < 3; day += 1) {
    await pay([`07541${day}4789`])
    await compare(app, 'clickpesa')
    assert.deepEqual(
      (await openBreaks(app, admin)).map(({ id, evidence }) => [id, evidence.difference]),
      [[found.id, found.evidence.difference]],
    )
  }
  await record(app, admin, 'correction', -10_000, 'letter', 'clickpesa')
  await compare(app, 'clickpesa')
  assert.deepEqual([(await newest(app)).difference, await openBreaks(app, admin)], [0, []])
})

test('a fee that is named after its charge was summed takes the charge from those without a fee', async (t) => {
  const withoutFee = (message: WebhookMessage): WebhookMessage =>
    message.kind === 'charge' ? { ...message, snapshot: { ...message.snapshot, fee: null } } : message
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        readWebhook: (...received) => withoutFee(provider.readWebhook(...received)),
        readStoredWebhook: (body) => withoutFee(provider.readStoredWebhook(body)),
      })),
    }),
  })
  const page = await app.page(await app.student(), { amount: 10_000 })
  for (const phone of ['0754123789', '0712345789'])
    await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
  const account = { environment: 'test', provider: 'snippe' } as const
  const unnamed = async () => {
    await advancePositions(app.db, account)
    const { unnamed: amount, unnamedCount } = await readBooks(app.db, account)
    return [amount, unnamedCount]
  }
  assert.deepEqual(await unnamed(), [20_000, 2])
  // The list names the fees.
  await reconcileToday(app)
  assert.deepEqual(await unnamed(), [0, 0])
})

test('a correction that began before a reading and was recorded after it counts for the next reading', async (t) => {
  const { app, admin } = await start(t)
  await record(app, admin, 'opening', opening)
  const account = { environment: 'test', provider: 'snippe' } as const
  await app.owner.pool.query(`update provider_movements set recorded_at = recorded_at - interval '2 minutes'`)
  for (const kind of ['top_up', 'correction'] as const) {
    const runId = newId()
    await insertRun(app.db, {
      ...account,
      id: runId,
      kind: 'balance',
      subject: kind === 'top_up' ? 'charges' : 'payouts',
      day: null,
      requestedBy: 'system',
    })
    await app.owner.tx(async (early) => {
      // The time of a transaction is that of its first statement: as of one whose commit waits while another process reads.
      await early.rows(sql`select pg_sleep(0.01)`)
      const books = await readBooks(app.db, account)
      await insertBalance(app.db, runId, account, compareBooks(opening, books, undefined, undefined))
      assert.equal((await readBooks(app.db, account)).isCorrected, false)
      const movement = { kind, amount: 1_000, reference: kind, note: 'x', recordedBy: 'operator' }
      await insertMovement(early, { ...account, ...movement, id: newId() })
    })
    // A top-up explains no difference that was there before it.
    assert.equal((await readBooks(app.db, account)).isCorrected, kind === 'correction')
  }
})

test('a long history is summed some transfers at a time, to the same amounts', async (t) => {
  const { app, student, key } = await start(t)
  await fund(app, student, 60_000)
  await ask(app, key, { amount: 20_000 })
  await checkPayouts(app.deps, 10)
  const page = await app.page(student, { amount: 10_000 })
  for (const phone of ['0754123789', '0712345789'])
    await app.settled((await app.checkout(page.slug, { phone_number: phone })).body.data.reference)
  const account = { environment: 'test', provider: 'snippe' } as const
  const atOnce = await readBooks(app.db, account)
  let steps = 1
  while (!(await advancePositions(app.db, account, 2))) {
    assert.deepEqual(await readBooks(app.db, account), atOnce)
    steps += 1
  }
  const { rows } = await app.owner.pool.query(
    `select ceil(max(last_seq) / 2.0)::integer as steps from ledger_accounts where kind = 'provider_clearing'`,
  )
  assert.deepEqual([steps, await readBooks(app.db, account)], [rows[0].steps, atOnce])
})

test('a difference stops no payouts: a check of the books finds nothing, and the next payout is paid', async (t) => {
  const { app, student, key, admin } = await start(t)
  await fund(app, student, 60_000)
  await record(app, admin, 'opening', 5)
  await compare(app)
  assert.equal((await openBreaks(app, admin)).length, 1)
  assert.deepEqual(await watchBooks(app.deps), [])
  const { id } = (await ask(app, key, { amount: 20_000 })).body.data
  await eventually('the payout is paid', async () => {
    await checkPayouts(app.deps, 10)
    return (await app.call('GET', `/v1/payouts/${id}`, { key })).body.data.status === 'completed'
  })
})

test('only an open break explains a remainder of a day: one that was resolved without its credit leaves it to be seen', async (t) => {
  const { app } = await start(t)
  const id = newId()
  const account = { subject: 'charges', environment: 'test', provider: 'snippe' } as const
  await insertRun(app.db, { ...account, id, kind: 'daily', day: '2026-01-25', requestedBy: 'system' })
  const { pool } = app.owner
  await pool.query(
    `insert into reconciliation_records (run_id, reference, in_day, network, status, amount, outcome)
     values ($1, 'ref-1', true, 'mpesa', 'completed', 6000, 'break')`,
    [id],
  )
  await pool.query(
    `insert into breaks (home, id, environment, kind, provider, provider_reference)
     values (0, '00000000-0000-7000-8000-000000000001', 'test', 'unknown_at_provider', 'snippe', 'ref-1')`,
  )
  const totals = async () => {
    const { decided: told } = await recordTotals(app.db, id)
    const { rows } = await pool.query('select by_network from reconciliation_runs where id = $1', [id])
    const { in_breaks: inBreaks, decided } = rows[0].by_network.mpesa
    await pool.query(
      `update reconciliation_runs set phase = 'ended', started_at = clock_now(), ended_at = clock_now() where id = $1`,
      [id],
    )
    const broken = (await checkAll(app)).filter(({ what }) => what.startsWith('charges of'))
    return [inBreaks, decided, told, broken.map(({ invariant }) => invariant)]
  }
  assert.deepEqual(await totals(), [6_000, 0, 0, []])
  // Operators may decide that the provider is wrong: that is told, and stops no payouts.
  await pool.query(`update breaks set resolution = 'already_settled', resolved_by = 'operator', resolved_at = clock_now()`)
  assert.deepEqual(await totals(), [0, 6_000, 6_000, []])
  // The service itself closed it, so it must have credited it.
  await pool.query(`update breaks set resolved_by = 'system'`)
  assert.deepEqual(await totals(), [0, 0, 0, ['I8']])
  await pool.query('delete from breaks; delete from reconciliation_records; delete from reconciliation_runs')
})
