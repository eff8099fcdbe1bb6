/**
 * Every move of a charge. Invariant: status, money on the account, history and event change in one transaction, and only along
 * `nextChargeStatus`.
 */
import type { Agenda } from './agenda.ts'
import type { Books, Task } from './books.sql.ts'
import { nextChargeStatus, openPrompt, type Charge, type ChargeStatus, type Prompt } from './charge.ts'
import type { AccountName } from './config.ts'
import { collectionFee } from './fees.ts'
import type { Numbering } from './numbering.ts'
import { networkOf, suffixOf } from './phones.ts'
import { chargeScenarios, failureWords, type ChargeScenario, type ChargeStep } from './scenarios.ts'
import type { Storm, Struck } from './storm.ts'
import type { Switches } from './switches.ts'
import type { EventFormatOf } from './event-formats.ts'
import type { WebhookEvent } from './webhook-event.ts'
import type { Webhooks } from './webhooks.ts'

export type ChargeOrder = {
  amount: number
  phone: string
  customer: Charge['customer']
  webhookUrl: string | null
  metadata: Record<string, unknown>
  orderReference?: string
}

/** The action of a person at the phone, or of a test in their place. */
export type PhoneAnswer = { action: 'pin'; pin: string } | { action: 'cancel' | 'timeout' | 'insufficient' }

/** A move that the state of the charge does not allow. */
export class ImpossibleMove extends Error {}

/** What moves charges and payouts. */
export type BooksDeps = {
  books: Books
  agenda: Agenda
  switches: Switches
  storm: Storm
  webhooks: Webhooks
  numbering: Numbering
  formatOf: EventFormatOf
  now: () => number
}

type Move = { reason?: string; copies?: number; amountOff?: number }

/** How an event is sent. `byStorm`: the storm may add faults to it. */
type Announcement = {
  reason?: string | null
  copies?: number
  at?: number
  amount?: number
  fee?: number
  delayMs?: number
  byStorm?: boolean
}

export const wrongPinsAllowed = 3

export class Charges {
  readonly #deps: BooksDeps

  constructor(deps: BooksDeps) {
    this.#deps = deps
    deps.agenda.on('charge-step', (task) => this.#playStep(task))
    deps.agenda.on('charge-expiry', (task) => this.#expire(task))
  }

  /** Writes a new pending charge and prompts the phone. Runs inside the caller's transaction. */
  open(account: AccountName, order: ChargeOrder, idempotencyKey: string | null): Charge {
    const { agenda, books } = this.#deps
    const charge = this.compose(account, order, idempotencyKey)
    this.#prompt(charge, order.phone)
    books.charges.add(charge)
    agenda.put(`expiry:${charge.reference}`, 'charge-expiry', charge.expiresAt, { reference: charge.reference })
    const scenario = scenarioOf(charge)
    const startsNow = scenario?.answer === 'at-once' && scenario.starts === 'at-create'
    if (startsNow && scenario.steps.length > 0) this.#planStep(charge.reference, 0)
    return charge
  }

  /** A new pending charge that is not in the books yet. */
  compose(account: AccountName, order: ChargeOrder, idempotencyKey: string | null): Charge {
    const { numbering, now, switches } = this.#deps
    const at = now()
    return {
      reference: numbering.reference('charge'),
      externalReference: numbering.externalReference(),
      account,
      idempotencyKey,
      orderReference: order.orderReference ?? null,
      callersKey: callersKeyOf(order, idempotencyKey),
      phone: order.phone,
      promptPhone: order.phone,
      network: networkOf(order.phone),
      amount: order.amount,
      orderedAmount: order.amount,
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
  }

  /** Runs the steps of this number that come before its create is answered; most numbers have none. */
  async playBeforeAnswer(reference: string): Promise<void> {
    const charge = this.get(reference)
    if (scenarioOf(charge)?.answer !== 'after-first-step') return
    const event = this.#deps.books.tx(() => this.#step(reference, 0))
    if (event?.state === 'pending') await this.#deps.webhooks.sendFirstNow(event.eventId)
  }

  get(reference: string): Charge {
    const charge = this.#deps.books.charges.get(reference)
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

  /** Applies the person's action to the open prompt. Any four digits are right, except 0000. */
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
        case 'insufficient':
          this.#close(prompt, 'insufficient')
          this.#noted(charge, 'right PIN, too little in the wallet')
          return this.move(reference, 'failed', { reason: failureWords.insufficientFunds })
        case 'pin':
          return this.#enterPin(charge, prompt, answer.pin)
      }
    })
  }

  /** Moves a charge to another status, with all related changes. Throws `ImpossibleMove` when the rules have no such move. */
  move(reference: string, to: ChargeStatus, how: Move = {}): Charge {
    this.#moved(reference, to, how)
    return this.get(reference)
  }

