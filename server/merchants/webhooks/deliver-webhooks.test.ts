import assert from 'node:assert/strict'
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { claimDeliveries } from './delivery.sql.ts'
import { eventBody, type EventRow } from './event.ts'
import { startWebhookApi, until, type ReceivedRequest, type WebhookApi } from '../../../test/fixtures/webhook.ts'

/** Verifies a signature like a merchant's server, without using our code. */
function verifies(secret: string, { headers, body }: ReceivedRequest, header = 'x-service-signature'): boolean {
  const given = Buffer.from(String(headers[header] ?? ''), 'hex')
  const expected = createHmac('sha256', secret)
    .update(`${String(headers['x-service-timestamp'])}.${body}`)
    .digest()
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Verifies a signature like a Standard Webhooks library. */
function verifiesStandard(secret: string, { headers, body }: ReceivedRequest): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const expected = createHmac('sha256', key).update(content).digest('base64')
  return String(headers['webhook-signature']).split(' ').includes(`v1,${expected}`)
}

const idOf = (received: ReceivedRequest): string => (JSON.parse(received.body) as { id: string }).id

async function allDelivered(app: WebhookApi): Promise<boolean> {
  return (await app.deliveries()).every(({ status }) => status === 'delivered')
}

async function eventRow(app: WebhookApi, id: string): Promise<EventRow> {
  const [row] = await app.owner.rows<EventRow>(sql`
    select id, type, left(data::text, -1) || ',"status":"completed","updated_at":"' || wire_time(created_at)
      || '","environment":"test","network_receipt":null}' as data, created_at from events where id = ${id}`)
  return row!
}

test('a completed payment is sent at once, with a signature over the exact bytes of the body [W09]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  const { secret } = await app.webhook(person, `${receiver.url}?shop=š`)
  const sender = app.send()
  const [eventId] = await app.complete(person)
  sender.wake()
  const received = await until('the webhook arrives', () => receiver.requests[0])
  assert.equal(received.body, eventBody(await eventRow(app, eventId!)))
  assert.deepEqual(Object.keys(JSON.parse(received.body)), ['id', 'type', 'created_at', 'data'])
  assert.ok(verifies(secret, received))
  assert.ok(verifiesStandard(secret, received))
  assert.ok(!verifies(`${secret}x`, received))
  assert.equal(received.headers['x-service-event'], 'payment.completed')
  assert.equal(received.headers['content-type'], 'application/json')
  assert.equal(received.headers['webhook-id'], toWire('evt', eventId!))
  assert.equal(received.headers['x-service-signature-previous'], undefined)
  assert.match(String(received.headers['x-service-signature']), /^[0-9a-f]{64}$/)
  assert.ok(Math.abs(Number(received.headers['x-service-timestamp']) - Date.now() / 1000) < 5)
  await until('it is recorded', () => allDelivered(app))
  assert.deepEqual(
    (await app.attempts()).map(({ attempt, outcome, responseStatus }) => [attempt, outcome, responseStatus]),
    [[1, 'succeeded', 200]],
  )
})

for (const [chance, factor] of [
  [0, 0.9],
  [0.5, 1],
  [0.999999, 1.1],
] as const) {
  test(`five attempts at ${factor} of the delays, each with the same body and a fresh signature, then no more [W06]`, async (t) => {
    const app = await startWebhookApi(t)
    // 410 is a failure like any other.
    const [receiver, fence] = [await app.receiver((response) => response.writeHead(410).end()), await app.receiver()]
    const [person, other] = [await app.person(), await app.person()]
    const { secret } = await app.webhook(person, receiver.url)
    await app.webhook(other, fence.url)
    const [eventId] = await app.complete(person)
    const sender = app.send({ random: () => chance })
    const delays = [30, 300, 3600, 28_800]
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const [row] = await until(`attempt ${attempt} is recorded`, async () => {
        const rows = await app.deliveries()
        return rows[0]!.attempts === attempt && rows
      })
      const delay = delays[attempt - 1]
      if (delay === undefined) {
        assert.deepEqual([row!.status, row!.secondsLeft, row!.leasedBy], ['exhausted', null, null])
      } else {
        assert.equal(row!.status, 'pending')
        const late = delay * factor - row!.secondsLeft!
        assert.ok(late > -0.01 && late < 2, `${row!.secondsLeft} s instead of ${delay * factor} s`)
        // The next attempt is a second later, so that a fresh timestamp differs from an old one.
        await app.moveClock(attempt)
        await app.makeDue()
        sender.wake()
      }
    }
    await app.moveClock(200_000)
    await app.complete(other)
    sender.wake()
    await until('all that was due is sent', async () => (await app.attempts()).length === 6)
    assert.equal(receiver.requests.length, 5)
    assert.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1)
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['x-service-timestamp'])).size, 5)
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['x-service-signature'])).size, 5)
    for (const received of receiver.requests) {
      assert.ok(verifies(secret, received) && verifiesStandard(secret, received))
      assert.equal(received.headers['webhook-id'], toWire('evt', eventId!))
    }
    assert.deepEqual(
      (await app.attempts()).slice(0, 5).map(({ attempt, outcome, errorCode }) => [attempt, outcome, errorCode]),
      [1, 2, 3, 4, 5].map((attempt) => [attempt, 'failed', 'unexpected_status']),
    )
  })
}

