import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { test } from 'node:test'
import { sql, type Db } from '../platform/db.ts'
import { toWire } from '../platform/ids.ts'
import { eventBody, type EventRow } from './event.ts'
import { startWebhookWorld, until, type Heard, type WebhookWorld } from './webhook-world.ts'

/** What a merchant's server does, written without our code. */
function verifies(secret: string, { headers, body }: Heard, header = 'x-service-signature'): boolean {
  const given = Buffer.from(String(headers[header] ?? ''), 'hex')
  const expected = createHmac('sha256', secret)
    .update(`${String(headers['x-service-timestamp'])}.${body}`)
    .digest()
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** What a Standard Webhooks library does. */
function verifiesStandard(secret: string, { headers, body }: Heard): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const expected = createHmac('sha256', key).update(content).digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${expected}`)
}

const idOf = (heard: Heard): string => (JSON.parse(heard.body) as { id: string }).id

async function allDelivered(world: WebhookWorld): Promise<boolean> {
  return (await world.deliveries()).every(({ status }) => status === 'delivered')
}

async function eventRow(world: WebhookWorld, id: string): Promise<EventRow> {
  const [row] = await world.owner.rows<EventRow>(sql`
    select id, type, payment_id, payment_page_id, amount, currency, completed_at, created_at from events where id = ${id}`)
  return row!
}

test('a completed payment is told, signed, at once, in the bytes that were signed', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const person = await world.person()
  const { secret } = await world.webhook(person, `${receiver.url}?shop=š`)
  const sender = world.send()
  const [eventId] = await world.complete(person)
  sender.wake()
  const heard = await until('the webhook arrives', () => receiver.heard[0])
  assert.equal(heard.body, eventBody(await eventRow(world, eventId!)))
  assert.deepEqual(Object.keys(JSON.parse(heard.body)), ['id', 'type', 'created_at', 'data'])
  assert.ok(verifies(secret, heard))
  assert.ok(verifiesStandard(secret, heard))
  assert.ok(!verifies(`${secret}x`, heard))
  assert.equal(heard.headers['x-service-event'], 'payment.completed')
  assert.equal(heard.headers['content-type'], 'application/json')
  assert.equal(heard.headers['webhook-id'], toWire('evt', eventId!))
  assert.equal(heard.headers['x-service-signature-previous'], undefined)
  assert.match(String(heard.headers['x-service-signature']), /^[0-9a-f]{64}$/)
  assert.ok(Math.abs(Number(heard.headers['x-service-timestamp']) - Date.now() / 1000) < 5)
  await until('it is recorded', () => allDelivered(world))
  assert.deepEqual(
    (await world.attempts()).map(({ attempt, outcome, responseStatus }) => [attempt, outcome, responseStatus]),
    [[1, 'succeeded', 200]],
  )
})

test('five attempts with growing delays, each with the same body and a fresh signature, then the chain is exhausted', async (t) => {
  const world = await startWebhookWorld(t)
  // 410 is a failure like any other.
  const receiver = await world.receiver((response) => response.writeHead(410).end())
  const person = await world.person()
  const { secret } = await world.webhook(person, receiver.url)
  await world.complete(person)
  const sender = world.send()
  const delays = [30, 300, 3600, 28_800]
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const [row] = await until(`attempt ${attempt} is recorded`, async () => {
      const rows = await world.deliveries()
      return rows[0]!.attempts === attempt && rows
    })
    const delay = delays[attempt - 1]
    if (delay === undefined) {
      assert.deepEqual([row!.status, row!.secondsLeft, row!.leaseId], ['exhausted', null, null])
    } else {
      assert.equal(row!.status, 'pending')
      assert.ok(Math.abs(row!.secondsLeft! - delay) < 3, `${row!.secondsLeft} s instead of ${delay} s`)
      // The next attempt is a second later, so that a fresh timestamp can be told from an old one.
      await world.moveClock(attempt)
      await world.makeDue()
      sender.wake()
    }
  }
  assert.equal(receiver.heard.length, 5)
  assert.equal(new Set(receiver.heard.map(({ body }) => body)).size, 1)
  assert.equal(new Set(receiver.heard.map(({ headers }) => headers['x-service-timestamp'])).size, 5)
  assert.equal(new Set(receiver.heard.map(({ headers }) => headers['x-service-signature'])).size, 5)
  for (const heard of receiver.heard) assert.ok(verifies(secret, heard) && verifiesStandard(secret, heard))
  await world.moveClock(200_000)
  sender.wake()
  const attempts = await world.attempts()
  assert.deepEqual(
    attempts.map(({ attempt, outcome, errorCode }) => [attempt, outcome, errorCode]),
    [1, 2, 3, 4, 5].map((attempt) => [attempt, 'failed', 'unexpected_status']),
  )
  assert.equal(receiver.heard.length, 5)
})

test('statuses: 2xx is taken, everything else is tried again', async (t) => {
  const world = await startWebhookWorld(t, { settings: { WEBHOOK_DEADLINE_MS: '1000' } })
  const person = await world.person()
  const statuses = [200, 201, 202, 204, 299, 300, 304, 308, 400, 404, 410, 429, 500, 503]
  const expected = new Map<string, [string, number]>()
  for (const status of statuses) {
    const receiver = await world.receiver((response) => response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end())
    const { id } = await world.webhook(person, receiver.url)
    expected.set(id, [status < 300 ? 'delivered' : 'pending', status])
  }
  await world.complete(person)
  world.send()
  await until('all are answered', async () => (await world.attempts()).length === statuses.length)
  const rows = await world.deliveries()
  const attempts = await world.attempts()
  for (const row of rows) {
    const attempt = attempts.find(({ deliveryId }) => deliveryId === row.id)
    assert.deepEqual([row.status, attempt?.responseStatus], expected.get(row.endpointId))
  }
})

test('a receiver that dies before it answers hears of the same event again', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver((response, _heard, count) => {
    if (count === 1) response.socket!.destroy()
    else response.end()
  })
  const person = await world.person()
  const { secret } = await world.webhook(person, receiver.url)
  await world.complete(person)
  const sender = world.send()
  await until('the first attempt is recorded', async () => (await world.attempts())[0]?.errorCode === 'connection_reset')
  await world.makeDue()
  sender.wake()
  await until('it is delivered', () => allDelivered(world))
  assert.equal(receiver.heard.length, 2)
  assert.equal(idOf(receiver.heard[0]!), idOf(receiver.heard[1]!))
  for (const heard of receiver.heard) assert.ok(verifies(secret, heard))
})

test('Retry-After is honoured', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver((response) => response.writeHead(429, { 'retry-after': '120' }).end())
  const person = await world.person()
  await world.webhook(person, receiver.url)
  await world.complete(person)
  world.send()
  await until('the attempt is recorded', async () => (await world.attempts()).length === 1)
  const [row] = await world.deliveries()
  assert.ok(row!.secondsLeft! > 115 && row!.secondsLeft! <= 120, `${row!.secondsLeft} s`)
})

test('after a rotation the old secret goes on verifying for a day; of two rotations only the last one before', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const person = await world.person()
  const { appId, secret: first } = await world.webhook(person, receiver.url)
  const sender = world.send()
  const rotate = async (): Promise<string> =>
    (await world.call('POST', `/developers/apps/${appId}/webhook/rotate`, { token: person.token })).body.data.secret
  const hear = async (): Promise<Heard> => {
    const count = receiver.heard.length
    await world.complete(person)
    sender.wake()
    await until('another webhook arrives', () => receiver.heard.length > count)
    return receiver.heard.at(-1)!
  }
  const second = await rotate()
  const overlapping = await hear()
  assert.ok(verifies(second, overlapping))
  assert.ok(verifies(first, overlapping, 'x-service-signature-previous'))
  assert.ok(verifiesStandard(first, overlapping) && verifiesStandard(second, overlapping))

  const third = await rotate()
  const twice = await hear()
  assert.ok(verifies(third, twice))
  assert.ok(verifies(second, twice, 'x-service-signature-previous'))
  assert.ok(!verifies(first, twice, 'x-service-signature-previous') && !verifiesStandard(first, twice))

  await world.moveClock(24 * 3600 - 60)
  assert.ok(verifies(second, await hear(), 'x-service-signature-previous'))
  await world.moveClock(24 * 3600 + 60)
  const alone = await hear()
  assert.ok(verifies(third, alone))
  assert.equal(alone.headers['x-service-signature-previous'], undefined)
  assert.ok(!verifiesStandard(second, alone))
})

test('the timestamp is the database’s, whatever the sender’s clock says', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const person = await world.person()
  await world.webhook(person, receiver.url)
  const sender = world.send({ clock: { now: () => Date.now() - 600_000 } })
  await world.complete(person)
  sender.wake()
  const heard = await until('the webhook arrives', () => receiver.heard[0])
  assert.ok(Math.abs(Number(heard.headers['x-service-timestamp']) - Date.now() / 1000) < 5)
  await world.moveClock(600)
  await world.complete(person)
  sender.wake()
  const later = await until('the second webhook arrives', () => receiver.heard[1])
  assert.ok(Math.abs(Number(later.headers['x-service-timestamp']) - Date.now() / 1000 - 600) < 5)
})

test('removing, switching off, or deleting the app of a webhook ends what was still to be sent; the attempts stay', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver((response) => response.writeHead(500).end())
  const person = await world.person()
  const [removed, disabled, appless] = [
    await world.webhook(person, receiver.url),
    await world.webhook(person, receiver.url),
    await world.webhook(person, receiver.url),
  ]
  await world.complete(person)
  const sender = world.send()
  await until('each failed once', async () => (await world.attempts()).length === 3)
  await world.call('DELETE', `/developers/apps/${removed.appId}/webhook`, { token: person.token })
  await world.owner.rows(sql`update webhook_endpoints set enabled = false where id = ${disabled.id}`)
  await world.call('DELETE', `/developers/apps/${appless.appId}`, { token: person.token })
  await world.makeDue()
  sender.wake()
  await until('all are cancelled', async () => (await world.deliveries()).every(({ status }) => status === 'cancelled'))
  await world.complete(person)
  sender.wake()
  await until('the later one is cancelled too', async () => {
    const rows = await world.deliveries()
    // A removed or disabled webhook gets no delivery at all; that of a deleted app is found out when it is due.
    return rows.length === 4 && rows.every(({ status }) => status === 'cancelled')
  })
  assert.equal(receiver.heard.length, 3)
  assert.equal((await world.attempts()).length, 3)
})

test('two apps of one owner each hear of a payment, with their own secrets; other environments and owners do not', async (t) => {
  const world = await startWebhookWorld(t)
  const [here, there, live, foreign] = [
    await world.receiver(),
    await world.receiver(),
    await world.receiver(),
    await world.receiver(),
  ]
  const [person, stranger] = [await world.person(), await world.person()]
  const one = await world.webhook(person, here.url)
  const two = await world.webhook(person, there.url)
  await world.webhook(person, live.url, 'live')
  await world.webhook(stranger, foreign.url)
  await world.complete(person, 2)
  world.send()
  await until('all are delivered', async () => (await world.deliveries()).length === 4 && (await allDelivered(world)))
  assert.deepEqual(
    [here, there, live, foreign].map(({ heard }) => heard.length),
    [2, 2, 0, 0],
  )
  for (const heard of here.heard) assert.ok(verifies(one.secret, heard) && !verifies(two.secret, heard))
  for (const heard of there.heard) assert.ok(verifies(two.secret, heard) && !verifies(one.secret, heard))
  assert.deepEqual(here.heard.map(idOf).toSorted(), there.heard.map(idOf).toSorted())
})

test('a name that points inside when it is sent to is not sent to', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const person = await world.person()
  world.names.set('shop.example', ['127.0.0.1'])
  await world.webhook(person, `http://shop.example:${receiver.port}/hook`)
  world.names.set('shop.example', ['127.0.0.1', '10.0.0.1'])
  await world.complete(person)
  world.send()
  await until('the attempt failed', async () => (await world.attempts())[0]?.errorCode === 'blocked_target')
  assert.equal(receiver.heard.length, 0)
})

