/**
 * What a request costs the proxy in front of the cells while it is asked without a pause, beside one that knows no cells. The cells
 * answer fixed bytes here, so that the proxy is what is busy: a proxy that sleeps between two requests takes several times as much.
 */
import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { cellHeader, cellInHeader } from '../../server/platform/http/cell.ts'
import { noProxy, prepareProxy, startPlainProxy, type Running } from './proxy.ts'

const homes = ['0-127', '128-255'] as const
const atOnce = 32
const requestsOfRound = 20_000
const rounds = 3
const goalMicroseconds = 50

const jwt = ['{"alg":"EdDSA"}', '{"sub":"usr_1","cell":"k2"}', 'x'.repeat(64)]
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')
const slug = JSON.stringify({ slug: 'k2-asha-mushi', phone_number: '+255754000123', customer_name: 'Asha Mushi' })

/** One of each kind that names its cell in a way of its own: all belong to the second cell, whose answer has a length of its own. */
const requests: readonly Buffer[] = [
  'GET /v1/payments/pay_01k000000002zzzzzzzzzzzzzz/status HTTP/1.1\r\nhost: api\r\n\r\n',
  `GET /v1/balance HTTP/1.1\r\nhost: api\r\nx-api-key: mlp_live_k2${'a'.repeat(38)}\r\n\r\n`,
  `GET /v1/me HTTP/1.1\r\nhost: api\r\nauthorization: Bearer ${jwt}\r\n\r\n`,
  'GET /v1/pay/k2-asha-mushi HTTP/1.1\r\nhost: api\r\n\r\n',
  `POST /v1/payments/checkout HTTP/1.1\r\nhost: api\r\ncontent-type: application/json\r\ncontent-length: ${slug.length}\r\n\r\n${slug}`,
].map((text) => Buffer.from(text))

/** A cell that answers whatever it is sent, one request at a time on each connection, with the same bytes. */
async function startCell(
  t: TestContext,
  name: string,
  owned: (typeof homes)[number],
): Promise<{ address: string; answer: Buffer }> {
  const [first, last] = owned.split('-').map(Number) as [number, number]
  const body = JSON.stringify({ data: { status: 'completed', filler: 'x'.repeat(400) } })
  const answer = Buffer.from(
    `HTTP/1.1 200 OK\r\n${cellHeader}: ${cellInHeader(name, { first, last })}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.setNoDelay(true))
    socket.on('data', () => socket.write(answer)).on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, answer }
}

/** Sends the requests in turn on some connections, each as soon as the last one is answered. */
async function ask(port: number, expected: number): Promise<void> {
  let next = 0
  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let missing = 0
      const send = (): void => {
        if (next >= requestsOfRound) {
          socket.end()
          resolve()
          return
        }
        missing = expected
        socket.write(requests[next++ % requests.length]!)
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('data', (piece) => {
        missing -= piece.length
        if (missing === 0) send()
        else if (missing < 0 || piece.toString().endsWith('}}')) reject(new Error(`not the second cell: ${piece.toString()}`))
      })
      socket.on('close', () => reject(new Error('the proxy closed a connection')))
    })
  await Promise.all(Array.from({ length: atOnce }, client))
}

test('a request costs the proxy little more than one without cells does', { skip: noProxy }, async (t) => {
  const proxy = await prepareProxy(t)
  const cells = [await startCell(t, 'k1', homes[0]), await startCell(t, 'k2', homes[1])]
  const running = await proxy.start(
    cells.map(({ address }, place) => ({ name: `k${place + 1}`, homes: homes[place]!, api: address, checkout: address })),
  )
  const plain = await startPlainProxy(t, cells[1]!.address)
  const portOf = (url: string): number => Number(new URL(url).port)
  const measured = [
    { proxy: running as Running, port: portOf(proxy.settingsOf(0).BASE_URL!), times: [] as number[] },
    { proxy: plain as Running, port: portOf(plain.url), times: [] as number[] },
  ]
  for (let round = 0; round <= rounds; round += 1) {
    for (const one of measured) {
      const before = one.proxy.cpuSeconds()
      await ask(one.port, cells[1]!.answer.length)
      // The first round opens the connections to the cells.
      if (round > 0) one.times.push(((one.proxy.cpuSeconds() - before) * 1e6) / requestsOfRound)
    }
  }
  const [ours, bare] = measured.map(({ times }) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!)
  t.diagnostic(
    `processor a request, ${atOnce} at once: ${ours!.toFixed(0)} µs in this proxy (goal ${goalMicroseconds}), ${bare!.toFixed(0)} µs in one without rules`,
  )
  assert.ok(ours! <= 3 * bare!, `${ours} µs a request, ${bare} µs without rules`)
})
