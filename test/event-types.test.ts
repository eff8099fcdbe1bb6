/** The types of events, as a merchant's server sees them: contract 13. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { z } from 'zod'
import { eventTypes } from '../server/domain/webhook.ts'
import { fromWire } from '../server/platform/ids.ts'
import { eventBody, eventSchema } from '../server/merchants/webhooks/event.ts'
import { eventually, share, startTestApp, type Answer, type Student, type TestApp } from './app.ts'
import { decideBusiness, registerBusiness, submitBusiness, uploadFour } from './onboarding.ts'

const workingApp = share((ending) => startTestApp(ending, { worker: true }))

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

type Receiver = { url: string; received: Json[]; types(): string[]; status: number }

async function openReceiver(t: TestContext): Promise<Receiver> {
  const received: Json[] = []
  const types = () => received.map(({ type }) => type as string).toSorted()
  const receiver: Receiver = { url: '', received, types, status: 200 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      received.push(JSON.parse(body))
      response.writeHead(receiver.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  receiver.url = `http://127.0.0.1:${port}/hook`
  return receiver
}

/** Saves the webhook of an app, of a new one by default; returns the answer and the app. */
async function choose(
  app: TestApp,
  { token }: Student,
  body: { url: string; events?: unknown },
  wanted: { appId?: string; businessId?: string } = {},
): Promise<Answer & { appId: string }> {
  const { businessId: business_id } = wanted
  const appId: string =
    wanted.appId ??
    (
      await app.call('POST', '/developers/apps', {
        token,
        body: { name: 'Shop', environment: 'test', ...(business_id && { business_id }) },
      })
    ).body.data.id
  return { appId, ...(await app.call('POST', `/developers/apps/${appId}/webhook`, { token, body })) }
}

async function listed(app: TestApp, { token }: Student, query = ''): Promise<Json[]> {
  const { status, body } = await app.call('GET', `/v1/merchant/events?environment=test${query}`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

const pay = async (app: TestApp, slug: string, digits: string): Promise<Json> => {
  const { body } = await app.checkout(slug, { phone_number: `+255754000${digits}` })
  return app.settled(body.data.reference)
}

test('a webhook receives payment.completed, and the other types that it has chosen', async (t) => {
  const app = await workingApp()
  const student = await app.student()
  const page = await app.page(student)
  const [usual, chosen, all] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)]
  const first = await choose(app, student, { url: usual.url })
  assert.deepEqual([first.status, first.body.data.events], [201, ['payment.completed']])
  const second = await choose(app, student, { url: chosen.url, events: ['payout.failed', 'payment.failed', 'payment.failed'] })
  assert.deepEqual(second.body.data.events, ['payment.completed', 'payment.failed', 'payout.failed'])
  const third = await choose(app, student, { url: all.url, events: ['*', 'payment.failed'] })
  assert.deepEqual(third.body.data.events, ['*'])
  for (const events of [['payment.faild'], [], 'payment.failed']) {
    const refused = await choose(app, student, { url: usual.url, events }, first)
    assert.deepEqual([refused.status, refused.body.error?.code], [400, 'validation_error'], JSON.stringify(events))
  }
  // A change of the address keeps the choice.
  assert.deepEqual((await choose(app, student, { url: chosen.url }, second)).body.data.events, second.body.data.events)

  const [paid, failed] = [await pay(app, page.slug, '789'), await pay(app, page.slug, '049')]
  assert.deepEqual([paid.status, failed.status], ['completed', 'failed'])
  await eventually(
    'each has received its events',
    () => all.received.length === 2 && usual.received.length + chosen.received.length === 3,
  )
  assert.deepEqual(
    [usual.types(), chosen.types(), all.types()],
    [['payment.completed'], ['payment.completed', 'payment.failed'], ['payment.completed', 'payment.failed']],
  )
  const event = chosen.received.find(({ type }) => type === 'payment.failed')
  assert.deepEqual(event.data, {
    reference: failed.reference,
    payment_page_id: page.id,
    amount: 1500,
    currency: 'TZS',
    status: 'failed',
    network: 'mpesa',
    failure: failed.failure,
    created_at: event.data.created_at,
    updated_at: event.created_at,
    short_code: failed.short_code,
    environment: 'test',
    network_receipt: null,
  })

  // Events can be read whatever was chosen, all or of one type, with the same bytes.
  assert.deepEqual(
    (await listed(app, student)).map(({ type }) => type),
    ['payment.failed', 'payment.completed'],
  )
  assert.deepEqual(await listed(app, student, '&type=payment.failed'), [event])
  assert.equal((await app.call('GET', '/v1/merchant/events?environment=test&type=no', { token: student.token })).status, 400)

  // Nor does a resend or a replay send what was not chosen.
  const resend = (id: string) => app.call('POST', `/v1/merchant/events/${id}/resend?environment=test`, { token: student.token })
  const resent = await resend(event.id)
  assert.deepEqual(
    resent.body.data.deliveries.map(({ app_id }: Json) => app_id).toSorted(),
    [second.appId, third.appId].toSorted(),
  )
  await eventually('it is sent again', () => all.received.length === 3 && chosen.received.length === 3)
  const path = `/developers/apps/${first.appId}/webhook/replay`
  const range = { from: new Date(Date.now() - 60_000).toISOString(), to: new Date(Date.now() + 60_000).toISOString() }
  assert.equal((await app.call('POST', path, { token: student.token, body: range })).body.data.queued, 1)
  await eventually('the replay is sent', () => usual.received.length === 2)
  assert.deepEqual(usual.types(), ['payment.completed', 'payment.completed'])
  for (const one of [second, third]) await app.call('DELETE', `/developers/apps/${one.appId}/webhook`, { token: student.token })
  const refused = await resend(event.id)
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'invalid_state'])
})

