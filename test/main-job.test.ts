/**
 * The main job over HTTP, as for a newcomer: register, get verified, create a page, receive a payment, see the money, receive the
 * webhook.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { test, type TestContext } from 'node:test'
import { eventually, share, startTestApp } from './app.ts'

const workingApp = share((ending) => startTestApp(ending, { worker: true }))

export type ReceivedRequest = { headers: IncomingHttpHeaders; body: string }

/** A merchant's server on loopback that remembers the webhooks it received. */
async function startReceiver(
  t: TestContext,
  answer: (count: number) => number = () => 200,
): Promise<{ url: string; received: ReceivedRequest[] }> {
  const received: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
      response.writeHead(answer(received.length)).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`, received }
}

test('a student receives a payment: page, checkout, wallet, transaction, signed webhook', async (t) => {
  const app = await workingApp()
  const student = await app.student()
  const { key, appId } = await app.key(student)
  const receiver = await startReceiver(t)
  const configured = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: receiver.url },
  })
  assert.equal(configured.status, 201, JSON.stringify(configured.body))

  const page = await app.page(student, { title: 'Mandazi', amount: 2500 })
  assert.equal(page.url, `${app.config.urls.checkout}/pay/${page.slug}`)
  const open = await app.call('GET', `/v1/pay/${page.slug}`)
  assert.deepEqual([open.body.data.title, open.body.data.amount, open.body.data.state], ['Mandazi', 2500, 'open'])
  assert.ok(!JSON.stringify(open.body).includes(student.email))

  // The page has its own amount: null is none, as with the currency.
  const checkout = await app.checkout(page.slug, { idempotency_key: 'order-1', amount: null })
  assert.equal(checkout.status, 201)
  const { reference } = checkout.body.data
  assert.match(reference, /^pay_[0-9a-z]{26}$/)
  assert.equal(checkout.headers.get('cache-control'), 'no-store')

  const paid = await app.settled(reference)
  assert.equal(paid.status, 'completed')
  assert.match(paid.completed_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(paid.failure, null)
  for (const secret of ['juma@example.com', 'Juma Hamisi', '754123789']) assert.ok(!JSON.stringify(paid).includes(secret))

  const balance = await app.call('GET', '/v1/balance', { key })
  assert.deepEqual(
    [balance.body.data.available, balance.body.data.reserved, balance.body.data.total, balance.body.data.environment],
    [2500, 0, 2500, 'test'],
  )
  const transactions = await app.call('GET', '/v1/transactions', { key })
  assert.equal(transactions.body.data.length, 1)
  const [line] = transactions.body.data
  assert.deepEqual(
    [line.type, line.direction, line.amount, line.balance_after, line.reference, line.payment_page_id, line.customer],
    ['payment', 'credit', 2500, 2500, reference, page.id, { name: 'Juma Hamisi', phone_masked: '0754 ••• 789' }],
  )

  const [call] = await eventually('the webhook', () => receiver.received.length > 0 && receiver.received)
  const timestamp = call!.headers['x-service-timestamp'] as string
  assert.equal(call!.headers['x-service-event'], 'payment.completed')
  assert.equal(
    call!.headers['x-service-signature'],
    createHmac('sha256', configured.body.data.secret).update(`${timestamp}.${call!.body}`).digest('hex'),
  )
  const event = JSON.parse(call!.body)
  const { network_receipt: receipt } = (await app.call('GET', `/v1/payments/${reference}`, { key })).body.data
  assert.deepEqual(event, {
    id: event.id,
    type: 'payment.completed',
    created_at: event.created_at,
    data: {
      reference,
      payment_page_id: page.id,
      amount: 2500,
      currency: 'TZS',
      completed_at: paid.completed_at,
      short_code: paid.short_code,
      status: 'completed',
      updated_at: paid.completed_at,
      environment: 'test',
      network_receipt: receipt,
    },
  })
  const deliveries = await eventually('the attempt on record', async () => {
    const { body } = await app.call('GET', `/developers/apps/${appId}/webhook/deliveries`, { token: student.token })
    return body.data.length === 1 && body.data
  })
  assert.deepEqual([deliveries[0].outcome, deliveries[0].response_status, deliveries[0].event_id], ['succeeded', 200, event.id])

  const again = await app.checkout(page.slug, { idempotency_key: 'order-1' })
  assert.deepEqual(
    [again.status, again.headers.get('idempotency-replayed'), again.body.data.reference, again.body.data.status],
    [200, 'true', reference, 'completed'],
  )
  assert.equal(again.body.data.checkout_token, checkout.body.data.checkout_token)
  const { charges } = await app.truth()
  assert.equal(charges.length, 1)
})

const failures: [number: string, code: string][] = [
  ['019', 'payer_limit'],
  ['029', 'payer_not_found'],
  ['039', 'declined_by_payer'],
  ['049', 'insufficient_funds'],
  ['059', 'wrong_pin'],
  ['069', 'provider_error'],
  ['079', 'prompt_timeout'],
]

test('each failure number fails with its own reason in both languages, and credits nothing', async () => {
  const app = await workingApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)
  await Promise.all(
    failures.map(async ([number, code]) => {
      const { body } = await app.checkout(page.slug, { phone_number: `0712123${number}` })
      const settled = await app.settled(body.data.reference)
      assert.equal(settled.status, 'failed', number)
      assert.equal(settled.failure.code, code, number)
      assert.ok(settled.failure.message.length > 10 && settled.failure.message_sw.length > 10)
      assert.equal(settled.receipt_url, null)
    }),
  )
  assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.total, 0)
})

test('a provider that is silent, early, repeats or contradicts itself still causes one credit and one event [F16, F17, P03, P04]', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { PAYMENT_CHECK_DELAYS_SECONDS: '0.3' } })
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student)
  const numbers = ['139', '149', '159', '169', '179']
  const references = await Promise.all(
    numbers.map(async (number) => {
      const { body, status } = await app.checkout(page.slug, { phone_number: `0684123${number}` })
      assert.equal(status, 201)
      return body.data.reference as string
    }),
  )
  for (const [index, reference] of references.entries()) {
    const settled = await app.settled(reference, ['completed'])
    assert.equal(settled.status, 'completed', numbers[index])
    // If a failure and a success come at once, either may be processed first; the success is late only after the failure.
    if (!['169', '179'].includes(numbers[index]!)) assert.equal(settled.late, false, numbers[index])
  }
  // The contradicting and repeated messages are in the inbox by now, and changed nothing.
  await eventually('every message is settled', async () => {
    const rows = (await app.owner.pool.query(`select 1 from provider_inbox where state = 'received'`)).rows
    return rows.length === 0
  })
  const { rows } = await app.owner.pool.query(
    `select (select count(*) from events where type = 'payment.completed') as events, (select count(*) from ledger_transfers where kind = 'payment') as credits`,
  )
  assert.deepEqual([Number(rows[0].events), Number(rows[0].credits)], [5, 5])
  assert.equal((await app.call('GET', '/v1/balance', { key })).body.data.total, 5 * 1500)
})

test('nothing expires without a query: a silent charge expires only after its hour and the provider’s own answer', async (t) => {
  const app = await startTestApp(t, {
    worker: true,
    settings: { PAYMENT_EXPIRY_SECONDS: '1', PAYMENT_CHECK_DELAYS_SECONDS: '0.3' },
  })
  const student = await app.student()
  const page = await app.page(student)
  const { body } = await app.checkout(page.slug, { phone_number: '0684123129' })
  const settled = await app.settled(body.data.reference)
  assert.equal(settled.status, 'expired')
  assert.equal(settled.failure, null)
})

test('a person pays on the phone page: prompt, PIN, credited', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await app.student()
  const page = await app.page(student)
  const { body } = await app.checkout(page.slug, { phone_number: '0754000123' })
  const charge = await eventually('the prompt', async () => (await app.truth()).charges[0])
  assert.equal((await app.call('GET', `/v1/payments/${body.data.reference}/status`)).body.data.status, 'pending')
  const answered = await fetch(`${app.simulatorUrl}/__control/charges/${charge.reference}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'pin', pin: '1234' }),
  })
  assert.equal(answered.status, 200)
  assert.equal((await app.settled(body.data.reference)).status, 'completed')
})
