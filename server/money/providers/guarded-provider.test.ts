/**
 * The guard around adapters: when it lets no call through, its answers meanwhile, and that it never spends the calls that payers need.
 */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'
import { eventually, share, startTestApp } from '../../../test/app.ts'
import { createBudget, type Budget } from '../../platform/outbound/budget.ts'
import { sql } from '../../platform/db/db.ts'
import { steadyClock, systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/process/log.ts'
import { createCircuit, type Judged } from './circuit.ts'
import { createGuards, type CountedBudget, type Guards } from './guarded-provider.ts'
import type { Provider } from './provider.ts'
import { createSnippe } from './snippe.ts'

const sharedApp = share((ending) => startTestApp(ending))

type Answer = { status: number; body: unknown; headers?: Record<string, string> }

type Guarded = {
  provider: Provider
  health: Guards['health']
  /** Requests that reached the provider. */
  calls: () => number
  logged: string[]
  /** Sets the provider's answer from now on; `hold` keeps its requests waiting until they are released. */
  answer(next: Answer | 'hold'): void
  release(with_: Answer): void
}

const openMs = 15_000
const well: Answer = { status: 200, body: { data: { reference: 'r-1', status: 'pending' } } }
const broken: Answer = { status: 500, body: { status: 'error' } }

test('an open circuit is open for its time, whatever value the time of day is set to meanwhile [F42]', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const log = createLog({ level: 'silent', role: 'test' })
  const settings = { failures: 1, windowMs: 60_000, openMs: 100 }
  const circuit = createCircuit({ provider: 'p', environment: 'test', direction: 'payouts', settings, clock: steadyClock, log })
  const run = (outcome: Judged) =>
    circuit.run<Judged>(
      async () => outcome,
      () => ({ kind: 'held' }),
    )
  await run({ kind: 'broken', trouble: 'outage' })
  t.mock.timers.setTime(Date.now() - 3_600_000)
  assert.equal((await run({ kind: 'well' })).kind, 'held')
  await eventually('its time is over', () => circuit.waitMs() === 0, 2_000)
  assert.equal((await run({ kind: 'well' })).kind, 'well')
})

