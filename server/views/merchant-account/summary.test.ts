/** The wallet summary: equal to the ledger to the shilling, by the days of East Africa, separate for each owner and environment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { closeDay } from '../../assurance/invariants/close-days.ts'
import { seedHistory } from '../../../test/fixtures/history.ts'
import { fromWire } from '../../platform/ids.ts'
import { sumDay } from './sum-days.ts'

const dayMs = 86_400_000

const dayOf = (moment: string | number): string => new Date(new Date(moment).getTime() + 3 * 3_600_000).toISOString().slice(0, 10)

async function summaryOf(app: TestApp, { token }: Student, query = 'environment=test'): Promise<any> {
  const { status, body } = await app.call('GET', `/v1/merchant/summary?${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** The credits of payments on each day, from the list of transactions. */
async function dailyCredits(app: TestApp, { token }: Student): Promise<Map<string, { volume: number; count: number }>> {
  const days = new Map<string, { volume: number; count: number }>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const query = `environment=test&type=payment&limit=100${cursor && `&cursor=${cursor}`}`
    const { body }: any = await app.call('GET', `/v1/merchant/transactions?${query}`, { token })
    for (const { created_at, amount } of body.data) {
      const day = days.get(dayOf(created_at)) ?? { volume: 0, count: 0 }
      days.set(dayOf(created_at), { volume: day.volume + amount, count: day.count + 1 })
    }
    cursor = body.next_cursor
  }
  return days
}

test('a new wallet has thirty days without payments, and every setup step is open', async (t) => {
  const app = await startTestApp(t)
  const summary = await summaryOf(app, await app.student({ verified: false }))
  assert.deepEqual(
    summary.days.map(({ date }: any) => date),
    Array.from({ length: 30 }, (_, index) => dayOf(Date.parse(summary.as_of) - (29 - index) * dayMs)),
  )
  assert.ok(summary.days.every(({ volume, count }: any) => volume === 0 && count === 0))
  assert.deepEqual([summary.today, summary.available, summary.reserved], [{ volume: 0, count: 0 }, 0, 0])
  assert.deepEqual(summary.last_30_days, { volume: 0, count: 0, success_rate: null })
  assert.deepEqual(summary.setup, {
    has_payment_page: false,
    has_test_payment: false,
    has_live_payment: false,
    has_used_key: false,
    webhooks: { enabled: 0, disabled: 0, failing: 0 },
  })
})

test('each day is the sum of the ledger’s credits on it, including today, and the previous period is separate', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const seeded = await app.page(student)
  // Seventy days, so that some are before both periods; five hours, so that the times differ around midnight.
  const firstAt = new Date(Date.now() - 70 * dayMs).toISOString()
  await seedHistory(app, seeded.id, { count: 335, amount: 1300, firstAt, everySeconds: 5 * 3600 })
  const page = await app.page(student, { amount: 2700 })
  const paid = await app.checkout(page.slug)
  await app.settled(paid.body.data.reference)

  const [summary, credits] = [await summaryOf(app, student), await dailyCredits(app, student)]
  assert.equal(
    [...credits.values()].reduce((sum, { volume }) => sum + volume, 0),
    335 * 1300 + 2700,
  )
  for (const { date, ...day } of summary.days) assert.deepEqual(day, credits.get(date) ?? { volume: 0, count: 0 }, date)
  const sum = (from: number, to: number) => {
    const dates = Array.from({ length: to - from }, (_, index) => dayOf(Date.parse(summary.as_of) - (from + index) * dayMs))
    const days = dates.map((date) => credits.get(date) ?? { volume: 0, count: 0 })
    return {
      volume: days.reduce((total, day) => total + day.volume, 0),
      count: days.reduce((total, day) => total + day.count, 0),
    }
  }
  assert.deepEqual(summary.last_30_days, { ...sum(0, 30), success_rate: 1 })
  assert.deepEqual(summary.previous_30_days, { ...sum(30, 60), success_rate: 1 })
  assert.deepEqual(summary.today, sum(0, 1))
  assert.equal(summary.available, 335 * 1300 + 2700)
  assert.equal(summary.setup.has_payment_page, true)

  const live = await summaryOf(app, student, 'environment=live')
  assert.deepEqual([live.available, live.last_30_days.volume, live.setup.has_payment_page], [0, 0, false])
  const stranger = await app.student({ home: 7 })
  assert.equal((await summaryOf(app, stranger)).last_30_days.volume, 0)
})

test('the success rate is the share of completed payments among the ended ones', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const page = await app.page(student)
  const pay = async (phone: string) => {
    const { body } = await app.checkout(page.slug, { phone_number: phone })
    return body.data.reference as string
  }
  for (const reference of [
    await pay('+255754000789'),
    await pay('+255754001789'),
    await pay('+255754002789'),
    await pay('+255754000049'),
  ])
    await app.settled(reference)
  const open = await pay('+255754000123')
  await app.settled(open, ['pending', 'processing'])
  const { last_30_days: period } = await summaryOf(app, student)
  assert.deepEqual(period, { volume: 4500, count: 3, success_rate: 0.75 })
})

