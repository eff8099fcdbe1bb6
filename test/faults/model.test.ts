/**
 * The model test: many clients send random requests over HTTP to two api and two worker processes, while faults break everything
 * around them. A model in memory decides whether each answer is allowed. Then the faults end, and within a minute all work is
 * finished: the model, the provider and the ledger agree to the shilling, and every merchant has received a signed webhook for
 * every payment.
 * `npm run model -- --runs 20 [--seed 1] [--seconds 25]` is the long form. The seed decides what each client does and which faults
 * occur. The machine decides the order of two things that happen at once, so a seed may have to run more than once.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { verify } from '../../server/assurance/invariants/verify.ts'
import { decide as decideBreak, reconcileToday } from '../fixtures/reconciliation.ts'
import { toWire } from '../../server/platform/ids.ts'
import { startFleet } from '../fleet.ts'
import { eventually, type Admin, type TestApp } from '../app.ts'
import {
  ask,
  checkout,
  decide,
  diceOf,
  keep,
  learnSecret,
  live,
  readList,
  readPayout,
  readRefunded,
  readStatus,
  requestPayout,
  type Scene,
  type Shop,
} from './model-clients.ts'
import { Cell, isEnd, isLost, Merchant, Order, Page, payoutFee, RefundOrder, type PayoutOrder, type PageState } from './model.ts'
import { startModelReceiver, type ModelReceiver } from './model-receiver.ts'
import { startFaults } from './model-faults.ts'
import { startOwnDatabase } from './own-database.ts'
import { startProviderProxy } from './provider-proxy.ts'

/** Seeds that have found a fault; each run tries them again. */
const failedOnce: number[] = []

const numberOf = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)
const runs = numberOf('MODEL_RUNS', 1)
const secondsOfFaults = numberOf('MODEL_SECONDS', 15)
const firstSeed = numberOf('MODEL_SEED', randomInt(1, 2 ** 31))
const seeds =
  process.env['MODEL_RUNS'] === undefined ? [...failedOnce, firstSeed] : Array.from({ length: runs }, (_, run) => firstSeed + run)

const rates = {
  createLostBefore: 0.04,
  createLostAfter: 0.05,
  createFailsAfter: 0.04,
  createMalformed: 0.04,
  createHangs: 0.03,
  createPay001: 0.03,
  createRateLimited: 0.04,
  createUnreachable: 0.04,
  webhookLost: 0.1,
  webhookRepeated: 0.1,
  webhookRepeatedNewId: 0.08,
  webhookDelayed: 0.1,
  webhookBadSignature: 0.05,
  webhookOldTimestamp: 0.05,
  getFails: 0.15,
  listFails: 0.1,
}

const sorted = (texts: string[]): string[] => texts.toSorted()

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)

/** Three merchants, each with a page, some money, an app with a key in use, an app whose key may only read, and a webhook. */
async function openShops(scene: Scene, receivers: ModelReceiver[]): Promise<void> {
  const { app } = scene
  const reading = ['balance:read', 'pages:read', 'transactions:read', 'payouts:read']
  for (const [index, receiver] of receivers.entries()) {
    const student = await app.student()
    const { appId, keyId, key } = await app.key(student)
    const { key: readOnlyKey } = await app.key(student, 'test', reading)
    const merchant = new Merchant(`shop-${index}`)
    const shop: Shop = {
      merchant,
      student,
      appId,
      receiver,
      readOnlyKey,
      standing: new Cell<'verified' | 'rejected'>('verified'),
      isBeingJudged: false,
      wasRejected: false,
      isChangingKeys: false,
      isChangingWebhook: false,
    }
    keep(shop, { id: keyId, key })
    const saved = await app.call('POST', `/developers/apps/${appId}/webhook`, {
      token: student.token,
      body: { url: receiver.nextUrl() },
    })
    receiver.learn(saved.body.data.secret)
    const first: PageState = { title: 'First page', amount: null, active: true }
    const made = await app.page(student, { ...first, allow_custom_amount: true, slug: `shop-${index}-first` })
    const page = new Page(merchant, made.slug, first, { isCustom: true, maxPayments: null })
    merchant.pages.push(page)
    scene.shops.push(shop)
    // Creates the money for the payouts before the faults begin.
    const order = new Order(
      page,
      `funds-${index}`,
      { suffix: '789', pays: 'always', failures: [] },
      {
        slug: page.slug,
        phone_number: '+255754000789',
        customer_name: 'Juma Hamisi',
        customer_email: 'juma@example.com',
        idempotency_key: `funds-${index}`,
        amount: 300_000,
      },
    )
    page.orders.push(order)
    assert.equal((await checkout(scene, app.config.urls.api, order)).status, 201)
    await eventually(
      'there is something to pay out',
      async () => (await readStatus(scene, app.config.urls.api, order)).data.status === 'completed',
    )
  }
}

