/** Puts the files of a backup where a PostgreSQL can start on them, and configures it to recover from the archive up to a given time. */
import { randomUUID } from 'node:crypto'
import { appendFile, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { markerSetting } from '../../money/controls/restore.sql.ts'
import { copyFile, changeOwner, hashOf, ignoreMissing } from './copy-files.ts'
import { BackupProblem, clusterFolder, manifestName, type Manifest } from './take-backup.ts'

export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(ignoreMissing)
  if (text === undefined) throw new BackupProblem(`${folder} has no ${manifestName}: it is no backup, or one that was cut short.`)
  return JSON.parse(text) as Manifest
}

/** The files of a backup that have changed since it was taken. */
export async function findDamage(folder: string): Promise<string[]> {
  const { files } = await readManifest(folder)
  const damaged: string[] = []
  for (const { path, sha256 } of files) {
    if ((await hashOf(join(folder, clusterFolder, path)).catch(ignoreMissing)) !== sha256) damaged.push(path)
  }
  return damaged
}

export type Restoration = {
  backup: string
  /** The data directory of the new server: new or empty. */
  into: string
  /** The folder of the WAL, as archive_command stored it. */
  archive: string
  /** Recovery stops at the last commit before this time; undefined: at the end of the archive. */
  until: string | undefined
}

/** Checks a path for a quoted setting and for a shell command inside it. */
function requirePlain(path: string): string {
  if (/['"%\\\n$`]/.test(path))
    throw new BackupProblem(`${path} has characters that a restore_command cannot hold: use another path.`)
  return path
}

export async function restoreBackup({ backup, into, archive, until }: Restoration): Promise<Manifest> {
  const manifest = await readManifest(backup)
  const moment = until === undefined ? undefined : new Date(until)
  if (moment && Number.isNaN(moment.getTime())) throw new BackupProblem(`${until} is no time: write it as 2026-01-25T09:30:00Z.`)
  if (moment && moment < new Date(manifest.endedAt)) {
    throw new BackupProblem(`The backup ended at ${manifest.endedAt}, later than ${until}: use an older one.`)
  }
  const target = resolve(into)
  if (((await readdir(target).catch(ignoreMissing)) ?? []).length > 0)
    throw new BackupProblem(`${target} is not empty: name a new folder.`)
  const command = `cp "${requirePlain(resolve(archive))}/%f" "%p"`

  const { owner } = manifest
  for (const folder of ['', ...manifest.folders, 'pg_wal/archive_status', 'pg_wal/summaries']) {
    await mkdir(join(target, folder), { recursive: true, mode: 0o700 })
    await changeOwner(join(target, folder), owner)
  }
  await chmod(target, 0o700)
  for (const { path, sha256 } of manifest.files) {
    const copied = await copyFile(join(backup, clusterFolder), target, path, owner)
    if (copied?.sha256 !== sha256) throw new BackupProblem(`${path} in ${backup} is damaged: use another backup.`)
  }
  const settings = {
    restore_command: command,
    // The backup of a database that was itself restored has the target of then in this file: each is written again, the unused ones empty.
    recovery_target: '',
    recovery_target_lsn: '',
    recovery_target_name: '',
    recovery_target_xid: '',
    recovery_target_time: moment?.toISOString().replace('T', ' ').replace('Z', '+00') ?? '',
    recovery_target_inclusive: 'on',
    recovery_target_timeline: 'latest',
    recovery_target_action: 'promote',
    // Until an operator has checked the restored server, it must not write into the archive that it came from.
    archive_mode: 'off',
    // The first process of the service that reads it turns checkouts and payouts off (server/money/controls/mark-restored.ts).
    [markerSetting]: [randomUUID(), ...(moment ? [moment.toISOString()] : [])].join(' '),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(join(target, 'postgresql.auto.conf'), lines.join(''), { mode: 0o600 })
  await writeFile(join(target, 'recovery.signal'), '', { mode: 0o600 })
  for (const file of ['postgresql.auto.conf', 'recovery.signal']) await changeOwner(join(target, file), owner)
  return manifest
}
