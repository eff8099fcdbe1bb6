/**
 * Payments that failed here and were paid at the provider later, with the message lost. They are found by the list, by queries, or by a
 * later day's comparison.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startTestApp, type TestApp, type TestAppOptions } from '../../../test/app.ts'
import { recheckEnded } from '../../collect/payments/recheck-ended.ts'
import { wrapProviders, type Provider } from '../../money/providers/provider.ts'
import type { Dependencies } from '../../start/dependencies.ts'
import { createReconciler } from './reconcile.ts'
import { counting, drive, lookForLate, moveClock, reconcileToday, type Calls } from '../../../test/fixtures/reconciliation.ts'

type Late = {
  app: TestApp
  calls: Calls
  /** Payments that failed here, by the provider's own answer. */
  fail(count: number): Promise<string[]>
  /** The payer of each has paid after all, and the provider sends no message. */
  payInSilence(): Promise<void>
  statuses(): Promise<string[]>
}

async function playLate(t: TestContext, options: TestAppOptions = {}, instead: Partial<Provider> = {}): Promise<Late> {
  const calls: Calls = { lists: 0, fetches: 0 }
  const app = await startTestApp(t, { ...options, wrap: counting(calls, instead) })
  const page = await app.page(await app.student())
  /** The provider's references of the failed payments. */
  const failed: string[] = []
  return {
    app,
    calls,
    async fail(count) {
      const references: string[] = []
      for (let index = 0; index < count; index += 1) {
        const { body } = await app.checkout(page.slug, { phone_number: '0754000111', idempotency_key: `k${index}` })
        references.push(body.data.reference)
      }
      const { charges } = await app.truth()
      for (const { reference, status } of charges) if (status === 'pending') failed.push(reference)
      for (const reference of failed) await app.control('POST', `/charges/${reference}/answer`, { action: 'fail' })
      for (const reference of references) assert.equal((await app.settled(reference)).status, 'failed')
      return references
    },
    async payInSilence() {
      for (const reference of failed) await app.control('POST', `/charges/${reference}/answer`, { action: 'complete', copies: 0 })
    },
    async statuses() {
      const { rows } = await app.owner.pool.query('select status, late from payments order by id')
      return rows.map(({ status, late }) => (late ? `late ${status}` : status))
    },
  }
}

for (const [what, paidAfter, foundAfter] of [
  ['a minute', '1 minute', '6 minutes'],
  ['half an hour', '30 minutes', '40 minutes'],
  ['five hours', '5 hours', '5 hours 10 minutes'],
] as const) {
  test(`a payment paid ${what} after it failed here, with its message lost, is credited within ten minutes, by the list [T05]`, async (t) => {
    const { app, calls, fail, payInSilence, statuses } = await playLate(t)
    await fail(2)
    // Until then the queries that are due find nothing.
    await moveClock(app, paidAfter)
    await lookForLate(app)
    assert.deepEqual(await statuses(), ['failed', 'failed'])
    await payInSilence()
    const before = { ...calls }
    await moveClock(app, foundAfter)
    await lookForLate(app)
    assert.deepEqual(await statuses(), ['late completed', 'late completed'])
    assert.deepEqual([calls.lists - before.lists, calls.fetches - before.fetches], [1, 0], 'one page of the list answers for all')
    const { rows } = await app.owner.pool.query('select ended_at, recheck_at from provider_charges')
    assert.deepEqual(rows[0], { ended_at: null, recheck_at: null })
  })
}

for (const [what, clock, days] of [
  ['26 hours', '26 hours', 1],
  ['six days', '6 days', 6],
] as const) {
  test(`a payment paid ${what} after it failed here, with its message lost, is credited by the next daily comparison [T05]`, async (t) => {
    const { app, calls, fail, payInSilence, statuses } = await playLate(t)
    await fail(1)
    // The comparison of its day is done and saw it as failed.
    assert.equal((await reconcileToday(app)).repaired, 0)
    await moveClock(app, clock)
    await payInSilence()
    // The queries about a payment that has ended stop after a day. They would find it as well, so the comparison has to do without them.
    await app.owner.pool.query('update provider_charges set ended_at = null, recheck_at = null')
    const before = calls.lists
    await lookForLate(app)
    assert.equal(calls.lists, before, 'after a day the list is left to the daily comparison')
    assert.deepEqual(await statuses(), ['failed'])
    await reconcileToday(app, 'charges', days)
    assert.deepEqual(await statuses(), ['late completed'])
  })
}

test('a payment that ended without a credit is queried after 2, 10 and 60 minutes and a day, and only a success changes it [T05]', async (t) => {
  const { app, calls, fail, payInSilence, statuses } = await playLate(t)
  await fail(1)
  const askedAt = async (clock: string): Promise<number> => {
    const before = calls.fetches
    await moveClock(app, clock)
    await recheckEnded(app.deps, 10)
    await recheckEnded(app.deps, 10)
    return calls.fetches - before
  }
  const asked = []
  for (const clock of ['1 minute', '3 minutes', '9 minutes', '11 minutes', '59 minutes', '61 minutes', '23 hours'])
    asked.push(await askedAt(clock))
  assert.deepEqual(asked, [0, 1, 0, 1, 0, 1, 0])
  assert.deepEqual(await statuses(), ['failed'])
  await payInSilence()
  assert.equal(await askedAt('25 hours'), 1)
  assert.deepEqual(await statuses(), ['late completed'])
  assert.equal(await askedAt('8 days'), 0)
})