test('faults of our own use up no attempt: names that cannot be looked up, secrets that do not open', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const person = await world.person()
  world.names.set('shop.example', ['127.0.0.1'])
  const named = await world.webhook(person, `http://shop.example:${receiver.port}/named`)
  const locked = await world.webhook(person, `${receiver.url}/locked`)
  await world.webhook(person, `${receiver.url}/fine`)
  world.names.set('shop.example', Object.assign(new Error('servfail'), { code: 'ESERVFAIL' }))
  const [sealed] = await world.owner.rows<{ secretSealed: string }>(sql`
    select secret_sealed from webhook_endpoints where id = ${locked.id}`)
  await world.owner.rows(sql`update webhook_endpoints set secret_sealed = 'v1.gone.x.y' where id = ${locked.id}`)
  await world.complete(person)
  const sender = world.send()
  await until('two are put off, one is delivered', async () => {
    const rows = await world.deliveries()
    return rows.filter(({ postponements }) => postponements === 1).length === 2
  })
  for (const row of await world.deliveries()) {
    const isOurs = row.endpointId === named.id || row.endpointId === locked.id
    assert.deepEqual([row.attempts, row.status], isOurs ? [0, 'pending'] : [1, 'delivered'])
    if (isOurs) assert.ok(row.secondsLeft! > 7 && row.secondsLeft! <= 10, `${row.secondsLeft} s`)
  }
  assert.equal((await world.attempts()).length, 1)
  world.names.set('shop.example', ['127.0.0.1'])
  await world.owner.rows(sql`update webhook_endpoints set secret_sealed = ${sealed!.secretSealed} where id = ${locked.id}`)
  await world.makeDue()
  sender.wake()
  await until('all are delivered', () => allDelivered(world))
  assert.deepEqual(
    (await world.attempts()).map(({ attempt }) => attempt),
    [1, 1, 1],
  )
})

