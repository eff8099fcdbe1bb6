/** The only access to book_checks: the results of the last incremental check. */
import { sql, type Runner } from '../../platform/db/db.ts'
import { readWholeFindings } from './check-cursor.sql.ts'
import { inOrder, type Violation } from './verify.ts'

/** A release without severities wrote none: each of its findings stopped payouts. */
type StoredViolation = Omit<Violation, 'severity'> & Partial<Pick<Violation, 'severity'>>

export type BookCheck = { checkedAt: Date; durationMs: number; violations: Violation[] }

/**
 * Records the findings of the incremental check; with `isRead` the next one starts here. A check without findings changes nothing if another
 * one has ended since it began: it may not have seen what the other has found.
 */
export async function recordBookCheck(
  db: Runner,
  check: { durationMs: number; violations: Violation[]; isRead: boolean },
): Promise<void> {
  await db.rows(sql`
    insert into book_checks as b (checked_at, duration_ms, violations, clean_at)
    values (clock_now(), ${check.durationMs}, ${JSON.stringify(check.violations)}::jsonb,
      case when ${check.isRead} then clock_now() end)
    on conflict (only_row) do update set checked_at = excluded.checked_at, duration_ms = excluded.duration_ms,
      violations = excluded.violations, clean_at = coalesce(excluded.clean_at, b.clean_at)
    where excluded.violations <> '[]' or b.checked_at not between
      excluded.checked_at - make_interval(secs => excluded.duration_ms / 1000.0) and excluded.checked_at`)
}

/** The findings of the last incremental check, with those of the full check. Undefined if the books were never checked. */
export async function readBookCheck(db: Runner): Promise<BookCheck | undefined> {
  const [check] = await db.rows<Omit<BookCheck, 'violations'> & { violations: StoredViolation[] }>(
    sql`select checked_at, duration_ms, violations from book_checks`,
  )
  if (!check) return undefined
  const found = check.violations.map((one) => ({ ...one, severity: one.severity ?? 'money' }))
  const known = new Set<string>()
  const violations = [...found, ...(await readWholeFindings(db))].filter(({ invariant, what }) => {
    const name = `${invariant} ${what}`
    return !known.has(name) && known.add(name)
  })
  return { ...check, violations: inOrder(violations) }
}

/**
 * The moment from which changes may be unchecked: an hour before the last check that found no broken promise, because a row that is
 * visible now may have been started earlier. Before the first such check: a day.
 */
export async function readUncheckedSince(db: Runner): Promise<Date> {
  return db.value<Date>(sql`
    select least(clock_now(), coalesce(
      (select coalesce(clean_at, case when violations = '[]' then checked_at end) from book_checks),
      clock_now() - interval '1 day')) - interval '1 hour' as since`)
}
