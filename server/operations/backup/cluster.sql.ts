/**
 * PostgreSQL's own facts and functions for a backup of its files. Invariant: a backup stays open as long as its connection; one
 * that was not ended is invalid.
 */
import type { Db } from '../../platform/db/db.ts'
import { appliedMigration } from '../../platform/db/migrate.ts'

export type ClusterFacts = {
  dataDirectory: string
  serverVersion: number
  systemId: string
  /** `on` or `always` when WAL is archived. */
  archiveMode: string
  /** Whether the archive works: false when archiving has failed since the last success. */
  isArchiving: boolean
  hasTablespaces: boolean
  schema: string | undefined
}

export async function readCluster(db: Db): Promise<ClusterFacts> {
  const { rows } = await db.pool.query<Omit<ClusterFacts, 'schema'>>(`
    select current_setting('data_directory') as "dataDirectory", current_setting('server_version_num')::integer as "serverVersion",
      (select system_identifier::text from pg_control_system()) as "systemId", current_setting('archive_mode') as "archiveMode",
      (select last_failed_time is null or last_failed_time <= last_archived_time from pg_stat_archiver) is not false as "isArchiving",
      (select count(*) > 2 from pg_tablespace) as "hasTablespaces"`)
  return { ...rows[0]!, schema: await appliedMigration(db) }
}

export type OpenBackup = {
  startedAt: Date
  startLsn: string
  /** Waits until the WAL that the backup needs is archived; returns the content for `backup_label`. */
  end(): Promise<{ label: string; endedAt: Date; endLsn: string }>
  abandon(): void
}

/** Notifies PostgreSQL that its files are about to be copied. */
export async function openBackup(db: Db, name: string): Promise<OpenBackup> {
  const client = await db.pool.connect()
  try {
    const { rows } = await client.query<{ startLsn: string; startedAt: Date }>(
      `select pg_backup_start($1, fast => true)::text as "startLsn", clock_timestamp() as "startedAt"`,
      [name],
    )
    return {
      ...rows[0]!,
      async end() {
        const ended = await client.query<{ label: string; endedAt: Date; endLsn: string }>(
          `select labelfile as label, lsn::text as "endLsn", clock_timestamp() as "endedAt" from pg_backup_stop(wait_for_archive => true)`,
        )
        client.release()
        return ended.rows[0]!
      },
      abandon: () => client.release(true),
    }
  } catch (error) {
    client.release(true)
    throw error
  }
}
