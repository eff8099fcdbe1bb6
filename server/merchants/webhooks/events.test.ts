import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import { homeOfMerchant, newId, toWire } from '../../platform/ids.ts'
import { startWebhookApi, until, type WebhookApi } from '../../../test/fixtures/webhook.ts'

const idsOf = (events: { id: string }[]): string[] => events.map(({ id }) => id)

test('only a key with the scope can read events', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const anonymous = await app.call('GET', '/v1/events')
  assert.deepEqual([anonymous.status, anonymous.body.error.code], [401, 'authentication_required'])
  const other = await app.key(person, 'test', ['balance:read'])
  const refused = await app.call('GET', '/v1/events', { key: other })
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_scope'])
  const dashboard = await app.call('GET', '/v1/merchant/events')
  assert.deepEqual([dashboard.status, dashboard.body.error.code], [401, 'authentication_required'])
  const key = await app.key(person)
  assert.deepEqual((await app.call('GET', '/v1/events', { key })).body, { data: [], has_more: false, next_cursor: null })
  assert.equal((await app.call('GET', '/v1/events?nonsense=1', { key })).status, 400)
})

test('a listed event has the same fields as its webhook', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person)
  app.send()
  const received = await until('the webhook arrives', () => receiver.requests[0])
  const { body } = await app.call('GET', '/v1/events', { key: await app.key(person) })
  assert.equal(JSON.stringify(body.data[0]), received.body)
})

/** Reads all pages of a list. */
async function allPages(app: WebhookApi, url: string, credentials: { key?: string; token?: string }): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ;) {
    const { status, body } = await app.call('GET', `${url}limit=2${cursor}`, credentials)
    assert.equal(status, 200, JSON.stringify(body))
    ids.push(...idsOf(body.data))
    if (!body.has_more) return ids
    cursor = `&cursor=${body.next_cursor}`
  }
}

test('events are listed newest first, with pages and a time range, for thirty days, one owner and one environment', async (t) => {
  const app = await startWebhookApi(t)
  const [person, stranger] = [await app.person(), await app.person()]
  await app.owner.rows(sql`update merchants set verification_status = 'verified' where id = ${person.userId}`)
  const key = await app.key(person)
  await app.complete(stranger, 2)
  // Three events have the same time, so that their order depends on the id.
  const together = await app.complete(person, 3)
  const last = await app.complete(person)
  await app.complete(person, 1, 'live')
  const expected = [...last, ...together.toSorted().toReversed()].map((id) => toWire('evt', id))
  assert.deepEqual(await allPages(app, '/v1/events?', { key }), expected)
  assert.deepEqual(await allPages(app, '/v1/merchant/events?environment=test&', { token: person.token }), expected)
  const live = await app.call('GET', '/v1/merchant/events', { token: person.token })
  assert.equal(live.body.data.length, 1)
  assert.deepEqual(live.body.data, (await app.call('GET', '/v1/events', { key: await app.key(person, 'live') })).body.data)

  const { body } = await app.call('GET', '/v1/events', { key })
  const boundary = body.data[0].created_at
  assert.deepEqual(idsOf((await app.call('GET', `/v1/events?created_from=${boundary}`, { key })).body.data), expected.slice(0, 1))
  assert.deepEqual(idsOf((await app.call('GET', `/v1/events?created_to=${boundary}`, { key })).body.data), expected.slice(1))

  const { next_cursor: cursor } = (await app.call('GET', '/v1/events?limit=2', { key })).body
  const foreign = await app.call('GET', `/v1/events?cursor=${cursor}`, { key: await app.key(stranger) })
  assert.deepEqual([foreign.status, foreign.body.error.code], [400, 'cursor_invalid'])

  await app.owner.rows(sql`update events set created_at = created_at - interval '30 days' where id = ${last[0]!}`)
  assert.deepEqual(await allPages(app, '/v1/events?', { key }), expected.slice(1))
})

test('only the representative of a business can read its events', async (t) => {
  const app = await startWebhookApi(t)
  const [person, stranger] = [await app.person(), await app.person()]
  const id = newId()
  await app.owner.rows(sql`
    insert into merchants (id, home, kind, user_id, display_name, verification_status)
    values (${id}, ${homeOfMerchant(id)}, 'business', ${person.userId}, 'Duka', 'pending')`)
  const [eventId] = await app.complete({ ...person, userId: id, pageIds: new Map() })
  await app.complete(person)
  const url = `/v1/merchant/events?environment=test&business_id=${toWire('biz', id)}`
  assert.deepEqual(idsOf((await app.call('GET', url, { token: person.token })).body.data), [toWire('evt', eventId!)])
  const foreign = await app.call('GET', url, { token: stranger.token })
  assert.deepEqual([foreign.status, foreign.body.error.code], [404, 'not_found'])
})
