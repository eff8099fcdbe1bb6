/**
 * The connection between us and a merchant's receiver is blocked in one or both directions, slow or dead, or breaks in the middle
 * of an answer. The merchant still receives every event, in the same bytes, and no other merchant waits.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startTestApp, type TestApp } from '../app.ts'
import { startModelReceiver, type ModelReceiver } from './model-receiver.ts'

const settings = { WEBHOOK_RETRY_DELAYS_SECONDS: '0.5,0.5,0.5,0.5', WEBHOOK_DEADLINE_MS: '700' }

type Attempt = { event_id: string; outcome: string; response_status: number | null; error: { code: string } | null }

async function openShop(app: TestApp, receiver: ModelReceiver) {
  const student = await app.student()
  const { appId, key } = await app.key(student)
  const path = `/developers/apps/${appId}/webhook`
  const { token } = student
  const { body } = await app.call('POST', path, { token, body: { url: receiver.nextUrl() } })
  receiver.learn(body.data.secret)
  const page = await app.page(student)
  return {
    async sell(count: number): Promise<string[]> {
      const answers = await Promise.all(Array.from({ length: count }, () => app.checkout(page.slug)))
      return answers.map(({ body: answer }) => answer.data.reference)
    },
    /** Oldest first. */
    async attempts(): Promise<Attempt[]> {
      return (await app.call('GET', `${path}/deliveries?limit=100`, { token })).body.data.toReversed()
    },
    async events(): Promise<{ data: { reference: string } }[]> {
      return (await app.call('GET', '/v1/events?type=payment.completed&limit=100', { key })).body.data
    },
    replay: (from: Date) =>
      app.call('POST', `${path}/replay`, { token, body: { from: from.toISOString(), to: new Date().toISOString() } }),
  }
}

const receivedOf = (receiver: ModelReceiver): string[] =>
  receiver
    .events()
    .map(({ reference }) => reference)
    .toSorted()

type Trouble = { line: string; begin(receiver: ModelReceiver): void; code: string; receivedMeanwhile: boolean }

const troubles: Trouble[] = [
  { line: 'deaf', begin: ({ line }) => line.partition('to_server', 'to_client'), code: 'timeout', receivedMeanwhile: false },
  { line: 'deaf on the way there', begin: ({ line }) => line.partition('to_server'), code: 'timeout', receivedMeanwhile: false },
  { line: 'deaf on the way back', begin: ({ line }) => line.partition('to_client'), code: 'timeout', receivedMeanwhile: true },
  { line: 'slower than the timeout', begin: ({ line }) => line.slowDown(500), code: 'timeout', receivedMeanwhile: true },
  { line: 'cut', begin: ({ line }) => line.cut(), code: 'connection_reset', receivedMeanwhile: false },
]

for (const { line, begin, code, receivedMeanwhile } of troubles) {
  test(`a line to a receiver that is ${line}: every event arrives once it works again, in the same bytes, and another receiver never waits [W03, W05, W24]`, async (t) => {
    const app = await startTestApp(t, { worker: true, settings })
    const [broken, well] = [await startModelReceiver(t), await startModelReceiver(t)]
    const [shop, neighbour] = [await openShop(app, broken), await openShop(app, well)]
    begin(broken)
    const references = await shop.sell(4)
    const others = await neighbour.sell(4)
    await eventually('the other merchant receives all', () => receivedOf(well).length === 4, 5_000)
    await eventually('it was tried without success', async () => (await shop.attempts()).length >= 4)
    assert.deepEqual(
      [...new Set((await shop.attempts()).map(({ outcome, error }) => `${outcome} ${error?.code}`))],
      [`failed ${code}`],
    )
    assert.equal(broken.received.length > 0, receivedMeanwhile)
    broken.line.slowDown(0)
    broken.line.heal()
    await eventually('every event is accepted', async () => {
      return (await shop.attempts()).filter(({ outcome }) => outcome === 'succeeded').length === 4
    })
    assert.deepEqual(receivedOf(broken), references.toSorted())
    assert.deepEqual(receivedOf(well), others.toSorted())
    assert.ok((await neighbour.attempts()).every(({ outcome }) => outcome === 'succeeded'))
  })
}

const breakOffs: [where: string, bytes: number, code: string][] = [
  ['before its headers end', 12, 'connection_reset'],
  ['in the middle of its body', 1_000, 'answer_incomplete'],
]

for (const [where, bytes, code] of breakOffs) {
  test(`a receiver that has accepted an event and whose answer breaks off ${where} gets it again, the same under the same id [W03, W05]`, async (t) => {
    const app = await startTestApp(t, { worker: true, settings })
    const receiver = await startModelReceiver(t)
    const shop = await openShop(app, receiver)
    receiver.manner = 'huge'
    receiver.line.truncateNextAnswer(bytes)
    const [reference] = await shop.sell(1)
    await eventually('it is taken', async () => (await shop.attempts()).some(({ outcome }) => outcome === 'succeeded'))
    const attempts = await shop.attempts()
    assert.deepEqual(
      attempts.map(({ outcome, error }) => [outcome, error?.code]),
      [
        ['failed', code],
        ['succeeded', undefined],
      ],
    )
    assert.deepEqual(
      receiver.events().map((event) => [event.reference, event.times]),
      [[reference, 2]],
    )
  })
}

test('a connection that is down during all five attempts: the event can still be read, and a replay delivers it when the connection works [W03]', async (t) => {
  const app = await startTestApp(t, { worker: true, settings })
  const receiver = await startModelReceiver(t)
  const shop = await openShop(app, receiver)
  const from = new Date(Date.now() - 60_000)
  receiver.line.cut()
  const [reference] = await shop.sell(1)
  await eventually('it is abandoned', async () => (await shop.attempts()).length === 5)
  assert.deepEqual(
    (await shop.events()).map(({ data }) => data.reference),
    [reference],
  )
  receiver.line.heal()
  const replayed = await shop.replay(from)
  assert.equal(replayed.status, 200, JSON.stringify(replayed.body))
  await eventually('it is received', () => receiver.received.length === 1)
  assert.deepEqual(receivedOf(receiver), [reference])
  assert.equal((await shop.attempts()).length, 6)
})
