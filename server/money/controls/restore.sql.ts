/** The only statements on `restores`. */
import type { Direction } from '../../domain/provider.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'

/** The setting of the database server that a restore leaves (server/operations/backup/restore-backup.ts): empty when it was never restored. */
export const markerSetting = 'malipo.restored'

/** The marker of the last restore, if this database has no row for it yet. */
export async function findUnnotedMarker(db: Runner): Promise<string | undefined> {
  return db.maybeValue<string>(sql`
    select marker from current_setting(${markerSetting}, true) as s (marker)
    where marker <> '' and not exists (select from restores where id = split_part(marker, ' ', 1)::uuid)`)
}

export type Restore = { id: string; restoredTo: Date; notedAt: Date }

/**
 * Records a restore; undefined when it is already recorded. Without a given time, it is the last commit that PostgreSQL replayed,
 * or else the last sign of activity in the database.
 */
export async function insertRestore(
  tx: Tx,
  restore: { id: string; restoredTo: Date | null; by: string },
): Promise<Restore | undefined> {
  return tx.maybeOne<Restore>(sql`
    insert into restores (id, restored_to, noted_by)
    values (${restore.id}, coalesce(${restore.restoredTo}::timestamptz, pg_last_xact_replay_timestamp(),
      (select max(started_at) from reconciliation_runs), clock_now()), ${restore.by})
    on conflict (id) do nothing
    returning id, restored_to, noted_at`)
}

/** The number of comparisons with providers that remain before a restore ends; undefined when no restore is open. Unplanned ones count as one. */
export async function countComparisonsLeft(db: Runner): Promise<number | undefined> {
  const [row] = await db.rows<{ open: number; left: number }>(sql`
    select count(distinct r.id)::integer as open, (count(n.id) + count(distinct r.id) filter (where r.planned_at is null))::integer as left
    from restores r
    left join reconciliation_runs n on n.restore_id = r.id and (n.ended_at is null or (n.subject = 'payouts' and n.unreadable > 0))
    where r.ended_at is null`)
  return row!.open === 0 ? undefined : row!.left
}

/** The restores without planned comparisons, locked; skips restores that another process is planning. */
export async function lockUnplannedRestores(tx: Tx): Promise<Restore[]> {
  return tx.rows<Restore>(sql`
    select id, restored_to, noted_at from restores where ended_at is null and planned_at is null
    for update skip locked`)
}

export async function recordPlanned(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`update restores set planned_at = clock_now() where id = ${id}`)
}

/**
 * Ends the restores whose comparisons have all ended; returns their ids. An unreadable payout record may belong to an order that
 * would be sent again, so a comparison with one does not count.
 */
export async function endComparedRestores(db: Runner): Promise<string[]> {
  return db.values<string>(sql`
    update restores r set ended_at = clock_now()
    where r.ended_at is null and r.planned_at is not null and not exists (
      select from reconciliation_runs n
      where n.restore_id = r.id and (n.ended_at is null or (n.subject = 'payouts' and n.unreadable > 0)))
    returning r.id`)
}

/** Ends the open restores without their comparisons, by an operator's decision. */
export async function forceRestores(tx: Tx, by: { actor: string; reason: string }): Promise<void> {
  await tx.rows(sql`
    update restores set ended_at = clock_now(), forced_by = ${by.actor}, forced_reason = ${by.reason} where ended_at is null`)
}

/**
 * The state of an order since the last restore of this database. `comparing`: the lost time is still being compared with the
 * provider. For an order from before the restore additionally, `compared`: the provider's list showed whether it has the order;
 * `uncompared`: the provider has no list, or an operator did not wait. Null: no restore affects the order.
 */
export type RestoreDoubt = 'comparing' | 'compared' | 'uncompared'

export const isComparing = sql`exists (select from restores where ended_at is null)`

export const restoreDoubt = (subject: Direction, order: { createdAt: Sql; environment: Sql; provider: Sql }): Sql => sql`(
  select case
      when bool_or(r.ended_at is null) then 'comparing'
      when bool_or(r.noted_at >= ${order.createdAt} and (r.forced_by is not null or not exists (
        select from reconciliation_runs n
        where n.restore_id = r.id and n.subject = ${subject} and n.environment = ${order.environment} and n.provider = ${order.provider})))
      then 'uncompared'
      when bool_or(r.noted_at >= ${order.createdAt}) then 'compared'
    end from restores r)`
