/**
 * The guard between the core and an adapter: a circuit for each direction, and the budget of calls that the provider allows. Invariant: a
 * call that is held back here was certainly not sent, and its caller learns only that it has to wait.
 */
import type { Direction } from '../../domain/provider.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Budget } from '../../platform/outbound/budget.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { createCircuit, type CircuitHealth, type CircuitSettings, type Judged } from './circuit.ts'
import type { Provider, PushOutcome } from './provider.ts'

export type Guards = {
  guard(provider: Provider, environment: Environment): Provider
  /** The health of every direction of every provider, as this process sees it. */
  health(): CircuitHealth[]
}

export type GuardOptions = {
  settings: CircuitSettings
  /** How long a provider may answer "too many requests" before it gets no new business. */
  patienceMs: number
  /** A clock that is never set. */
  clock: Clock
  log: Log
  random: () => number
  /** The calls that a provider allows; undefined: they are not counted. */
  budgetOf(provider: string, environment: Environment): CountedBudget | undefined
}

export type CountedBudget = { budget: Budget; quota: number }

/**
 * `now`: calls that a person waits for; `can_wait`: queries about open charges, and charges that are sent again; `batch`: payouts of
 * batches, and what is asked about them; `case`: queries about charges whose payers opened a support case; `last`: lists and queries
 * about ended charges.
 */
type Urgency = 'now' | 'can_wait' | 'batch' | 'case' | 'last'

/** The share of the budget that is kept for more urgent calls. */
const keptShare = { now: 0, can_wait: 1 / 3, batch: 1 / 2, case: 1 / 2, last: 1 / 2 }
/** The maximum share of the budget for all calls of an urgency together. */
const maximumShare: Partial<Record<Urgency, number>> = { case: 2 / 5, last: 1 / 5 }

/** A wait that starts this long after the previous one ended counts as a new one. */
const forgottenMs = 60_000