/** A database that can be away, for the sender alone. */
function interruptible(db: Db): { db: Db; isAway: boolean } {
  const state = {
    isAway: false,
    db: {
      ...db,
      rows: async (query) => {
        if (state.isAway) throw Object.assign(new Error('gone'), { code: '57P01' })
        return db.rows(query)
      },
    } as Db,
  }
  return state
}

test('a database that is away between the answer and the record costs no attempt and no second sending', async (t) => {
  const world = await startWebhookWorld(t)
  const database = interruptible(world.db)
  const receiver = await world.receiver((response) => {
    database.isAway = true
    response.end()
  })
  const person = await world.person()
  await world.webhook(person, receiver.url)
  await world.complete(person)
  const sender = world.send({ db: database.db })
  await until('the webhook arrives', () => receiver.heard.length === 1)
  sender.wake()
  await until('a look for work failed', () => world.logLines.some((line) => line.includes('a round of work failed')))
  database.isAway = false
  await until('it is recorded after all', () => allDelivered(world))
  assert.equal(receiver.heard.length, 1)
  assert.equal((await world.attempts()).length, 1)
})

test('an outcome that comes after the lease was lost is refused, and the event goes out once more with the same id', async (t) => {
  const world = await startWebhookWorld(t)
  let answerFirst = () => {}
  const receiver = await world.receiver((response, _heard, count) => {
    if (count === 1) answerFirst = () => response.end()
    else response.end()
  })
  const person = await world.person()
  await world.webhook(person, receiver.url)
  await world.complete(person)
  const [slow, next] = [world.send(), world.send()]
  await until('the first sending is on its way', () => receiver.heard.length === 1)
  const [held] = await world.deliveries()
  assert.ok(held!.leaseId !== null && held!.secondsLeft! > world.config.webhooks.deadlineMs / 1000)
  // The lease runs out, as it does for a sender that was stopped in its tracks.
  await world.owner.rows(sql`update webhook_deliveries set next_attempt_at = clock_now()`)
  next.wake()
  await until('the second sender delivered it', () => allDelivered(world))
  answerFirst()
  await until('the first sender is told', () => world.logLines.some((line) => line.includes('after its lease was lost')))
  await slow.stop()
  assert.equal(receiver.heard.length, 2)
  assert.equal(idOf(receiver.heard[0]!), idOf(receiver.heard[1]!))
  assert.deepEqual(
    (await world.attempts()).map(({ attempt, outcome }) => [attempt, outcome]),
    [[1, 'succeeded']],
  )
})

