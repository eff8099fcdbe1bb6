/** Compares our books with a provider's: missed outcomes are found and settled, differences become visible, and nothing is done twice. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../../../test/app.ts'
import { ask, ended, fund, paidStudent, read, says, silentPayout } from '../../../test/fixtures/payouts.ts'
import { sql } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { providerNamed, wrapProviders } from '../../money/providers/provider.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import { verify } from '../invariants/verify.ts'
import { accountsOf, createReconciler } from './reconcile.ts'
import {
  counting,
  decide,
  drive,
  moveClock,
  reconcileRecent,
  reconcileToday,
  type Calls,
} from '../../../test/fixtures/reconciliation.ts'
import { dayEndsAfterSeconds } from './run.ts'

const noCalls = (): Calls => ({ lists: 0, fetches: 0 })

/** Payments that are paid and for which the provider sends no message. */
async function paidInSilence(app: TestApp, count: number): Promise<string[]> {
  await app.control('POST', '/hold', { webhooks: true })
  const page = await app.page(await app.student())
  const references: string[] = []
  for (let index = 0; index < count; index += 1) {
    const { body } = await app.checkout(page.slug, { phone_number: '0754000111', idempotency_key: `k${index}` })
    references.push(body.data.reference)
  }
  for (const { reference } of (await app.truth()).charges)
    await app.control('POST', `/charges/${reference}/answer`, { action: 'complete' })
  return references
}

const totals = async (app: TestApp) => {
  const { rows } = await app.owner.pool.query(`select
    (select count(*)::integer from payments where status = 'completed') as completed,
    (select count(*)::integer from ledger_transfers where kind = 'payment') as credits,
    (select count(*)::integer from events where type = 'payment.completed') as events,
    (select coalesce(array_agg(kind order by kind), '{}') from breaks where resolved_at is null) as breaks`)
  return rows[0]
}

test('a success whose message is lost is credited by the run of the next five minutes, and queried once [F20]', async (t) => {
  const calls = noCalls()
  const app = await startTestApp(t, { wrap: counting(calls) })
  await paidInSilence(app, 3)
  await reconcileRecent(app)
  assert.equal((await totals(app)).completed, 0, 'nothing is asked about at once: its own checks come first')
  await moveClock(app, '6 minutes')
  await reconcileRecent(app)
  assert.deepEqual(await totals(app), { completed: 3, credits: 3, events: 3, breaks: [] })
  assert.deepEqual(calls, { lists: 0, fetches: 3 })
  await moveClock(app, '12 minutes')
  await reconcileRecent(app)
  assert.equal(calls.fetches, 3)
})

test('many unfinished payments are looked up in the list, with one call for a hundred [P09, P15]', async (t) => {
  const calls = noCalls()
  const app = await startTestApp(t, { wrap: counting(calls) })
  await paidInSilence(app, 24)
  // The provider's answers never arrived: only its own record names the payment.
  await app.owner.pool.query(`delete from provider_references`)
  await app.owner.pool.query(
    `update provider_charges set state = 'unknown', provider_reference = null where payment_id in (select payment_id from provider_charges limit 5)`,
  )
  await app.owner.pool.query(`insert into provider_references (provider, environment, reference, home, payment_id)
    select provider, 'test', provider_reference, home, payment_id from provider_charges where provider_reference is not null`)
  await moveClock(app, '6 minutes')
  await reconcileRecent(app)
  assert.deepEqual(await totals(app), { completed: 24, credits: 24, events: 24, breaks: [] })
  assert.deepEqual(calls, { lists: 1, fetches: 0 })
})

test('a run and the provider’s message settle one payment at the same time: one credit [F21]', async (t) => {
  const app = await startTestApp(t)
  await paidInSilence(app, 10)
  await moveClock(app, '6 minutes')
  const [one, other] = [createReconciler(app.deps), createReconciler(app.deps)]
  await one.plan()
  await Promise.all([
    drive(one, 'recent'),
    drive(other, 'recent'),
    app.control('POST', '/release', { webhooks: true }),
    reconcileToday(app),
  ])
  await reconcileRecent(app)
  assert.deepEqual(await totals(app), { completed: 10, credits: 10, events: 10, breaks: [] })
})