test('statuses: 2xx is a success, every other status is retried, and redirects are not followed [W01, W02]', async (t) => {
  const app = await startWebhookApi(t, { settings: { WEBHOOK_DEADLINE_MS: '1000' } })
  const person = await app.person()
  const elsewhere = await app.receiver()
  const statuses = [100, 200, 201, 202, 204, 299, 300, 301, 302, 303, 304, 307, 308, 400, 404, 410, 429, 500, 503]
  const expected = new Map<string, unknown[]>()
  for (const status of statuses) {
    const receiver = await app.receiver((response) => {
      if (status === 100) response.socket!.write('HTTP/1.1 100 Continue\r\n\r\n')
      else response.writeHead(status, { location: elsewhere.url }).end()
    })
    const { id } = await app.webhook(person, receiver.url)
    const isAccepted = status >= 200 && status < 300
    const errorCode = status === 100 ? 'protocol_error' : status < 400 ? 'redirect' : 'unexpected_status'
    expected.set(id, [isAccepted ? 'delivered' : 'pending', status === 100 ? null : status, isAccepted ? null : errorCode])
  }
  await app.complete(person)
  app.send()
  await until('all are answered', async () => (await app.attempts()).length === statuses.length)
  const rows = await app.deliveries()
  const attempts = await app.attempts()
  for (const row of rows) {
    const attempt = attempts.find(({ deliveryId }) => deliveryId === row.id)
    assert.deepEqual([row.status, attempt?.responseStatus, attempt?.errorCode], expected.get(row.endpointId))
  }
  assert.equal(elsewhere.requests.length, 0)
})

test('a receiver that dies before it answers receives the same event again, with a new signature [W05]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response, _request, count) => {
    if (count === 1) response.socket!.destroy()
    else response.end()
  })
  const person = await app.person()
  const { secret } = await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('the first attempt is recorded', async () => (await app.attempts())[0]?.errorCode === 'connection_reset')
  await app.moveClock(30)
  await app.makeDue()
  sender.wake()
  await until('it is delivered', () => allDelivered(app))
  assert.equal(receiver.requests.length, 2)
  const [died, lived] = receiver.requests as [ReceivedRequest, ReceivedRequest]
  assert.equal(idOf(died), idOf(lived))
  assert.equal(died.body, lived.body)
  const later = Number(lived.headers['x-service-timestamp']) - Number(died.headers['x-service-timestamp'])
  assert.ok(later >= 30 && later < 35, `${later} s later`)
  assert.notEqual(died.headers['x-service-signature'], lived.headers['x-service-signature'])
  for (const received of receiver.requests) assert.ok(verifies(secret, received) && verifiesStandard(secret, received))
})

test('Retry-After is honoured', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response) => response.writeHead(429, { 'retry-after': '120' }).end())
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  app.send()
  await until('the attempt is recorded', async () => (await app.attempts()).length === 1)
  const [row] = await app.deliveries()
  assert.ok(row!.secondsLeft! > 115 && row!.secondsLeft! <= 120, `${row!.secondsLeft} s`)
})

