/** The `Idempotency-Key` rules of creates. Invariant: within 24 hours one key of one account and route makes at most one thing, and the same body gets the same answer. */
import { createHash } from 'node:crypto'
import type { Books } from './books.sql.ts'
import type { AccountName } from './config.ts'
import type { Switches } from './switches.ts'
import { ProviderRefusal, refused } from './wire.ts'
import type { Answer } from './wire.ts'

export type Made = { reference: string; answer: Answer }

/** The three parts of a create, in order: `make` inside one transaction, `settle` between the commit and the answer, `recall` for each later call with its key. */
type Create = { make: () => Made; settle: (reference: string) => Promise<void>; recall: (reference: string) => void }

type Deps = { books: Books; switches: Switches; now: () => number }

const longestKeyBytes = 30
const keptMs = 24 * 60 * 60 * 1000

export class Idempotency {
  readonly #deps: Deps
  readonly #unanswered = new Map<string, Promise<void>>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Does a create once per key; a call without a key is done every time. `body` is compared byte by byte. */
  async once(account: AccountName, route: string, key: string | null, body: Buffer, create: Create): Promise<Answer> {
    const { books, now, switches } = this.#deps
    if (key === null) {
      const { reference, answer } = books.tx(create.make)
      await create.settle(reference)
      return answer
    }
    // The provider answers an over-long key with its general code, not with a clear error.
    if (Buffer.byteLength(key) > longestKeyBytes) throw new ProviderRefusal('notInitiated', 'failed to initiate payment')
    const bodyHash = createHash('sha256').update(body).digest('hex')
    const stored = books.answer(account, route, key, now() - keptMs)
    if (stored) {
      if (stored.bodyHash !== bodyHash) {
        throw new ProviderRefusal('keyReused', 'idempotency key already used with different request body')
      }
      if (stored.reference !== null) create.recall(stored.reference)
      await this.#afterFirst(`${account} ${route} ${key}`)
      return { status: stored.reference === null ? stored.status : switches.replayStatus, body: stored.body }
    }
    return await this.#first(account, route, key, bodyHash, create)
  }

  async #first(account: AccountName, route: string, key: string, bodyHash: string, create: Create): Promise<Answer> {
    const { books, now, switches } = this.#deps
    const name = `${account} ${route} ${key}`
    try {
      const { reference, answer } = books.tx(() => {
        const made = create.make()
        books.saveAnswer(account, route, key, { bodyHash, reference: made.reference, ...made.answer }, now())
        return made
      })
      const settled = create.settle(reference)
      this.#unanswered.set(name, settled)
      await settled
      return answer
    } catch (error) {
      if (switches.cacheErrors && error instanceof ProviderRefusal) {
        books.saveAnswer(account, route, key, { bodyHash, reference: null, ...refused(error, switches) }, now())
      }
      throw error
    } finally {
      this.#unanswered.delete(name)
    }
  }

  /** While the first call of a key has no answer yet, a second is told so or waits for it. */
  async #afterFirst(name: string): Promise<void> {
    const first = this.#unanswered.get(name)
    if (!first) return
    if (this.#deps.switches.inFlight === 'conflict') {
      throw new ProviderRefusal('conflict', 'a request with this idempotency key is still being processed')
    }
    await first
  }
}
