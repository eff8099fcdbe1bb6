/**
 * A shop that sells with Malipo. An order is saved before Malipo is called, its payment is read back with the API key, and it is
 * fulfilled once, however many webhooks arrive.
 */
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import express from 'express'
import { adminPage, errorPage, goods, orderPage, shopPage } from './pages.mjs'

const { MALIPO_URL, MALIPO_API_KEY, MALIPO_WEBHOOK_SECRET, SHOP_URL, ADMIN_PASSWORD } = process.env
if (!(MALIPO_URL && MALIPO_API_KEY && MALIPO_WEBHOOK_SECRET && SHOP_URL && ADMIN_PASSWORD)) {
  throw new Error('Settings are missing: run `npm run setup`, or fill in .env as .env.example shows.')
}

// One file is enough for an example. In your shop, these are tables.
mkdirSync('data', { recursive: true })
const saved = existsSync('data/shop.json') ? JSON.parse(readFileSync('data/shop.json', 'utf8')) : { orders: [], packingList: [] }
const orders = new Map(saved.orders.map((order) => [order.id, order]))
const { packingList } = saved

/** The file is replaced at once, so a crash leaves the old one or the new one. */
function save() {
  writeFileSync('data/shop.json.next', JSON.stringify({ orders: [...orders.values()], packingList }), { flush: true })
  renameSync('data/shop.json.next', 'data/shop.json')
}

