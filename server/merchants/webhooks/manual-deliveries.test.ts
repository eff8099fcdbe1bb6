import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { verify as verifyBooks } from '../../assurance/invariants/verify.ts'
import { sql } from '../../platform/db/db.ts'
import { homeOfMerchant, newMoneyId, toWire } from '../../platform/ids.ts'
import { claimDeliveries, releaseDeliveries } from './delivery.sql.ts'
import {
  startWebhookApi,
  until,
  type Answer,
  type DeliveryRow,
  type Person,
  type WebhookApi,
} from '../../../test/fixtures/webhook.ts'

type ListedAttempt = { id: string; event_id: string; trigger: string; attempt: number; max_attempts: number; outcome: string }

async function listed(app: WebhookApi, person: Person, appId: string, query = ''): Promise<ListedAttempt[]> {
  const { status, body } = await app.call('GET', `/developers/apps/${appId}/webhook/deliveries${query}`, {
    token: person.token,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

function resend(app: WebhookApi, person: Person, appId: string, id: string, body?: unknown): Promise<Answer> {
  return app.call('POST', `/developers/apps/${appId}/webhook/deliveries/${id}/resend`, { token: person.token, body })
}

function replay(app: WebhookApi, person: Person, appId: string, body: unknown): Promise<Answer> {
  return app.call('POST', `/developers/apps/${appId}/webhook/replay`, { token: person.token, body })
}

const ofTrigger = (rows: DeliveryRow[], trigger: string): DeliveryRow[] => rows.filter((row) => row.trigger === trigger)

async function verify(app: WebhookApi): Promise<void> {
  assert.deepEqual(await verifyBooks(app.owner, { since: null }, ['I10', 'homes']), [])
}

/** A time range around all events of a test. */
function around(): { from: string; to: string } {
  return { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }
}

test('an attempt is sent again to the current address of the webhook, and the automatic chain does not change', async (t) => {
  const app = await startWebhookApi(t)
  const [first, second] = [await app.receiver((response) => response.writeHead(500).end()), await app.receiver()]
  const person = await app.person()
  const { appId } = await app.webhook(person, first.url)
  const [eventId] = await app.complete(person)
  const sender = app.send()
  await until('the first attempt failed', async () => (await app.attempts()).length === 1)
  const [chain] = await app.deliveries()
  const [attempt] = await listed(app, person, appId)
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: person.token, body: { url: second.url } })

  const answer = await resend(app, person, appId, attempt!.id)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const queued = answer.body.data
  assert.deepEqual(
    { ...queued, id: '', queued_at: '' },
    {
      id: '',
      app_id: appId,
      event_id: toWire('evt', eventId!),
      event_type: 'payment.completed',
      url: second.url,
      trigger: 'manual',
      queued_at: '',
    },
  )
  sender.wake()
  await until('it arrives', () => second.requests.length === 1)
  assert.equal(second.requests[0]!.body, first.requests[0]!.body)
  assert.equal(first.requests.length, 1)
  const [newest] = await until('it is recorded', async () => {
    const attempts = await listed(app, person, appId)
    return attempts.length === 2 && attempts
  })
  assert.equal(newest!.id, queued.id)
  assert.deepEqual([newest!.trigger, newest!.attempt, newest!.max_attempts, newest!.outcome], ['manual', 1, 1, 'succeeded'])
  const [same] = ofTrigger(await app.deliveries(), 'automatic')
  assert.deepEqual([same!.status, same!.attempts], [chain!.status, chain!.attempts])
  assert.ok(Math.abs(same!.secondsLeft! - chain!.secondsLeft!) < 10)
  assert.equal((await listed(app, person, appId, `?event_id=${queued.event_id}`)).length, 2)
  await verify(app)
})

test('a manual delivery is attempted once, whatever its outcome, and can be requested again', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response) => response.writeHead(503, { 'retry-after': '1' }).end())
  const person = await app.person()
  const { appId } = await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('the first attempt failed', async () => (await app.attempts()).length === 1)
  const [attempt] = await listed(app, person, appId)
  for (let count = 1; count <= 2; count += 1) {
    assert.equal((await resend(app, person, appId, attempt!.id)).status, 200)
    sender.wake()
    await until('it is recorded', async () => (await app.attempts()).length === 1 + count)
  }
  const manual = ofTrigger(await app.deliveries(), 'manual')
  assert.deepEqual(
    manual.map(({ status, attempts, secondsLeft }) => [status, attempts, secondsLeft]),
    [
      ['exhausted', 1, null],
      ['exhausted', 1, null],
    ],
  )
  assert.deepEqual(
    ofTrigger(await app.deliveries(), 'automatic').map(({ attempts }) => attempts),
    [1],
  )
  await verify(app)
})

