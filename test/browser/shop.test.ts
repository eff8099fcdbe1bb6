/** The shop of `examples/` in a real Chromium, against the real service: ordered, paid, fulfilled once, refunded; also what goes wrong. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { paidStudent } from '../fixtures/payouts.ts'
import { decide } from '../fixtures/reconciliation.ts'
import { eventually, freePorts, startTestApp, type Student, type TestApp } from '../app.ts'
import { startPrism } from '../clients/prism.ts'
import { accessibilityProblems, keepPicture, overflows, startBrowser } from './browser.ts'
import { arrive, fillIn, pressPay } from './payer.ts'

const example = join(import.meta.dirname, '../../examples/shop-node')

type Kept = { orders: { id: string; item: string; fulfilledAt?: string }[]; packingList: string[] }

/** Passes every call on, except the GETs that the test breaks: these are answered 503. */
async function startGateway(t: TestContext, upstream: string) {
  let broken: RegExp | undefined
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    if (method === 'GET' && broken?.test(url)) {
      outgoing.writeHead(503, { 'content-type': 'application/json' })
      return outgoing.end(JSON.stringify({ error: { code: 'unavailable', message: 'Try again later.' } }))
    }
    const passed = request(`${upstream}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    return incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breaks: (path: RegExp | undefined): void => void (broken = path),
  }
}

/** The example in a folder of its own, set up as its README says; its calls go through a proxy that compares them with the description. */
async function setUpShop(t: TestContext, app: TestApp, student: Student) {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-shop-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const file of ['shop.mjs', 'pages.mjs', 'setup.mjs', 'package.json']) copyFileSync(join(example, file), join(folder, file))
  symlinkSync(join(example, 'node_modules'), join(folder, 'node_modules'))
  const [port] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const description = join(folder, 'openapi-merchants.json')
  writeFileSync(description, await (await fetch(`${app.config.urls.api}/openapi-merchants.json`)).text())
  const prism = await startPrism(t, description, app.config.urls.api)
  const gateway = await startGateway(t, prism.url)
  const own = { MALIPO_URL: gateway.url, MALIPO_EMAIL: student.email, MALIPO_PASSWORD: student.password, SHOP_URL: url }
  const run = { cwd: folder, env: { PATH: process.env['PATH'], ...own } }
  await promisify(execFile)('sh', ['-c', scripts.setup], run)
  const setting = (name: string): string =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(join(folder, '.env'), 'utf8'))![1]!

  let output = ''
  /** Returns what stops it. */
  async function open(): Promise<() => Promise<void>> {
    const child = spawn('sh', ['-c', `exec ${scripts.start}`], { cwd: folder, env: { PATH: process.env['PATH'] } })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece.toString()))
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const stop = async (): Promise<void> => {
      child.kill('SIGKILL')
      await ended
    }
    t.after(stop)
    await eventually(`the shop is open: ${output}`, () => fetch(url).then(Boolean, () => false))
    return stop
  }
  const kept = (): Kept => JSON.parse(readFileSync(join(folder, 'data/shop.json'), 'utf8'))
  return { url, open, kept, setting, prism, gateway }
}

const phone = { viewport: { width: 360, height: 740 }, locale: 'en-TZ', timezoneId: 'Africa/Dar_es_Salaam' }

async function seen(tab: Page, name: string): Promise<void> {
  await keepPicture(tab, name)
  assert.equal(await overflows(tab), false, name)
  assert.deepEqual(await accessibilityProblems(tab), [], name)
}

test('the example shop sells, fulfils once and refunds', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await paidStudent(app)
  const shop = await setUpShop(t, app, student)
  let stop = await shop.open()
  const browser = await startBrowser(t)
  const tab = await (await browser.newContext(phone)).newPage()
  const problems: string[] = []
  tab.on('pageerror', (error) => problems.push(error.message))
  const status = tab.getByRole('status')
  const packed = (id: string): number => shop.kept().packingList.filter((one) => one === id).length
  const buy = async (name: string): Promise<string> => {
    await tab.goto(shop.url)
    await tab.getByRole('button', { name: `Buy · Nunua: ${name}` }).click()
    await tab.waitForURL(new RegExp(`^${app.config.urls.checkout}/pay/`))
    return shop.kept().orders.at(-1)!.id
  }
  const pay = async (number: string): Promise<string> => {
    await fillIn(tab, { phone: number })
    await pressPay(tab)
    return arrive(tab)
  }
  const orderPage = (id: string) => tab.goto(`${shop.url}/orders/${id}`)
  /** The shopkeeper sends the customer of a coffee another link, and it is paid in full. */
  const payAgain = async (id: string): Promise<void> => {
    const again = await app.call('POST', '/v1/payment-requests', {
      key: shop.setting('MALIPO_API_KEY'),
      headers: { 'idempotency-key': `again-${id}` },
      body: { amount: 6_500, title: 'Coffee', merchant_reference: id },
    })
    assert.equal(again.status, 201, JSON.stringify(again.body))
    const slug = new URL(again.body.data.url).pathname.split('/').at(-1)!
    await app.settled((await app.checkout(slug, { phone_number: '0754000789' })).body.data.reference)
  }

  const basket = await buy('Basket')
  await t.test('an order is paid on the phone, and the customer is back at the shop', async () => {
    await tab.goBack()
    await seen(tab, 'shop-goods')
    await orderPage(basket)
    await status.getByText('not paid yet').waitFor()
    await seen(tab, 'shop-waiting')
    await tab.getByRole('link', { name: 'Pay · Lipa' }).click()
    await pay('0754 000 222')

    const other = await (await browser.newContext(phone)).newPage()
    await other.goto(`${shop.url}/orders/${basket}`)
    await other.getByText('Malipo yanaendelea').waitFor()
    await seen(other, 'shop-pending')
    await other.goto(`${app.simulatorUrl}/phone/255754000222`)
    await other.locator('input[name=pin]').fill('1234')
    await other.getByRole('button', { name: 'Tuma', exact: true }).click()
    await other.getByText('Imethibitishwa').waitFor()
    await other.context().close()

    await tab.locator('#return').click()
    await status.getByText('Paid, thank you').waitFor()
    assert.equal(new URL(tab.url()).pathname, `/orders/${basket}`)
    await seen(tab, 'shop-paid')
    assert.equal(packed(basket), 1)
  })

  const { data: apps } = (await app.call('GET', '/developers/apps', { token: student.token })).body
  const appId: string = apps.find(({ name }: any) => name === 'Example shop').id
  const delivered = async (): Promise<number> => {
    const { rows } = await app.owner.pool.query(
      `select count(*)::integer as count from webhook_attempts where outcome = 'succeeded'`,
    )
    return rows[0].count
  }

  await t.test('a button that is pressed twice at once makes one order and one payment request', async () => {
    await tab.goto(shop.url)
    const kitenge = tab.getByRole('listitem').filter({ hasText: 'Kitenge' })
    const id = await kitenge.locator('input[name=id]').inputValue()
    const press = () =>
      fetch(`${shop.url}/orders`, { method: 'POST', body: new URLSearchParams({ id, item: 'kitenge' }), redirect: 'manual' })
    const answers = await Promise.all([press(), press()])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    )
    assert.equal(answers[0].headers.get('location'), answers[1].headers.get('location'))
    const { rows } = await app.owner.pool.query(
      `select amount from payment_pages where kind = 'request' and merchant_reference = $1`,
      [id],
    )
    assert.deepEqual(rows, [{ amount: 25_000 }])
  })

  await t.test('a webhook that is delivered twice fulfils nothing a second time', async () => {
    await eventually('the webhook has arrived', async () => (await delivered()) > 0)
    const before = await delivered()
    const now = Date.now()
    const period = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 60_000).toISOString() }
    const replayed = await app.call('POST', `/developers/apps/${appId}/webhook/replay`, { token: student.token, body: period })
    assert.ok(replayed.status < 300, JSON.stringify(replayed.body))
    await eventually('it has arrived again', async () => (await delivered()) > before)
    assert.equal(packed(basket), 1)
  })

  await t.test('a payment that fails is shown with its reason, and the customer tries again', async () => {
    const coffee = await buy('Coffee')
    await app.settled(await pay('0754 000 049'))
    await orderPage(coffee)
    await status.getByText('Malipo hayakufanikiwa').waitFor()
    await seen(tab, 'shop-failed')
    assert.equal(packed(coffee), 0)
    await tab.getByRole('link', { name: 'Try again' }).click()
    await app.settled(await pay('0754 000 789'))
    await orderPage(coffee)
    await status.getByText('Paid, thank you').waitFor()
    await eventually('the order is on the list', () => packed(coffee) === 1)
  })

  await t.test('an order that was paid while the shop was off is fulfilled at its next start', async () => {
    const kitenge = await buy('Kitenge')
    await stop()
    await app.settled(await pay('0754 000 789'))
    stop = await shop.open()
    await eventually('the order is on the list', () => packed(kitenge) === 1)
  })

  await t.test('a call that fails leaves no paid order short, and none unfulfilled after a restart', async () => {
    for (const path of [/^\/v1\/payments\/pay_\w+$/, /^\/v1\/payments\?/]) {
      const kitenge = await buy('Kitenge')
      shop.gateway.breaks(path)
      await app.settled(await pay('0754 000 789'))
      await orderPage(kitenge)
      assert.doesNotMatch((await status.textContent())!, /less than the price/, String(path))
      // Another order is saved, and with it what the shop knows of this one.
      await buy('Coffee')
      await stop()
      shop.gateway.breaks(undefined)
      stop = await shop.open()
      await eventually('the order is on the list', () => packed(kitenge) === 1)
    }
  })

  await t.test('an order that was paid with too little is not fulfilled, and the shopkeeper sees what arrived', async () => {
    const coffee = await buy('Coffee')
    const reference = await pay('0754 000 189')
    const two = [await app.admin(), await app.admin()] as const
    const found = await eventually('operators are asked', async () => {
      const { body } = await app.call('GET', '/v1/admin/breaks', { token: two[0].token })
      return body.data[0]
    })
    assert.equal((await decide(app, two, found.id, { resolution: 'credit_payment' })).status, 200)
    await orderPage(coffee)
    await status.getByText('Tumepokea pungufu ya bei').waitFor()
    await seen(tab, 'shop-short')
    assert.equal(packed(coffee), 0)
    const httpCredentials = { username: 'admin', password: shop.setting('ADMIN_PASSWORD') }
    const admin = await (await browser.newContext({ ...phone, httpCredentials })).newPage()
    await admin.goto(`${shop.url}/admin`)
    const row = admin.getByRole('listitem').filter({ hasText: reference })
    await row.getByText('completed, received TSh 6,400').waitFor()
    await admin.context().close()

    await stop()
    await payAgain(coffee)
    stop = await shop.open()
    await eventually('the order is on the list', () => packed(coffee) === 1)
    await orderPage(coffee)
    await status.getByText('Paid, thank you').waitFor()
  })

  await t.test('an order that was not paid in time says so', async () => {
    const late = await buy('Coffee')
    await app.owner.pool.query(
      `update payment_pages set created_at = created_at - interval '2 hours', expires_at = now() - interval '1 minute'
      where merchant_reference = $1`,
      [late],
    )
    await orderPage(late)
    await status.getByText('Muda wa kulipia oda hii umekwisha').waitFor()
    await seen(tab, 'shop-expired')
    await payAgain(late)
    await orderPage(late)
    await status.getByText('Paid, thank you').waitFor()
    assert.equal(packed(late), 1)
  })

  await t.test('an order is refunded once from the admin page, and the customer sees it', async () => {
    const httpCredentials = { username: 'admin', password: shop.setting('ADMIN_PASSWORD') }
    const admin = await (await browser.newContext({ ...phone, httpCredentials })).newPage()
    await admin.goto(`${shop.url}/admin`)
    await seen(admin, 'shop-admin')
    const row = admin.getByRole('listitem').filter({ hasText: 'Basket' })
    const body = { order: basket, payment: (await row.locator('input[name=payment]').inputValue())! }
    await row.getByRole('button', { name: 'Refund' }).click()
    await row.getByText('refunds:').waitFor()
    const pressed = await admin.request.post(`${shop.url}/admin/refunds`, { form: body })
    assert.ok(pressed.ok(), await pressed.text())
    await orderPage(basket)
    await status.getByText('This order was refunded to the phone that paid').waitFor({ timeout: 20_000 })
    await seen(tab, 'shop-refunded')
    await admin.goto(`${shop.url}/admin`)
    await row.getByText('refunds: completed').waitFor()
    await seen(admin, 'shop-admin-refunded')
    await admin.context().close()

    // No one else refunds: without the password, and from a page of another site.
    const refund = (headers: Record<string, string>) =>
      fetch(`${shop.url}/admin/refunds`, { method: 'POST', headers, body: new URLSearchParams(body) })
    assert.equal((await refund({})).status, 401)
    const authorization = `Basic ${Buffer.from(`admin:${httpCredentials.password}`).toString('base64')}`
    assert.equal((await refund({ authorization, 'sec-fetch-site': 'cross-site' })).status, 403)
    const { rows } = await app.owner.pool.query(`select count(*)::integer as count from payouts where purpose = 'refund'`)
    assert.equal(rows[0].count, 1)
  })

  // Each paid order is on the list once.
  const { orders, packingList } = shop.kept()
  assert.deepEqual(
    orders.filter(({ fulfilledAt }) => fulfilledAt).map(({ id }) => id),
    packingList,
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(shop.prism.violations(), [])
})
