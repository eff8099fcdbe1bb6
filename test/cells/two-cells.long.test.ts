/**
 * Two cells behind one proxy: two databases, two services with homes of their own. All work of both cells passes through the one address,
 * and what is sent to the wrong cell directly is refused and writes nothing.
 */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { test, type TestContext } from 'node:test'
import { fromWire, homeOfId } from '../../server/platform/ids.ts'
import { eventually, startTestApp, type TestApp } from '../app.ts'
import { ended as batchEnded, fileOf, running } from '../fixtures/batches.ts'
import { ask, ended, paidStudent } from '../fixtures/payouts.ts'
import { readStream } from '../streams.ts'
import { countRows } from './count-rows.ts'
import { noProxy, prepareProxy } from './proxy.ts'

const homes = ['0-127', '128-255'] as const

async function startCells(t: TestContext): Promise<[TestApp, TestApp]> {
  const proxy = await prepareProxy(t)
  const apps: TestApp[] = []
  for (const [place, owned] of homes.entries()) {
    const settings = { ...proxy.settingsOf(place), CELL: `k${place + 1}`, CELL_HOMES: owned, RATE_LIMITS: 'off' }
    apps.push(await startTestApp(t, { worker: true, settings }))
  }
  const portsOf = ({ config }: TestApp) => config.ports
  await proxy.start(
    apps.map((app, place) => ({
      name: app.config.cell.name,
      homes: homes[place]!,
      api: `127.0.0.1:${portsOf(app).api}`,
      checkout: `127.0.0.1:${portsOf(app).checkout}`,
    })),
  )
  return apps as [TestApp, TestApp]
}

