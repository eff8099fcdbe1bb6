/**
 * The largest and most hostile bodies that each route reads: one costs little more than parsing the same bytes once, and holds back no
 * other request. Processor times are compared with `JSON.parse` in the same process, after the cost of as many bytes that are read and not looked at.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchBytes } from '../../server/pay-out/payout-batches/read-csv.ts'
import { smallBodyBytes } from '../../server/platform/http/route.ts'
import { richStudent } from '../fixtures/batches.ts'
import { share, startTestApp } from '../app.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { readRoutes, type Route } from './routes.ts'
import { startSender } from './sender.ts'
import { requestOf, startShop, type Sent } from './shop.ts'

/** The field that takes the most: a list, a text of the merchant, or one that no schema knows. */
const fieldOf = ({ options }: Sent): string => Object.keys(options.body ?? {}).at(-1) ?? 'metadata'

type Figures = { name: string; bytes: number; ms: number; times: number }

/** Milliseconds of the processor: the least of three, or of more until it is at most `enough`, because this process has other work. */
async function cost(act: () => unknown, enough = Number.POSITIVE_INFINITY): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 || (least > enough && tries < 20); tries += 1) {
    const before = process.cpuUsage()
    await act()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** Milliseconds for which nothing else could run during this. */
async function longestPause(act: () => Promise<void>): Promise<number> {
  let [longest, last, isOver] = [0, performance.now(), false]
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await act()
  isOver = true
  return longest
}

const sharedShop = share((ending) => startShop(ending, { RATE_LIMITS: 'off' }))

/** For the refusal, its log, and the garbage of the client. */
const slackMs = 4

async function measure(
  url: string,
  { method, path, options }: Sent,
  bytes: number,
): Promise<{ figures: Figures[]; delayMs: number }> {
  const sender = startSender()
  const headers = {
    ...options.headers,
    ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
    ...(options.key !== undefined && { 'x-api-key': options.key }),
  }
  const send = async (body: Buffer, type = 'application/json'): Promise<number> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, 'content-type': type, 'idempotency-key': crypto.randomUUID() },
      body,
    })
    await response.arrayBuffer()
    if (response.status !== 503) return response.status
    // Parsing for the comparison held up the service.
    await new Promise((resolve) => setTimeout(resolve, 500))
    return send(body, type)
  }
  // As many bytes that are read and not looked at.
  const noise = Buffer.alloc(bytes, 'a')
  const base = await cost(() => send(noise, 'application/octet-stream'))
  const figures: Figures[] = []
  let delayMs = 0
  for (const [name, value] of Object.entries(hostileTexts(bytes - 100))) {
    const body = Buffer.from(`{${JSON.stringify(fieldOf({ method, path, options }))}:${value}}`)
    assert.ok(body.length <= bytes, `${name}: ${body.length}`)
    const parse = await cost(() => {
      try {
        JSON.parse(body.toString())
      } catch {
        // It costs as much.
      }
    })
    const request = {
      url: `${url}${path}`,
      method,
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      body: new Uint8Array(body),
    }
    const status = await send(body)
    delayMs = Math.max(delayMs, await longestPause(async () => void (await sender.send(request))))
    // A route that needs no body does not look at one.
    assert.ok(status < 500, `${method} ${path}, ${name}: ${status}`)
    const ms = (await cost(() => send(body), base + 3 * parse + slackMs)) - base
    figures.push({ name, bytes: body.length, ms, times: ms / parse })
    // What it has made was asked for.
    if (status < 300) continue
    assert.ok(ms <= 3 * parse + slackMs, `${method} ${path}, ${name}: ${ms.toFixed(1)} ms, parsed in ${parse.toFixed(1)} ms`)
  }
  await sender.close()
  return { figures, delayMs }
}

const isWriting = ({ method }: Route): boolean => ['POST', 'PATCH', 'PUT'].includes(method)

