import assert from 'node:assert/strict'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer as createTcpServer, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { createEgress, isPublicAddress, type EgressOptions, type EgressOutcome, type PostRequest } from './egress.ts'
import { makeCertificate } from '../../../test/fixtures/certificate.ts'

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

/** A receiver that answers with raw bytes instead of HTTP, once it has received a request. */
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

type Octets = [number, number, number, number]

const octetsOf = (value: number): Octets => [(value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const valueOf = ([a, b, c, d]: readonly number[]): number => ((a! << 24) | (b! << 16) | (c! << 8) | d!) >>> 0
const groupsOf = (value: number): [string, string] => [(value >>> 16).toString(16), (value & 0xffff).toString(16)]

/** The IANA registry of special IPv4 addresses, multicast and class E, copied by hand: the first and the last address of each range. */
const special4: [string, string][] = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
]
const ranges4 = special4.map((ends) => ends.map((end) => valueOf(end.split('.').map(Number))) as [number, number])
const isSpecial4 = (value: number): boolean => ranges4.some(([first, last]) => value >= first && value <= last)
/** The ends of every range, their neighbours, and the middle. */
const boundaries4 = ranges4.flatMap(([first, last]) =>
  [first - 1, first, first + 1, first + Math.floor((last - first) / 2), last - 1, last, last + 1].filter(
    (value) => value >= 0 && value <= 0xffffffff,
  ),
)

/** Any IPv4 address; addresses of the special ranges and their edges are as frequent as all others together. */
const ipv4 = fc.oneof(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.constantFrom(...boundaries4),
  fc.constantFrom(...ranges4).chain(([min, max]) => fc.integer({ min, max })),
)

/** Every form of an IPv6 address that contains an IPv4 address. */
const disguises: Record<string, (value: number) => string[]> = {
  'mapped (::ffff:0:0/96)': (value) => {
    const [high, low] = groupsOf(value)
    return [`::ffff:${octetsOf(value).join('.')}`, `::ffff:${high}:${low}`, `0:0:0:0:0:FFFF:${high}:${low}`]
  },
  'compatible (::/96)': (value) => [`::${octetsOf(value).join('.')}`, `::${groupsOf(value).join(':')}`],
  'translated (::ffff:0:0:0/96)': (value) => [`::ffff:0:${octetsOf(value).join('.')}`, `::ffff:0:${groupsOf(value).join(':')}`],
  'NAT64 (64:ff9b::/96)': (value) => [`64:ff9b::${octetsOf(value).join('.')}`, `64:ff9b::${groupsOf(value).join(':')}`],
  'NAT64 of a network (64:ff9b:1::/48)': (value) => {
    const [a, b, c, d] = octetsOf(value).map((octet) => octet.toString(16).padStart(2, '0'))
    // RFC 6052 section 2.2: behind a /48, a /56, a /64 and a /96, around the octet that is always zero.
    return [
      `64:ff9b:1:${a}${b}:00${c}:${d}00::`,
      `64:ff9b:1:00${a}:00${b}:${c}${d}::`,
      `64:ff9b:1:0:00${a}:${b}${c}:${d}00:0`,
      `64:ff9b:1::${a}${b}:${c}${d}`,
    ]
  },
  '6to4 (2002::/16)': (value) => [`2002:${groupsOf(value).join(':')}::`, `2002:${groupsOf(value).join(':')}:ffff::1`],
  'Teredo, the server (2001::/32)': (value) => [`2001:0:${groupsOf(value).join(':')}:0:ffff:f7f7:f7f7`],
  'Teredo, the client with all bits turned (2001::/32)': (value) => [
    `2001:0:4136:e378:8000:63bf:${groupsOf(~value >>> 0).join(':')}`,
  ],
  'ISATAP (…:0:5efe:0:0/96, …:200:5efe:0:0/96)': (value) =>
    ['::', 'fe80::', '2606:4700:10:20:'].flatMap((prefix) =>
      ['0:5efe', '200:5efe'].map((mark) => `${prefix}${mark}:${groupsOf(value).join(':')}`),
    ),
}

test('the public internet is the address space without every special range [W15, A43]', () => {
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

test('an IPv4 address is public when it lies outside the special ranges, to the last address of each [W15, A43]', () => {
  for (const value of boundaries4) assert.equal(isPublicAddress(octetsOf(value).join('.')), !isSpecial4(value), String(value))
  fc.assert(
    fc.property(ipv4, (value) => isPublicAddress(octetsOf(value).join('.')) === !isSpecial4(value)),
    { numRuns: 20_000 },
  )
})

test('an IPv6 address is public from the end of one special range to the start of the next [W15, A43]', () => {
  const ones = (groups: number) => Array.from({ length: groups }, () => 'ffff').join(':')
  // First and last address of each range, and the neighbours on both sides where those are public.
  const edges: [string, boolean][] = [
    ['::', false],
    [`ff:${ones(7)}`, false],
    ['100::', false],
    [`100:0:0:0:${ones(4)}`, false],
    [`1fff:${ones(7)}`, false],
    ['2000::', true],
    [`2000:${ones(7)}`, true],
    ['2001::', false],
    [`2001:1ff:${ones(6)}`, false],
    ['2001:200::', true],
    [`2001:db7:${ones(6)}`, true],
    ['2001:db8::', false],
    [`2001:db8:${ones(6)}`, false],
    ['2001:db9::', true],
    [`2001:${ones(7)}`, true],
    ['2002::', false],
    [`2002:${ones(7)}`, false],
    ['2003::', true],
    [`3ffe:${ones(7)}`, true],
    ['3fff::', false],
    [`3fff:fff:${ones(6)}`, false],
    ['3fff:1000::', true],
    [`3fff:${ones(7)}`, true],
    ['4000::', false],
    ['5f00::', false],
    [`5f00:${ones(7)}`, false],
    ['fc00::', false],
    [`fdff:${ones(7)}`, false],
    ['fe80::', false],
    [`febf:${ones(7)}`, false],
    ['fec0::', false],
    [`feff:${ones(7)}`, false],
    ['ff00::', false],
    [ones(8), false],
    ['2606:4700::ff:5efe:7f00:1', true],
    ['2606:4700::5eff:7f00:1', true],
  ]
  for (const [address, isPublic] of edges) assert.equal(isPublicAddress(address), isPublic, address)
})

for (const [name, disguise] of Object.entries(disguises)) {
  test(`no IPv4 address counts as public when it is written as ${name} [W15, A43]`, async (t) => {
    const everyOne = fc.property(ipv4, (value) =>
      disguise(value).every((address) => isIPv6(address) && !isPublicAddress(address)),
    )
    fc.assert(everyOne, { numRuns: 5_000 })
    for (const value of boundaries4) assert.deepEqual(disguise(value).filter(isPublicAddress), [], String(value))

    // Once as a literal address in the URL, and once as the address that a name resolves to: when it is saved and when it is sent
    // to.
    let answer: string[] = []
    const egress = egressFor(t, { allowPrivate: false, resolver: async () => answer })
    const nothingLeaves = fc.asyncProperty(ipv4, async (value) => {
      for (const address of disguise(value)) {
        assert.equal(await egress.checkTarget(`https://[${address}]/`), 'ip_literal', address)
        assert.equal(codeOf(await egress.post(`https://[${address}]/`, request)), 'blocked_target', address)
        for (answer of [[address], ['93.184.215.14', address]]) {
          assert.equal(await egress.checkTarget('https://shop.example/'), 'private_target', address)
          assert.equal(codeOf(await egress.post('https://shop.example/', request)), 'blocked_target', address)
        }
      }
    })
    await fc.assert(nothingLeaves, { numRuns: 200 })
  })
}

test('no spelling of a private IPv4 address is accepted: octal, hexadecimal, short, as one number, in circled digits [W15, A42]', async (t) => {
  const egress = egressFor(t, { allowPrivate: false, resolver: async () => assert.fail('a name was looked up') })
  const spellings = (value: number): string[] => {
    const [a, b, c, d] = octetsOf(value)
    const circled = octetsOf(value)
      .join('.')
      .replace(/\d/g, (digit) => (digit === '0' ? '⓪' : String.fromCodePoint(0x245f + Number(digit))))
    return [
      octetsOf(value).join('.'),
      `${octetsOf(value).join('.')}.`,
      String(value),
      `0x${value.toString(16)}`,
      `0${value.toString(8)}`,
      `0x${a.toString(16)}.0${b.toString(8)}.${(c << 8) | d}`,
      `${a}.${(b << 16) | (c << 8) | d}`,
      circled,
    ]
  }
  const nothingLeaves = fc.asyncProperty(ipv4, async (value) => {
    for (const host of spellings(value)) {
      assert.equal(await egress.checkTarget(`https://${host}/`), 'ip_literal', host)
      assert.equal(codeOf(await egress.post(`https://${host}/`, request)), 'blocked_target', host)
    }
  })
  await fc.assert(nothingLeaves, { numRuns: 500 })
})

test('an address that someone asks us to send to is judged before anything is sent [W15, A41, A42, A43, A46]', async (t) => {
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

test('localhost is resolved without a name server, and is private', async (t) => {
  const egress = egressFor(t, { allowPrivate: false })
  assert.equal(await egress.checkTarget('https://localhost/'), 'private_target')
  assert.equal(await egress.checkTarget('https://localhost./'), 'private_target')
  assert.equal(await egress.checkTarget('https://x.localhost/'), 'private_target')
})

test('local mode allows http and this machine, but no other private address', async (t) => {
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

test('the receiver gets the given body, and the caller gets the answer [W09, A47]', async (t) => {
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

test('Retry-After is read as seconds and as a date', async (t) => {
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

test('a redirect is an answer; where it points to is never visited [W02, A45]', async (t) => {
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

test('each kind of failure has its own code [W03, A47]', async (t) => {
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
    // The reset must not overtake the written bytes: send it when the other side has had time to read.
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => setTimeout(() => socket.resetAndDestroy(), 50))
  })
  const endAfterHeaders = await serveBytes(t, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'))
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
    [`http://slow.example:${closed}/`, 'dns_timeout'],
    [`http://127.0.0.1:${freePort}/`, 'connection_refused'],
    [`http://127.0.0.1:${resetAtOnce}/`, 'connection_reset'],
    [`http://127.0.0.1:${resetBeforeHeaders}/`, 'connection_reset'],
    [`http://127.0.0.1:${endBeforeHeaders}/`, 'connection_reset'],
    [`http://127.0.0.1:${resetAfterHeaders}/`, 'answer_incomplete'],
    [`http://127.0.0.1:${endAfterHeaders}/`, 'answer_incomplete'],
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

test('a certificate must be trusted, in date and of this host, and each of the three failures has its own code [W03]', async (t) => {
  const day = 24 * 3600 * 1000
  const trusted = makeCertificate({ host: 'shop.example', notBefore: Date.now() - day, notAfter: Date.now() + day })
  const expired = makeCertificate({ host: 'shop.example', notBefore: Date.now() - 2 * day, notAfter: Date.now() - day })
  const early = makeCertificate({ host: 'shop.example', notBefore: Date.now() + day, notAfter: Date.now() + 2 * day })
  const received: string[] = []
  const answer: RequestListener = (incoming, response) => {
    received.push(incoming.headers.host!.split(':')[0]!)
    response.end('ok')
  }
  const trustedPort = await listen(t, createHttpsServer(trusted, answer))
  const expiredPort = await listen(t, createHttpsServer(expired, answer))
  const earlyPort = await listen(t, createHttpsServer(early, answer))
  const resolver = async () => ['127.0.0.1']
  const knows = egressFor(t, { resolver, certificateAuthorities: [trusted.cert, expired.cert, early.cert] })
  const stranger = egressFor(t, { resolver })
  assert.equal(codeOf(await knows.post(`https://shop.example:${trustedPort}/`, request)), 'answered 200')
  assert.equal(codeOf(await knows.post(`https://other.example:${trustedPort}/`, request)), 'tls_wrong_host')
  assert.equal(codeOf(await knows.post(`https://shop.example:${expiredPort}/`, request)), 'tls_expired')
  assert.equal(codeOf(await knows.post(`https://shop.example:${earlyPort}/`, request)), 'tls_expired')
  assert.equal(codeOf(await stranger.post(`https://shop.example:${trustedPort}/`, request)), 'tls_untrusted')
  assert.deepEqual(received, ['shop.example'])
})

test('one deadline covers everything: the name look-up, slow headers, a slow body, and answers that never come [W04, A47]', async (t) => {
  const drip = (socket: Socket, bytes: string) => {
    const timer = setInterval(() => socket.write(bytes), 20)
    socket.on('close', () => clearInterval(timer)).on('error', () => clearInterval(timer))
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
  assert.equal(codeOf(await hangingName.post('http://hanging.example:8080/', short)), 'dns_timeout')
})

test('an answer is read only up to its limit: endless, of a gigabyte, or compressed to a thousandth of it [W04]', async (t) => {
  const block = Buffer.alloc(64 * 1024, 'x')
  const flood = (head: string) =>
    serveBytes(t, (socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write(block));
      }
      socket.write(head)
      socket.on('drain', more)
      more()
    })
  const endless = await flood('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n')
  const huge = await flood('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
  // Members of one gzip file follow each other: these are a gigabyte.
  const member = gzipSync(Buffer.alloc(10_000_000))
  const bomb = Buffer.concat(Array.from({ length: 100 }, () => member))
  const packed = await serve(t, (_incoming, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  const ordinary = await serve(t, (_incoming, answer) => answer.end(block))
  const egress = egressFor(t)
  const post = async (port: number) => {
    const outcome = await egress.post(`http://127.0.0.1:${port}/`, { ...request, deadlineMs: 10_000 })
    assert.ok(outcome.kind === 'answered' && outcome.status === 200, codeOf(outcome))
    assert.ok(Buffer.byteLength(outcome.body.replaceAll('\ufffd', '?')) <= request.keptBytes)
    assert.ok(outcome.durationMs < 2_000, `${outcome.durationMs} ms`)
  }
  // Make answers of this length first, so that the test measures only the difference of the memory peak.
  for (let count = 0; count < 300; count += 1) await post(ordinary)
  const peakMib = () => process.resourceUsage().maxRSS / 1024
  const before = peakMib()
  for (const port of [endless, huge, packed]) await post(port)
  const grownMib = peakMib() - before
  assert.ok(grownMib < 5, `memory grew by ${grownMib} MiB`)
})

test('a name that changes its mind reaches nothing: the connection goes to the address that was judged [W16]', async (t) => {
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

  // One look-up for each attempt: no second look-up could answer differently.
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

  // Two receivers on one port: code that resolves the name again to connect reaches the second one.
  const visited: string[] = []
  const second = (answered: string) => (_incoming: IncomingMessage, answer: ServerResponse) => {
    visited.push(answered)
    answer.end()
  }
  const shared = await serve(t, second('judged'), '127.0.0.2')
  await serve(t, second('named later'), '127.0.0.3', shared)
  lookUps = 0
  const turning = egressFor(t, {
    resolver: async () => {
      lookUps += 1
      return [lookUps === 1 ? '127.0.0.2' : '127.0.0.3']
    },
  })
  assert.equal(codeOf(await turning.post(`http://turning.example:${shared}/`, request)), 'answered 200')
  assert.deepEqual([visited, lookUps], [['judged'], 1])
})

test('callers that resolve one name at the same time share the answer; a later caller resolves it again', async (t) => {
  const port = await serve(t, (_incoming, answer) => answer.end())
  let lookUps = 0
  const egress = egressFor(t, {
    resolver: async (hostname) => {
      lookUps += 1
      await new Promise(setImmediate)
      if (hostname === 'broken.example') throw Object.assign(new Error('servfail'), { code: 'ESERVFAIL' })
      return ['127.0.0.1']
    },
  })
  const post = async (hostname: string) => codeOf(await egress.post(`http://${hostname}:${port}/`, request))
  const names = ['one.example', 'one.example', 'other.example', 'broken.example', 'broken.example']
  const answers = ['answered 200', 'answered 200', 'answered 200', 'dns_failure', 'dns_failure']
  assert.deepEqual(await Promise.all(names.map(post)), answers)
  assert.equal(lookUps, 3)
  assert.deepEqual([await post('one.example'), await post('broken.example')], ['answered 200', 'dns_failure'])
  assert.equal(lookUps, 5)
})

test('one forbidden address among public ones makes the whole answer forbidden, at any position [W17]', async (t) => {
  const good = ['93.184.215.14', '2606:4700:4700::1111']
  let addresses: string[] = []
  const egress = egressFor(t, { allowPrivate: false, resolver: async () => addresses })
  for (const bad of ['10.0.0.1', '127.0.0.1', '169.254.169.254', '::1', '::ffff:8.8.8.8', 'fd00::1', 'not an address']) {
    for (addresses of [
      [...good, bad],
      [bad, ...good],
      [good[0]!, bad, good[1]!],
    ]) {
      assert.equal(await egress.checkTarget('https://mixed.example/'), 'private_target', addresses.join())
      assert.equal(codeOf(await egress.post('https://mixed.example/', request)), 'blocked_target', addresses.join())
    }
  }
})

test('a kept connection is used only for its own address and host [W18]', async (t) => {
  const visited: string[] = []
  const receive = (name: string) => (incoming: IncomingMessage, answer: ServerResponse) => {
    visited.push(`${incoming.headers.host!.split(':')[0]} at ${name}`)
    answer.end()
  }
  const port = await serve(t, receive('first'))
  await serve(t, receive('second'), '127.0.0.2', port)
  const addresses: Record<string, string> = { 'moving.example': '127.0.0.1', 'other.example': '127.0.0.2' }
  const egress = egressFor(t, { resolver: async (hostname) => [addresses[hostname]!] })
  const post = async (hostname: string) => {
    assert.equal(codeOf(await egress.post(`http://${hostname}:${port}/`, request)), 'answered 200')
    // A connection is free again one turn of the event loop after its answer.
    await new Promise(setImmediate)
  }
  await post('moving.example')
  await post('moving.example')
  await post('other.example')
  addresses['moving.example'] = '127.0.0.2'
  await post('moving.example')
  addresses['other.example'] = '127.0.0.1'
  await post('other.example')
  addresses['moving.example'] = '127.0.0.1'
  await post('moving.example')
  assert.deepEqual(visited, [
    'moving.example at first',
    'moving.example at first',
    'other.example at second',
    'moving.example at second',
    'other.example at first',
    'moving.example at first',
  ])
})

test('connections are reused, and the number of kept hosts is limited [W18]', async (t) => {
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

test('an address that refuses connections does not prevent the next one', async (t) => {
  const port = await serve(t, (_incoming, answer) => answer.end())
  const egress = egressFor(t, { resolver: async () => ['127.0.0.9', '127.0.0.1'] })
  assert.equal(codeOf(await egress.post(`http://two.example:${port}/`, request)), 'answered 200')
})

test('an address without a route does not hide the error of another address', async (t) => {
  const vacated = createTcpServer()
  const port = await listen(t, vacated)
  await new Promise((closed) => vacated.close(closed))
  // The broadcast address of the loopback network accepts no connections.
  let addresses = ['127.255.255.255']
  const egress = egressFor(t, { resolver: async () => addresses })
  const post = async () => codeOf(await egress.post(`http://two.example:${port}/`, request))
  assert.equal(await post(), 'local_failure')
  for (addresses of [
    ['127.0.0.1', '127.255.255.255'],
    ['127.255.255.255', '127.0.0.1'],
  ]) {
    assert.equal(await post(), 'connection_refused', addresses.join())
  }
})

test('a connection that is ready only after the deadline does not send the request', async (t) => {
  const day = 24 * 3600 * 1000
  const certificate = makeCertificate({ host: 'shop.example', notBefore: Date.now() - day, notAfter: Date.now() + day })
  const received: string[] = []
  const receive: RequestListener = (incoming, answer) => {
    incoming.on('data', (piece: Buffer) => void received.push(piece.toString())).on('end', () => answer.end())
  }
  const web = createHttpsServer(certificate, receive)
  // The name look-up takes most of the time. The handshake takes more than the rest, but less than a connection alone may take.
  let handshakeMs = 200
  const slow = createTcpServer((socket) => void setTimeout(() => web.emit('connection', socket), handshakeMs))
  const port = await listen(t, slow)
  const resolver = async () => {
    await new Promise((resolve) => setTimeout(resolve, 400))
    return ['127.0.0.1']
  }
  const egress = egressFor(t, { resolver, certificateAuthorities: [certificate.cert] })
  const late = await egress.post(`https://shop.example:${port}/`, { ...request, body: 'late', deadlineMs: 500 })
  assert.equal(codeOf(late), 'timeout')
  // The next request takes as long as the rest of the first handshake, so that a late first request would arrive before it.
  handshakeMs = 0
  assert.equal(codeOf(await egress.post(`https://shop.example:${port}/`, { ...request, body: 'in time' })), 'answered 200')
  assert.deepEqual(received, ['in time'])
})
