/**
 * Every move of a payout. Invariant: the account is debited at the create, credited in full at `failed` or `reversed`, and debited
 * again at a `completed` after them.
 */
import type { Task } from './books.sql.ts'
import { callersKeyOf, flawKinds, ImpossibleMove, struckOf, type BooksDeps } from './charges.ts'
import type { AccountName } from './config.ts'
import { payoutFee } from './fees.ts'
import { nextPayoutStatus, wasReturned, type Payout, type PayoutStatus } from './payout.ts'
import { networkOf, suffixOf } from './phones.ts'
import { failureWords, ordinaryPayout, payoutScenarios, type PayoutScenario } from './scenarios.ts'
import { ProviderRefusal } from './wire.ts'

export type PayoutOrder = {
  amount: number
  phone: string
  recipientName: string
  narration: string | null
  webhookUrl: string | null
  metadata: Record<string, unknown>
  orderReference?: string
}

export class Payouts {
  readonly #deps: BooksDeps

  constructor(deps: BooksDeps) {
    this.#deps = deps
    deps.agenda.on('payout-step', (task) => this.#playStep(task))
  }

  /** Debits the account and writes a pending payout. Refuses when amount and fee exceed the balance. Runs inside the caller's transaction. */
  send(account: AccountName, order: PayoutOrder, idempotencyKey: string | null): Payout {
    const { books, numbering, now } = this.#deps
    const fees = payoutFee()
    const required = order.amount + fees
    const { balance } = books.account(account)
    const scenario = payoutScenarioOf(order.phone)
    if (scenario.insufficientBalance || balance < required) {
      const available = scenario.insufficientBalance ? Math.min(balance, required - 1) : balance
      throw new ProviderRefusal('insufficientBalance', `insufficient balance: available ${available}, required ${required}`)
    }
    const at = now()
    const payout: Payout = {
      reference: numbering.reference('payout'),
      externalReference: numbering.externalReference(),
      account,
      idempotencyKey,
      orderReference: order.orderReference ?? null,
      callersKey: callersKeyOf(order, idempotencyKey),
      phone: order.phone,
      network: networkOf(order.phone),
      recipientName: order.recipientName,
      narration: order.narration,
      amount: order.amount,
      fees,
      webhookUrl: order.webhookUrl,
      metadata: order.metadata,
      status: 'pending',
      failureReason: null,
      createCalls: 1,
      createdAt: at,
      completedAt: null,
      failedAt: null,
      reversedAt: null,
      history: [{ at, what: 'created' }],
    }
    books.addToBalance(account, -required)
    books.payouts.add(payout)
    this.#announce(payout, at)
    if (scenario.steps.length > 0) this.#planStep(payout.reference, 0)
    return payout
  }

  get(reference: string): Payout {
    const payout = this.#deps.books.payouts.get(reference)
    if (!payout) throw new Error(`No payout ${reference} in the books`)
    return payout
  }

  countCreateCall(reference: string): void {
    const { books } = this.#deps
    books.tx(() => {
      const payout = this.get(reference)
      books.payouts.save({ ...payout, createCalls: payout.createCalls + 1 })
    })
  }

  /** Moves a payout to another status, with its money and its event. Throws `ImpossibleMove` when the rules have no such move. */
  move(reference: string, to: PayoutStatus, reason?: string): Payout {
    const { books, now } = this.#deps
    return books.tx(() => {
      const payout = this.get(reference)
      if (!nextPayoutStatus[payout.status].includes(to)) throw new ImpossibleMove(`a ${payout.status} payout cannot become ${to}`)
      const at = now()
      if (wasReturned(payout)) books.addToBalance(payout.account, -(payout.amount + payout.fees))
      payout.status = to
      if (to === 'completed') payout.completedAt = at
      if (to === 'failed') {
        payout.failedAt = at
        payout.failureReason = reason ?? failureWords.unspecified
      }
      if (to === 'reversed') payout.reversedAt = at
      if (wasReturned(payout)) books.addToBalance(payout.account, payout.amount + payout.fees)
      payout.history.push(reason === undefined ? { at, what: to } : { at, what: to, detail: reason })
      books.payouts.save(payout)
      this.#announce(payout, at)
      return payout
    })
  }

  #announce(payout: Payout, at: number): void {
    const { numbering, storm, formatOf, webhooks } = this.#deps
    const { status } = payout
    const format = formatOf(payout.account)
    const truth = { eventId: '', status, at, amount: payout.amount, failureReason: payout.failureReason }
    if (format.payoutEvent(payout, truth, null) === null) return
    const { copies, flaw } = payoutScenarioOf(payout.phone)
    const struck = struckOf(payout)
    const fate = payout.webhookUrl !== null && copies > 0 ? storm.webhookFate(struck, status, payout.amount) : null
    if (flaw !== null) storm.record(flawKinds[flaw], 'number', struck, status)
    const publish = (count: number): void => {
      const eventId = numbering.eventId()
      const wrong = flaw ?? fate?.flaw ?? null
      const content = format.payoutEvent(payout, { ...truth, eventId, amount: payout.amount + (fate?.amountOff ?? 0) }, wrong)
      if (content === null) return
      const about = {
        eventId,
        reference: payout.reference,
        account: payout.account,
        ...content,
        status,
        url: payout.webhookUrl,
        createdAt: at,
        flaw: wrong,
      }
      webhooks.publish(about, count, fate?.delayMs ?? 0)
    }
    publish(fate?.isLost ? 0 : copies + (fate?.extraCopies ?? 0))
    if (fate?.isSentTwice) publish(1)
  }

  #planStep(reference: string, index: number): void {
    const { agenda, now, switches } = this.#deps
    agenda.put(`step:${reference}`, 'payout-step', now() + switches.delayMs, { reference, index })
  }

  #playStep(task: Task): void {
    const { reference, index } = JSON.parse(task.payload) as { reference: string; index: number }
    this.#deps.books.tx(() => {
      this.#deps.agenda.drop(task.key)
      const payout = this.get(reference)
      const { steps } = payoutScenarioOf(payout.phone)
      const step = steps[index]
      // A test may have decided this payout by hand before its number's scenario did.
      if (!step || !nextPayoutStatus[payout.status].includes(step.to)) return
      this.move(reference, step.to, step.reason)
      if (index + 1 < steps.length) this.#planStep(reference, index + 1)
    })
  }
}

export function payoutScenarioOf(phone: string): PayoutScenario {
  return payoutScenarios[suffixOf(phone)] ?? ordinaryPayout
}
