/**
 * A base backup of a running PostgreSQL by copying its files (the low-level API of its manual, 25.3.3), for machines without
 * pg_basebackup. It is only useful together with the WAL archive from its start on. Invariant: a folder is a backup when it has a
 * manifest, which is written last and names every file with its hash.
 */
import { access, constants, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { databaseErrorCode, type Db } from '../../platform/db/db.ts'
import { openBackup, readCluster, type ClusterFacts } from './cluster.sql.ts'
import { copyFile, ignoreMissing, listTree, ownerOf, type CopiedFile, type Owner } from './copy-files.ts'

/** An error that stops a backup or a restore; its message is for the operator. */
export class BackupProblem extends Error {}

export const manifestName = 'manifest.json'
export const clusterFolder = 'cluster'

export type Manifest = {
  format: 1
  startedAt: string
  endedAt: string
  startLsn: string
  endLsn: string
  serverVersion: number
  systemId: string
  /** The newest migration of the schema. */
  schema: string | null
  owner: Owner
  folders: string[]
  files: CopiedFile[]
}

/** Folders whose content a server creates again, or must not find: a restored cluster has them, empty. */
const emptied = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp', 'pg_subtrans']
const leftOut =
  /(^|\/)(postmaster\.pid|postmaster\.opts|pg_internal\.init.*|pgsql_tmp.*|backup_label(\.old)?|tablespace_map(\.old)?|recovery\.signal|standby\.signal)$/
/** Contains the end position of recovery: it is copied after everything else. */
const lastFile = 'global/pg_control'

function requireBackupable({ archiveMode, isArchiving, hasTablespaces }: ClusterFacts): void {
  if (archiveMode === 'off') {
    throw new BackupProblem(
      'The WAL is not archived (archive_mode is off): a backup could not be restored. See docs/operations/backup.md.',
    )
  }
  if (!isArchiving)
    throw new BackupProblem(
      'The last attempt to archive WAL failed: correct archive_command first (the log of PostgreSQL says why).',
    )
  if (hasTablespaces) throw new BackupProblem('There are tablespaces, which this command does not copy: use pg_basebackup.')
}

async function readableOwner(folder: string): Promise<Owner> {
  await access(folder, constants.R_OK | constants.X_OK)
  return ownerOf(folder)
}

/** Copies the cluster into `folder`, which must be new or empty; returns the manifest. `db` must have no role. */
export async function takeBackup(db: Db, folder: string, name: string): Promise<Manifest> {
  const facts = await readCluster(db).catch((error: unknown) => {
    if (databaseErrorCode(error) !== '42501') throw error
    throw new BackupProblem(
      `The login may not back up the database: ${(error as Error).message}. Let a superuser run ops/logins.sql in this database once, and back up as malipo_owner (DATABASE_OWNER_URL); without a superuser, use the backups of your database provider.`,
    )
  })
  requireBackupable(facts)
  const from = facts.dataDirectory
  const owner = await readableOwner(from).catch((error: NodeJS.ErrnoException) => {
    throw new BackupProblem(
      `The files of the database (${from}) cannot be read here (${error.code}): run this on its machine, as root or as its user.`,
    )
  })
  const target = resolve(folder)
  if (((await readdir(target).catch(ignoreMissing)) ?? []).length > 0)
    throw new BackupProblem(`${target} is not empty: name a new folder.`)
  await mkdir(join(target, clusterFolder), { recursive: true, mode: 0o700 })

  const backup = await openBackup(db, name)
  try {
    const entries = (await listTree(from)).filter(({ path }) => !leftOut.test(path))
    const isEmptied = (path: string) => emptied.some((emptiedFolder) => path.startsWith(`${emptiedFolder}/`))
    const folders = entries.filter(({ path, isFolder }) => isFolder && !isEmptied(path)).map(({ path }) => path)
    const files: CopiedFile[] = []
    const wanted = entries
      .filter(({ path, isFolder }) => !isFolder && !isEmptied(path) && path !== lastFile)
      .map(({ path }) => path)
    for (const path of [...wanted, lastFile]) {
      const copied = await copyFile(from, join(target, clusterFolder), path)
      if (copied) files.push(copied)
    }
    const { label, endedAt, endLsn } = await backup.end()
    const labelFile = 'backup_label'
    await writeFile(join(target, labelFile), label, { mode: 0o600 })
    files.push((await copyFile(target, join(target, clusterFolder), labelFile))!)
    const manifest: Manifest = {
      format: 1,
      startedAt: backup.startedAt.toISOString(),
      endedAt: endedAt.toISOString(),
      startLsn: backup.startLsn,
      endLsn,
      serverVersion: facts.serverVersion,
      systemId: facts.systemId,
      schema: facts.schema ?? null,
      owner,
      folders,
      files,
    }
    const draft = join(target, `.${manifestName}`)
    await writeFile(draft, JSON.stringify(manifest, null, 1), { mode: 0o600, flush: true })
    await rename(draft, join(target, manifestName))
    return manifest
  } catch (error) {
    backup.abandon()
    throw error
  }
}
