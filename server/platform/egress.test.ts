import assert from 'node:assert/strict'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { createEgress, isPublicAddress, type EgressOptions, type EgressOutcome, type PostRequest } from './egress.ts'
import { makeCertificate } from './certificate-fixture.ts'

const clock = { now: () => Date.now() }
const request: PostRequest = {
  headers: { 'content-type': 'application/json' },
  body: '{}',
  deadlineMs: 1_000,
  maxAnswerBytes: 16 * 1024,
  keptBytes: 4 * 1024,
}

function egressFor(t: TestContext, options: Partial<EgressOptions> = {}) {
  const egress = createEgress({ clock, allowPrivate: true, ownUrls: [], ...options })
  t.after(() => egress.close())
  return egress
}

async function listen(t: TestContext, server: Server, host = '127.0.0.1', port = 0): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(port, host, resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const serve = (t: TestContext, receive: (...args: Parameters<RequestListener>) => unknown, host?: string, port?: number) =>
  listen(
    t,
    createHttpServer((incoming, answer) => void receive(incoming, answer)),
    host,
    port,
  )

/** A receiver that speaks bytes rather than HTTP, once it has seen a request. */
const serveBytes = (t: TestContext, speak: (socket: Socket) => void) =>
  listen(
    t,
    createTcpServer((socket) => void socket.once('data', () => speak(socket))),
  )

async function readBody(incoming: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of incoming) text += String(chunk)
  return text
}

function codeOf(outcome: EgressOutcome): string {
  return outcome.kind === 'failed' ? outcome.code : `answered ${outcome.status}`
}

const ipv4 = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const hex = (high: number, low: number) => ((high << 8) | low).toString(16)

test('the public internet is what is left when every special range is taken away', () => {
  const forbidden = `
    0.0.0.0 10.0.0.1 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1
    192.0.2.1 192.88.99.3 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1
    255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:7f00:1 ::7f00:1 ::5efe:7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1
    2002:7f00:1::1 2001::1 2001:db8::1 3fff::1 5f00::1 100::1 fc00::1 fd00::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1 localhost`
    .trim()
    .split(/\s+/)
  assert.deepEqual(forbidden.filter(isPublicAddress), [])
  const open = [
    '192.88.98.255',
    '223.255.255.255',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
  ]
  assert.deepEqual(open.filter(isPublicAddress), open)
})

