/**
 * A merchant's receiver of webhooks, behind a connection that breaks: it remembers every request that arrived complete, whatever it
 * then answered, and checks the signatures once every secret is known.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

export type ReceivedRequest = { path: string; body: string; headers: Record<string, string | string[] | undefined> }

/** How it answers: correctly, with an error, late, with far too much data, or with a redirect. */
export type Manner = 'well' | 'fault' | 'late' | 'huge' | 'redirect'

export type HeardEvent = { id: string; type: string; reference: string; amount: number; pageId: string; times: number }

/** Whether the body was signed with one of this webhook's secrets; the previous one also signs for a day. */
function isSigned({ body, headers }: ReceivedRequest, secrets: ReadonlySet<string>): boolean {
  const timestamp = String(headers['x-service-timestamp'])
  const signatures = [headers['x-service-signature'], headers['x-service-signature-previous']]
  return [...secrets].some((secret) =>
    signatures.includes(createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')),
  )
}

/** Each received event, once. Fails if one is unsigned, changes, has another type than these, or if one of an end has two ids. */
export function readReceived(
  received: readonly ReceivedRequest[],
  secrets: ReadonlySet<string>,
  types: readonly string[],
): HeardEvent[] {
  const bodies = new Map<string, string>()
  const byReference = new Map<string, HeardEvent>()
  for (const one of received) {
    assert.ok(isSigned(one, secrets), `not signed by any of ${secrets.size} secrets: ${one.body}`)
    const { id, type, data } = JSON.parse(one.body)
    assert.ok(types.includes(type), `an event ${type}`)
    assert.deepEqual([one.headers['x-service-event'], data.currency], [type, 'TZS'])
    // The network's receipt may come after the first attempt. It never changes and never goes away.
    const body = one.body.replace('"network_receipt":null', '"network_receipt":""')
    const before = bodies.get(id) ?? body
    const learned = before.includes('"network_receipt":""')
      ? body.replace(/"network_receipt":"[^"]*"/, '"network_receipt":""')
      : body
    assert.equal(before, learned, `event ${id} was sent with two bodies`)
    bodies.set(id, body)
    const reference = data.reference ?? data.id
    const known = byReference.get(reference)
    assert.equal(known?.id ?? id, id, `${reference} has two events`)
    if (known) known.times += 1
    else {
      const { amount, payment_page_id: pageId } = data
      byReference.set(reference, { id, type, reference, amount, pageId, times: 1 })
    }
  }
  return [...byReference.values()]
}

export class ModelReceiver {
  readonly line: TcpProxy
  readonly received: ReceivedRequest[] = []
  manner: Manner = 'well'
  readonly #secrets = new Set<string>()
  #addresses = 0

  constructor(line: TcpProxy) {
    this.line = line
  }

  /** Another address of the same receiver. */
  nextUrl(): string {
    this.#addresses += 1
    return `http://127.0.0.1:${this.line.port}/hook-${this.#addresses}`
  }

  learn(secret: string): void {
    this.#secrets.add(secret)
  }

  events(): HeardEvent[] {
    return readReceived(this.received, this.#secrets, ['payment.completed'])
  }
}

export async function startModelReceiver(t: TestContext): Promise<ModelReceiver> {
  let receiver: ModelReceiver | undefined
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      receiver!.received.push({ path: request.url!, body: Buffer.concat(pieces).toString(), headers: request.headers })
      switch (receiver!.manner) {
        case 'well':
          return response.end('{"ok":true}')
        case 'fault':
          return response.writeHead(500).end('not now')
        case 'late':
          return void setTimeout(() => response.end(), 1_500)
        case 'huge':
          return response.end(Buffer.alloc(3_000_000, 'x'))
        case 'redirect':
          return response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver = new ModelReceiver(await startTcpProxy(t, () => ({ port: (server.address() as AddressInfo).port })))
  return receiver
}