test('four senders and four hundred deliveries: each goes out once', async (t) => {
  const world = await startWebhookWorld(t)
  const person = await world.person()
  const receivers = await Promise.all([1, 2, 3, 4].map(() => world.receiver()))
  for (const receiver of receivers) await world.webhook(person, receiver.url)
  await world.complete(person, 100)
  for (let count = 0; count < 4; count += 1) world.send()
  await until('all are delivered', async () => (await world.deliveries()).length === 400 && (await allDelivered(world)), 30_000)
  for (const { heard } of receivers) {
    assert.equal(heard.length, 100)
    assert.equal(new Set(heard.map(idOf)).size, 100)
  }
  assert.equal((await world.attempts()).length, 400)
})

test('a receiver that hangs, with a backlog, holds up nobody else', async (t) => {
  const world = await startWebhookWorld(t, { settings: { WEBHOOK_DEADLINE_MS: '60000' } })
  const config = { webhooks: { ...world.config.webhooks, concurrency: 16, perEndpointConcurrency: 3 } }
  const [hanging, quick] = [await world.receiver(() => undefined), await world.receiver()]
  const [victim, other] = [await world.person(), await world.person()]
  await world.webhook(victim, hanging.url)
  await world.webhook(other, quick.url)
  await world.complete(victim, 300)
  const sender = world.send({ config })
  await until('the hanging one has all the places that it may have', () => hanging.heard.length === 3)
  const startedAt = Date.now()
  await world.complete(other, 200)
  sender.wake()
  await until('the others are delivered', () => quick.heard.length === 200)
  assert.ok(Date.now() - startedAt < 5_000)
  assert.equal(hanging.heard.length, 3)
  // Nothing of the backlog was touched on the way.
  const rows = await world.deliveries()
  assert.equal(rows.filter(({ leaseId, status }) => status === 'pending' && leaseId === null).length, 297)
})