/** Makes a webhook; `deliverOne` completes a payment and returns the request that the receiver got. */
async function rotating(t: TestContext) {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  const { appId, secret } = await app.webhook(person, receiver.url)
  const sender = app.send()
  return {
    app,
    secret,
    rotate: async (): Promise<string> =>
      (await app.call('POST', `/developers/apps/${appId}/webhook/rotate`, { token: person.token })).body.data.secret,
    deliverOne: async (): Promise<ReceivedRequest> => {
      const count = receiver.requests.length
      await app.complete(person)
      sender.wake()
      await until('another webhook arrives', () => receiver.requests.length > count)
      // Waits for the record: the lease expires as soon as the clock moves.
      await until('it is recorded', () => allDelivered(app))
      return receiver.requests.at(-1)!
    },
  }
}

test('after a rotation the old secret signs for one more day, then its header is gone [W10]', async (t) => {
  const { app, secret: first, rotate, deliverOne } = await rotating(t)
  assert.equal((await deliverOne()).headers['x-service-signature-previous'], undefined)
  const second = await rotate()
  for (const seconds of [0, 24 * 3600 - 10]) {
    await app.moveClock(seconds)
    const overlapping = await deliverOne()
    assert.ok(verifies(second, overlapping) && !verifies(first, overlapping))
    assert.ok(verifies(first, overlapping, 'x-service-signature-previous'))
    assert.ok(verifiesStandard(first, overlapping) && verifiesStandard(second, overlapping))
  }
  await app.moveClock(24 * 3600 + 1)
  const alone = await deliverOne()
  assert.ok(verifies(second, alone) && verifiesStandard(second, alone))
  assert.equal(alone.headers['x-service-signature-previous'], undefined)
  assert.ok(!verifiesStandard(first, alone))
})

test('after two rotations in a day only the latest previous secret still signs, for one day from its own rotation [W11]', async (t) => {
  const { app, secret: first, rotate, deliverOne } = await rotating(t)
  const second = await rotate()
  await app.moveClock(20 * 3600)
  const third = await rotate()
  // The day of the first rotation ends earlier than the day of the second one.
  for (const seconds of [20 * 3600, 24 * 3600 + 60, 44 * 3600 - 10]) {
    await app.moveClock(seconds)
    const twice = await deliverOne()
    assert.ok(verifies(third, twice))
    assert.ok(verifies(second, twice, 'x-service-signature-previous') && verifiesStandard(second, twice))
    assert.ok(!verifies(first, twice, 'x-service-signature-previous') && !verifiesStandard(first, twice))
  }
  await app.moveClock(44 * 3600 + 1)
  const alone = await deliverOne()
  assert.ok(verifies(third, alone))
  assert.equal(alone.headers['x-service-signature-previous'], undefined)
  assert.ok(!verifiesStandard(second, alone))
})

test('each attempt of an event is signed with the current secret, also when the secret was replaced twice since the event [T09]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response, _request, count) => response.writeHead(count < 5 ? 500 : 200).end())
  const person = await app.person()
  const { appId, secret: first } = await app.webhook(person, receiver.url)
  const rotate = async (): Promise<string> =>
    (await app.call('POST', `/developers/apps/${appId}/webhook/rotate`, { token: person.token })).body.data.secret
  await app.complete(person)
  // The sender runs for one attempt. A moved clock makes the next attempt due before the secret is replaced.
  const attempt = async (count: number): Promise<ReceivedRequest> => {
    if (count > 1) await app.makeDue()
    const sender = app.send()
    sender.wake()
    const received = await until(`attempt ${count} arrives`, () => receiver.requests[count - 1])
    await until('it is recorded', async () => (await app.attempts()).length === count)
    await sender.stop()
    return received
  }
  const secrets = [first]
  for (const [count, seconds, rotates, hasPrevious] of [
    [1, 0, false, false],
    [2, 30, true, true],
    [3, 330, false, true],
    [4, 4_000, true, true],
    // A day after the second replacement. The sender did not run in between.
    [5, 4_000 + 86_401, false, false],
  ] as const) {
    await app.moveClock(seconds)
    if (rotates) secrets.unshift(await rotate())
    const received = await attempt(count)
    const [current, previous, older] = secrets
    assert.ok(verifies(current!, received) && verifiesStandard(current!, received), `attempt ${count}`)
    assert.equal(received.headers['x-service-signature-previous'] !== undefined, hasPrevious, `attempt ${count}`)
    if (hasPrevious) assert.ok(verifies(previous!, received, 'x-service-signature-previous'), `attempt ${count}`)
    if (older !== undefined) assert.ok(!verifiesStandard(older, received), `attempt ${count}`)
  }
  assert.equal(new Set(receiver.requests.map(({ body }) => body)).size, 1)
  assert.equal((await app.deliveries())[0]!.status, 'delivered')
})

