/**
 * The clients of the model test: merchants, their servers, payers and users of phones. Each client picks its next action from its
 * own seeded random numbers, sends it over real HTTP to any process, and checks each answer against the model. No client knows
 * which parts are broken.
 */
import assert from 'node:assert/strict'
import { setKycStatus } from '../../server/merchants/onboarding/decide-by-operator.ts'
import type { Student, TestApp } from '../app.ts'
import {
  bounces,
  Cell,
  isLost,
  Order,
  Page,
  PayoutOrder,
  RefundOrder,
  type Answer,
  type ApiKey,
  type Merchant,
  type PageState,
  type Payer,
} from './model.ts'
import type { ModelReceiver } from './model-receiver.ts'

/** A generator that gives the same numbers for the same seed (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    next,
    below,
    between: (least, most) => least + below(most - least + 1),
    one: (choices) => choices[below(choices.length)]!,
    weighted(choices) {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [choice, weight] of choices) if ((left -= weight) < 0) return choice
      return choices.at(-1)![0]
    },
  }
}

export type Dice = {
  next(): number
  below(count: number): number
  between(least: number, most: number): number
  one<Choice>(choices: readonly Choice[]): Choice
  weighted<Choice>(choices: readonly (readonly [Choice, number])[]): Choice
}

const payers: [Payer, number][] = [
  [{ suffix: '789', pays: 'always', failures: [] }, 30],
  [{ suffix: '139', pays: 'always', failures: [] }, 5],
  [{ suffix: '149', pays: 'always', failures: [] }, 5],
  [{ suffix: '159', pays: 'always', failures: [] }, 5],
  [{ suffix: '169', pays: 'always', failures: [] }, 4],
  [{ suffix: '179', pays: 'always', failures: [] }, 5],
  [{ suffix: '199', pays: 'always', failures: [] }, 4],
  [{ suffix: '209', pays: 'always', failures: [] }, 2],
  [{ suffix: '219', pays: 'always', failures: [] }, 4],
  [{ suffix: '249', pays: 'always', failures: [] }, 2],
  [{ suffix: '259', pays: 'always', failures: [] }, 2],
  [{ suffix: '289', pays: 'always', failures: [] }, 4],
  [{ suffix: '419', pays: 'always', failures: [], refund: 'fails' }, 4],
  [{ suffix: '429', pays: 'always', failures: [], refund: 'fails' }, 2],
  [{ suffix: '439', pays: 'always', failures: [], refund: 'silent' }, 2],
  [{ suffix: '449', pays: 'always', failures: [], refund: 'comes back' }, 4],
  [{ suffix: '459', pays: 'always', failures: [], refund: 'fails' }, 2],
  [{ suffix: '469', pays: 'always', failures: [], refund: 'late' }, 1],
  [{ suffix: '189', pays: 'another amount', failures: [] }, 2],
  [{ suffix: '279', pays: 'never', failures: [] }, 3],
  [{ suffix: '039', pays: 'never', failures: ['declined_by_payer'] }, 3],
  [{ suffix: '049', pays: 'never', failures: ['insufficient_funds'] }, 4],
  [{ suffix: '059', pays: 'never', failures: ['wrong_pin'] }, 3],
  [{ suffix: '019', pays: 'never', failures: ['payer_limit'] }, 2],
  // A payer who pays, refuses, types a wrong value or does nothing.
  [{ suffix: '111', pays: 'perhaps', failures: ['insufficient_funds', 'declined_by_payer', 'wrong_pin', 'prompt_timeout'] }, 14],
]

const recipients: [string, number][] = [
  ['+255754000123', 30],
  ['+255754000089', 5],
  ['+255754000119', 5],
  ['+255754000139', 5],
  ['+255754000159', 5],
  ['+255754000199', 3],
  ['+255754000289', 3],
  [bounces, 5],
]

const scopes = [
  'profile:read',
  'balance:read',
  'pages:read',
  'pages:write',
  'payments:read',
  'transactions:read',
  'payouts:read',
  'payouts:write',
]

/** A merchant with the data that its owner has. */
export type Shop = {
  merchant: Merchant
  student: Student
  appId: string
  receiver: ModelReceiver
  /** The key of an app that may only read. */
  readOnlyKey: string
  /** The decision of the operators on the owner. Only a verified owner may write pages and pay out. */
  standing: Cell<'verified' | 'rejected'>
  isBeingJudged: boolean
  wasRejected: boolean
  isChangingKeys: boolean
  isChangingWebhook: boolean
}

/** The part of a shop that a request with a key needs. */
export type KeyOwner = Pick<Shop, 'merchant' | 'standing'>

/** What a request needs of a scene. */
export type Notes = Pick<Scene, 'note' | 'counts'>

export type Scene = {
  app: TestApp
  shops: Shop[]
  /** The current URLs of the service; any of the processes may be down. */
  urls(): string[]
  /** Records what happened, so that a failure can be explained. */
  note(line: string): void
  counts: Map<string, number>
  isOver: boolean
}

const unavailableCodes = ['overloaded', 'provider_unavailable', 'network_unavailable']

type Request = {
  method: string
  path: string
  key?: string
  token?: string
  body?: unknown
  raw?: string
  headers?: Record<string, string>
  timeoutMs?: number
  /** Allowed only for a verified owner. */
  isGated?: boolean
}

