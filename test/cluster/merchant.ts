/** A merchant with four payers and payouts. The model of `test/faults/model.ts` says which answers they may get. */
import assert from 'node:assert/strict'
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
} from '../faults/model-clients.ts'
import { Cell, isEnd, Merchant, Order, Page, PayoutOrder, type Answer } from '../faults/model.ts'
import { paying } from '../faults/shop.ts'
import { settleMs, sleep, type Clients, type Surroundings } from './clients.ts'
import { compareTable, compareWithProvider } from './compare-books.ts'
import { WalletHistory, type Balance, type Begun } from './wallet-history.ts'
import { receivedTypes, type WebhookReceiver } from './webhook-receiver.ts'

export type MerchantClients = Clients & {
  /** How many payments and payouts were accepted. */
  accepted(): { payments: number; payouts: number }
  /** Whether this api accepts a payment now. */
  payOnce(url: string, name: string): Promise<boolean>
}

const funds = 500_000

/** An order, and its operations in the history of the wallet. */
type Paid = { order: Order; credit: Begun }
type Sent = { order: PayoutOrder; taken: Begun; left: Begun }

export async function startMerchant(
  { app, scene, someUrl, surprise, isOver }: Surroundings,
  receiver: WebhookReceiver,
): Promise<MerchantClients> {
  const student = await app.student()
  const { appId, keyId, key } = await app.key(student)
  const shop: KeyOwner = { merchant: new Merchant('merchant'), standing: new Cell<'verified' | 'rejected'>('verified') }
  keep(shop, { id: keyId, key })
  const { merchant } = shop
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
  let asked = 0

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
  async function insist(request: () => Promise<Answer | undefined>, mayStop = isOver): Promise<boolean> {
    while (!mayStop()) {
      const answer = await request()
      // Sometimes the answer is lost on the way to the client, which asks again.
      if (answer && isOk(answer) && ++asked % 5 !== 0) return true
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
    for (let looks = 0; !isOver() && looks < 20; looks += 1) {
      if (await look()) return
      await sleep(200)
    }
  }

  async function pay(page: Page, round: number, payer: number): Promise<void> {
    for (let count = 0; !isOver(); count += 1) {
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
    for (let count = 0; !isOver(); count += 1) {
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
  await insist(
    () => askForPayment(first),
    () => first.order.isStored(),
  )
  await eventually('there is money to pay out', () => seePayment(first), 60_000)

  const orders = (): Order[] => paid.map(({ order }) => order)
  const payouts = (): PayoutOrder[] => sent.map(({ order }) => order)

  return {
    wallet,
    readBalance,
    async live(round) {
      await Promise.all([payOut(round), ...[0, 1, 2, 3].map((payer) => pay(page, round, payer))])
    },
    accepted: () => ({
      payments: orders().filter((order) => order.isStored()).length,
      payouts: payouts().filter((order) => order.isStored()).length,
    }),
    async payOnce(url, name) {
      const one = paid.find(({ order }) => order.name === name) ?? newPayment(name, page)
      return isOk(await askForPayment(one, url))
    },
    async settle() {
      const deadline = performance.now() + settleMs
      const mayStop = (): boolean => performance.now() > deadline
      const open = (begun: Begun): boolean => begun.returned === Number.POSITIVE_INFINITY
      const until = async (look: () => Promise<boolean>): Promise<void> => {
        while (!mayStop() && !(await look())) await sleep(200)
      }
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
    },
    async findings(end) {
      const completed = [...orders(), ...payouts()]
        .filter(({ progress }) => progress.has('completed'))
        .flatMap(({ id }) => id ?? [])
      return [
        ...(await compareTable(app, student.userId, 'payments', orders())),
        ...(await compareTable(app, student.userId, 'payouts', payouts())),
        ...(await compareWithProvider(app, orders(), payouts(), end)),
        ...(await receiver.findings(scene, someUrl(), key, completed)),
      ]
    },
  }
}
