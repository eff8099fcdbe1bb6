/** All that may go wrong between a create and its answer, whether the number or the storm wills it. Invariant: a fault strikes either before anything is written or after all of it is, and is on record. */
import type { Pauses } from './pauses.ts'
import type { CreateFault } from './scenarios.ts'
import type { Storm, Struck } from './storm.ts'
import type { Switches } from './switches.ts'
import { ConnectionCut, ProviderRefusal } from './wire.ts'
import type { Answer } from './wire.ts'

/** A create on its way: who it is for, what its number wills, and the how-manieth call with its key this is. */
export type Attempted = { struck: Struck; fault: CreateFault | null; call: number }

type Deps = { pauses: Pauses; storm: Storm; switches: Switches }

export class CreateFaults {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Before anything is written: goes on, or throws what the caller gets instead. */
  async admit({ struck, fault, call }: Attempted): Promise<void> {
    const { pauses, storm, switches } = this.#deps
    if (storm.strikes('createLostBefore', struck, call)) throw new ConnectionCut()
    const wills = (
      kind: 'createPay001' | 'createRateLimited' | 'createUnreachable' | 'createHangs',
      byNumber: boolean,
    ): boolean => {
      if (!byNumber) return storm.strikes(kind, struck, call)
      storm.record(kind, 'number', struck)
      return true
    }
    const refusesOnce = fault === 'pay001-once' && call === 1
    if (wills('createPay001', refusesOnce || fault === 'pay001'))
      throw new ProviderRefusal('notInitiated', 'failed to initiate payment')
    if (wills('createRateLimited', fault === 'rate-limited')) throw new ProviderRefusal('rateLimit', 'Too many requests')
    if (wills('createUnreachable', fault === 'unreachable')) {
      throw new ProviderRefusal('unreachable', 'Provider temporarily unreachable, try again later')
    }
    if (wills('createHangs', fault === 'hang')) await pauses.waitWhile(() => switches.hangMs)
  }

  /** After all is written: the answer as it leaves, or a throw. What the number wills befalls the first answer only; a replay is in order. */
  async deliver(answer: Answer, { struck, fault, call }: Attempted, isReplay: boolean): Promise<Answer> {
    const { pauses, storm } = this.#deps
    const wills = (kind: 'createFailsAfter' | 'createMalformed', byNumber: boolean): boolean => {
      if (!byNumber || isReplay) return storm.strikes(kind, struck, call)
      storm.record(kind, 'number', struck)
      return true
    }
    await pauses.wait(storm.answerDelayMs(struck, call))
    if (storm.strikes('createLostAfter', struck, call)) throw new ConnectionCut()
    if (wills('createFailsAfter', fault === 'fails-after')) throw new ProviderRefusal('internal', 'internal server error')
    if (wills('createMalformed', fault === 'malformed')) {
      return { ...answer, status: 200, body: answer.body.slice(0, answer.body.length / 2) }
    }
    return answer
  }
}