test('one of two processes works on a run, the other continues when it has died, and no tick is left out [F22]', async (t) => {
  const calls = noCalls()
  const app = await startTestApp(t, { wrap: counting(calls) })
  await paidInSilence(app, 4)
  await moveClock(app, '6 minutes')
  const [one, other] = [createReconciler(app.deps), createReconciler(app.deps)]
  await Promise.all([one.plan(), other.plan()])
  const open = async () =>
    (
      await app.owner.pool.query(
        `select environment, calls, leased_by from reconciliation_runs where kind = 'recent' and ended_at is null order by environment`,
      )
    ).rows
  const accounts = accountsOf(app.deps.providers)
  assert.equal((await open()).length, accounts.length)
  assert.equal(await one.step('recent'), accounts.length)
  assert.equal(await other.step('recent'), 0, 'what one works on, no other touches')
  assert.equal((await open()).length, 1)
  // The first process never comes back.
  await app.owner.pool.query(
    `update reconciliation_runs set lease_until = clock_now() - interval '1 second' where ended_at is null`,
  )
  assert.equal(await other.step('recent'), 1)
  assert.equal(await one.step('recent'), 0)
  await drive(other, 'recent')
  assert.deepEqual(await open(), [])
  assert.deepEqual([calls.fetches, (await totals(app)).credits], [4, 4])

  // No worker ran for three days: each day gets its own run, planned by the first process that is back.
  await moveClock(app, '3 days')
  await Promise.all([one.plan(), other.plan(), one.plan()])
  const { rows } = await app.owner.pool.query(
    `select day - (clock_now()::date - 3) as day, extract(epoch from due_at - (day + 1)::timestamp at time zone 'UTC')::integer as after_day,
       count(*)::integer as accounts
     from reconciliation_runs where kind = 'daily' group by 1, 2 order by 1`,
  )
  const lists = accounts.filter((account) => account.lists).length
  assert.deepEqual(
    rows,
    [0, 1, 2, 3].map((day) => ({ day, after_day: dayEndsAfterSeconds, accounts: lists })),
  )
})

test('a day compared with the provider’s list: missed outcomes are settled, a difference becomes one break, and the sums are kept by network [P05]', async (t) => {
  const calls = noCalls()
  const changed = { gone: '', failed: '' }
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(calls, {
        async listCharges(page) {
          const listed = await provider.listCharges(page)
          if (listed.kind !== 'page') return listed
          const items = listed.items
            .filter(({ reference }) => reference !== changed.gone)
            .map((item) => (item.reference === changed.failed ? { ...item, status: 'failed' as const } : item))
          return { ...listed, items }
        },
        fetchCharge: async (key) => (key.reference === changed.gone ? { kind: 'not_found' } : provider.fetchCharge(key)),
      })(deps)
    },
  })
  const page = await app.page(await app.student())
  const settled = []
  for (const phone of ['0754123789', '0684123789', '0754123789']) {
    const { reference } = (await app.checkout(page.slug, { phone_number: phone })).body.data
    await app.settled(reference)
    settled.push((await app.truth(`?our_reference=${reference}`)).charges[0].reference)
  }
  changed.gone = settled[0]
  changed.failed = settled[2]
  // Less money than was requested: it lies in suspense.
  const differing = (await app.checkout(page.slug, { phone_number: '0754123189' })).body.data.reference
  await app.settled(differing, ['processing'])
  // One paid without a message, and one that this service did not make.
  await app.control('POST', '/hold', { webhooks: true })
  const missed = (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data.reference
  const [charge] = (await app.truth(`?our_reference=${missed}`)).charges
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'completed' })
  await app.control('POST', '/seed', { account: 'test', count: 2, status: 'failed' })

  const run = await reconcileToday(app)
  assert.deepEqual(
    {
      seen: run.seen,
      matched: run.matched,
      repaired: run.repaired,
      breaks: run.breaks,
      unreadable: run.unreadable,
      phase: run.phase,
    },
    { seen: 7, matched: 2, repaired: 1, breaks: 3, unreadable: 0, phase: 'ended' },
  )
  assert.equal((await app.settled(missed)).status, 'completed')
  const expected = ['amount_differs', 'missing_at_provider', 'settled_differs', 'unknown_at_provider']
  assert.deepEqual((await totals(app)).breaks, expected)
  for (const sums of Object.values(run.by_network)) {
    assert.equal(sums.provider, sums.credited + sums.suspended + sums.in_breaks)
  }
  assert.deepEqual(run.by_network.airtel, {
    records: 1,
    provider: 1_500,
    credited: 1_500,
    suspended: 0,
    in_breaks: 0,
    decided: 0,
  })
  assert.deepEqual((await app.owner.pool.query('select from reconciliation_records')).rowCount, 0)

  const again = await reconcileToday(app)
  assert.deepEqual([again.repaired, again.breaks], [0, 3])
  assert.deepEqual((await totals(app)).breaks, expected, 'an open break is not opened twice')
  const kinds = `kind in ('missing_at_provider', 'settled_differs', 'unknown_at_provider')`
  await app.owner.pool.query(
    `update breaks set resolved_at = clock_now(), resolved_by = 'operator',
       resolution = case kind when 'unknown_at_provider' then 'keep_unallocated' else 'provider_was_wrong' end where ${kinds}`,
  )
  await reconcileToday(app)
  assert.deepEqual((await totals(app)).breaks, ['amount_differs'], 'a resolved break is not opened again')
})