test('a type that is chosen later is sent from then on, and one that is dropped is sent no more', async (t) => {
  const app = await workingApp()
  const student = await app.student()
  const page = await app.page(student)
  const here = await openReceiver(t)
  const hook = await choose(app, student, { url: here.url })
  await pay(app, page.slug, '039')
  await choose(app, student, { url: here.url, events: ['payment.failed'] }, hook)
  const { reference } = await pay(app, page.slug, '039')
  await eventually('it arrives', () => here.received.length === 1)
  assert.deepEqual([here.received[0].type, here.received[0].data.reference], ['payment.failed', reference])
  await choose(app, student, { url: here.url, events: ['payment.completed'] }, hook)
  await pay(app, page.slug, '039')
  // The check of the books at the end of each test demands exactly these deliveries.
  assert.equal((await listed(app, student)).length, 3)
})

test('the choice at the time of an event counts: what is pending is still sent, and what came before a choice is not', async (t) => {
  const app = await workingApp()
  const student = await app.student()
  const page = await app.page(student)
  const here = await openReceiver(t)
  here.status = 500
  const hook = await choose(app, student, { url: here.url })
  await pay(app, page.slug, '039')
  await choose(app, student, { url: here.url, events: ['payment.failed'] }, hook)
  const failed = await pay(app, page.slug, '039')
  await eventually('one attempt has failed', () => here.received.length === 1)
  await choose(app, student, { url: here.url, events: ['payment.completed'] }, hook)
  here.status = 200
  await eventually('the attempt is on record', async () => {
    const due = `update webhook_deliveries set next_attempt_at = clock_now() where status = 'pending' and attempts = 1 returning id`
    return (await app.owner.pool.query(due)).rows.length === 1
  })
  await eventually('it is sent again', () => here.received.length === 2)
  const later = await pay(app, page.slug, '789')
  await pay(app, page.slug, '039')
  await eventually('the new choice counts', () => here.received.length === 3)
  assert.deepEqual(
    here.received.map(({ type, data }) => [type, data.reference]),
    [
      ['payment.failed', failed.reference],
      ['payment.failed', failed.reference],
      ['payment.completed', later.reference],
    ],
  )
})

