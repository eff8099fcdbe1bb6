/**
 * A restore to an earlier moment: everything since is lost from our books, but not at the provider, whose phones rang and whose
 * money moved. Backup and restore use the operator's own commands (docs/operations/backup.md).
 */
import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { eventually } from '../app.ts'
import { must } from './merchants.ts'
import { ops } from './months.ts'
import { signIn, type Operator } from './operators.ts'
import { settleDown } from './quiet.ts'
import type { Service } from './service.ts'

/** A moment that can be restored. */
export type RestorePoint = { folder: string; archive: string; until: string; at: number }

async function restartDatabase(service: Service): Promise<void> {
  await service.database.crash()
  await service.database.start()
  await service.findDatabase()
}

/** Starts archiving and takes a backup; returns the input of `markPoint`. */
export async function takeBackup(service: Service, name: string): Promise<{ folder: string; archive: string }> {
  const place = join(service.fastFolder, name)
  const [folder, archive] = [join(place, 'backup'), join(place, 'archive')]
  await mkdir(archive, { recursive: true, mode: 0o700 })
  // The database's user needs access to its archive.
  await chmod(place, 0o755)
  const { uid, gid } = service.database.owner
  if (process.getuid?.() === 0) await chown(archive, uid, gid)
  await service.owner.query('alter system set archive_mode = on')
  await service.owner.query(
    `alter system set archive_command = 'if test -f "${archive}/%f"; then cmp -s %p "${archive}/%f" && sync "${archive}"; else cp %p "${archive}/%f.part" && sync "${archive}/%f.part" && mv "${archive}/%f.part" "${archive}/%f" && sync "${archive}"; fi'`,
  )
  await restartDatabase(service)
  await ops(service, 'backup', 'take', folder)
  return { folder, archive }
}

/** Marks the moment after which everything will be lost. */
export async function markPoint(service: Service, backup: { folder: string; archive: string }): Promise<RestorePoint> {
  const { rows } = await service.owner.query<{ at: Date }>('select clock_timestamp() as at')
  return { ...backup, until: rows[0]!.at.toISOString(), at: service.clock.now() }
}

/** Loses the database and restores it to its state at the point; api and worker are stopped before and started after. */
export async function restore(service: Service, { folder, archive, until, at }: RestorePoint): Promise<void> {
  const { owner, database } = service
  const { rows } = await owner.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file')
  await eventually('the log is archived up to now', async () => {
    const archived = await owner.query<{ isDone: boolean }>(
      `select coalesce(last_archived_wal >= $1, false) as "isDone" from pg_stat_archiver`,
      [rows[0]!.file],
    )
    return archived.rows[0]!.isDone
  })
  await service.kill('api')
  await service.kill('worker')
  await database.crash()
  await rm(database.cluster, { recursive: true, maxRetries: 10 })
  await ops(service, 'backup', 'restore', folder, '--into', database.cluster, '--archive', archive, '--until', until)
  // The log of commits has the machine's time; the beginning of the lost time is written in the year's time.
  const settings = join(database.cluster, 'postgresql.auto.conf')
  await writeFile(settings, (await readFile(settings, 'utf8')).replaceAll(until, new Date(at).toISOString()))
  await database.start()
  await service.findDatabase()
  const { rows: left } = await owner.query<{ isNew: boolean }>(
    `select coalesce(max(created_at) > $1, false) as "isNew" from payments`,
    [new Date(service.clock.now())],
  )
  assert.equal(left[0]!.isNew, false, 'restored data is not new')
  // This archive is not used again; the next backup has its own.
  await owner.query(`alter system set archive_command = 'true'`)
  await owner.query('select pg_reload_conf()')
  await rm(dirname(archive), { recursive: true, maxRetries: 10 })
  await service.start('worker')
  await service.start('api')
}

/** Waits until the lost time has been compared with the provider, and turns on again what the restore has turned off. */
export async function reopen(service: Service, operator: Operator): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    if (tries === 60) assert.fail(`a restore is compared within an hour: ${await ops(service, 'restored')}`)
    await settleDown(service)
    const { rows } = await service.owner.query<{ open: number }>(
      'select count(*)::integer as open from restores where ended_at is null',
    )
    if (rows[0]!.open === 0) break
    await service.clock.forward(60_000)
  }
  const token = await signIn(service, operator)
  const switches = (await must(service, 200, 'GET', '/v1/admin/switches', { token })) as { name: string; state: string }[]
  for (const { name } of switches.filter(({ state }) => state === 'off')) {
    const body = { state: 'on', reason: 'The lost time has been compared.' }
    await must(service, 200, 'PUT', `/v1/admin/switches/${name}`, { token, body })
  }
}
