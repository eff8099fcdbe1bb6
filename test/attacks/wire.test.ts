/**
 * Attacks below the API: methods, headers and bytes that two programs in the request's path would read differently; unknown
 * addresses; lines in the log.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { attackAll, startAttackedApp, type Attack } from './attacked-app.ts'

test('a request that could be two, and a method that does not belong, is refused [A40]', async (t) => {
  const app = await startAttackedApp(t)
  const { token } = await app.student()
  const post = (headers: string, body = '') => `POST /v1/payments/checkout HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`
  const malformed: Record<string, string> = {
    'Content-Length and Transfer-Encoding': post('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    'Transfer-Encoding and Content-Length': post('Transfer-Encoding: chunked\r\nContent-Length: 5', '0\r\n\r\n'),
    'two lengths': post('Content-Length: 5\r\nContent-Length: 6'),
    'a length with a sign': post('Content-Length: +5'),
    'a length that is a list': post('Content-Length: 5, 5'),
    'Transfer-Encoding in disguise': post('Transfer-Encoding: xchunked'),
    'Transfer-Encoding twice': post('Transfer-Encoding: identity\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    'a header that goes on in the next line': 'GET /livez HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c: d\r\n\r\n',
    'a header with a space before its colon': 'GET /livez HTTP/1.1\r\nHost : x\r\n\r\n',
    'a bare line feed in a header': 'GET /livez HTTP/1.1\r\nHost: x\r\nX-A: b\nX-B: c\r\n\r\n',
    'an unknown method': 'BREW /v1/balance HTTP/1.1\r\nHost: x\r\n\r\n',
    'no HTTP': 'NONSENSE\r\n\r\n',
    'a chunk that lies': post('Transfer-Encoding: chunked', 'zz\r\nabc\r\n0\r\n\r\n'),
  }
  await attackAll(app, [
    ...Object.entries(malformed).map(([name, bytes]): Attack => ({
      name,
      send: () => app.sendRaw(bytes),
      expects: '400 malformed_request',
    })),
    {
      name: 'a hundred kilobytes of headers',
      send: () => app.sendRaw(`GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`),
      expects: '431 malformed_request',
    },
    {
      name: 'TRACE',
      send: () => app.sendRaw('TRACE /v1/balance HTTP/1.1\r\nHost: x\r\nX-API-Key: secret-secret\r\nConnection: close\r\n\r\n'),
      expects: '405 method_not_allowed',
    },
    { name: 'DELETE of a list', send: () => app.call('DELETE', '/v1/transactions'), expects: '405 method_not_allowed' },
    {
      name: 'another method in a header',
      send: () =>
        app.call('POST', '/v1/me', {
          token,
          body: { full_name: 'Another Name' },
          headers: { 'x-http-method-override': 'PATCH', 'x-method-override': 'PATCH' },
        }),
      expects: '405 method_not_allowed',
    },
  ])
  assert.equal((await app.call('GET', '/livez')).status, 200)
})

test('a caller with a forged host or forwarding header changes no link and no limit [A40]', async (t) => {
  const app = await startAttackedApp(t, { settings: { RATE_LIMIT_QUOTAS: 'unknown-reference=2/60' } })
  const page = await app.page(await app.student())
  const text = JSON.stringify({
    slug: page.slug,
    phone_number: '0754123789',
    customer_name: 'Juma Hamisi',
    customer_email: 'juma@example.com',
    idempotency_key: 'k',
  })
  const spoofed = await app.sendRaw(
    `POST /v1/payments/checkout HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: ftp\r\nForwarded: host=evil.example\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
  assert.equal(spoofed.status, 201)
  assert.ok(!JSON.stringify(spoofed.body).includes('evil.example'))
  await app.settled(spoofed.body.data.reference)
  let address = 0
  const hopping = () =>
    app.call('GET', '/v1/payments/pay_1/status', {
      headers: { 'x-forwarded-for': `203.0.113.${(address += 1)}`, 'x-real-ip': '203.0.113.9', forwarded: 'for=203.0.113.9' },
    })
  for (let turn = 0; turn < 2; turn += 1) assert.equal((await hopping()).status, 404)
  await app.attack({ name: 'from a third forged address', send: hopping, expects: '429 rate_limited' })
})

test('input of a caller is at most part of one log line, and never a separate line [A61]', async (t) => {
  const lines: string[] = []
  const app = await startAttackedApp(t, { logLevel: 'debug', logTo: (line) => lines.push(line) })
  const forged = '\n{"level":"error","message":"forged"}\u001b[31m'
  const secret = 'sk_in_an_address_4711'
  const before = lines.length
  await app.call('GET', `/v1/pay/${encodeURIComponent(forged)}`)
  await app.call('GET', `/v1/payments/${secret}/status?key=${secret}`)
  await app.call('GET', `/${secret}/${encodeURIComponent(forged)}`)
  await app.call('GET', '/v1/me', {
    token: secret,
    headers: { 'user-agent': secret, referer: `http://x/${secret}`, cookie: secret },
  })
  await app.sendRaw(`GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: abcdefgh\u001b[31m${secret}\r\nConnection: close\r\n\r\n`)
  await app.sendRaw(`GET /${secret}\u0001 HTTP/1.1\r\nHost: x\r\n\r\n`)
  const written = lines.slice(before)
  assert.ok(written.length >= 6)
  for (const line of written) {
    assert.equal(line.trimEnd().split('\n').length, 1, line)
    const entry = JSON.parse(line)
    assert.notEqual(entry.message, 'forged')
    assert.ok(!line.includes(secret) && !line.includes('\u001b') && !line.includes('forged'), line)
  }
  const routes = written.map((line) => JSON.parse(line).route)
  assert.ok(routes.includes('GET /v1/pay/:slug') && routes.includes('GET /v1/payments/:reference/status'), routes.join())
})

test('paths that scanners try exist on none of our hosts [A67]', async (t) => {
  const app = await startAttackedApp(t)
  const paths =
    `/metrics /debug /debug/pprof /admin.php /docs/admin /.env /.git/config /.git/HEAD /server-status /actuator/env /wp-login.php
    /package.json /server/config/config.ts /../server/config/config.ts /%2e%2e/package.json /node_modules/fastify/package.json /v1/internal /healthz/deep`
      .trim()
      .split(/\s+/)
  const raw = (path: string, port: number) =>
    app.sendRaw(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nConnection: close\r\n\r\n`, port)
  const { ports } = app.config
  await attackAll(app, [
    ...paths.map((path): Attack => ({ name: `the API, ${path}`, send: () => raw(path, ports.api), expects: '404 not_found' })),
    ...paths.map((path): Attack => ({
      name: `the storage host, ${path}`,
      send: () => raw(path, ports.storage),
      expects: '403 signature_required',
    })),
  ])
  for (const path of paths) {
    const answer = await app.leavesNoTrace(`the checkout, ${path}`, () => raw(path, ports.checkout))
    assert.equal(answer.status, 404, path)
    assert.match(String(answer.headers.get('content-type')), /text\/html/)
  }
})

test('connections that browsers open in advance do not hold up the end', { timeout: 10_000 }, async (t) => {
  const app = await startAttackedApp(t)
  const { port } = new URL(app.config.urls.api)
  const sockets = Array.from({ length: 5 }, () => connect(Number(port), '127.0.0.1'))
  for (const socket of sockets) socket.on('error', () => undefined)
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  assert.equal((await app.call('GET', '/livez')).status, 200)
  const ended = Promise.all(sockets.map((socket) => once(socket, 'close')))
  await app.close()
  await ended
})
