/**
 * Waits inside a request. Invariant: no wait outlives the program; an interrupted wait cuts its connection, so that nothing is
 * written after the books are closed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectionCut } from './wire.ts'

export class Pauses {
  readonly #closing = new AbortController()

  async wait(ms: number): Promise<void> {
    if (ms <= 0) return
    try {
      await sleep(ms, undefined, { signal: this.#closing.signal })
    } catch {
      throw new ConnectionCut()
    }
  }

  /** Waits until `ms`, read again all the time, is over: lowering it ends the wait. */
  async waitWhile(ms: () => number): Promise<void> {
    const startedAt = performance.now()
    for (let left = ms(); left > 0; left = ms() - (performance.now() - startedAt)) await this.wait(Math.min(left, 10))
  }

  close(): void {
    this.#closing.abort()
  }
}