test('the timestamp comes from the database, also when the clock of the sender is ten minutes behind or ahead [W30]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  for (const [place, offBySeconds] of [-600, 600].entries()) {
    const sender = app.send({ clock: { now: () => Date.now() + offBySeconds * 1000 } })
    await app.complete(person)
    sender.wake()
    const received = await until('the webhook arrives', () => receiver.requests[place])
    assert.ok(Math.abs(Number(received.headers['x-service-timestamp']) - Date.now() / 1000) < 5)
    assert.equal(received.headers['webhook-timestamp'], received.headers['x-service-timestamp'])
    await until('it is recorded', () => allDelivered(app))
    await sender.stop()
  }
  await app.moveClock(600)
  await app.complete(person)
  app.send()
  const later = await until('the last webhook arrives', () => receiver.requests[2])
  assert.ok(Math.abs(Number(later.headers['x-service-timestamp']) - Date.now() / 1000 - 600) < 5)
})

test('removing or disabling a webhook, or deleting its app, cancels its pending deliveries; the attempts stay [W13]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response) => response.writeHead(500).end())
  const person = await app.person()
  const [removed, disabled, appless] = [
    await app.webhook(person, receiver.url),
    await app.webhook(person, receiver.url),
    await app.webhook(person, receiver.url),
  ]
  await app.complete(person)
  const sender = app.send()
  await until('each failed once', async () => (await app.attempts()).length === 3)
  await app.call('DELETE', `/developers/apps/${removed.appId}/webhook`, { token: person.token })
  // Deliveries of a removed webhook are cancelled at once, the others when they become due.
  const statuses = (await app.deliveries()).map(({ endpointId, status }) => [endpointId === removed.id, status])
  assert.deepEqual(
    statuses.filter(([isRemoved, status]) => isRemoved !== (status === 'cancelled')),
    [],
  )
  await app.owner.rows(sql`update webhook_endpoints set enabled = false where id = ${disabled.id}`)
  await app.call('DELETE', `/developers/apps/${appless.appId}`, { token: person.token })
  await app.makeDue()
  sender.wake()
  await until('all are cancelled', async () => (await app.deliveries()).every(({ status }) => status === 'cancelled'))
  await app.complete(person)
  sender.wake()
  await until('the later one is cancelled too', async () => {
    const rows = await app.deliveries()
    // A removed or disabled webhook gets no new delivery. The delivery of a deleted app is cancelled when it becomes due.
    return rows.length === 4 && rows.every(({ status }) => status === 'cancelled')
  })
  assert.equal(receiver.requests.length, 3)
  assert.equal((await app.attempts()).length, 3)
})

test('two apps of one owner each receive the event with their own secret; other environments and owners do not [W29, W32]', async (t) => {
  const app = await startWebhookApi(t)
  const [here, there, live, foreign] = [await app.receiver(), await app.receiver(), await app.receiver(), await app.receiver()]
  const [person, stranger] = [await app.person(), await app.person()]
  const one = await app.webhook(person, here.url)
  const two = await app.webhook(person, there.url)
  await app.webhook(person, live.url, 'live')
  await app.webhook(stranger, foreign.url)
  await app.complete(person, 2)
  const sender = app.send()
  await until('all are delivered', async () => (await app.deliveries()).length === 4 && (await allDelivered(app)))
  assert.deepEqual(
    [here, there, live, foreign].map(({ requests }) => requests.length),
    [2, 2, 0, 0],
  )
  for (const received of here.requests) assert.ok(verifies(one.secret, received) && !verifies(two.secret, received))
  for (const received of there.requests) assert.ok(verifies(two.secret, received) && !verifies(one.secret, received))
  assert.deepEqual(here.requests.map(idOf).toSorted(), there.requests.map(idOf).toSorted())

  const [liveEvent] = await app.complete(person, 1, 'live')
  sender.wake()
  await until('the live one is delivered', async () => (await app.deliveries()).length === 5 && (await allDelivered(app)))
  assert.deepEqual(live.requests.map(idOf), [toWire('evt', liveEvent!)])
  assert.deepEqual(
    [here, there, foreign].map(({ requests }) => requests.length),
    [2, 2, 0],
  )
})

