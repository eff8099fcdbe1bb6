/** Every move of a charge. Invariant: status, money on the account, history and event change in one transaction, and only along `nextChargeStatus`. */
import type { Agenda } from './agenda.ts'
import type { Books, Task } from './books.sql.ts'
import { nextChargeStatus, openPrompt } from './charge.ts'
import type { Charge, ChargeStatus, Prompt } from './charge.ts'
import type { AccountName } from './config.ts'
import { collectionFee } from './fees.ts'
import type { Numbering } from './numbering.ts'
import { networkOf, suffixOf } from './phones.ts'
import { chargeScenarios, failureWords } from './scenarios.ts'
import type { ChargeScenario, ChargeStep } from './scenarios.ts'
import type { Switches } from './switches.ts'
import { chargeEventBody } from './webhook-event.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { Webhooks } from './webhooks.ts'

export type ChargeOrder = {
  amount: number
  phone: string
  customer: Charge['customer']
  webhookUrl: string | null
  metadata: Record<string, unknown>
}

/** What a person does at the phone, or a test in their place. */
export type PhoneAnswer = { action: 'pin'; pin: string } | { action: 'cancel' } | { action: 'timeout' }

/** A move that the state of the charge does not allow. */
export class ImpossibleMove extends Error {}

type Deps = { books: Books; agenda: Agenda; switches: Switches; webhooks: Webhooks; numbering: Numbering; now: () => number }

const wrongPinsAllowed = 3