/** Sends one request and checks the rules that hold for every answer. */
export async function ask(scene: Notes, url: string, request: Request): Promise<Answer> {
  const { method, path, key, token, body, raw, headers = {}, timeoutMs = 10_000 } = request
  const startedAt = performance.now()
  const note = (outcome: string): void =>
    scene.note(
      `${method} ${path} ${JSON.stringify(body ?? raw ?? '').slice(0, 200)} → ${outcome} in ${Math.round(performance.now() - startedAt)} ms`,
    )
  let answer: Answer
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...((body !== undefined || raw !== undefined) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(raw !== undefined && { body: raw }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const parsed = (await response.json()) as any
    answer = { status: response.status, code: parsed.error?.code, data: parsed.data, body: parsed, headers: response.headers }
  } catch (error) {
    assert.ok(!(error instanceof SyntaxError), `${method} ${path} was answered with invalid JSON`)
    answer = { status: 0, code: undefined, data: undefined, body: undefined, headers: undefined }
  }
  const { status, code } = answer
  note(`${status} ${code ?? answer.data?.status ?? ''} ${answer.data?.reference ?? answer.data?.id ?? ''}`)
  scene.counts.set(`${status}`, (scene.counts.get(`${status}`) ?? 0) + 1)
  assert.ok(status < 500 || status === 503, `${method} ${path} was answered ${status} ${code}`)
  assert.notEqual(status, 429, `${method} ${path}: nothing is limited here`)
  if (status === 503) {
    assert.ok(unavailableCodes.includes(code!), `503 ${code}`)
    assert.ok(Number(answer.headers!.get('retry-after')) > 0, `503 ${code} without Retry-After`)
  }
  return answer
}

/** Fails with the actual answer unless it is one of the allowed ones. A lost answer always passes. */
export function oneOf(answer: Answer, allowed: readonly string[], why: string): void {
  if (isLost(answer)) return
  const { status, code } = answer
  const actual = code === undefined ? `${status}` : `${status} ${code}`
  assert.ok(allowed.includes(actual), `${why}: answered ${actual}, allowed are ${allowed.join(', ')}`)
}

export const isOk = ({ status }: Answer): boolean => status === 200 || status === 201

/**
 * A request of a merchant's server. Its key may have ended and its owner may have lost the verification; then the result is
 * undefined and nothing was done.
 */
async function withKey(scene: Notes, url: string, shop: KeyOwner, dice: Dice, request: Request): Promise<Answer | undefined> {
  const key = dice.next() < 0.97 ? shop.merchant.keys.at(-1)! : dice.one(shop.merchant.keys)
  const look = key.state.look()
  const lookAtStanding = shop.standing.look()
  const answer = await ask(scene, url, { ...request, key: key.value })
  const states = look.end()
  const standings = lookAtStanding.end()
  if (isLost(answer)) return answer
  if (answer.status !== 401) {
    assert.ok(states.includes('active'), `a key that had ended was answered ${answer.status}`)
    if (answer.code === 'kyc_required') {
      assert.ok(request.isGated && standings.includes('rejected'), 'a verified owner was refused as unverified')
      return undefined
    }
    if (request.isGated) assert.ok(standings.includes('verified'), 'an unverified owner was accepted')
    return answer
  }
  assert.ok(states.includes('ended'), `a key that had not ended was refused with ${answer.code}`)
  assert.ok(['api_key_expired', 'api_key_revoked'].includes(answer.code!), answer.code)
  look.saw('ended')
  return undefined
}

// Payers.

function newBody(page: Page, name: string, suffix: string, dice: Dice): Record<string, unknown> {
  const digits = suffix === '111' ? String(dice.between(0, 99)).padStart(2, '0') : '00'
  return {
    slug: page.slug,
    phone_number: `+2557540${digits}${suffix}`,
    customer_name: 'Juma Hamisi',
    customer_email: 'juma@example.com',
    idempotency_key: name,
    ...(page.isCustom && { amount: dice.between(500, 40_000) }),
  }
}

/** The refusals that are allowed for an order not known to exist, given the states that the page may have had at that time. */
function checkoutRefusals(page: Page, states: readonly PageState[], order: Order): string[] {
  const refusals: string[] = []
  if (states.some(({ active }) => !active)) refusals.push('409 page_inactive')
  const others = page.orders.filter((other) => other !== order && other.isPossible())
  if (page.maxPayments !== null && others.length >= page.maxPayments) refusals.push('409 page_sold_out')
  return refusals
}

export async function checkout(scene: Notes, url: string, order: Order, timeoutMs?: number): Promise<Answer> {
  const { page } = order
  const wasStored = order.isStored()
  const mayBeStored = order.isPossible()
  const paidBefore = page.paid().filter((other) => other !== order).length
  const look = page.state.look()
  const lookAtStatus = order.look()
  order.unanswered += 1
  const others = order.unanswered - 1
  const answer = await ask(scene, url, { method: 'POST', path: '/v1/payments/checkout', body: order.body, timeoutMs })
  const states = look.end()
  if (isLost(answer)) return answer
  order.unanswered -= 1
  const refusals = wasStored ? [] : checkoutRefusals(page, states, order)
  const inProgress = others > 0 || order.unanswered > 0 ? ['409 idempotency_in_progress'] : []
  const mayBeMade =
    !wasStored && states.some(({ active }) => active) && (page.maxPayments === null || paidBefore < page.maxPayments)
  const replayed = mayBeStored || order.isPossible() ? ['200'] : []
  oneOf(
    answer,
    [...replayed, ...(mayBeMade ? ['201'] : []), ...refusals, ...inProgress],
    `checkout ${order.name} of ${page.slug}`,
  )
  if (!isOk(answer)) return answer
  const { data } = answer
  assert.equal(answer.headers!.get('idempotency-replayed'), answer.status === 200 ? 'true' : null)
  order.named(data.reference, answer.status, wasStored)
  order.token ??= data.checkout_token
  assert.equal(data.checkout_token, order.token)
  if (order.amount === undefined) {
    // An earlier request without an answer may have seen the page in its earlier state.
    const wanted =
      order.body['amount'] ??
      (answer.status === 201 ? states.filter(({ active }) => active).map(({ amount }) => amount) : undefined)
    if (Array.isArray(wanted))
      assert.ok(wanted.includes(data.amount), `${data.amount} was asked for, not one of ${wanted.join()}`)
    else if (wanted !== undefined) assert.equal(data.amount, wanted)
    order.amount = data.amount
  }
  lookAtStatus(data)
  return answer
}

/** The page that a new payer opens. */
function pageFor(scene: Scene, dice: Dice): Page | undefined {
  const { merchant } = dice.one(scene.shops)
  return merchant.pages.length === 0 ? undefined : dice.one(merchant.pages)
}

let names = 0

async function pay(scene: Scene, url: string, dice: Dice): Promise<void> {
  const page = pageFor(scene, dice)
  if (!page) return
  names += 1
  const payer = dice.weighted(payers)
  const order = new Order(page, `order-${names}`, payer, newBody(page, `order-${names}`, payer.suffix, dice))
  page.orders.push(order)
  // An impatient browser repeats the request before it has an answer, to any of the processes.
  const copies = dice.weighted([
    [1, 70],
    [2, 15],
    [5, 10],
  ] as const)
  const timeoutMs = dice.weighted([
    [10_000, 80],
    [dice.between(5, 900), 20],
  ] as const)
  const urls = scene.urls()
  await Promise.all(
    Array.from({ length: copies }, (_, copy) =>
      checkout(scene, copies === 1 ? url : urls[copy % urls.length]!, order, timeoutMs),
    ),
  )
}

/** Any order, more often a young one. */
function anyOrder(scene: Scene, dice: Dice, isWanted: (order: Order) => boolean = () => true): Order | undefined {
  const orders = scene.shops.flatMap(({ merchant }) => merchant.orders()).filter(isWanted)
  return orders.length === 0 ? undefined : orders.slice(-30)[dice.below(Math.min(30, orders.length))]
}

async function payAgain(scene: Scene, url: string, dice: Dice): Promise<void> {
  const order = anyOrder(scene, dice)
  if (order) await checkout(scene, url, order)
}

/**
 * The same key with another body: the service refuses it, reveals nothing about the first request, and leaves the first request
 * unchanged.
 */
async function payWithOtherBody(scene: Scene, url: string, dice: Dice): Promise<void> {
  const order = anyOrder(scene, dice, (one) => one.isStored())
  if (!order) return
  const change = dice.one([{ phone_number: '+255754077789' }, { customer_name: 'Neema' }, { amount: 777 }, { network: 'airtel' }])
  const answer = await ask(scene, url, { method: 'POST', path: '/v1/payments/checkout', body: { ...order.body, ...change } })
  oneOf(answer, ['422 idempotency_key_reused'], `another body under ${order.name}`)
  if (answer.status === 422) assert.ok(!JSON.stringify(answer.body).includes(order.id!), 'the first payment is shown')
}

export async function readStatus(scene: Notes, url: string, order: Order, wait = ''): Promise<Answer> {
  const look = order.look()
  const answer = await ask(scene, url, { method: 'GET', path: `/v1/payments/${order.id}/status${wait}` })
  oneOf(answer, ['200'], `status of ${order.name}`)
  if (!isOk(answer)) return answer
  assert.equal(answer.data.reference, order.id)
  assert.equal(answer.data.page.slug, order.page.slug)
  assert.equal(answer.data.receipt_url !== null, answer.data.status === 'completed')
  look(answer.data)
  return answer
}

async function lookAtPayment(scene: Scene, url: string, dice: Dice): Promise<void> {
  const order = anyOrder(scene, dice, (one) => one.isStored())
  if (order) await readStatus(scene, url, order, dice.one(['', '', '?wait=1', '?wait=2']))
}

async function cancel(scene: Scene, url: string, dice: Dice): Promise<void> {
  const order = anyOrder(scene, dice, (one) => one.token !== undefined)
  if (!order) return
  const isProven = dice.next() < 0.8
  const wasEnded = ['failed', 'voided', 'expired', 'completed'].some((status) => order.progress.has(status))
  const look = order.look()
  if (isProven) order.isCancelAsked = true
  const token = isProven ? order.token : `${order.token}x`
  const answer = await ask(scene, url, {
    method: 'POST',
    path: `/v1/payments/${order.id}/cancel`,
    body: { checkout_token: token },
  })
  if (!isProven) return oneOf(answer, ['404 not_found'], 'a token that proves nothing')
  oneOf(answer, wasEnded ? ['409 invalid_state'] : ['200', '409 invalid_state'], `cancel ${order.name}`)
  if (!isOk(answer)) return
  assert.ok(answer.data.status === 'voided' || answer.data.cancel_requested, 'nothing was cancelled')
  look(answer.data)
}

async function resend(scene: Scene, url: string, dice: Dice): Promise<void> {
  const order = anyOrder(scene, dice, (one) => one.token !== undefined)
  if (!order) return
  const look = order.look()
  const answer = await ask(scene, url, {
    method: 'POST',
    path: `/v1/payments/${order.id}/resend`,
    body: { checkout_token: 'nothing' },
  })
  oneOf(answer, ['404 not_found'], 'a token that proves nothing')
  if (isOk(answer)) look(answer.data)
}

async function openPage(scene: Scene, url: string, dice: Dice): Promise<void> {
  const page = pageFor(scene, dice)
  if (!page) return
  const look = page.look()
  const answer = await ask(scene, url, { method: 'GET', path: `/v1/pay/${page.slug}` })
  oneOf(answer, ['200'], `page ${page.slug}`)
  if (isOk(answer)) look(answer.data)
}

/** The user of one of the ringing phones decides. */
async function answerPhone(scene: Scene, _url: string, dice: Dice): Promise<void> {
  const { charges } = await scene.app.truth('?status=pending')
  const ringing = charges.filter(({ phone }: { phone: string }) => phone.endsWith('111'))
  if (ringing.length === 0) return
  const { reference } = dice.one(ringing) as { reference: string }
  await decide(
    scene,
    reference,
    dice.weighted([
      [{ action: 'pin', pin: '1234' }, 60],
      [{ action: 'cancel' }, 10],
      [{ action: 'insufficient' }, 10],
      [{ action: 'pin', pin: '0000' }, 10],
    ]),
  )
}

/** A prompt that another client has decided in the meantime is not decided again. */
export async function decide(scene: Scene, reference: string, action: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${scene.app.simulatorUrl}/__control/charges/${reference}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(action),
  })
  scene.note(`phone of ${reference}: ${JSON.stringify(action)} → ${response.status}`)
  await response.arrayBuffer()
}

