/**
 * Compares our books with a provider's, step by step: unfinished records every few minutes, and all records of a day after it. Invariant: a
 * step makes one call to a provider, and one more for each listed payout of an unknown order that lacks its amount. It records the progress
 * of the run, and any process can continue a run that stopped.
 */
import { randomUUID } from 'node:crypto'
import { directions, type Direction } from '../../domain/provider.ts'
import type { RunKind } from '../../domain/reconciliation.ts'
import { lockBreaks, resolveBreak } from '../../money/breaks/break.sql.ts'
import { releaseFoundMoney } from '../../collect/payments/found-money.ts'
import { environments } from '../../domain/environment.ts'
import { databaseErrorCode, uniqueViolation, type Db, type Tx } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { providerNamed, type Providers } from '../../money/providers/provider.ts'
import { advancePositions, listBalances, readBooks, type Compared } from './balance.sql.ts'
import type { Book, Place } from './book.ts'
import { closeReading, compare, isExplained, readingsOfDifference, secondsBetweenReadings } from './compare-balance.ts'
import { compareRestores } from './compare-restores.ts'
import { createChargeBook, type ChargeBookDeps } from './charge-book.ts'
import { listAnsweredCharges, listFoundSince, readClock } from './charge-records.sql.ts'
import { createPayoutBook } from './payout-book.ts'
import { releaseUnallocatedPayout } from './unallocated-payout.ts'
import { listAnsweredPayouts } from './payout-records.sql.ts'
import { pruneRecords, keepRecords, listFoundAfterAll } from './record.sql.ts'
import {
  queriedOneByOne,
  dayEndsAfterSeconds,
  daysMadeUpFor,
  leaseSeconds,
  listMarginSeconds,
  lookBackSeconds,
  mostMissing,
  noCounts,
  recentEveryMinutes,
  recentListSeconds,
  recentTries,
  retryDelay,
  weeklySeconds,
  type Account,
  type Counts,
  type Run,
} from './run.ts'
import { pruneRuns, planRuns, recordStep, recordTotals, claimRuns, type Step } from './run.sql.ts'

export type ReconcileDeps = ChargeBookDeps & { db: Db; log: Log; providers: Providers }

export type Reconciler = {
  plan(): Promise<void>
  /** Does one step of each run of a kind that this process may work on. Returns the number of those runs. */
  step(kind: RunKind): Promise<number>
}

const recentKeptDays = 30

/** The provider accounts whose books can be compared. */
export function accountsOf(providers: Providers): { account: Account; lists: boolean }[] {
  return environments.flatMap((environment) =>
    [...providers[environment].byName.values()].flatMap(({ name, capabilities }) =>
      directions.map((subject) => ({ account: { subject, environment, provider: name }, lists: capabilities.lists })),
    ),
  )
}

const stay = (run: Run): Step => ({
  ...noCounts,
  phase: run.phase,
  calls: 0,
  nextPage: run.nextPage,
  afterId: run.afterId,
  listFrom: run.listFrom,
  retryAfterSeconds: null,
  isTry: true,
})
const end = (run: Run): Step => ({ ...stay(run), phase: 'ended' })

const counting = (outcomes: readonly string[], unreadable = 0): Counts => {
  const count = (outcome: string) => outcomes.filter((one) => one === outcome).length
  return {
    seen: outcomes.length,
    matched: count('matched'),
    repaired: count('repaired'),
    breaks: count('break'),
    unreadable: count('unreadable') + unreadable,
  }
}

/** Breaks that the provider has answered by now and that need no decision, locked. */
async function lockAnswered(tx: Tx, run: Run): Promise<{ home: number; id: string }[]> {
  const list = async () => [
    ...(await listAnsweredCharges(tx)),
    ...(await listAnsweredPayouts(tx)),
    ...(run.kind === 'daily' ? await listFoundAfterAll(tx, run.id) : []),
  ]
  const found = await list()
  if (found.length === 0) return []
  await lockBreaks(tx, found)
  // Read again under the lock: new evidence may have arrived before it, and waits for operators.
  const locked = new Set(found.map(({ id }) => id))
  return (await list()).filter(({ id }) => locked.has(id))
}