test('no IPv4 address in an IPv6 disguise counts as public', () => {
  fc.assert(
    fc.property(ipv4, ([a, b, c, d]) => {
      const [high, low] = [hex(a, b), hex(c, d)]
      const disguises = [
        `::ffff:${a}.${b}.${c}.${d}`,
        `::ffff:${high}:${low}`,
        `::ffff:0:${high}:${low}`,
        `::${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `64:ff9b:1::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2001:0:${high}:${low}::1`,
        `2001:0:1:2:3:4:${hex(a ^ 255, b ^ 255)}:${hex(c ^ 255, d ^ 255)}`,
      ]
      return !disguises.some(isPublicAddress)
    }),
    { numRuns: 2_000 },
  )
})

test('an address that someone asks us to send to is judged before anything is sent', async (t) => {
  const answers: Record<string, string[]> = {
    'shop.example': ['93.184.215.14', '2606:4700:4700::1111'],
    'mixed.example': ['93.184.215.14', '127.0.0.1'],
    'inside.example': ['10.1.2.3'],
    'metadata.example': ['169.254.169.254'],
    'nat64.example': ['64:ff9b::a9fe:a9fe'],
    'empty.example': [],
  }
  const resolver = async (hostname: string) => {
    if (hostname === 'servfail.example') throw Object.assign(new Error('servfail'), { code: 'ESERVFAIL' })
    const addresses = answers[hostname]
    if (!addresses) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
    return addresses
  }
  const egress = egressFor(t, { allowPrivate: false, ownUrls: ['https://api.malipo.example'], resolver })
  const cases: [string, string | undefined][] = [
    ['https://shop.example/hook?a=1', undefined],
    ['HTTPS://Shop.Example./hook', undefined],
    ['https://shop.example:8443/', undefined],
    ['https://shop.example:1024/', undefined],
    ['http://shop.example/', 'not_https'],
    ['ftp://shop.example/', 'not_https'],
    ['file:///etc/passwd', 'not_https'],
    ['data:text/plain,x', 'not_https'],
    ['javascript:alert(1)', 'not_https'],
    ['https://', 'malformed'],
    ['shop.example', 'malformed'],
    ['', 'malformed'],
    ['https://shop.example/\tx', 'malformed'],
    [' https://shop.example/', 'malformed'],
    ['https:\\\\shop.example/', 'malformed'],
    [`https://shop.example/${'a'.repeat(2048)}`, 'too_long'],
    ['https://user@shop.example/', 'has_credentials'],
    ['https://user:pass@shop.example/', 'has_credentials'],
    ['https://shop.example/#part', 'has_fragment'],
    ['https://shop.example/#', 'has_fragment'],
    ['https://shop.example:22/', 'port_forbidden'],
    ['https://shop.example:25/', 'port_forbidden'],
    ['https://shop.example:80/', 'port_forbidden'],
    ['https://shop.example:1023/', 'port_forbidden'],
    ['https://shop.example:5432/', 'port_forbidden'],
    ['https://shop.example:0/', 'port_forbidden'],
    ...['127.0.0.1', '0x7f.1', '2130706433', '017700000001', '127.1', '①②⑦.⓪.⓪.①', '93.184.215.14', '169.254.169.254'].map(
      (host): [string, string] => [`https://${host}/`, 'ip_literal'],
    ),
    ...['::1', '::ffff:127.0.0.1', '::ffff:0:7f00:1', '::5efe:7f00:1', '64:ff9b::a9fe:a9fe', '2002:7f00:1::1', 'fd00::1'].map(
      (host): [string, string] => [`https://[${host}]/`, 'ip_literal'],
    ),
    ['https://localhost./', 'not_resolvable'],
    ['https://api.malipo.example/x', 'own_host'],
    ['https://api.malipo.example:8443/x', 'own_host'],
    ['https://mixed.example/', 'private_target'],
    ['https://inside.example/', 'private_target'],
    ['https://metadata.example/', 'private_target'],
    ['https://nat64.example/', 'private_target'],
    ['https://empty.example/', 'not_resolvable'],
    ['https://nowhere.example/', 'not_resolvable'],
    ['https://servfail.example/', 'unknown'],
  ]
  for (const [url, problem] of cases) assert.equal(await egress.checkTarget(url), problem, url)
})

test('localhost is known without asking anyone, and is private', async (t) => {
  const egress = egressFor(t, { allowPrivate: false })
  assert.equal(await egress.checkTarget('https://localhost/'), 'private_target')
  assert.equal(await egress.checkTarget('https://localhost./'), 'private_target')
  assert.equal(await egress.checkTarget('https://x.localhost/'), 'private_target')
})

test('local mode admits http and this machine, and still nothing else that is private', async (t) => {
  const resolver = async (hostname: string) => (hostname === 'inside.example' ? ['10.1.2.3'] : ['127.0.0.1'])
  const egress = egressFor(t, { ownUrls: ['http://127.0.0.1:3000'], resolver })
  assert.equal(await egress.checkTarget('http://127.0.0.1:4000/hook'), undefined)
  assert.equal(await egress.checkTarget('http://[::1]:4000/hook'), undefined)
  assert.equal(await egress.checkTarget('http://localhost:4000/hook'), undefined)
  assert.equal(await egress.checkTarget('http://localhost/hook'), undefined)
  assert.equal(await egress.checkTarget('http://localhost:3000/hook'), 'own_host')
  assert.equal(await egress.checkTarget('http://10.1.2.3:4000/'), 'ip_literal')
  assert.equal(await egress.checkTarget('http://inside.example:4000/'), 'private_target')
})

test('the body that is given is the body that arrives, and the answer comes back', async (t) => {
  let seen: { headers: IncomingMessage['headers']; body: string } | undefined
  const port = await serve(t, async (incoming, answer) => {
    seen = { headers: incoming.headers, body: await readBody(incoming) }
    answer.writeHead(202, { 'retry-after': '7', 'set-cookie': 'a=b' }).end('ok\0\u00e9')
  })
  const egress = egressFor(t)
  const body = '{"name":"Mwanaidi Šć 🙂"}'
  const outcome = await egress.post(`http://127.0.0.1:${port}/hook?x=1`, { ...request, body })
  assert.ok(outcome.kind === 'answered')
  assert.deepEqual([outcome.status, outcome.body, outcome.retryAfterSeconds], [202, 'ok\ufffdé', 7])
  assert.equal(seen?.body, body)
  assert.equal(seen?.headers.host, `127.0.0.1:${port}`)
  assert.equal(seen?.headers['accept-encoding'], 'identity')
  await egress.post(`http://127.0.0.1:${port}/hook`, request)
  assert.equal(seen?.headers.cookie, undefined)
})

test('Retry-After is understood as seconds and as a date', async (t) => {
  let retryAfter = ''
  const port = await serve(t, (_incoming, answer) => answer.writeHead(503, { 'retry-after': retryAfter }).end())
  const egress = egressFor(t)
  const ask = async (given: string) => {
    retryAfter = given
    const outcome = await egress.post(`http://127.0.0.1:${port}/`, request)
    return outcome.kind === 'answered' ? outcome.retryAfterSeconds : undefined
  }
  assert.equal(await ask('120'), 120)
  assert.equal(await ask('soon'), undefined)
  assert.equal(await ask('Wed, 21 Oct 2015 07:28:00 GMT'), 0)
  const inSeconds = await ask(new Date(Date.now() + 90_000).toUTCString())
  assert.ok(inSeconds !== undefined && inSeconds >= 85 && inSeconds <= 91, String(inSeconds))
})

test('a redirect is an answer; where it points to is never visited', async (t) => {
  let visits = 0
  const secretPort = await serve(t, (_incoming, answer) => {
    visits += 1
    answer.end('metadata')
  })
  let status = 0
  const port = await serve(t, (_incoming, answer) =>
    answer.writeHead(status, { location: `http://127.0.0.1:${secretPort}/latest/meta-data` }).end(),
  )
  const egress = egressFor(t)
  for (status of [301, 302, 303, 307, 308]) {
    assert.equal(codeOf(await egress.post(`http://127.0.0.1:${port}/`, request)), `answered ${status}`)
  }
  assert.equal(visits, 0)
})

test('each way to fail has its own name', async (t) => {
  const closed = await serve(t, () => undefined)
  const failing = async (hostname: string) => {
    const codes: Record<string, string> = { 'nx.example': 'ENOTFOUND', 'nodata.example': 'ENODATA', 'slow.example': 'ETIMEOUT' }
    throw Object.assign(new Error(hostname), { code: codes[hostname] ?? 'ESERVFAIL' })
  }
  const egress = egressFor(t, { resolver: failing })
  const free = createTcpServer()
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
  const freePort = (free.address() as AddressInfo).port
  await new Promise((resolve) => free.close(resolve))
  const resetAtOnce = await listen(
    t,
    createTcpServer((socket) => void socket.resetAndDestroy()),
  )
  const resetBeforeHeaders = await serveBytes(t, (socket) => socket.resetAndDestroy())
  const endBeforeHeaders = await serveBytes(t, (socket) => socket.end())
  const resetAfterHeaders = await serveBytes(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroySoon())
  })
  const gibberish = await serveBytes(t, (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  const switching = await serveBytes(t, (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  )
  const hundred = await serveBytes(t, (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'))
  const junkLength = await serveBytes(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: junk\r\nContent-Length: 2\r\n\r\nok'),
  )
  const headerBomb = await serveBytes(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    for (let line = 0; line < 2_000; line += 1) socket.write(`x-${line}: ${'y'.repeat(100)}\r\n`)
    socket.end('\r\n')
  })
  const cases: [string, string][] = [
    [`http://nx.example:${closed}/`, 'dns_not_found'],
    [`http://nodata.example:${closed}/`, 'dns_not_found'],
    [`http://servfail.example:${closed}/`, 'dns_failure'],
    [`http://slow.example:${closed}/`, 'dns_failure'],
    [`http://127.0.0.1:${freePort}/`, 'connection_refused'],
    [`http://127.0.0.1:${resetAtOnce}/`, 'connection_reset'],
    [`http://127.0.0.1:${resetBeforeHeaders}/`, 'connection_reset'],
    [`http://127.0.0.1:${endBeforeHeaders}/`, 'connection_reset'],
    [`http://127.0.0.1:${resetAfterHeaders}/`, 'connection_reset'],
    [`https://127.0.0.1:${gibberish}/`, 'tls_error'],
    [`http://127.0.0.1:${gibberish}/`, 'protocol_error'],
    [`http://127.0.0.1:${switching}/`, 'protocol_error'],
    [`http://127.0.0.1:${hundred}/`, 'protocol_error'],
    [`http://127.0.0.1:${junkLength}/`, 'protocol_error'],
    [`http://127.0.0.1:${headerBomb}/`, 'protocol_error'],
    ['http://10.0.0.1:8080/', 'blocked_target'],
    ['http://127.0.0.1:25/', 'blocked_target'],
  ]
  for (const [url, code] of cases) {
    const outcome = await egress.post(url, request)
    assert.equal(codeOf(outcome), code, url)
    assert.ok(outcome.durationMs < 900, `${url} took ${outcome.durationMs} ms`)
  }
})

test('a certificate must be trusted, in date and of this host', async (t) => {
  const day = 24 * 3600 * 1000
  const trusted = makeCertificate({ host: 'shop.example', notBefore: Date.now() - day, notAfter: Date.now() + day })
  const expired = makeCertificate({ host: 'shop.example', notBefore: Date.now() - 2 * day, notAfter: Date.now() - day })
  const answer: RequestListener = (_incoming, response) => void response.end('ok')
  const trustedPort = await listen(t, createHttpsServer(trusted, answer))
  const expiredPort = await listen(t, createHttpsServer(expired, answer))
  const resolver = async () => ['127.0.0.1']
  const knows = egressFor(t, { resolver, certificateAuthorities: [trusted.cert, expired.cert] })
  const stranger = egressFor(t, { resolver })
  assert.equal(codeOf(await knows.post(`https://shop.example:${trustedPort}/`, request)), 'answered 200')
  assert.equal(codeOf(await knows.post(`https://other.example:${trustedPort}/`, request)), 'tls_error')
  assert.equal(codeOf(await knows.post(`https://shop.example:${expiredPort}/`, request)), 'tls_error')
  assert.equal(codeOf(await stranger.post(`https://shop.example:${trustedPort}/`, request)), 'tls_error')
})

test('one deadline covers everything, and an answer is read only as far as it is wanted', async (t) => {
  const drip = (socket: Socket, bytes: string) => {
    const timer = setInterval(() => socket.write(bytes), 20)
    socket.on('close', () => clearInterval(timer)).on('error', () => clearInterval(timer))
  }
  const flood = (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024, 'x')));
    }
    socket.on('drain', more).on('error', () => undefined)
    more()
  }
  const silent = await serveBytes(t, () => undefined)
  const slowHeaders = await serveBytes(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx: ')
    drip(socket, 'y')
  })
  const slowBody = await serveBytes(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
    drip(socket, 'y')
  })
  const interim = await serveBytes(t, (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'))
  const hangingName = egressFor(t, { resolver: () => new Promise<string[]>(() => undefined) })
  const egress = egressFor(t)
  const short = { ...request, deadlineMs: 300 }
  for (const port of [silent, slowHeaders, slowBody, interim]) {
    const outcome = await egress.post(`http://127.0.0.1:${port}/`, short)
    assert.equal(codeOf(outcome), 'timeout')
    assert.ok(outcome.durationMs >= 250 && outcome.durationMs < 800, `${outcome.durationMs} ms`)
  }
  assert.equal(codeOf(await hangingName.post('http://hanging.example:8080/', short)), 'dns_failure')

  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024))
  const endless = await serveBytes(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n')
    flood(socket)
  })
  const huge = await serveBytes(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
    flood(socket)
  })
  const packed = await serve(t, (_incoming, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const memoryBefore = process.memoryUsage().rss
  for (let round = 0; round < 5; round += 1) {
    for (const port of [endless, huge, packed]) {
      const outcome = await egress.post(`http://127.0.0.1:${port}/`, request)
      assert.ok(outcome.kind === 'answered' && outcome.status === 200)
      assert.ok(Buffer.byteLength(outcome.body.replaceAll('\ufffd', '?')) <= request.keptBytes)
    }
  }
  const grownMib = (process.memoryUsage().rss - memoryBefore) / 2 ** 20
  assert.ok(grownMib < 40, `memory grew by ${grownMib} MiB`)
})

