/**
 * All faults between a create and its answer, whether from the number or from the storm. Invariant: a fault occurs either before
 * anything is written or after all of it is, and is recorded.
 */
import { callersKeyOf } from './charges.ts'
import type { AccountName } from './config.ts'
import type { Create } from './idempotency.ts'
import type { Pauses } from './pauses.ts'
import type { CreateFault } from './scenarios.ts'
import type { Storm, Struck } from './storm.ts'
import type { Switches } from './switches.ts'
import { ConnectionCut, ProviderRefusal, type Answer } from './wire.ts'

/** A create in progress: its target, the fault of its number, and the count of calls with its key including this one. */
export type Attempted = { struck: Struck; fault: CreateFault | null; call: number }

type Deps = { pauses: Pauses; storm: Storm; switches: Switches }

/** The faults of one create of Snippe's routes, as `Idempotency.once` asks for them. */
export function faultsOfCreate<Order extends { metadata: Record<string, unknown>; phone: string; amount: number }>(
  createFaults: CreateFaults,
  { account, idempotencyKey }: { account: AccountName; idempotencyKey: string | null },
  readOrder: () => Order,
  faultOf: (phone: string) => CreateFault | null,
): Pick<Create, 'admit' | 'deliver'> {
  const attempted = (call: number, reference: string | null): Attempted => {
    const order = readOrder()
    return { struck: { account, key: callersKeyOf(order, idempotencyKey), reference }, fault: faultOf(order.phone), call }
  }
  return {
    admit: async (call) => await createFaults.admit(attempted(call, null)),
    deliver: async ({ reference, answer }, call, isReplay) =>
      await createFaults.deliver(answer, attempted(call, reference), isReplay),
  }
}

export class CreateFaults {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A refusal of an order that is in the books since its first call. */
  #refuse(call: number): void {
    const { refusedAlthoughBooked: refused } = this.#deps.switches
    if (refused && (refused.call === 'first') === (call === 1)) throw new ProviderRefusal('validation', refused.text)
  }

  /** Before anything is written: continues, or throws the caller's answer. */
  async admit({ struck, fault, call }: Attempted): Promise<void> {
    const { pauses, storm, switches } = this.#deps
    if (call > 1) this.#refuse(call)
    if (storm.strikes('createLostBefore', struck, call)) throw new ConnectionCut()
    const strikes = (
      kind: 'createPay001' | 'createRateLimited' | 'createUnreachable' | 'createHangs',
      byNumber: boolean,
    ): boolean => {
      if (!byNumber) return storm.strikes(kind, struck, call)
      storm.record(kind, 'number', struck)
      return true
    }
    const refusesOnce = fault === 'pay001-once' && call === 1
    if (strikes('createPay001', refusesOnce || fault === 'pay001'))
      throw new ProviderRefusal('notInitiated', 'failed to initiate payment')
    if (strikes('createRateLimited', fault === 'rate-limited')) throw new ProviderRefusal('rateLimit', 'Too many requests')
    if (strikes('createUnreachable', fault === 'unreachable')) {
      throw new ProviderRefusal('unreachable', 'Provider temporarily unreachable, try again later')
    }
    if (strikes('createHangs', fault === 'hang')) await pauses.waitWhile(() => switches.hangMs)
  }

  /**
   * After all is written: returns the answer to send, or throws. The number's fault affects the first answer only; a replay is
   * correct.
   */
  async deliver(answer: Answer, { struck, fault, call }: Attempted, isReplay: boolean): Promise<Answer> {
    const { pauses, storm } = this.#deps
    const strikes = (kind: 'createFailsAfter' | 'createMalformed', byNumber: boolean): boolean => {
      if (!byNumber || isReplay) return storm.strikes(kind, struck, call)
      storm.record(kind, 'number', struck)
      return true
    }
    await pauses.wait(storm.answerDelayMs(struck, call))
    this.#refuse(call)
    if (storm.strikes('createLostAfter', struck, call)) throw new ConnectionCut()
    if (strikes('createFailsAfter', fault === 'fails-after')) throw new ProviderRefusal('internal', 'internal server error')
    if (strikes('createMalformed', fault === 'malformed')) {
      return { ...answer, status: 200, body: answer.body.slice(0, answer.body.length / 2) }
    }
    return answer
  }
}
