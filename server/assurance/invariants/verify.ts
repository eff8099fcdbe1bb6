/** Checks on a live database that the promises about the money hold. One command for tests, operators and restores. */
import type { Severity } from '../../domain/severity.ts'
import type { Environment } from '../../domain/environment.ts'
import { databaseErrorCode, sql, type Db, type Runner } from '../../platform/db/db.ts'
import { changedAccounts, changedBreaks, readRecent } from './changed-keys.sql.ts'
import type { Cursor, Keys, Scope, Walked } from './scope.sql.ts'
import { checks, promises } from './verify.sql.ts'
import { start, walks } from './walks.sql.ts'

export type Violation = {
  invariant: string
  promise: string
  severity: Severity
  what: string
  /** The merchant whose money it concerns; null if unknown. */
  home: number | null
  merchantId: string | null
  /** Null: either. */
  environment: Environment | null
}

/** When a service is busy, reading the changes takes longer than the limit of a request. */
const newTimeoutMs = 5 * 60_000

/** For a page with very many payments, which no step makes smaller. */
const rowTimeoutMs = 15 * 60_000

/** A step that takes longer is repeated with fewer rows. */
export const stepTimeoutMs = 20_000

/** The error of a statement that exceeded its timeout. */
const queryCanceled = '57014'

/** The maximum for each check. */
const rowsAtMost = 20

const allPromises = Object.keys(promises)

/** The start of the next turn of each table that has no times of change. */
export type Turns = Partial<Record<Walked, Cursor>>

async function run(tx: Runner, scopeOf: (over: Walked) => Scope | undefined, only: readonly string[]): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const name of only) {
    for (const { invariant, over, broken, isOnlyForNew } of checks) {
      const scope = invariant === name ? scopeOf(over) : undefined
      if (!scope || (isOnlyForNew && scope.since === null)) continue
      const rows = await tx.rows<Pick<Violation, 'what' | 'home' | 'merchantId' | 'environment'>>(sql`
        select found ->> 'what' as what, (found ->> 'home')::integer as home, (found ->> 'merchant_id')::uuid as merchant_id,
          found ->> 'environment' as environment
        from (select to_jsonb(broken) as found from (${broken(scope)}) as broken limit ${rowsAtMost}) as broken`)
      violations.push(...rows.map((row) => ({ invariant, ...promises[invariant]!, ...row })))
    }
  }
  return violations
}

/** Plans each statement for its own rows instead of a generic plan, and disables JIT, which costs more than it saves. */
export async function replanForRows(tx: Runner): Promise<void> {
  await tx.rows(sql`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`)
}

/**
 * For ranges of rows: PostgreSQL joins them by hashing or merging. It would look up row by row in a table whose statistics are missing or
 * old, as after a restore, and so read the range once for each of its rows. The other connection uses the other processor.
 */
async function planForRanges(tx: Runner): Promise<void> {
  await tx.rows(sql`select set_config('enable_nestloop', 'off', true), set_config('max_parallel_workers_per_gather', '0', true),
    set_config('work_mem', '64MB', true)`)
}

/** One step of the full check: the rows after `after`, at most `size`. Undefined at the end. Reads one snapshot. */
export async function verifyStep(
  db: Pick<Db, 'snapshot'>,
  walked: Walked,
  after: Cursor,
  size: number,
  only: readonly string[] = allPromises,
): Promise<PartStep | undefined> {
  return db.snapshot(
    async (tx) => {
      await replanForRows(tx)
      const step = await walks[walked].next(tx, after, size)
      if (!step) return undefined
      if (walks[walked].inPasses) await planForRanges(tx)
      const violations = await run(tx, (over) => (over === walked ? { over, since: null, keys: step.keys } : undefined), only)
      return { violations, after: step.after, isLast: step.isLast }
    },
    size > 1 ? stepTimeoutMs : rowTimeoutMs,
  )
}

const both = (one: Keys, other: Keys): Keys => ({ homes: [...one.homes, ...other.homes], ids: [...one.ids, ...other.ids] })

/**
 * All broken promises among the changes since a moment, and among some rows in turn of the tables without times of change. Returns where
 * the next turn starts. The cost depends on the changes, not on the length of the history.
 */
