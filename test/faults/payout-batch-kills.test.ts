/**
 * A batch of payouts is paid while api, worker and database are killed again and again and the provider loses answers: each row is paid at
 * most once, the total equals the provider's truth, and single payouts requested meanwhile leave within five seconds of service.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { fund } from '../fixtures/payouts.ts'
import { toWire } from '../../server/platform/ids.ts'
import { eventually } from '../app.ts'
import { startFleet, type Fleet, type Member } from '../fleet.ts'
import { kills } from './kills.ts'
import { startOwnDatabase } from './own-database.ts'
import type { Step } from './start-with-faults.ts'

/** So many that the batch outlasts the kills on a fast machine too: eight rows for each were paid before the last of them. */
const rows = 16 * kills
const amount = 10_000
const databaseCrashes = Math.ceil(kills / 12)
/** Numbers whose payouts arrive, fail, arrive although the answer to the order is lost, and fail after a lost answer. */
const digits = ['789', '199', '089', '199']

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const file = [
  'amount,phone_number,recipient_name',
  ...Array.from(
    { length: rows },
    (_, row) =>
      `${amount},+25575${4 + Math.floor(row / 1_000)}${String(row % 1_000).padStart(3, '0')}${digits[row % digits.length]},Asha ${row}`,
  ),
].join('\n')

const steps: Record<'api' | 'worker', (Step | undefined)[]> = {
  api: [undefined, 'before P3', undefined, 'after P3'],
  worker: ['before P2', 'after P2', 'before P3', 'after P3', undefined],
}

type Budget = { left: number; kills: number; /** Kills while rows of the batch had not ended. */ during: number }

/** Whether rows of the batch have not ended; undefined while the database is away. */
async function isUnderWay({ app }: Fleet): Promise<boolean | undefined> {
  const open = `select 1 from payouts where batch_id is not null and status in ('pending', 'processing') limit 1`
  return app.owner.pool.query(open).then(
    ({ rows: found }) => found.length > 0,
    () => undefined,
  )
}

/** Keeps a process alive in a place, and kills it again and again at a step of a payout, or at any moment. */
function place(fleet: Fleet, role: 'api' | 'worker', budget: Budget) {
  let member: Member | undefined
  async function run(): Promise<void> {
    for (let turn = 0; budget.left > 0; turn += 1) {
      budget.left -= 1
      const step = steps[role][turn % steps[role].length]
      try {
        member = await fleet[role](step ?? {})
      } catch {
        // The database was away during its start.
        budget.left += 1
        await sleep(200)
        continue
      }
      await Promise.race([member.reached.catch(() => undefined), sleep(step === undefined ? 700 : 1_500)])
      const isDuring = await isUnderWay(fleet)
      await member.kill()
      member = undefined
      budget.kills += 1
      if (isDuring !== false) budget.during += 1
    }
    member = await eventually('it starts', () => fleet[role]().catch(() => undefined), 30_000)
  }
  const done = run()
  return { url: () => member?.url, done }
}