test('the list of the second provider shows it as well [T05]', async (t) => {
  const { app, calls, fail, payInSilence, statuses } = await playLate(t, { settings: { CHARGE_PROVIDER_TEST: 'clickpesa' } })
  await fail(2)
  await payInSilence()
  await moveClock(app, '1 minute')
  await lookForLate(app)
  assert.deepEqual([calls, await statuses()], [{ lists: 1, fetches: 0 }, ['late completed', 'late completed']])
})

test('without a list it is also queried each day for a week [T05]', async (t) => {
  const withoutList = {
    looksUpOurReference: true,
    replaySeconds: 0,
    pushes: false,
    lists: false,
    minimumPayout: 1_000,
    quotesForRecipient: false,
    idsAreContent: false,
  }
  const { app, calls, fail, statuses } = await playLate(
    t,
    { settings: { CHARGE_PROVIDER_TEST: 'clickpesa' } },
    { capabilities: withoutList },
  )
  await fail(1)
  for (let day = 1; day <= 9; day += 1) {
    await moveClock(app, `${day} days 1 hour`)
    await lookForLate(app)
  }
  // The first query replaces the three of the first hour, when no worker ran.
  assert.deepEqual([calls.lists, calls.fetches, await statuses()], [0, 7, ['failed']])
  const { rows } = await app.owner.pool.query('select ended_at, recheck_at from provider_charges')
  assert.deepEqual(rows, [{ ended_at: null, recheck_at: null }])
})

test('once a week the list of the last 30 days is read back: a page a step, continued by another process where one died', async (t) => {
  const asked: number[] = []
  // The provider's own page is cut into pages of one record.
  const smallPages = (deps: Dependencies): Dependencies => ({
    ...deps,
    providers: wrapProviders(deps.providers, (provider) => ({
      ...provider,
      async listCharges(page) {
        if (provider.name === 'snippe') asked.push(page)
        const whole = await provider.listCharges(0)
        if (whole.kind !== 'page') return whole
        return { ...whole, items: whole.items.slice(page, page + 1), isLast: page + 1 >= whole.items.length }
      },
    })),
  })
  const { app, fail, payInSilence, statuses } = await playLate(t)
  const deps = smallPages(app.deps)
  await fail(3)
  // A week in which the account was not in use is not read back.
  await createReconciler(deps).plan()
  assert.equal((await app.owner.pool.query(`select from reconciliation_runs where kind in ('weekly', 'balance')`)).rowCount, 0)
  await moveClock(app, '20 days')
  await payInSilence()
  const [one, other] = [createReconciler(deps), createReconciler(deps)]
  const runs = async () => {
    const sql = `select count(*)::integer as planned, count(*) filter (where ended_at is null)::integer as open, sum(calls)::integer as calls
      from reconciliation_runs where kind = 'weekly' and environment = 'test' and provider = 'snippe' and subject = 'charges'`
    return (await app.owner.pool.query(sql)).rows[0]
  }
  await one.plan()
  await drive(one, 'late')
  await one.step('weekly')
  assert.deepEqual([asked.splice(0).at(-1), await runs()], [0, { planned: 1, open: 1, calls: 1 }])
  // The first process never comes back.
  await app.owner.pool.query(
    `update reconciliation_runs set lease_until = clock_now() - interval '1 second' where ended_at is null`,
  )
  await drive(other, 'weekly')
  assert.deepEqual([asked, await runs()], [[1, 2], { planned: 1, open: 0, calls: 3 }])
  assert.deepEqual(await statuses(), ['late completed', 'late completed', 'late completed'])
  await other.plan()
  assert.equal((await runs()).planned, 1, 'not again in the same week')
  await moveClock(app, '27 days')
  await other.plan()
  assert.deepEqual(await runs(), { planned: 2, open: 1, calls: 3 })
})

test('a query that exceeds the budget is sent later, and does not count as an answer [T05]', async (t) => {
  const { app, calls, fail, payInSilence, statuses } = await playLate(t)
  await fail(1)
  await payInSilence()
  await moveClock(app, '3 minutes')
  const provider = app.deps.providers.test.charges
  const spent = {
    ...provider,
    fetchCharge: async () => ({ kind: 'indeterminate', reason: 'budget_spent', afterMs: 40_000 }) as const,
  }
  const test = { ...app.deps.providers.test, byName: new Map([[provider.name, spent]]) }
  await recheckEnded({ ...app.deps, providers: { ...app.deps.providers, test } }, 10)
  await recheckEnded(app.deps, 10)
  assert.deepEqual([calls.fetches, await statuses()], [0, ['failed']])
  await moveClock(app, '4 minutes')
  await recheckEnded(app.deps, 10)
  assert.deepEqual([calls.fetches, await statuses()], [1, ['late completed']])
})

test('a day of two thousand payments is twenty pages of the list every five minutes, which fits into a fifth of the budget [T05]', async (t) => {
  const { app, calls, fail, payInSilence, statuses } = await playLate(t)
  await app.control('POST', '/seed', { account: 'test', count: 1_000, status: 'failed' })
  await fail(1)
  await payInSilence()
  await app.control('POST', '/seed', { account: 'test', count: 999, status: 'failed' })
  await moveClock(app, '6 minutes')
  await lookForLate(app)
  assert.deepEqual(await statuses(), ['late completed'])
  // Read to its end, also when a single question has found the late success first.
  assert.ok(calls.lists >= 20 && calls.lists <= 21, `${calls.lists} calls; a fifth of sixty a minute are sixty in five minutes`)
})