/** Closes the breaks that a run has answered, and writes its totals. */
async function closeRun(tx: Tx, log: Log, run: Run): Promise<void> {
  if (run.kind === 'daily') {
    const { decided, unreadable } = await recordTotals(tx, run.id)
    const { id: run_id, subject, environment, provider, dayFrom } = run
    const day = { run_id, subject, environment, provider, day_from: dayFrom?.toISOString() }
    if (decided !== 0) log.error('reconciliation.day_differs', new Error('day_differs'), { ...day, amount: decided })
    const error = new Error('records_unreadable')
    if (unreadable > 0) log.error('reconciliation.records_unreadable', error, { ...day, unreadable, alert: true })
  }
  // Money of an unknown record that now belongs to a payment was credited to it.
  for (const found of await listFoundSince(tx)) {
    await releaseFoundMoney(tx, found, { actor: 'system', requestId: run.requestId })
    if (found.isOpen) await resolveBreak(tx, found, { resolution: 'already_settled', by: 'system' })
  }
  // Late, because news about these breaks waits for their locks.
  for (const answered of await lockAnswered(tx, run)) {
    await releaseUnallocatedPayout(tx, answered, { actor: 'system', requestId: run.requestId })
    await resolveBreak(tx, answered, { resolution: 'already_settled', by: 'system' })
  }
  if (run.kind === 'daily') await pruneRecords(tx, run.id)
}

/** There was no usable answer: the same question is sent again later. A recent run gives up, because the next tick starts a new one. */
function queryLater(log: Log, run: Run, { reason, afterMs }: { reason: string; afterMs?: number }): Step {
  // No question was sent: the budget of such questions is used up for now.
  if (afterMs !== undefined) return { ...stay(run), retryAfterSeconds: afterMs / 1000, isTry: false }
  const fields = {
    run_id: run.id,
    kind: run.kind,
    environment: run.environment,
    provider: run.provider,
    reason,
    attempts: run.attempts + 1,
  }
  log.warn('reconciliation.list_unavailable', fields)
  if (run.kind === 'recent' && run.attempts + 1 >= recentTries) return { ...end(run), calls: 1 }
  return { ...stay(run), calls: 1, retryAfterSeconds: retryDelay(run.attempts + 1) }
}

/** `nextPage` counts the readings of a difference. */
async function readBalance({ db, log, providers }: ReconcileDeps, run: Run): Promise<{ step: Step; reading?: Compared }> {
  if (!(await advancePositions(db, run))) return { step: stay(run) }
  const provider = providerNamed(providers, run.environment, run.provider)
  const answer = await provider.readBalance()
  if (answer.kind !== 'balance') return { step: queryLater(log, run, answer) }
  const [before] = await listBalances(db, run, 1)
  const reading = compare(answer.amount, await readBooks(db, run), before, provider.chargeFeePercent)
  const isLast = isExplained(reading) || run.nextPage + 1 >= readingsOfDifference
  const step = { ...stay(run), calls: 1, nextPage: run.nextPage + 1 }
  return isLast
    ? { step: { ...step, phase: 'ended' }, reading }
    : { step: { ...step, retryAfterSeconds: secondsBetweenReadings, isTry: false } }
}