test('a name that changes its mind reaches nothing: the connection goes to the address that was judged', async (t) => {
  let visits = 0
  const port = await serve(t, (_incoming, answer) => {
    visits += 1
    answer.end()
  })
  let lookUps = 0
  const rebinding = async () => {
    lookUps += 1
    return lookUps === 1 ? ['93.184.215.14'] : ['127.0.0.1']
  }
  const egress = egressFor(t, { allowPrivate: false, resolver: rebinding })
  assert.equal(await egress.checkTarget(`https://rebind.example:${port}/`), undefined)
  assert.equal(codeOf(await egress.post(`https://rebind.example:${port}/`, request)), 'blocked_target')
  assert.equal(visits, 0)

  // Asked once for each attempt: there is no second look-up that could answer differently.
  lookUps = 0
  const counting = egressFor(t, {
    resolver: async () => {
      lookUps += 1
      return ['127.0.0.1']
    },
  })
  assert.equal(codeOf(await counting.post(`http://rebind.example:${port}/`, request)), 'answered 200')
  assert.equal(lookUps, 1)
  assert.equal(visits, 1)
})

test('one forbidden address among public ones condemns the answer', async (t) => {
  const egress = egressFor(t, { allowPrivate: false, resolver: async () => ['93.184.215.14', '10.0.0.1'] })
  assert.equal(codeOf(await egress.post('https://mixed.example/', request)), 'blocked_target')
})

