/**
 * Payers, a merchant and the members of a business who use the apis during all faults. The model of `test/faults/model.ts` says which
 * answers they may get; what they were told must still be true in the end, and one order of all of it must explain what they saw.
 */
import assert from 'node:assert/strict'
import { verifyAll } from '../../server/assurance/invariants/verify-all.ts'
import { eventually } from '../app.ts'
import {
  ask,
  checkout,
  diceOf,
  isOk,
  keep,
  oneOf,
  readPayout,
  readStatus,
  requestPayout,
  type KeyOwner,
  type Notes,
} from '../faults/model-clients.ts'
import { Cell, isEnd, Merchant, Order, Page, PayoutOrder, type Answer } from '../faults/model.ts'
import { paying } from '../faults/shop.ts'
import { startApprovals } from './approvals.ts'
import type { Cluster } from './cluster.ts'
import { compareTable, compareWithProvider } from './compare-books.ts'
import { WalletHistory, type Balance, type Begun } from './wallet-history.ts'
import { receivedTypes, startWebhookReceiver } from './webhook-receiver.ts'

export type Load = {
  /** How many payments and payouts were accepted. */
  accepted(): { payments: number; payouts: number }
  /** Starts the clients; the returned function stops them and waits for their last requests. */
  start(round: number): () => Promise<void>
  /** Whether this api accepts a payment now. */
  payOnce(url: string, name: string): Promise<boolean>
  /** What is wrong after everything has healed and all work is finished. */
  findings(): Promise<string[]>
  /** What has happened beside payments and payouts, in words. */
  summary(): string
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const funds = 500_000
const readEveryMs = 300

/** An order, and its operations in the history of the wallet. */
type Paid = { order: Order; credit: Begun }
type Sent = { order: PayoutOrder; taken: Begun; left: Begun }

export async function startLoad({ app, apps }: Cluster): Promise<Load> {
  const scene: Notes = { note: () => undefined, counts: new Map() }
  const surprises: string[] = []
  const surprise = (what: unknown): void => void surprises.push((what as Error).message.split('\n', 1)[0]!)
  let isOver = true
  let turn = 0
  const someUrl = (): string => apps[turn++ % apps.length]!.url

  const student = await app.student()
  const { appId, keyId, key } = await app.key(student)
  const shop: KeyOwner = { merchant: new Merchant('merchant'), standing: new Cell<'verified' | 'rejected'>('verified') }
  keep(shop, { id: keyId, key })
  const { merchant } = shop
  const receiver = await startWebhookReceiver(apps)
  const saved = await app.call('POST', `/developers/apps/${appId}/webhook`, {
    token: student.token,
    body: { url: receiver.url, events: receivedTypes },
  })
  assert.equal(saved.status, 201, JSON.stringify(saved.body))
  receiver.learn(saved.body.data.secret)

  const wallet = new WalletHistory('the wallet of the merchant', { available: 0, reserved: 0 })
  const paid: Paid[] = []
  const sent: Sent[] = []
  const dice = diceOf(1)

  async function makePage(title: string, amount: number): Promise<Page> {
    const { slug } = await app.page(student, { title, amount })
    const page = new Page(merchant, slug, { title, amount, active: true }, { isCustom: false, maxPayments: null })
    merchant.pages.push(page)
    return page
  }

  function newPayment(name: string, page: Page): Paid {
    const body = {
      slug: page.slug,
      phone_number: paying,
      customer_name: 'Juma',
      customer_email: 'juma@example.com',
      idempotency_key: name,
    }
    const order = new Order(page, name, { suffix: '789', pays: 'always', failures: [] }, body)
    page.orders.push(order)
    const one = { order, credit: wallet.begin('credit', name, page.state.latest.amount!) }
    paid.push(one)
    return one
  }

  function newPayout(name: string): Sent {
    const amount = 5_000
    const order = new PayoutOrder(merchant, name, amount, {
      amount,
      phone_number: '+255754000123',
      recipient_name: 'Asha Mushi',
    })
    merchant.payouts.push(order)
    const [taken, left] = [wallet.begin('reserve', name, order.total), wallet.begin('leave', name, order.total)]
    const one = { order, taken, left }
    sent.push(one)
    return one
  }

  /** Repeats a request that was not accepted under the same name, as the documentation for clients says. */
  async function insist(request: () => Promise<Answer | undefined>, mayStop = (): boolean => isOver): Promise<boolean> {
    while (!mayStop()) {
      const answer = await request()
      // Sometimes the answer is lost on the way to the client, which asks again.
      if (answer && isOk(answer) && turn % 5 !== 0) return true
      await sleep(100)
    }
    return false
  }

  async function askForPayment({ order, credit }: Paid, url = someUrl()): Promise<Answer> {
    const answer = await checkout(scene, url, order, 20_000)
    if (answer.data?.status === 'completed') wallet.seen(credit)
    return answer
  }

  async function askForPayout(one: Sent): Promise<Answer | undefined> {
    const answer = await requestPayout(scene, someUrl(), shop, dice, one.order)
    if (answer && isOk(answer)) wallet.seen(one.taken)
    if (answer?.data?.status === 'completed') wallet.seen(one.left)
    return answer
  }

  async function seePayment({ order, credit }: Paid, wait = ''): Promise<boolean> {
    const { data } = await readStatus(scene, someUrl(), order, wait)
    if (data?.status === 'completed') wallet.seen(credit)
    // A credit that was never seen may never have happened.
    return data !== undefined && isEnd(data.status)
  }

  async function seePayout({ order, left }: Sent): Promise<boolean> {
    const { data } = await readPayout(scene, someUrl(), order, key)
    if (data?.status === 'completed') wallet.seen(left)
    if (data?.status === 'failed') wallet.seenReturned(left)
    return data !== undefined && isEnd(data.status)
  }

  async function seeEnded(look: () => Promise<boolean>): Promise<void> {
    for (let looks = 0; !isOver && looks < 20; looks += 1) {
      if (await look()) return
      await sleep(200)
    }
  }

  async function pay(page: Page, round: number, payer: number): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      const one = newPayment(`payment ${round}-${payer}-${count}`, page)
      try {
        if (await insist(() => askForPayment(one))) await seeEnded(() => seePayment(one, '?wait=3'))
      } catch (error) {
        surprise(error)
      }
      await sleep(100)
    }
  }

  async function payOut(round: number): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      const one = newPayout(`payout-${round}-${count}`)
      try {
        if (await insist(() => askForPayout(one))) await seeEnded(() => seePayout(one))
      } catch (error) {
        surprise(error)
      }
      await sleep(1_000)
    }
  }

  async function readBalance(): Promise<Balance | undefined> {
    const answer = await ask(scene, someUrl(), { method: 'GET', path: '/v1/balance', key })
    oneOf(answer, ['200'], 'the balance')
    return isOk(answer) ? { available: answer.data.available, reserved: answer.data.reserved } : undefined
  }

  const page = await makePage('Chai', 1_500)
  const first = newPayment('funds', await makePage('Funds', funds))
  const readers = [
    { wallet, read: readBalance },
    await startApprovals(app, scene, someUrl, surprise).then((approvals) => ({ ...approvals, read: approvals.readBalance })),
  ] as const
  const [, approvals] = readers
  await insist(
    () => askForPayment(first),
    () => first.order.isStored(),
  )
  await eventually('there is money to pay out', () => seePayment(first), 60_000)

  /** Reads both wallets all the time, through either api in turn. */
  async function watch(reader: (typeof readers)[number]): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      await reader.wallet.read(`read-${count}`, reader.read).catch(surprise)
      await sleep(readEveryMs)
    }
  }

  const orders = (): Order[] => paid.map(({ order }) => order)
  const payouts = (): PayoutOrder[] => sent.map(({ order }) => order)

  /** Asks again for what has no answer yet, and looks at all that was not seen ended. */
  async function settle(): Promise<void> {
    const deadline = performance.now() + 120_000
    const mayStop = (): boolean => performance.now() > deadline
    const open = (begun: Begun): boolean => begun.returned === Number.POSITIVE_INFINITY
    const until = async (look: () => Promise<boolean>): Promise<void> => {
      while (!mayStop() && !(await look())) await sleep(200)
    }
    await approvals.settle()
    for (const one of paid.filter(({ credit }) => open(credit))) {
      await insist(() => askForPayment(one), mayStop)
        .then(() => until(() => seePayment(one)))
        .catch(surprise)
    }
    for (const one of sent.filter(({ left }) => open(left))) {
      await insist(() => askForPayout(one), mayStop)
        .then(() => until(() => seePayout(one)))
        .catch(surprise)
    }
  }

  let reads = 0
  let steps = 0

  return {
    accepted: () => ({
      payments: orders().filter((order) => order.isStored()).length,
      payouts: payouts().filter((order) => order.isStored()).length,
    }),
    start(round) {
      isOver = false
      const clients = [
        payOut(round),
        ...[0, 1, 2, 3].map((payer) => pay(page, round, payer)),
        approvals.live(round, () => isOver),
        ...readers.map(watch),
      ]
      return async () => {
        isOver = true
        await Promise.all(clients)
      }
    },
    async payOnce(url, name) {
      const one = paid.find(({ order }) => order.name === name) ?? newPayment(name, page)
      return isOk(await askForPayment(one, url))
    },
    async findings() {
      await settle()
      const unfinished = `select id from payments where status in ('pending', 'processing')
        union all select id from payouts where status in ('pending', 'processing')`
      await eventually('all work is finished', async () => (await app.owner.pool.query(unfinished)).rows.length === 0, 120_000)
      const histories: string[] = []
      const ends: Balance[] = []
      for (const reader of readers) {
        const end = await eventually('the balance is read', () => reader.wallet.read('the last read', reader.read), 30_000)
        const checked = reader.wallet.check(end)
        histories.push(...checked.findings)
        ends.push(end)
        reads += checked.reads
        steps += checked.steps
      }
      const completed = [...orders(), ...payouts()]
        .filter(({ progress }) => progress.has('completed'))
        .flatMap(({ id }) => id ?? [])
      const violations = await verifyAll({ db: app.owner, recordMac: app.deps.recordMac, clocks: 'unchecked' })
      return [
        ...surprises,
        ...histories,
        ...(await compareTable(app, student.userId, 'payments', orders())),
        ...(await compareTable(app, student.userId, 'payouts', payouts())),
        ...(await compareWithProvider(app, orders(), payouts(), ends[0]!)),
        ...(await approvals.findings()),
        ...(await receiver.findings(scene, someUrl(), key, completed)),
        ...violations.map((violation) => `verify: ${JSON.stringify(violation)}`),
      ]
    },
    summary() {
      const { delivered, again } = receiver.counts()
      const { approved, refused } = approvals.counts()
      return `in all ${delivered} events (${again} again), ${approved} approved and ${refused} refused, ${reads} balances read (${steps} steps)`
    },
  }
}
