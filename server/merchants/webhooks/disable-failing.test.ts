import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openContent } from '../../base/mail/mail.ts'
import { sql } from '../../platform/db/db.ts'
import { homeOfMerchant, newMoneyId, toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { disableFailing } from './disable-failing.ts'
import { startWebhookApi, until, type Person, type WebhookApi } from '../../../test/fixtures/webhook.ts'

const nothing = (): void => undefined
const log: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

async function disable(app: WebhookApi): Promise<void> {
  await disableFailing({ db: app.db, sealer: app.sealer, log })
}

type Webhook = { appId: string; id: string }

async function stateOf(app: WebhookApi, person: Person, { appId }: Webhook): Promise<[boolean, string | null]> {
  const { body } = await app.call('GET', `/developers/apps/${appId}/webhook`, { token: person.token })
  return [body.data.enabled, body.data.disabled_reason]
}

type Past = { hoursAgo: number; status: number; trigger?: string; isEnd?: boolean }

/** An old webhook with recorded attempts. Each attempt ends its chain unless stated otherwise. */
async function webhookWithPast(app: WebhookApi, person: Person, past: Past[]): Promise<Webhook> {
  const webhook = await app.webhook(person, 'http://127.0.0.1:4000/hook')
  const home = homeOfMerchant(person.userId)
  await app.complete(person)
  await app.owner.rows(sql`
    update webhook_endpoints set enabled_at = clock_now() - interval '29 days' where id = ${webhook.id}`)
  await app.owner.rows(sql`
    insert into webhook_attempts (home, id, delivery_id, event_id, event_type, endpoint_id, app_id, url, attempt, trigger, outcome,
      response_status, error_code, duration_ms, attempted_at, next_attempt_at)
    select d.home, g.id, d.id, d.event_id, 'payment.completed', d.endpoint_id, d.app_id, 'http://127.0.0.1:4000/hook', 1, g.trigger,
      case when g.status < 300 then 'succeeded' else 'failed' end, g.status, case when g.status >= 300 then 'unexpected_status' end, 1,
      clock_now() - make_interval(secs => g.hours_ago * 3600), case when not g.is_end then clock_now() end
    from webhook_deliveries d
    cross join unnest(${past.map(() => newMoneyId(home))}::uuid[], ${past.map(({ status }) => status)}::integer[],
      ${past.map(({ hoursAgo }) => hoursAgo)}::double precision[], ${past.map(({ trigger = 'automatic' }) => trigger)}::text[],
      ${past.map(({ isEnd = true }) => isEnd)}::boolean[]) as g (id, status, hours_ago, trigger, is_end)
    where d.endpoint_id = ${webhook.id} and d.trigger = 'automatic'`)
  return webhook
}

/** This many failures, spread evenly from `hoursAgo` until now. */
function failures(count: number, hoursAgo: number): Past[] {
  return Array.from({ length: count }, (_, place) => ({ hoursAgo: hoursAgo * (1 - place / (count - 1)), status: 500 }))
}

test('410 is retried like any failure; three chains in a row that end in 410 disable a webhook and notify its owner [W08]', async (t) => {
  const app = await startWebhookApi(t)
  const receiver = await app.receiver((response) => response.writeHead(410).end())
  const person = await app.person()
  const webhook = await app.webhook(person, receiver.url)
  const sender = app.send()
  for (let count = 1; count <= 15; count += 1) {
    await disable(app)
    assert.deepEqual(await stateOf(app, person, webhook), [true, null], `after ${count - 1} attempts`)
    if (count % 5 === 1) await app.complete(person)
    else await app.makeDue()
    sender.wake()
    await until(`attempt ${count} is recorded`, async () => (await app.attempts()).length === count)
  }
  const chains = await app.deliveries()
  assert.deepEqual(
    chains.map(({ status, attempts }) => [status, attempts]),
    Array.from({ length: 3 }, () => ['exhausted', 5]),
  )
  // Two workers find it at the same time.
  await Promise.all([disable(app), disable(app)])
  assert.deepEqual(await stateOf(app, person, webhook), [false, 'endpoint_gone'])

  const [mail, ...more] = await app.owner.rows<{ id: string; kind: string; recipient: string; sealedContent: string }>(sql`
    select m.id, m.kind, m.recipient, m.sealed_content from mails m join users u on u.email = m.recipient
    where u.id = ${person.userId} and m.kind = 'webhook_disabled'`)
  assert.equal(more.length, 0)
  const { subject, text } = openContent(app.sealer, mail!.id, mail!.sealedContent)
  assert.match(subject, /^Webhook yako imezimwa · Your webhook was switched off$/)
  assert.match(text, /"Shop" imezimwa\. .*410.*\n\n---\n\n.*"Shop" was disabled\. .*410/s)
  const audit = await app.owner.rows<{ actor: string; after: unknown }>(sql`
    select actor, after from audit_log where action = 'webhook.disabled' and object = ${toWire('wh', webhook.id)}`)
  assert.deepEqual(audit, [{ actor: 'system', after: { enabled: false, disabled_reason: 'endpoint_gone' } }])

  // Nothing is enqueued for it while it is disabled.
  await app.complete(person)
  assert.equal((await app.deliveries()).length, 3)
  const saved = await app.call('POST', `/developers/apps/${webhook.appId}/webhook`, {
    token: person.token,
    body: { url: receiver.url },
  })
  assert.deepEqual([saved.status, saved.body.data.enabled, saved.body.data.disabled_reason], [200, true, null])
  // Failures before the webhook was enabled again do not count.
  await disable(app)
  assert.deepEqual(await stateOf(app, person, webhook), [true, null])
})

test('pending deliveries are not sent after a webhook is disabled [W13]', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const webhook = await webhookWithPast(
    app,
    person,
    [0.3, 0.2, 0.1].map((hoursAgo) => ({ hoursAgo, status: 410 })),
  )
  await disable(app)
  assert.deepEqual(await stateOf(app, person, webhook), [false, 'endpoint_gone'])
  app.send()
  await until('it is cancelled', async () => (await app.deliveries())[0]!.status === 'cancelled')
  assert.equal((await app.attempts()).length, 3)
})