test('a lost wake-up is made up for within five seconds', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver()
  const person = await world.person()
  await world.webhook(person, receiver.url)
  world.send()
  await world.complete(person)
  await until('it arrives without being woken for', () => receiver.heard.length === 1, 5_000)
})

test('stopping finishes what is on its way and gives back what was not sent', async (t) => {
  const world = await startWebhookWorld(t)
  let answer = () => {}
  const receiver = await world.receiver((response) => (answer = () => response.end()))
  const person = await world.person()
  await world.webhook(person, receiver.url)
  await world.complete(person)
  const sender = world.send()
  await until('it is on its way', () => receiver.heard.length === 1)
  const stopped = sender.stop()
  await world.complete(person)
  sender.wake()
  answer()
  await stopped
  const rows = await world.deliveries()
  assert.deepEqual(
    rows.map(({ status, leaseId }) => [status, leaseId]),
    [
      ['delivered', null],
      ['pending', null],
    ],
  )
  assert.equal(receiver.heard.length, 1)

  // What was claimed when the stop came, and not yet sent, is due at once for the next sender.
  let letGo = () => {}
  const gate = new Promise<void>((resolve) => (letGo = resolve))
  const claimed = { isSo: false }
  const slowDb = {
    ...world.db,
    rows: async (query) => {
      const rows = await world.db.rows(query)
      if (rows.length > 0 && !claimed.isSo) {
        claimed.isSo = true
        await gate
      }
      return rows
    },
  } as Db
  const late = world.send({ db: slowDb })
  await until('it is claimed', () => claimed.isSo)
  const lateStopped = late.stop()
  letGo()
  await lateStopped
  const [, given] = await world.deliveries()
  assert.deepEqual([given!.status, given!.leaseId, given!.attempts], ['pending', null, 0])
  assert.ok(given!.secondsLeft! <= 0)
  assert.equal(receiver.heard.length, 1)
})

test('a receiver that never answers does not keep the sender from stopping', async (t) => {
  const world = await startWebhookWorld(t, { settings: { WEBHOOK_DEADLINE_MS: '400' } })
  const receiver = await world.receiver(() => undefined)
  const person = await world.person()
  await world.webhook(person, receiver.url)
  await world.complete(person)
  const sender = world.send()
  await until('it is on its way', () => receiver.heard.length === 1)
  const startedAt = Date.now()
  await sender.stop()
  assert.ok(Date.now() - startedAt < 2_000)
  assert.deepEqual(
    (await world.attempts()).map(({ errorCode }) => errorCode),
    ['timeout'],
  )
})

test('who may not wait leaves what is on its way to its lease, and blames no receiver', async (t) => {
  const world = await startWebhookWorld(t)
  const receiver = await world.receiver(() => undefined)
  const person = await world.person()
  await world.webhook(person, receiver.url)
  await world.complete(person)
  const sender = world.send()
  await until('it is on its way', () => receiver.heard.length === 1)
  await sender.stop(50)
  await world.egress.close()
  const [row] = await world.deliveries()
  assert.deepEqual([row!.status, row!.attempts, row!.leaseId === null], ['pending', 0, false])
  assert.deepEqual(await world.attempts(), [])
})

test('an event is recorded once for a payment, and its deliveries carry its home', async (t) => {
  const world = await startWebhookWorld(t)
  const person = await world.person()
  await world.webhook(person, 'http://127.0.0.1:4000/hook')
  const [eventId] = await world.complete(person)
  const [delivery] = await world.deliveries()
  assert.equal(delivery!.eventId, eventId)
  assert.equal(delivery!.id.slice(0, 24), eventId!.slice(0, 24))
  assert.notEqual(delivery!.id, eventId)
  const second = world.owner.rows(sql`
    insert into events (home, id, type, merchant_id, environment, payment_id, payment_page_id, amount, currency, completed_at)
    select home, gen_random_uuid(), type, merchant_id, environment, payment_id, payment_page_id, amount, currency, completed_at from events`)
  await assert.rejects(second, { constraint: 'events_one_per_payment' })
  const rewriting = world.db.rows(sql`update events set amount = 1`)
  await assert.rejects(rewriting, /permission denied/)
})