test('a list that comes a day late, twice, with rows missing: no break remains, and none is missed [T15]', async (t) => {
  const shown = { list: 'late' as 'late' | 'partly' | 'whole', missing: '' }
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(noCalls(), {
        async listCharges(page) {
          const listed = await provider.listCharges(page)
          if (listed.kind !== 'page' || shown.list === 'whole') return listed
          return {
            ...listed,
            items: shown.list === 'late' ? [] : listed.items.filter((item) => item.reference !== shown.missing),
          }
        },
        // For one of the missing records, the provider's other answers do not know it either.
        fetchCharge: async (key) =>
          shown.list === 'late' && key.reference === shown.missing ? { kind: 'not_found' } : provider.fetchCharge(key),
      })(deps)
    },
  })
  const page = await app.page(await app.student())
  for (let index = 0; index < 3; index += 1) await app.settled((await app.checkout(page.slug)).body.data.reference)
  shown.missing = (await app.truth()).charges[0].reference
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  const [failing] = (await app.truth(`?our_reference=${body.data.reference}`)).charges
  await app.control('POST', `/charges/${failing.reference}/answer`, { action: 'fail' })
  await app.settled(body.data.reference)
  await app.control('POST', `/charges/${failing.reference}/answer`, { action: 'complete', copies: 0 })
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'completed' })

  // On its own day there is no list yet. The queried records are there, except the one that the provider does not know yet.
  await reconcileToday(app)
  assert.deepEqual((await totals(app)).breaks, ['missing_at_provider'])
  // The next day the list is there, except one row that the provider knows when asked; then it is complete. Each time it is read twice.
  await moveClock(app, '1 day')
  for (const list of ['partly', 'partly', 'whole', 'whole'] as const) {
    shown.list = list
    await reconcileToday(app, 'charges', 1)
    if (list === 'partly') await reconcileToday(app, 'charges', 0)
    assert.deepEqual((await totals(app)).breaks, ['unknown_at_provider'], list)
  }
  assert.deepEqual([(await totals(app)).completed, (await totals(app)).credits], [4, 4])
  const { rows } = await app.owner.pool.query(
    `select kind, resolved_by, count(*)::integer as count from breaks group by kind, resolved_by order by kind`,
  )
  assert.deepEqual(rows, [
    { kind: 'missing_at_provider', resolved_by: 'system', count: 1 },
    { kind: 'unknown_at_provider', resolved_by: null, count: 1 },
  ])
})

test('a payment that completes while the list is read is no difference, however long the wait for a connection is', async (t) => {
  let complete = async (): Promise<void> => {}
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(noCalls(), {
        async listCharges(page) {
          const listed = await provider.listCharges(page)
          await complete()
          return listed
        },
      })(deps)
    },
  })
  const page = await app.page(await app.student())
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data
  const [charge] = (await app.truth()).charges
  let busy: Promise<unknown>[] = []
  complete = async () => {
    await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
    assert.equal((await app.settled(reference)).status, 'completed')
    // More queries than connections, so that the next query waits.
    busy = Array.from({ length: 30 }, () => app.db.rows(sql`select pg_sleep(0.5)`))
  }
  const run = await reconcileToday(app)
  await Promise.all(busy)
  assert.deepEqual([run.seen, run.matched, run.breaks], [1, 1, 0])
  assert.deepEqual((await totals(app)).breaks, [])
})

