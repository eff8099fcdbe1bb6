/**
 * A gate before each statement of one session. A session is a service of its own on the shared database (its own pools and batches, so each
 * batch has one item). While it is watched, every statement of its connections waits until the schedule lets it pass.
 */
import type pg from 'pg'
import type { Dependencies } from '../../server/start/dependencies.ts'

/** What happens to a statement: it runs; it runs and the connection is cut before its answer; or its backend is killed before it runs. */
export type Passage = 'runs' | 'lost' | 'killed'

type Arrival = { text: string; client: pg.PoolClient; pass(passage: Passage): void }

/**
 * Statements that the use case does not wait for, that limit how often it may be called, or that delete old messages one day after the other:
 * they take no rows of money, and timers start some.
 */
const unwatched =
  /pg_notify|set last_used_at|delete from provider_inbox\s+where state in|\b(rate_limits|api_requests|api_request_places|network_paces|checkout_paces)\b/

/** A statement that locks or writes rows; alone, it is a transaction of its own. */
const writes = /\b(insert into|update|delete from|for (no key )?update|for (key )?share|pg_advisory)\b/i

/** The first words of a statement, for a trace. */
const wordsOf = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 140)

const pidOf = (client: pg.PoolClient): number => (client as unknown as { processID: number }).processID

export class Session {
  readonly name: '1' | '2'
  readonly deps: Dependencies
  /** Statements that wait at the gate, in the order of their arrival. */
  readonly waiting: Arrival[] = []
  /** The backends that carry out a statement of this session now. */
  readonly running = new Set<number>()
  isWatched = false
  isDone = true
  /** Statements that passed, for a trace. */
  passed: string[] = []
  private listener: () => void = () => undefined
  private readonly killBackend: (pid: number) => Promise<void>
  private readonly known = new WeakSet<pg.PoolClient>()

  constructor(name: '1' | '2', deps: Dependencies, killBackend: (pid: number) => Promise<void>) {
    this.name = name
    this.deps = deps
    this.killBackend = killBackend
    for (const { pool } of [deps.db, deps.settlingDb]) pool.on('acquire', (client) => this.watch(client))
  }

  /** Begins the work under the gate; its outcome is a word that says how it answered. */
  begin(work: () => Promise<string>, listener: () => void): Promise<string> {
    this.listener = listener
    this.passed = []
    this.isWatched = true
    this.isDone = false
    const end = async (outcome: string): Promise<string> => {
      await this.deps.backgroundDone()
      this.isWatched = false
      this.isDone = true
      listener()
      return outcome
    }
    return work().then(end, (error: unknown) => end(wordOf(error)))
  }

  /** Lets the first waiting statement pass. */
  step(passage: Passage): void {
    const arrival = this.waiting.shift()!
    this.running.add(pidOf(arrival.client))
    this.passed.push(`${this.name}${passage === 'runs' ? '' : ` ${passage}`}: ${wordsOf(arrival.text)}`)
    arrival.pass(passage)
  }

  private watch(client: pg.PoolClient): void {
    if (this.known.has(client)) return
    this.known.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    let isInTx = false
    const watched = async (...args: unknown[]): Promise<unknown> => {
      const [first] = args
      const text = typeof first === 'string' ? first : (first as { text: string }).text
      const [word = ''] = text.toLowerCase().split(/\W/, 1)
      if (word === 'begin') isInTx = true
      if (word === 'commit' || (word === 'rollback' && text.toLowerCase() === 'rollback')) isInTx = false
      if (!this.isWatched || unwatched.test(text)) return query(...args)
      if (isInTx || !writes.test(text)) return pass(text, args)
      // What it locked stays locked until the schedule lets it commit, so that the other side meets it half done.
      await query('begin')
      try {
        const answer = await pass(text, args)
        await pass('commit', ['commit'])
        return answer
      } catch (error) {
        await query('rollback').catch(() => undefined)
        throw error
      }
    }
    const pass = async (text: string, args: readonly unknown[]): Promise<unknown> => {
      const passage = await new Promise<Passage>((resolve) => {
        this.waiting.push({ text, client, pass: resolve })
        this.listener()
      })
      try {
        if (passage === 'killed') await this.killBackend(pidOf(client))
        const answer = await query(...args)
        if (passage !== 'lost') return answer
        ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
        throw new Error('Connection terminated unexpectedly')
      } finally {
        this.running.delete(pidOf(client))
        this.listener()
      }
    }
    // A call with a callback is the driver's own.
    client.query = ((...args: unknown[]) =>
      typeof args.at(-1) === 'function' ? query(...args) : watched(...args)) as typeof client.query
  }
}

/** The code of a refusal, or the words of another error. */
export function wordOf(error: unknown): string {
  const { status, code, message } = error as { status?: number; code?: string; message: string }
  return status === undefined ? `error ${code ?? message}` : `${status} ${code}`
}
