/** Several senders on one database: one sender at a time holds a delivery, and a short queue does not wait for a long one. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openDb, type Db } from '../../platform/db/db.ts'
import { createEgress, type Egress } from '../../platform/outbound/egress.ts'
import { homeOfMerchant, newMoneyId } from '../../platform/ids.ts'
import { claimDeliveries, recordVerdicts, releaseDeliveries, type Claim, type ClaimedDelivery } from './delivery.sql.ts'
import { startWebhookApi, until, type ReceivedRequest, type WebhookApi } from '../../../test/fixtures/webhook.ts'

const idOf = (received: ReceivedRequest): string => (JSON.parse(received.body) as { id: string }).id

test('four senders and four thousand deliveries: each is sent once, no queue waits for a longer one, no sender is idle [W19]', async (t) => {
  const app = await startWebhookApi(t)
  const sizes = [2_400, 200, 200, 200, 200, 200, 200, 200, 200]
  const arrivals: number[] = []
  const receivers = await Promise.all(
    sizes.map((_, queue) =>
      app.receiver((response) => {
        arrivals.push(queue)
        response.end()
      }),
    ),
  )
  // The long queue is the oldest: a sender that served by age alone would serve it first.
  for (const [queue, size] of sizes.entries()) {
    const person = await app.person()
    await app.webhook(person, receivers[queue]!.url)
    await app.complete(person, size)
  }
  // Each sender has its own connections, like the workers of four machines.
  const own: { db: Db; egress: Egress; posts: number }[] = sizes.slice(0, 4).map(() => ({
    db: openDb({ ...app.config.database, role: 'malipo_service', applicationName: 'sender', onError: () => undefined }),
    egress: createEgress({ clock: { now: () => Date.now() }, allowPrivate: true, ownUrls: [] }),
    posts: 0,
  }))
  t.after(async () => {
    for (const { db, egress } of own) await Promise.all([db.close(), egress.close()])
  })
  const startedAt = Date.now()
  const senders = own.map((sender) => {
    const post: Egress['post'] = (url, request) => {
      sender.posts += 1
      return sender.egress.post(url, request)
    }
    return app.send({ db: sender.db, egress: { ...sender.egress, post } })
  })
  const isOver = async () => (await app.deliveries()).every(({ status }) => status === 'delivered')
  await until('all have arrived', () => arrivals.length >= 4_000, 60_000)
  await until('all are delivered', isOver)
  t.diagnostic(`${Date.now() - startedAt} ms; by sender: ${own.map(({ posts }) => posts).join(', ')}`)
  await Promise.all(senders.map((sender) => sender.stop()))

  for (const [queue, { requests }] of receivers.entries()) {
    assert.equal(requests.length, sizes[queue])
    assert.equal(new Set(requests.map(idOf)).size, sizes[queue])
  }
  const attempts = await app.attempts()
  assert.equal(attempts.length, 4_000)
  assert.ok(attempts.every(({ attempt, outcome }) => attempt === 1 && outcome === 'succeeded'))
  // Nine queues have equal shares: when the short ones are done, the long one has sent about as many deliveries as each of them.
  const shortOnesDone = arrivals.findLastIndex((queue) => queue !== 0)
  const ofLong = arrivals.slice(0, shortOnesDone).filter((queue) => queue === 0).length
  t.diagnostic(`${ofLong} of the long queue were through when the short ones were`)
  assert.ok(ofLong < 1_000, `${ofLong} of the long queue went before the last of the short ones`)
  assert.ok(
    own.every(({ posts }) => posts >= 200),
    own.map(({ posts }) => posts).join(),
  )
})

/** The deliveries that another worker would claim now. */
async function claim(app: WebhookApi): Promise<ClaimedDelivery[]> {
  const share = { environment: 'test', limit: 100, perEndpoint: 8, perOwner: 64, inFlight: new Map() } as const
  return claimDeliveries(app.db, { leasedBy: randomUUID(), leaseSeconds: 20, ...share })
}

