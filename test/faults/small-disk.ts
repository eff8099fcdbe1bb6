/** A disk for the tables of a test's database that is small enough to be filled to the last byte. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, cpSync, mkdtempSync, rmSync, statfsSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { OwnDatabase } from './own-database.ts'

export type SmallDisk = {
  /** Fills all space that the database has not taken in the meantime, down to the last page. */
  fill(): void
  free(): void
  /** The same database; its release also removes the disk. */
  database: OwnDatabase
}

/**
 * Puts the tables of the database on a disk of 192 MB, a tmpfs, and with `withLog` its log too. Undefined for a user who may not mount
 * one.
 */
export async function putOnSmallDisk(database: OwnDatabase, { withLog = false } = {}): Promise<SmallDisk | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=192m,mode=0777', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  chownSync(folder, database.owner.uid, database.owner.gid)
  const [, name] = /\/([a-z_]+)\?/.exec(database.url)!
  const client = new pg.Client({ connectionString: database.url.replace(`/${name}`, '/template1') })
  await client.connect()
  await client.query(`create tablespace small location '${folder}'`)
  await client.query(`alter database ${name} set tablespace small`)
  await client.end()
  if (withLog) {
    await database.crash()
    const log = join(database.cluster, 'pg_wal')
    cpSync(log, join(folder, 'pg_wal'), { recursive: true })
    rmSync(log, { recursive: true })
    symlinkSync(join(folder, 'pg_wal'), log)
    const { uid, gid } = database.owner
    execFileSync('chown', ['-Rh', `${uid}:${gid}`, join(folder, 'pg_wal'), log])
    await database.start()
  }
  const filler = join(folder, 'filler')
  return {
    fill() {
      try {
        for (;;) appendFileSync(filler, Buffer.alloc(Math.max(4096, statfsSync(folder).bavail * 2048)))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => rmSync(filler),
    database: {
      ...database,
      async drop() {
        await database.drop()
        execFileSync('umount', [folder])
        rmSync(folder, { recursive: true, force: true })
      },
    },
  }
}