test('a provider that does not show its books changes nothing; the list continues at the page where it stopped [P16]', async (t) => {
  const calls = noCalls()
  let isDown = false
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(calls, {
        listCharges: async (page) => (isDown ? { kind: 'indeterminate', reason: 'http_502' } : provider.listCharges(page)),
      })(deps)
    },
  })
  await app.control('POST', '/seed', { account: 'test', count: 250, status: 'failed' })
  await app.owner.pool.query(
    `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by)
     values (gen_random_uuid(), 'daily', 'charges', 'test', 'snippe', clock_now()::date, clock_now(), 'system')`,
  )
  const state = async () =>
    (await app.owner.pool.query('select phase, next_page, attempts, seen, calls from reconciliation_runs')).rows[0]
  const reconciler = createReconciler(app.deps)
  await reconciler.step('daily')
  isDown = true
  await reconciler.step('daily')
  assert.deepEqual(await state(), { phase: 'listing', next_page: 1, attempts: 1, seen: 100, calls: 2 })
  assert.equal(await reconciler.step('daily'), 0, 'it is left alone for a while')
  isDown = false
  await moveClock(app, '1 minute')
  await drive(reconciler, 'daily')
  assert.deepEqual(await state(), { phase: 'ended', next_page: 3, attempts: 0, seen: 250, calls: 4 })
})

test('a later day is compared while the list of an earlier day cannot be read', async (t) => {
  let isDown = true
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.payouts
      return counting(noCalls(), {
        listPayouts: async (page) => (isDown ? { kind: 'indeterminate', reason: 'short_page' } : provider.listPayouts(page)),
      })(deps)
    },
  })
  await app.owner.pool.query(
    `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by)
     select gen_random_uuid(), 'daily', 'payouts', 'test', 'snippe', clock_now()::date - age, clock_now() - age * interval '1 day', 'system'
     from generate_series(1, 2) as age`,
  )
  const ended = async () =>
    (await app.owner.pool.query(`select phase = 'ended' as ended, attempts from reconciliation_runs order by day`)).rows
  const reconciler = createReconciler(app.deps)
  await reconciler.step('daily')
  isDown = false
  await drive(reconciler, 'daily')
  const waiting = { ended: false, attempts: 1 }
  assert.deepEqual(await ended(), [waiting, { ended: true, attempts: 0 }])
  await moveClock(app, '1 minute')
  await drive(createReconciler(app.deps), 'daily')
  assert.deepEqual(await ended(), [
    { ended: true, attempts: 0 },
    { ended: true, attempts: 0 },
  ])
})

test('a payout that comes back between two pages of the list of its day is no difference of the books', async (t) => {
  let pages = 0
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.payouts
      return counting(noCalls(), {
        async listPayouts(page) {
          pages += 1
          if (pages === 2) return { kind: 'indeterminate', reason: 'short_page' }
          const answer = await provider.listPayouts(page)
          return pages === 1 && answer.kind === 'page' ? { ...answer, isLast: false } : answer
        },
      })(deps)
    },
  })
  const { key } = await paidStudent(app)
  const { id } = (await ask(app, key)).body.data
  await ended(app, key, id, 'completed')
  const order = (days: number) =>
    app.owner.pool.query(
      `insert into reconciliation_runs (id, kind, subject, environment, provider, day, due_at, requested_by)
       values (gen_random_uuid(), 'daily', 'payouts', 'test', 'snippe', clock_now()::date + $1::integer, clock_now(), 'system')`,
      [days],
    )
  await order(0)
  await drive(createReconciler(app.deps), 'daily')
  await app.control('POST', '/hold', { webhooks: true })
  await app.control('POST', `/payouts/${(await app.truth()).payouts[0].reference}/answer`, { action: 'reverse' })
  await order(1)
  await drive(createReconciler(app.deps), 'daily')
  assert.equal((await read(app, key, id)).status, 'reversed')
  await moveClock(app, '1 minute')
  await drive(createReconciler(app.deps), 'daily')
  const { rows } = await app.owner.pool.query(
    `select phase, by_network from reconciliation_runs where kind = 'daily' order by day`,
  )
  assert.deepEqual(
    rows.map(({ phase, by_network }) => [phase, by_network]),
    [
      ['ended', {}],
      ['ended', {}],
    ],
  )
  assert.deepEqual(await verify(app.owner, { since: null }, ['I8']), [])
})