async function malipo(method, path, { body, idempotencyKey } = {}) {
  const response = await fetch(`${MALIPO_URL}${path}`, {
    method,
    headers: {
      'x-api-key': MALIPO_API_KEY,
      ...(body && { 'content-type': 'application/json' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(5_000),
  })
  const { data, error } = await response.json()
  if (!response.ok) throw Object.assign(new Error(error?.message ?? `Malipo answered ${response.status}.`), { code: error?.code })
  return data
}

const turns = new Map()

/** One check of an order at a time: an older answer never replaces a newer one. */
function check(order) {
  const turn = (turns.get(order.id) ?? Promise.resolve()).catch(() => undefined).then(() => readAndFulfil(order))
  turns.set(order.id, turn)
  return turn
}

async function readAndFulfil(order) {
  if (!order.requestId) return
  const request = await malipo('GET', `/v1/payment-requests/${order.requestId}`)
  const payments = await malipo('GET', `/v1/payments?merchant_reference=${order.id}&limit=100`)
  for (const payment of payments) {
    const mayHaveRefunds = payment.status === 'completed'
    payment.refunds = mayHaveRefunds ? await malipo('GET', `/v1/payments/${payment.reference}/refunds?limit=100`) : []
  }
  // Only after the last call: a call that fails must not leave half of what was read.
  order.status = request.status
  order.payments = payments.map(({ reference, status, amount, amount_received, failure, refund_status, refunds }) => {
    return { reference, status, amount, amount_received, failure, refund_status, refunds: refunds.map((refund) => refund.status) }
  })
  // Any of them: our operators may have credited a payment that was too small, and the customer paid again.
  const isPaid = payments.some((one) => one.status === 'completed' && (one.amount_received ?? one.amount) >= order.amount)
  // Exactly once: nothing else runs between this check and the end of save().
  if (isPaid && !order.fulfilledAt) {
    order.fulfilledAt = new Date().toISOString()
    packingList.push(order.id)
  }
  save()
}

/** Over the bytes as they arrived: JSON that was parsed and written again has another signature. */
function isGenuine(rawBody, headers) {
  const timestamp = headers['x-service-timestamp']
  if (!Buffer.isBuffer(rawBody) || !(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false
  const expected = createHmac('sha256', MALIPO_WEBHOOK_SECRET).update(`${timestamp}.`).update(rawBody).digest()
  const given = Buffer.from(headers['x-service-signature'] ?? '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const app = express()

// Before any other body parser, because the signature needs the raw body.
app.post('/webhooks/malipo', express.raw({ type: () => true }), async (request, response) => {
  if (!isGenuine(request.body, request.headers)) return response.sendStatus(400)
  const { data } = JSON.parse(request.body)
  // The event says only which payment to read. So a repeated event changes nothing, and the order of events does not matter.
  const reference = data.payment ?? data.reference
  const payment = await malipo('GET', `/v1/payments/${reference}`).catch((error) => {
    if (error.code !== 'not_found') throw error
  })
  const order = orders.get(payment?.merchant_reference)
  // If this fails, the answer is 500 and Malipo sends the event again.
  if (order) await check(order)
  response.sendStatus(204)
})

app.use(express.urlencoded({ extended: false }))

app.get('/', (request, response) => {
  const last = orders.get(/(?:^|; )order=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1])
  response.send(shopPage(randomUUID, last))
})

app.post('/orders', async (request, response) => {
  const { id, item } = request.body ?? {}
  if (!/^[0-9a-f-]{36}$/.test(id) || !Object.hasOwn(goods, item)) return response.status(400).send(errorPage('Choose an item.'))
  // The form carries the id, so a button that is pressed twice makes one order.
  if (!orders.has(id)) {
    const expiresAt = new Date(Date.now() + 60 * 60_000).toISOString()
    orders.set(id, { id, item, amount: goods[item].price, expiresAt, status: 'open', payments: [] })
    save()
  }
  const order = orders.get(id)
  response.cookie('order', id, { httpOnly: true, sameSite: 'lax' })
  if (!order.url) {
    const body = {
      amount: order.amount,
      title: goods[order.item].name,
      merchant_reference: id,
      metadata: { item: order.item },
      expires_at: order.expiresAt,
      redirect_url: `${SHOP_URL}/orders/${id}`,
    }
    // The key comes from the order: after a lost answer, the same call returns the same payment request.
    const made = await malipo('POST', '/v1/payment-requests', { body, idempotencyKey: `order-${id}` })
    Object.assign(order, { requestId: made.id, url: made.url })
    save()
  }
  response.redirect(303, order.url)
})

app.get('/orders/:id', async (request, response) => {
  const order = orders.get(request.params.id)
  if (!order) return response.status(404).send(errorPage('There is no such order.'))
  // The customer may be back before the webhook. Without an answer, the page shows what is known.
  await check(order).catch((error) => console.error(`Order ${order.id} was not checked: ${error.message}`))
  response.send(orderPage(order))
})

app.use('/admin', (request, response, next) => {
  const password = Buffer.from(request.get('authorization')?.slice(6) ?? '', 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
  const digest = (text) => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(digest(password), digest(ADMIN_PASSWORD))) {
    return response.set('www-authenticate', 'Basic realm="Shop"').status(401).send(errorPage('Sign in as `admin`.'))
  }
  // The browser sends the password also when another site submits a form to this one.
  if (request.method !== 'GET' && !['same-origin', undefined].includes(request.get('sec-fetch-site')))
    return response.sendStatus(403)
  next()
})

app.get('/admin', async (request, response) => response.send(adminPage([...orders.values()].reverse(), packingList)))

app.post('/admin/refunds', async (request, response) => {
  const order = orders.get(request.body?.order)
  if (order) await check(order)
  const payment = order?.payments.find(({ reference }) => reference === request.body.payment)
  if (!payment) return response.status(404).send(errorPage('There is no such payment.'))
  // A repeat under one key returns the first refund. Only a failed refund is followed by another one.
  const failed = payment.refunds.filter((status) => status === 'failed').length
  const idempotencyKey = `refund-${payment.reference}-${failed}`
  await malipo('POST', `/v1/payments/${payment.reference}/refunds`, { body: { reason: 'Returned' }, idempotencyKey })
  await check(order)
  response.redirect(303, '/admin')
})

app.use((error, request, response, _next) => {
  console.error(error)
  const isOrder = request.method === 'POST' && request.path === '/orders'
  response.status(500).send(isOrder ? errorPage('Please try again in a minute.', request.body) : errorPage(error.message))
})

app.listen(process.env.PORT ?? (new URL(SHOP_URL).port || 80), (error) => {
  // Express reports a port that is taken here, too.
  if (error) throw error
  console.log(`The shop is open: ${SHOP_URL}`)
})

// Webhooks of the time when the shop was off. Not only of open orders: also an expired one may be paid late, or paid again in full.
for (const order of [...orders.values()].reverse()) {
  if (!order.fulfilledAt)
    await check(order).catch((error) => console.error(`Order ${order.id} was not checked: ${error.message}`))
}
