import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import { homeOfId, newMoneyId, toWire } from '../../platform/ids.ts'
import { paymentEventData } from '../../collect/payments/payment-event.sql.ts'
import { eventBody, type EventRow } from './event.ts'
import { startWebhookApi } from '../../../test/fixtures/webhook.ts'

const event: EventRow = {
  id: '019bf4a1-2c40-7a5c-8f3e-1b2c3d4e5f60',
  type: 'payment.completed',
  data: '{"reference":"pay_01kfta2720f9e9yfgv5gymwqv1","amount":2500}',
  createdAt: new Date('2026-01-25T09:30:00.007Z'),
}

test('the body of an event is an envelope around the stored bytes [W09]', () => {
  assert.equal(
    eventBody(event),
    '{"id":"evt_01kfta2b20f9e8yfgv5gymwqv0","type":"payment.completed","created_at":"2026-01-25T09:30:00.007Z",' +
      `"data":${event.data}}`,
  )
})

test('a failure, stored as its code, is sent in the form of every failure', () => {
  const data = '{"status":"failed","failure":{"code":"provider_error"},"metadata":{"note":"\\"failure\\":{\\"code\\":\\"x\\"}"}}'
  const sentAs = (type: EventRow['type']) => JSON.parse(eventBody({ ...event, type, data })).data
  const [payment, payout] = [sentAs('payment.failed'), sentAs('payout.failed')]
  for (const { failure, metadata } of [payment, payout]) {
    assert.deepEqual(Object.keys(failure), ['code', 'message', 'message_sw', 'retryable'])
    assert.equal(metadata.note, '"failure":{"code":"x"}')
  }
  assert.notEqual(payment.failure.message, payout.failure.message)
})

test('neither other columns of a row nor the order of its columns changes a byte [W09]', () => {
  const shuffled = { home: 7, ...Object.fromEntries(Object.entries(event).toReversed()) } as unknown as EventRow
  assert.equal(eventBody(shuffled), eventBody(event))
})

test('the data of payment.completed is these bytes and must not change [W09]', async (t) => {
  const app = await startWebhookApi(t)
  const { db } = app
  const pageId = '019bf4a0-1c40-7a5c-af3e-1b2c3d4e5f62'
  const { userId } = await app.person()
  await app.owner.rows(sql`
    insert into payment_pages (home, id, merchant_id, environment, type, slug, title, amount)
    values (7, ${pageId}, ${userId}, 'test', 'payment', 'bytes', 'Chai', 2500)`)
  const dataOf = async (amountReceived: number | null) => {
    const payment = sql`(select 7::smallint as home, '019bf4a1-1c40-7a5c-9f3e-1b2c3d4e5f61'::uuid as id, ${pageId}::uuid as page_id,
      2500::bigint as amount, ${amountReceived}::bigint as amount_received, 'TZS' as currency, 'completed' as status, null as network, 'X' as short_code,
      null as failure_code, clock_now() as created_at, clock_now() as updated_at,
      '2026-01-25T12:30:00+03'::timestamptz as completed_at) p`
    const [row] = await db.rows<{ data: string }>(
      sql`select (${paymentEventData(sql`p`, sql`p.id`)})::text as data from ${payment}`,
    )
    return row!.data
  }
  const start = '{"reference":"pay_01kfta2720f9e9yfgv5gymwqv1","payment_page_id":"page_01kfta0720f9eayfgv5gymwqv2","amount":2500,'
  assert.equal(await dataOf(null), `${start}"currency":"TZS","completed_at":"2026-01-25T09:30:00.000Z","short_code":"X"}`)
  assert.equal(
    await dataOf(2400),
    `${start}"amount_received":2400,"currency":"TZS","completed_at":"2026-01-25T09:30:00.000Z","short_code":"X"}`,
  )
  await app.owner.rows(sql`update payment_pages set kind = 'direct' where id = ${pageId}`)
  assert.match(await dataOf(null), /"payment_page_id":null,"amount"/)
})

test('the database writes ids and times as the service does', async (t) => {
  const { db } = await startWebhookApi(t)
  const ids = [
    ...Array.from({ length: 200 }, (_, home) => newMoneyId(home)),
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ]
  const rows = await db.rows<{ id: string; wire: string }>(
    sql`select id, wire_id('pay', id) as wire from unnest(${ids}::uuid[]) as i (id)`,
  )
  assert.deepEqual(
    rows,
    ids.map((id) => ({ id, wire: toWire('pay', id) })),
  )
  const [time] = await db.rows<{ wire: string; at: Date }>(sql`select wire_time(clock_now()) as wire, clock_now() as at`)
  assert.equal(time!.wire, time!.at.toISOString())
})

test('the id of an event is always the same, has the time and the home of its subject, and differs by transition', async (t) => {
  const { db } = await startWebhookApi(t)
  const [payment, other] = [newMoneyId(77), newMoneyId(77)]
  const idOf = async (kind: string, subject: string) => {
    const [row] = await db.rows<{ id: string }>(sql`select event_id(77::smallint, ${kind}, ${subject}) as id`)
    return row!.id
  }
  const id = await idOf('payment.completed', payment)
  assert.equal(id, await idOf('payment.completed', payment))
  assert.notEqual(id, await idOf('payment.failed', payment))
  assert.notEqual(id, await idOf('payment.completed', other))
  assert.equal(homeOfId(id), 77)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(id.slice(0, 13), payment.slice(0, 13))
  // Known from events that were sent before: it must not change.
  assert.equal(await idOf('payment.completed', '019bf4a1-1c40-704d-9f3e-1b2c3d4e5f61'), '019bf4a1-1c40-704d-9704-a2a9fd0ef347')
})
