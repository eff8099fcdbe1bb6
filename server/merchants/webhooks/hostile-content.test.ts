/** An address or a text chosen by a stranger reaches no internal host and adds no header. */
import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { sql } from '../../platform/db/db.ts'
import { startWebhookApi, until, type WebhookApi } from '../../../test/fixtures/webhook.ts'

/** Sends to addresses that were stored without the checks, as after a bug or a change in the database by hand. */
async function sendTo(app: WebhookApi, urls: string[]): Promise<void> {
  app.names.set('shop.example', ['93.184.215.14'])
  // One person may read a limited number of secrets in an hour, and may have a limited number of webhooks.
  const atOnce = app.config.webhooks.endpointsPerOwner
  for (let from = 0; from < urls.length; from += atOnce) {
    const person = await app.person()
    for (const url of urls.slice(from, from + atOnce)) {
      const { id } = await app.webhook(person, 'https://shop.example/')
      await app.owner.rows(sql`update webhook_endpoints set url = ${url} where id = ${id}`)
    }
    await app.complete(person)
  }
  app.send()
  await until('all are attempted', async () => (await app.attempts()).length === urls.length)
}

test('an address that passed the check at saving is blocked at sending: schemes, ports, spellings, disguises, our own hosts [W15, A41, A42, A43, A46]', async (t) => {
  const own = 'https://api.malipo.example'
  const app = await startWebhookApi(t, { egress: { allowPrivate: false, ownUrls: [own] } })
  const receiver = await app.receiver()
  const { port } = receiver
  const inside = `
    127.0.0.1 ::1 0.0.0.0 :: 10.0.0.1 100.64.0.1 169.254.169.254 172.16.0.1 192.168.0.1 192.88.99.3 198.18.0.1 224.0.0.1 240.0.0.1
    ::ffff:127.0.0.1 ::ffff:0:7f00:1 ::7f00:1 ::5efe:7f00:1 64:ff9b::a9fe:a9fe 2002:7f00:1::1 fd00::1 fe80::1 100::1 5f00::1 3fff::1`
    .trim()
    .split(/\s+/)
  app.names.set('localhost', ['127.0.0.1', '::1'])
  for (const [place, address] of inside.entries()) app.names.set(`inside-${place}.example`, [address])
  const urls = [
    `http://shop.example:${port}/`,
    'ftp://shop.example/',
    'file:///etc/passwd',
    'data:text/plain,x',
    'javascript:alert(1)',
    'https://',
    `https://user@shop.example:${port}/`,
    `https://shop.example:${port}/#x`,
    ...[22, 25, 5432].map((forbidden) => `https://shop.example:${forbidden}/`),
    ...['127.0.0.1', '0x7f.1', '2130706433', '017700000001', '127.1', '①②⑦.⓪.⓪.①', 'localhost', 'localhost.'].flatMap((host) => [
      `https://${host}:${port}/`,
      `http://${host}:${port}/`,
    ]),
    ...inside.map((address) => `https://${address.includes(':') ? `[${address}]` : address}:${port}/`),
    ...inside.map((_, place) => `https://inside-${place}.example:${port}/`),
    `${own}/v1/x`,
  ]
  await sendTo(app, urls)
  const attempts = await app.owner.rows<{ url: string; errorCode: string }>(sql`select url, error_code from webhook_attempts`)
  assert.deepEqual(
    attempts.filter(({ errorCode }) => errorCode !== 'blocked_target'),
    [],
  )
  assert.equal(receiver.requests.length, 0)
})

/** A receiver that keeps the head of a request as raw bytes. */
async function rawReceiver(t: TestContext): Promise<{ port: number; heads: string[] }> {
  const heads: string[] = []
  const server = createServer((socket) => {
    let text = ''
    socket.on('error', () => undefined)
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
      if (!text.includes('\r\n\r\n')) return
      heads.push(text.slice(0, text.indexOf('\r\n\r\n')))
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { port: (server.address() as AddressInfo).port, heads }
}

test('each header is sent once and is ours; neither an address nor an event can add one [W28]', async (t) => {
  const app = await startWebhookApi(t)
  const { port, heads } = await rawReceiver(t)
  const person = await app.person()
  const path = '/hook?x=%0d%0aX-Evil:%201%0D%0A%0D%0APOST%20/&host=evil.example'
  await app.webhook(person, `http://127.0.0.1:${port}${path}`)
  await app.complete(person)
  const sender = app.send()
  const head = await until('it arrives', () => heads[0])
  const [requestLine, ...lines] = head.split('\r\n')
  assert.equal(requestLine, `POST ${path} HTTP/1.1`)
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  assert.deepEqual(headers.map(([name]) => name).toSorted(), [
    'accept-encoding',
    'connection',
    'content-length',
    'content-type',
    'host',
    'traceparent',
    'user-agent',
    'webhook-id',
    'webhook-signature',
    'webhook-timestamp',
    'x-service-event',
    'x-service-signature',
    'x-service-timestamp',
  ])
  const of: Record<string, string> = Object.fromEntries(headers)
  assert.deepEqual(
    [of['host'], of['content-type'], of['user-agent'], of['accept-encoding'], of['x-service-event']],
    [`127.0.0.1:${port}`, 'application/json', 'Malipo-Webhooks/1', 'identity', 'payment.completed'],
  )

  // No event has such a type. If one had, it would not be sent.
  await app.owner.script('alter table events drop constraint events_type_known')
  const evil = 'payment.completed\r\nX-Evil: 1'
  await app.complete(person)
  await app.owner.rows(
    sql`update events set type = ${evil} where id in (select event_id from webhook_deliveries where status = 'pending')`,
  )
  sender.wake()
  await until('it is not sent', async () =>
    (await app.deliveries()).some(({ status, attempts, postponements }) => status === 'pending' && attempts + postponements > 0),
  )
  assert.equal(heads.length, 1)
})

test('secrets, signatures and control characters that a receiver sends back are not stored', async (t) => {
  const app = await startWebhookApi(t)
  const person = await app.person()
  const echoed: string[] = []
  let secret = ''
  const receiver = await app.receiver((response, request) => {
    const { 'x-service-signature': signature, 'webhook-signature': standard } = request.headers
    const parts = [secret, String(signature), String(standard).split(',')[1]!]
    echoed.push(...parts)
    response.end(`kept\n${parts.join(' ')} \u001b[31mred\u0000 \u202etxt`)
  })
  secret = (await app.webhook(person, receiver.url)).secret
  await app.complete(person)
  app.send()
  const kept = await until('the attempt is recorded', async () => {
    const [row] = await app.owner.rows<{ responseBody: string }>(sql`select response_body from webhook_attempts`)
    return row?.responseBody
  })
  assert.equal(echoed.length, 3)
  assert.match(secret, /^whsec_/)
  for (const part of echoed) assert.ok(!kept.includes(part), part)
  assert.equal(kept, 'kept\n[removed] [removed] [removed] [31mred\ufffd txt')
})
