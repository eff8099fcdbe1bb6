/** A disk for the tables of a test's database that is small enough to be filled to the last byte. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
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

/** Puts the database on its own disk of 192 MB, a tmpfs; its log is elsewhere. Undefined for a user who may not mount one. */
export async function putOnSmallDisk(database: OwnDatabase): Promise<SmallDisk | undefined> {
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