test('an event can be resent by its id: a key resends to its own app, an owner to all their webhooks', async (t) => {
  const app = await startWebhookApi(t)
  const [first, second] = [await app.receiver(), await app.receiver()]
  const [person, stranger] = [await app.person(), await app.person()]
  const [eventId] = await app.complete(person)
  const [foreign] = await app.complete(stranger)
  const [ofLive] = await app.complete(person, 1, 'live')
  const event = toWire('evt', eventId!)
  const [one, two] = [await app.webhook(person, first.url), await app.webhook(person, second.url)]
  await app.webhook(person, second.url, 'live')
  const key = await app.key(person, 'test', undefined, one.appId)
  const send = (id: string, credentials: { key?: string; token?: string }, body?: unknown): Promise<Answer> =>
    'key' in credentials
      ? app.call('POST', `/v1/events/${id}/resend`, { ...credentials, body })
      : app.call('POST', `/v1/merchant/events/${id}/resend?environment=test`, { ...credentials, body })

  const byKey = await send(event, { key })
  assert.equal(byKey.status, 200, JSON.stringify(byKey.body))
  assert.deepEqual(
    byKey.body.data.deliveries.map(({ app_id, url, event_id }: Record<string, string>) => [app_id, url, event_id]),
    [[one.appId, first.url, event]],
  )
  const byOwner = await send(event, { token: person.token })
  assert.deepEqual(
    byOwner.body.data.deliveries.map(({ app_id }: { app_id: string }) => app_id),
    [one.appId, two.appId],
  )
  // The first delivery still waits, so it is not sent twice.
  assert.equal(byOwner.body.data.deliveries[0].id, byKey.body.data.deliveries[0].id)
  app.send()
  await until('both arrive', () => first.requests.length + second.requests.length === 2)
  assert.equal((JSON.parse(second.requests[0]!.body) as { id: string }).id, event)

  for (const id of [
    toWire('evt', foreign!),
    toWire('evt', ofLive!),
    toWire('evt', newMoneyId(homeOfMerchant(person.userId))),
    'evt_nonsense',
    one.appId,
  ]) {
    for (const credentials of [{ key }, { token: person.token }]) {
      const { status, body } = await send(id, credentials, { nonsense: true })
      assert.deepEqual([status, body.error.code], [404, 'not_found'], id)
    }
  }
  assert.equal((await send(event, { key }, { nonsense: true })).status, 400)
  const withoutScope = await send(event, { key: await app.key(person, 'test', ['balance:read']) })
  assert.deepEqual([withoutScope.status, withoutScope.body.error.code], [403, 'insufficient_scope'])
  // Another app, without a webhook.
  const none = await send(event, { key: await app.key(person) })
  assert.deepEqual([none.status, none.body.error.code], [409, 'invalid_state'])
  await verify(app)
})

test('a deleted app and a disabled webhook receive nothing, also when their owner resends to all webhooks', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const [gone, off, stays] = await Promise.all(
    ['a', 'b', 'c'].map((path) => app.webhook(person, `http://127.0.0.1:4000/${path}`)),
  )
  await app.owner.rows(sql`update webhook_endpoints set enabled = false where id = ${off!.id}`)
  const [eventId] = await app.complete(person)
  const ask = () =>
    app.call('POST', `/v1/merchant/events/${toWire('evt', eventId!)}/resend?environment=test`, { token: person.token })
  assert.equal((await app.call('DELETE', `/developers/apps/${gone!.appId}`, { token: person.token })).status, 200)
  const { status, body } = await ask()
  assert.equal(status, 200)
  assert.deepEqual(
    body.data.deliveries.map(({ app_id }: { app_id: string }) => app_id),
    [stays!.appId],
  )
  assert.equal((await app.call('DELETE', `/developers/apps/${stays!.appId}`, { token: person.token })).status, 200)
  const refused = await ask()
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'invalid_state'])
})