/** Every client repeats its unanswered requests until it knows their outcome. */
async function resolve(scene: Scene): Promise<void> {
  const dice = diceOf(1)
  const deadline = performance.now() + 40_000
  const untilAnswered = async (isAnswered: (url: string) => Promise<boolean>): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      if (await isAnswered(scene.urls()[tries % scene.urls().length]!)) return
      assert.ok(performance.now() < deadline, 'a question is not answered although everything is well')
      await new Promise((done) => setTimeout(done, 200))
    }
  }
  for (const shop of scene.shops) {
    await learnSecret(scene, shop)
    await Promise.all([
      ...shop.merchant.orders().map((order) => untilAnswered(async (url) => !isLost(await checkout(scene, url, order)))),
      ...shop.merchant.payouts
        .filter((payout) => payout.isPossible())
        .map((payout) =>
          untilAnswered(async (url) => {
            const answer = await requestPayout(scene, url, shop, dice, payout)
            return answer !== undefined && !isLost(answer)
          }),
        ),
    ])
  }
}

/** Moves waits of more than a minute to now. */
async function hurry(app: TestApp): Promise<void> {
  for (const table of ['provider_charges', 'provider_payouts']) {
    await app.owner.pool.query(
      `update ${table} set next_attempt_at = clock_now() where next_attempt_at > clock_now() + interval '5 seconds'`,
    )
  }
  await app.owner.pool.query(
    'update reconciliation_runs set next_attempt_at = null, lease_until = clock_now() where leased_by is not null and ended_at is null',
  )
}

/** The work that is not finished yet. */
async function unfinished(app: TestApp): Promise<string[]> {
  const { rows } = await app.owner.pool.query<{ what: string }>(`
    select 'payment ' || p.id || ' ' || p.status || ' ' || c.state as what
    from payments p join provider_charges c on c.payment_id = p.id where p.status in ('pending', 'processing') and not p.held
    union all
    select 'payout ' || p.id || ' ' || p.status || ' ' || c.state
    from payouts p join provider_payouts c on c.payout_id = p.id where p.status in ('pending', 'processing')
      and not exists (select from breaks b where b.payout_id = p.id and b.resolved_at is null)
    union all
    select 'message ' || event_id || ' ' || state from provider_inbox where state = 'received'
    union all
    select 'delivery ' || id || ' ' || status from webhook_deliveries where status = 'pending'`)
  return rows.map(({ what }) => what)
}

/** Payouts with an unknown outcome that operators must decide: their owner could not be paid at the time of the next query. */
async function escalated(app: TestApp): Promise<Set<string>> {
  const { rows } = await app.owner.pool.query<{ id: string }>(
    `select payout_id as id from breaks where kind = 'payout_unknown' and resolved_at is null`,
  )
  return new Set(rows.map(({ id }) => toWire('po', id)))
}

