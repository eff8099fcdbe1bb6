/** Our records for the charges on a provider's list, and those that should be on it. */
import type { Environment } from '../../domain/environment.ts'
import { correctedCredit } from '../../money/ledger/transfer.sql.ts'
import { literal, sql, type Runner } from '../../platform/db/db.ts'
import { lastHome } from '../../platform/ids.ts'
import type { Named, OpenOrder } from './book.ts'
import type { OurCharge } from './judge-charge.ts'
import { insertMissing, missingOfDay, namedRecords, type DayRun } from './record.sql.ts'

/** The time before a provider is queried, by the clock that writes `completed_at`. */
export async function readClock(db: Runner): Promise<Date> {
  return db.value<Date>(sql`select clock_now() as now`)
}

/** What operators have corrected since a payment `p` was credited, and what is booked for it now, or would be. */
const sinceCredit = correctedCredit(sql`p.home`, sql`p.id`)
const bookedAmount = sql`(coalesce(p.amount_received, p.amount) + since.credit)::bigint as amount`

/**
 * Our payments for records that were requested at `readAt`, in the order of the input: by our own id if the record names it, else by the
 * provider's reference.
 */
export async function findOurCharges(
  db: Runner,
  account: { environment: Environment; provider: string },
  records: Named[],
  readAt: Date,
): Promise<(OurCharge | undefined)[]> {
  const rows = await db.rows<OurCharge | { [Column in keyof OurCharge]: null }>(sql`
    select p.home, p.id, p.environment, p.status, ${bookedAmount}, p.currency, p.held, c.provider_reference,
      p.status = 'completed' and since.fee + coalesce((
        select t.amount from ledger_transfers t where t.home = p.home and t.payment_id = p.id and t.kind = 'provider_fee'), 0) > 0 as has_fee,
      p.expires_at <= clock_now() as is_past_expiry,
      coalesce(p.completed_at > ${readAt}, false) as is_newer
    from ${namedRecords(records)}
    left join payments named on named.home = i.home and named.id = i.id
    left join provider_references r on named.id is null and r.provider = ${account.provider} and r.environment = ${account.environment}
      and r.reference = i.reference
    left join payments p on p.home = coalesce(named.home, r.home) and p.id = coalesce(named.id, r.payment_id)
    left join provider_charges c on c.home = p.home and c.payment_id = p.id
    cross join lateral (${sinceCredit}) since
    order by i.ord`)
  return rows.map((row) => (row.id === null ? undefined : row))
}

export type UnfinishedCharge = OpenOrder & { isPastExpiry: boolean }

/** Payments that have not ended and had no update for a while, oldest first. Payments that wait for the payer's confirmation are left out. */
export async function listUnfinishedCharges(
  db: Runner,
  account: { environment: Environment; provider: string },
  wanted: { silentSeconds: number; afterId: string | null; limit: number },
): Promise<UnfinishedCharge[]> {
  return db.rows<UnfinishedCharge>(sql`
    select p.home, p.id, c.provider_reference, p.expires_at <= clock_now() as is_past_expiry, p.created_at,
      extract(epoch from clock_now() - p.created_at)::double precision as age_seconds
    from provider_charges c
    join payments p on p.home = c.home and p.id = c.payment_id
    where c.next_attempt_at is not null and c.confirm_by is null and c.provider = ${account.provider} and p.environment = ${account.environment}
      and p.status in ('pending', 'processing') and not p.held
      and c.updated_at <= clock_now() - make_interval(secs => ${wanted.silentSeconds}::double precision)
      and (${wanted.afterId}::uuid is null or p.id > ${wanted.afterId}::uuid)
    order by p.id
    limit ${wanted.limit}`)
}

/** When the oldest payment began that ended without a credit, within these limits in seconds. */
export async function findOldestEndedCharge(
  db: Runner,
  account: { environment: Environment; provider: string },
  within: { endedWithin: number; begunWithin: number },
): Promise<Date | undefined> {
  const [row] = await db.rows<{ createdAt: Date | null }>(sql`
    select min(p.created_at) as created_at
    from provider_charges c
    join payments p on p.home = c.home and p.id = c.payment_id
    where c.recheck_at is not null and c.ended_at > clock_now() - make_interval(secs => ${within.endedWithin}::double precision)
      and c.provider = ${account.provider} and p.environment = ${account.environment}
      and p.created_at > clock_now() - make_interval(secs => ${within.begunWithin}::double precision)`)
  return row?.createdAt ?? undefined
}

/**
 * Stores our completed payments of a day that are missing in the list, at most `most`. Returns their number. Ids begin with the clock of
 * the process that made them, so each home is read by a range of its primary key.
 */
export async function keepMissingCharges(
  db: Runner,
  run: DayRun,
  ids: { from: string; to: string },
  most: number,
): Promise<number> {
  return db.rowCount(sql`
    ${insertMissing(run)}
    from generate_series(0, ${literal(lastHome)}) as h (home)
    join payments p on p.home = h.home and p.id >= ${ids.from}::uuid and p.id < ${ids.to}::uuid
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    ${missingOfDay(run, most)}`)
}

export type MissingCharge = OurCharge & { providerReference: string }

/** The next payment that is missing in the list. */
export async function nextMissingCharge(db: Runner, runId: string): Promise<MissingCharge | undefined> {
  return db.maybeOne<MissingCharge>(sql`
    select p.home, p.id, p.environment, p.status, ${bookedAmount}, p.currency, p.held, c.provider_reference, true as has_fee,
      p.expires_at <= clock_now() as is_past_expiry, false as is_newer
    from reconciliation_records r
    join payments p on p.home = r.home and p.id = r.subject_id
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    cross join lateral (${sinceCredit}) since
    where r.run_id = ${runId} and r.outcome = 'missing'
    order by r.reference
    limit 1`)
}

/** Breaks with money in `unallocated` for a charge that was later credited to a payment of ours. */
export async function listFoundSince(
  db: Runner,
): Promise<{ home: number; id: string; environment: Environment; isOpen: boolean }[]> {
  return db.rows<{ home: number; id: string; environment: Environment; isOpen: boolean }>(sql`
    select b.home, b.id, b.environment, b.resolved_at is null as is_open
    from breaks b
    join provider_references r on r.provider = b.provider and r.environment = b.environment and r.reference = b.provider_reference
    join provider_charges c on c.home = r.home and c.payment_id = r.payment_id and c.provider_reference = r.reference
    join ledger_transfers t on t.home = r.home and t.payment_id = r.payment_id and t.kind = 'payment'
    where b.kind = 'unknown_at_provider' and b.payout_id is null
      and exists (select from ledger_transfers f where f.home = b.home and f.break_id = b.id and f.kind = 'unallocated_found')
      and not exists (select from ledger_transfers f where f.home = b.home and f.break_id = b.id and f.kind in ('unallocated_credited', 'return_reserved'))
    for update of b`)
}

/** Breaks about charges whose outcome or amount was unknown when they were opened, and is known now. */
export async function listAnsweredCharges(db: Runner): Promise<{ home: number; id: string }[]> {
  return db.rows<{ home: number; id: string }>(sql`
    select b.home, b.id from breaks b
    join payments p on p.home = b.home and p.id = b.payment_id
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    where b.resolved_at is null and p.status not in ('pending', 'processing')
      and (b.kind = 'charge_unknown'
        -- The provider's own answer ended the payment: no such break is opened about a completed one. Held money waits for operators.
        or (b.kind = 'amount_differs' and not p.held and (p.status = 'completed' or c.ended_at > b.opened_at)))`)
}
