/** The only statements on `breaks`. */
import type { Environment } from '../config.ts'
import { sql, type Runner, type Tx } from '../platform/db.ts'
import { isFoundAgain, type Break, type BreakKind, type Finding, type Resolution } from './break.ts'

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

export async function hasOpenBreak(db: Runner, about: { home: number; payoutId: string; kind: BreakKind }): Promise<boolean> {
  const rows = await db.rows(sql`
    select from breaks
    where home = ${about.home} and payout_id = ${about.payoutId} and kind = ${about.kind} and resolved_at is null`)
  return rows.length > 0
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

const columns = sql`home, id, environment, kind, payment_id, payout_id, provider, provider_reference, details, opened_at, proposal, proposal_note,
  proposed_by, proposed_at, resolution, resolved_by, resolved_at`

/** Newest first, one more than asked for. */
export async function listBreaks(
  db: Runner,
  wanted: {
    environment: Environment | null
    kind: BreakKind | null
    isOpen: boolean | null
    /** Whether one operator has proposed what to do. */
    isProposed: boolean | null
    provider: string | null
    openedFrom: string | null
    openedTo: string | null
    beforeId: string | null
    limit: number
  },
): Promise<Break[]> {
  const { environment, kind, isOpen, isProposed, provider, openedFrom, openedTo, beforeId, limit } = wanted
  return db.rows<Break>(sql`
    select ${columns} from breaks
    where (${environment}::text is null or environment = ${environment}::text) and (${kind}::text is null or kind = ${kind}::text)
      and (${isOpen}::boolean is null or (resolved_at is null) = ${isOpen}::boolean)
      and (${isProposed}::boolean is null or (proposal is not null) = ${isProposed}::boolean)
      and (${provider}::text is null or provider = ${provider}::text)
      and (${openedFrom}::timestamptz is null or opened_at >= ${openedFrom}::timestamptz)
      and (${openedTo}::timestamptz is null or opened_at < ${openedTo}::timestamptz)
      and (${beforeId}::uuid is null or id < ${beforeId}::uuid)
    order by id desc
    limit ${limit + 1}`)
}

/** All breaks of a payment, oldest first. */
export async function listBreaksOf(db: Runner, payment: { home: number; paymentId: string }): Promise<Break[]> {
  return db.rows<Break>(
    sql`select ${columns} from breaks where home = ${payment.home} and payment_id = ${payment.paymentId} order by id`,
  )
}

export async function findBreak(db: Runner, key: { home: number; id: string }): Promise<Break | undefined> {
  const [row] = await db.rows<Break>(sql`select ${columns} from breaks where home = ${key.home} and id = ${key.id}`)
  return row
}

/** A break as it stands, held until the transaction ends: two who decide come one after the other. */
export async function holdBreak(tx: Tx, key: { home: number; id: string }): Promise<Break> {
  const [row] = await tx.rows<Break>(sql`select ${columns} from breaks where home = ${key.home} and id = ${key.id} for update`)
  return row!
}

/** Puts a proposal in the place of the one before. */
export async function recordProposal(
  tx: Tx,
  key: { home: number; id: string },
  proposal: { resolution: Resolution; note: string; by: string },
): Promise<Break> {
  const [row] = await tx.rows<Break>(sql`
    update breaks set proposal = ${proposal.resolution}, proposal_note = ${proposal.note}, proposed_by = ${proposal.by}, proposed_at = clock_now()
    where home = ${key.home} and id = ${key.id}
    returning ${columns}`)
  return row!
}
