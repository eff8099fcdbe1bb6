/**
 * A server under test, in a separate process: the real api with a provider that accepts every charge at once, the real worker, or
 * the bare `node:http` server that is the api's floor. On request it reports to its parent how much processor time and memory it
 * has used.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Dependencies } from '../server/dependencies.ts'
import { serviceRole } from '../server/dependencies.ts'
import type { NewPayment } from '../server/payments/payment.sql.ts'
import { fromWire, homeOfId, toWire } from '../server/platform/ids.ts'
import { wrapProviders, type ChargeOutcome, type Provider } from '../server/providers/provider.ts'
import { startRole } from '../server/start-role.ts'
import { insertCheckout, readBalance, readLines, readPayment } from './floor.ts'
import { newPayment, openBenchDb, providerReference, type BenchPage } from './postgres.ts'

/** Everything of the real provider except the network call. */
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

/** A checkout for the bare server: the request contains the page, which is not looked up. */
type BareCheckout = {
  page: Pick<BenchPage, 'home' | 'merchantId' | 'pageId'>
  phone_number: string
  customer_name: string
  customer_email: string
  idempotency_key: string
}

/** `POST /hook` is a webhook's receiver, every other `POST` stores a checkout, the rest reads. */
async function startBare(): Promise<void> {
  const db = openBenchDb(process.env['DATABASE_URL']!, serviceRole)
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown) => {
      const text = JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text)
    }
    const fail = (error: unknown) => answer(500, { error: String(error) })
    const [, face, first, second] = request.url!.split('/')
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        if (face === 'hook') return answer(200, {})
        const body = JSON.parse(Buffer.concat(chunks).toString()) as BareCheckout
        const { home, merchantId, pageId } = body.page
        const payment: NewPayment = {
          ...newPayment({ home, merchantId, pageId, slug: '' }),
          phoneNumber: body.phone_number,
          customerName: body.customer_name,
          customerEmail: body.customer_email,
          idempotencyHash: createHash('sha256').update(body.idempotency_key).digest(),
        }
        insertCheckout(db, payment).then(() => answer(201, { reference: toWire('pay', payment.id), status: 'pending' }), fail)
      })
      return
    }
    if (face === 'balance') return void readBalance(db, Number(first), second!).then((row) => answer(200, row), fail)
    if (face === 'lines') return void readLines(db, Number(first), second!).then((rows) => answer(200, rows), fail)
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
