/** The floor of each measured line: the same load on bare tables, a bare `node:http` server, or a loop that only signs and posts. */
import { randomBytes } from 'node:crypto'
import { Agent } from 'undici'
import type { Db } from '../server/platform/db/db.ts'
import { startChild } from './child.ts'
import { makeBareCheckouts, settleBare, type Floor, type FloorPayment } from './floor.ts'
import { runWindow } from './load.ts'
import {
  anyOf,
  asking,
  json,
  newPayer,
  openSide,
  over,
  send,
  warmUpsOf,
  withCpu,
  type Lines,
  type Request,
  type Variant,
} from './measures.ts'
import { amount, environment, type BenchDatabase } from './postgres.ts'
import { freePorts, loadConfig, newSecret, signatureHeaders, signingKeyOf, unsignedHeaders } from './product.ts'
import type { Scope } from './scope.ts'
import { memberSettings } from './members.ts'

/** As many as the pool has connections: more would only wait for one. */
const floorClients = 8

export function settleFloors(db: Db, floor: Floor, windowMs: number): Lines<'hot' | 'spread'> {
  const on = (wallets: string[]): Variant =>
    over<FloorPayment>(
      floorClients,
      windowMs,
      (count) => floor.makePending(wallets, count),
      (payment) => settleBare(db, payment, floor.clearing),
    )
  return { hot: on(floor.wallets.slice(0, 1)), spread: on(floor.wallets) }
}

export async function httpFloors(
  scope: Scope,
  { url, db }: BenchDatabase,
  floor: Floor,
  windowMs: number,
): Promise<Lines<'checkout' | 'status' | 'balance' | 'page' | 'webhook'>> {
  const [port] = (await freePorts(1)) as [number]
  const child = await startChild(scope, ['bare.ts'], { DATABASE_URL: url, PORT: String(port) })
  const side = await openSide(scope, `http://127.0.0.1:${port}`, child)
  const checkouts = await makeBareCheckouts(db, floor.wallets, 5000)
  const get = (path: () => string) => asking(side, windowMs, (): Request => ({ method: 'GET', path: path() }))
  const checkout = (): Request => ({
    method: 'POST',
    path: '/checkout',
    headers: json,
    body: JSON.stringify({ account: anyOf(floor.wallets), ...newPayer() }),
  })
  const free = [...side.clients]
  const settle = over<FloorPayment>(
    side.clients.length,
    windowMs,
    (count) => floor.makePending(floor.wallets, count),
    async ({ id, wallet }) => {
      const connection = free.pop()!
      await send(connection, { method: 'POST', path: `/settle/${id}/${wallet}/${floor.clearing}` }, 200)
      free.push(connection)
    },
  )
  return {
    checkout: { ...asking(side, windowMs, checkout), warmUps: warmUpsOf(windowMs) },
    status: get(() => `/status/${anyOf(checkouts)}`),
    balance: get(() => `/balance/${anyOf(floor.wallets)}`),
    page: get(() => `/page/${anyOf(floor.wallets)}`),
    webhook: { ...settle, run: () => withCpu([child], settle.run) },
  }
}

/** A loop that signs and posts the same, and records nothing. */
export function deliveryFloor(receiver: string, windowMs: number): Lines<'delivery'> {
  const key = signingKeyOf(newSecret())
  const config = loadConfig(memberSettings('postgresql:///bench', { PORT: '1', CHECKOUT_PORT: '2', STORAGE_PORT: '3' }), {})
  const { concurrency } = config.webhooks.lanes[environment]
  const post = (plain: Agent) => async () => {
    const eventId = `evt_${randomBytes(13).toString('hex')}`
    const type = 'payment.completed'
    const body = JSON.stringify({ id: eventId, type, data: { amount, currency: 'TZS', note: 'x'.repeat(200) } })
    const content = { eventId, eventType: type, timestampSeconds: Math.floor(Date.now() / 1000), body, key } as const
    const headers = { ...unsignedHeaders(content), ...signatureHeaders(content) }
    const answer = await plain.request({ origin: receiver, path: '/hook', method: 'POST', headers, body })
    await answer.body.dump()
    if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}.`)
  }
  const delivery: Variant = {
    async run() {
      const plain = new Agent()
      const window = await runWindow(concurrency, windowMs, post(plain))
      await plain.close()
      return window
    },
  }
  return { delivery }
}
