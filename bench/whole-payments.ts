/** Whole payments through real processes: checkout, a payer who waits, the provider's message, the credit, the merchant's webhook. */
import { fromWire } from '../server/platform/ids.ts'
import type { Db } from '../server/platform/db/db.ts'
import { openHttpClient, type HttpClient } from './load.ts'
import { checkoutOn, webhookOf } from './measures.ts'
import { startMembers, type Members, type Shop } from './members.ts'
import { makePages, providerReference, type BenchPage } from './postgres.ts'

/** The payers at once. */
export const clients = 64
const merchants = 100

/** When a payment's payer and its merchant were notified, after the provider's message was sent. */
export type Notified = { page: BenchPage; payerMs: number; merchantMs: number }

export type Fleet = {
  members: Members
  pages: BenchPage[]
  lines: { pay: HttpClient; wait: HttpClient; report: HttpClient }[]
  shop: Shop
}

async function must(answer: Promise<{ status: number; body: string }>, wanted: number): Promise<string> {
  const { status, body } = await answer
  if (status !== wanted) throw new Error(`answered ${status} instead of ${wanted}: ${body}`)
  return body
}

/**
 * One payment from its checkout until both its payer and its merchant are notified; the payer waits at another api than the one
 * that receives the provider's message.
 */
export async function pay({ members, lines, shop }: Fleet, client: number, page: BenchPage): Promise<Notified> {
  const line = lines[client]!
  const checkout = checkoutOn([page])
  const made = await must(line.pay.send(checkout.method, checkout.path, checkout.headers, checkout.body), 201)
  const { reference } = (JSON.parse(made) as { data: { reference: string } }).data
  const id = fromWire('pay', reference)!
  const merchantReceives = shop.receives(reference)
  const payerReceives = must(line.wait.send('GET', `/v1/payments/${reference}/status?wait=25`), 200).then((body) => {
    const { status } = (JSON.parse(body) as { data: { status: string } }).data
    if (status !== 'completed') throw new Error(`A payer received ${status}.`)
    return performance.now()
  })
  const message = webhookOf({ ...page, id, reference: providerReference(id) }, members.providerSecret)
  const sentAt = performance.now()
  await must(line.report.send(message.method, message.path, message.headers, message.body), 200)
  const [payerAt, merchantAt] = await Promise.all([payerReceives, merchantReceives])
  return { page, payerMs: payerAt - sentAt, merchantMs: merchantAt - sentAt }
}

/** Starts this many apis, and as many workers, on a database, with pages whose webhooks go to the shop. */
export async function startFleet(databaseUrl: string, db: Db, shop: Shop, each: number): Promise<Fleet> {
  const members = await startMembers(databaseUrl, each, each)
  const pages = await makePages(db, merchants, { url: shop.url, sealer: members.sealer })
  const lines = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const [here, there] = [members.apis[client % each]!, members.apis[(client + 1) % each]!]
      return {
        pay: await openHttpClient(here.url),
        wait: await openHttpClient(there.url),
        report: await openHttpClient(here.url),
      }
    }),
  )
  return { members, pages, lines, shop }
}

/** Closes the connections of the payers and stops the processes. */
export async function stopFleet({ members, lines }: Fleet): Promise<void> {
  for (const line of lines) for (const connection of Object.values(line)) connection.close()
  await members.stop()
}