test('a sender with few free slots claims an equal number from each queue, and leaves the rest untouched', async (t) => {
  const app = await startWebhookApi(t)
  for (const size of [30, 20, 1]) {
    const person = await app.person()
    await app.webhook(person, 'http://127.0.0.1:4000/hook')
    await app.complete(person, size)
  }
  const claimCounts = async (limit: number, inFlight: Claim['inFlight'] = new Map()) => {
    const share = { environment: 'test', limit, perEndpoint: 8, perOwner: 64, inFlight } as const
    const claimed = await claimDeliveries(app.db, { leasedBy: randomUUID(), leaseSeconds: 20, ...share })
    const counts = new Map<string, number>()
    for (const { endpointId } of claimed) counts.set(endpointId, (counts.get(endpointId) ?? 0) + 1)
    return counts
  }
  const first = await claimCounts(9)
  assert.deepEqual(
    [...first.values()].toSorted((one, other) => one - other),
    [1, 3, 3],
  )
  const [longest] = [...first].find(([, count]) => count === 3)!
  // The endpoint without free slots gets nothing. The other endpoint gets the whole claim, up to its own limit.
  const second = await claimCounts(100, new Map([[longest, { sends: 8, merchantId: randomUUID() }]]))
  assert.deepEqual([...second.values()], [8])
  assert.ok(!second.has(longest))
})

test('a claimed delivery stays with its sender for longer than an attempt can take; another lease can neither release nor finish it [W20]', async (t) => {
  const app = await startWebhookApi(t)
  let answer = () => {}
  const receiver = await app.receiver((response) => (answer = () => response.end()))
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  app.send()
  await until('it is in flight', () => receiver.requests.length === 1)
  const [held] = await app.deliveries()
  assert.deepEqual(await claim(app), [])
  // First the deadline of the attempt passes, then the time that its record may take.
  for (const seconds of [10, 19]) {
    await app.moveClock(seconds)
    assert.deepEqual(await claim(app), [], `after ${seconds} s`)
  }
  await app.moveClock(0)

  const stranger = { home: homeOfMerchant(person.userId), leasedBy: randomUUID() }
  await releaseDeliveries(app.db, [{ ...stranger, id: held!.id } as ClaimedDelivery])
  const verdict = { ...stranger, deliveryId: held!.id, status: 'exhausted' as const, delaySeconds: null, attempt: null }
  assert.deepEqual(await recordVerdicts(app.db, [verdict]), [false])
  const [untouched] = await app.deliveries()
  assert.deepEqual([untouched!.status, untouched!.leasedBy, untouched!.postponements], ['pending', held!.leasedBy, 0])
  assert.deepEqual(await claim(app), [])

  answer()
  await until('it is delivered', async () => (await app.deliveries())[0]!.status === 'delivered')
  assert.deepEqual([receiver.requests.length, (await app.attempts()).length], [1, 1])
  assert.ok(!app.logLines.some((line) => line.includes('lease')))
})

test('the deliveries of a dead sender become due when its lease ends, and its late outcome changes nothing [W20]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  const [lost] = await claim(app)
  await app.moveClock(21)
  app.send()
  await until('another sender delivers it', async () => (await app.deliveries())[0]!.status === 'delivered')
  const { home, id: deliveryId, leasedBy } = lost!
  const attempt = {
    id: newMoneyId(home),
    eventType: 'payment.completed' as const,
    url: receiver.url,
    outcome: 'failed' as const,
    responseStatus: 500,
    responseBody: '',
    errorCode: 'unexpected_status',
    durationMs: 1,
    attemptedAt: new Date(),
  }
  assert.deepEqual(await recordVerdicts(app.db, [{ home, deliveryId, leasedBy, status: 'pending', delaySeconds: 30, attempt }]), [
    false,
  ])
  assert.deepEqual(
    (await app.deliveries()).map(({ status, attempts }) => [status, attempts]),
    [['delivered', 1]],
  )
  assert.equal((await app.attempts()).length, 1)
})
