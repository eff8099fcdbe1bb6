import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { createEventSweep } from './sweep-events.ts'
import { startWebhookApi, until, type WebhookApi } from '../../../test/fixtures/webhook.ts'

const nothing = (): void => undefined
const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

async function sweep(app: WebhookApi): Promise<string[]> {
  const warnings: string[] = []
  const log: Log = { ...silentLog, warn: (event, fields) => void warnings.push(`${event} ${JSON.stringify(fields)}`) }
  const round = createEventSweep({ db: app.db, clock: { now: () => Date.now() }, log })
  while (await round());
  return warnings
}

test('a missing chain is added once, under the same id [W25]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  const { appId } = await app.webhook(person, receiver.url)
  await app.complete(person, 3)
  // Saving the address of an enabled webhook does not restart its time.
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: person.token, body: { url: receiver.url } })
  const before = await app.deliveries()
  assert.deepEqual(await sweep(app), [])
  await app.owner.rows(sql`delete from webhook_deliveries where id = any(${before.slice(0, 4).map(({ id }) => id)}::uuid[])`)
  const warnings = (await Promise.all([sweep(app), sweep(app)])).flat()
  const ids = (rows: { id: string }[]): string[] => rows.map(({ id }) => id)
  assert.deepEqual(ids(await app.deliveries()), ids(before))
  const counts = warnings.map((line) => Number(/"count":(\d+)/.exec(line)![1]))
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    4,
  )
  assert.deepEqual(await sweep(app), [])
  app.send()
  await until('all arrive', async () => (await app.attempts()).length === 6)
  // A delivered event and a manual delivery leave nothing to add.
  assert.deepEqual(await sweep(app), [])
})

test('events of a day ago are checked, in a few statements [W25]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver()
  const person = await app.person()
  await app.webhook(person, receiver.url)
  await app.complete(person, 2)
  const nearlyADay = `interval '23 hours 59 minutes'`
  await app.owner.pool.query(`update webhook_endpoints set enabled_at = enabled_at - interval '1 day'`)
  await app.owner.pool.query(
    `update events set created_at = created_at - ${nearlyADay} where id = (select id from events order by id limit 1)`,
  )
  await app.owner.rows(sql`delete from webhook_deliveries`)
  assert.deepEqual(
    (await sweep(app)).map((line) => /"count":(\d+)/.exec(line)![1]),
    ['1', '1'],
  )
  const round = createEventSweep({ db: app.db, clock: { now: () => Date.now() }, log: silentLog })
  let rounds = 1
  while (await round()) rounds += 1
  assert.ok(rounds < 20, `${rounds} statements`)
})

test('nothing is added for a webhook that did not exist, was disabled or is removed [W25, W32]', async (t) => {
  const app = await startWebhookApi(t)
  const [person, stranger] = [await app.person(), await app.person()]
  const url = 'http://127.0.0.1:4000/hook'
  const [off, removed, ofDeletedApp, resaved] = [
    await app.webhook(person, url),
    await app.webhook(person, url),
    await app.webhook(person, url),
    await app.webhook(person, url),
  ]
  await app.webhook(person, url, 'live')
  await app.webhook(stranger, url)
  await app.owner.rows(sql`update webhook_endpoints set enabled = false where id = ${resaved.id}`)
  await app.complete(person)
  await app.webhook(person, url)
  await app.owner.rows(sql`delete from webhook_deliveries`)
  await app.owner.rows(sql`update webhook_endpoints set enabled = false where id = ${off.id}`)
  await app.call('DELETE', `/developers/apps/${removed.appId}/webhook`, { token: person.token })
  await app.owner.rows(sql`
    update apps set deleted_at = clock_now() where id = (select app_id from webhook_endpoints where id = ${ofDeletedApp.id})`)
  await app.call('POST', `/developers/apps/${resaved.appId}/webhook`, { token: person.token, body: { url } })
  assert.deepEqual(await sweep(app), [])
  assert.deepEqual(await app.deliveries(), [])
})

test('a manual delivery does not replace the chain, and a full round continues with the rest [W25]', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const { appId } = await app.webhook(person, 'http://127.0.0.1:4000/hook')
  await app.complete(person, 1100)
  const before = await app.deliveries()
  await app.owner.rows(sql`delete from webhook_deliveries`)
  const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }
  const replayed = await app.call('POST', `/developers/apps/${appId}/webhook/replay`, { token: person.token, body: range })
  assert.deepEqual(replayed.body, { data: { queued: 1100 } })
  assert.equal((await sweep(app)).length, 2)
  const chains = (await app.deliveries()).filter(({ trigger }) => trigger === 'automatic')
  assert.deepEqual(
    chains.map(({ id }) => id),
    before.map(({ id }) => id),
  )
})