test('a webhook that does not answer is shown, and so is a webhook that the service has disabled', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { appId } = await app.key(student)
  const url = 'http://127.0.0.1:8099/hook'
  const saved = await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  assert.ok(saved.status < 300, JSON.stringify(saved.body))
  const webhooks = async () => (await summaryOf(app, student)).setup.webhooks
  assert.deepEqual(await webhooks(), { enabled: 1, disabled: 0, failing: 0 })
  await app.owner.pool.query('update webhook_endpoints set last_failure_at = clock_now()')
  assert.deepEqual(await webhooks(), { enabled: 1, disabled: 0, failing: 1 })
  await app.owner.pool.query(`update webhook_endpoints set enabled = false, disabled_reason = 'endpoint_gone'`)
  assert.deepEqual(await webhooks(), { enabled: 0, disabled: 1, failing: 0 })
})

async function closeAndSum(app: TestApp): Promise<number> {
  while (await closeDay(app.deps));
  let days = 0
  while (await sumDay(app.deps)) days += 1
  return days
}

test('a period reads the same from the ledger and from the stored sums of closed days, by day, page and network', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const seeded = await app.page(student, { title: 'Ada' })
  const firstAt = new Date(Date.now() - 100 * dayMs).toISOString()
  await seedHistory(app, seeded.id, { count: 479, amount: 1300, firstAt, everySeconds: 5 * 3600 })
  const page = await app.page(student, { title: 'Chai', amount: 2700 })
  for (const phone_number of ['+255754000789', '+255682000789'])
    await app.settled((await app.checkout(page.slug, { phone_number })).body.data.reference)

  const credits = await dailyCredits(app, student)
  const today = dayOf(Date.now())
  const dayAgo = (days: number) => dayOf(Date.now() - days * dayMs)
  const queries = ['', ...['today', 'last_7_days', 'last_90_days', 'this_month', 'last_month'].map((name) => `&period=${name}`)]
  queries.push(`&from=${dayAgo(60)}&to=${dayAgo(41)}`, `&from=${dayAgo(365)}&to=${today}`)
  const all = () => Promise.all(queries.map((query) => summaryOf(app, student, `environment=test${query}`)))
  const unstored = await all()
  const { rows } = await app.owner.pool.query(`select count(*)::integer as days from summed_days`)
  assert.equal(rows[0].days, 0)
  assert.ok((await closeAndSum(app)) >= 99)
  // The lines of a period that ends today are still read from the ledger for today.
  const stored = await all()
  for (const [index, summary] of stored.entries()) {
    assert.deepEqual({ ...summary, as_of: '' }, { ...unstored[index], as_of: '' }, queries[index])
    const { period, previous_period: before, days, by_page: pages, by_network: networks } = summary
    const sum = (lines: any[]) => [
      lines.reduce((total, { volume }) => total + volume, 0),
      lines.reduce((total, { count }) => total + count, 0),
    ]
    const expected = [period.volume, period.count]
    for (const lines of [days, pages, networks]) assert.deepEqual(sum(lines), expected, queries[index])
    assert.deepEqual([days[0].date, days.at(-1).date], [period.from, period.to])
    for (const { date, ...day } of days) assert.deepEqual(day, credits.get(date) ?? { volume: 0, count: 0 }, date)
    assert.equal(dayOf(Date.parse(before.to) + dayMs), period.from)
    const earlier = [...credits].filter(([date]) => date >= before.from && date <= before.to).map(([, day]) => day)
    assert.deepEqual([before.volume, before.count], sum(earlier), queries[index])
  }
  const [recent] = stored
  assert.deepEqual(
    recent.by_page.map(({ kind, payment_page: named }: any) => [kind, named.title, named.id]),
    [
      ['page', 'Ada', seeded.id],
      ['page', 'Chai', page.id],
    ],
  )
  assert.deepEqual(
    recent.by_network.map(({ network }: any) => network),
    ['mpesa', 'airtel'],
  )
  assert.equal(recent.by_network[1].volume, 2700)
  assert.deepEqual(stored.at(-1).period.success_rate, null, 'not counted for more than 92 days')
  assert.equal((await summaryOf(app, student, 'environment=live&period=last_90_days')).period.count, 0)
  assert.equal((await summaryOf(app, await app.student({ home: 7 }), 'environment=test&period=last_90_days')).period.count, 0)
})

test('stored days are read and not the ledger, and two workers store a day once', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, {
    count: 40,
    amount: 900,
    firstAt: new Date(Date.now() - 9 * dayMs).toISOString(),
    everySeconds: 3600,
  })
  while (await closeDay(app.deps));
  while ((await Promise.all([sumDay(app.deps), sumDay(app.deps)])).some(Boolean));
  const sums = await app.owner.pool.query(
    `select sum(payments)::integer as payments, sum(amount)::integer as amount from wallet_days`,
  )
  assert.deepEqual(sums.rows[0], { payments: 40, amount: 36_000 })
  await app.owner.pool.query(`update wallet_days set amount = amount + 1`)
  const days = (await app.owner.pool.query(`select count(*)::integer as days from wallet_days`)).rows[0].days
  assert.equal((await summaryOf(app, student)).period.volume, 36_000 + days)
  // As they were, for the check of the books.
  await app.owner.pool.query(`update wallet_days set amount = amount - 1`)
})