test('a fault of our own does not use up a manual delivery', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  app.names.set('shop.example', ['127.0.0.1'])
  const person = await app.person()
  const { appId } = await app.webhook(person, `http://shop.example:${receiver.port}/hook`)
  await app.complete(person)
  const sender = app.send()
  await until('it is delivered', async () => (await app.attempts()).length === 1)
  const [attempt] = await listed(app, person, appId)
  app.names.set('shop.example', Object.assign(new Error('servfail'), { code: 'ESERVFAIL' }))
  assert.equal((await resend(app, person, appId, attempt!.id)).status, 200)
  sender.wake()
  await until('it is postponed', async () => ofTrigger(await app.deliveries(), 'manual')[0]!.postponements === 1)
  assert.equal(ofTrigger(await app.deliveries(), 'manual')[0]!.attempts, 0)
  app.names.set('shop.example', ['127.0.0.1'])
  await app.makeDue()
  sender.wake()
  await until('it arrives', () => receiver.requests.length === 2)
})

test('ten resend requests before the first send cause one delivery', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  const { appId } = await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('it is delivered', async () => (await app.attempts()).length === 1)
  await sender.stop()
  const [attempt] = await listed(app, person, appId)
  const answers = await Promise.all(Array.from({ length: 10 }, () => resend(app, person, appId, attempt!.id)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
  assert.equal(ofTrigger(await app.deliveries(), 'manual').length, 1)
})

test('a resend of a delivery in flight does not run at the same time', async (t) => {
  const app = await startWebhookApi(t)
  const answers: (() => void)[] = []
  const receiver = await app.receiver((response) => void answers.push(() => response.end()))
  const person = await app.person()
  const [eventId] = await app.complete(person)
  await app.webhook(person, receiver.url)
  const ask = () =>
    app.call('POST', `/v1/merchant/events/${toWire('evt', eventId!)}/resend?environment=test`, { token: person.token })
  const first = await ask()
  app.send()
  await until('it is in flight', () => answers.length === 1)
  const [before] = await app.deliveries()
  const second = await ask()
  assert.equal(second.body.data.deliveries[0].id, first.body.data.deliveries[0].id)
  const [after] = await app.deliveries()
  assert.ok(
    before!.leasedBy !== null && after!.leasedBy === before!.leasedBy && after!.leaseSecondsLeft! > 5,
    String(after!.leaseSecondsLeft),
  )
  answers[0]!()
  await until('it is delivered', async () => (await app.deliveries())[0]!.status === 'delivered')
  assert.deepEqual([receiver.requests.length, (await app.attempts()).length], [1, 1])
})

test('a manual delivery whose outcome cannot be recorded is not sent without end', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  const [eventId] = await app.complete(person)
  await app.webhook(person, receiver.url)
  await app.owner.script(`alter table webhook_attempts add constraint unstorable check (trigger <> 'manual')`)
  const url = `/v1/merchant/events/${toWire('evt', eventId!)}/resend?environment=test`
  assert.equal((await app.call('POST', url, { token: person.token })).status, 200)
  app.send()
  await until('it is cancelled', async () => (await app.deliveries())[0]!.status === 'cancelled')
  assert.equal(receiver.requests.length, 1)
})

test('an event older than thirty days cannot be resent, by an attempt or by its own id', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  const { appId } = await app.webhook(person, receiver.url)
  const [eventId] = await app.complete(person)
  app.send()
  await until('it is delivered', async () => (await app.attempts()).length === 1)
  const [attempt] = await listed(app, person, appId)
  const ask = async () => [
    (await resend(app, person, appId, attempt!.id)).status,
    (await app.call('POST', `/v1/merchant/events/${toWire('evt', eventId!)}/resend?environment=test`, { token: person.token }))
      .status,
  ]
  assert.deepEqual(await ask(), [200, 200])
  await app.owner.rows(sql`update webhook_attempts set attempted_at = attempted_at - interval '30 days'`)
  await app.owner.rows(sql`update events set created_at = created_at - interval '30 days'`)
  assert.deepEqual(await ask(), [404, 404])
})