/** A merchant's server that remembers the bodies it received. */
async function startReceiver(t: TestContext): Promise<{ url: string; received: string[] }> {
  const received: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      received.push(body)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`, received }
}

const merchantsOf = async (app: TestApp): Promise<number> =>
  (await app.owner.pool.query<{ count: number }>('select count(*)::integer as count from merchants')).rows[0]!.count

test('two cells do all their work through one address', { skip: noProxy }, async (t) => {
  const [first, second] = await startCells(t)
  for (const [place, cell] of [first, second].entries()) {
    // Requests with a key or a session go to the same address for both cells: that of the first one.
    const app: TestApp = { ...cell, call: first.call, config: { ...cell.config, urls: first.config.urls } }
    const before = await merchantsOf(cell)
    const student = await paidStudent(cell, 200_000)
    assert.equal(await merchantsOf(cell), before + 1)
    const stream = await readStream(app, student.token)
    const { url, received } = await startReceiver(t)
    const { appId } = await cell.key(student)
    const hook = await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
    assert.equal(hook.status, 201, JSON.stringify(hook.body))

    const page = (
      await app.call('POST', '/v1/payment-pages', {
        key: student.key,
        body: { type: 'payment', title: 'Mandazi', amount: 12_000 },
      })
    ).body.data
    assert.ok(page.slug.startsWith(`k${place + 1}-`))
    const shown = await fetch(page.url)
    assert.equal(shown.status, 200)
    assert.match(await shown.text(), /Mandazi/)
    const checkout = await app.call('POST', '/v1/payments/checkout', {
      body: {
        slug: page.slug,
        phone_number: '+255754123789',
        customer_name: 'Juma Hamisi',
        customer_email: 'juma@example.com',
        idempotency_key: randomUUID(),
      },
    })
    assert.equal(checkout.status, 201, JSON.stringify(checkout.body))
    const { reference } = checkout.body.data
    const [least, most] = homes[place]!.split('-').map(Number) as [number, number]
    const home = homeOfId(fromWire('pay', reference)!)
    assert.ok(home >= least && home <= most, String(home))
    await eventually('the payment is completed', async () => {
      const { body } = await app.call('GET', `/v1/payments/${reference}/status?wait=5`)
      return body.data.status === 'completed'
    })
    assert.equal((await fetch(`${first.config.urls.checkout}/pay/${page.slug}/${reference}`)).status, 200)
    assert.equal((await fetch(`${first.config.urls.checkout}/r/${reference}`)).status, 200)
    await eventually('the merchant got the event', () => received.some((body) => body.includes(reference)))
    await eventually('the stream says that payments changed', () =>
      stream.subjects().some((subject) => subject.includes('payments')),
    )
    stream.close()

    const payout = await ask(app, student.key)
    assert.equal(payout.status, 201, JSON.stringify(payout.body))
    await ended(app, student.key, payout.body.data.id, 'completed')
    const refund = await app.call('POST', `/v1/payments/${reference}/refunds`, {
      key: student.key,
      headers: { 'idempotency-key': randomUUID() },
      body: { amount: 6000 },
    })
    assert.equal(refund.status, 201, JSON.stringify(refund.body))
    const batch = await running(app, student, fileOf(3))
    await batchEnded(app, student.key, batch.id)

    const refreshed = await app.call('POST', '/v1/auth/refresh', { body: { refresh_token: student.refreshToken } })
    assert.equal(refreshed.status, 200, JSON.stringify(refreshed.body))
    // Every message of the provider came through the proxy, to the cell of its payment.
    const { rows } = await cell.owner.pool.query<{ states: string[] }>(
      'select array_agg(distinct state) as states from provider_inbox',
    )
    assert.deepEqual(rows[0]!.states, ['settled'])
  }
})

test('what is sent to the wrong cell directly is refused and writes nothing', { skip: noProxy }, async (t) => {
  const [first, second] = await startCells(t)
  const student = await paidStudent(second)
  const page = await second.page(student)
  const { reference } = (await second.checkout(page.slug)).body.data
  await second.settled(reference)
  const { rows: messages } = await second.owner.pool.query<{ body: string }>(
    `select body from provider_inbox where body like '%' || $1 || '%' limit 1`,
    [reference],
  )
  const { body: message } = messages[0]!
  const timestamp = String(Math.floor(Date.now() / 1000))
  const secret = first.settings['SNIPPE_TEST_WEBHOOK_SECRETS']!
  const signature = createHmac('sha256', secret).update(`${timestamp}.${message}`).digest('hex')
  const signed = { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature }

  const before = await countRows(first)
  const direct = async (
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
  ) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`http://127.0.0.1:${first.config.ports.api}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: text }),
    })
    const { error } = (await response.json()) as { error?: { code: string } }
    return `${response.status} ${error?.code ?? ''}`
  }
  const key = { 'x-api-key': student.key }
  const once = { ...key, 'idempotency-key': randomUUID() }
  const answers = [
    await direct('GET', '/v1/balance', { headers: key }),
    await direct('POST', '/v1/payouts', {
      headers: once,
      body: { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha' },
    }),
    await direct('GET', '/v1/me', { headers: { authorization: `Bearer ${student.token}` } }),
    await direct('POST', '/v1/auth/refresh', { body: { refresh_token: student.refreshToken } }),
    await direct('GET', `/v1/payments/${reference}/status`),
    await direct('GET', `/v1/pay/${page.slug}`),
    await direct('POST', '/v1/payments/checkout', { body: { slug: page.slug } }),
    await direct('POST', '/v1/providers/snippe/test/webhook', { headers: signed, body: message }),
    await direct('POST', '/v1/providers/snippe/test/webhook?cell=k2', { headers: signed, body: message }),
  ]
  assert.deepEqual(
    answers,
    answers.map(() => '421 wrong_cell'),
  )
  assert.deepEqual(await countRows(first), before)
  // Through the proxy the same message finds its cell without the name in the address, by the reference in it.
  const found = await fetch(`${first.config.urls.api}/v1/providers/snippe/test/webhook`, {
    method: 'POST',
    headers: signed,
    body: message,
  })
  assert.equal(found.status, 200, await found.text())
})
