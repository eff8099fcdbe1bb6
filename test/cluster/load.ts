/** Payers and a merchant who use the apis during all faults, and what they were told: it must still be true in the end. */
import { verifyAll } from '../../server/assurance/invariants/verify-all.ts'
import { toWire } from '../../server/platform/ids.ts'
import { eventually } from '../app.ts'
import { paidStudent } from '../fixtures/payouts.ts'
import { payoutFee } from '../faults/model.ts'
import { askToPay } from '../faults/shop.ts'
import type { Cluster } from './cluster.ts'

/** References of the orders that were accepted, by the name under which they were asked for, and those that were seen completed. */
type Told = { asked: Set<string>; accepted: Map<string, string>; completed: Set<string> }

export type Load = {
  payments: Told
  payouts: Told
  /** Starts the clients; the returned function stops them and waits for their last requests. */
  start(round: number): () => Promise<void>
  /** Whether this api accepts a payment now. */
  payOnce(url: string, name: string): Promise<boolean>
  /** What is wrong after everything has healed and all work is finished. */
  findings(): Promise<string[]>
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const funds = 500_000
const nothing = (): Told => ({ asked: new Set(), accepted: new Map(), completed: new Set() })

export async function startLoad({ app, apps }: Cluster): Promise<Load> {
  const merchant = await paidStudent(app, funds)
  const page = await app.page(merchant)
  const payments = nothing()
  const payouts = nothing()
  const surprises: string[] = []
  let isOver = true
  let turn = 0
  const someUrl = (): string => apps[turn++ % apps.length]!.url

  function keep({ accepted }: Told, name: string, reference: string): void {
    const known = accepted.get(name) ?? reference
    accepted.set(name, known)
    if (known !== reference) surprises.push(`${name} was answered with ${known} and with ${reference}`)
  }

  type Body = { data?: { status: string; id: string }; error?: { code: string } }

  /** Status 0 means no answer. */
  async function call(
    path: string,
    init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<{ status: number } & Body> {
    try {
      const headers = { 'content-type': 'application/json', 'x-api-key': merchant.key, ...init.headers }
      const response = await fetch(`${someUrl()}${path}`, { ...init, headers, signal: AbortSignal.timeout(20_000) })
      return { status: response.status, ...((await response.json()) as Body) }
    } catch {
      return { status: 0 }
    }
  }

  /** Repeats a request that was not accepted under the same name, as the documentation for clients says. */
  async function insist(
    told: Told,
    name: string,
    ask: () => Promise<{ status: number; reference: string | undefined; code: string | undefined }>,
  ): Promise<string | undefined> {
    told.asked.add(name)
    while (!isOver) {
      const { status, reference, code } = await ask()
      if (reference !== undefined && (status === 200 || status === 201)) {
        keep(told, name, reference)
        // Sometimes the answer is lost on the way to the client, which asks again.
        if (turn % 5 !== 0) return reference
      } else if (![0, 409, 503].includes(status)) {
        surprises.push(`${name} was answered ${status} ${code}`)
        return undefined
      }
      await sleep(100)
    }
    return undefined
  }

  async function seeCompleted(told: Told, reference: string, path: string): Promise<void> {
    for (let look = 0; !isOver && look < 20; look += 1) {
      const { data } = await call(path)
      if (data?.status === 'completed') {
        told.completed.add(reference)
        return
      }
      await sleep(200)
    }
  }

  async function pay(round: number, payer: number): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      const name = `payment ${round}-${payer}-${count}`
      const reference = await insist(payments, name, () => askToPay(someUrl(), page.slug, name))
      if (reference !== undefined) await seeCompleted(payments, reference, `/v1/payments/${reference}/status?wait=3`)
      await sleep(100)
    }
  }

  async function payOut(round: number): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      const name = `payout-${round}-${count}`
      const body = JSON.stringify({ amount: 5_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' })
      const id = await insist(payouts, name, async () => {
        const { status, data, error } = await call('/v1/payouts', { method: 'POST', body, headers: { 'idempotency-key': name } })
        return { status, reference: data?.id, code: error?.code }
      })
      if (id !== undefined) await seeCompleted(payouts, id, `/v1/payouts/${id}`)
      await sleep(1_000)
    }
  }

  /** What one table has of what the clients were told. */
  async function compare(table: 'payments' | 'payouts', told: Told, prefix: 'pay' | 'po', others: number): Promise<string[]> {
    const { rows } = await app.owner.pool.query<{ id: string; status: string }>(`select id, status from ${table}`)
    const statuses = new Map(rows.map(({ id, status }) => [toWire(prefix, id), status]))
    return [
      ...[...told.accepted].filter(([, id]) => !statuses.has(id)).map(([name, id]) => `${name}, accepted as ${id}, is lost`),
      ...[...told.completed]
        .filter((id) => statuses.get(id) !== 'completed')
        .map((id) => `${id} was completed and is ${statuses.get(id)}`),
      ...(rows.length > told.asked.size + others ? [`${rows.length} ${table} of ${told.asked.size} orders`] : []),
    ]
  }

  /** The merchant's wallet and the provider's books; each order was sent there once. */
  async function compareWithProvider(): Promise<string[]> {
    type Moved = { amount: number; money_moved: boolean; prompts: number }
    const { charges, payouts: sent } = (await app.truth()) as { charges: Moved[]; payouts: Moved[] }
    const moved = (all: Moved[], fee: number): number =>
      all.reduce((sum, { amount, money_moved }) => sum + (money_moved ? amount + fee : 0), 0)
    const { available, reserved } = (await app.call('GET', '/v1/balance', { key: merchant.key })).body.data
    const expected = moved(charges, 0) - moved(sent, payoutFee)
    const { rows } = await app.owner.pool.query<{ payments: number; payouts: number }>(
      'select (select count(*)::integer from payments) as payments, (select count(*)::integer from payouts) as payouts',
    )
    return [
      ...(available + reserved === expected
        ? []
        : [`the wallet has ${available + reserved}, by the provider's books ${expected}`]),
      ...charges.filter(({ prompts }) => prompts !== 1).map(({ prompts }) => `one payment prompted ${prompts} times`),
      ...(charges.length > rows[0]!.payments
        ? [`the provider has ${charges.length} charges of ${rows[0]!.payments} payments`]
        : []),
      ...(sent.length > rows[0]!.payouts ? [`the provider has ${sent.length} payouts of ${rows[0]!.payouts}`] : []),
    ]
  }

  return {
    payments,
    payouts,
    start(round) {
      isOver = false
      const clients = [payOut(round), ...[0, 1, 2, 3].map((payer) => pay(round, payer))]
      return async () => {
        isOver = true
        await Promise.all(clients)
      }
    },
    async payOnce(url, name) {
      payments.asked.add(name)
      const { status, reference } = await askToPay(url, page.slug, name)
      if (reference !== undefined && status < 300) keep(payments, name, reference)
      return status === 200 || status === 201
    },
    async findings() {
      const unfinished = `select id from payments where status in ('pending', 'processing')
        union all select id from payouts where status in ('pending', 'processing')`
      await eventually('all work is finished', async () => (await app.owner.pool.query(unfinished)).rows.length === 0, 120_000)
      const violations = await verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: 'unchecked' })
      return [
        ...surprises,
        // One more: the first payment, with the merchant's funds.
        ...(await compare('payments', payments, 'pay', 1)),
        ...(await compare('payouts', payouts, 'po', 0)),
        ...(await compareWithProvider()),
        ...violations.map((violation) => `verify: ${JSON.stringify(violation)}`),
      ]
    },
  }
}
