/**
 * The `Idempotency-Key` rules of creates. Invariant: within 24 hours one key of one account and route creates at most one object,
 * and the same body gets the same answer.
 */
import { createHash } from 'node:crypto'
import type { Books } from './books.sql.ts'
import type { AccountName } from './config.ts'
import type { Switches } from './switches.ts'
import { ProviderRefusal, refused, type Answer } from './wire.ts'

export type Made = { reference: string; answer: Answer }

/** The parts of a create, in order. `call` counts the calls with one key, or with one body where there is no key. */
export type Create = {
  /** Reads the order and may refuse, hang or cut; nothing is written yet. */
  admit: (call: number) => Promise<void>
  /** Writes it, inside one transaction. */
  make: () => Made
  /** Runs between the commit and the answer. */
  settle: (reference: string) => Promise<void>
  /** Runs at each later call with the key. */
  recall: (reference: string) => void
  /** The answer to send instead of `made.answer`, or a throw. */
  deliver: (made: Made, call: number, isReplay: boolean) => Promise<Answer>
}

type Deps = { books: Books; switches: Switches; now: () => number }

const longestKeyBytes = 30
const keptMs = 24 * 60 * 60 * 1000

const hashOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

export class Idempotency {
  readonly #deps: Deps
  readonly #unanswered = new Map<string, { bodyHash: string; answered: Promise<void> }>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Does a create once per key; a call without a key is done every time. `body` is compared byte by byte. */
  async once(account: AccountName, route: string, key: string | null, body: Buffer, create: Create): Promise<Answer> {
    const { books } = this.#deps
    const bodyHash = hashOf(body)
    // The provider answers a key that is too long with its general code, not with a clear error.
    if (key !== null && Buffer.byteLength(key) > longestKeyBytes) {
      throw new ProviderRefusal('notInitiated', 'failed to initiate payment')
    }
    const call = books.countCall(account, route, key ?? bodyHash)
    if (key !== null) return await this.#underKey({ account, route, key, bodyHash, call, create })
    await create.admit(call)
    const made = books.tx(create.make)
    await create.settle(made.reference)
    return await create.deliver(made, call, false)
  }

  async #underKey(wish: Wish): Promise<Answer> {
    const { books, now, switches } = this.#deps
    const { account, route, key, bodyHash, call, create } = wish
    const stored = books.answer(account, route, key, now() - keptMs)
    const first = this.#unanswered.get(nameOf(wish))
    if ((stored?.bodyHash ?? first?.bodyHash ?? bodyHash) !== bodyHash) {
      throw new ProviderRefusal('keyReused', 'idempotency key already used with different request body')
    }
    if (!stored && !first) return await this.#first(wish)
    if (stored && stored.reference !== null) create.recall(stored.reference)
    if (first && switches.inFlight === 'conflict') {
      throw new ProviderRefusal('conflict', 'a request with this idempotency key is still being processed')
    }
    // A hanging create has written nothing yet, so there is no answer and every variant waits.
    if (first && (switches.inFlight === 'wait' || !stored)) await first.answered
    if (!stored) return await this.#underKey(wish)
    if (stored.reference === null || stored.status >= 400) return { status: stored.status, body: stored.body }
    const answer = { status: switches.replayStatus, body: stored.body }
    return await create.deliver({ reference: stored.reference, answer }, call, true)
  }

  async #first(wish: Wish): Promise<Answer> {
    const { books, now, switches } = this.#deps
    const { account, route, key, bodyHash, call, create } = wish
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    this.#unanswered.set(nameOf(wish), { bodyHash, answered })
    let made: Made | null = null
    try {
      await create.admit(call)
      made = books.tx(() => {
        const fresh = create.make()
        books.saveAnswer(account, route, key, { bodyHash, reference: fresh.reference, ...fresh.answer }, now())
        return fresh
      })
      await create.settle(made.reference)
      return await create.deliver(made, call, false)
    } catch (error) {
      // A refusal because of the quota says nothing about the create, so no provider would remember it.
      if (switches.cacheErrors && error instanceof ProviderRefusal && error.kind !== 'rateLimit') {
        const answer = refused(error, switches)
        books.saveAnswer(account, route, key, { bodyHash, reference: made?.reference ?? null, ...answer }, now())
      }
      throw error
    } finally {
      this.#unanswered.delete(nameOf(wish))
      resolve()
    }
  }
}

type Wish = { account: AccountName; route: string; key: string; bodyHash: string; call: number; create: Create }

const nameOf = ({ account, route, key }: Wish): string => `${account} ${route} ${key}`
