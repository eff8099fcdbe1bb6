/**
 * The promises of Malipo to its merchants and payers, kept in memory during the test. This file knows nothing about how the service
 * works. Each request starts with a note of the current state. Its answer is compared with everything that may be
 * true between its beginning and its end. A request without an answer, or with answer 503, may have been done, may be done later,
 * or may never be done: it widens what may be true until a later answer says more.
 */
import assert from 'node:assert/strict'

/** The answer that a client received; status 0 means no answer. */
export type Answer = { status: number; code: string | undefined; data: any; body: any; headers: Headers | undefined }

/** The outcome of the request is unknown. */
export const isLost = ({ status }: Answer): boolean => status === 0 || status === 503

/** The status transitions of a payment and of a payout (contract, sections 6.1 and 7). */
const paymentWays: Record<string, readonly string[]> = {
  pending: ['processing', 'completed', 'failed', 'voided', 'expired'],
  processing: ['completed', 'failed', 'voided', 'expired'],
  completed: [],
  failed: ['completed'],
  voided: ['completed'],
  expired: ['completed'],
}
const payoutWays: Record<string, readonly string[]> = {
  pending: ['processing', 'completed', 'failed', 'cancelled'],
  processing: ['completed', 'failed'],
  completed: ['reversed'],
  failed: [],
  reversed: [],
  cancelled: [],
}
/** A refund that was cancelled or came back has failed (contract, section 14). */
const refundWays: Record<string, readonly string[]> = {
  pending: ['processing', 'completed', 'failed'],
  processing: ['completed', 'failed'],
  completed: ['failed'],
  failed: [],
}

export const isEnd = (status: string): boolean => !['pending', 'processing'].includes(status)

function leadsTo(ways: Record<string, readonly string[]>, from: string, to: string): boolean {
  return from === to || (ways[from] ?? []).some((next) => leadsTo(ways, next, to))
}

/** The observed state of one thing. It only moves forward, for every reader and at every process. */
class Progress {
  readonly #ways: Record<string, readonly string[]>
  readonly #seen = new Set<string>()

  constructor(ways: Record<string, readonly string[]>) {
    this.#ways = ways
  }

  has(status: string): boolean {
    return this.#seen.has(status)
  }