test('each end of a payout sends one event, without the recipient', async (t) => {
  const app = await workingApp()
  const student = await app.student()
  const { key } = await app.key(student)
  await pay(app, (await app.page(student, { amount: 100_000 })).slug, '789')
  const here = await openReceiver(t)
  await choose(app, student, {
    url: here.url,
    events: ['payout.completed', 'payout.failed', 'payout.reversed', 'payout.cancelled'],
  })
  const ask = async (digits: string): Promise<string> => {
    const body = {
      amount: 10_000,
      phone_number: `+255754000${digits}`,
      recipient_name: 'Asha Mushi',
      reference: 'secret 1',
      metadata: { run: 'secret 7' },
    }
    const answer = await app.call('POST', '/v1/payouts', { key, headers: { 'idempotency-key': digits }, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data.id
  }
  const [arrived, failed, reversed] = [await ask('789'), await ask('089'), await ask('309')]
  await eventually('each end is sent', () => here.received.length === 4, 30_000)
  assert.deepEqual(
    here.received.map(({ type, data }) => `${type} ${data.id} ${data.status}`).toSorted(),
    [
      `payout.completed ${arrived} completed`,
      `payout.completed ${reversed} completed`,
      `payout.failed ${failed} failed`,
      `payout.reversed ${reversed} reversed`,
    ].toSorted(),
  )
  const of = (type: string): Json => here.received.find((event) => event.type === type)
  const { data, created_at } = of('payout.failed')
  const payout = (await app.call('GET', `/v1/payouts/${failed}`, { key })).body.data
  assert.deepEqual(data, {
    id: failed,
    status: 'failed',
    amount: 10_000,
    fee: payout.fee,
    total_debited: payout.total_debited,
    currency: 'TZS',
    network: payout.network,
    failure: payout.failure,
    created_at: payout.created_at,
    completed_at: null,
    reversed_at: null,
    updated_at: created_at,
    environment: 'test',
    merchant_reference: 'secret 1',
    metadata: { run: 'secret 7' },
  })
  assert.ok(of('payout.reversed').data.reversed_at)
  assert.doesNotMatch(JSON.stringify(here.received), /Asha|\+255/)
  // The merchant's own words are read from the payout when the event is sent: a stored event cannot be erased.
  const { rows } = await app.owner.pool.query('select data::text from events')
  assert.doesNotMatch(JSON.stringify(rows), /Asha|\+255|secret/)
})

test('a batch sends one event at its end, beside those of its payouts, and without the recipients', async (t) => {
  const app = await workingApp()
  const student = await app.student()
  const { key } = await app.key(student)
  await pay(app, (await app.page(student, { amount: 100_000 })).slug, '789')
  const here = await openReceiver(t)
  await choose(app, student, { url: here.url, events: ['payout_batch.completed', 'payout.completed', 'payout.failed'] })
  const items = ['789', '089'].map((digits) => ({
    amount: 10_000,
    phone_number: `+255754000${digits}`,
    recipient_name: 'Asha Mushi',
    reference: 'secret 1',
  }))
  const made = await app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { title: 'secret 2', items },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const { id } = made.body.data
  const read = async (): Promise<Json> => (await app.call('GET', `/v1/payout-batches/${id}`, { key })).body.data
  await eventually('its fees are known', async () => (await read()).fees)
  const path = `/v1/merchant/payout-batches/${id}/approve?environment=test`
  assert.equal((await app.call('POST', path, { token: student.token, body: { version: 1 } })).status, 200)
  await eventually('all are sent', () => here.received.length === 3, 30_000)
  assert.deepEqual(here.types(), ['payout.completed', 'payout.failed', 'payout_batch.completed'])
  const { data, created_at } = here.received.find(({ type }) => type === 'payout_batch.completed')
  const batch = await read()
  assert.deepEqual(data, {
    id,
    status: 'done',
    rows: 2,
    total: 20_000,
    fees: batch.fees,
    currency: 'TZS',
    completed: 1,
    failed: 1,
    cancelled: 0,
    paid_amount: 10_000,
    failure: null,
    created_at: batch.created_at,
    approved_at: batch.approved_at,
    finished_at: created_at,
    updated_at: created_at,
    environment: 'test',
  })
  assert.doesNotMatch(JSON.stringify(here.received), /Asha|\+255|secret 2/)
})

test('a refund sends its own event, and no event of a payout', async (t) => {
  const app = await workingApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: 50_000 })
  const here = await openReceiver(t)
  await choose(app, student, { url: here.url, events: ['*'] })
  const paid = await pay(app, page.slug, '789')
  const { reference } = paid
  const asked = await app.call('POST', `/v1/payments/${reference}/refunds`, {
    key,
    headers: { 'idempotency-key': 'one' },
    body: { amount: 10_000, merchant_reference: 'RET-1' },
  })
  assert.equal(asked.status, 201, JSON.stringify(asked.body))
  await eventually('it is sent', () => here.received.length === 2, 30_000)
  const { type, data, created_at } = here.received.find((event) => event.type !== 'payment.completed')
  const { id, fee } = asked.body.data
  assert.equal(type, 'refund.completed')
  assert.deepEqual(data, {
    id,
    payment: reference,
    payment_short_code: paid.short_code,
    status: 'completed',
    method: 'provider',
    amount: 10_000,
    fee,
    total_debited: 10_000 + fee,
    currency: 'TZS',
    failure: null,
    created_at: asked.body.data.created_at,
    completed_at: created_at,
    updated_at: created_at,
    environment: 'test',
    merchant_reference: 'RET-1',
  })
  assert.deepEqual(await listed(app, student, '&type=refund.completed'), [
    { id: here.received.at(-1).id, type, created_at, data },
  ])
})

