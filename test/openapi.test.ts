/** The description of the API matches the API: every route, its permitted callers, and the answer to callers without credentials. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { get as httpGet, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { eventTypes } from '../server/domain/webhook.ts'
import { errorCodes } from '../server/views/description/error-codes.ts'
import { routesOf } from '../server/platform/http/http.ts'
import { eventually, startTestApp } from './app.ts'
import { mustBeNone, mustFit, mustMatch } from './must-match.ts'

const root = join(import.meta.dirname, '..')

/** Unlike `fetch`, returns the bytes as they were sent. */
function get(
  url: string,
  headers: Record<string, string>,
): Promise<{ status: number; headers: IncomingHttpHeaders; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    httpGet(url, { headers }, (response) => {
      buffer(response).then((bytes) => resolve({ status: response.statusCode!, headers: response.headers, bytes }), reject)
    }).on('error', reject)
  })
}

type Operation = {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  responses: Record<string, unknown>
}

/** Routes that are not part of the documented API for integrators. */
const undescribed = new Set([
  'GET /openapi.json',
  'GET /openapi-merchants.json',
  'GET /reference',
  'GET /reference/',
  'POST /v1/providers/:provider/:environment/webhook',
  // The pages of the dashboards and the files that they load.
  'GET /dashboard',
  'GET /dashboard/*',
  'GET /dashboard/assets/:name',
  // The till as an app.
  'GET /dashboard/till.webmanifest',
  'GET /dashboard/till-icon-192.png',
  'GET /dashboard/till-icon-512.png',
  'GET /dashboard/till-worker.js',
  'GET /dashboard/till-offline',
  'GET /admin',
  'GET /admin/*',
  // The target of their link to the privacy notice, which is a page of the checkout.
  'GET /privacy',
  // The documentation.
  'GET /docs',
  'GET /docs/style.css',
  'GET /docs/script.js',
  'GET /docs/send.css',
  'GET /docs/send.js',
  'GET /docs/search',
  'GET /docs/search.json',
  'GET /docs/pictures/:name',
  'GET /docs/*',
  'GET /docs/sw',
  'GET /docs/sw/search',
  'GET /docs/sw/search.json',
  'GET /docs/sw/pictures/:name',
  'GET /docs/sw/*',
  'GET /llms.txt',
  'GET /prices',
  // The mailbox of a local start, which production does not have.
  'GET /local/mail',
  // The front door, and the page of a local start.
  'GET /',
  'GET /favicon.ico',
  'GET /robots.txt',
  'GET /.well-known/security.txt',
  'GET /local',
  'GET /local/code',
])

async function describedRoutes(t: Parameters<typeof startTestApp>[0]) {
  const app = await startTestApp(t)
  // A busy machine may refuse for a moment.
  const body = await eventually('the description is answered', async () => {
    const answer = await app.call('GET', '/openapi.json')
    return answer.status === 200 && answer.body
  })
  const operations = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  return { app, document: body, operations }
}

test('every route is described, or is in the list of undescribed routes', async (t) => {
  const { app, operations } = await describedRoutes(t)
  const described = new Set(operations.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`))
  const missing = routesOf(app.api.api).filter(
    (route) => !/^(HEAD|OPTIONS) /.test(route) && !described.has(route) && !undescribed.has(route),
  )
  mustBeNone(
    missing,
    'Give these routes a schema with operationId and summary, or write them into undescribed in test/openapi.test.ts',
  )
})

test('each operation has a unique name, a short summary, a known tag, and names its permitted callers', async (t) => {
  const { document, operations } = await describedRoutes(t)
  assert.equal(document.openapi, '3.1.0')
  const names = operations.map(({ operation }) => operation.operationId)
  mustBeNone(
    names.flatMap((name, place) => (name !== undefined && names.indexOf(name) !== place ? [name] : [])),
    'These names stand for two operations; give one route another operationId',
  )
  const tags = new Set(document.tags.map(({ name }: { name: string }) => name))
  for (const { method, path, operation } of operations) {
    assert.ok(operation.operationId && operation.summary, `${method} ${path}: give its schema an operationId and a summary`)
    assert.ok(
      operation.tags?.every((tag) => tags.has(tag)),
      `${method} ${path}: server/views/description/document.ts does not describe the tag ${operation.tags?.join(', ')}`,
    )
    for (const status of ['500', '503']) assert.ok(status in operation.responses, `${method} ${path} lacks ${status}`)
    const { summary } = operation
    assert.match(summary, /^[A-Z].*[^.]$/, `${method} ${path}: begin with a capital and end without a full stop: ${summary}`)
    assert.ok(summary.split(' ').length <= 6, `${method} ${path}: more than six words: ${summary}`)
  }
  assert.ok(!JSON.stringify(document).includes('Default Response'))
  mustMatch(eventTypes, Object.keys(document.webhooks), {
    add: () => 'describe the event in server/merchants/webhooks/event.ts',
    remove: () => 'remove it from server/merchants/webhooks/event.ts',
  })
})

test('a public linter finds nothing wrong with the description', async (t) => {
  const { document } = await describedRoutes(t)
  const config = await createConfig({
    extends: ['recommended'],
    // Routes that only report liveness or our public keys refuse no caller.
    rules: { 'operation-4xx-response': 'off' },
  })
  const problems = await lintFromString({ source: JSON.stringify(document), config })
  mustBeNone(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    'Correct the schema of the route that the path names',
  )
})

test('every code in the source’s answers is explained, and no other', async (t) => {
  const { document } = await describedRoutes(t)
  const codes = new Set<string>()
  for (const path of globSync('server/**/*.ts', { cwd: root })) {
    // The hosted checkout shows texts for people, in its own words.
    if (path.endsWith('.test.ts') || path.endsWith('error-codes.ts') || path.startsWith('server/views/web/checkout/')) continue
    const text = readFileSync(join(root, path), 'utf8')
    for (const [, code] of text.matchAll(/Refusal\(\s*\d+,\s*'([a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/broken\(\s*'\w+',\s*'([a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/\['(page_[a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/field: [^,]+, code: '([a-z]+_[a-z_]+)'/g)) codes.add(code!)
    for (const [, code] of text.matchAll(/'([a-z_]+_invalid): /g)) codes.add(code!)
  }
  codes.delete('unknown_field')
  mustBeNone(
    [...codes].filter((code) => !(code in errorCodes)),
    'Write what these codes mean, in English and Swahili, into server/views/description/error-codes.ts, then run node scripts/write-docs.ts',
  )
  mustBeNone(
    Object.keys(errorCodes).filter((code) => !document.info.description.includes(`| \`${code}\` |`)),
    'The description lacks the rows of these codes: server/views/description/document.ts',
  )
})

