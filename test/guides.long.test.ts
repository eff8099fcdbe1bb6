/** The programs of the guide from the order to the parcel, word for word, each as a shop that talks to the real service through a proxy that compares its calls with the description. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { paidStudent } from './fixtures/payouts.ts'
import { decide } from './fixtures/reconciliation.ts'
import { codeBlocksOf } from './code-blocks.ts'
import { startPrism } from './clients/prism.ts'
import { eventually, freePorts, startTestApp, type TestApp } from './app.ts'

const root = join(import.meta.dirname, '..')
const guide = 'docs/guides/from-order-to-fulfilment.md'
const events = ['payment.completed', 'payment.failed', 'payment.expired', 'payment.voided', 'refund.completed', 'refund.failed']

type Language = { file: string; command: string; args(port: number): string[]; needs: [command: string, ...args: string[]] }

const languages: Record<string, Language> = {
  js: { file: 'shop.mjs', command: 'node', args: () => ['shop.mjs'], needs: ['node', '--version'] },
  python: {
    file: 'shop.py',
    command: 'python3',
    args: (port) => ['-m', 'flask', '--app', 'shop', 'run', '--port', String(port)],
    needs: ['python3', '-c', 'import flask, requests'],
  },
  php: {
    file: 'shop.php',
    command: 'php',
    args: (port) => ['-S', `127.0.0.1:${port}`, 'shop.php'],
    needs: ['php', '-r', "exit(extension_loaded('curl') ? 0 : 1);"],
  },
  go: { file: 'shop.go', command: 'go', args: () => ['run', 'shop.go'], needs: ['go', 'version'] },
}

async function startProgram(t: TestContext, app: TestApp, language: string) {
  const { file, command, args } = languages[language]!
  const [block, ...more] = codeBlocksOf(guide).filter((one) => one.language === language)
  assert.ok(block && more.length === 0, `the guide has one program in ${language}`)
  const folder = mkdtempSync(join(tmpdir(), 'malipo-guide-'))
  writeFileSync(join(folder, file), block.text)
  symlinkSync(join(root, 'examples/shop-node/node_modules'), join(folder, 'node_modules'))
  const [port] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`

  const student = await paidStudent(app)
  const { appId, key } = await app.key(student)
  const hook = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: `${url}/webhooks/malipo`, events },
  })
  assert.equal(hook.status, 201, JSON.stringify(hook.body))
  const secret: string = hook.body.data.secret
  const description = join(folder, 'openapi-merchants.json')
  writeFileSync(description, await (await fetch(`${app.config.urls.api}/openapi-merchants.json`)).text())
  const prism = await startPrism(t, description, app.config.urls.api)
  const child = spawn(command, args(port!), {
    cwd: folder,
    detached: true,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(port),
      PHP_CLI_SERVER_WORKERS: '4',
      MALIPO_URL: prism.url,
      MALIPO_API_KEY: key,
      MALIPO_WEBHOOK_SECRET: secret,
      SHOP_URL: url,
      ADMIN_PASSWORD: 'karibu',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
  const ended = new Promise((resolve) => child.once('close', resolve))
  t.after(async () => {
    // The server of PHP has workers, in the same process group.
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  await eventually('the shop is open', () => fetch(url).then(Boolean, () => false))

  const post = async (path: string, body: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body, headers, redirect: 'manual' })
    return { status: response.status, text: await response.text(), location: response.headers.get('location') }
  }
  return {
    key,
    prism,
    post,
    /** Replaces what the program has kept of an order. */
    keep: (order: string, text: string): void =>
      writeFileSync(join(folder, 'orders', language === 'go' ? order : `${order}.json`), text),
    output: () => output,
    shipped: (order: string): number => output.split(`ship ${order}`).length - 1,
    order: (order: string) => post('/orders', new URLSearchParams({ order, amount: '500' }).toString(), form),
    state: async (order: string): Promise<string> => (await fetch(`${url}/orders/${order}`)).text(),
    async sendTestEvent(): Promise<void> {
      const path = `/developers/apps/${appId}/webhook`
      assert.equal((await app.call('POST', `${path}/test`, { token: student.token })).status, 200)
      const [attempt] = await eventually('the test event was sent', async () => {
        const { data } = (await app.call('GET', `${path}/deliveries`, { token: student.token })).body
        return data.length > 0 && data
      })
      assert.deepEqual([attempt.trigger, attempt.outcome], ['test', 'succeeded'], output)
    },
    /** An event as the service signs it. */
    deliver: (event: unknown, { secondsAgo = 0, key: own = secret } = {}) => {
      const body = JSON.stringify(event)
      const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo)
      const signature = createHmac('sha256', own).update(`${timestamp}.${body}`).digest('hex')
      return post('/webhooks/malipo', body, {
        'content-type': 'application/json',
        'x-service-timestamp': timestamp,
        'x-service-signature': signature,
      })
    },
  }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

