/** The only statements on `breaks`. */
import { sql, type Runner } from '../platform/db.ts'
import { isFoundAgain, type Finding, type Resolution } from './break.ts'

/**
 * Opens a break, once while one of its subject and kind is open; false where one is. What a comparison finds again and again is not
 * opened again once operators have decided on the same evidence. `id` is a money id of the subject's home.
 */
export async function openBreak(db: Runner, finding: Finding, id: string): Promise<boolean> {
  const { home, environment, kind, paymentId = null, payoutId = null, provider = null, reference = null } = finding
  const rows = await db.rows(sql`
    insert into breaks (home, id, environment, kind, payment_id, payout_id, provider, provider_reference, details)
    select ${home}::smallint, ${id}::uuid, ${environment}::text, ${kind}::text, ${paymentId}::uuid, ${payoutId}::uuid, ${provider}::text, ${reference}::text,
      ${JSON.stringify(finding.details)}::jsonb
    where not (${isFoundAgain(kind)}::boolean and exists (
      select from breaks b
      where b.kind = ${kind}::text and b.resolved_at is not null and b.details = ${JSON.stringify(finding.details)}::jsonb
        and b.provider = ${provider}::text and b.environment = ${environment}::text and b.provider_reference = ${reference}::text))
    on conflict do nothing
    returning id`)
  return rows.length === 1
}

/** Resolves a break that is open; false where it is not any more. */
export async function resolveBreak(
  db: Runner,
  key: { home: number; id: string },
  how: { resolution: Resolution; by: string },
): Promise<boolean> {
  const rows = await db.rows(sql`
    update breaks set resolution = ${how.resolution}, resolved_by = ${how.by}, resolved_at = clock_now()
    where home = ${key.home} and id = ${key.id} and resolved_at is null
    returning id`)
  return rows.length === 1
}