test('chains that end in another way, and attempts that end no chain, break a series of 410 [W08]', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const pasts: Past[][] = [
    [410, 410, 500].map((status, place) => ({ hoursAgo: 0.5 - place / 10, status })),
    [410, 200, 410, 410].map((status, place) => ({ hoursAgo: 0.5 - place / 10, status })),
    [410, 410, 410].map((status, place) => ({ hoursAgo: 0.5 - place / 10, status, isEnd: place > 0 })),
    [410, 410, 410].map((status, place) => ({ hoursAgo: 0.5 - place / 10, status, trigger: place > 0 ? 'automatic' : 'manual' })),
  ]
  const webhooks: Webhook[] = []
  for (const past of pasts) webhooks.push(await webhookWithPast(app, person, past))
  await disable(app)
  for (const webhook of webhooks) assert.deepEqual(await stateOf(app, person, webhook), [true, null])
})

test('five days of failures without a success disable a webhook, and nothing less does', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const days = (count: number): number => count * 24
  const off = await webhookWithPast(app, person, failures(20, days(5.1)))
  const afterSuccess = await webhookWithPast(app, person, [{ hoursAgo: days(6), status: 200 }, ...failures(20, days(5.1))])
  const kept = [
    await webhookWithPast(app, person, failures(19, days(5.1))),
    await webhookWithPast(app, person, failures(40, days(4.9))),
    await webhookWithPast(app, person, [...failures(40, days(10)), { hoursAgo: days(1), status: 204 }]),
    await webhookWithPast(app, person, [...failures(40, days(10)), { hoursAgo: 1, status: 200, trigger: 'manual' }]),
    // The failures are long ago, with no attempts since.
    await webhookWithPast(
      app,
      person,
      failures(30, days(2)).map((one) => ({ ...one, hoursAgo: one.hoursAgo + days(6) })),
    ),
  ]
  const resaved = await webhookWithPast(app, person, failures(20, days(5.1)))
  await app.owner.rows(sql`update webhook_endpoints set enabled_at = clock_now() - interval '1 day' where id = ${resaved.id}`)
  await disable(app)
  for (const webhook of [off, afterSuccess]) assert.deepEqual(await stateOf(app, person, webhook), [false, 'endpoint_failing'])
  for (const [place, webhook] of [...kept, resaved].entries()) {
    assert.deepEqual(await stateOf(app, person, webhook), [true, null], `case ${place}`)
  }
})