export class Charges {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
    deps.agenda.on('charge-step', (task) => this.#playStep(task))
    deps.agenda.on('charge-expiry', (task) => this.#expire(task))
  }

  /** Writes a new pending charge and prompts the phone. Runs inside the caller's transaction. */
  open(account: AccountName, order: ChargeOrder, idempotencyKey: string | null): Charge {
    const { agenda, books, numbering, now, switches } = this.#deps
    const at = now()
    const charge: Charge = {
      reference: numbering.reference('charge'),
      externalReference: numbering.externalReference(),
      account,
      idempotencyKey,
      phone: order.phone,
      promptPhone: order.phone,
      network: networkOf(order.phone),
      amount: order.amount,
      fees: collectionFee(order.amount),
      customer: order.customer,
      webhookUrl: order.webhookUrl,
      metadata: order.metadata,
      status: 'pending',
      moneyMoved: false,
      failureReason: null,
      wrongPins: 0,
      prompts: [],
      createCalls: 1,
      createdAt: at,
      expiresAt: at + switches.chargeLifetimeMs,
      completedAt: null,
      failedAt: null,
      history: [{ at, what: 'created' }],
    }
    this.#prompt(charge, order.phone)
    books.saveCharge(charge)
    agenda.put(`expiry:${charge.reference}`, 'charge-expiry', charge.expiresAt, { reference: charge.reference })
    const scenario = scenarioOf(charge)
    if (scenario && scenario.steps.length > 0 && scenario.answer === 'at-once') this.#planStep(charge.reference, 0)
    return charge
  }

  /** Plays what this number does before its create is answered; most do nothing. */
  async playBeforeAnswer(reference: string): Promise<void> {
    const charge = this.get(reference)
    if (scenarioOf(charge)?.answer !== 'after-first-step') return
    const event = this.#deps.books.tx(() => this.#step(reference, 0))
    if (event?.state === 'pending') await this.#deps.webhooks.sendFirstNow(event.eventId)
  }

  get(reference: string): Charge {
    const charge = this.#deps.books.charge(reference)
    if (!charge) throw new Error(`No charge ${reference} in the books`)
    return charge
  }

  countCreateCall(reference: string): void {
    this.#change(reference, (charge) => {
      charge.createCalls++
    })
  }

  /** Sends the prompt again, to this phone or another; the charge must be pending. */
  push(reference: string, phone: string | null): Charge {
    return this.#change(reference, (charge) => {
      if (charge.status !== 'pending') throw new ImpossibleMove('payment is not pending')
      this.#prompt(charge, phone ?? charge.promptPhone)
    })
  }

  /** What the person at the phone did with the open prompt. Any four digits are right, except 0000. */
  answer(reference: string, answer: PhoneAnswer): Charge {
    const { books, now } = this.#deps
    return books.tx(() => {
      const charge = this.get(reference)
      const prompt = openPrompt(charge, now())
      if (!prompt) throw new ImpossibleMove(`no prompt of this charge is open; the charge is ${charge.status}`)
      switch (answer.action) {
        case 'timeout':
          this.#close(prompt, 'dismissed')
          return this.#noted(charge, 'prompt dismissed')
        case 'cancel':
          this.#close(prompt, 'cancelled')
          this.#noted(charge, 'cancelled on the phone')
          return this.move(reference, 'failed', { reason: failureWords.cancelled })
        case 'pin':
          return this.#enterPin(charge, prompt, answer.pin)
      }
    })
  }

  /** Brings a charge to another status, with everything that belongs to it. Throws `ImpossibleMove` when the rules have no such move. */
  move(reference: string, to: ChargeStatus, how: { reason?: string; copies?: number } = {}): Charge {
    this.#moved(reference, to, how)
    return this.get(reference)
  }

  /** An event about a charge, new or in contradiction to the books; for scenarios and tests. */
  announce(
    reference: string,
    status: ChargeStatus,
    how: { reason?: string | null; copies?: number; at?: number } = {},
  ): WebhookEvent {
    const { books, numbering, now, webhooks } = this.#deps
    return books.tx(() => {
      const charge = this.get(reference)
      const at = how.at ?? now()
      const eventId = numbering.eventId()
      const body = chargeEventBody(charge, eventId, status, at, how.reason ?? charge.failureReason)
      const about = {
        eventId,
        reference,
        account: charge.account,
        type: `payment.${status}`,
        url: charge.webhookUrl,
        body,
        createdAt: at,
      }
      return webhooks.publish(about, scenarioOf(charge)?.silent ? 0 : (how.copies ?? 1))
    })
  }

  #moved(reference: string, to: ChargeStatus, how: { reason?: string; copies?: number }): WebhookEvent {
    const { agenda, books, now } = this.#deps
    return books.tx(() => {
      const charge = this.get(reference)
      if (!nextChargeStatus[charge.status].includes(to)) throw new ImpossibleMove(`a ${charge.status} charge cannot become ${to}`)
      const at = now()
      const prompt = openPrompt(charge, at)
      if (prompt) this.#close(prompt, 'ended')
      charge.status = to
      if (to === 'completed') {
        charge.completedAt = at
        charge.moneyMoved = true
        charge.failureReason = null
        books.addToBalance(charge.account, charge.amount - charge.fees)
      } else if (to === 'failed') {
        charge.failedAt = at
        charge.failureReason = how.reason ?? failureWords.unspecified
      }
      this.#noted(charge, to, how.reason)
      agenda.drop(`expiry:${reference}`)
      return this.announce(reference, to, { copies: how.copies, at })
    })
  }

  #enterPin(charge: Charge, prompt: Prompt, pin: string): Charge {
    if (!/^\d{4}$/.test(pin) || pin === '0000') {
      charge.wrongPins++
      this.#noted(charge, 'wrong PIN', `${charge.wrongPins} of ${wrongPinsAllowed}`)
      if (charge.wrongPins < wrongPinsAllowed) return charge
      this.#close(prompt, 'wrong_pin')
      this.#deps.books.saveCharge(charge)
      return this.move(charge.reference, 'failed', { reason: failureWords.wrongPin })
    }
    this.#close(prompt, 'confirmed')
    this.#noted(charge, 'PIN entered')
    return this.move(charge.reference, 'completed')
  }

  #prompt(charge: Charge, phone: string): void {
    const at = this.#deps.now()
    const before = openPrompt(charge, at)
    if (before) this.#close(before, 'replaced')
    charge.promptPhone = phone
    charge.prompts.push({ phone, openedAt: at, closesAt: at + this.#deps.switches.promptMs, closedAt: null, outcome: null })
    charge.history.push({ at, what: 'prompted', detail: phone })
  }

  #close(prompt: Prompt, outcome: Prompt['outcome']): void {
    prompt.closedAt = this.#deps.now()
    prompt.outcome = outcome
  }

  #noted(charge: Charge, what: string, detail?: string): Charge {
    charge.history.push(detail === undefined ? { at: this.#deps.now(), what } : { at: this.#deps.now(), what, detail })
    this.#deps.books.saveCharge(charge)
    return charge
  }

  #change(reference: string, change: (charge: Charge) => void): Charge {
    return this.#deps.books.tx(() => {
      const charge = this.get(reference)
      change(charge)
      this.#deps.books.saveCharge(charge)
      return charge
    })
  }

  #planStep(reference: string, index: number): void {
    const { agenda, now, switches } = this.#deps
    agenda.put(`step:${reference}`, 'charge-step', now() + switches.delayMs, { reference, index })
  }

  #playStep(task: Task): void {
    const { reference, index } = JSON.parse(task.payload) as { reference: string; index: number }
    this.#deps.books.tx(() => this.#step(reference, index))
  }

  /** Plays one step and plans the next; the task of this step is gone with the same transaction. */
  #step(reference: string, index: number): WebhookEvent | null {
    this.#deps.agenda.drop(`step:${reference}`)
    const steps = scenarioOf(this.get(reference))?.steps ?? []
    const step = steps[index]
    if (!step) return null
    const event = this.#played(reference, step)
    if (index + 1 < steps.length) this.#planStep(reference, index + 1)
    return event
  }

  #played(reference: string, step: ChargeStep): WebhookEvent | null {
    const charge = this.get(reference)
    switch (step.kind) {
      case 'move':
        // A test may have decided this charge by hand before its number did.
        if (!nextChargeStatus[charge.status].includes(step.to)) return null
        return this.#moved(reference, step.to, step)
      case 'stale-event':
        this.#noted(charge, `stale ${step.status} event sent`)
        return this.announce(reference, step.status, { reason: step.reason, at: charge.createdAt })
    }
  }

  #expire(task: Task): void {
    const { reference } = JSON.parse(task.payload) as { reference: string }
    this.#deps.books.tx(() => {
      this.#deps.agenda.drop(task.key)
      if (this.get(reference).status === 'pending') this.move(reference, 'expired')
    })
  }
}

/** The row of the table that this charge's own number chose, whatever phone was prompted later. */
export function scenarioOf(charge: Charge): ChargeScenario | null {
  return chargeScenarios[suffixOf(charge.phone)] ?? null
}