test('payouts are compared like charges: a reversal without a message is refunded, an unknown order becomes a break', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 200_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const send = async (suffix: string) => {
    const { body } = await app.call('POST', '/v1/payouts', {
      key,
      headers: { 'idempotency-key': suffix },
      body: { amount: 20_000, phone_number: `+255754000${suffix}`, recipient_name: 'Asha Mushi' },
    })
    return body.data.id as string
  }
  const statusOf = async (id: string) => (await app.call('GET', `/v1/payouts/${id}`, { key })).body.data.status
  const [kept, silent] = [await send('123'), await send('139')]
  await eventually('the first is completed', async () => (await statusOf(kept)) === 'completed')
  const truth = async (): Promise<{ reference: string; status: string; metadata: { malipo_payout: string } }[]> =>
    (await app.truth()).payouts
  await eventually('both are completed there', async () => (await truth()).every(({ status }) => status === 'completed'))
  // The network reverses the first, and its message is lost. A stranger with our key sends a third order.
  const { reference } = (await truth()).find(({ metadata }) => metadata.malipo_payout === kept)!
  const calm = { method: 'PATCH', headers: { 'content-type': 'application/json' } }
  await fetch(`${app.simulatorUrl}/__control/faults`, { ...calm, body: JSON.stringify({ rates: { webhookLost: 1 } }) })
  await app.control('POST', `/payouts/${reference}/answer`, { action: 'reverse' })
  const ordered = await fetch(`${app.simulatorUrl}/v1/payouts/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.settings['SNIPPE_TEST_API_KEY']}`,
      'content-type': 'application/json',
      'idempotency-key': 'not-ours',
    },
    body: JSON.stringify({
      amount: 5_000,
      channel: 'mobile',
      recipient_phone: '255754000123',
      recipient_name: 'X',
      narration: 'x',
    }),
  })
  assert.equal(ordered.status, 201)
  const run = await reconcileToday(app, 'payouts')
  assert.deepEqual([run.phase, run.seen, run.repaired, run.breaks], ['ended', 3, 2, 1])
  assert.deepEqual([await statusOf(kept), await statusOf(silent)], ['reversed', 'completed'])
  const { rows } = await app.owner.pool.query('select kind, payout_id from breaks')
  assert.deepEqual(rows, [{ kind: 'unknown_at_provider', payout_id: null }])
  const again = await reconcileToday(app, 'payouts')
  assert.deepEqual([again.repaired, again.breaks], [0, 1])
  assert.equal((await app.owner.pool.query('select from breaks')).rows.length, 1)
})

test('a payout that is reversed days later is refunded by the comparison of a later day, also when its message is lost [P36]', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 200_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const { body } = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  const statusOf = async () => (await app.call('GET', `/v1/payouts/${body.data.id}`, { key })).body.data.status
  await eventually('it is completed', async () => (await statusOf()) === 'completed')
  const first = await reconcileToday(app, 'payouts')
  assert.deepEqual([first.seen, first.matched], [1, 1])

  await app.control('POST', '/hold', { webhooks: true })
  await app.control('POST', `/payouts/${(await app.truth()).payouts[0].reference}/answer`, { action: 'reverse' })
  const later = await reconcileToday(app, 'payouts', 3)
  assert.equal(await statusOf(), 'reversed')
  assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.available, 200_000)
  // It does not belong to that day.
  assert.deepEqual([later.seen, later.by_network], [0, {}])
})