  /** An event about a charge, new or contradicting the books; for scenarios, the storm and tests. */
  announce(reference: string, status: ChargeStatus, how: Announcement = {}): WebhookEvent {
    const { books, numbering, now, storm, formatOf, webhooks } = this.#deps
    return books.tx(() => {
      const charge = this.get(reference)
      const scenario = scenarioOf(charge)
      const at = how.at ?? now()
      const truly = how.amount ?? charge.amount
      const copies = scenario?.silent ? 0 : (how.copies ?? 1)
      const struck = struckOf(charge)
      const mayStrike = how.byStorm === true && copies > 0 && charge.webhookUrl !== null
      const fate = mayStrike ? storm.webhookFate(struck, status, truly) : null
      const flaw = scenario?.flaw ?? fate?.flaw ?? null
      if (scenario?.flaw) storm.record(flawKinds[scenario.flaw], 'number', struck, status)
      const publish = (count: number): WebhookEvent => {
        const eventId = numbering.eventId()
        const amount = truly + (fate?.amountOff ?? 0)
        const news = { eventId, status, at, amount, failureReason: how.reason ?? charge.failureReason }
        const content = formatOf(charge.account).chargeEvent({ ...charge, fees: how.fee ?? charge.fees }, news, flaw)
        const about = {
          eventId,
          reference,
          account: charge.account,
          type: content?.type ?? status,
          body: content?.body ?? '',
          status,
          url: content === null ? null : charge.webhookUrl,
          createdAt: at,
          flaw,
        }
        return webhooks.publish(about, count, (how.delayMs ?? 0) + (fate?.delayMs ?? 0))
      }
      const event = publish(fate?.isLost ? 0 : copies + (fate?.extraCopies ?? 0))
      if (fate?.isSentTwice) publish(1)
      return event
    })
  }

  #moved(reference: string, to: ChargeStatus, how: Move): WebhookEvent {
    const { agenda, books, now } = this.#deps
    return books.tx(() => {
      const charge = this.get(reference)
      if (!nextChargeStatus[charge.status].includes(to)) throw new ImpossibleMove(`a ${charge.status} charge cannot become ${to}`)
      const at = now()
      const prompt = openPrompt(charge, at)
      if (prompt) this.#close(prompt, 'ended')
      charge.status = to
      if (to === 'completed') {
        charge.amount += how.amountOff ?? 0
        charge.fees = collectionFee(charge.amount)
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
      return this.#announceStatus(charge, at, how.copies)
    })
  }

  /** Reports the new status, with the false events that the storm adds. */
  #announceStatus(charge: Charge, at: number, copies: number | undefined): WebhookEvent {
    const { storm, switches } = this.#deps
    const { reference, status } = charge
    const isSent = charge.webhookUrl !== null && copies !== 0 && scenarioOf(charge)?.silent !== true
    if (status !== 'completed' || !isSent) return this.announce(reference, status, { copies, at, byStorm: true })
    const struck = struckOf(charge)
    const untrue = { reason: failureWords.unspecified, at: charge.createdAt }
    const isFailureFirst = storm.strikes('webhookFailureFirst', struck, 'completed')
    if (isFailureFirst) this.announce(reference, 'failed', { ...untrue, at })
    const delayMs = isFailureFirst ? switches.delayMs + storm.webhookDelayMs(struck, 'failure-first') : 0
    const event = this.announce(reference, status, { copies, at, byStorm: true, delayMs })
    if (storm.strikes('webhookStaleFailure', struck, 'completed')) {
      const after = delayMs + switches.delayMs + storm.webhookDelayMs(struck, 'stale-failure')
      this.announce(reference, 'failed', { ...untrue, delayMs: after })
    }
    return event
  }

  #enterPin(charge: Charge, prompt: Prompt, pin: string): Charge {
    if (!/^\d{4}$/.test(pin) || pin === '0000') {
      charge.wrongPins++
      this.#noted(charge, 'wrong PIN', `${charge.wrongPins} of ${wrongPinsAllowed}`)
      if (charge.wrongPins < wrongPinsAllowed) return charge
      this.#close(prompt, 'wrong_pin')
      this.#deps.books.charges.save(charge)
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
    this.#deps.books.charges.save(charge)
    return charge
  }

  #change(reference: string, change: (charge: Charge) => void): Charge {
    return this.#deps.books.tx(() => {
      const charge = this.get(reference)
      change(charge)
      this.#deps.books.charges.save(charge)
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

  /** Runs one step and plans the next; the same transaction removes the task of this step. */
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
        // A test may have decided this charge by hand before its number's scenario did.
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
      const charge = this.get(reference)
      if (charge.status !== 'pending') return
      if (this.#deps.switches.expiry === 'on-time') this.move(reference, 'expired')
      if (scenarioOf(charge)?.starts === 'at-expiry') this.#planStep(reference, 0)
    })
  }
}

/** The row of the table that this charge's own number chose, whatever phone was prompted later. */
export function scenarioOf(charge: Charge): ChargeScenario | null {
  return chargeScenarios[suffixOf(charge.phone)] ?? null
}

export const struckOf = ({
  account,
  callersKey: key,
  reference,
}: Pick<Charge, 'account' | 'callersKey' | 'reference'>): Struck => ({
  account,
  key,
  reference,
})

/** A caller without an idempotency key is identified by the first word of its metadata, which contains its own reference. */
export function callersKeyOf(
  order: { metadata: Record<string, unknown>; phone: string; amount: number },
  key: string | null,
): string {
  const [named] = Object.values(order.metadata)
  return key ?? (typeof named === 'string' ? named : `${order.phone} ${order.amount}`)
}

export const flawKinds = { 'bad-signature': 'webhookBadSignature', 'old-timestamp': 'webhookOldTimestamp' } as const