  /** Begins a read; the state it returns must be reachable from every state seen before the read began. */
  look(): (status: string) => void {
    const before = [...this.#seen]
    return (status) => {
      assert.ok(status in this.#ways, `there is no status ${status}`)
      for (const earlier of before) {
        assert.ok(leadsTo(this.#ways, earlier, status), `it was seen ${earlier}, and then ${status}`)
      }
      this.#seen.add(status)
    }
  }
}

/**
 * One value with one writer at a time and any number of readers. A write without an answer may take effect once, at any later
 * moment.
 */
export class Cell<Value> {
  #now: Value
  readonly #unsure = new Set<Value>()
  readonly #looks = new Set<{ possible: Set<Value>; isDisturbed: boolean }>()

  constructor(value: Value) {
    this.#now = value
  }

  get latest(): Value {
    return this.#now
  }

  /** Begins a write; `end` reports whether it was done, certainly refused, or lost. */
  write(value: Value): (end: 'done' | 'refused' | 'lost') => void {
    this.#unsure.add(value)
    for (const look of this.#looks) {
      look.possible.add(value)
      look.isDisturbed = true
    }
    return (end) => {
      for (const look of this.#looks) look.isDisturbed = true
      if (end === 'lost') return
      this.#unsure.delete(value)
      if (end === 'done') this.#now = value
    }
  }

  /** Begins a read; its end returns every value that was possible during the read. */
  look(): { end(): Value[]; saw(value: Value): void } {
    const look = { possible: new Set([this.#now, ...this.#unsure]), isDisturbed: false }
    this.#looks.add(look)
    return {
      end: () => {
        this.#looks.delete(look)
        return [...look.possible]
      },
      // A lost write that was seen is done. While another write runs, the order of the two is unknown.
      saw: (value) => {
        if (look.isDisturbed || !this.#unsure.has(value)) return
        this.#unsure.delete(value)
        this.#now = value
      },
    }
  }
}

/** What an owner may change on a page. Each change writes the whole state under a unique title. */
export type PageState = { title: string; amount: number | null; active: boolean }

/**
 * The effect of a payer's number: its possible results, besides those of a charge that never reached the payer. `refund`: what happens to
 * money that goes back to it; it arrives unless this says otherwise. `late`: it fails and arrives after all, so that operators decide.
 */
export type Payer = {
  suffix: string
  pays: 'always' | 'never' | 'perhaps' | 'another amount'
  failures: readonly string[]
  refund?: 'fails' | 'comes back' | 'silent' | 'late'
}

/** A charge that never reached the payer, or that failed without an explanation from the provider. */
const commonFailures = ['network_unavailable', 'provider_error']

/** An object that exists at most once under a key of its client's. */
class Keyed {
  /** The id of the payment, once an answer has named it. */
  id: string | undefined
  /** The requests under its key without an answer so far. */
  unanswered = 0
  #makers = 0

  isStored(): boolean {
    return this.id !== undefined
  }

  isPossible(): boolean {
    return this.id !== undefined || this.unanswered > 0
  }

  /** Records an answer that names it: the id is always the same, and one request created it. */
  named(id: string, status: number, wasKnown: boolean): void {
    this.id ??= id
    assert.equal(id, this.id, 'one key led to two')
    if (status === 201) {
      assert.ok(!wasKnown, 'an existing object was created again')
      this.#makers += 1
      assert.equal(this.#makers, 1, 'one key was answered 201 twice')
    }
  }
}

/** One payment that a payer wants, under one idempotency key. */
export class Order extends Keyed {
  readonly page: Page
  readonly name: string
  readonly payer: Payer
  readonly body: Record<string, unknown>
  readonly progress = new Progress(paymentWays)
  amount: number | undefined
  token: string | undefined
  isCancelAsked = false
  isHeld = false
  readonly refunds: RefundOrder[] = []

  constructor(page: Page, name: string, payer: Payer, body: Record<string, unknown>) {
    super()
    this.page = page
    this.name = name
    this.payer = payer
    this.body = body
  }

  /** The largest amount that it may bring, if it can be paid. */
  most(): number {
    const { amount } = this.body as { amount?: number }
    return this.amount ?? amount ?? this.page.mostAsked
  }

  /** Begins a read of its status. */
  look(): (data: any) => void {
    const saw = this.progress.look()
    const wasFailed = this.progress.has('failed') || this.progress.has('voided') || this.progress.has('expired')
    return (data) => {
      const { status, amount, currency, failure, late } = data
      saw(status)
      assert.equal(currency, 'TZS')
      if (this.amount !== undefined) assert.equal(amount, this.amount)
      if (status === 'completed') {
        assert.ok(this.payer.pays !== 'never', `the number ${this.payer.suffix} never pays`)
        assert.ok(this.payer.pays !== 'another amount', 'an amount that differs is not credited')
        if (wasFailed && late !== undefined) assert.equal(late, true)
      }
      if (status === 'expired') assert.fail('nothing has waited for an hour')
      if (status === 'voided') assert.ok(this.isCancelAsked || this.payer.suffix === '279' || this.payer.pays === 'perhaps')
      if (status === 'failed' && failure !== undefined) {
        const codes = [...commonFailures, ...this.payer.failures]
        assert.ok(codes.includes(failure?.code), `failed by ${failure?.code}, which is none of ${codes.join()}`)
      }
    }
  }
}

/** The refusals that the rules of a payout allow to a request for it, and whether it may be made. */
export type Verdict = { refusals: string[]; mayBeMade: boolean }

/** One payout that a merchant wants, under one idempotency key. */
export class PayoutOrder extends Keyed {
  readonly merchant: Merchant
  readonly name: string
  readonly body: Record<string, unknown>
  readonly progress: Progress
  amount: number

  constructor(merchant: Merchant, name: string, amount: number, body: Record<string, unknown>, ways = payoutWays) {
    super()
    this.merchant = merchant
    this.name = name
    this.amount = amount
    this.body = body
    this.progress = new Progress(ways)
  }

  get total(): number {
    return this.amount + payoutFee
  }

  /** The least that it may take from the wallet. */
  get least(): number {
    return this.total
  }

  /** Where it is requested. */
  get path(): string {
    return '/v1/payouts'
  }

  /** Where it is read. */
  get place(): string {
    return `/v1/payouts/${this.id}`
  }

  /** Its id at the provider. */
  get sentAs(): string | undefined {
    return this.id
  }

  /** Begins a request for it; the end returns what the rules allowed to it meanwhile. */
  ask(): () => Verdict {
    return () => ({ refusals: this.merchant.holdRefusals(), mayBeMade: true })
  }

  /** Whether its money may return after it has arrived. */
  mayComeBack(): boolean {
    return this.body['phone_number'] === bounces
  }

  /** Whether it was seen in this state of the provider. */
  wasSeenAs(statusThere: string): boolean {
    return this.progress.has(statusThere)
  }

  look(): (data: any) => void {
    const saw = this.progress.look()
    return (data) => {
      saw(data.status)
      assert.deepEqual(
        [data.amount, data.fee, data.total_debited, data.currency],
        [this.amount, payoutFee, this.total, 'TZS'],
        `payout ${this.name}`,
      )
    }
  }

  isGivenBack(): boolean {
    return ['failed', 'cancelled', 'reversed'].some((status) => this.progress.has(status))
  }
}

/** One refund of a payment, under one idempotency key. Without an amount: what is left. */
export class RefundOrder extends PayoutOrder {
  readonly order: Order
  readonly isRest: boolean
  #isAmountKnown: boolean

  constructor(merchant: Merchant, order: Order, name: string, amount: number | undefined, body: Record<string, unknown>) {
    // Until an answer names the amount, it is at most the whole payment.
    super(merchant, name, amount ?? order.amount!, body, refundWays)
    this.order = order
    this.isRest = amount === undefined
    this.#isAmountKnown = amount !== undefined
  }

  override get least(): number {
    return !this.#isAmountKnown ? leastRefund + payoutFee : this.total
  }

  override get path(): string {
    return `/v1/payments/${this.order.id}/refunds`
  }

  override get place(): string {
    return `/v1/refunds/${this.id}`
  }

  override get sentAs(): string | undefined {
    return this.id?.replace('rf_', 'po_')
  }

  override ask(): () => Verdict {
    const { order } = this
    const others = order.refunds.filter((one) => one !== this)
    const gone = sumOf(
      others.filter((one) => one.isGone()),
      ({ amount }) => amount,
    )
    const givenBack = new Set(others.filter((one) => one.isGivenBack()))
    const stored = new Set(others.filter((one) => one.isStored()))
    const wasPaid = order.progress.has('completed')
    return () => {
      const all = order.refunds.filter((one) => one !== this && one.isPossible() && !givenBack.has(one))
      const mostTaken = sumOf(all, ({ amount }) => amount)
      const left = order.amount! - mostTaken
      const refusals = this.merchant.holdRefusals()
      if (!wasPaid) refusals.push('409 invalid_state')
      // What was left is read first and taken afterwards: a refund that is made in between leaves less, and the request is refused.
      const isOvertaken = this.isRest && all.some((one) => !stored.has(one))
      if (isOvertaken || left < (this.isRest ? 1 : this.amount)) refusals.push('409 refund_exceeds_payment')
      if ((this.isRest ? left : this.amount) < leastRefund) refusals.push('400 amount_too_small')
      const canBePaid = order.payer.pays === 'always' || order.payer.pays === 'perhaps'
      const least = this.isRest ? leastRefund : this.amount
      return { refusals, mayBeMade: canBePaid && least >= leastRefund && gone + least <= order.amount! }
    }
  }

  override look(): (data: any) => void {
    const saw = this.progress.look()
    const hadArrived = this.progress.has('completed')
    return (data) => {
      saw(data.status)
      if (!this.#isAmountKnown) {
        assert.ok(data.amount > 0 && data.amount <= this.order.amount!, `${data.amount} of ${this.order.amount} are refunded`)
        this.amount = data.amount
        this.#isAmountKnown = true
      }
      assert.deepEqual(
        [data.payment, data.amount, data.fee, data.total_debited, data.currency],
        [this.order.id, this.amount, payoutFee, this.total, 'TZS'],
        `refund ${this.name}`,
      )
      assert.equal(data.failure !== null, data.status === 'failed')
      if (data.status === 'completed') assert.notEqual(this.order.payer.refund, 'fails')
      if (data.status === 'failed' && hadArrived) assert.ok(this.mayComeBack(), `refund ${this.name} had arrived`)
    }
  }

  override mayComeBack(): boolean {
    return this.order.payer.refund === 'comes back'
  }

  override wasSeenAs(statusThere: string): boolean {
    return this.progress.has(statusThere === 'reversed' ? 'failed' : statusThere)
  }

  /** Whether its money has left for good. */
  isGone(): boolean {
    return this.progress.has('completed') && !this.mayComeBack()
  }
}

/** The least that can be refunded: the provider's least payout. */
const leastRefund = 5_000

/** The provider's fee for every payout. */
export const payoutFee = 1_500

export class Page {
  readonly merchant: Merchant
  readonly slug: string
  readonly isCustom: boolean
  readonly maxPayments: number | null
  readonly state: Cell<PageState>
  readonly orders: Order[] = []
  id: string | undefined
  isBeingWritten = false
  mostAsked: number

  constructor(merchant: Merchant, slug: string, first: PageState, options: { isCustom: boolean; maxPayments: number | null }) {
    this.merchant = merchant
    this.slug = slug
    this.isCustom = options.isCustom
    this.maxPayments = options.maxPayments
    this.state = new Cell(first)
    this.mostAsked = first.amount ?? 0
  }

  paid = (): Order[] => this.orders.filter(({ progress }) => progress.has('completed'))

  /** Begins a read of the page by its owner or a payer. */
  look(): (data: any) => void {
    const look = this.state.look()
    const paidBefore = this.paid()
    return (data) => {
      const possible = look.end()
      const seen = possible.find(({ title }) => title === data.title)
      assert.ok(seen, `page ${this.slug} is ${data.title}, which is none of ${possible.map(({ title }) => title).join()}`)
      assert.equal(data.amount, seen.amount, 'a change was half done')
      if (data.active !== undefined) assert.equal(data.active, seen.active, 'a change was half done')
      if (data.state !== undefined && !seen.active) assert.equal(data.state, 'inactive')
      look.saw(seen)
      if (data.paid_count === undefined) return
      const possibleOrders = this.orders.filter((order) => order.isPossible() && order.payer.pays !== 'never')
      assert.ok(data.paid_count >= paidBefore.length, `${data.paid_count} are paid, ${paidBefore.length} were before`)
      assert.ok(data.paid_count <= possibleOrders.length, `${data.paid_count} are paid of ${possibleOrders.length}`)
      assert.ok(data.paid_total >= sumOf(paidBefore, ({ amount }) => amount!))
      assert.ok(data.paid_total <= sumOf(possibleOrders, (order) => order.most()))
    }
  }
}

/** A key of a merchant, with its permissions. */
export type ApiKey = { id: string; value: string; state: Cell<'active' | 'ended'> }

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number => items.reduce((sum, item) => sum + of(item), 0)

/** The resources of a merchant and everything seen of its wallet. */
export class Merchant {
  readonly name: string
  readonly pages: Page[] = []
  readonly payouts: PayoutOrder[] = []
  keys: ApiKey[] = []
  /** The lines of the wallet in the last read, oldest first. */
  lines: any[] = []

  constructor(name: string) {
    this.name = name
  }

  /** While the provider contradicts itself about a refund, no payout of the merchant begins. */
  holdRefusals(): string[] {
    const isPossible = this.payouts.some(
      (one) => one instanceof RefundOrder && one.order.payer.refund === 'late' && one.isPossible(),
    )
    return isPossible ? ['409 payouts_on_hold'] : []
  }

  orders = (): Order[] => this.pages.flatMap(({ orders }) => orders)

  /** Begins a read of what was refunded of a payment; the end returns the least and the greatest value possible during the read. */
  lookAtRefunds(order: Order): () => { least: number; most: number } {
    const gone = order.refunds.filter((one) => one.isGone())
    const givenBack = new Set(order.refunds.filter((one) => one.isGivenBack()))
    return () => {
      const possible = order.refunds.filter((one) => one.isPossible() && !givenBack.has(one))
      return {
        least: sumOf(gone, ({ amount }) => amount),
        most: Math.min(
          order.amount!,
          sumOf(possible, ({ amount }) => amount),
        ),
      }
    }
  }

  /** Begins a read of the available balance; the end returns the least and the greatest value possible during the read. */
  lookAtMoney(except?: PayoutOrder): () => { least: number; most: number } {
    const completed = sumOf(
      this.orders().filter(({ progress }) => progress.has('completed')),
      ({ amount }) => amount!,
    )
    const goneForGood = sumOf(
      this.payouts.filter((payout) => payout.progress.has('completed') && !payout.mayComeBack()),
      ({ total }) => total,
    )
    const givenBackBefore = new Set(this.payouts.filter((payout) => payout.isGivenBack()))
    return () => {
      const mayBePaid = this.orders().filter((order) => order.isPossible() && order.payer.pays !== 'never')
      const mayBeTaken = this.payouts.filter((payout) => payout !== except && payout.isPossible() && !givenBackBefore.has(payout))
      return {
        least: Math.max(0, completed - sumOf(mayBeTaken, ({ total }) => total)),
        most: sumOf(mayBePaid, (order) => order.most()) - goneForGood,
      }
    }
  }

  /** Begins a read of all lines of the wallet, newest first. */
  lookAtLines(): (newestFirst: any[]) => void {
    const before = this.lines
    const completedBefore = this.orders().filter(({ progress }) => progress.has('completed'))
    return (newestFirst) => {
      const lines = newestFirst.toReversed()
      // The network's receipt may become known after the credit.
      const known = before.map((line, index) => ({
        ...line,
        network_receipt: line.network_receipt ?? lines[index]?.network_receipt,
      }))
      assert.deepEqual(lines.slice(0, before.length), known, 'an earlier line of the wallet has changed')
      let balance = 0
      for (const line of lines) {
        assert.ok(Number.isSafeInteger(line.amount) && line.amount > 0, `a line of ${line.amount}`)
        balance += line.direction === 'credit' ? line.amount : -line.amount
        assert.equal(line.balance_after, balance, `after line ${line.id}`)
        assert.ok(balance >= 0, 'the wallet was overdrawn')
      }
      const credited = lines.filter(({ type }) => type === 'payment')
      assert.equal(new Set(credited.map(({ reference }) => reference)).size, credited.length, 'a payment was credited twice')
      const byReference = new Map(this.orders().flatMap((order) => (order.id === undefined ? [] : [[order.id, order] as const])))
      for (const line of credited) {
        const order = byReference.get(line.reference)
        // A payment whose answer was lost has no name yet; in the end every payment has one.
        if (!order) continue
        assert.equal(line.amount, order.amount, `payment ${line.reference}`)
        assert.equal(line.direction, 'credit')
        assert.ok(order.payer.pays !== 'never', `the number ${order.payer.suffix} never pays`)
      }
      const references = new Set(credited.map(({ reference }) => reference))
      for (const { id } of completedBefore)
        assert.ok(references.has(id), `payment ${id} was seen completed, and is not in the wallet`)
      for (const id of new Set(lines.flatMap(({ payout_id, refund_id }) => payout_id ?? refund_id ?? [])))
        this.#checkPayout(id, lines)
      if (lines.length > this.lines.length) this.lines = lines
    }
  }

  /** A payout takes its amount and its fee once, and returns all of it at most once. */
  #checkPayout(payoutId: string, lines: any[]): void {
    const payout = this.payouts.find(({ id }) => id === payoutId)
    const sumBy = (direction: string): number =>
      sumOf(
        lines.filter((line) => (line.payout_id ?? line.refund_id) === payoutId && line.direction === direction),
        ({ amount }) => amount,
      )
    const [taken, back] = [sumBy('debit'), sumBy('credit')]
    if (payout) assert.equal(taken, payout.total, `payout ${payoutId} took`)
    assert.ok(back === 0 || back === taken, `payout ${payoutId} took ${taken} and gave ${back} back`)
  }
}

/** The recipient whose network returns the money. */
export const bounces = '+255754000309'