/** Two operators book the refunds that arrived after they had failed to the loss of the service. Returns their ids at the provider. */
async function writeOff(app: TestApp, operators: readonly [Admin, Admin]): Promise<string[]> {
  const { rows } = await app.owner.pool.query<{ id: string; payoutId: string }>(
    `select id, payout_id as "payoutId" from breaks where kind = 'payout_contradicts' and resolved_at is null`,
  )
  for (const { id } of rows) {
    const { status, body } = await decideBreak(app, operators, toWire('brk', id), { resolution: 'write_off' })
    assert.equal(status, 200, JSON.stringify(body))
  }
  return rows.map(({ payoutId }) => toWire('po', payoutId))
}

/** The differences between the provider's records and our books. */
function differences(scene: Scene, truth: Truth, settled: ReadonlySet<string>): string[] {
  const orders = new Map(scene.shops.flatMap(({ merchant }) => merchant.orders()).map((order) => [order.id, order]))
  const payouts = new Map(scene.shops.flatMap(({ merchant }) => merchant.payouts).map((payout) => [payout.sentAs, payout]))
  const ofPayouts = truth.payouts.flatMap((there) => {
    const payout = payouts.get(there.metadata.malipo_payout)
    if (!payout) return [`payout ${there.reference} has no record here`]
    return payout.wasSeenAs(there.status) || settled.has(payout.sentAs!) ? [] : [`${payout.id} is ${there.status}`]
  })
  const ofCharges = truth.charges.flatMap((charge) => {
    const order = orders.get(charge.metadata.malipo_payment)
    if (!order) return [`charge ${charge.reference} has no record here`]
    const isHeld = charge.money_moved && charge.amount !== charge.ordered_amount
    return charge.money_moved && !isHeld && !order.progress.has('completed') ? [`${order.id} was paid`] : []
  })
  return [...ofCharges, ...ofPayouts]
}

type Truth = {
  charges: {
    reference: string
    phone: string
    status: string
    amount: number
    ordered_amount: number
    money_moved: boolean
    prompts: number
    metadata: { malipo_payment: string }
  }[]
  payouts: {
    reference: string
    phone: string
    status: string
    amount: number
    fees: number
    metadata: { malipo_payout: string }
  }[]
}

/** With the faults off, all work is finished and all sides agree on the result. */
async function converge(scene: Scene, operators: readonly [Admin, Admin], writtenOff: Set<string>): Promise<number> {
  const { app } = scene
  const startedAt = performance.now()
  await resolve(scene)
  await hurry(app)
  const url = scene.urls()[0]!
  const dice = diceOf(1)
  let rounds = 0
  await eventually(
    'everything has ended',
    async () => {
      const { charges: ringing, payouts: silent } = (await app.truth('?status=pending')) as Truth
      for (const { reference, phone } of ringing) {
        if (phone.endsWith('111')) await decide(scene, reference, { action: dice.one(['complete', 'fail', 'void']) })
      }
      for (const { reference } of silent.filter(({ phone }) => phone.endsWith('439')))
        await app.control('POST', `/payouts/${reference}/answer`, { action: dice.one(['complete', 'fail']) })
      for (const id of await writeOff(app, operators)) writtenOff.add(id)
      if ((await unfinished(app)).length > 0) return false
      for (const { merchant } of scene.shops) {
        for (const order of merchant.orders().filter((one) => one.isStored())) {
          if (order.progress.has('completed')) continue
          await readStatus(scene, url, order)
        }
        for (const payout of merchant.payouts.filter((one) => one.isStored())) {
          await readPayout(scene, url, payout, merchant.keys.at(-1)!.value)
        }
      }
      const settled = new Set([...(await escalated(app)), ...writtenOff])
      const left = differences(scene, await app.truth(), settled)
      // Where neither a message nor a query reports the outcome, the reconciliation of every five minutes does.
      if (left.length > 0 && (rounds += 1) % 3 === 1) {
        for (const subject of ['charges', 'payouts'] as const) await reconcileToday(app, subject)
      }
      return left.length === 0
    },
    Math.max(1_000, 60_000 - (performance.now() - startedAt)),
  ).catch(async (error: unknown) => {
    const settled = new Set([...(await escalated(app)), ...writtenOff])
    const left = [...(await unfinished(app)), ...differences(scene, await app.truth(), settled)]
    throw new Error(`${String(error)}: ${left.slice(0, 10).join(', ')}`)
  })
  return performance.now() - startedAt
}

