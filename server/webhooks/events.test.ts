import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../platform/db/db.ts'
import { homeOfMerchant, newId, toWire } from '../platform/ids.ts'
import { startWebhookApi, until, type WebhookApi } from './webhook-fixture.ts'

const idsOf = (events: { id: string }[]): string[] => events.map(({ id }) => id)

test('only a key with the scope can read events', async (t) => {
  const world = await startWebhookApi(t)
  const person = await world.person()
  const anonymous = await world.call('GET', '/v1/events')
  assert.deepEqual([anonymous.status, anonymous.body.error.code], [401, 'authentication_required'])
  const other = await world.key(person, 'test', ['balance:read'])
  const refused = await world.call('GET', '/v1/events', { key: other })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_scope'])
  const dashboard = await world.call('GET', '/v1/merchant/events')
  assert.deepEqual([dashboard.status, dashboard.body.error.code], [401, 'authentication_required'])
  const key = await world.key(person)
  assert.deepEqual((await world.call('GET', '/v1/events', { key })).body, { data: [], has_more: false, next_cursor: null })
  assert.equal((await world.call('GET', '/v1/events?nonsense=1', { key })).status, 400)
})

test('a listed event has the same fields as its webhook', async (t) => {
  const world = await startWebhookApi(t)
  const receiver = await world.receiver()
  const person = await world.person()
  await world.webhook(person, receiver.url)
  await world.complete(person)
  world.send()
  const received = await until('the webhook arrives', () => receiver.requests[0])
  const { body } = await world.call('GET', '/v1/events', { key: await world.key(person) })
  assert.equal(JSON.stringify(body.data[0]), received.body)
})

/** Reads all pages of a list. */
async function allPages(world: WebhookApi, url: string, credentials: { key?: string; token?: string }): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ;) {
    const { status, body } = await world.call('GET', `${url}limit=2${cursor}`, credentials)
    assert.equal(status, 200, JSON.stringify(body))
    ids.push(...idsOf(body.data))
    if (!body.has_more) return ids
    cursor = `&cursor=${body.next_cursor}`
  }
}

test('events are listed newest first, with pages and a time range, for thirty days, one owner and one environment', async (t) => {
  const world = await startWebhookApi(t)
  const [person, stranger] = [await world.person(), await world.person()]
  await world.owner.rows(sql`update merchants set verification_status = 'verified' where id = ${person.userId}`)
  const key = await world.key(person)
  await world.complete(stranger, 2)
  // Three events have the same time, so that their order depends on the id.
  const together = await world.complete(person, 3)
  const last = await world.complete(person)
  await world.complete(person, 1, 'live')
  const expected = [...last, ...together.toSorted().toReversed()].map((id) => toWire('evt', id))
  assert.deepEqual(await allPages(world, '/v1/events?', { key }), expected)
  assert.deepEqual(await allPages(world, '/v1/merchant/events?environment=test&', { token: person.token }), expected)
  const live = await world.call('GET', '/v1/merchant/events', { token: person.token })
  assert.equal(live.body.data.length, 1)
  assert.deepEqual(live.body.data, (await world.call('GET', '/v1/events', { key: await world.key(person, 'live') })).body.data)

  const { body } = await world.call('GET', '/v1/events', { key })
  const boundary = body.data[0].created_at
  assert.deepEqual(
    idsOf((await world.call('GET', `/v1/events?created_from=${boundary}`, { key })).body.data),
    expected.slice(0, 1),
  )
  assert.deepEqual(idsOf((await world.call('GET', `/v1/events?created_to=${boundary}`, { key })).body.data), expected.slice(1))

  const { next_cursor: cursor } = (await world.call('GET', '/v1/events?limit=2', { key })).body
  const foreign = await world.call('GET', `/v1/events?cursor=${cursor}`, { key: await world.key(stranger) })
  assert.deepEqual([foreign.status, foreign.body.error.code], [400, 'cursor_invalid'])

  await world.owner.rows(sql`update events set created_at = created_at - interval '30 days' where id = ${last[0]!}`)
  assert.deepEqual(await allPages(world, '/v1/events?', { key }), expected.slice(1))
})

test('only the representative of a business can read its events', async (t) => {
  const world = await startWebhookApi(t)
  const [person, stranger] = [await world.person(), await world.person()]
  const id = newId()
  await world.owner.rows(sql`
    insert into merchants (id, home, kind, user_id, display_name, verification_status)
    values (${id}, ${homeOfMerchant(id)}, 'business', ${person.userId}, 'Duka', 'pending')`)
  const [eventId] = await world.complete({ ...person, userId: id, pageIds: new Map() })
  await world.complete(person)
  const url = `/v1/merchant/events?environment=test&business_id=${toWire('biz', id)}`
  assert.deepEqual(idsOf((await world.call('GET', url, { token: person.token })).body.data), [toWire('evt', eventId!)])
  const foreign = await world.call('GET', url, { token: stranger.token })
  assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'not_found'])
})
