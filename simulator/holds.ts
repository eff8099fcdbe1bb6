/**
 * Gates that a crash test closes and opens. Invariant: a record that waits at a gate is already in the books, so killing either
 * side there loses nothing.
 */
export type GateName = 'create' | 'webhooks'

type Gate = { held: boolean; waiting: Set<() => void> }

export class Holds {
  readonly #gates: Record<GateName, Gate> = {
    create: { held: false, waiting: new Set() },
    webhooks: { held: false, waiting: new Set() },
  }

  hold(name: GateName): void {
    this.#gates[name].held = true
  }

  /** Opens the gate; all waiters continue. */
  release(name: GateName): void {
    const gate = this.#gates[name]
    gate.held = false
    const waiting = [...gate.waiting]
    gate.waiting.clear()
    for (const goOn of waiting) goOn()
  }

  /** Returns at once, or when the gate opens. */
  async pass(name: GateName): Promise<void> {
    const gate = this.#gates[name]
    if (!gate.held) return
    await new Promise<void>((resolve) => gate.waiting.add(resolve))
  }

  /** Whether each gate is closed and how many wait at it; a test polls this before it kills. */
  view(): Record<GateName, { held: boolean; waiting: number }> {
    const { create, webhooks } = this.#gates
    return {
      create: { held: create.held, waiting: create.waiting.size },
      webhooks: { held: webhooks.held, waiting: webhooks.waiting.size },
    }
  }
}