test('no body of a route costs more than three times its parsing', { timeout: 280_000 }, async () => {
  const shop = await sharedShop()
  const routes = (await readRoutes(shop.app)).filter(isWriting)
  assert.ok(routes.length > 80, `${routes.length} routes`)
  let [worst, route]: [Figures | undefined, string] = [undefined, '']
  for (const one of routes) {
    const { figures: all } = await measure(shop.app.config.urls.api, requestOf(shop, one, 'owner', 'test'), smallBodyBytes)
    for (const figures of all) {
      if (worst === undefined || figures.ms > worst.ms) [worst, route] = [figures, `${one.method} ${one.path}`]
    }
  }
  process.stdout.write(`${routes.length} routes; the costliest: ${worst!.name} at ${route}, ${worst!.ms.toFixed(1)} ms\n`)
})

test('the largest bodies hold back no other request for long', { timeout: 280_000 }, async (t) => {
  const shop = await sharedShop()
  const routes = await readRoutes(shop.app)
  const sizes = { createMerchantPayoutBatch: batchBytes, setBrandLogo: 2_700_000, createMerchantPaymentRequest: 256 * 1024 }
  for (const [id, bytes] of Object.entries(sizes)) {
    const route = routes.find(({ operation }) => operation.operationId === id)!
    const { figures, delayMs } = await measure(shop.app.config.urls.api, requestOf(shop, route, 'owner', 'test'), bytes)
    for (const { name, ms, times } of figures)
      t.diagnostic(`${id}, ${name}: ${ms.toFixed(1)} ms, ${times.toFixed(1)} times its parsing`)
    process.stdout.write(`${id}, ${(bytes / 1024).toFixed(0)} KiB: nothing else ran for ${delayMs.toFixed(0)} ms at most\n`)
  }
})

test('nothing above 64 KiB is read of a caller that is not verified, declared or not', async (t) => {
  const app = await startTestApp(t, { settings: { TEST_WRITES_BEFORE_VERIFICATION: 'true' } })
  const student = await app.student({ verified: false })
  const { key } = await app.key(student)
  const row = { amount: 5000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }
  const small = JSON.stringify({ items: [row] })
  const large = JSON.stringify({ items: Array.from({ length: 1_000 }, () => row) })
  const send = async (apiKey: string, text: string, isDeclared: boolean) => {
    const body = isDeclared ? text : new Blob([text]).stream()
    const response = await fetch(`${app.config.urls.api}/v1/payout-batches`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      body,
      duplex: 'half',
    } as RequestInit)
    const answer = (await response.json()) as { error?: { code: string; message: string } }
    return `${response.status} ${answer.error?.code ?? ''}`.trim()
  }
  const verified = await richStudent(app)
  for (const isDeclared of [true, false]) {
    assert.equal(await send(key, small, isDeclared), '201')
    assert.equal(await send(key, large, isDeclared), '413 payload_too_large')
    assert.equal(await send(verified.key, large, isDeclared), '201')
  }
  const anonymous = await fetch(`${app.config.urls.api}/v1/payments/checkout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `"${'a'.repeat(smallBodyBytes)}"`,
  })
  assert.equal(anonymous.status, 413)
})

test('a merchant sends thirty bodies above 64 KiB a minute, declared or not, and smaller ones all the time', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const { key } = await app.key(student)
  const send = async (bytes: number, isDeclared: boolean): Promise<number> => {
    const text = JSON.stringify({ wrong: 'a'.repeat(bytes) })
    const response = await fetch(`${app.config.urls.api}/v1/payments`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: isDeclared ? text : new Blob([text]).stream(),
      duplex: 'half',
    } as RequestInit)
    await response.arrayBuffer()
    return response.status
  }
  for (let turn = 0; turn < 30; turn += 1) assert.equal(await send(smallBodyBytes, turn % 2 === 0), 400)
  for (const isDeclared of [true, false]) {
    assert.equal(await send(smallBodyBytes, isDeclared), 429)
    assert.equal(await send(smallBodyBytes - 100, isDeclared), 400)
  }
})
