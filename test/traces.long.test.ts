/** One payment handled by several processes: one search of their logs finds all of it, and one trace covers all of it. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startProviderProxy } from './faults/provider-proxy.ts'
import { startFleet } from './fleet.ts'
import { eventually } from './app.ts'

type Line = Record<string, any>

test('a search for a payment or for the request that began it finds every line of it, in all processes', async (t) => {
  let simulator = ''
  const proxy = await startProviderProxy(t, () => simulator)
  const fleet = await startFleet(t, {
    LOG_LEVEL: 'info',
    SNIPPE_TEST_BASE_URL: proxy.url,
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,0.2,0.2,0.2',
  })
  const { app } = fleet
  simulator = app.simulatorUrl
  const received: { reference: string; traceparent: string }[] = []
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      const { reference } = JSON.parse(body).data
      received.push({ reference, traceparent: String(request.headers['traceparent']) })
      response.writeHead(received.filter((one) => one.reference === reference).length === 1 ? 500 : 200).end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const texts: string[] = []
  const logTo = (line: string): void => void texts.push(line)
  const [first, second] = [await fleet.api({ logTo }), await fleet.api({ logTo })]
  await fleet.worker({ logTo })

  const student = await app.student()
  const { appId } = await app.key(student)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  const page = await app.page(student)

  async function pay(name: string, phone: string): Promise<{ reference: string; requestId: string; traceId: string }> {
    const requestId = `request-of-${name}`
    const traceId = Buffer.from(name.padEnd(16, '-')).toString('hex')
    const response = await fetch(`${second.url}/v1/payments/checkout`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-request-id': requestId,
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({
        slug: page.slug,
        phone_number: phone,
        customer_name: 'Juma',
        customer_email: 'juma@example.com',
        idempotency_key: name,
      }),
    })
    assert.equal(response.status, 201)
    const { reference } = ((await response.json()) as Line)['data']
    await eventually(`${name} is paid`, async () => {
      const status = await fetch(`${first.url}/v1/payments/${reference}/status?wait=1`)
      return ((await status.json()) as Line)['data'].status === 'completed'
    })
    return { reference, requestId, traceId }
  }
  // One reported by its provider, one whose success has to be queried, and one that is not searched for.
  const reported = await pay('reported', '0754123789')
  const asked = await pay('asked', '0754123139')
  const other = await pay('other', '0754123789')
  await eventually('every webhook is accepted', () => received.length === 6)
  const all = (): Line[] => texts.map((text) => JSON.parse(text) as Line)
  await eventually('the lines are written', () => all().filter(({ event }) => event === 'webhook.delivered').length === 3)

  const found = (text: string): Line[] => texts.filter((line) => line.includes(text)).map((line) => JSON.parse(line) as Line)
  const kinds = (lines: Line[]): string[] =>
    [...new Set(lines.map(({ role, event, route = '' }) => `${role}: ${event} ${route}`.trim()))].toSorted()

  assert.deepEqual(kinds(found(reported.reference)), [
    'api: payment.settled',
    'api: request.answered GET /v1/payments/:reference/status',
    'api: request.answered POST /v1/payments/checkout',
    'api: request.answered POST /v1/providers/:provider/:environment/webhook',
    'worker: webhook.delivered',
    'worker: webhook.not_delivered',
  ])
  assert.deepEqual(kinds(found(reported.requestId)), [
    'api: payment.settled',
    'api: request.answered POST /v1/payments/checkout',
    'worker: webhook.delivered',
    'worker: webhook.not_delivered',
  ])
  // The line of the move names the request that brought the message.
  const [move] = found(reported.requestId).filter(({ event }) => event === 'payment.settled')
  assert.deepEqual([move!['payment_id'], move!['status'], move!['actor']], [reported.reference, 'completed', 'provider:webhook'])
  assert.deepEqual(kinds(found(move!['reported_by'])), [
    'api: payment.settled',
    'api: request.answered POST /v1/providers/:provider/:environment/webhook',
  ])
  assert.ok(kinds(found(asked.requestId)).includes('worker: payment.settled'), JSON.stringify(kinds(found(asked.requestId))))

  // Lines found for one payment do not belong to another.
  for (const text of [reported.reference, reported.requestId, reported.traceId]) {
    for (const line of found(text)) {
      const written = JSON.stringify(line)
      for (const alien of [other.reference, other.requestId, other.traceId, asked.reference])
        assert.ok(!written.includes(alien), written)
    }
  }
  const strays = all().filter(
    (line) => line['payment_id'] === reported.reference && !JSON.stringify(line).includes(reported.requestId),
  )
  assert.deepEqual(strays, [])

  // The trace continues to the provider and to the merchant; each request is a separate span.
  const onward = [...proxy.asked.map(({ traceparent }) => String(traceparent)), ...received.map(({ traceparent }) => traceparent)]
  assert.ok(
    onward.every((text) => /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(text)),
    onward.join(' '),
  )
  assert.equal(new Set(onward.map((text) => text.split('-')[2])).size, onward.length)
  const stepsOf = ({ traceId }: { traceId: string }, path: RegExp) =>
    proxy.asked.filter((one) => path.test(`${one.method} ${one.path}`) && one.traceparent!.includes(traceId)).length
  for (const payment of [reported, asked, other]) {
    assert.equal(stepsOf(payment, /^POST \/v1\/payments/), 1)
    const taken = received.filter(({ reference }) => reference === payment.reference)
    assert.deepEqual(
      taken.map(({ traceparent }) => traceparent.split('-')[1]),
      [payment.traceId, payment.traceId],
    )
  }
  assert.ok(stepsOf(asked, /^GET \/v1\/payments/) >= 1, 'the worker asks in the trace of the payment')
})
