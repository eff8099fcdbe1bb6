/** When payers pay and why they do not: counts of a merchant's newest payments, so that the cost has a limit for any history. */
import type { FailureCode } from '../../domain/payment.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { isTaking } from '../pages/page.sql.ts'
import { ofOwner } from './owner-payment.sql.ts'

/** The end of a payment without money. */
export type LostReason = FailureCode | 'voided' | 'expired'

export type PatternLine = {
  by: 'hour' | 'reason' | 'edge'
  /** 1 is Monday; of an hour. */
  weekday: number | null
  hour: number | null
  reason: LostReason | null
  payments: number
  /** TZS. */
  amount: number
  /** Of the edge: only payments after this time are counted, because there are more. */
  after: Date | null
}

/**
 * Of the payments that started in a time span, at most the newest `among`: those that completed by weekday and hour in East Africa Time, and
 * those that ended without money by reason. Payments that tested a webhook are left out.
 */
export async function countPatterns(
  db: Runner,
  owner: Owner,
  { from, to, among }: { from: Date; to: Date; among: number },
): Promise<PatternLine[]> {
  return db.rows<PatternLine>(sql`
    with taken as materialized (
      select p.created_at, (p.created_at at time zone 'UTC') + interval '3 hours' as local_time, p.status, p.failure_code,
        coalesce(p.amount_received, p.amount) as amount, p.credit_reversed_at, p.page_id
      from payments p
      where ${ofOwner(owner)} and p.created_at >= ${from}::timestamptz and p.created_at < ${to}::timestamptz
      order by p.created_at desc, p.id desc
      limit ${among + 1}
    ),
    edge as (select case when count(*) > ${among}::integer then min(created_at) end as after from taken),
    counted as (
      select t.* from taken t join edge e on e.after is null or t.created_at > e.after where ${isTaking(owner, sql`t.page_id`)}
    )
    select 'hour' as by, extract(isodow from local_time)::integer as weekday, extract(hour from local_time)::integer as hour, null::text as reason,
      count(*) as payments, sum(amount)::bigint as amount, null::timestamptz as after
    from counted where status = 'completed' and credit_reversed_at is null
    group by 2, 3
    union all
    select 'reason', null, null, case status when 'failed' then failure_code else status end, count(*), sum(amount)::bigint, null
    from counted where status in ('failed', 'voided', 'expired')
    group by 4
    union all
    select 'edge', null, null, null, 0, 0, after from edge where after is not null
    order by payments desc, reason, weekday, hour`)
}
