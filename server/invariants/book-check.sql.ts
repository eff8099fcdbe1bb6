/** The door to book_checks: what the last check of the books found. */
import { sql, type Runner } from '../platform/db.ts'
import type { Violation } from './verify.ts'

export type BookCheck = { checkedAt: Date; durationMs: number; violations: Violation[] }

export async function recordBookCheck(db: Runner, check: { durationMs: number; violations: Violation[] }): Promise<void> {
  await db.rows(sql`
    insert into book_checks (checked_at, duration_ms, violations)
    values (clock_now(), ${check.durationMs}, ${JSON.stringify(check.violations)}::jsonb)
    on conflict (only_row) do update set checked_at = excluded.checked_at, duration_ms = excluded.duration_ms, violations = excluded.violations`)
}

/** Undefined where the books were never checked. */
export async function readBookCheck(db: Runner): Promise<BookCheck | undefined> {
  const [check] = await db.rows<BookCheck>(sql`select checked_at, duration_ms, violations from book_checks`)
  return check
}