/** The files as a browser gets them: compressed, and not again while they have not changed. */
async function sizeOnTheWire(address: string): Promise<number> {
  const [plain, gzipped, brotli] = await Promise.all(
    ['identity', 'gzip', 'gzip, deflate, br'].map((encoding) => get(address, { 'accept-encoding': encoding })),
  )
  for (const answer of [plain!, gzipped!, brotli!]) assert.equal(answer.status, 200, address)
  assert.ok(gunzipSync(gzipped!.bytes).equals(plain!.bytes), address)
  assert.equal(brotli!.headers['content-encoding'], 'br')
  assert.ok(brotliDecompressSync(brotli!.bytes).equals(plain!.bytes), address)
  const etag = String(plain!.headers.etag)
  for (const known of [etag, `"other", ${etag.replace('W/', '')}`]) {
    const again = await get(address, { 'accept-encoding': 'br', 'if-none-match': known })
    assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, etag], address)
  }
  assert.equal((await get(address, { 'if-none-match': '"other"' })).status, 200)
  return brotli!.bytes.length
}

test('the reference has a page for each operation and event, small, with files of our host only, and without inline scripts or styles', async (t) => {
  const { app } = await describedRoutes(t)
  const base = app.config.urls.api
  const { body: merchants } = await app.call('GET', '/openapi-merchants.json')
  const places: Record<string, Record<string, Operation>>[] = [merchants.paths, merchants.webhooks]
  const operations = places.flatMap(Object.values).flatMap((methods) => Object.values(methods as Record<string, Operation>))
  assert.ok(operations.length > 90)
  const kebab = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const paths = ['reference', ...operations.map(({ operationId }) => `reference/${kebab(operationId!)}`)]
  let largest = 0
  for (const path of paths) {
    const page = await fetch(`${base}/docs/${path}`)
    const html = await page.text()
    assert.equal(page.status, 200, path)
    assert.doesNotMatch(page.headers.get('content-security-policy')!, /unsafe|\*/, path)
    assert.doesNotMatch(html, /<style|<script(?! src="\/docs\/)| style="| on\w+="|(?:src|href)="(?:https?:)?\/\//, path)
    const addresses = [...html.matchAll(/(?:src|rel="stylesheet" href)="(\/[^"]*)"/g)].map((match) => match[1]!)
    assert.ok(addresses.length >= 3, path)
    const sizes = await Promise.all([`/docs/${path}`, ...new Set(addresses)].map((address) => sizeOnTheWire(`${base}${address}`)))
    largest = Math.max(
      largest,
      sizes.reduce((sum, size) => sum + size),
    )
  }
  const ofAll = await sizeOnTheWire(`${base}/openapi.json`)
  t.diagnostic(`bytes on the wire: largest page of the reference ${largest}; /openapi.json ${ofAll}`)
  const advice =
    'Shorten descriptions. The limit is in test/openapi.test.ts; raise it in a commit that says what readers get for it'
  mustFit('the largest page of the reference on the wire', { size: largest, limit: 40_000, unit: 'bytes' }, advice)
  mustFit('/openapi.json on the wire', { size: ofAll, limit: 100_000, unit: 'bytes' }, advice)
  for (const [old, address] of [
    ['/reference', '/docs/reference'],
    ['/reference/', '/docs/reference'],
  ]) {
    const answer = await fetch(`${base}${old}`, { redirect: 'manual' })
    assert.deepEqual([answer.status, answer.headers.get('location')], [301, address])
  }
  for (const asked of ['/docs/reference/no-such-operation', '/docs/sw/reference/no-such-operation'])
    assert.equal((await fetch(`${base}${asked}`)).status, 404)
  const found = await (await fetch(`${base}/docs/search?q=create+a+payout+batch`)).text()
  assert.match(found, /href="\/docs\/reference\/create-payout-batch"/)
})