test('a business learns of each decision, once in each environment', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const [student, admin] = [await app.student(), await app.admin()]
  const { id } = await registerBusiness(app, student)
  const here = await openReceiver(t)
  await choose(app, student, { url: here.url, events: ['business.verified', 'business.rejected'] }, { businessId: id })
  const urls = await uploadFour(app, student, id)
  const steps = [
    ['rejected', 'The licence has expired.'],
    ['verified', undefined],
    ['rejected', 'It was closed.'],
  ] as const
  for (const [place, [status, reason]] of steps.entries()) {
    // A verified business is decided on without another submission.
    if (place < 2) await submitBusiness(app, student, id, urls)
    const decided = await decideBusiness(app, admin, id, { status, ...(reason && { reason }) })
    assert.equal(decided.status, 200, JSON.stringify(decided.body))
    await eventually('it is sent', () => here.received.length === place + 1)
    const { type, data, created_at } = here.received.at(-1)
    assert.deepEqual(
      [type, data],
      [`business.${status}`, { id, status, decided_at: created_at, updated_at: created_at, environment: data.environment }],
    )
  }
  const { rows } = await app.owner.pool.query(`select environment, count(*)::integer from events group by 1 order by 1`)
  assert.deepEqual(rows, [
    { environment: 'live', count: 3 },
    { environment: 'test', count: 3 },
  ])
})

test('a webhook that is enabled again learns since when nothing was sent to it, and so does another one of its merchant', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const [here, other] = [await openReceiver(t), await openReceiver(t)]
  const save = (url: string) => choose(app, student, { url, events: ['webhook.enabled'] })
  const { appId, body } = await save(here.url)
  const { id } = body.data
  await save(other.url)
  const again = (url: string) => app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  assert.equal((await again(here.url)).status, 200)
  assert.deepEqual(await listed(app, student, '&type=webhook.enabled'), [], 'it was never disabled')
  const { rows } = await app.owner.pool.query(
    `update webhook_endpoints set enabled = false, disabled_reason = 'endpoint_gone', disabled_at = clock_now() - interval '1 hour'
     where app_id = $1 returning disabled_at`,
    [fromWire('app', appId)],
  )
  assert.equal((await again(here.url)).status, 200)
  await eventually('both have it', () => here.received.length === 1 && other.received.length === 1)
  const { type, data, created_at } = here.received[0]
  assert.deepEqual(other.received, here.received)
  assert.equal(type, 'webhook.enabled')
  assert.deepEqual(data, {
    id,
    app_id: appId,
    status: 'enabled',
    disabled_reason: 'endpoint_gone',
    disabled_at: rows[0].disabled_at.toISOString(),
    enabled_at: created_at,
    updated_at: created_at,
    environment: 'test',
  })
  assert.deepEqual(await listed(app, student, '&type=webhook.enabled'), here.received)
  // Saved once more, it was enabled already.
  await again(here.url)
  assert.equal((await listed(app, student, '&type=webhook.enabled')).length, 1)
})

test('every type has a schema, and the schema keeps the bytes of its events', () => {
  assert.deepEqual(
    eventSchema.options.map(({ shape }) => shape.type.value),
    [...eventTypes],
  )
  const data =
    '{"id":"biz_01jz8e6c9kf0x9v4m2n7q5t3ab","status":"verified","decided_at":"2026-01-25T09:30:00.000Z","updated_at":"2026-01-25T09:30:00.000Z","environment":"test"}'
  const body = eventBody({ id: '019bf4a1-2c40-7a5c-8f3e-1b2c3d4e5f60', type: 'business.verified', data, createdAt: new Date() })
  assert.equal(JSON.stringify(eventSchema.parse(JSON.parse(body))), body)
})

test('the data of every type has its status, the time of its state and its environment', () => {
  const required = ['status', 'updated_at', 'environment'] as const
  const missing = eventSchema.options.flatMap(({ shape }) => {
    const fields = shape.data.shape as Record<string, z.ZodType>
    return required.filter((name) => fields[name]?.isOptional() !== false).map((name) => `${shape.type.value} ${name}`)
  })
  assert.deepEqual(missing, [])
})

test('the page of the documentation has one valid example of each type', () => {
  const page = readFileSync(join(import.meta.dirname, '../docs/guides/event-types.md'), 'utf8')
  const examples = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, text]) => eventSchema.parse(JSON.parse(text!)))
  assert.deepEqual(
    examples.map(({ type }) => type),
    [...eventTypes],
  )
})
