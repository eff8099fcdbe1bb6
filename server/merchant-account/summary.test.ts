/** The wallet summary: equal to the ledger to the shilling, by the days of East Africa, separate for each owner and environment. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Student, type TestApp } from '../../test/app.ts'
import { seedHistory } from './history-fixture.ts'

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
  assert.deepEqual(summary.setup, { has_payment_page: false, webhooks: { enabled: 0, disabled: 0, failing: 0 } })
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
