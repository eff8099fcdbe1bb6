/**
 * What clients saw of one wallet, with the times of one clock, and whether one order of all of it explains every balance that was read.
 * A payment adds its amount at one moment between its request and the first answer that shows it completed; a payout moves its amount and
 * fee to the reserve before its request is accepted, and they leave it, or return, before it is seen ended.
 */
import { checkLinearizable, type Model, type Operation } from '../faults/linearizable.ts'

export type Balance = { available: number; reserved: number }

type Effect = { name: string } & (
  | { kind: 'credit' | 'reserve' | 'leave' | 'return'; amount: number }
  | ({ kind: 'read' } & Balance)
)
/** An operation that a client has begun. */
export type Begun = Operation<Effect>

/** The wallet: the reserve never holds less than what leaves it, and the available money is never less than what is reserved. */
export const walletModel: Model<Balance, Effect> = {
  apply({ available, reserved }, effect) {
    switch (effect.kind) {
      case 'credit':
        return { available: available + effect.amount, reserved }
      case 'reserve':
        return available < effect.amount
          ? undefined
          : { available: available - effect.amount, reserved: reserved + effect.amount }
      case 'leave':
        return reserved < effect.amount ? undefined : { available, reserved: reserved - effect.amount }
      case 'return':
        return reserved < effect.amount ? undefined : { available: available + effect.amount, reserved: reserved - effect.amount }
      case 'read':
        return available === effect.available && reserved === effect.reserved ? { available, reserved } : undefined
    }
  },
  stateKey: ({ available, reserved }) => `${available} ${reserved}`,
  effectKey: (effect) =>
    effect.kind === 'read' ? `read ${effect.available} ${effect.reserved}` : `${effect.kind} ${effect.amount}`,
}

const now = (): number => performance.now()

function show({ effect, invoked, returned }: Begun, since: number): string {
  const at = (ms: number): string => (ms === Number.POSITIVE_INFINITY ? '…' : ((ms - since) / 1_000).toFixed(2))
  const what = effect.kind === 'read' ? `${effect.available}+${effect.reserved}` : String(effect.amount)
  return `${effect.kind} ${effect.name} ${what} [${at(invoked)} to ${at(returned)}]`
}

export class WalletHistory {
  readonly name: string
  #start: Balance
  #operations: Begun[] = []

  /** `start`: the balance while no work is open. */
  constructor(name: string, start: Balance) {
    this.name = name
    this.#start = start
  }

  /** An operation that begins now; its outcome is unknown until `seen`. */
  begin(kind: 'credit' | 'reserve' | 'leave', name: string, amount: number): Begun {
    const begun: Begun = { effect: { kind, name, amount }, invoked: now(), returned: Number.POSITIVE_INFINITY }
    this.#operations.push(begun)
    return begun
  }

  /** It has happened by now. */
  seen(begun: Begun): void {
    begun.returned = Math.min(begun.returned, now())
  }

  /** The money of a payout has returned by now. */
  seenReturned(begun: Begun): void {
    if (begun.effect.kind === 'leave') begun.effect = { ...begun.effect, kind: 'return' }
    this.seen(begun)
  }

  /** Reads through `ask`; an answer without a balance says nothing. */
  async read(name: string, ask: () => Promise<Balance | undefined>): Promise<Balance | undefined> {
    const invoked = now()
    const balance = await ask()
    if (balance) this.#operations.push({ effect: { kind: 'read', name, ...balance }, invoked, returned: now() })
    return balance
  }

  /** What cannot be explained since the last call. `end`: the balance now, while no work is open. */
  check(end: Balance): { findings: string[]; reads: number; steps: number } {
    const operations = this.#operations
    const verdict = checkLinearizable(walletModel, this.#start, operations)
    const findings = verdict.kind === 'linearizable' ? [] : [this.#explain(verdict)]
    this.#start = end
    this.#operations = []
    return { findings, reads: operations.filter(({ effect }) => effect.kind === 'read').length, steps: verdict.steps }
  }

  #explain(verdict: { kind: string; steps: number; unexplained?: Begun }): string {
    const { unexplained, kind, steps } = verdict
    if (!unexplained) return `the history of ${this.name} is ${kind} after ${steps} steps`
    const since = Math.min(...this.#operations.map(({ invoked }) => invoked))
    const around = this.#operations
      .filter(({ invoked, returned }) => invoked <= unexplained.returned + 500 && returned >= unexplained.invoked - 500)
      .toSorted((a, b) => a.invoked - b.invoked)
    const place = around.indexOf(unexplained)
    const shown = around.slice(Math.max(0, place - 8), place + 5).map((one) => show(one, since))
    return `the history of ${this.name} is ${kind}: nothing explains ${show(unexplained, since)}; around it: ${shown.join(', ')}`
  }
}