/** The provider sends all of its earlier messages again, many times at once. */
async function repeatMessage(scene: Scene, _url: string, dice: Dice): Promise<void> {
  const order = anyOrder(scene, dice, (one) => one.isStored())
  if (!order) return
  const { charges } = await scene.app.truth(`?metadata.malipo_payment=${order.id}`)
  const [charge] = charges as { reference: string; webhooks: { type: string }[] }[]
  const types = new Set(charge?.webhooks.map(({ type }) => type))
  scene.note(`the provider says again of ${order.id}: ${[...types].join()}`)
  const times = dice.between(2, 6)
  await Promise.all(
    [...types].map(async (type) => {
      const response = await fetch(`${scene.app.simulatorUrl}/__control/charges/${charge!.reference}/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type, times, concurrently: true }),
      })
      await response.arrayBuffer()
    }),
  )
}

// Merchants.

async function makePage(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const { merchant } = shop
  if (merchant.pages.length >= 6) return changePage(scene, url, dice)
  names += 1
  const slug = `${merchant.name}-${names}`
  const isCustom = dice.next() < 0.5
  const maxPayments = dice.next() < 0.25 ? dice.between(1, 4) : null
  const amount = isCustom ? null : dice.between(500, 30_000)
  const first: PageState = { title: `Page ${names}`, amount, active: true }
  const type = maxPayments === null ? 'payment' : 'event'
  const body = { type, slug, ...first, allow_custom_amount: isCustom, ...(maxPayments !== null && { max_payments: maxPayments }) }
  const page = new Page(merchant, slug, first, { isCustom, maxPayments })
  for (let tries = 0; ; tries += 1) {
    const place = scene.urls()[tries % scene.urls().length]!
    const answer = await withKey(scene, place, shop, dice, { method: 'POST', path: '/v1/payment-pages', body, isGated: true })
    if (answer && !isLost(answer)) {
      oneOf(answer, tries === 0 ? ['201'] : ['201', '409 slug_taken'], `page ${slug}`)
      page.id = answer.data?.id
      break
    }
    if (scene.isOver) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  merchant.pages.push(page)
}

async function changePage(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const page = dice.one(shop.merchant.pages)
  if (!page || page.isBeingWritten) return
  page.isBeingWritten = true
  try {
    names += 1
    const amount = page.isCustom ? null : dice.between(500, 30_000)
    const state: PageState = { title: `Page ${names}`, amount, active: dice.next() < 0.8 }
    page.mostAsked = Math.max(page.mostAsked, amount ?? 0)
    const end = page.state.write(state)
    const isNamedInPath = dice.next() < 0.7
    const answer = await withKey(scene, url, shop, dice, {
      method: 'PATCH',
      path: isNamedInPath ? `/v1/payment-pages/${page.slug}` : '/v1/payment-pages',
      body: isNamedInPath ? state : { ...state, slug: page.slug },
      isGated: true,
    })
    if (!answer) return end('refused')
    end(isLost(answer) ? 'lost' : 'done')
    oneOf(answer, ['200'], `change of ${page.slug}`)
    if (isOk(answer))
      assert.deepEqual([answer.data.title, answer.data.amount, answer.data.active], [state.title, state.amount, state.active])
  } finally {
    page.isBeingWritten = false
  }
}

async function readPages(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const known = [...shop.merchant.pages]
  const looks = new Map(known.map((page) => [page.slug, page.look()]))
  const answer = await withKey(scene, url, shop, dice, { method: 'GET', path: '/v1/payment-pages?limit=100' })
  if (!answer) return
  oneOf(answer, ['200'], 'pages')
  if (!isOk(answer)) return
  const seen = new Map((answer.data as any[]).map((page) => [page.slug, page]))
  for (const { slug } of known) {
    assert.ok(seen.has(slug), `page ${slug} is not in the list`)
    looks.get(slug)!(seen.get(slug))
  }
}

async function readBalance(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const look = shop.merchant.lookAtMoney()
  const answer = await withKey(scene, url, shop, dice, { method: 'GET', path: '/v1/balance' })
  if (!answer) return
  oneOf(answer, ['200'], 'balance')
  if (!isOk(answer)) return
  const { least, most } = look()
  const { available, reserved, total } = answer.data
  assert.ok(available >= least && available <= most, `available are ${available}, possible are ${least} to ${most}`)
  assert.ok(reserved >= 0)
  assert.equal(total, available + reserved)
}

/** All pages of a list; undefined when an answer was lost. */
export async function readList(scene: Notes, url: string, key: string, path: string): Promise<any[] | undefined> {
  const items: any[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer: Answer = await ask(scene, url, {
      method: 'GET',
      path: `${path}&limit=100${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      key,
    })
    if (isLost(answer) || answer.status === 401) return undefined
    oneOf(answer, ['200'], path)
    items.push(...answer.data)
    assert.equal(answer.body.has_more, answer.body.next_cursor !== null)
    cursor = answer.body.next_cursor
  }
  return items
}

async function readTransactions(scene: Scene, url: string, dice: Dice): Promise<void> {
  const { merchant } = dice.one(scene.shops)
  const look = merchant.lookAtLines()
  const lines = await readList(scene, url, merchant.keys.at(-1)!.value, '/v1/transactions?direction=all')
  if (lines) look(lines)
}

/** A file whose HTTP response ended correctly is complete, whatever failed in between. */
async function readFile(scene: Scene, url: string, dice: Dice): Promise<void> {
  const { merchant } = dice.one(scene.shops)
  const before = merchant.lines
  let text: string
  try {
    const response = await fetch(`${url}/v1/transactions?direction=all`, {
      headers: { 'x-api-key': merchant.keys.at(-1)!.value, accept: 'text/csv' },
      signal: AbortSignal.timeout(10_000),
    })
    text = await response.text()
    scene.note(`GET transactions as a file → ${response.status}, ${text.length} characters`)
    if (response.status !== 200) return assert.ok([401, 503].includes(response.status), `a file was answered ${response.status}`)
  } catch {
    return
  }
  const [header, ...rows] = text.trimEnd().split('\r\n')
  const columns = header!.split(',')
  const cell = (row: string, name: string): string => row.split(',')[columns.indexOf(name)]!
  const known = before.map((line) => `${line.id} ${line.balance_after}`)
  const listed = rows.map((row) => `${cell(row, 'id')} ${cell(row, 'balance_after')}`).toReversed()
  assert.deepEqual(listed.slice(0, known.length), known, 'a file lacks lines that are known')
  assert.ok(rows.every((row) => row.split(',').length === columns.length))
}

async function readEvents(scene: Scene, url: string, dice: Dice): Promise<void> {
  const { merchant } = dice.one(scene.shops)
  const completed = merchant.orders().filter(({ progress }) => progress.has('completed'))
  const events = await readList(scene, url, merchant.keys.at(-1)!.value, '/v1/events?type=payment.completed&')
  if (!events) return
  const references = events.map(({ data }) => data.reference)
  assert.equal(new Set(references).size, references.length, 'a payment has two events')
  for (const { id, amount } of completed) {
    const event: any = events.find(({ data }) => data.reference === id)
    assert.ok(event, `payment ${id} is completed and has no event`)
    assert.equal(event.data.amount, amount)
  }
}

async function readPayouts(scene: Scene, url: string, dice: Dice): Promise<void> {
  const { merchant } = dice.one(scene.shops)
  const stored = merchant.payouts.filter((payout) => payout.isStored() && !(payout instanceof RefundOrder))
  const looks = stored.map((payout) => [payout, payout.look()] as const)
  const list = await readList(scene, url, merchant.keys.at(-1)!.value, '/v1/payouts?')
  if (!list) return
  for (const [payout, look] of looks) {
    const seen = list.find(({ id }) => id === payout.id)
    assert.ok(seen, `${payout.name} is not in the list`)
    look(seen)
  }
}

/** An operator rejects an owner's documents and verifies them again a little later. */
async function judge(scene: Scene, _url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  if (shop.isBeingJudged) return
  shop.isBeingJudged = true
  shop.wasRejected = true
  scene.note(`${shop.merchant.name} is being rejected`)
  await decideOn(scene, shop, 'rejected')
  await new Promise((resolve) => setTimeout(resolve, dice.between(50, 1_500)))
  await decideOn(scene, shop, 'verified')
  scene.note(`${shop.merchant.name} is verified again`)
  shop.isBeingJudged = false
}

async function decideOn(scene: Scene, shop: Shop, status: 'verified' | 'rejected'): Promise<void> {
  const end = shop.standing.write(status)
  for (let tries = 0; tries < 300; tries += 1) {
    try {
      await setKycStatus(scene.app.deps, shop.student.email, status)
      return end('done')
    } catch {
      // The database was down: the operator tries again.
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  assert.fail('an operator cannot decide')
}

/** A month in East African time. */
export const thisMonth = (): string => new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)

async function readStatement(scene: Scene, url: string, dice: Dice): Promise<void> {
  const { merchant, student } = dice.one(scene.shops)
  const look = merchant.lookAtMoney()
  const before = merchant.lines.length
  const answer = await ask(scene, url, {
    method: 'GET',
    path: `/v1/merchant/statement?environment=test&month=${thisMonth()}`,
    token: student.token,
  })
  oneOf(answer, ['200'], 'statement')
  if (!isOk(answer)) return
  const { least, most } = look()
  const {
    opening_balance: opening,
    closing_balance: closing,
    total_credits,
    total_debits,
    transaction_count: count,
  } = answer.data
  assert.equal(opening + total_credits - total_debits, closing, 'a statement does not add up')
  assert.ok(closing >= least && closing <= most, `it closes with ${closing}, possible are ${least} to ${most}`)
  assert.ok(count >= before, `${count} lines, and ${before} were seen before`)
}

async function payOut(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const { merchant } = shop
  const again = dice.next() < 0.25 && merchant.payouts.length > 0
  if (again) {
    const earlier = dice.one(merchant.payouts)
    return void (await requestPayout(scene, url, shop, dice, earlier))
  }
  names += 1
  // Sometimes more than the balance.
  const amount = dice.next() < 0.15 ? 9_000_000 : dice.between(5_000, 30_000)
  const body = { amount, phone_number: dice.weighted(recipients), recipient_name: 'Asha Mushi' }
  const payout = new PayoutOrder(merchant, `payout-${names}`, amount, body)
  merchant.payouts.push(payout)
  const copies = dice.next() < 0.8 ? 1 : 3
  const urls = scene.urls()
  await Promise.all(
    Array.from({ length: copies }, (_, copy) =>
      requestPayout(scene, copies === 1 ? url : urls[copy % urls.length]!, shop, dice, payout),
    ),
  )
}

/** A part of a payment, what is left of it, or more than that; sometimes of a payment that is not paid. */
async function refund(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const { merchant } = shop
  const stored = merchant.orders().filter((order) => order.isStored() && order.amount !== undefined)
  const paid = stored.filter(({ progress }) => progress.has('completed'))
  const refunded = paid.filter(({ refunds }) => refunds.length > 0)
  // Several refunds of one payment compete for what is left.
  const among = dice.weighted([
    [refunded.slice(-3), 40],
    [paid.slice(-10), 50],
    [stored.slice(-5), 10],
  ] as const)
  if (among.length === 0) return
  const order = dice.one(among)
  const again = order.refunds.at(-1)
  if (again && dice.next() < 0.25) return void (await requestPayout(scene, url, shop, dice, again))
  const urls = scene.urls()
  const copies = dice.one([1, 1, 1, 3])
  const sameKey = dice.next() < 0.5
  const make = (): RefundOrder => {
    names += 1
    const whole = order.amount!
    const amount = dice.weighted([
      [undefined, 20],
      [whole + 1, 5],
      [whole, 15],
      [dice.between(5_000, Math.max(5_000, Math.min(whole, 40_000))), 60],
    ] as const)
    const made = new RefundOrder(merchant, order, `refund-${names}`, amount, amount === undefined ? {} : { amount })
    order.refunds.push(made)
    merchant.payouts.push(made)
    return made
  }
  const first = make()
  const asked = [first, ...Array.from({ length: copies - 1 }, () => (sameKey ? first : make()))]
  await Promise.all(asked.map((one, copy) => requestPayout(scene, urls[copy % urls.length]!, shop, dice, one)))
}

/** What the payment says was refunded. */
export async function readRefunded(scene: Scene, url: string, order: Order, key: string): Promise<Answer> {
  const look = order.page.merchant.lookAtRefunds(order)
  const answer = await ask(scene, url, { method: 'GET', path: `/v1/payments/${order.id}`, key })
  if (answer.status !== 401) oneOf(answer, ['200'], `payment ${order.name}`)
  if (!isOk(answer)) return answer
  const { least, most } = look()
  const { refunded_amount: refunded, refund_status: state } = answer.data
  assert.ok(refunded >= least && refunded <= most, `${refunded} of ${order.name} are refunded, possible are ${least} to ${most}`)
  assert.equal(state, refunded === 0 ? 'none' : refunded < order.amount! ? 'partial' : 'full')
  return answer
}

async function lookAtRefunds(scene: Scene, url: string, dice: Dice): Promise<void> {
  const { merchant } = dice.one(scene.shops)
  const refunded = merchant.orders().filter(({ refunds }) => refunds.length > 0)
  if (refunded.length === 0) return
  const order = dice.one(refunded)
  const key = merchant.keys.at(-1)!.value
  await readRefunded(scene, url, order, key)
  const looks = order.refunds.filter((one) => one.isStored()).map((one) => [one, one.look()] as const)
  const list = await readList(scene, url, key, `/v1/payments/${order.id}/refunds?`)
  if (!list) return
  for (const [one, look] of looks) {
    const seen = list.find(({ id }) => id === one.id)
    assert.ok(seen, `${one.name} is not in the list`)
    look(seen)
  }
  const counted = list.filter(({ status }) => status !== 'failed').reduce((total, { amount }) => total + amount, 0)
  assert.ok(counted <= order.amount!, `${counted} of ${order.name} are refunded, it is ${order.amount}`)
}

export async function requestPayout(
  scene: Notes,
  url: string,
  shop: KeyOwner,
  dice: Dice,
  payout: PayoutOrder,
): Promise<Answer | undefined> {
  const wasStored = payout.isStored()
  const mayBeStored = payout.isPossible()
  const look = shop.merchant.lookAtMoney(payout)
  const lookAtRules = payout.ask()
  const lookAtPayout = payout.look()
  payout.unanswered += 1
  const answer = await withKey(scene, url, shop, dice, {
    method: 'POST',
    path: payout.path,
    body: payout.body,
    headers: { 'idempotency-key': payout.name },
    // In test a refund needs no verification.
    isGated: !(payout instanceof RefundOrder),
  })
  if (answer && isLost(answer)) return answer
  payout.unanswered -= 1
  if (!answer) return undefined
  const { least, most } = look()
  const { refusals, mayBeMade } = lookAtRules()
  const allowed = mayBeStored || payout.isPossible() ? ['200'] : []
  if (payout.unanswered > 0) allowed.push('409 idempotency_in_progress')
  if (!wasStored) allowed.push(...refusals)
  if (!wasStored && mayBeMade && most >= payout.least) allowed.push('201')
  if (!wasStored && least < payout.total) allowed.push('402 insufficient_balance')
  oneOf(answer, allowed, `${payout.name} of ${payout.total} out of ${least} to ${most}`)
  if (answer.status === 402) {
    const { available } = answer.body.error.details
    assert.ok(available <= most, `${available} are available, expected at most ${most}`)
  }
  if (answer.code === 'refund_exceeds_payment') {
    const { refundable } = answer.body.error.details
    assert.ok(refundable >= 0 && refundable < payout.amount + 1, `${refundable} can be refunded, ${payout.amount} were asked for`)
  }
  if (!isOk(answer)) return answer
  payout.named(answer.data.id, answer.status, wasStored)
  lookAtPayout(answer.data)
  return answer
}

async function payOutWithOtherBody(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const stored = shop.merchant.payouts.filter((payout) => payout.isStored())
  if (stored.length === 0) return
  const payout = dice.one(stored)
  const answer = await withKey(scene, url, shop, dice, {
    method: 'POST',
    path: payout.path,
    body: { ...payout.body, amount: payout.amount + 1 },
    headers: { 'idempotency-key': payout.name },
    isGated: true,
  })
  if (answer) oneOf(answer, ['422 idempotency_key_reused'], `another body under ${payout.name}`)
}

export async function readPayout(scene: Notes, url: string, payout: PayoutOrder, key: string): Promise<Answer> {
  const look = payout.look()
  const answer = await ask(scene, url, { method: 'GET', path: payout.place, key })
  if (answer.status !== 401) oneOf(answer, ['200'], `payout ${payout.name}`)
  if (isOk(answer)) look(answer.data)
  return answer
}

async function lookAtPayout(scene: Scene, url: string, dice: Dice): Promise<void> {
  const { merchant } = dice.one(scene.shops)
  const stored = merchant.payouts.filter((payout) => payout.isStored())
  if (stored.length > 0) await readPayout(scene, url, dice.one(stored), merchant.keys.at(-1)!.value)
}

async function cancelPayout(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const stored = shop.merchant.payouts.filter((payout) => payout.isStored())
  if (stored.length === 0) return
  const payout = stored.slice(-3)[dice.below(Math.min(3, stored.length))]!
  const wasSent = ['processing', 'completed', 'failed', 'reversed', 'cancelled'].some((status) => payout.progress.has(status))
  const look = payout.look()
  const answer = await withKey(scene, url, shop, dice, { method: 'POST', path: `${payout.place}/cancel`, body: {} })
  if (!answer) return
  oneOf(answer, wasSent ? ['409 invalid_state'] : ['200', '409 invalid_state'], `cancel ${payout.name}`)
  if (!isOk(answer)) return
  assert.equal(answer.data.status, payout instanceof RefundOrder ? 'failed' : 'cancelled')
  look(answer.data)
}

// Keys and webhooks.

async function addKey(scene: Scene, shop: Shop): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const url = scene.urls()[tries % scene.urls().length]!
    const answer = await ask(scene, url, {
      method: 'POST',
      path: '/developers/keys',
      token: shop.student.token,
      body: { app_id: shop.appId, key_name: 'server', scopes },
    })
    oneOf(answer, ['201'], 'a new key')
    if (isOk(answer)) return keep(shop, answer.data)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  assert.fail('no key can be made')
}

export function keep(shop: KeyOwner, made: { id: string; key: string }): void {
  shop.merchant.keys.push({ id: made.id, value: made.key, state: new Cell<'active' | 'ended'>('active') } satisfies ApiKey)
}

/** A key is replaced, at once or with a day's grace, or revoked; another key exists before it is needed. */
async function changeKeys(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  if (shop.isChangingKeys) return
  shop.isChangingKeys = true
  try {
    const { student, merchant } = shop
    const key = merchant.keys.at(-1)!
    if (dice.next() < 0.5) {
      const graceSeconds = dice.one([0, 86_400])
      const end = graceSeconds === 0 ? key.state.write('ended') : undefined
      const answer = await ask(scene, url, {
        method: 'POST',
        path: `/developers/keys/${key.id}/roll`,
        token: student.token,
        body: { grace_seconds: graceSeconds },
      })
      end?.(isLost(answer) ? 'lost' : isOk(answer) ? 'done' : 'refused')
      // A key is not rolled again when the answer to an earlier roll was lost or reached no client.
      oneOf(answer, ['200', '409 invalid_state'], 'roll of a key')
      if (isOk(answer)) return keep(shop, answer.data)
      return await addKey(scene, shop)
    }
    await addKey(scene, shop)
    if (merchant.keys.at(-1) === key) return
    const end = key.state.write('ended')
    const answer = await ask(scene, url, { method: 'DELETE', path: `/developers/keys/${key.id}`, token: student.token })
    end(isLost(answer) ? 'lost' : isOk(answer) ? 'done' : 'refused')
    oneOf(answer, ['200'], 'a key is revoked')
  } finally {
    shop.isChangingKeys = false
  }
}

async function rotateSecret(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  if (shop.isChangingWebhook) return
  shop.isChangingWebhook = true
  try {
    const path = `/developers/apps/${shop.appId}/webhook`
    const { token } = shop.student
    const asked = dice.next() < 0.5
    const answer = asked
      ? await ask(scene, url, { method: 'POST', path: `${path}/rotate`, token, body: {} })
      : await ask(scene, url, { method: 'POST', path, token, body: { url: shop.receiver.nextUrl() } })
    oneOf(answer, ['200'], asked ? 'rotate' : 'another address')
    if (isOk(answer)) return shop.receiver.learn(answer.data.secret)
    // The current signing secret has to be known before it is changed again.
    await learnSecret(scene, shop)
  } finally {
    shop.isChangingWebhook = false
  }
}

export async function learnSecret(scene: Scene, shop: Shop): Promise<void> {
  const path = `/developers/apps/${shop.appId}/webhook`
  for (let tries = 0; tries < 100; tries += 1) {
    const url = scene.urls()[tries % scene.urls().length]!
    const answer = await ask(scene, url, { method: 'GET', path, token: shop.student.token })
    oneOf(answer, ['200'], 'webhook')
    if (isOk(answer)) return shop.receiver.learn(answer.data.secret)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  assert.fail('the secret of a webhook cannot be read')
}

// Requests that are always refused.

async function askWrongly(scene: Scene, url: string, dice: Dice): Promise<void> {
  const shop = dice.one(scene.shops)
  const other = dice.one(scene.shops.filter((one) => one !== shop))
  const page = dice.one(shop.merchant.pages)
  const { receiver: _receiver, student, readOnlyKey } = shop
  const good = { ...newBody(page, `bad-${dice.below(1e9)}`, '789', dice) }
  const custom = page.isCustom
  const checkoutPath = '/v1/payments/checkout'
  const post = (body: unknown) => ({ method: 'POST', path: checkoutPath, body })
  const theirPage = dice.one(other.merchant.pages)
  const theirPayout = other.merchant.payouts.find((payout) => payout.isStored())
  const theirPayment = other.merchant.orders().find((order) => order.isStored())
  const payout = { amount: 6_000, phone_number: '+255754000123', recipient_name: 'Asha' }
  const wrong: [string, Request, string[]][] = [
    ['no page of that name', post({ ...good, slug: 'no-such-page' }), ['404 not_found']],
    ['a field that there is not', post({ ...good, tip: 5 }), ['400 validation_error']],
    ['no name', post({ ...good, customer_name: undefined }), ['400 validation_error']],
    ['half a body', { method: 'POST', path: checkoutPath, raw: '{"slug":"' }, ['400 invalid_json']],
    [
      'one field twice',
      { method: 'POST', path: checkoutPath, raw: `{"slug":"${page.slug}","slug":"${page.slug}"}` },
      ['400 invalid_json'],
    ],
    ['no phone of ours', post({ ...good, phone_number: '+14155552671' }), ['400 phone_invalid']],
    ['another currency', post({ ...good, currency: 'USD' }), ['400 currency_unsupported']],
    [
      'too little',
      post({ ...good, amount: 499 }),
      custom ? ['400 amount_too_small'] : ['400 amount_too_small', '400 amount_mismatch'],
    ],
    ['half a shilling', post({ ...good, amount: 1_000.5 }), ['400 amount_invalid']],
    ['no such payment', { method: 'GET', path: '/v1/payments/pay_06g2v1d1p5fz9b7q4w5w1y2k3m/status' }, ['404 not_found']],
    ['no key', { method: 'GET', path: '/v1/balance' }, ['401 authentication_required']],
    ['an unknown key', { method: 'GET', path: '/v1/balance', key: 'svc_test_nonsense' }, ['401 invalid_api_key']],
    [
      'a key that may only look',
      { method: 'POST', path: '/v1/payouts', key: readOnlyKey, body: payout },
      ['403 insufficient_scope'],
    ],
    [
      'a payout without an idempotency key',
      { method: 'POST', path: '/v1/payouts', key: shop.merchant.keys.at(-1)!.value, body: payout, isGated: true },
      ['400 idempotency_key_required', '401 api_key_expired', '401 api_key_revoked'],
    ],
    [
      'another merchant’s page',
      {
        method: 'PATCH',
        path: `/v1/payment-pages/${theirPage.slug}`,
        key: shop.merchant.keys.at(-1)!.value,
        body: { title: 'mine' },
        isGated: true,
      },
      ['404 not_found', '401 api_key_expired', '401 api_key_revoked'],
    ],
    [
      'another merchant’s app',
      { method: 'POST', path: `/developers/apps/${other.appId}/webhook/rotate`, token: student.token, body: {} },
      ['404 not_found'],
    ],
    ...(theirPayout
      ? ([
          ['another merchant’s payout', { method: 'GET', path: theirPayout.place, key: readOnlyKey }, ['404 not_found']],
        ] satisfies [string, Request, string[]][])
      : []),
  ]
  if (theirPayment) {
    const path = `/v1/payments/${theirPayment.id}/refunds`
    const headers = { 'idempotency-key': 'theirs' }
    const key = shop.merchant.keys.at(-1)!.value
    wrong.push([
      'a refund of another merchant’s payment',
      { method: 'POST', path, key, body: {}, headers, isGated: true },
      ['404 not_found', '401 api_key_expired', '401 api_key_revoked'],
    ])
    wrong.push(['refunds of another merchant', { method: 'GET', path, key: readOnlyKey }, ['404 not_found']])
  }
  const [why, request, allowed] = dice.one(wrong)
  const lookAtStanding = shop.standing.look()
  const answer = await ask(scene, url, request)
  const standings = lookAtStanding.end()
  oneOf(answer, request.isGated && standings.includes('rejected') ? [...allowed, '403 kyc_required'] : allowed, why)
}

type Deed = (scene: Scene, url: string, dice: Dice) => Promise<void>

const deedsOfPayers: [Deed, number][] = [
  [pay, 40],
  [payAgain, 12],
  [payWithOtherBody, 4],
  [lookAtPayment, 20],
  [cancel, 8],
  [resend, 1],
  [openPage, 5],
  [answerPhone, 14],
  [repeatMessage, 8],
  [askWrongly, 4],
]

const deedsOfMerchants: [Deed, number][] = [
  [makePage, 6],
  [changePage, 10],
  [readPages, 8],
  [readBalance, 14],
  [readTransactions, 10],
  [readStatement, 5],
  [readFile, 5],
  [readEvents, 5],
  [readPayouts, 5],
  [judge, 2],
  [payOut, 18],
  [refund, 30],
  [lookAtRefunds, 10],
  [payOutWithOtherBody, 3],
  [lookAtPayout, 10],
  [cancelPayout, 6],
  [changeKeys, 3],
  [rotateSecret, 3],
  [askWrongly, 6],
]

/** Runs one client until the end of the test; an error names the action that failed. */
export async function live(scene: Scene, seed: number, kind: 'payer' | 'merchant', pauseMs: number): Promise<void> {
  const dice = diceOf(seed)
  const deeds = kind === 'payer' ? deedsOfPayers : deedsOfMerchants
  while (!scene.isOver) {
    const deed = dice.weighted(deeds)
    await deed(scene, dice.one(scene.urls()), dice)
    await new Promise((resolve) => setTimeout(resolve, dice.next() * pauseMs))
  }
}