/** Compares the model, the provider and the ledger, each on its own, to the shilling. */
async function compare(scene: Scene, writtenOff: ReadonlySet<string>): Promise<void> {
  const { app } = scene
  const url = scene.urls()[0]!
  const truth = (await app.truth()) as Truth
  const charges = Map.groupBy(truth.charges, ({ metadata }) => metadata.malipo_payment)
  const payouts = Map.groupBy(truth.payouts, ({ metadata }) => metadata.malipo_payout)
  const known = new Set<string>()
  const unknown = await escalated(app)
  for (const { merchant, receiver, student, wasRejected } of scene.shops) {
    const key = merchant.keys.at(-1)!.value
    const completed: Order[] = []
    for (const order of merchant.orders().filter((one) => one.isStored())) {
      known.add(order.id!)
      const { data } = await readStatus(scene, url, order)
      const here = charges.get(order.id!) ?? []
      assert.ok(here.length <= 1, `${order.name} was charged ${here.length} times`)
      const [charge] = here
      if (charge) assert.ok(charge.prompts <= 1, `the phone of ${order.name} rang ${charge.prompts} times`)
      const isHeld = charge !== undefined && charge.money_moved && charge.amount !== order.amount
      if (isHeld) assert.equal(data.status, 'processing', `${order.name} was paid otherwise than it was asked for`)
      else assert.ok(isEnd(data.status), `${order.name} is ${data.status}`)
      assert.equal(
        data.status === 'completed',
        (charge?.money_moved ?? false) && !isHeld,
        `${order.name} is ${data.status} here, ${charge?.status} there`,
      )
      if (data.status === 'completed') completed.push(order)
    }
    const kept: PayoutOrder[] = []
    let reserved = 0
    for (const payout of merchant.payouts.filter((one) => one.isStored())) {
      const { data } = await readPayout(scene, url, payout, key)
      const there = payouts.get(payout.sentAs!) ?? []
      assert.ok(there.length <= 1, `${payout.name} was sent ${there.length} times`)
      if (unknown.has(payout.sentAs!) && wasRejected) {
        assert.equal(data.status, 'processing', 'an escalated payout does not change')
        reserved += payout.total
        continue
      }
      assert.ok(!['pending', 'processing'].includes(data.status), `${payout.name} is ${data.status}`)
      const isKept = data.status === 'completed'
      const isPaidThere = there[0]?.status === 'completed' && !writtenOff.has(payout.sentAs!)
      assert.equal(isPaidThere, isKept, `${payout.name} is ${data.status} here, ${there[0]?.status} there`)
      if (isKept) assert.deepEqual([there[0]!.amount, there[0]!.fees], [payout.amount, payoutFee])
      if (isKept) kept.push(payout)
    }
    for (const order of completed) {
      const refunds = merchant.payouts.filter((one) => one instanceof RefundOrder && one.order === order && one.isStored())
      const held = refunds.filter((one) => kept.includes(one) || (unknown.has(one.sentAs!) && wasRejected))
      const { data } = await readRefunded(scene, url, order, key)
      assert.equal(data.refunded_amount, sum(held.map(({ amount }) => amount)), `what is refunded of ${order.name}`)
    }
    const expected = sum(completed.map(({ amount }) => amount!)) - sum(kept.map(({ total }) => total)) - reserved
    const look = merchant.lookAtLines()
    const lines = (await readList(scene, url, key, '/v1/transactions?direction=all'))!
    look(lines)
    assert.equal(lines.at(0)?.balance_after ?? 0, expected, `the lines of ${merchant.name}`)
    assert.deepEqual(
      sorted(lines.filter(({ type }) => type === 'payment').map(({ reference }) => reference)),
      sorted(completed.map(({ id }) => id!)),
      'each completed payment is one line',
    )
    const balance = await ask(scene, url, { method: 'GET', path: '/v1/balance', key })
    assert.deepEqual([balance.data.available, balance.data.reserved], [expected, reserved], `the balance of ${merchant.name}`)
    const ledger = await app.owner.pool.query<{ balance: number }>(
      `select balance::integer from ledger_accounts where kind = 'wallet' and environment = 'test'
       and holder = (select m.id from merchants m join users u on u.id = m.user_id where u.email = $1 and m.kind = 'personal')`,
      [student.email],
    )
    assert.deepEqual(
      ledger.rows.map((row) => row.balance),
      [expected],
      `the ledger of ${merchant.name}`,
    )
    for (const page of merchant.pages) {
      const seePage = page.look()
      const { data } = await ask(scene, url, { method: 'GET', path: `/v1/payment-pages/${page.slug}`, key })
      seePage(data)
      const paid = completed.filter((order) => order.page === page)
      assert.deepEqual([data.paid_count, data.paid_total], [paid.length, sum(paid.map(({ amount }) => amount!))], page.slug)
    }
    const received = receiver.events()
    assert.deepEqual(
      sorted(received.map(({ reference }) => reference)),
      sorted(completed.map(({ id }) => id!)),
      `${merchant.name} is notified of every completed payment`,
    )
    const listed = (await readList(scene, url, key, '/v1/events?type=payment.completed&'))!
    assert.deepEqual(
      sorted(listed.map(({ id }) => id)),
      sorted(received.map(({ id }) => id)),
      'the merchant received the listed events',
    )
    for (const event of received) {
      const order = completed.find(({ id }) => id === event.reference)!
      assert.deepEqual([event.amount, order.amount], [order.amount, event.amount])
    }
  }
  const { rows } = await app.owner.pool.query<{ payments: number; payouts: number }>(
    `select (select count(*) from payments)::integer as payments, (select count(*) from payouts)::integer as payouts`,
  )
  const knownPayouts = scene.shops.flatMap(({ merchant }) => merchant.payouts.filter((payout) => payout.isStored()))
  assert.deepEqual(rows[0], { payments: known.size, payouts: knownPayouts.length }, 'nothing exists without a request')
  assert.deepEqual(await verify(app.owner), [])
}