export async function verifyNew(
  db: Pick<Db, 'snapshot'>,
  since: Date,
  turns: Turns = {},
  only: readonly string[] = allPromises,
): Promise<{ violations: Violation[]; turns: Turns }> {
  return db.snapshot(async (tx) => {
    await replanForRows(tx)
    const recent = await readRecent(tx, since)
    const scopeOf = (over: Walked): Scope => ({ over, since, recent, ...(keys[over] && { keys: keys[over] }) })
    const keys: Partial<Record<Walked, Keys>> = {}
    keys.ledger_accounts = await changedAccounts(tx, scopeOf('ledger_transfers'))
    keys.breaks = await changedBreaks(tx, scopeOf('ledger_transfers'))
    const next: Turns = {}
    for (const [name, { turn }] of Object.entries(walks)) {
      if (!turn) continue
      const walked = name as Walked
      const step = (await turn.next(tx, turns[walked] ?? start, turn.size)) ?? (await turn.next(tx, start, turn.size))
      keys[walked] = both(step?.keys ?? { homes: [], ids: [] }, keys[walked] ?? { homes: [], ids: [] })
      next[walked] = step && !step.isLast ? step.after : start
    }
    return { violations: await run(tx, scopeOf, only), turns: next }
  }, newTimeoutMs)
}

/** What the full check reads from; it uses a second connection if it has a pool of several. */
export type Source = Pick<Db, 'snapshot'> & Partial<Pick<Db, 'pool'>>

/** What a step found, and where the next one begins. `isLast`: it would find nothing. */
export type PartStep = { violations: Violation[]; after: Cursor; isLast?: boolean }

/** One part of the full check, which runs in steps of at most `size` rows. */
export type Part = {
  name: string
  size: number
  findingsAtMost: number
  step(after: Cursor, size: number): Promise<PartStep | undefined>
}

export const walkParts = (db: Pick<Db, 'snapshot'>, only: readonly string[] = allPromises): Part[] =>
  (Object.keys(walks) as Walked[]).map((walked) => ({
    name: walked,
    size: walks[walked].size,
    findingsAtMost: rowsAtMost * checks.length,
    step: (after, size) => verifyStep(db, walked, after, size, only),
  }))

/** Called after each step; `done` is the number of parts that have ended. */
export type Progress = (part: string, after: Cursor, done: number) => void

/** Parts that run at once, each on its own connection: more would take all processors of a small machine from payers. */
const lanes = 2

/** All steps of all parts; those that take longest should come first. */
export async function verifyParts(db: Source, parts: readonly Part[], progress?: Progress): Promise<Violation[]> {
  const found = parts.map((): Violation[] => [])
  const queue = parts.entries()
  let done = 0
  let isStopped = false
  async function runPart(index: number, part: Part): Promise<void> {
    let { size } = part
    for (let after = start; !isStopped;) {
      const isSmallest = size === 1
      const step = await part.step(after, size).catch((error: unknown) => {
        if (isSmallest || databaseErrorCode(error) !== queryCanceled) throw error
        return 'too long' as const
      })
      if (!step) break
      if (step === 'too long') {
        size = Math.max(1, Math.floor(size / 2))
        continue
      }
      const { length } = found[index]!
      found[index]!.push(...step.violations.slice(0, part.findingsAtMost - length))
      after = step.after
      progress?.(part.name, after, done)
      if (step.isLast) break
    }
    done += 1
  }
  async function lane(): Promise<void> {
    try {
      for (const [index, part] of queue) await runPart(index, part)
    } catch (error) {
      // The other lane ends with its step.
      isStopped = true
      throw error
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: Math.min(lanes, db.pool?.options.max ?? 1) }, lane))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return found.flat()
}

/**
 * All broken promises, at most some rows of each check; empty if there is none. Reads everything in short steps, each of one snapshot, or
 * with `since` only the changes since then. `only`: these promises.
 */
export async function verify(
  db: Source,
  { since }: { since: Date | null } = { since: null },
  only: readonly string[] = allPromises,
): Promise<Violation[]> {
  if (since !== null) return (await verifyNew(db, since, {}, only)).violations
  return inOrder(await verifyParts(db, walkParts(db, only)))
}

/** In the order of the promises. */
export function inOrder(violations: Violation[]): Violation[] {
  // A check that needs more than the database has no place among them: it comes last.
  const place = ({ invariant }: Violation): number =>
    (allPromises.indexOf(invariant) + allPromises.length + 1) % (allPromises.length + 1)
  return violations.toSorted((one, other) => place(one) - place(other))
}
