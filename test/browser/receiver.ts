/** A merchant's server that receives webhooks: it answers as the test says, and keeps the received requests. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type ReceivedRequest = { headers: IncomingHttpHeaders; body: string }
export type Receiver = { url: string; received: ReceivedRequest[]; status: number }

export async function startReceiver(t: TestContext): Promise<Receiver> {
  const receiver: Receiver = { url: '', received: [], status: 200 }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      receiver.received.push({ headers: request.headers, body: Buffer.concat(pieces).toString() })
      response.writeHead(receiver.status).end(receiver.status === 200 ? 'thanks' : 'the shop is closed')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  return receiver
}