test('a kept connection is used for its own address only', async (t) => {
  const visited: string[] = []
  const port = await serve(t, (_incoming, answer) => {
    visited.push('first')
    answer.end()
  })
  await serve(
    t,
    (_incoming, answer) => {
      visited.push('second')
      answer.end()
    },
    '127.0.0.2',
    port,
  )
  let address = '127.0.0.1'
  const egress = egressFor(t, { resolver: async () => [address] })
  await egress.post(`http://moving.example:${port}/`, request)
  await egress.post(`http://moving.example:${port}/`, request)
  address = '127.0.0.2'
  await egress.post(`http://moving.example:${port}/`, request)
  address = '127.0.0.1'
  await egress.post(`http://moving.example:${port}/`, request)
  assert.deepEqual(visited, ['first', 'first', 'second', 'first'])
})

test('connections are reused, and the number of kept hosts is bounded', async (t) => {
  const server = createHttpServer((_incoming, answer) => answer.end())
  let connections = 0
  server.on('connection', () => void (connections += 1))
  const port = await listen(t, server)
  const egress = egressFor(t, { maxPools: 2, resolver: async () => ['127.0.0.1'] })
  const post = async (host: string) => {
    await egress.post(`http://${host}:${port}/`, request)
    // A connection is free again one turn of the event loop after its answer.
    await new Promise(setImmediate)
  }
  for (let count = 0; count < 5; count += 1) await post('a.example')
  assert.equal(connections, 1)
  await post('b.example')
  await post('c.example')
  await post('a.example')
  assert.equal(connections, 4)
})

test('an address that cannot be connected to does not stand in the way of the next', async (t) => {
  const port = await serve(t, (_incoming, answer) => answer.end())
  const egress = egressFor(t, { resolver: async () => ['127.0.0.9', '127.0.0.1'] })
  assert.equal(codeOf(await egress.post(`http://two.example:${port}/`, request)), 'answered 200')
})