test('a record that names a payout of another provider, or of the other environment, is an unknown order', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 200_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const send = async (idempotencyKey: string) => {
    const { body } = await app.call('POST', '/v1/payouts', {
      key,
      headers: { 'idempotency-key': idempotencyKey },
      body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
    })
    await eventually('it is completed', async () => {
      const { body: read } = await app.call('GET', `/v1/payouts/${body.data.id}`, { key })
      return read.data.status === 'completed'
    })
    return body.data.id as string
  }
  await send('one')
  const [{ reference }] = (await app.truth()).payouts
  // The payout was sent to another provider, but this one lists it too.
  await app.owner.pool.query('delete from provider_references where payout_id is not null')
  await app.owner.pool.query(`update provider_payouts set provider = 'clickpesa', provider_reference = 'theirs'`)
  const run = await reconcileToday(app, 'payouts')
  assert.deepEqual([run.seen, run.breaks, run.unreadable], [1, 1, 0])
  const { rows } = await app.owner.pool.query('select kind, provider from breaks')
  assert.deepEqual(rows, [{ kind: 'unknown_at_provider', provider: 'snippe' }])
  // The order’s code is valid only for the provider that it was made for.
  await app.owner.pool.query(`update provider_payouts set provider = 'snippe'`)
  for (const sums of Object.values(run.by_network)) assert.equal(sums.provider, sums.credited + sums.suspended + sums.in_breaks)
  // Restores the original order, for the check of the books: a run then ends the break.
  await app.owner.pool.query('delete from provider_references where break_id is not null')
  await app.owner.pool.query(`update provider_payouts set provider = 'snippe', provider_reference = $1`, [reference])
  await reconcileToday(app, 'payouts')
})

test('a day of the second provider is compared by its lists, which show less', async (t) => {
  const app = await startTestApp(t, { settings: { CHARGE_PROVIDER_TEST: 'clickpesa', PAYOUT_PROVIDER_TEST: 'clickpesa' } })
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 200_000 })
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const { body } = await app.call('POST', '/v1/payouts', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' },
  })
  await eventually('it is completed', async () => {
    const { body: read } = await app.call('GET', `/v1/payouts/${body.data.id}`, { key })
    return read.data.status === 'completed'
  })
  for (const subject of ['charges', 'payouts'] as const) {
    const { phase, seen, matched, breaks, unreadable } = await reconcileToday(app, subject, 0, 'clickpesa')
    assert.deepEqual(
      { phase, seen, matched, breaks, unreadable },
      { phase: 'ended', seen: 1, matched: 1, breaks: 0, unreadable: 0 },
    )
  }
})

test('money of a listed unknown order without an amount is queried, booked once, and can be resolved', async (t) => {
  let isSilent = true
  const app = await startTestApp(t, {
    settings: { PAYOUT_PROVIDER_TEST: 'clickpesa' },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        fetchPayout: async (key) => (isSilent ? { kind: 'indeterminate', reason: 'test' } : provider.fetchPayout(key)),
      })),
    }),
  })
  const operators = [await app.admin(), await app.admin()] as const
  const provider = providerNamed(app.deps.providers, 'test', 'clickpesa')
  const reference = toWire('po', newMoneyId(0))
  const order = { reference, amount: 20_000, phoneNumber: '+255754000123', recipientName: 'X', narration: null, callbackUrl: '' }
  const sent = await provider.sendPayout(provider.composePayout(order))
  assert.equal(sent.kind, 'accepted', JSON.stringify(sent))
  await eventually('it has left', async () => (await app.truth()).payouts[0]?.status === 'completed')
  const compare = async (isAway: boolean): Promise<string[]> => {
    isSilent = isAway
    await reconcileToday(app, 'payouts', 0, 'clickpesa')
    return (await app.call('GET', '/v1/admin/breaks?status=open', { token: operators[0].token })).body.data.map(
      ({ id }: { id: string }) => id,
    )
  }
  const writeOff = async (id: string) => (await decide(app, operators, id, { resolution: 'write_off' })).status
  const [found, ...others] = await compare(true)
  assert.deepEqual([typeof found, others, await writeOff(found!)], ['string', [], 409])
  assert.deepEqual(await compare(false), [found])
  assert.deepEqual(await compare(false), [found])
  assert.equal(await writeOff(found!), 200)
  assert.deepEqual([await compare(false), await compare(true)], [[], []])
  const { rows } = await app.owner.pool.query(
    `select kind, sum(balance)::integer as balance from ledger_accounts
      where kind in ('provider_clearing', 'unallocated', 'loss') group by kind order by kind`,
  )
  const { amount, fees } = (await app.truth()).payouts[0]
  assert.deepEqual(
    rows.map(({ kind, balance }) => [kind, Math.abs(balance)]),
    [
      ['loss', amount + fees],
      ['provider_clearing', amount + fees],
      ['unallocated', 0],
    ],
  )
})

