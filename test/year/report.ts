/** The outcomes of everything, counted during the days, for the table at the end. */
import type { Service } from './service.ts'

export type Report = {
  /** How often each action was done to or by the service, by its label in the table. */
  counts: Map<string, number>
}

export const newReport = (): Report => ({ counts: new Map() })

export function note(report: Report, what: string): void {
  report.counts.set(what, (report.counts.get(what) ?? 0) + 1)
}

type Status = { table: string; status: string; count: number }

/** The lines of the table. Payments and payouts are those of our books, without those lost by a restore. */
export async function formatReport(service: Service, report: Report, days: number): Promise<string[]> {
  const { rows } = await service.owner.query<Status>(
    `select 'payments' as table, status, count(*)::integer as count from payments group by status
     union all select case purpose when 'merchant' then case when batch_id is null then 'payouts' else 'payouts of batches' end
       when 'refund' then 'refunds' else 'returns to payers' end, status, count(*)::integer from payouts group by 1, 2
     union all select 'approvals', status, count(*)::integer from approval_requests group by status
     union all select 'batches', status, count(*)::integer from payout_batches group by status order by 1, 2`,
  )
  const { rows: byKind } = await service.owner.query<{ kind: string; end: string; count: number }>(
    `select kind, coalesce(resolution, 'open') as end, count(*)::integer as count from breaks group by 1, 2 order by 1, 2`,
  )
  // From the books at the end, also without those lost by a restore; each day was checked before the loss.
  const { rows: freezes } = await service.owner.query<{ count: number; seconds: number }>(
    `select count(*)::integer as count, coalesce(sum(extract(epoch from coalesce(lifted.at, clock_now()) - f.at)), 0)::integer as seconds
     from audit_log f left join lateral (
       select l.at from audit_log l where l.object = f.object and l.seq > f.seq and l.action in ('payouts.unfrozen', 'switch.turned_on')
       order by l.seq limit 1) lifted on true
     where f.action = 'payouts.frozen' or (f.action = 'switch.turned_off' and f.after ->> 'reason' like 'Verify found%')`,
  )
  const of = (table: string): string => {
    const own = rows.filter((row) => row.table === table)
    const sum = own.reduce((total, { count }) => total + count, 0)
    return `${table}: ${sum} (${own.map(({ status, count }) => `${count} ${status}`).join(', ')})`
  }
  return [
    `days: ${days}`,
    ...[...new Set(rows.map(({ table }) => table))].map(of),
    ...byKind.map(({ kind, end, count }) => `break ${kind}: ${count} ended as ${end}`),
    ...[...report.counts].toSorted(([a], [b]) => a.localeCompare(b)).map(([what, count]) => `${what}: ${count}`),
    `freezes of payouts: ${freezes[0]!.count}, frozen time: ${freezes[0]!.seconds} s`,
  ]
}