async function run(t: TestContext, seed: number): Promise<void> {
  process.stdout.write(`model: seed ${seed}\n`)
  // A database server that may crash during its work, and that writes its commits to disk, is slow; only every third run uses one.
  const database = seed % 3 === 0 ? await startOwnDatabase() : undefined
  const settings = {
    RATE_LIMITS: 'off',
    PROVIDER_TIMEOUT_MS: '1000',
    PROVIDER_CIRCUIT_OPEN_SECONDS: '2',
    CHARGE_CLAIM_LEASE_SECONDS: '3',
    PAYMENT_CHECK_DELAYS_SECONDS: '0.5,1,2',
    WEBHOOK_RETRY_DELAYS_SECONDS: '1,2,5,15',
    WEBHOOK_DEADLINE_MS: '1000',
  }
  const fleet = await startFleet(t, settings, { database })
  const { app } = fleet
  const history: string[] = []
  const startedAt = performance.now()
  const scene: Scene = {
    app,
    shops: [],
    urls: () => [app.config.urls.api],
    note: (line) => void history.push(`${((performance.now() - startedAt) / 1000).toFixed(3)} ${line}`),
    counts: new Map(),
    isOver: false,
  }
  try {
    const provider = await startProviderProxy(t, () => app.simulatorUrl)
    await app.control('PATCH', '/switches', { hangMs: 1_500, delayMs: 50, rateLimitReset: 'missing' })
    const receivers = [await startModelReceiver(t), await startModelReceiver(t), await startModelReceiver(t)]
    const modelFaults = await startFaults(t, fleet, { provider, receivers, database, note: scene.note })
    await openShops(scene, receivers)
    scene.urls = () => modelFaults.places.filter(({ role }) => role === 'api').map(({ member }) => member.url)
    await app.control('PATCH', '/faults', { seed: String(seed), webhookDelayMs: [50, 1_500], answerDelayMs: [0, 200], rates })
    const over = new Promise<void>((resolve) => setTimeout(resolve, secondsOfFaults * 1000))
    void over.then(() => void (scene.isOver = true))
    const isOver = (): boolean => scene.isOver
    const everyone = [
      ...Array.from({ length: 8 }, (_, index) => live(scene, seed + 100 + index, 'payer', 250)),
      ...Array.from({ length: 5 }, (_, index) => live(scene, seed + 200 + index, 'merchant', 250)),
      modelFaults.run(seed, isOver),
    ]
    // The first finding ends the whole run, so that no client continues after the app is closed.
    const found: unknown[] = []
    await Promise.all(
      everyone.map((one) =>
        one.catch((error: unknown) => {
          found.push(error)
          scene.isOver = true
        }),
      ),
    )
    // The first finding may have caused the others.
    if (found.length > 0) throw found[0]
    await modelFaults.clear()
    const { counts: simulated } = (await (await fetch(`${app.simulatorUrl}/__control/faults?limit=0`)).json()) as any
    await app.control('PATCH', '/faults', {
      answerDelayMs: [0, 0],
      rates: Object.fromEntries(Object.keys(rates).map((kind) => [kind, 0])),
    })
    scene.note('the faults end')
    const operators = [await app.admin(), await app.admin()] as const
    const writtenOff = new Set<string>()
    const convergedMs = await converge(scene, operators, writtenOff)
    await compare(scene, writtenOff)
    const orders = scene.shops.flatMap(({ merchant }) => merchant.orders())
    const payouts = scene.shops.flatMap(({ merchant }) => merchant.payouts).filter((payout) => payout.isStored())
    const refunds = payouts.filter((payout) => payout instanceof RefundOrder)
    const summary = {
      seed,
      answers: Object.fromEntries(scene.counts),
      orders: orders.length,
      stored: orders.filter((order) => order.isStored()).length,
      completed: orders.filter(({ progress }) => progress.has('completed')).length,
      payouts: payouts.length - refunds.length,
      refunds: refunds.length,
      refunded: refunds.filter(({ progress }) => progress.has('completed')).length,
      refundsFailed: refunds.filter(({ progress }) => progress.has('failed')).length,
      refundsWrittenOff: writtenOff.size,
      faults: Object.fromEntries(modelFaults.counts),
      simulated,
      convergedSeconds: Number((convergedMs / 1000).toFixed(1)),
    }
    process.stdout.write(`model: ${JSON.stringify(summary)}\n`)
  } catch (error) {
    scene.isOver = true
    const { message } = error as Error
    const names = new Set(message.match(/(order|payout|refund|shop|pay|po|rf|page)[-_][\w-]+/g) ?? [])
    const about = history.filter((line) => [...names].some((name) => line.includes(name)))
    process.stdout.write(
      `model: seed ${seed} failed: ${message}\n${[...about.slice(-60), '…', ...history.slice(-40)].join('\n')}\n`,
    )
    throw new Error(`seed ${seed}: ${message}`, { cause: error })
  }
}

for (const seed of seeds) {
  test(`under random faults each answer is allowed, and in the end all sides agree to the shilling (seed ${seed})`, async (t) =>
    run(t, seed))
}
