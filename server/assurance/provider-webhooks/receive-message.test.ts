/** Doubtful messages of a provider: they are not applied, and their charge is queried. */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { eventually, share, startTestApp, type TestApp } from '../../../test/app.ts'
import { signedByClickPesa } from '../../../test/fixtures/provider-faces.ts'
import { verify } from '../invariants/verify.ts'
import { sweepInbox } from './receive-message.ts'

const sharedApp = share((ending) => startTestApp(ending))

async function sendMessage(
  app: TestApp,
  event: Record<string, unknown>,
  options: { secret?: string; ageSeconds?: number; body?: string } = {},
): Promise<{ status: number; body: any }> {
  const body = options.body ?? JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000) - (options.ageSeconds ?? 0)
  const secret = options.secret ?? app.settings['SNIPPE_TEST_WEBHOOK_SECRETS']!
  return app.call('POST', '/v1/providers/snippe/test/webhook', {
    rawBody: body,
    headers: {
      'content-type': 'application/json',
      'x-webhook-timestamp': String(timestamp),
      'x-webhook-signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
    },
  })
}

/** A payment that waits for a person, and the provider's record of it. */
async function waiting(app: TestApp): Promise<{ reference: string; charge: string; complete(): Promise<void> }> {
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  const charge = (await app.truth(`?our_reference=${body.data.reference}`)).charges[0].reference as string
  return {
    reference: body.data.reference,
    charge,
    async complete() {
      // Held back, so that the test does not see the provider's own message.
      await fetch(`${app.simulatorUrl}/__control/hold`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"webhooks":true}',
      })
      await fetch(`${app.simulatorUrl}/__control/charges/${charge}/answer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"action":"complete"}',
      })
    },
  }
}

const completed = (charge: string, reference: string, changes: Record<string, unknown> = {}) => ({
  id: `evt_${randomUUID()}`,
  type: 'payment.completed',
  data: {
    reference: charge,
    status: 'completed',
    amount: { value: 1500, currency: 'TZS' },
    metadata: { malipo_payment: reference },
  },
  ...changes,
})

const statusOf = async (app: TestApp, reference: string) =>
  (await app.call('GET', `/v1/payments/${reference}/status`)).body.data.status as string

test('a forged message is refused and has no effect [A49, F19]', async () => {
  const app = await sharedApp()
  const { reference, charge } = await waiting(app)
  assert.equal((await sendMessage(app, completed(charge, reference), { secret: 'x'.repeat(40) })).status, 401)
  assert.equal((await app.owner.pool.query('select 1 from provider_inbox')).rows.length, 0)
  assert.equal(await statusOf(app, reference), 'pending')
})

test('an authentic message that is too old is not applied: its charge is queried, and only the answer counts', async () => {
  const app = await sharedApp()
  const untrue = await waiting(app)
  assert.equal((await sendMessage(app, completed(untrue.charge, untrue.reference), { ageSeconds: 600 })).status, 200)
  await app.deps.backgroundDone()
  assert.equal(await statusOf(app, untrue.reference), 'pending')
  // The same, when the provider’s answer to our call was lost, so that only the message contains its reference.
  const lost = await waiting(app)
  await app.owner.pool.query(`delete from provider_references where reference = $1`, [lost.charge])
  await app.owner.pool.query(
    `update provider_charges set state = 'unknown', provider_reference = null where provider_reference = $1`,
    [lost.charge],
  )
  await lost.complete()
  assert.equal((await sendMessage(app, completed(lost.charge, lost.reference), { ageSeconds: 600 })).status, 200)
  assert.equal((await app.settled(lost.reference)).status, 'completed')
})

test('a contradictory or unreadable message moves nothing by itself', async () => {
  const app = await sharedApp()
  const { reference, charge, complete } = await waiting(app)
  const contradictory = [
    completed(charge, reference, { type: 'payment.failed' }),
    completed(charge, reference, { type: 'payment.reversed' }),
    completed(charge, reference, {
      data: { reference: charge, status: 'completed', amount: { value: '1,500', currency: 'TZS' } },
    }),
  ]
  for (const event of contradictory) assert.equal((await sendMessage(app, event)).status, 200, event.type)
  await app.deps.backgroundDone()
  assert.equal(await statusOf(app, reference), 'pending')
  await complete()
  assert.equal(
    (
      await sendMessage(
        app,
        completed(charge, reference, {
          data: { reference: charge, status: 'completed', amount: '1500', metadata: { malipo_payment: reference } },
        }),
      )
    ).status,
    200,
  )
  assert.equal((await app.settled(reference)).status, 'completed')
})

test('a message that writes its amount or its names in another form of JSON is applied, and the check of the books accepts it', async () => {
  const app = await sharedApp()
  const escaped = (text: string): string =>
    text.replaceAll(/[^"]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const forms: ((text: string, names: string[]) => string)[] = [
    (text) => text.replace('1500', '1.5e3'),
    (text) => text.replace('1500', '"01500.00"'),
    (text, names) => names.reduce((changed, name) => changed.replaceAll(name, escaped(name)), text),
  ]
  for (const form of forms) {
    const { reference, charge, complete } = await waiting(app)
    await complete()
    const body = form(JSON.stringify(completed(charge, reference)), [charge, reference])
    assert.equal((await sendMessage(app, {}, { body })).status, 200, body)
    assert.equal((await app.settled(reference)).status, 'completed')
    await app.deps.backgroundDone()
    const { rows } = await app.owner.pool.query('select from provider_inbox where body = $1 and payment_id is not null', [body])
    assert.equal(rows.length, 1, body)
  }
  assert.deepEqual(await verify(app.owner), [])
})

test('one event id with two bodies is refused; a message of an unknown payment is kept and finally escalated to operators [A49, F18, F19]', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const { reference, charge } = await waiting(app)
  const event = completed(charge, reference, {
    id: 'evt_same',
    type: 'payment.failed',
    data: {
      reference: charge,
      status: 'failed',
      amount: { value: 1500, currency: 'TZS' },
      metadata: { malipo_payment: reference },
    },
  })
  assert.equal((await sendMessage(app, event)).status, 200)
  const other = await sendMessage(app, { ...event, extra: 1 })
  assert.deepEqual([other.status, other.body.error.code], [409, 'event_changed'])

  assert.equal(
    (await sendMessage(app, completed(randomUUID(), 'pay_01h455vb4pex5vsknk084sn02q', { id: 'evt_unknown' }))).status,
    200,
  )
  await app.owner.pool.query(
    `update provider_inbox set attempts = 8, next_attempt_at = clock_now() - interval '1 second' where event_id = 'evt_unknown'`,
  )
  await eventually(
    'it is an orphan',
    async () =>
      (await app.owner.pool.query(`select 1 from provider_inbox where event_id = 'evt_unknown' and state = 'orphan'`)).rows
        .length === 1,
  )
})

test('a message that cannot settle because a row is locked is no poison: it waits, and settles when the lock is gone', async (t) => {
  let isLocked = true
  const app = await startTestApp(t, {
    wrap: (deps) => ({
      ...deps,
      settle: async (item) => {
        if (isLocked) throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
        return deps.settle(item)
      },
    }),
  })
  const page = await app.page(await app.student())
  const { body } = await app.checkout(page.slug, { phone_number: '0754000111' })
  const { reference } = body.data
  const charge = (await app.truth()).charges[0].reference as string
  assert.equal((await sendMessage(app, completed(charge, reference, { id: 'evt_locked' }))).status, 200)
  await app.deps.backgroundDone()
  const sweep = async () => {
    await app.owner.pool.query(
      `update provider_inbox set next_attempt_at = clock_now() - interval '1 second' where state = 'received'`,
    )
    await sweepInbox(app.deps, 10)
    const { rows } = await app.owner.pool.query(
      `select state, deaths, leased_by from provider_inbox where event_id = 'evt_locked'`,
    )
    return rows[0] as { state: string; deaths: number; leased_by: string | null }
  }
  for (let round = 0; round < 6; round += 1) assert.deepEqual(await sweep(), { state: 'received', deaths: 0, leased_by: null })
  isLocked = false
  assert.equal((await sweep()).state, 'settled')
  assert.equal(await statusOf(app, reference), 'completed')
})

test('a message of the second provider that is signed again with the other of two keys is the same message', async (t) => {
  const keys = ['new', 'old'].map((name) => name.padEnd(32, '-'))
  const app = await startTestApp(t, { settings: { CLICKPESA_TEST_CHECKSUM_KEYS: keys.join(',') } })
  const data = { id: 'PAY1', orderReference: 'INV123', status: 'SUCCESS', collectedAmount: '1500.00', collectedCurrency: 'TZS' }
  for (const key of keys.toReversed()) {
    const rawBody = signedByClickPesa({ event: 'PAYMENT RECEIVED', data }, key)
    const headers = { 'content-type': 'application/json' }
    assert.equal((await app.call('POST', '/v1/providers/clickpesa/test/webhook', { rawBody, headers })).status, 200)
  }
  assert.equal((await app.owner.pool.query('select from provider_inbox')).rowCount, 1)
})
