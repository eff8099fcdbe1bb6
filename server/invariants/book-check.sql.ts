/** The door to book_checks: what the last check of the books found. */
import { sql, type Runner } from '../platform/db.ts'
import type { Violation } from './verify.ts'

/** A release that knew no severity wrote none: each of its findings stopped payouts. */
type StoredViolation = Omit<Violation, 'severity'> & Partial<Pick<Violation, 'severity'>>

export type BookCheck = { checkedAt: Date; durationMs: number; violations: Violation[] }

export async function recordBookCheck(
  db: Runner,
  check: { durationMs: number; violations: Violation[]; isWhole: boolean },
): Promise<void> {
  await db.rows(sql`
    insert into book_checks as b (checked_at, duration_ms, violations, whole_at)
    values (clock_now(), ${check.durationMs}, ${JSON.stringify(check.violations)}::jsonb, case when ${check.isWhole} then clock_now() end)
    on conflict (only_row) do update set checked_at = excluded.checked_at, duration_ms = excluded.duration_ms,
      violations = excluded.violations, whole_at = coalesce(excluded.whole_at, b.whole_at)`)
}

/** Undefined where the books were never checked. */
export async function readBookCheck(db: Runner): Promise<BookCheck | undefined> {
  const [check] = await db.rows<Omit<BookCheck, 'violations'> & { violations: StoredViolation[] }>(
    sql`select checked_at, duration_ms, violations from book_checks`,
  )
  return check && { ...check, violations: check.violations.map((one) => ({ ...one, severity: one.severity ?? 'money' })) }
}

/**
 * From when on something may have changed that nobody has checked; null where all has to be read: because that was never done, or not for
 * a day, or because the last check found something.
 */
export async function readUncheckedSince(db: Runner): Promise<Date | null> {
  const [check] = await db.rows<{ since: Date }>(sql`
    -- What is visible now may have been begun some time ago.
    select checked_at - interval '1 hour' as since from book_checks
    where violations = '[]'::jsonb and whole_at > clock_now() - interval '1 day' and checked_at <= clock_now()`)
  return check?.since ?? null
}