for (const [language, { needs }] of Object.entries(languages)) {
  test(`the program in ${language} takes an order, ships it once, and refunds it`, async (t) => {
    const [command, ...args] = needs
    if (spawnSync(command, args).status !== 0) {
      // Whoever changes the guide sees in the output what was not tried.
      t.diagnostic(`SKIPPED: \`${needs.join(' ')}\` fails here, so the program in ${language} was not run`)
      return
    }
    const app = await startTestApp(t, { worker: true })
    const shop = await startProgram(t, app, language)
    const pay = async (location: string, phone: string): Promise<string> => {
      const paid = await app.checkout(new URL(location).pathname.split('/').at(-1)!, { phone_number: phone })
      assert.equal(paid.status, 201, JSON.stringify(paid.body))
      return paid.body.data.reference
    }

    // Pressed twice: one payment request, of the shop's price.
    const order = randomUUID()
    const [first, second] = [await shop.order(order), await shop.order(order)]
    assert.deepEqual([first.status, second.status], [303, 303], shop.output())
    assert.equal(second.location, first.location)
    const requestsOf = async (reference: string) =>
      (await app.call('GET', `/v1/payment-requests?merchant_reference=${reference}`, { key: shop.key })).body.data
    const requests = () => requestsOf(order)
    assert.deepEqual(
      (await requests()).map(({ amount, metadata }: any) => [amount, metadata]),
      [[12_000, { item: 'basket' }]],
    )
    assert.equal(await shop.state(order), 'open')
    assert.equal((await shop.post('/orders', 'order=..%2Fetc', form)).status, 400)

    // The test event of the dashboard is not of an order.
    await shop.sendTestEvent()

    // A failure is shown, and the same link takes another try. The webhook ships, without a visit of the customer.
    await app.settled(await pay(first.location!, '0754000049'))
    assert.equal(await shop.state(order), 'failed')
    assert.equal(shop.shipped(order), 0)
    const reference = await pay(first.location!, '0754000789')
    await app.settled(reference)
    await eventually('the webhook ships', () => shop.shipped(order) > 0)
    assert.equal(await shop.state(order), 'paid')

    // Pressed again on a page that was left open for more than a day: the answer to the first call is not kept any more.
    await app.owner.pool.query('delete from idempotent_answers')
    assert.equal((await shop.order(order)).location, first.location, shop.output())
    assert.equal((await requests()).length, 1)
    assert.equal(await shop.state(order), 'paid')

    // An order that was open when the shop changed to this version of the program: earlier ones kept less of it.
    const early = randomUUID()
    const earlyLink = (await shop.order(early)).location!
    const [{ id: earlyId }] = await requestsOf(early)
    shop.keep(early, language === 'go' ? earlyId : JSON.stringify({ id: earlyId }))
    await app.owner.pool.query('delete from idempotent_answers')
    assert.equal((await shop.order(early)).location, earlyLink, shop.output())
    assert.equal((await requestsOf(early)).length, 1)
    await app.settled(await pay(earlyLink, '0754000789'))
    await eventually('the webhook ships', () => shop.shipped(early) > 0)

    // The disk was full, and an empty file stayed. The customer presses again.
    const full = randomUUID()
    shop.keep(full, '')
    assert.equal((await shop.order(full)).status, 303, shop.output())
    assert.equal(await shop.state(full), 'open')

    // Repeated at once, late and out of order; forged and replayed ones are refused.
    const event = { id: 'evt_1', type: 'payment.completed', data: { reference } }
    const repeats = await Promise.all(Array.from({ length: 8 }, () => shop.deliver(event)))
    assert.deepEqual(new Set(repeats.map(({ status }) => status)), new Set([204]), shop.output())
    assert.equal((await shop.deliver({ ...event, type: 'payment.failed' })).status, 204)
    assert.equal((await shop.deliver({ id: 'evt_2', type: 'business.verified', data: { id: 'biz_1' } })).status, 204)
    assert.equal((await shop.deliver(event, { key: 'whsec_other' })).status, 400)
    assert.equal((await shop.deliver(event, { secondsAgo: 600 })).status, 400)
    assert.equal((await shop.post('/webhooks/malipo', JSON.stringify(event))).status, 400)
    assert.equal((await shop.post('/webhooks/malipo', '')).status, 400)
    assert.equal(shop.shipped(order), 1)

    // An event of a payment that is not paid ships nothing, whatever the event says.
    const unpaid = randomUUID()
    const link = (await shop.order(unpaid)).location!
    const failed = await pay(link, '0754000049')
    await app.settled(failed)
    await shop.deliver({ ...event, data: { reference: failed, merchant_reference: unpaid } })
    assert.equal(shop.shipped(unpaid), 0)

    // Operators credit a payment of 100 shillings too little: it is not shipped, and the shopkeeper is told.
    const less = randomUUID()
    await pay((await shop.order(less)).location!, '0754000189')
    const two = [await app.admin(), await app.admin()] as const
    const found = await eventually('operators are asked', async () => {
      const { body } = await app.call('GET', '/v1/admin/breaks', { token: two[0].token })
      return body.data[0]
    })
    assert.equal((await decide(app, two, found.id, { resolution: 'credit_payment' })).status, 200)
    await eventually('the webhook is read', () => shop.output().includes(`underpaid: ${less}`))
    assert.equal(await shop.state(less), 'underpaid')
    assert.equal(shop.shipped(less), 0)

    // The customer pays again, now in full: it is shipped.
    const send = (body: Record<string, unknown>) =>
      app.call('POST', '/v1/payment-requests', {
        key: shop.key,
        headers: { 'idempotency-key': randomUUID() },
        body: { amount: 12_000, title: 'Basket from Iringa', ...body },
      })
    await pay((await send({ merchant_reference: less })).body.data.url, '0754000789')
    await eventually('the webhook ships', () => shop.shipped(less) > 0)
    assert.equal(await shop.state(less), 'paid')

    // An event of a payment that another program of the wallet made is received, and is no order of this shop.
    const other = await pay((await send({ merchant_reference: 'INV 2026/5' })).body.data.url, '0754000789')
    assert.equal((await shop.deliver({ ...event, data: { reference: other } })).status, 204, shop.output())

    // Pressed twice: one refund.
    assert.equal((await shop.post(`/orders/${order}/refund`, '')).status, 403)
    const admin = { authorization: 'Bearer karibu' }
    assert.equal((await shop.post(`/orders/${unpaid}/refund`, '', admin)).status, 409)
    for (const answer of [
      await shop.post(`/orders/${order}/refund`, '', admin),
      await shop.post(`/orders/${order}/refund`, '', admin),
    ])
      assert.match(`${answer.status} ${answer.text}`, /^200 refund (pending|processing|completed)$/, shop.output())
    await eventually('the refund arrives', async () => (await shop.state(order)) === 'refund completed')
    const refunds = await app.call('GET', `/v1/payments/${reference}/refunds`, { key: shop.key })
    assert.deepEqual(
      refunds.body.data.map(({ amount }: any) => amount),
      [12_000],
    )
    assert.equal(shop.shipped(order), 1)
    assert.deepEqual(shop.prism.violations(), [])
  })
}
