/**
 * The provider's time: that of the machine, which a run may move forward. Invariant: it never goes back, and is lost with the
 * process.
 */

export class Clock {
  readonly #machine: () => number
  #aheadMs = 0

  constructor(machine: () => number) {
    this.#machine = machine
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => this.#machine() + this.#aheadMs

  /** Moves the time to this moment; returns false, and does nothing, if that would be going back. */
  moveTo(moment: number): boolean {
    const byMs = moment - this.now()
    if (byMs < 0) return false
    this.#aheadMs += byMs
    return true
  }
}
