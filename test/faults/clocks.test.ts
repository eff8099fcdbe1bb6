/**
 * Processes whose clocks are wrong, and are changed while they work. Work is due by the database's clock, and no one waits an hour.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { askToPay, assertPaidOnce, insistToPay, payAll, readBooks, startReceiver, waiting } from './shop.ts'

const hourMs = 3_600_000

test('an hour ahead, an hour behind, and changed during work: nothing expires early, nothing is late, every event is delivered [F42]', async (t) => {
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' })
  const { app } = fleet
  const ahead = await fleet.api({ clockOffsetMs: hourMs, settings: { TZ: 'Pacific/Kiritimati' } })
  const behind = await fleet.api({ clockOffsetMs: -hourMs, settings: { TZ: 'America/New_York' } })
  const workers = [await fleet.worker({ clockOffsetMs: hourMs }), await fleet.worker({ clockOffsetMs: -hourMs })]
  const student = await app.student()
  const { appId } = await app.key(student)
  const receiver = await startReceiver(t)
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url: receiver.url } })
  const page = await app.page(student)
  const references = new Set<string>()
  const pay = async (round: string): Promise<void> => {
    const taken = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        insistToPay(() => (index % 2 === 0 ? ahead : behind).url, page.slug, `${round}-${index}`),
      ),
    )
    for (const answers of taken) references.add(answers.at(-1)!.reference!)
  }
  const open = (await askToPay(ahead.url, page.slug, 'open', waiting)).reference!
  references.add(open)
  await pay('first')
  for (const member of [ahead, ...workers]) member.setClock(-2 * hourMs)
  behind.setClock(hourMs / 2)
  await pay('set back')
  for (const member of [ahead, behind, ...workers]) member.setClock(0)
  await pay('right')
  // The change to or from summer time, and a second that is counted twice.
  for (const offsetMs of [hourMs, 0, -1_000, 0]) {
    for (const member of [ahead, behind, ...workers]) member.setClock(offsetMs)
    await pay(`by ${offsetMs}-${references.size}`)
  }
  await eventually(
    'all but the one that waits are paid',
    async () => (await readBooks(app)).completed === references.size - 1,
    60_000,
  )
  const { rows } = await app.owner.pool.query(
    `select count(*)::integer as wrong from payments
     where abs(extract(epoch from expires_at - created_at) - ${app.config.payments.expirySeconds}) > 1
       or abs(extract(epoch from clock_now() - created_at)) > 300 or completed_at < created_at`,
  )
  assert.equal(rows[0].wrong, 0)
  assert.deepEqual([(await readBooks(app)).unfinished, (await readBooks(app)).failed], [1, 0])
  await payAll(app)
  await eventually('each event is received', () => receiver.received.size === references.size, 60_000)
  assert.deepEqual([...receiver.received.keys()].toSorted(), [...references].toSorted())
  const { rows: times } = await app.owner.pool.query(
    `select count(*)::integer as wrong from webhook_attempts where duration_ms < 0 or abs(extract(epoch from clock_now() - attempted_at)) > 300`,
  )
  assert.equal(times[0].wrong, 0)
  await assertPaidOnce(app, references.size)
  await eventually('each payer has a receipt', async () => {
    const { rows: receipts } = await app.owner.pool.query<{ count: number }>('select count(*)::integer as count from receipts')
    return receipts[0]!.count === references.size
  })
})

test('a sign-in is valid in a process whose clock is 25 seconds off, and not in one that is a minute past its end [F42]', async (t) => {
  const fleet = await startFleet(t)
  const { app } = fleet
  const api = await fleet.api({ clockOffsetMs: 25_000 })
  const student = await app.student()
  const look = async () => (await fetch(`${api.url}/v1/me`, { headers: { authorization: `Bearer ${student.token}` } })).status
  assert.equal(await look(), 200)
  api.setClock(-25_000)
  assert.equal(await look(), 200)
  const { accessTokenSeconds } = app.config.sessions
  api.setClock((accessTokenSeconds + 20) * 1000)
  await eventually('a difference of thirty seconds is accepted', async () => (await look()) === 200, 1_000)
  api.setClock((accessTokenSeconds + 60) * 1000)
  await eventually('a minute is not', async () => (await look()) === 401, 1_000)
})

test('counters that processes share use one clock: a process that is an hour ahead blocks nothing for an hour [F42]', async (t) => {
  const fleet = await startFleet(t, { SNIPPE_TEST_REQUESTS_PER_MINUTE: '6' })
  const { app } = fleet
  const ahead = await fleet.api({ clockOffsetMs: hourMs })
  const right = await fleet.api()
  // The process that is ahead opens the window, and both use up its quota: each time for another merchant, because one alone gets
  // only a part.
  for (let turn = 0; turn < 10; turn += 1) {
    const page = await app.page(await app.student())
    assert.equal((await askToPay((turn < 4 ? ahead : right).url, page.slug, `turn-${turn}`, waiting)).status, 201)
  }
  const waits = async (): Promise<number[]> => {
    const { rows } = await app.owner.pool.query<{ seconds: number }>(
      `select extract(epoch from next_attempt_at - clock_now())::double precision as seconds from provider_charges where state = 'deferred'`,
    )
    return rows.map(({ seconds }) => seconds)
  }
  await eventually('payments above the budget wait', async () => (await waits()).length === 4)
  assert.ok(
    (await waits()).every((seconds) => seconds <= 76),
    String(await waits()),
  )
  const signIn = (url: string, password: string) =>
    fetch(`${url}/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: 'unknown@example.com', password }),
    })
  for (let turn = 0; turn < 5; turn += 1) assert.equal((await signIn(ahead.url, 'wrong horse battery')).status, 401)
  const refused = await signIn(right.url, 'wrong horse battery')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) <= 900, refused.headers.get('retry-after')!)
  await app.owner.pool.query(`delete from rate_limits`)
  // A window that ends in a year was opened before the database's own clock was set back.
  await app.owner.pool.query(
    `insert into rate_limits (key, points, expire) values ('budget:snippe-test', 99, (extract(epoch from clock_now()) * 1000)::bigint + 31536000000)`,
  )
  await app.owner.pool.query(`update provider_charges set next_attempt_at = clock_now() where state = 'deferred'`)
  await fleet.worker()
  await eventually('waiting payouts are sent', async () => (await waits()).length === 0)
})
