/** Patterns of payments: by weekday and hour in East Africa Time, by reason, and two weeks; equal to what was paid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp, type Student, type TestApp } from '../../../test/app.ts'
import { seedHistory } from '../../../test/fixtures/history.ts'
import { closeDay } from '../../assurance/invariants/close-days.ts'
import { maxPatternPayments } from './patterns.ts'
import { dayBy, dayOf, startOf } from './period.ts'
import { sumDay } from './sum-days.ts'

async function patternsOf(app: TestApp, { token }: Student, query = ''): Promise<any> {
  const { status, body } = await app.call('GET', `/v1/merchant/patterns?environment=test${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

test('payments are counted by weekday and hour of Tanzania, also around midnight, and two weeks are those of the ledger', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const { as_of: asOf, ...empty } = await patternsOf(app, student)
  const today = dayOf(new Date(asOf))
  const sunday = dayBy(today, -((new Date(today).getUTCDay() + 6) % 7) - 1)
  assert.deepEqual([empty.hours, empty.reasons, empty.counted_after], [[], [], null])
  assert.ok([...empty.this_week, ...empty.last_week].every(({ count, volume }: any) => count === 0 && volume === 0))
  const saturday = dayBy(sunday, -1)
  // Saturday of last week from 22:30, every 25 minutes: four payments before midnight, and two on Sunday.
  const page = await app.page(student)
  const firstAt = new Date(startOf(saturday).getTime() + 22.5 * 3_600_000).toISOString()
  await seedHistory(app, page.id, { count: 6, amount: 1_300, firstAt, everySeconds: 25 * 60 })
  const seen = await patternsOf(app, student)
  const byHour = seen.hours.map(({ weekday, hour, count, volume }: any) => [weekday, hour, count, volume])
  assert.deepEqual(byHour.toSorted(), [
    [6, 22, 2, 2_600],
    [6, 23, 2, 2_600],
    [7, 0, 2, 2_600],
  ])
  const sums = (): Promise<any> => patternsOf(app, student, '&period=today')
  const weeks = await sums()
  assert.deepEqual(weeks.last_week.slice(-2), [
    { date: saturday, volume: 5_200, count: 4 },
    { date: sunday, volume: 2_600, count: 2 },
  ])
  assert.equal(weeks.this_week[0].date, dayBy(sunday, 1))
  assert.deepEqual([weeks.last_week.length, weeks.this_week.at(-1).date], [7, today])
  // The same from the stored sums of closed days.
  while (await closeDay(app.deps));
  while (await sumDay(app.deps));
  const stored = await sums()
  assert.deepEqual([stored.last_week, stored.this_week], [weeks.last_week, weeks.this_week])
})

test('payments without money are counted by reason; another wallet sees none of them', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const page = await app.page(student)
  for (const [ending, status] of [
    ['049', 'failed'],
    ['049', 'failed'],
    ['059', 'failed'],
    ['279', 'voided'],
    ['789', 'completed'],
  ] as const) {
    const { body } = await app.checkout(page.slug, { phone_number: `+255754000${ending}` })
    await app.settled(body.data.reference, [status])
  }
  const { reasons, hours } = await patternsOf(app, student, '&period=today')
  assert.deepEqual(
    reasons.map(({ code, count }: any) => [code, count]),
    [
      ['insufficient_funds', 2],
      ['voided', 1],
      ['wrong_pin', 1],
    ],
  )
  assert.ok(reasons.every(({ reason, reason_sw }: any) => reason && reason_sw && reason !== reason_sw))
  assert.equal(
    hours.reduce((sum: number, { count }: any) => sum + count, 0),
    1,
  )
  assert.deepEqual((await patternsOf(app, await app.student({ home: 7 }))).reasons, [])
  assert.deepEqual((await patternsOf(app, student, '&period=last_month')).reasons, [])
})

test('of a busy period only the newest payments are counted, and the answer says after when', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  const firstAt = new Date(Date.now() - 20 * 86_400_000).toISOString()
  await seedHistory(app, page.id, { count: maxPatternPayments + 5_000, amount: 500, firstAt, everySeconds: 60 })
  const { hours, counted_after } = await patternsOf(app, student)
  const counted = hours.reduce((sum: number, { count }: any) => sum + count, 0)
  // The payment at the edge itself is not counted.
  assert.equal(counted, maxPatternPayments)
  assert.ok(Date.parse(counted_after) > Date.parse(firstAt))
})