test('a host name that resolves to an internal address at sending time is blocked [W15, W17]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  app.names.set('shop.example', ['127.0.0.1'])
  await app.webhook(person, `http://shop.example:${receiver.port}/hook`)
  app.names.set('shop.example', ['127.0.0.1', '10.0.0.1'])
  await app.complete(person)
  app.send()
  await until('the attempt failed', async () => (await app.attempts())[0]?.errorCode === 'blocked_target')
  assert.equal(receiver.requests.length, 0)
})

test('our own faults use up no attempt: names that cannot be resolved, secrets that cannot be opened', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  app.names.set('shop.example', ['127.0.0.1'])
  const named = await app.webhook(person, `http://shop.example:${receiver.port}/named`)
  const locked = await app.webhook(person, `${receiver.url}/locked`)
  await app.webhook(person, `${receiver.url}/fine`)
  app.names.set('shop.example', Object.assign(new Error('servfail'), { code: 'ESERVFAIL' }))
  const [sealed] = await app.owner.rows<{ secretSealed: string }>(sql`
    select secret_sealed from webhook_endpoints where id = ${locked.id}`)
  await app.owner.rows(sql`update webhook_endpoints set secret_sealed = 'v1.gone.x.y' where id = ${locked.id}`)
  await app.complete(person)
  const sender = app.send()
  await until('two are postponed, one is delivered', async () => {
    const rows = await app.deliveries()
    return (
      rows.filter(({ postponements }) => postponements === 1).length === 2 && rows.some(({ status }) => status === 'delivered')
    )
  })
  for (const row of await app.deliveries()) {
    const isOurs = row.endpointId === named.id || row.endpointId === locked.id
    assert.deepEqual([row.attempts, row.status], isOurs ? [0, 'pending'] : [1, 'delivered'])
    if (isOurs) assert.ok(row.secondsLeft! > 7 && row.secondsLeft! <= 10, `${row.secondsLeft} s`)
  }
  assert.equal((await app.attempts()).length, 1)
  app.names.set('shop.example', ['127.0.0.1'])
  await app.owner.rows(sql`update webhook_endpoints set secret_sealed = ${sealed!.secretSealed} where id = ${locked.id}`)
  await app.makeDue()
  sender.wake()
  await until('all are delivered', () => allDelivered(app))
  assert.deepEqual(
    (await app.attempts()).map(({ attempt }) => attempt),
    [1, 1, 1],
  )
})

test('a delivery that can never be sent is given up after a day of faults for each of its five attempts; the others are sent [W23]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const [person, victim] = [await app.person(), await app.person()]
  const { appId } = await app.webhook(victim, `${receiver.url}/victim`)
  await app.webhook(person, `${receiver.url}/fine`)
  const [poisoned] = await app.complete(victim)
  // An event without a body.
  await app.owner.rows(sql`update events set created_at = 'infinity' where id = ${poisoned!}`)
  await app.complete(person, 20)
  const sender = app.send()
  const poison = async () => (await app.deliveries()).find(({ eventId }) => eventId === poisoned)!
  await until('the others arrive', () => receiver.requests.length === 20)
  await until('the poisoned one is postponed', async () => (await poison()).postponements === 1)
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    await app.owner.rows(sql`update webhook_deliveries set postponements = 300 where event_id = ${poisoned!}`)
    await app.makeDue()
    sender.wake()
    await until(`attempt ${attempt} is used up`, async () => (await poison()).attempts === attempt)
  }
  assert.equal((await poison()).status, 'exhausted')
  const { body } = await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token: victim.token })
  assert.deepEqual(
    body.data.map(({ attempt, error }: { attempt: number; error: { code: string } }) => [attempt, error.code]),
    [5, 4, 3, 2, 1].map((attempt) => [attempt, 'local_failure']),
  )
  assert.equal(receiver.requests.length, 20)
})