test('an attempt of another app is 404; without an enabled webhook it is 409 [W29]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const [person, stranger] = [await app.person(), await app.person()]
  const [one, two] = [await app.webhook(person, receiver.url), await app.webhook(person, receiver.url)]
  const theirs = await app.webhook(stranger, receiver.url)
  await Promise.all([app.complete(person), app.complete(stranger)])
  app.send()
  await until('all are delivered', async () => (await app.attempts()).length === 3)
  const [attempt] = await listed(app, person, one.appId)
  const [foreign] = await listed(app, stranger, theirs.appId)
  const unknown = toWire('whd', newMoneyId(homeOfMerchant(person.userId)))
  for (const id of [foreign!.id, unknown, 'whd_nonsense', attempt!.event_id]) {
    // The 404 comes before the body is validated.
    const { status, body } = await resend(app, person, one.appId, id, { nonsense: true })
    assert.deepEqual([status, body.error.code], [404, 'not_found'], id)
  }
  assert.equal((await resend(app, person, two.appId, attempt!.id)).status, 404)
  assert.equal((await resend(app, stranger, one.appId, attempt!.id)).status, 404)
  assert.equal((await resend(app, person, one.appId, attempt!.id, { nonsense: true })).status, 400)

  await app.owner.rows(sql`update webhook_endpoints set enabled = false where id = ${one.id}`)
  for (const answer of [await resend(app, person, one.appId, attempt!.id), await replay(app, person, one.appId, around())]) {
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'invalid_state'])
  }
  await app.call('DELETE', `/developers/apps/${one.appId}/webhook`, { token: person.token })
  assert.equal((await resend(app, person, one.appId, attempt!.id)).status, 409)
  assert.equal((await replay(app, person, one.appId, around())).status, 409)
  assert.equal(ofTrigger(await app.deliveries(), 'manual').length, 0)
})

test('a replay sends each event of its time range again, oldest first, and none of another time, owner or environment', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const [person, stranger] = [await app.person(), await app.person()]
  const before = await app.complete(person)
  await app.owner.rows(sql`update events set created_at = created_at - interval '1 hour' where id = ${before[0]!}`)
  // Made before the webhook existed, so they were not sent.
  const events = await app.complete(person, 3)
  // The event with the greatest id is the oldest, so that the order depends on the time.
  for (const [index, id] of events.toSorted().entries()) {
    await app.owner.rows(sql`update events set created_at = created_at - ${index} * interval '1 second' where id = ${id}`)
  }
  await app.complete(stranger, 2)
  await app.complete(person, 1, 'live')
  const { appId } = await app.webhook(person, receiver.url)
  const answer = await replay(app, person, appId, around())
  assert.deepEqual([answer.status, answer.body], [200, { data: { queued: 3 } }])
  const again = await replay(app, person, appId, around())
  assert.deepEqual(again.body, { data: { queued: 0 } })
  const rows = ofTrigger(await app.deliveries(), 'manual')
  const inTurn = rows.toSorted((one, other) => one.secondsLeft! - other.secondsLeft!)
  assert.deepEqual(
    inTurn.map(({ eventId }) => eventId),
    events.toSorted().toReversed(),
  )
  const waits = inTurn.map(({ secondsLeft }) => secondsLeft!)
  assert.ok(Math.abs(waits[2]! - waits[0]! - 0.1) < 0.001, `${waits[0]} to ${waits[2]} s`)
  app.send()
  await until('all arrive', async () => (await app.attempts()).length === 3)
  assert.deepEqual(
    receiver.requests.map(({ body }) => (JSON.parse(body) as { id: string }).id).toSorted(),
    events.map((id) => toWire('evt', id)).toSorted(),
  )
  await verify(app)
  assert.deepEqual((await replay(app, person, appId, around())).body, { data: { queued: 3 } })
})

test('a replay of undelivered events leaves out events that were delivered automatically or by hand', async (t) => {
  const app = await startWebhookApi(t)
  let status = 200
  const receiver = await app.receiver((response) => response.writeHead(status).end())
  const person = await app.person()
  const { appId } = await app.webhook(person, receiver.url)
  const other = await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('both webhooks accepted it', async () => (await app.attempts()).length === 2)
  status = 500
  const [missed] = await app.complete(person)
  sender.wake()
  await until('neither accepted this one', async () => (await app.attempts()).length === 4)
  status = 200
  const since = (of: string, undelivered_only: boolean) =>
    app.call('POST', `/developers/apps/${of}/webhook/replay`, {
      token: person.token,
      body: { ...around(), undelivered_only },
    })
  assert.deepEqual((await since(appId, true)).body, { data: { queued: 1 } })
  await until('it arrives', async () => receiver.requests.length === 5)
  assert.equal(receiver.requests[4]!.headers['webhook-id'], toWire('evt', missed!))
  await until('the attempt is recorded', async () => (await app.attempts()).length === 5)
  assert.deepEqual((await since(appId, true)).body, { data: { queued: 0 } })
  assert.deepEqual((await since(other.appId, true)).body, { data: { queued: 1 } })
  assert.deepEqual((await since(appId, false)).body, { data: { queued: 2 } })
})

