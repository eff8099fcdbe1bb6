/**
 * The only access to release_code_start: since when workers make the codes of approvals (order-mac.ts). Invariant: the service writes this
 * moment once and cannot change it, and an hour later no payout leaves without a code.
 */
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import type { ReleasedPayout } from './order-mac.ts'

/**
 * Whether processes of the version before, which makes no codes, may still run beside this one. A start in the future is over: the clock of
 * the database was set back.
 */
export const mayLackReleaseCode: Sql = sql`not exists (
  select from release_code_start s where s.started_at not between clock_now() - interval '1 hour' and clock_now() + interval '1 minute')`

/** Notes when codes began; later calls change nothing. */
export async function noteReleaseCodeStart(db: Runner): Promise<void> {
  await db.rows(sql`insert into release_code_start (is_only) values (true) on conflict do nothing`)
}

/** The next payouts that the version before has released; none when its hour is over. */
export async function releasedWithoutCode(db: Runner, limit: number): Promise<ReleasedPayout[]> {
  return db.rows<ReleasedPayout>(sql`
    select p.home, p.id, p.merchant_id, p.amount, p.approval, p.approval_by
    from payouts p
    join provider_payouts c on c.home = p.home and c.payout_id = p.id
    where p.status in ('pending', 'processing') and p.approval in ('none', 'approved') and c.approval_mac is null and ${mayLackReleaseCode}
    order by p.created_at limit ${limit}`)
}

const codeColumns = { home: 'smallint', id: 'uuid', mac: 'text' } as const

/** Stores codes where there are none, unless the hour is over. */
export async function storeReleaseCodes(db: Runner, codes: { home: number; id: string; mac: string }[]): Promise<void> {
  await db.rows(sql`
    update provider_payouts c set approval_mac = n.mac
    from ${recordset(codes, 'n', codeColumns)}
    where c.home = n.home and c.payout_id = n.id and c.approval_mac is null and ${mayLackReleaseCode}`)
}
