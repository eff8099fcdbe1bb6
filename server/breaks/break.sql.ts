/** The only statements on `breaks`. */
import { sql, type Runner } from '../platform/db.ts'
import type { Finding } from './break.ts'

/** Opens a break, once while one of its subject and kind is open. `id` is a money id of the subject's home. */
export async function openBreak(db: Runner, finding: Finding, id: string): Promise<void> {
  await db.rows(sql`
    insert into breaks (home, id, environment, kind, payment_id, payout_id, provider, provider_reference, details)
    values (${finding.home}, ${id}, ${finding.environment}, ${finding.kind}, ${finding.paymentId ?? null}, ${finding.payoutId ?? null},
      ${finding.provider ?? null}, ${finding.reference ?? null}, ${JSON.stringify(finding.details)})
    on conflict do nothing`)
}