test('five simultaneous replays of one time range queue each event once', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const { appId } = await app.webhook(person, 'http://127.0.0.1:4000/hook')
  await app.complete(person, 50)
  const answers = await Promise.all(Array.from({ length: 5 }, () => replay(app, person, appId, around())))
  assert.equal(
    answers.reduce((sum, { body }) => sum + body.data.queued, 0),
    50,
  )
  assert.equal(ofTrigger(await app.deliveries(), 'manual').length, 50)
})

test('a resend brings forward a delivery that waits in a replay', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  const { appId } = await app.webhook(person, receiver.url)
  await app.complete(person)
  const sender = app.send()
  await until('it is delivered', async () => (await app.attempts()).length === 1)
  await sender.stop()
  const [attempt] = await listed(app, person, appId)
  await replay(app, person, appId, around())
  await app.owner.rows(
    sql`update webhook_deliveries set next_attempt_at = clock_now() + interval '1 hour' where trigger = 'manual'`,
  )
  assert.equal((await resend(app, person, appId, attempt!.id)).status, 200)
  const [row, ...more] = ofTrigger(await app.deliveries(), 'manual')
  assert.deepEqual([more.length, row!.secondsLeft! <= 0], [0, true])
})

test('a replay of an empty range, of one too long ago or of too many events queues nothing', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const { appId } = await app.webhook(person, 'http://127.0.0.1:4000/hook')
  await app.complete(person, 2)
  const { from, to } = around()
  const cases: [unknown, string][] = [
    [{ from: to, to: from }, 'to'],
    [{ from, to: from }, 'to'],
    [{ from: new Date(Date.now() - 31 * 86_400_000).toISOString(), to }, 'from'],
    [{ from: 'yesterday', to }, 'from'],
    [{ from }, 'to'],
    [{ from, to, all: true }, 'all'],
  ]
  for (const [body, field] of cases) {
    const answer = await replay(app, person, appId, body)
    assert.deepEqual([answer.status, answer.body.error.code, answer.body.error.param], [400, 'validation_error', field])
  }
  await app.complete(person, 9998)
  assert.deepEqual((await replay(app, person, appId, { from, to })).body, { data: { queued: 10_000 } })
  await app.complete(person)
  const tooMany = await replay(app, person, appId, { from, to })
  assert.deepEqual([tooMany.status, tooMany.body.error.param], [400, 'to'])
  assert.equal(ofTrigger(await app.deliveries(), 'manual').length, 10_000)
})

test('a manual and an automatic attempt of the same event are never in flight at the same time', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  await app.webhook(person, (await app.receiver()).url)
  await app.complete(person)
  await app.owner.rows(sql`
    insert into webhook_deliveries (home, id, event_id, endpoint_id, app_id, trigger, is_test, next_attempt_at)
    select home, gen_random_uuid(), event_id, endpoint_id, app_id, 'manual', is_test, clock_now() - interval '1 minute'
    from webhook_deliveries`)
  const share = { environment: 'test', limit: 10, perEndpoint: 10, perOwner: 10, inFlight: new Map() } as const
  const claim = () => claimDeliveries(app.db, { leasedBy: randomUUID(), leaseSeconds: 60, ...share })
  const triggers = (claimed: { trigger: string }[]): string[] => claimed.map(({ trigger }) => trigger)
  const chain = await claim()
  assert.deepEqual(triggers(chain), ['automatic'])
  assert.deepEqual(triggers(await claim()), [])
  await releaseDeliveries(app.db, chain)
  await app.owner.rows(
    sql`update webhook_deliveries set next_attempt_at = clock_now() + interval '1 hour' where trigger = 'automatic'`,
  )
  assert.deepEqual(triggers(await claim()), ['manual'])
  await app.owner.rows(sql`update webhook_deliveries set next_attempt_at = clock_now() where trigger = 'automatic'`)
  assert.deepEqual(triggers(await claim()), [])
})
