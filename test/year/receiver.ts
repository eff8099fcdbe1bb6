/** A merchant's receiver of webhooks: it remembers the event id of each payment, verifies signatures, and is down for a while. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Receiver = {
  url: string
  /** Event ids by the payment that they are about. */
  received: Map<string, Set<string>>
  /** Whether it answers 500 to everything and remembers nothing. */
  isDead: boolean
  learn(secret: string): void
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  const received = new Map<string, Set<string>>()
  const secrets: string[] = []
  const receiver: Receiver = {
    url: '',
    received,
    isDead: false,
    learn: (secret) => void secrets.push(secret),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      if (receiver.isDead) return response.writeHead(500).end()
      const body = Buffer.concat(pieces).toString()
      const { headers } = request
      const signed = `${String(headers['x-service-timestamp'])}.${body}`
      const isSigned = secrets.some(
        (secret) => headers['x-service-signature'] === createHmac('sha256', secret).update(signed).digest('hex'),
      )
      if (!isSigned) return response.writeHead(401).end()
      const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { reference?: string } }
      if (type === 'payment.completed' && data.reference !== undefined) {
        received.set(data.reference, (received.get(data.reference) ?? new Set()).add(id))
      }
      return response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  assert.ok(receiver.url)
  return receiver
}
