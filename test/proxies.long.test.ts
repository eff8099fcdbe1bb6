/** nginx and Caddy with the samples of ops/, in front of processes that fail and in front of the real service. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { eventually } from './app.ts'
import { startFleet, type Member } from './fleet.ts'
import { files, presign, registerBusiness } from './onboarding.ts'
import { hosts, startProxy, whyNot, type Proxy, type ProxyName } from './proxies.ts'

const names: ProxyName[] = ['nginx', 'caddy']

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; sha256: string }

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** A process that reads each request and then does this. */
async function startStub(
  t: TestContext,
  answer: (seen: Seen, response: ServerResponse) => void,
): Promise<{ at: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (request.url === '/readyz' || request.url === '/livez') return void response.end('ok')
      const one = { method: request.method!, url: request.url!, headers: request.headers, sha256: sha256(Buffer.concat(pieces)) }
      seen.push(one)
      return answer(one, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { at: `127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** A refusal by the proxy itself has the shape of the service's own, in both languages. */
function isRefusedByProxy({ status, text }: { status: number; text: string }, wanted: number, code: string): void {
  assert.equal(status, wanted, text)
  const { error } = JSON.parse(text)
  assert.equal(error.code, code)
  assert.deepEqual(Object.keys(error).sort(), ['code', 'doc_url', 'message', 'message_sw', 'request_id', 'type'])
  assert.ok(error.message.endsWith('.') && error.message_sw.endsWith('.') && error.message !== error.message_sw, text)
  assert.match(error.request_id, /^[\w-]+$/)
  assert.match(error.doc_url, /^https:\/\/api\.malipo\.example\/docs\/errors#\w+$/)
}

for (const name of names) {
  test(`${name} passes requests on unchanged, repeats a GET at another process, and never a POST`, async (t) => {
    const reason = whyNot(name)
    if (reason !== undefined) return t.diagnostic(reason)
    const dying = await startStub(t, (_seen, response) => void response.destroy())
    const living = await startStub(t, ({ method }, response) => {
      if (method !== 'DELETE') return void response.end('{"ok":true}')
      // Its answer breaks off.
      response.writeHead(200, { 'content-length': 100 }).write('{')
      return void setTimeout(() => response.destroy(), 100)
    })
    const both = [dying.at, living.at] as const
    const proxy = await startProxy(t, name, { api: both, checkout: both, documents: [living.at, living.at] })
    const all = (): Seen[] => [...dying.seen, ...living.seen]

    for (let count = 0; count < 12; count += 1) {
      const path = `/v1/payments/checkout?order=${count}`
      const answer = await proxy.ask('api', { method: 'POST', path, body: '{}', headers: { 'idempotency-key': `k${count}` } })
      const { status } = answer
      if (status !== 200) isRefusedByProxy(answer, 503, 'overloaded')
      const sent = all().filter(({ url }) => url === path)
      assert.ok(sent.length <= 1, `a POST was sent ${sent.length} times`)
      // Refused without being sent, answered, or lost with the process that had read it.
      assert.equal(status, sent.length === 1 && living.seen.includes(sent[0]!) ? 200 : 503)
    }
    assert.ok(dying.seen.length > 0, 'the dying process got at least one POST')
    const before = dying.seen.length
    await eventually(
      'a GET reaches the dying process first, and is answered by the other',
      async () => {
        const answers = await Promise.all(Array.from({ length: 4 }, () => proxy.ask('api', { path: '/v1/networks' })))
        for (const { status, text } of answers) assert.deepEqual([status, text], [200, '{"ok":true}'])
        return dying.seen.length > before
      },
      30_000,
    )

    // The bytes that a provider has signed, and the addresses that a client may not choose.
    living.seen.length = 0
    const body = Buffer.concat([Buffer.from('{ "b" : 1.0,\t"a":"ü" }\r\n'), randomBytes(40_000)])
    const lies = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=203.0.113.9',
      'x-real-ip': '203.0.113.9',
    }
    const path = '/v1/providers/snippe/live/webhook//%2e?x=%20&y=a+b'
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': 'abc', ...lies }
    await proxy.ask('documents', { method: 'POST', path, body, headers })
    const [got] = living.seen
    assert.equal(got!.sha256, sha256(body))
    assert.deepEqual([got!.url, got!.headers['x-webhook-signature']], [path, 'abc'])
    assert.equal(got!.headers['x-forwarded-for'], '127.0.0.1')
    assert.notEqual(got!.headers['x-forwarded-host'], 'evil.example')
    const large = await proxy.ask('documents', { method: 'PUT', path: '/large', body: Buffer.alloc(13_000_000) })
    isRefusedByProxy(large, 413, 'document_too_large')
    const long = await proxy.ask('api', { method: 'POST', path: '/v1/long', body: Buffer.alloc(2_000_000) })
    isRefusedByProxy(long, 413, 'payload_too_large')
    const before404 = all().length
    const foreign = await proxy.sendRaw('api', 'GET /v1/networks HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    const [head = '', text = ''] = foreign.split('\r\n\r\n')
    isRefusedByProxy({ status: Number(head.split(' ')[1]), text }, 404, 'not_found')
    assert.equal(all().length, before404, 'a process got a request for another host')
    for (const private_ of ['/metrics', '/metrics/', '/healthz/deep']) {
      assert.equal((await proxy.ask('api', { path: private_ })).status, 404)
    }
    assert.ok(!all().some(({ url }) => /metrics|healthz/.test(url)))
    const plain = await proxy.askPlain('api')
    assert.ok([301, 308].includes(plain.status) && plain.location!.startsWith('https://api.malipo.example'), plain.location!)
    const broken = { method: 'DELETE', path: '/v1/broken', headers: { 'x-api-key': 'svc_live_inTheClear' } }
    await Promise.all(Array.from({ length: 4 }, () => proxy.ask('documents', broken).catch(() => undefined)))
    assert.ok(living.seen.some(({ method }) => method === 'DELETE'))
    assert.doesNotMatch(proxy.log(), /order=|webhook|\/v1|svc_live/)
    return undefined
  })
}

/**
 * Requests that two programs may end at different places; each hides a request for `/smuggled` in what one of them takes for a body. A
 * proxy that takes it for a second request passes it on as one, with its own headers: then both agree, and nothing was smuggled.
 */
function smuggled(host: string): Record<string, string> {
  const hidden = `GET /smuggled HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n`
  const post = (headers: string[], body: string) =>
    `POST /v1/x HTTP/1.1\r\nHost: ${host}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
  const chunked = 'Transfer-Encoding: chunked'
  const empty = `0\r\n\r\n${hidden}`
  const whole = (text: string) => `Content-Length: ${text.length}`
  const inChunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  return {
    'CL.TE': post([whole(empty), chunked], empty),
    'TE.CL': post([chunked, 'Content-Length: 4'], inChunk),
    'TE.TE, disguised': post([chunked, 'Transfer-Encoding: xchunked', whole(empty)], empty),
    'TE with a space before the colon': post([whole(empty), 'Transfer-Encoding : chunked'], empty),
    'TE with a vertical tab': post([whole(empty), 'Transfer-Encoding:\x0bchunked'], empty),
    'TE in quotes': post([whole(empty), 'Transfer-Encoding: "chunked"'], empty),
    'TE twice in one header': post([whole(empty), 'Transfer-Encoding: identity, chunked'], empty),
    'TE folded into the next line': post([whole(empty), 'Transfer-Encoding:', ' chunked'], empty),
    'a folded header that hides TE': post([whole(empty), 'X-A: b', ' Transfer-Encoding: chunked'], empty),
    'TE after a bare line feed': post([whole(empty), 'X-A: b\nTransfer-Encoding: chunked'], empty),
    'two lengths, the same': post([whole(hidden), whole(hidden)], hidden),
    'two lengths, 0 first': post(['Content-Length: 0', whole(hidden)], hidden),
    'two lengths, 0 last': post([whole(hidden), 'Content-Length: 0'], hidden),
    'a list of lengths': post([`Content-Length: ${hidden.length}, 0`], hidden),
    'a length with a sign': post([`Content-Length: +${hidden.length}`], hidden),
    'a length in hexadecimal': post([`Content-Length: 0x${hidden.length.toString(16)}`], hidden),
    'a length on a GET': `GET /v1/x HTTP/1.1\r\nHost: ${host}\r\n${whole(hidden)}\r\n\r\n${hidden}`,
    'a chunk whose extension hides a line feed': post([chunked], `2;\nxx\r\nab\r\n0\r\n\r\n`.replace('ab', `ab${hidden}`)),
    'a chunk with a size that is too large': post([chunked], `fffffffffffffffff\r\n${hidden}`),
    'a chunk with a bare line feed': post(
      [chunked],
      `0\n\n${hidden}`.replace('0\n\n', `1\nZ\n0\n\nGET /smuggled HTTP/1.1\nHost: ${host}\n\n`),
    ),
    'trailers that hide a header': post([chunked], `0\r\nContent-Length: 0\r\nX: y\nGET /smuggled HTTP/1.1\r\n\r\n`),
    'HTTP/1.0 with TE': post([whole(empty), chunked], empty).replace('HTTP/1.1', 'HTTP/1.0'),
    'a line feed in the path': `GET /v1/x\nHost: ${host}\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    'an upgrade that goes on': `GET /v1/x HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n${whole(hidden)}\r\n\r\n${hidden}`,
  }
}

for (const name of names) {
  test(`${name} lets no request through that another one hides`, async (t) => {
    const reason = whyNot(name)
    if (reason !== undefined) return t.diagnostic(reason)
    const stub = await startStub(t, (_seen, response) => void response.end('{"ok":true}'))
    const both = [stub.at, stub.at] as const
    const proxy = await startProxy(t, name, { api: both, checkout: both, documents: both })
    const reached: Record<string, string> = {}
    for (const [kind, bytes] of Object.entries(smuggled(hosts.api))) {
      stub.seen.length = 0
      const answers = await proxy.sendRaw('api', bytes)
      const statuses = [...answers.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => status)
      const paths = stub.seen.map(
        ({ method, url, headers }) => `${method} ${url} te=${headers['transfer-encoding']} cl=${headers['content-length']}`,
      )
      t.diagnostic(`${kind}: answered ${statuses.join() || 'by closing'}, passed on ${paths.join() || 'nothing'}`)
      // What came through the proxy as a request of its own names the client as the proxy sees it, and has an answer.
      const isPassedOn = stub.seen.every(({ headers }) => headers['x-forwarded-for'] === '127.0.0.1')
      if (!isPassedOn || statuses.length < stub.seen.length) reached[kind] = `${paths.join()} (${statuses.join()})`
      // The next client of the same connection to the process gets its own answer.
      assert.equal((await proxy.ask('api', { path: '/v1/next' })).status, 200, kind)
      assert.equal(stub.seen.at(-1)!.url, '/v1/next', kind)
    }
    assert.deepEqual(reached, {})
    return undefined
  })
}

const referenceIn = (text: unknown): string => /pay_[0-9a-z]{26}/.exec(String(text))![0]

const valueOf = (text: string, field: string): string =>
  new RegExp(`name="${field}"\\s+value="([^"]*)"`).exec(text)?.[1] ?? assert.fail(`no value of ${field}`)

/** A payer's browser: the form, the prompt, the result. */
async function payInBrowser(proxy: Proxy, slug: string): Promise<void> {
  const form = await proxy.ask('checkout', { path: `/pay/${slug}` })
  assert.equal(form.status, 200)
  assert.equal(form.headers['strict-transport-security']!.split(',').length, 1)
  const fields = {
    idempotency_key: valueOf(form.text, 'idempotency_key'),
    lang: valueOf(form.text, 'lang'),
    amount: valueOf(form.text, 'amount'),
    phone_number: '0754 123 789',
    customer_name: 'Juma Hamisi',
    customer_email: 'juma@example.com',
  }
  const cookie = [form.headers['set-cookie'] ?? []].flat().map((one) => one.split(';')[0]!)
  const sent = await proxy.ask('checkout', {
    method: 'POST',
    path: `/pay/${slug}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: cookie.join('; ') },
    body: new URLSearchParams(fields).toString(),
  })
  assert.equal(sent.status, 303, sent.text)
  const reference = referenceIn(sent.headers['location'])
  await eventually(
    'the payment is completed',
    async () => {
      const status = await proxy.ask('api', { path: `/v1/payments/${reference}/status?wait=5` })
      return status.json().data.status === 'completed'
    },
    60_000,
  )
  const { pathname, search } = new URL(sent.headers['location']!, 'https://pay.malipo.example')
  assert.equal((await proxy.ask('checkout', { path: pathname + search })).status, 200)
}

for (const name of names) {
  test(`the whole service works behind ${name}, and one of two APIs may be killed`, { timeout: 280_000 }, async (t) => {
    const reason = whyNot(name)
    if (reason !== undefined) return t.diagnostic(reason)
    const fleet = await startFleet(t, { TRUSTED_PROXIES: '1', RATE_LIMIT_QUOTAS: 'checkout=20/600' })
    const { app } = fleet
    const [first, second] = [await fleet.api(), await fleet.api()]
    await fleet.worker()
    const at = (read: (member: Member) => string) => [new URL(read(first)).host, new URL(read(second)).host] as const
    const proxy = await startProxy(t, name, {
      api: at(({ url }) => url),
      checkout: at(({ checkoutUrl }) => checkoutUrl),
      documents: at(({ storageUrl }) => storageUrl),
    })
    const student = await app.student()
    const page = await app.page(student)
    await payInBrowser(proxy, page.slug)

    await Promise.all(Array.from({ length: 8 }, () => app.page(student)))
    // Compressed once: pages and files by the service, JSON by the proxy.
    const zipped = { 'accept-encoding': 'gzip' }
    for (const [host, path, headers, inside] of [
      ['checkout', `/pay/${page.slug}`, {}, /<html/],
      ['api', '/openapi-merchants.json', {}, /"openapi"/],
      ['api', '/docs', {}, /<html/],
      ['api', '/v1/merchant/payment-pages?environment=test', { authorization: `Bearer ${student.token}` }, /"data"/],
    ] as const) {
      const answer = await proxy.ask(host, { path, headers: { ...zipped, ...headers } })
      assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, 'gzip'], path)
      assert.match(gunzipSync(answer.raw).toString(), inside, path)
    }

    // The limits see the address of the client, and not the one that it claims to have.
    const tryCheckout = async (from: string, claims: string): Promise<number> => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': claims, forwarded: `for=${claims}` }
      const body = JSON.stringify({
        slug: 'no-such-page',
        phone_number: '0754123789',
        customer_name: 'Juma',
        customer_email: 'j@example.com',
        idempotency_key: claims,
      })
      return (await proxy.ask('api', { method: 'POST', path: '/v1/payments/checkout', headers, body, from })).status
    }
    const statuses: number[] = []
    for (let count = 0; count < 60; count += 1) statuses.push(await tryCheckout('127.0.0.2', `198.51.100.${count}`))
    assert.equal(statuses.at(-1), 429, String(statuses))
    assert.equal(await tryCheckout('127.0.0.3', '198.51.100.1'), 404)

    // An upload of almost 10 MB, one above the limit of the service, and the original bytes.
    const side = 1_780
    const bytes = await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
      .png()
      .toBuffer()
    assert.ok(bytes.length > 9_000_000 && bytes.length < 10_000_000, String(bytes.length))
    const where = `/v1/businesses/${(await registerBusiness(app, student)).id}`
    const upload = async (purpose: string, file: Buffer) => {
      const address = await presign(app, student, where, purpose, files.png())
      const { pathname, search } = new URL(address.upload_url)
      return proxy.ask('documents', { method: 'PUT', path: pathname + search, headers: address.headers, body: file })
    }
    const taken = await upload('tax_certificate', bytes)
    assert.deepEqual([taken.status, taken.json().data?.size_bytes], [200, bytes.length], taken.text)
    const refused = await upload('business_license', Buffer.concat([bytes, Buffer.alloc(1_500_000)]))
    assert.deepEqual([refused.status, refused.json().error.code], [413, 'document_too_large'])

    // A payer who waits is not cut off.
    const waiting = await app.checkout(page.slug, { phone_number: '0754000129' })
    const reference = waiting.body.data.reference
    await proxy.ask('api', { path: `/v1/payments/${reference}/status` })
    const startedAt = performance.now()
    const waited = await proxy.ask('api', { path: `/v1/payments/${reference}/status?wait=20` })
    assert.equal(waited.status, 200)
    const seconds = (performance.now() - startedAt) / 1000
    assert.ok(seconds > 15, `it waited for ${seconds} s`)

    // One API dies under load: readers notice nothing, and each payer gets one payment.
    let isOver = false
    const reads = { done: 0, failed: [] as string[] }
    const readers = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const { status, text } = await proxy.ask('api', { path: '/v1/networks' })
        if (status === 200) reads.done += 1
        else reads.failed.push(`${status} ${text}`)
      }
    })
    const made = new Map<string, string>()
    const payers = Array.from({ length: 3 }, async (_, payer) => {
      for (let count = 0; !isOver; count += 1) {
        const idempotencyKey = `${payer}-${count}`
        const body = JSON.stringify({
          slug: page.slug,
          phone_number: '0754123789',
          customer_name: 'Juma',
          customer_email: 'j@example.com',
          idempotency_key: idempotencyKey,
        })
        // Each from its own address, and again with the same key until it is answered.
        const from = `127.${payer + 10}.${count >> 8}.${count & 255}`
        await eventually(
          'the checkout is answered',
          async () => {
            const answer = await proxy.ask('api', {
              method: 'POST',
              path: '/v1/payments/checkout',
              headers: { 'content-type': 'application/json' },
              body,
              from,
            })
            if (answer.status !== 201 && answer.status !== 200) return false
            made.set(idempotencyKey, answer.json().data.reference)
            return true
          },
          60_000,
        )
      }
    })
    await eventually('there is load', () => reads.done > 30 && made.size > 5, 60_000)
    await second.kill()
    const [readsBefore, madeBefore] = [reads.done, made.size]
    await eventually('the load goes on', () => reads.done > readsBefore + 60 && made.size > madeBefore + 8, 60_000)
    isOver = true
    await Promise.all([...readers, ...payers])
    assert.deepEqual(reads.failed, [])
    assert.equal(new Set(made.values()).size, made.size)
    assert.doesNotMatch(proxy.log(), /pay_|signature|no-such-page/)
    return undefined
  })
}