test('a success days after it was requested is looked for in the list of the day of the success', async (t) => {
  let isGone = false
  const app = await startTestApp(t, {
    simulator: { delayMs: 60_000 },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        listCharges: async (page) =>
          isGone ? { kind: 'page', items: [], unreadable: 0, isLast: true } : provider.listCharges(page),
        listPayouts: async (page) =>
          isGone ? { kind: 'page', items: [], unreadable: 0, isLast: true } : provider.listPayouts(page),
        fetchCharge: async (key) => (isGone ? { kind: 'not_found' } : provider.fetchCharge(key)),
        fetchPayout: async (key) => (isGone ? { kind: 'not_found' } : provider.fetchPayout(key)),
      })),
    }),
  })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 100_000)
  const payout = await silentPayout(app, key)
  const page = await app.page(student)
  const { reference } = (await app.checkout(page.slug, { phone_number: '0754000111' })).body.data
  const [charge] = (await app.truth(`?our_reference=${reference}`)).charges
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'fail' })
  assert.equal((await app.settled(reference)).status, 'failed')

  await moveClock(app, '1 day')
  await settlePayout(app.deps, payout.at, payout.source, says(payout.reference, 'completed'))
  await app.control('POST', `/charges/${charge.reference}/answer`, { action: 'complete' })
  await eventually('it is paid after all', async () => (await totals(app)).completed === 2)
  isGone = true
  await reconcileToday(app, 'charges', 1)
  await reconcileToday(app, 'payouts', 1)
  assert.deepEqual((await totals(app)).breaks, ['missing_at_provider', 'missing_at_provider'])
})

test('old rows of a list, or a list in another order, hide no later page; an old history ends the reading', async (t) => {
  const calls = noCalls()
  const daysBack = (days: number) => new Date(Date.now() - days * 86_400_000)
  let timeOf = (_index: number): Date | undefined => undefined
  const app = await startTestApp(t, {
    wrap(deps) {
      const provider = deps.providers.test.charges
      return counting(calls, {
        async listCharges(page) {
          const listed = await provider.listCharges(page)
          if (listed.kind !== 'page' || page > 0) return listed
          return {
            ...listed,
            items: listed.items.map((item, index) => ({ ...item, createdAt: timeOf(index) ?? item.createdAt })),
          }
        },
      })(deps)
    },
  })
  await app.control('POST', '/seed', { account: 'test', count: 1, amount: 7_000, status: 'completed' })
  await app.control('POST', '/seed', { account: 'test', count: 100, status: 'failed' })
  const listsOf = async (time: typeof timeOf): Promise<number> => {
    timeOf = time
    calls.lists = 0
    await reconcileToday(app)
    return calls.lists
  }
  assert.equal(await listsOf((index) => daysBack(40 + index)), 1, 'an old history')
  assert.deepEqual((await totals(app)).breaks, [])
  assert.equal(await listsOf((index) => daysBack(400 - index)), 2, 'oldest first')
  assert.deepEqual((await totals(app)).breaks, ['unknown_at_provider'])
  assert.equal(await listsOf((index) => (index === 50 ? daysBack(30) : undefined)), 2, 'one old row')
})

test('a day with a record that cannot be read calls an operator', async (t) => {
  let unreadable = 1
  const alerts: unknown[] = []
  const app = await startTestApp(t, {
    wrap: counting(noCalls(), { listCharges: async () => ({ kind: 'page', items: [], unreadable, isLast: true }) }),
    logLevel: 'error',
    logTo(line) {
      const { event, alert, unreadable: count } = JSON.parse(line)
      if (alert === true) alerts.push([event, count])
    },
  })
  await reconcileToday(app)
  assert.deepEqual(alerts, [['reconciliation.records_unreadable', 1]])
  unreadable = 0
  await reconcileToday(app)
  assert.equal(alerts.length, 1)
})