export function createReconciler(deps: ReconcileDeps): Reconciler {
  const { db, log } = deps
  // One id for each lifetime of a process: after a restart the process does not own the old leases.
  const leasedBy = randomUUID()
  const books: Record<Direction, Book> = { charges: createChargeBook(deps), payouts: createPayoutBook(deps) }

  /** Chooses the first phase of a run, without a call. */
  async function begin(run: Run, book: Book): Promise<Step> {
    if (run.dayFrom !== null) {
      const listFrom = new Date(run.dayFrom.getTime() - (lookBackSeconds[run.subject] + listMarginSeconds) * 1000)
      return { ...stay(run), phase: 'listing', listFrom }
    }
    if (run.kind === 'balance') return { ...stay(run), phase: 'asking' }
    if (run.kind === 'weekly') {
      const now = await readClock(db)
      return { ...stay(run), phase: 'listing', listFrom: new Date(now.getTime() - (weeklySeconds + listMarginSeconds) * 1000) }
    }
    if (run.kind === 'late') {
      const oldest = await book.findOldestEnded(run)
      if (!oldest) return end(run)
      return { ...stay(run), phase: 'listing', listFrom: new Date(oldest.getTime() - listMarginSeconds * 1000) }
    }
    const unfinished = await book.listUnfinished(run, queriedOneByOne + 1)
    if (!unfinished.some(({ canBeQueried }) => canBeQueried)) return end(run)
    if (unfinished.length <= queriedOneByOne || !listsOf(run)) return { ...stay(run), phase: 'asking' }
    // There are many: one call for each would use up the shared budget, and a page of the list answers for a hundred.
    const { createdAt, ageSeconds } = unfinished[0]!
    const margin = Math.max(0, ageSeconds - recentListSeconds) - listMarginSeconds
    return { ...stay(run), phase: 'listing', listFrom: new Date(createdAt.getTime() + margin * 1000) }
  }

  function listsOf(run: Run): boolean {
    return deps.providers[run.environment].byName.get(run.provider)?.capabilities.lists ?? false
  }

  async function ask(run: Run, book: Book): Promise<Step> {
    const asked = await book.queryNext(run)
    if (!asked) return end(run)
    const { id: afterId, outcome } = asked
    // A record without an answer must not delay the others: the next tick queries it again.
    return { ...stay(run), ...counting(outcome === 'no_answer' ? ['unreadable'] : [outcome]), calls: 1, afterId }
  }

  async function readList(run: Run, book: Book): Promise<Step> {
    const { dayFrom, dayTo, listFrom } = run
    const placeOf = (at: Date | null): Place => {
      if (dayFrom === null || dayTo === null || at === null) return 'in_day'
      if (at >= dayFrom) return at < dayTo ? 'in_day' : 'outside'
      return at.getTime() >= dayFrom.getTime() - lookBackSeconds[run.subject] * 1000 ? 'before' : 'outside'
    }
    const page = await book.applyPage(run, placeOf)
    if (page.kind === 'no_answer') return queryLater(log, run, page)
    if (run.kind === 'daily') await keepRecords(db, run.id, page.records)
    const isOver = page.isLast || (page.newest !== null && listFrom !== null && page.newest < listFrom)
    const outcomes = page.records.filter(({ inDay }) => inDay).map(({ outcome }) => outcome)
    const step = { ...stay(run), ...counting(outcomes, page.unreadable), calls: 1, nextPage: run.nextPage + 1 }
    if (!isOver) return step
    if (run.kind !== 'daily') return { ...step, phase: 'ended' }
    const missing = await book.keepMissing(run, mostMissing + 1)
    if (missing <= mostMissing) return { ...step, phase: 'missing' }
    // A list that lacks this many records is itself faulty, so nothing is concluded from it.
    log.error('reconciliation.list_incomplete', new Error('list_incomplete'), {
      run_id: run.id,
      environment: run.environment,
      provider: run.provider,
      missing,
    })
    return { ...step, phase: 'ended' }
  }

  async function queryMissing(run: Run, book: Book): Promise<Step> {
    const outcome = await book.queryMissing(run, run.attempts + 1 >= recentTries)
    if (outcome === undefined) return end(run)
    if (outcome === 'no_answer') return queryLater(log, run, { reason: 'indeterminate' })
    return { ...stay(run), ...counting([outcome]), calls: 1 }
  }

  async function workOn(run: Run): Promise<void> {
    const book = books[run.subject]
    let current = run
    let step = stay(run)
    if (run.phase === 'due') {
      step = await begin(run, book)
      current = { ...run, phase: step.phase, listFrom: step.listFrom }
    }
    let reading: Compared | undefined
    if (current.kind === 'balance') ({ step, reading } = await readBalance(deps, current))
    else if (current.phase === 'asking') step = await ask(current, book)
    else if (current.phase === 'listing') step = await readList(current, book)
    else if (current.phase === 'missing') step = await queryMissing(current, book)
    await db.tx(async (tx) => {
      const isOurs = await recordStep(tx, { id: run.id, leasedBy }, step, leaseSeconds)
      if (!isOurs || step.phase !== 'ended') return
      if (reading) await closeReading(tx, log, run, reading)
      await closeRun(tx, log, run)
    })
  }

  return {
    async plan() {
      const accounts = accountsOf(deps.providers).map((one) => ({
        ...one,
        id: newId(),
        lateId: newId(),
        weeklyId: newId(),
        balanceId: newId(),
      }))
      const ids = accounts.flatMap(() => Array.from({ length: daysMadeUpFor + 1 }, newId))
      const times = { everyMinutes: recentEveryMinutes, afterDaySeconds: dayEndsAfterSeconds, daysMadeUpFor }
      await planRuns(db, accounts, times, ids)
      await compareRestores(
        deps,
        accounts.filter(({ lists }) => lists).map(({ account }) => account),
      )
      await pruneRuns(db, recentKeptDays)
    },

    async step(kind) {
      const runs = await claimRuns(db, kind, leasedBy, leaseSeconds).catch((error: unknown) => {
        // Another process has just started a run of the same account.
        if (databaseErrorCode(error) === uniqueViolation) return []
        throw error
      })
      await Promise.all(
        runs.map((run) =>
          workOn(run).catch((error: unknown) =>
            log.error('reconciliation.step_failed', error, { run_id: run.id, kind, provider: run.provider }),
          ),
        ),
      )
      return runs.length
    },
  }
}
