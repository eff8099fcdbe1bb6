/** Our records for the payouts on a provider's list, and those that should be on it. */
import type { PayoutStatus } from '../../domain/payout.ts'
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import type { Named, OpenOrder } from './book.ts'
import { insertMissing, missingOfDay, namedRecords, type DayRun } from './record.sql.ts'

/** The payout that a record names, or whose reference it has. */
export type OurPayout = {
  home: number
  id: string
  environment: Environment
  provider: string
  status: PayoutStatus
  amount: number
  held: boolean
  /** The reference that we have for it; null while it is unknown. */
  providerReference: string | null
}

/** Our payouts for these records, in the order of the input: by our own id if the record names it, else by the provider's reference. */
export async function findOurPayouts(
  db: Runner,
  account: { environment: Environment; provider: string },
  records: Named[],
): Promise<(OurPayout | undefined)[]> {
  const rows = await db.rows<OurPayout | { [Column in keyof OurPayout]: null }>(sql`
    select p.home, p.id, p.environment, c.provider, p.status, p.amount, p.held, c.provider_reference
    from ${namedRecords(records)}
    left join payouts named on named.home = i.home and named.id = i.id and named.method = 'provider'
    left join provider_payouts r on named.id is null and r.provider = ${account.provider} and r.environment = ${account.environment}
      and r.provider_reference = i.reference
    left join payouts p on p.home = coalesce(named.home, r.home) and p.id = coalesce(named.id, r.payout_id)
    left join provider_payouts c on c.home = p.home and c.payout_id = p.id
    order by i.ord`)
  return rows.map((row) => (row.id === null ? undefined : row))
}

function unfinished(account: { environment: Environment; provider: string }, silentSeconds: number): Sql {
  return sql`
    select p.home, p.id, c.provider_reference, p.created_at,
      extract(epoch from clock_now() - p.created_at)::double precision as age_seconds
    from provider_payouts c
    join payouts p on p.home = c.home and p.id = c.payout_id
    where c.next_attempt_at is not null and c.provider = ${account.provider} and c.environment = ${account.environment}
      and c.state in ('claimed', 'unknown', 'accepted') and p.status in ('pending', 'processing') and not p.held
      and c.updated_at <= clock_now() - make_interval(secs => ${silentSeconds}::double precision)`
}

/** Payouts that were sent, have not ended and had no update for a while, oldest first. */
export async function listUnfinishedPayouts(
  db: Runner,
  account: { environment: Environment; provider: string },
  wanted: { silentSeconds: number; limit: number },
): Promise<OpenOrder[]> {
  return db.rows<OpenOrder>(sql`${unfinished(account, wanted.silentSeconds)} order by p.created_at, p.id limit ${wanted.limit}`)
}

/**
 * The same after an id, in the order of ids. This is not the order of time: a payout that begins during the run may be left to the next
 * run.
 */
export async function listUnfinishedPayoutsById(
  db: Runner,
  account: { environment: Environment; provider: string },
  wanted: { silentSeconds: number; afterId: string | null; limit: number },
): Promise<OpenOrder[]> {
  return db.rows<OpenOrder>(sql`
    ${unfinished(account, wanted.silentSeconds)}
      and (${wanted.afterId}::uuid is null or p.id > ${wanted.afterId}::uuid)
    order by p.id
    limit ${wanted.limit}`)
}

/**
 * Stores our completed payouts of a day that are missing in the list, at most `most`. Returns their number. Ids of payouts contain no time,
 * so they are read by their last change.
 */
export async function keepMissingPayouts(db: Runner, run: DayRun, most: number): Promise<number> {
  return db.rowCount(sql`
    ${insertMissing(run)}
    from payouts p
    join provider_payouts c on c.home = p.home and c.payout_id = p.id and p.updated_at >= ${run.dayFrom}
    ${missingOfDay(run, most)}`)
}

export async function nextMissingPayout(
  db: Runner,
  runId: string,
): Promise<(OurPayout & { providerReference: string }) | undefined> {
  return db.maybeOne<OurPayout & { providerReference: string }>(sql`
    select p.home, p.id, p.environment, c.provider, p.status, p.amount, p.held, c.provider_reference
    from reconciliation_records r
    join payouts p on p.home = r.home and p.id = r.subject_id
    join provider_payouts c on c.home = p.home and c.payout_id = p.id
    where r.run_id = ${runId} and r.outcome = 'missing'
    order by r.reference
    limit 1`)
}

/**
 * Breaks about payouts whose outcome or amount was unknown when they were opened and is known now, and breaks about unknown records that now belong
 * to a payout that was requested again after a restore. Money that came back after operators had decided still waits for their decision.
 */
export async function listAnsweredPayouts(db: Runner): Promise<{ home: number; id: string }[]> {
  return db.rows<{ home: number; id: string }>(sql`
    select b.home, b.id from breaks b
    join payouts p on p.home = b.home and p.id = b.payout_id
    join provider_payouts c on c.home = p.home and c.payout_id = p.id
    where b.resolved_at is null and p.status not in ('pending', 'processing')
      and (b.kind = 'payout_unknown'
        -- A message had another amount, and the provider itself has answered since.
        or (b.kind = 'payout_amount_differs' and not p.held and b.details ->> 'status' is null and c.next_attempt_at is null))
    union all
    select b.home, b.id from breaks b
    join provider_payouts c on c.provider = b.provider and c.environment = b.environment and c.provider_reference = b.provider_reference
    where b.resolved_at is null and b.kind = 'unknown_at_provider' and not exists (
      select from ledger_transfers t where t.home = b.home and t.break_id = b.id and t.kind = 'unallocated_found')`)
}