test('payments that tested a webhook are in no figure, whether read from the ledger or from stored days', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  const firstAt = new Date(Date.now() - 9 * dayMs).toISOString()
  await seedHistory(app, page.id, { count: 40, amount: 900, firstAt, everySeconds: 3600 })
  await app.owner.pool.query(`update payment_pages set kind = 'webhook_tests' where id = $1`, [fromWire('page', page.id)])
  const isNothing = async () => {
    const { period, by_page: pages, by_network: networks, days } = await summaryOf(app, student)
    assert.deepEqual([period.volume, period.count, period.success_rate], [0, 0, null])
    assert.deepEqual([pages, networks, days.filter(({ count }: any) => count > 0)], [[], [], []])
  }
  await isNothing()
  assert.ok((await closeAndSum(app)) > 0)
  await isNothing()
})

test('a day that was closed without digests of its homes is summed from the ledger, not as nothing', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, {
    count: 40,
    amount: 900,
    firstAt: new Date(Date.now() - 9 * dayMs).toISOString(),
    everySeconds: 3600,
  })
  while (await closeDay(app.deps));
  const { rows: homes } = await app.owner.pool.query('delete from closed_day_homes returning *')
  await app.owner.pool.query('update closed_days set version = 1')
  while (await sumDay(app.deps));
  const { period } = await summaryOf(app, student)
  assert.deepEqual([period.count, period.volume], [40, 36_000])
  // As they were, for the check of the books.
  for (const { day, home, transfers, digest } of homes) {
    await app.owner.pool.query('insert into closed_day_homes (day, home, transfers, digest) values ($1, $2, $3, $4)', [
      day,
      home,
      transfers,
      digest,
    ])
  }
  await app.owner.pool.query('update closed_days set version = 2')
})

test('requests and direct payments are one line each, and pages after the best ten lines are one line together', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { key } = await app.key(student)
  const pages = []
  for (let index = 0; index < 9; index += 1) {
    pages.push(await app.page(student, { title: `Page ${index}`, amount: 5000 - index * 100 }))
  }
  for (const { slug } of pages) await app.settled((await app.checkout(slug)).body.data.reference)
  for (const amount of [9000, 9100]) {
    const body = { title: 'Order', amount }
    const asked = await app.call('POST', '/v1/payment-requests', { key, body })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    await app.settled((await app.checkout(asked.body.data.url.split('/pay/')[1])).body.data.reference)
    const order = { amount: amount - 2000, phone_number: '+255754000789', description: 'Order' }
    const made = await app.call('POST', '/v1/payments', { key, headers: { 'idempotency-key': String(amount) }, body: order })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    await app.settled(made.body.data.reference)
  }
  const { by_page: lines, period } = await summaryOf(app, student, 'environment=test&period=today')
  assert.deepEqual(
    lines.map(({ kind, payment_page: page, volume, count }: any) => [kind, page?.title ?? null, volume, count]),
    [
      ['request', null, 18_100, 2],
      ['direct', null, 14_100, 2],
      ...pages.slice(0, 8).map((page: any, index) => ['page', page.title, 5000 - index * 100, 1]),
      ['other', null, 4200, 1],
    ],
  )
  assert.equal(period.volume, 18_100 + 14_100 + 9 * 5000 - 3600)
})

test('an unclear, backward or too long period is refused with its field', async (t) => {
  const app = await startTestApp(t)
  const { token } = await app.student()
  const refused: [query: string, field: string][] = [
    ['from=2026-01-01', 'to'],
    ['to=2026-01-01', 'from'],
    ['from=2026-02-01&to=2026-01-31', 'to'],
    ['from=2025-01-01&to=2026-01-02', 'to'],
    ['from=2026-01-01&to=2026-01-02&period=today', 'period'],
    ['from=2026-02-30&to=2026-03-01', 'from'],
    ['period=decade', 'period'],
    ['from=0001-01-01&to=0001-01-02', 'from'],
    ['from=1999-12-31&to=2000-01-02', 'from'],
    ['from=9999-12-30&to=9999-12-31', 'from'],
    ['from=2099-12-31&to=2100-01-01', 'to'],
  ]
  for (const [query, field] of refused) {
    const { status, body } = await app.call('GET', `/v1/merchant/summary?environment=test&${query}`, { token })
    assert.equal(status, 400, query)
    assert.equal(body.error.param, field, JSON.stringify(body))
  }
  const year = await app.call('GET', '/v1/merchant/summary?environment=test&from=2025-01-01&to=2026-01-01', { token })
  assert.equal(year.body.data.days.length, 366)
  for (const ends of ['from=2000-01-01&to=2000-12-31', 'from=2099-01-01&to=2099-12-31']) {
    for (const path of ['summary', 'patterns']) {
      const empty = await app.call('GET', `/v1/merchant/${path}?environment=test&${ends}`, { token })
      assert.equal(empty.status, 200, JSON.stringify(empty.body))
    }
  }
})