test('a batch under kills is paid at most once for each row, and single payouts leave meanwhile', async (t) => {
  const database = await startOwnDatabase({ fsync: false })
  // Half of the answers are lost. A circuit would pause such a provider again and again, and the rows would leave by its pauses.
  const fleet = await startFleet(t, { RATE_LIMITS: 'off', PROVIDER_CIRCUIT_FAILURES: '1000000' }, { database })
  const { app } = fleet
  const student = await app.student()
  const { key } = await app.key(student)
  for (let count = 0; count < 4; count += 1) await fund(app, student, 8_000_000)
  // The process of the test serves the set-up; its worker is not running.
  const made = await app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
    rawBody: file,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  await eventually('the fees are known', async () => (await app.call('GET', `/v1/payout-batches/${id}`, { key })).body.data.fees)

  const budget: Budget = { left: kills, kills: 0, during: 0 }
  const singles: { id: string; ms: number }[] = []
  let isOver = false
  /** How long the database was away: nothing can leave meanwhile. */
  let awayMs = 0
  /** A process that no one kills, so that the wait of a single payout measures the lanes and not the restarts. */
  const sound = await fleet.api()

  // The approval itself is killed before and after its commit: nothing of it is there, then all of it.
  for (const step of ['before P1', 'after P1'] as const) {
    const dying = await fleet.api(step)
    const path = `/v1/merchant/payout-batches/${id}/approve?environment=test`
    const asked = fetch(`${dying.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${student.token}`, 'content-type': 'application/json' },
      body: '{"version":1}',
    })
    const lost = asked.then(
      () => false,
      () => true,
    )
    await dying.reached
    await dying.kill()
    budget.kills += 1
    budget.during += 1
    assert.equal(await lost, true)
    const { body } = await app.call('GET', `/v1/payout-batches/${id}`, { key })
    const expected = step === 'before P1' ? ['draft', 0] : ['running', rows]
    assert.deepEqual([body.data.status, body.data.progress.waiting], expected, step)
  }
  const { total_debited: debited } = (await app.call('GET', `/v1/payout-batches/${id}`, { key })).body.data

  const places = [place(fleet, 'api', budget), place(fleet, 'worker', budget), place(fleet, 'worker', budget)]
  const askSingles = async (): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const idempotencyKey = `single-${count}`
      const ask = () =>
        fetch(`${sound.url}/v1/payouts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': idempotencyKey },
          body: JSON.stringify({ amount, phone_number: '0754900789', recipient_name: 'Juma' }),
          signal: AbortSignal.timeout(10_000),
        })
          .then(async (response) => (await response.json()) as { data?: { id: string } })
          .catch(() => undefined)
      const answer = await eventually('a single payout is made', async () => (await ask())?.data, 60_000)
      const [from, awayBefore] = [performance.now(), awayMs]
      await eventually(
        'a single payout leaves',
        async () => {
          const response = await fetch(`${sound.url}/v1/payouts/${answer.id}`, { headers: { 'x-api-key': key } }).catch(
            () => undefined,
          )
          const body = (await response?.json().catch(() => undefined)) as { data?: { status: string } } | undefined
          return body?.data !== undefined && body.data.status !== 'pending'
        },
        60_000,
      )
      singles.push({ id: answer.id, ms: performance.now() - from - (awayMs - awayBefore) })
      await sleep(500)
    }
  }
  const asking = askSingles()
  const crashing = (async () => {
    for (let crash = 0; crash < databaseCrashes; crash += 1) {
      await eventually('processes were killed', () => budget.kills >= ((crash + 1) * kills) / (databaseCrashes + 1), 240_000)
      if (await isUnderWay(fleet)) budget.during += 1
      const from = performance.now()
      await database.crash()
      budget.kills += 1
      await database.start()
      awayMs += performance.now() - from
    }
  })()
  await Promise.all([...places.map(({ done }) => done), crashing])
  isOver = true
  await asking

  const read = async () => {
    const { rows: found } = await app.owner.pool.query<{ id: string; status: string; batch: boolean }>(
      'select id, status, batch_id is not null as batch from payouts',
    )
    return found
  }
  await eventually(
    'every payout has ended',
    async () => (await read()).every(({ status }) => ['completed', 'failed'].includes(status)),
    120_000,
  )
  const books = await read()
  const ofBatch = books.filter(({ batch }) => batch)
  assert.equal(ofBatch.length, rows)
  type Truth = { status: string; amount: number; metadata: { malipo_payout: string } }
  const truth = (await app.truth()).payouts as Truth[]
  assert.equal(new Set(truth.map(({ metadata }) => metadata.malipo_payout)).size, truth.length, 'no payout was ordered twice')
  const ended =
    (status: string) =>
    (one: { status: string }): boolean =>
      one.status === status
  assert.deepEqual(
    truth
      .filter(ended('completed'))
      .map(({ metadata }) => metadata.malipo_payout)
      .toSorted(),
    books
      .filter(ended('completed'))
      .map((payout) => toWire('po', payout.id))
      .toSorted(),
  )
  const paidThere = truth.filter(ended('completed')).reduce((sum, one) => sum + one.amount, 0)
  const paidHere = books.filter(ended('completed')).length * amount
  assert.equal(paidHere, paidThere)
  const done = await eventually('the batch is done', async () => {
    const { body } = await app.call('GET', `/v1/payout-batches/${id}`, { key })
    return body.data?.status === 'done' && body.data
  })
  assert.equal(done.progress.completed + done.progress.failed, rows)
  const { body: balance } = await app.call('GET', '/v1/balance', { key })
  assert.equal(balance.data.reserved, 0)
  const events = (await app.call('GET', '/v1/events?type=payout_batch.completed', { key })).body.data
  assert.equal(events.length, 1)
  assert.ok(budget.during >= kills, `${budget.during} of ${budget.kills} kills were before the end`)
  const late = singles.filter(({ ms }) => ms > 5_000).length
  const slowest = Math.round(Math.max(...singles.map(({ ms }) => ms)))
  process.stdout.write(
    `batch under kills: ${JSON.stringify({ rows, kills: budget.kills, during: budget.during, databaseCrashes, debited, paidHere, paidThere, completed: done.progress.completed, failed: done.progress.failed, singles: singles.length, slowest, late })}\n`,
  )
  assert.ok(singles.length >= 10)
  assert.equal(late, 0, `${late} single payouts left late, the slowest after ${slowest} ms`)
})