test('a delivery whose outcome cannot be recorded is not sent without end, and other outcomes are recorded [W23]', async (t) => {
  const app = await startWebhookApi(t)
  let status = 500
  const failing = await app.receiver((response) => response.writeHead(status).end('sorry'))
  const receiver = await app.receiver()
  const [person, victim] = [await app.person(), await app.person()]
  await app.webhook(victim, failing.url)
  await app.webhook(person, receiver.url)
  const [unwritable, accepted] = await app.complete(victim, 2)
  await app.owner.script(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create trigger refuse before insert on webhook_attempts for each row
      when (new.event_id in ('${unwritable!}', '${accepted!}')) execute function refuse()`)
  await app.complete(person, 20)
  const rowOf = async (eventId: string) => (await app.deliveries()).find((row) => row.eventId === eventId)!
  const sender = app.send()
  await until('the others are recorded', async () => (await app.attempts()).length === 20)
  await until('it is postponed', async () => (await rowOf(unwritable!)).postponements === 1)
  await until('the other is postponed too', async () => (await rowOf(accepted!)).postponements === 1)
  const { secondsLeft, leasedBy } = await rowOf(unwritable!)
  assert.ok(leasedBy === null && secondsLeft! > 7 && secondsLeft! <= 10, `${secondsLeft} s`)

  // The delivery is given up after a day of these faults. If the receiver accepts it in the end, it is delivered, even when the attempt is not
  // recorded.
  await app.owner.rows(sql`update webhook_deliveries set postponements = 300 where event_id = ${unwritable!}`)
  await app.owner.rows(
    sql`update webhook_deliveries set next_attempt_at = clock_now() - interval '1 second' where event_id = ${unwritable!}`,
  )
  sender.wake()
  await until('it is given up', async () => (await rowOf(unwritable!)).status === 'cancelled')
  status = 200
  await app.makeDue()
  sender.wake()
  await until('the other is delivered', async () => (await rowOf(accepted!)).status === 'delivered')
  assert.deepEqual([failing.requests.length, receiver.requests.length, (await app.attempts()).length], [4, 20, 20])
})

/** A database that can be switched off for the sender alone. */
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

test('a database outage between the answer and the record costs no attempt and no second send', async (t) => {
  const app = await startWebhookApi(t)
  const database = interruptible(app.db)
  const receiver = await app.receiver((response) => {
    database.isAway = true
    response.end()
  })
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send({ db: database.db })
  await until('the webhook arrives', () => receiver.requests.length === 1)
  sender.wake()
  await until('a poll failed', () => app.logLines.some((line) => line.includes('job.failed')))
  database.isAway = false
  await until('it is recorded', () => allDelivered(app))
  assert.equal(receiver.requests.length, 1)
  assert.equal((await app.attempts()).length, 1)
})

test('an outcome that arrives after the lease was lost is refused, and the event is sent again with the same id [W20]', async (t) => {
  const app = await startWebhookApi(t)
  let answerFirst = () => {}
  const receiver = await app.receiver((response, _request, count) => {
    if (count === 1) answerFirst = () => response.end()
    else response.end()
  })
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  const [slow, next] = [app.send(), app.send()]
  await until('the first send is in flight', () => receiver.requests.length === 1)
  const [held] = await app.deliveries()
  assert.ok(held!.leasedBy !== null && held!.leaseSecondsLeft! > app.config.webhooks.deadlineMs / 1000)
  // The lease expires, as for a sender that was stopped.
  await app.owner.rows(sql`update webhook_deliveries set lease_until = clock_now() - interval '1 second'`)
  next.wake()
  await until('the second sender delivered it', () => allDelivered(app))
  answerFirst()
  await until('the first sender logs the lost lease', () => app.logLines.some((line) => line.includes('webhook.lease_lost')))
  await slow.stop()
  assert.equal(receiver.requests.length, 2)
  assert.equal(idOf(receiver.requests[0]!), idOf(receiver.requests[1]!))
  assert.deepEqual(
    (await app.attempts()).map(({ attempt, outcome }) => [attempt, outcome]),
    [[1, 'succeeded']],
  )
})

test('a receiver that hangs, with a backlog, delays no other receiver [W24]', async (t) => {
  const app = await startWebhookApi(t, { settings: { WEBHOOK_DEADLINE_MS: '60000' } })
  const lanes = { ...app.config.webhooks.lanes, test: { concurrency: 16, perOwnerConcurrency: 16 } }
  const config = { webhooks: { ...app.config.webhooks, lanes, perEndpointConcurrency: 3 } }
  const [hanging, quick] = [await app.receiver(() => undefined), await app.receiver()]
  const [victim, other] = [await app.person(), await app.person()]
  await app.webhook(victim, hanging.url)
  await app.webhook(other, quick.url)
  await app.complete(victim, 300)
  const sender = app.send({ config })
  await until('the hanging receiver has all slots that it may have', () => hanging.requests.length === 3)
  const startedAt = Date.now()
  await app.complete(other, 200)
  sender.wake()
  await until('the others are delivered', () => quick.requests.length === 200)
  assert.ok(Date.now() - startedAt < 5_000)
  assert.equal(hanging.requests.length, 3)
  // The rest of the backlog was not touched.
  const rows = await app.deliveries()
  assert.equal(rows.filter(({ leasedBy, status }) => status === 'pending' && leasedBy === null).length, 297)
})

/** A database that records no outcome of an attempt until `release` is called. */
function heldRecords(db: Db): { db: Db; release(): void } {
  const gate = Promise.withResolvers<void>()
  const rows: Db['rows'] = async (query) => {
    if (query.strings[0]!.includes('with given')) await gate.promise
    return db.rows(query)
  }
  return { db: { ...db, rows }, release: gate.resolve }
}

test('an outcome that waits to be recorded delays no other webhook of the same receiver', async (t) => {
  const app = await startWebhookApi(t)
  const config = { webhooks: { ...app.config.webhooks, perEndpointConcurrency: 1 } }
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person, 3)
  const records = heldRecords(app.db)
  app.send({ config, db: records.db })
  await until('all have arrived', () => receiver.requests.length === 3)
  assert.deepEqual(await app.attempts(), [])
  records.release()
  await until('all are recorded', () => allDelivered(app))
  assert.equal((await app.attempts()).length, 3)
  assert.equal(receiver.requests.length, 3)
})

test('too many unrecorded outcomes stop the sending', async (t) => {
  const app = await startWebhookApi(t)
  const lanes = { ...app.config.webhooks.lanes, test: { concurrency: 4, perOwnerConcurrency: 4 } }
  const config = { webhooks: { ...app.config.webhooks, lanes } }
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person, 30)
  const records = heldRecords(app.db)
  const sender = app.send({ config, db: records.db })
  await until('the allowed number has arrived', () => receiver.requests.length === 8)
  sender.wake()
  await sleep(100)
  assert.equal(receiver.requests.length, 8)
  records.release()
  await until('all are delivered', () => allDelivered(app))
  assert.equal(receiver.requests.length, 30)
})

test('the sender recovers from a lost wake-up within five seconds [W34]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  app.send()
  await app.complete(person)
  await until('it arrives without a wake-up', () => receiver.requests.length === 1, 5_000)
})

test('stopping waits for deliveries in flight and releases those that were not sent [W31]', async (t) => {
  const app = await startWebhookApi(t)
  let answer = () => {}
  const receiver = await app.receiver((response) => (answer = () => response.end()))
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('it is in flight', () => receiver.requests.length === 1)
  const stopped = sender.stop()
  await app.complete(person)
  sender.wake()
  answer()
  await stopped
  const rows = await app.deliveries()
  assert.deepEqual(
    rows.map(({ status, leasedBy }) => [status, leasedBy]),
    [
      ['delivered', null],
      ['pending', null],
    ],
  )
  assert.equal(receiver.requests.length, 1)

  // Deliveries that were claimed but not sent when the stop came are due at once for the next sender.
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const claimed = { isSo: false }
  const slowDb = {
    ...app.db,
    rows: async (query) => {
      const rows = await app.db.rows(query)
      if (rows.length > 0 && !claimed.isSo) {
        claimed.isSo = true
        await gate
      }
      return rows
    },
  } as Db
  const late = app.send({ db: slowDb })
  await until('it is claimed', () => claimed.isSo)
  const lateStopped = late.stop()
  release()
  await lateStopped
  const [, given] = await app.deliveries()
  assert.deepEqual([given!.status, given!.leasedBy, given!.attempts], ['pending', null, 0])
  assert.ok(given!.secondsLeft! <= 0)
  assert.equal(receiver.requests.length, 1)
})

test('a receiver that never answers does not keep the sender from stopping [W31]', async (t) => {
  const app = await startWebhookApi(t, { settings: { WEBHOOK_DEADLINE_MS: '400' } })
  const receiver = await app.receiver(() => undefined)
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('it is in flight', () => receiver.requests.length === 1)
  const startedAt = Date.now()
  await sender.stop()
  assert.ok(Date.now() - startedAt < 2_000)
  assert.deepEqual(
    (await app.attempts()).map(({ errorCode }) => errorCode),
    ['timeout'],
  )
})

test('a stop with a short time limit leaves deliveries in flight to their lease, and counts no failure of the receiver [W31]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver(() => undefined)
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('it is in flight', () => receiver.requests.length === 1)
  await sender.stop(50)
  await app.egress.close()
  const [row] = await app.deliveries()
  assert.deepEqual([row!.status, row!.attempts, row!.leasedBy === null], ['pending', 0, false])
  assert.deepEqual(await app.attempts(), [])
})

test('an event is recorded once for a payment, and its deliveries carry its home', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  await app.webhook(person, 'http://127.0.0.1:4000/hook')
  const [eventId] = await app.complete(person)
  const [delivery] = await app.deliveries()
  assert.equal(delivery!.eventId, eventId)
  assert.equal(delivery!.id.slice(0, 24), eventId!.slice(0, 24))
  assert.notEqual(delivery!.id, eventId)
  const second = app.owner.rows(sql`
    insert into events (home, id, type, merchant_id, environment, payment_id, data)
    select home, gen_random_uuid(), type, merchant_id, environment, payment_id, data from events`)
  await assert.rejects(second, { constraint: 'events_one_per_payment' })
  const rewriting = app.db.rows(sql`update events set data = '{}'`)
  await assert.rejects(rewriting, /permission denied/)
})

test('a claim reads no more rows when thousands of endpoints are dead and wait for a later attempt', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  await app.webhook(person, (await app.receiver()).url)
  await app.complete(person)
  // Two thousand chains to as many endpoints that failed before and now wait for hours.
  await app.owner.script(`
    set session_replication_role = replica;
    insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, next_attempt_at, attempts)
    select d.home, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), d.app_id, now() + interval '2 hours', 2
    from webhook_deliveries d, generate_series(1, 2000);
    set session_replication_role = origin;
    analyze webhook_deliveries`)
  const claim = {
    leasedBy: randomUUID(),
    leaseSeconds: 60,
    environment: 'test',
    limit: 192,
    perEndpoint: 10,
    perOwner: 64,
    inFlight: new Map(),
  } as const
  const read = await app.db.tx(async (tx) => {
    assert.equal((await claimDeliveries(tx, claim)).length, 1)
    const [row] = await tx.rows<{ read: number }>(
      sql`select idx_tup_fetch + seq_tup_read as read from pg_stat_xact_user_tables where relname = 'webhook_deliveries'`,
    )
    return row!.read
  })
  assert.ok(read < 100, `${read} rows`)
})

test('a claim takes deliveries of its environment only, and at most the share of one owner [A73]', async (t) => {
  const app = await startWebhookApi(t)
  const [person, other] = [await app.person(), await app.person()]
  for (let endpoint = 0; endpoint < 3; endpoint++) await app.webhook(person, 'http://127.0.0.1:4000/hook')
  await app.webhook(other, 'http://127.0.0.1:4000/hook', 'live')
  await app.complete(person, 5)
  await app.complete(other, 2, 'live')
  const claim = (environment: 'test' | 'live', sends = 0) =>
    app.db.tx(async (tx) => {
      const inFlight = new Map(sends > 0 ? [[randomUUID(), { sends, merchantId: person.userId }]] : [])
      const share = { environment, limit: 100, perEndpoint: 8, perOwner: 4, inFlight }
      return (await claimDeliveries(tx, { leasedBy: randomUUID(), leaseSeconds: 60, ...share })).map(
        ({ merchantId }) => merchantId,
      )
    })
  assert.deepEqual(await claim('live'), [other.userId, other.userId])
  assert.deepEqual(await claim('test', 3), [person.userId])
  assert.deepEqual(await claim('test', 4), [])
  assert.equal((await claim('test')).length, 4)
})
