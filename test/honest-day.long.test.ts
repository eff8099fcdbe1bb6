/**
 * An honest day in two minutes, which is more than any limit by the minute or the hour expects of one: fifty merchants, two thousand
 * payers behind three addresses of carriers, and five operators. No limit stops any of them.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestApp, type Admin, type Student, type TestApp } from './app.ts'
import { businessFacts } from './onboarding.ts'
import { readStream } from './streams.ts'

const carriers = ['102.64.10.1', '41.59.20.2', '197.250.30.3']
const merchantsADay = 50
const payersADay = 2_000
const secondsOfDay = 75

type Sent = { token?: string; key?: string; body?: unknown; form?: Record<string, string> }
type Answered = { status: number; location: string; data: any }

/** Requests from the networks of carriers, and the refusals. */
type Day = {
  app: TestApp
  refused: string[]
  ask(from: number, method: 'GET' | 'POST', url: string, sent?: Sent): Promise<Answered>
}

function startDay(app: TestApp): Day {
  const refused: string[] = []
  const day: Day = {
    app,
    refused,
    async ask(from, method, url, sent = {}) {
      const { token, key, body, form } = sent
      const isPage = url.startsWith('/pay/') || url.startsWith('/c/')
      const answer = await (isPage ? app.api.checkout : app.api.api).inject({
        method,
        url,
        remoteAddress: carriers[from % carriers.length]!,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'x-api-key': key, 'idempotency-key': randomUUID() }),
          ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(form ? { payload: new URLSearchParams(form).toString() } : body !== undefined && { payload: body as object }),
      })
      // A machine that is busy for a moment says so.
      if (answer.statusCode === 503) {
        await sleep(1_000)
        return day.ask(from, method, url, sent)
      }
      if (answer.statusCode >= 400) refused.push(`${answer.statusCode} ${method} ${url} ${answer.payload.slice(0, 200)}`)
      const isJson = String(answer.headers['content-type']).includes('json')
      return {
        status: answer.statusCode,
        location: String(answer.headers.location ?? ''),
        data: isJson ? JSON.parse(answer.payload).data : undefined,
      }
    },
  }
  return day
}

type Merchant = Student & { slug: string; key: string; place: number }

async function openShop({ app, ask }: Day, place: number): Promise<Merchant> {
  const student = await app.student()
  const { key } = await app.key(student)
  const { slug } = await app.page(student, { amount: 20_000 })
  for (let device = 0; device < 2; device += 1)
    await ask(place, 'POST', '/v1/auth/login', { body: { identifier: student.email, password: student.password } })
  return { ...student, key, slug, place }
}

/** The windows of the merchant stay open for the day; the rest is spread over it. */
async function workAsMerchant({ app, ask }: Day, { token, key, place }: Merchant): Promise<void> {
  const windows = await Promise.all(Array.from({ length: 7 }, () => readStream(app, token)))
  if (place % 5 === 0) {
    const { data } = await ask(place, 'POST', '/v1/businesses', {
      token,
      body: { ...businessFacts, registration_number: `BRELA-${place}` },
    })
    for (const role of ['cashier', 'accountant', 'developer'])
      await ask(place, 'POST', `/v1/businesses/${data.id}/members`, {
        token,
        body: { email: `${role}-${place}@example.com`, role },
      })
  }
  await sleep((place * 1000) / 10)
  for (let hour = 0; hour < 10; hour += 1) {
    await sleep((secondsOfDay * 1000) / 12)
    await ask(place, 'POST', '/v1/merchant/payment-requests?environment=test', { token, body: { amount: 1_500, title: 'Oda' } })
    await ask(place, 'POST', '/v1/merchant/recipients?environment=test', {
      token,
      body: { name: 'Asha', phone_number: `+25575400${String(place * 10 + hour).padStart(4, '0')}` },
    })
    for (const list of ['transactions', 'payment-pages', 'till', 'payouts'])
      await ask(place, 'GET', `/v1/merchant/${list}?environment=test`, { token })
    await ask(place, 'GET', '/v1/payments', { key })
    if (hour > 2)
      await ask(place, 'POST', '/v1/payouts', {
        key,
        body: { amount: 5_000, phone_number: '+255754123789', recipient_name: 'Asha' },
      })
  }
  for (const window of windows) {
    assert.equal(window.ended(), undefined, 'a window of one honest person stays open')
    window.close()
  }
}

/** The `n`th payer: some look at the page twice, some type it wrong first, some get no prompt and report it. */
async function pay({ ask, refused }: Day, { slug }: Merchant, n: number): Promise<void> {
  const isUnlucky = n % 49 === 0
  if (n % 100 === 1) {
    const wrong = await ask(n, 'GET', `/pay/${slug}x`)
    assert.equal(wrong.status, 404)
    refused.splice(
      refused.findIndex((line) => line.includes(`/pay/${slug}x`)),
      1,
    )
  }
  await ask(n, 'GET', `/pay/${slug}`)
  const form = {
    phone_number: `+25575${4 + Math.floor(n / 1000)}${String(n % 1000).padStart(3, '0')}${isUnlucky ? '129' : '789'}`,
    customer_name: 'Juma Hamisi',
    customer_email: `payer-${n}@example.com`,
    idempotency_key: randomUUID(),
    lang: 'sw',
  }
  const { location } = await ask(n, 'POST', `/pay/${slug}`, { form })
  const reference = /pay_\w+/.exec(location)![0]
  for (let look = 0; look < 5; look += 1) {
    await sleep(1_000)
    await ask(n, 'GET', location)
    const { data } = await ask(n, 'GET', `/v1/payments/${reference}/status`)
    if (data.status === 'completed') return
  }
  if (isUnlucky) await ask(n, 'POST', `/c/new/${reference}`, { form: { lang: 'sw', sms_number: `S4612117${n}` } })
}

async function workAsOperator({ ask }: Day, { token }: Admin, place: number): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await sleep((secondsOfDay * 1000) / 24)
    for (const list of ['support-cases', 'breaks', 'payouts', 'audit']) await ask(place, 'GET', `/v1/admin/${list}`, { token })
  }
}

test(
  'fifty merchants, two thousand payers behind three addresses and five operators meet no limit',
  { timeout: 280_000 },
  async (t) => {
    const app = await startTestApp(t, { worker: true, settings: { SNIPPE_TEST_REQUESTS_PER_MINUTE: '60000' } })
    const day = startDay(app)
    const operators = await Promise.all(Array.from({ length: 5 }, () => app.admin()))
    const merchants: Merchant[] = []
    for (let place = 0; place < merchantsADay; place += 1) merchants.push(await openShop(day, place))
    const payers = Array.from({ length: payersADay }, async (_, n) => {
      await sleep((n * secondsOfDay * 1000) / payersADay)
      await pay(day, merchants[n % merchants.length]!, n)
    })
    await Promise.all([
      ...merchants.map((merchant) => workAsMerchant(day, merchant)),
      ...operators.map((operator, place) => workAsOperator(day, operator, place)),
      ...payers,
    ])
    // An empty wallet is no limit.
    const limited = day.refused.filter((line) => !line.startsWith('402'))
    assert.deepEqual(limited, [])
  },
)
