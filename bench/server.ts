/**
 * A server under test, in a process of its own: the real api with a provider that accepts every charge at once, the real worker, or the
 * bare `node:http` server that is the api's floor. It answers its parent's question how much processor time and memory it has used.
 */
import { createServer } from 'node:http'
import type { Dependencies } from '../server/dependencies.ts'
import { serviceRole } from '../server/dependencies.ts'
import { fromWire, homeOfId, toWire } from '../server/platform/ids.ts'
import { wrapProviders, type ChargeOutcome, type Provider } from '../server/providers/provider.ts'
import { startRole } from '../server/start-role.ts'
import { insertCheckout, readPayment, type FloorCheckout } from './floor.ts'
import { openBenchDb, providerReference } from './world.ts'

/** Everything of the real provider but the call over the network. */
function atOnce(provider: Provider): Provider {
  return {
    ...provider,
    async charge({ idempotencyKey }): Promise<ChargeOutcome> {
      const reference = providerReference(fromWire('pay', `pay_${idempotencyKey.slice(2)}`)!)
      const silent = {
        ourReference: null,
        amount: null,
        currency: null,
        fee: null,
        network: null,
        failure: null,
        expiresAt: null,
      }
      return { kind: 'accepted', snapshot: { reference, status: 'pending', ...silent } }
    },
  }
}

async function startProduct(role: 'api' | 'worker'): Promise<void> {
  await startRole(role, (deps: Dependencies) => ({
    ...deps,
    providers: wrapProviders(deps.providers, atOnce),
  }))
}

async function startBare(): Promise<void> {
  const db = openBenchDb(process.env['DATABASE_URL']!, serviceRole)
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown) => {
      const text = JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
    }
    const fail = (error: unknown) => answer(500, { error: String(error) })
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as FloorCheckout
        insertCheckout(db, body).then((id) => answer(201, { data: { reference: toWire('pay', id), status: 'pending' } }), fail)
      })
      return
    }
    const id = fromWire('pay', request.url!.split('/')[3]!)!
    readPayment(db, homeOfId(id), id).then((row) => answer(row ? 200 : 404, { data: row }), fail)
  })
  server.listen(Number(process.env['PORT']), '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
}

process.on('disconnect', () => process.exit(0))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuMs: (user + system) / 1000, residentMb: process.memoryUsage.rss() / 1e6 })
})
const kind = process.argv[2]
if (kind === 'bare') await startBare()
else await startProduct(kind === 'worker' ? 'worker' : 'api')
process.send!({ ready: true })
