/** Real workers that are killed, told to leave, cut off from the news or held up, with webhooks on their way: none is lost, and somebody is told. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { startWorker } from '../server/worker.ts'
import type { Step } from './faults/start-with-faults.ts'
import { startFleet } from './fleet.ts'
import { eventually, startWorld, type World } from './world.ts'

type Heard = { body: string; timestamp: string; signature: string }

/** A merchant with a page, whose webhook goes to a receiver of this process. */
async function startShop(t: TestContext, world: World, answer: (response: ServerResponse) => void) {
  const heard: Heard[] = []
  const receiver = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name])
      heard.push({
        body: Buffer.concat(pieces).toString(),
        timestamp: header('x-service-timestamp'),
        signature: header('x-service-signature'),
      })
      answer(response)
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const student = await world.student()
  const { appId } = await world.key(student)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const made = await world.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const page = await world.page(student)
  return {
    heard,
    secret: made.body.data.secret as string,
    /** So many payers pay, and their payments are completed. */
    async sell(count: number): Promise<void> {
      const answers = await Promise.all(Array.from({ length: count }, () => world.checkout(page.slug)))
      for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body))
      await eventually('the payments are completed', async () => {
        const { rows } = await world.owner.pool.query(
          `select count(*)::integer as left from payments where status <> 'completed'`,
        )
        return rows[0].left === 0
      })
    },
  }
}

type Row = { status: string; attempts: number; leaseId: string | null }

async function deliveriesOf(world: World): Promise<Row[]> {
  const { rows } = await world.owner.pool.query(
    `select status, attempts, lease_id as "leaseId" from webhook_deliveries order by status`,
  )
  return rows
}

const sendingSteps: [step: Step, sentence: string, heardBefore: number, heardAfter: number][] = [
  ['after D1', 'after it took an event and before it sent it: it is sent once, by another one', 0, 1],
  [
    'after D2',
    'between the answer of a receiver and its record: the event comes once more under the same id, and is not lost',
    1,
    2,
  ],
  ['before D3', 'just before the record: the event comes once more under the same id', 1, 2],
  ['after D3', 'after the record: the event does not come again', 1, 1],
]

for (const [step, sentence, heardBefore, heardAfter] of sendingSteps) {
  test(`kill -9 of a worker ${sentence} [W21]`, async (t) => {
    const fleet = await startFleet(t)
    await fleet.api()
    const { heard, secret, sell } = await startShop(t, fleet.world, (response) => response.end())
    const first = await fleet.worker(step)
    await sell(1)
    await first.reached
    await first.kill()
    assert.equal(heard.length, heardBefore)
    if (step !== 'after D3') {
      const [left] = await deliveriesOf(fleet.world)
      assert.deepEqual([left!.status, left!.attempts, left!.leaseId === null], ['pending', 0, false])
      // What would be due when the lease ends, may be due now.
      await fleet.world.owner.pool.query(`update webhook_deliveries set next_attempt_at = clock_now() - interval '1 second'`)
    }
    const second = await fleet.worker()
    await eventually('it is delivered', async () => (await deliveriesOf(fleet.world))[0]!.status === 'delivered')
    assert.equal(await second.stop(), 0)
    assert.equal(heard.length, heardAfter)
    assert.equal(new Set(heard.map(({ body }) => body)).size, 1)
    for (const { body, timestamp, signature } of heard) {
      assert.equal(signature, createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'))
    }
    const { rows } = await fleet.world.owner.pool.query('select attempt, outcome from webhook_attempts')
    assert.deepEqual(rows, [{ attempt: 1, outcome: 'succeeded' }])
  })
}

test('SIGTERM of a worker: what is on its way is finished, the rest is left for others, and a receiver that hangs holds up no exit [W31]', async (t) => {
  const fleet = await startFleet(t, { WEBHOOK_DEADLINE_MS: '2000' })
  await fleet.api()
  const waiting: ServerResponse[] = []
  const { heard, sell } = await startShop(t, fleet.world, (response) => void waiting.push(response))
  await sell(12)
  const first = await fleet.worker()
  await eventually('as many are on their way as may be', () => waiting.length === 8)
  const left = first.stop()
  for (const response of waiting.splice(0)) response.end()
  assert.equal(await left, 0)
  assert.equal(heard.length, 8)
  const untouched = { status: 'pending', attempts: 0, leaseId: null }
  const taken = Array.from({ length: 8 }, () => ({ status: 'delivered', attempts: 1, leaseId: null }))
  assert.deepEqual(await deliveriesOf(fleet.world), [...taken, untouched, untouched, untouched, untouched])

  const second = await fleet.worker()
  await eventually('the rest is on its way', () => waiting.length === 4)
  const startedAt = Date.now()
  assert.equal(await second.stop(), 0)
  assert.ok(Date.now() - startedAt < 5_000, `${Date.now() - startedAt} ms`)
  const tried = { status: 'pending', attempts: 1, leaseId: null }
  assert.deepEqual(await deliveriesOf(fleet.world), [...taken, tried, tried, tried, tried])
})

test('a worker whose listening connection is cut again and again finds what is due within five seconds [W34]', async (t) => {
  const world = await startWorld(t, { worker: true })
  const { heard, sell } = await startShop(t, world, (response) => response.end())
  await sell(1)
  await eventually('the worker works', () => heard.length === 1)
  const cut = () =>
    world.owner.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'malipo-listen' and datname = current_database()`,
    )
  await cut()
  await sell(1)
  await eventually(
    'it arrives without any news',
    async () => {
      await cut()
      return heard.length === 2
    },
    5_000,
  )
})

test('a worker raises an alarm when what it finds has been due for more than a minute [W35]', async (t) => {
  const alarms: { level: string; message: string; oldest_due_seconds: number }[] = []
  const world = await startWorld(t, {
    logLevel: 'error',
    logTo: (line) => {
      const entry = JSON.parse(line)
      if (entry.message.startsWith('alert:')) alarms.push(entry)
    },
  })
  const { heard, sell } = await startShop(t, world, () => undefined)
  // More than one receiver is sent at once: the last of them wait, however quickly the worker begins.
  await sell(12)
  await world.owner.pool.query(`update webhook_deliveries set next_attempt_at = clock_now() - interval '61 seconds'`)
  const worker = startWorker(world.deps)
  try {
    await eventually('an alarm is raised', () => alarms.length > 0)
    await eventually('it sends all the same', () => heard.length === 8)
  } finally {
    await worker.stop(100)
  }
  assert.equal(alarms[0]!.level, 'error')
  assert.ok(alarms[0]!.oldest_due_seconds >= 61 && alarms[0]!.oldest_due_seconds < 70)
})