export function createGuards({ settings, patienceMs, clock, log, random, budgetOf }: GuardOptions): Guards {
  const watched: (() => CircuitHealth)[] = []

  /** Spreads the waiting callers, so that they do not all return at the same time. */
  const spread = (ms: number): number => Math.round(ms * (1 + random() / 4))

  function guard(provider: Provider, environment: Environment): Provider {
    const circuitOf = (direction: Direction) =>
      createCircuit({ provider: provider.name, environment, direction, settings, clock, log })
    const circuits = { charges: circuitOf('charges'), payouts: circuitOf('payouts') }
    watched.push(circuits.charges.health, circuits.payouts.health)
    const counted = budgetOf(provider.name, environment)
    /** Since when creates of a direction have had to wait without one success, and until when. */
    const waits = new Map<Direction, { since: number; until: number }>()

    function noteWait(direction: Direction, afterMs: number): void {
      const now = clock.now()
      const before = waits.get(direction)
      const isSame = before !== undefined && now - before.until < forgottenMs
      waits.set(direction, { since: isSame ? before.since : now, until: now + afterMs })
    }

    function remainingPauseMs(direction: Direction): number {
      const wait = waits.get(direction)
      return wait && clock.now() - wait.since >= patienceMs ? Math.max(0, wait.until - clock.now()) : 0
    }

    async function pass<Outcome extends Judged>(
      direction: Direction,
      urgency: Urgency,
      call: () => Promise<Outcome>,
      held: (reason: string, afterMs: number) => Outcome,
      callers?: readonly string[],
    ): Promise<Outcome> {
      const circuit = circuits[direction]
      const waitMs = circuit.waitMs()
      // A budget is not spent on a call that will not be made, and a call that was not made proves nothing about the provider.
      if (waitMs > 0) return held('circuit_open', waitMs)
      if (callers) {
        const spent = await counted?.budget.spendAs(callers)
        if (spent && spent.waitMs > 0) return held(spent.isFlooded ? 'budget_flooded' : 'budget_spent', spent.waitMs)
        return circuit.run(call, (afterMs) => held('circuit_open', afterMs))
      }
      const kept = Math.ceil((counted?.quota ?? 0) * keptShare[urgency])
      const share = maximumShare[urgency]
      const atMost = share === undefined ? undefined : Math.max(1, Math.floor((counted?.quota ?? 0) * share))
      const spentMs = await counted?.budget.spend(kept, atMost, urgency)
      if (spentMs) return held('budget_spent', spentMs)
      return circuit.run(call, (afterMs) => held('circuit_open', afterMs))
    }

    type Later = { kind: 'retry_later'; afterMs: number; isHeld?: true }

    async function create<Outcome extends Judged>(
      direction: Direction,
      call: () => Promise<Outcome | Later>,
      { callers, urgency = 'now' }: { callers?: readonly string[]; urgency?: 'now' | 'can_wait' | 'batch' } = {},
    ): Promise<Outcome | Later> {
      let heldBy: string | undefined
      const holdBack = (reason: string, afterMs: number): Later => {
        heldBy = reason
        return { kind: 'retry_later', afterMs, isHeld: true }
      }
      const outcome = await pass<Outcome | Later>(direction, urgency, call, holdBack, callers)
      if (outcome.kind !== 'retry_later') {
        waits.delete(direction)
        return outcome
      }
      const later = outcome as Later & Judged
      const isTooMuch = heldBy === undefined && later.trouble === undefined
      if (isTooMuch) await counted?.budget.exhaust(later.afterMs)
      // A flood of one caller proves nothing about the others: only a spent budget closes checkouts for all.
      // Nor does a share that is spent on batches: the rest of the budget is for all others.
      if (isTooMuch || (heldBy === 'budget_spent' && urgency === 'now')) noteWait(direction, later.afterMs)
      return { ...later, afterMs: spread(later.afterMs) }
    }

    type NotCalled = { kind: 'indeterminate'; reason: string; afterMs?: number }

    function ask<Outcome extends Judged>(
      direction: Direction,
      urgency: Urgency,
      call: () => Promise<Outcome | NotCalled>,
    ): Promise<Outcome | NotCalled> {
      return pass<Outcome | NotCalled>(direction, urgency, call, (reason, afterMs) => ({
        kind: 'indeterminate',
        reason,
        ...(reason === 'budget_spent' && { afterMs }),
      }))
    }

    return {
      ...provider,
      charge: (request, callers) =>
        create('charges', () => provider.charge(request), callers === 'can_wait' ? { urgency: callers } : callers && { callers }),
      fetchCharge: (key, priority) => ask('charges', priority ?? 'can_wait', () => provider.fetchCharge(key)),
      pushCharge: (key) =>
        pass<PushOutcome>(
          'charges',
          'now',
          () => provider.pushCharge(key),
          (_reason, afterMs) => ({ kind: 'held', afterMs }),
        ),
      listCharges: (page) => ask('charges', 'last', () => provider.listCharges(page)),
      sendPayout: (request, urgency) => create('payouts', () => provider.sendPayout(request), urgency && { urgency }),
      fetchPayout: (key, priority) => ask('payouts', priority ?? 'can_wait', () => provider.fetchPayout(key)),
      listPayouts: (page) => ask('payouts', 'last', () => provider.listPayouts(page)),
      quotePayout: (amount, phoneNumber, priority) =>
        ask('payouts', priority ?? 'now', () => provider.quotePayout(amount, phoneNumber)),
      readBalance: () => ask('payouts', 'last', () => provider.readBalance()),
      pausedForMs: (direction) => Math.max(remainingPauseMs(direction), circuits[direction].pausedForMs()),
      readWebhook(headers, rawBody, nowMs) {
        const message = provider.readWebhook(headers, rawBody, nowMs)
        const isPayout = message.kind === 'payout' || (message.kind === 'doubtful' && message.subject === 'payout')
        if (message.kind !== 'invalid') circuits[isPayout ? 'payouts' : 'charges'].sawWebhook()
        else if (message.matchingForm !== undefined) circuits.charges.sawOtherSignature(message.matchingForm)
        return message
      },
    }
  }

  return { guard, health: () => watched.map((health) => health()) }
}
