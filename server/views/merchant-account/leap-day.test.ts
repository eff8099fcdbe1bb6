/**
 * A year's end and a leap day: statements start and end at midnight in East Africa, and sessions end after the promised number of days.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp, type TestApp } from '../../../test/app.ts'

const sharedApp = share((ending) => startTestApp(ending))

/** Stops the database's clock at this moment. */
async function stopAt(app: TestApp, moment: string): Promise<void> {
  await app.owner.pool.query(
    `create or replace function clock_now() returns timestamptz language sql stable as $$ select timestamptz '${moment}' $$`,
  )
}

test('statements over a year’s end and a leap day: the second before midnight in East Africa is in the previous month [T12]', async () => {
  const app = await sharedApp()
  await stopAt(app, '2027-12-31T20:00:00Z')
  const student = await app.student()
  const page = await app.page(student, { amount: undefined, allow_custom_amount: true })
  const payments = [
    ['2027-12-31T20:59:59Z', 1_000],
    ['2027-12-31T21:00:00Z', 2_000],
    ['2028-02-29T20:59:59Z', 3_000],
    ['2028-02-29T21:00:00Z', 4_000],
  ] as const
  for (const [moment, amount] of payments) {
    await stopAt(app, moment)
    const { body } = await app.checkout(page.slug, { amount })
    assert.equal((await app.settled(body.data.reference)).status, 'completed')
  }
  await stopAt(app, '2028-04-01T00:00:00Z')
  const signedIn = await app.call('POST', '/v1/auth/login', {
    body: { identifier: student.email, password: student.password },
  })
  const { access_token: token } = signedIn.body.data
  const statement = async (month: string) => {
    const { body } = await app.call('GET', `/v1/merchant/statement?environment=test&month=${month}`, { token })
    const { from, to, is_final, opening_balance, closing_balance } = body.data
    return [from, to, is_final, opening_balance, closing_balance]
  }
  assert.deepEqual(await statement('2027-12'), ['2027-11-30T21:00:00.000Z', '2027-12-31T21:00:00.000Z', true, 0, 1_000])
  assert.deepEqual(await statement('2028-01'), ['2027-12-31T21:00:00.000Z', '2028-01-31T21:00:00.000Z', true, 1_000, 3_000])
  assert.deepEqual(await statement('2028-02'), ['2028-01-31T21:00:00.000Z', '2028-02-29T21:00:00.000Z', true, 3_000, 6_000])
  assert.deepEqual(await statement('2028-03'), ['2028-02-29T21:00:00.000Z', '2028-03-31T21:00:00.000Z', true, 6_000, 10_000])
})

test('a session in use lasts ninety days over a year’s end and a leap day, and not a second more [T12]', async () => {
  const app = await sharedApp()
  await stopAt(app, '2027-12-31T20:59:59Z')
  const student = await app.student()
  let refreshToken = student.refreshToken
  const refreshAt = async (moment: string): Promise<number> => {
    await stopAt(app, moment)
    const { status, body } = await app.call('POST', '/v1/auth/refresh', { body: { refresh_token: refreshToken } })
    if (status === 200) refreshToken = body.data.refresh_token
    return status
  }
  for (const moment of ['2028-01-20', '2028-02-10', '2028-02-29', '2028-03-01', '2028-03-25']) {
    assert.equal(await refreshAt(`${moment}T00:00:00Z`), 200, moment)
  }
  assert.equal(await refreshAt('2028-03-30T20:59:58Z'), 200)
  assert.equal(await refreshAt('2028-03-30T21:00:00Z'), 401)
})