/** A guarded adapter of a real server, with a clock that the test moves. */
async function guarded(t: TestContext, counted?: CountedBudget): Promise<Guarded> {
  t.mock.timers.enable({ apis: ['Date'], now: 1_780_000_000_000 })
  let next: Answer | 'hold' = well
  let calls = 0
  const held: ServerResponse[] = []
  const give = (response: ServerResponse, { status, body, headers }: Answer): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const server = createServer((_request, response) => {
    calls += 1
    if (next === 'hold') held.push(response)
    else give(response, next)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const snippe = createSnippe({
    contactEmail: 'payments@malipo.example',
    baseUrl: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    apiKey: 'snp_test_0123456789',
    webhookSecrets: ['s'.repeat(40)],
    webhookSignature: 'timestamp.body',
    timeoutMs: 5_000,
    maxResponseBytes: 64 * 1024,
    connections: 50,
    webhookToleranceSeconds: 300,
  })
  t.after(async () => {
    await snippe.close()
    server.closeAllConnections()
    server.close()
  })
  const logged: string[] = []
  const log = createLog({ level: 'info', role: 'test', destination: { write: (line: string) => logged.push(line) } })
  const guards = createGuards({
    settings: { failures: 10, windowMs: 60_000, openMs },
    patienceMs: 30_000,
    clock: systemClock,
    log,
    random: () => 0,
    budgetOf: () => counted,
  })
  return {
    provider: guards.guard(snippe, 'test'),
    health: guards.health,
    calls: () => calls,
    logged,
    answer: (given) => (next = given),
    release: (given) => held.splice(0).forEach((response) => give(response, given)),
  }
}

const neverSpent: Budget = {
  spend: async () => 0,
  spendAs: async () => ({ waitMs: 0, isFlooded: false }),
  exhaust: async () => {},
}
const request = { idempotencyKey: 'c-1', body: '{}' }
const key = { reference: 'r-1', ourReference: 'pay_1' }
const charges = (count: number, { provider }: Guarded) =>
  Promise.all(Array.from({ length: count }, () => provider.charge(request)))

test('an unhealthy provider gets no calls: creates wait as not started, queries as not answered', async (t) => {
  const app = await guarded(t)
  const { provider } = app
  app.answer(broken)
  await charges(10, app)
  assert.equal(provider.pausedForMs!('charges'), openMs)
  const before = app.calls()
  assert.deepEqual(await provider.charge(request), { kind: 'retry_later', afterMs: openMs, isHeld: true })
  assert.deepEqual(await provider.fetchCharge(key), { kind: 'indeterminate', reason: 'circuit_open' })
  assert.deepEqual(await provider.pushCharge(key), { kind: 'held', afterMs: openMs })
  assert.deepEqual(await provider.listCharges(0), { kind: 'indeterminate', reason: 'circuit_open' })
  assert.equal(app.calls(), before)
  // Payouts may be healthy while charges are not.
  assert.equal(provider.pausedForMs!('payouts'), 0)
  app.answer(well)
  assert.notDeepEqual(await provider.fetchPayout({ reference: 'r-1', ourReference: 'po_1' }), {
    kind: 'indeterminate',
    reason: 'circuit_open',
  })
  assert.equal(app.logged.filter((line) => line.includes('provider.circuit_opened')).length, 1)
})

test('when its time is over exactly one call tries; its result decides for all', async (t) => {
  const app = await guarded(t)
  const { provider } = app
  app.answer(broken)
  await charges(10, app)
  t.mock.timers.tick(openMs)
  // The first caller may start; a concurrent caller waits.
  assert.equal(provider.pausedForMs!('charges'), 0)
  assert.ok(provider.pausedForMs!('charges') > 0)
  app.answer('hold')
  const before = app.calls()
  const first = provider.charge(request)
  const others = await charges(5, app)
  assert.ok(others.every(({ kind }) => kind === 'retry_later'))
  app.answer(broken)
  // The request may still be in flight when the other calls were refused.
  while (app.calls() === before) await new Promise((resolve) => setImmediate(resolve))
  app.release(broken)
  assert.equal((await first).kind, 'unknown')
  assert.equal(app.calls(), before + 1)
  assert.equal(provider.pausedForMs!('charges'), openMs)

  t.mock.timers.tick(openMs)
  app.answer(well)
  assert.equal((await provider.charge(request)).kind, 'accepted')
  assert.equal(provider.pausedForMs!('charges'), 0)
  assert.ok((await charges(5, app)).every(({ kind }) => kind === 'accepted'))
  // Failures from before its recovery no longer count.
  app.answer(broken)
  await charges(9, app)
  assert.equal(provider.pausedForMs!('charges'), 0)
})

test('a few failures among many calls, and old failures, do not open the circuit', async (t) => {
  const app = await guarded(t)
  await charges(30, app)
  app.answer(broken)
  await charges(20, app)
  assert.equal(app.provider.pausedForMs!('charges'), 0)
  t.mock.timers.tick(61_000)
  await charges(9, app)
  assert.equal(app.provider.pausedForMs!('charges'), 0)
  await charges(1, app)
  assert.ok(app.provider.pausedForMs!('charges') > 0)
})

test('a refusal for one payer proves nothing about the provider', async (t) => {
  const app = await guarded(t)
  const refusals: Answer[] = [
    { status: 400, body: { status: 'error', error_code: 'validation_error', message: 'amount is required' } },
    { status: 400, body: { status: 'error', error_code: 'VAL_001', message: 'validation failed' } },
    { status: 409, body: { status: 'error', error_code: 'conflict' } },
    { status: 422, body: { status: 'error', error_code: 'validation_error', message: 'idempotency key already used' } },
    { status: 429, body: { status: 'error', error_code: 'rate_limit_exceeded' } },
  ]
  for (const refusal of refusals) {
    app.answer(refusal)
    await charges(20, app)
    assert.equal(app.provider.pausedForMs!('charges'), 0, JSON.stringify(refusal))
  }
  app.answer({ status: 404, body: { status: 'error', error_code: 'not_found' } })
  for (let turn = 0; turn < 20; turn += 1) assert.equal((await app.provider.fetchCharge(key)).kind, 'not_found')
  assert.equal(app.provider.pausedForMs!('charges'), 0)
})

test('a refused key opens the circuit at once, for longer, and alerts the operators once [P39]', async (t) => {
  // A 401 with the provider's own code also proves that the call started nothing.
  for (const [kind, refusal] of [
    ['retry_later', { status: 401, body: { status: 'error', error_code: 'unauthorized' } }],
    ['retry_later', { status: 401, body: { status: 'error', error_code: 'AUTH_007' } }],
    ['unknown', { status: 403, body: { status: 'error', error_code: 'insufficient_scope' } }],
    ['unknown', { status: 401, body: 'no envelope at all' }],
  ] as const) {
    const app = await guarded(t)
    app.answer(refusal)
    assert.equal((await app.provider.charge(request)).kind, kind)
    assert.equal(app.provider.pausedForMs!('charges'), openMs * 4)
    t.mock.timers.tick(openMs * 4)
    await app.provider.charge(request)
    assert.ok(app.provider.pausedForMs!('charges') > 0)
    assert.equal(app.logged.filter((line) => line.includes('provider.credentials_refused')).length, 1)
    assert.equal(app.health()[0]!.lastTrouble?.kind, 'credentials')
    t.mock.timers.reset()
  }
})

test('a 403 about one request or one record leaves the others alone [P39]', async (t) => {
  const app = await guarded(t)
  // A filter in front of the provider refuses one body.
  app.answer({ status: 403, body: '<html>Forbidden</html>' })
  assert.equal((await app.provider.charge(request)).kind, 'unknown')
  // The record of another account.
  app.answer({ status: 403, body: { status: 'error', error_code: 'forbidden' } })
  for (let turn = 0; turn < 20; turn += 1) assert.equal((await app.provider.fetchCharge(key)).kind, 'indeterminate')
  app.answer(well)
  assert.equal(app.provider.pausedForMs!('charges'), 0)
  assert.equal((await app.provider.charge(request)).kind, 'accepted')
})

test('operators see the health of each direction: its state, the last trouble, its success rate and speed', async (t) => {
  const app = await guarded(t)
  await charges(6, app)
  app.answer(broken)
  await charges(2, app)
  const [charging, payingOut] = app.health()
  assert.deepEqual(
    [charging!.provider, charging!.environment, charging!.direction, charging!.state, charging!.calls, charging!.successRate],
    ['snippe', 'test', 'charges', 'closed', 8, 0.75],
  )
  assert.deepEqual(charging!.lastTrouble, { kind: 'outage', reason: 'http_500', at: new Date(1_780_000_000_000) })
  assert.ok(charging!.latencyMs!.median <= charging!.latencyMs!.p95)
  assert.deepEqual(
    [payingOut!.direction, payingOut!.calls, payingOut!.successRate, payingOut!.lastTrouble],
    ['payouts', 0, null, null],
  )
  app.provider.readWebhook({}, Buffer.from('{}'), 0)
  assert.equal(app.health()[0]!.lastWebhookAt, null)
})

test('all processes share one budget, of which a third is kept for calls that payers wait for [P14]', async () => {
  const app = await sharedApp()
  const log = createLog({ level: 'silent', role: 'test' })
  const open = () => createBudget({ name: 'snippe-test', quota: 6, windowSeconds: 60, db: app.owner, log })
  const [api, worker] = [open(), open()]
  // Polling in one process leaves two of six calls to payers in another.
  for (let turn = 0; turn < 4; turn += 1) assert.equal(await worker.spend(2), 0)
  assert.ok((await worker.spend(2)) > 50_000)
  assert.deepEqual([await api.spend(), await api.spend()], [0, 0])
  const waitMs = await api.spend()
  assert.ok(waitMs > 50_000 && waitMs <= 60_000, String(waitMs))
})

test('lists and questions about what ended get a fifth of the budget, and leave the rest to more urgent calls [T05]', async (t) => {
  const app = await startTestApp(t)
  const log = createLog({ level: 'silent', role: 'test' })
  const budget = createBudget({ name: 'snippe-test', quota: 60, windowSeconds: 60, db: app.owner, log })
  const guard = await guarded(t, { budget, quota: 60 })
  const { provider } = guard
  for (let turn = 0; turn < 8; turn += 1) await provider.listCharges(turn)
  for (let turn = 0; turn < 8; turn += 1) await provider.fetchCharge(key, 'last')
  assert.equal(guard.calls(), 12)
  const held = await provider.listCharges(0)
  assert.ok(held.kind === 'indeterminate' && held.afterMs! > 0 && held.afterMs! <= 60_000, JSON.stringify(held))
  // Queries about open charges, and charges that are sent again, continue until a third of the budget is left: payers have that third.
  for (let turn = 0; turn < 20; turn += 1) await provider.fetchCharge(key)
  for (let turn = 0; turn < 20; turn += 1) await provider.charge(request, 'can_wait')
  assert.equal(guard.calls(), 40)
  await charges(30, guard)
  assert.equal(guard.calls(), 60)
})

test('payouts of batches get half of the budget, are held back as not started, and pause nothing', async (t) => {
  const app = await startTestApp(t)
  const log = createLog({ level: 'silent', role: 'test' })
  const budget = createBudget({ name: 'snippe-test', quota: 60, windowSeconds: 60, db: app.owner, log })
  const guard = await guarded(t, { budget, quota: 60 })
  const { provider } = guard
  const order = { idempotencyKey: 'po-1', body: '{}' }
  for (let turn = 0; turn < 20; turn += 1) await provider.sendPayout(order, 'batch')
  for (let turn = 0; turn < 20; turn += 1) await provider.quotePayout(10_000, undefined, 'batch')
  assert.equal(guard.calls(), 30)
  const held = await provider.sendPayout(order, 'batch')
  assert.ok(held.kind === 'retry_later' && held.isHeld && held.afterMs > 0, JSON.stringify(held))
  const unquoted = await provider.quotePayout(10_000, undefined, 'batch')
  assert.ok(unquoted.kind === 'indeterminate' && unquoted.afterMs! > 0, JSON.stringify(unquoted))
  await charges(30, guard)
  assert.equal(guard.calls(), 60)
  assert.equal(provider.pausedForMs!('payouts'), 0)
})

test('when the provider sends a 429, all wait for the requested time, and a charge stays not started [P14]', async (t) => {
  const app = await sharedApp()
  const log = createLog({ level: 'silent', role: 'test' })
  const budget = createBudget({ name: 'snippe-test', quota: 60, windowSeconds: 60, db: app.owner, log })
  const guard = await guarded(t, { budget, quota: 60 })
  guard.answer({ status: 429, body: { error_code: 'rate_limit_exceeded' }, headers: { 'x-ratelimit-reset': '7' } })
  assert.deepEqual(await guard.provider.charge(request), { kind: 'retry_later', afterMs: 7_000 })
  guard.answer(well)
  const before = guard.calls()
  const next = await guard.provider.charge(request)
  assert.ok(next.kind === 'retry_later' && next.afterMs <= 7_000, JSON.stringify(next))
  const asked = await guard.provider.fetchCharge(key)
  assert.ok(asked.kind === 'indeterminate' && asked.reason === 'budget_spent' && asked.afterMs! <= 7_000, JSON.stringify(asked))
  assert.equal(guard.calls(), before)
  assert.equal(guard.provider.pausedForMs!('charges'), 0)
})

test('ten minutes of 429: at first new charges wait, then none is started, and after it everything continues [F49]', async (t) => {
  const app = await guarded(t)
  const { provider } = app
  const tooMuch = { status: 429, body: { error_code: 'rate_limit_exceeded' }, headers: { 'x-ratelimit-reset': '5' } }
  app.answer(tooMuch)
  let begun = 0
  for (let second = 0; second < 600; second += 1) {
    if (provider.pausedForMs!('charges') === 0) {
      begun += 1
      assert.equal((await provider.charge(request)).kind, 'retry_later')
    }
    // Payouts are separate, and the provider has reported no trouble with them.
    assert.equal(provider.pausedForMs!('payouts'), 0)
    t.mock.timers.tick(1_000)
  }
  // One per second for half a minute, then one each time that the wait is over.
  assert.ok(begun >= 120 && begun <= 160, String(begun))
  assert.ok(provider.pausedForMs!('charges') <= 5_000)
  app.answer(well)
  t.mock.timers.tick(5_000)
  assert.equal((await provider.charge(request)).kind, 'accepted')
  app.answer(tooMuch)
  await charges(3, app)
  assert.equal(provider.pausedForMs!('charges'), 0, 'one bad moment is no reason to turn payers away')
})

test('a flood of one merchant leaves calls to others, gets the rest at the end of the window, and closes nothing [A69, A70]', async (t) => {
  const app = await startTestApp(t)
  const log = createLog({ level: 'silent', role: 'test' })
  const budget = createBudget({ name: 'snippe-test', quota: 60, windowSeconds: 60, db: app.owner, log })
  const guard = await guarded(t, { budget, quota: 60 })
  const pay = async (...callers: string[]) => (await guard.provider.charge(request, callers)).kind
  const flood = async (count: number, ofCall: (n: number) => string[]) => {
    const kinds: string[] = []
    // Few enough at once that none waits for a connection.
    for (let from = 0; from < count; from += 5) {
      kinds.push(...(await Promise.all([0, 1, 2, 3, 4].map((n) => pay(...ofCall(from + n))))))
    }
    return kinds.filter((kind) => kind === 'accepted').length
  }
  const ofOneAddress = await flood(150, () => ['merchant:a', 'page:1', 'network:x'])
  assert.ok(ofOneAddress >= 10 && ofOneAddress <= 32, String(ofOneAddress))
  // From many addresses, and over many pages of the merchant: half of the window is still left to others.
  await flood(150, (n) => ['merchant:a', 'page:1', `network:${n}`])
  await flood(150, (n) => ['merchant:a', `page:${n}`, `network:${n}`])
  assert.ok(guard.calls() <= 40, String(guard.calls()))
  assert.equal(guard.provider.pausedForMs!('charges'), 0)
  const others: string[] = []
  for (let n = 0; n < 9; n += 1) others.push(await pay('merchant:b', 'page:b', `network:${n}`))
  assert.deepEqual(new Set(others), new Set(['accepted']))
  // At the end of a window every caller may use the rest.
  await app.owner.rows(sql`
    update rate_limits set expire = (extract(epoch from clock_now()) * 1000)::bigint + 1000 where key = 'budget:snippe-test'`)
  const before = guard.calls()
  assert.ok((await flood(60, () => ['merchant:a', 'page:1', 'network:x'])) >= 60 - before - 2)
})

test('a flood closes no checkout, for any duration [A69]', async (t) => {
  const budget = { ...neverSpent, spendAs: async () => ({ waitMs: 5_000, isFlooded: true }) }
  const { provider } = await guarded(t, { budget, quota: 60 })
  for (let second = 0; second < 40; second += 1) {
    assert.equal((await provider.charge(request, ['merchant:a'])).kind, 'retry_later')
    assert.equal(provider.pausedForMs!('charges'), 0)
    t.mock.timers.tick(1_000)
  }
})
