/**
 * Money of 400 days ago, after everything with a retention period is gone: what is counted from it is still right, and what can no longer be
 * known is said to be unknown.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneExpiredRows } from '../server/operations/data-lifecycle/prune-expired-rows.ts'
import { closeDay } from '../server/assurance/invariants/close-days.ts'
import { openContent } from '../server/base/mail/mail.ts'
import { sumDay } from '../server/views/merchant-account/sum-days.ts'
import { mailStatements } from '../server/views/notifications/mail-statements.ts'
import { askProviders } from '../server/collect/support-cases/ask-providers.ts'
import { getPage, report } from './fixtures/support.ts'
import { share, startTestApp, type Student, type TestApp } from './app.ts'
import { setDatabaseClock } from './database-clock.ts'

const dayMs = 86_400_000
const days = 400

const dayOf = (ms: number): string => new Date(ms + 3 * 3_600_000).toISOString().slice(0, 10)

type Old = { app: TestApp; student: Student; token: string; paid: string; failed: string; day: string }

const old = share(async (ending): Promise<Old> => {
  const app = await startTestApp(ending)
  const student = await app.student()
  const page = await app.page(student, { amount: null, allow_custom_amount: true })
  const pay = async (phone: string, amount: number, name: string, status: string): Promise<string> => {
    const { body } = await app.checkout(page.slug, { phone_number: phone, amount, customer_name: name })
    assert.equal((await app.settled(body.data.reference, [status])).status, status)
    return body.data.reference
  }
  const day = dayOf(Date.now())
  const paid = await pay('+255754000789', 2_000, 'Asha Mushi', 'completed')
  await pay('+255754111789', 5_000, 'Baraka Ally', 'completed')
  await pay('+255754000789', 1_500, 'Asha Mushi', 'completed')
  const failed = await pay('+255754222059', 900, 'Chiku Said', 'failed')
  const wanted = { frequency: 'monthly', language: 'en' }
  const asked = await app.call('PUT', '/v1/merchant/statement-mail?environment=test', { token: student.token, body: wanted })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  await app.deps.backgroundDone()

  // One mail was sent, then no worker ran for a year.
  await setDatabaseClock(app, '35 days')
  assert.equal(await mailStatements(app.deps, 20), 1)
  await setDatabaseClock(app, `${days} days`)
  await app.owner.pool.query(
    `update mails set state = 'sent', finished_at = created_at, next_attempt_at = null, sealed_content = null`,
  )
  await app.owner.pool.query('update retention_turns set next_at = clock_now(), lease_until = null')
  while (await pruneExpiredRows({ ...app.deps, clock: { now: () => Date.now() + days * dayMs } }));
  while (await closeDay(app.deps));
  while (await sumDay(app.deps));
  const { rows } = await app.owner.pool.query<{ closed: number; messages: number }>(
    `select (select count(*)::integer from closed_days) as closed, (select count(*)::integer from provider_inbox) as messages`,
  )
  assert.ok(rows[0]!.closed >= days - 1 && rows[0]!.messages === 0)
  const signed = await app.call('POST', '/v1/auth/login', { body: { identifier: student.email, password: student.password } })
  return { app, student, token: signed.body.data.access_token, paid, failed, day }
})

test('customers of 400 days ago have the totals of the ledger', async () => {
  const { app, token, day } = await old()
  const { status, body } = await app.call('GET', '/v1/merchant/customers?environment=test', { token })
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.counting, false)
  assert.deepEqual(
    body.data.map((one: any) => [
      one.name,
      one.paid_count,
      one.paid_total,
      one.refunded_total,
      dayOf(Date.parse(one.last_paid_at)),
    ]),
    [
      ['Asha Mushi', 2, 3_500, 0, day],
      ['Baraka Ally', 1, 5_000, 0, day],
    ],
  )
})

test('Home shows a range of 400 days ago and compares with it', async () => {
  const { app, token, day } = await old()
  const at = (offset: number): string => dayOf(Date.parse(`${day}T09:00:00Z`) + offset * dayMs)
  const summaryOf = async (from: string, to: string): Promise<any> => {
    const { status, body } = await app.call('GET', `/v1/merchant/summary?environment=test&from=${from}&to=${to}`, { token })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  const range = await summaryOf(at(-4), at(5))
  assert.deepEqual([range.period.count, range.period.volume], [3, 8_500])
  assert.deepEqual(
    range.days.find(({ date }: any) => date === day),
    { date: day, volume: 8_500, count: 3 },
  )
  assert.deepEqual([range.previous_period.count, range.previous_period.volume], [0, 0])
  assert.equal(range.period.success_rate, 3 / 4)
  const after = await summaryOf(at(6), at(15))
  assert.deepEqual([after.period.count, after.previous_period.count, after.previous_period.volume], [0, 3, 8_500])
  // The longest range is a year: more is refused, not cut.
  const refused = await app.call('GET', `/v1/merchant/summary?environment=test&from=${day}&to=${at(days)}`, { token })
  assert.deepEqual([refused.status, refused.body.error.param], [400, 'to'])
})

test('the statement by mail after 400 days is of the last month, opens with the old money and names the time without mails', async () => {
  const { app, student, token, day } = await old()
  while ((await mailStatements(app.deps, 20)) > 0);
  const { rows } = await app.owner.pool.query<{ id: string; sealed_content: string }>(
    `select id, sealed_content from mails where kind = 'statement' and recipient = $1`,
    [student.email],
  )
  assert.equal(rows.length, 1)
  const { text } = openContent(app.deps.sealer, rows[0]!.id, rows[0]!.sealed_content)
  assert.match(text, /No money moved\. The balance is still TSh 8,500\./)
  assert.match(text, /No mail was sent for 1 \w+ \d{4} – /)
  const month = await app.call('GET', `/v1/merchant/statement?environment=test&month=${day.slice(0, 7)}`, { token })
  assert.equal(month.status, 200, JSON.stringify(month.body))
  assert.deepEqual([month.body.data.opening_balance, month.body.data.closing_balance], [0, 8_500])
})

test('a case about a payment of 400 days ago is answered from the books, and without a record at the provider by a person', async () => {
  const { app, paid, failed } = await old()
  const first = await report(app, paid, 'S46121174212')
  const second = await report(app, failed, 'S46121174213')
  // The provider does not keep its records that long.
  const forgets = await fetch(`${app.simulatorUrl}/__control/switches`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ readLagMs: 604_800_000 }),
  })
  assert.equal(forgets.status, 200, await forgets.text())
  await app.owner.pool.query(`update support_cases set created_at = created_at - interval '60 seconds'`)
  assert.equal(await askProviders(app.deps, 20), 2)
  assert.match((await getPage(app, first)).text, /Your payment was received/)
  const { text } = await getPage(app, second)
  assert.match(text, /Our team has your case/)
  assert.doesNotMatch(text, /no money was taken|was received/)
  const { rows } = await app.owner.pool.query(
    `select escalated_because as because from support_cases where sms_number = 'S46121174213'`,
  )
  assert.deepEqual(rows, [{ because: 'not_found' }])
})
