/** Waiting inside a request. Invariant: no wait outlives the program; one that is cut short cuts its connection, so that nothing is written after the books are closed. */
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

  close(): void {
    this.#closing.abort()
  }
}
