/** A restored PostgreSQL recovers to the moment of this restore, whatever an earlier restore left in its settings. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { findBinaries } from '../../platform/local-postgres/embedded-postgres-binaries.ts'
import { ownerOf } from './copy-files.ts'
import { restoreBackup } from './restore-backup.ts'
import { clusterFolder, manifestName, type Manifest } from './take-backup.ts'

test('a second restore does not keep the moment of the first, which the backup has in its settings', async (t) => {
  const place = await mkdtemp(join(tmpdir(), 'malipo-restore-'))
  t.after(() => rm(place, { recursive: true }))
  const backup = join(place, 'backup')
  await mkdir(join(backup, clusterFolder), { recursive: true })
  async function writeBackup(autoConf: string): Promise<void> {
    const files: Manifest['files'] = []
    for (const [path, content] of Object.entries({ 'postgresql.conf': '', 'postgresql.auto.conf': autoConf })) {
      await writeFile(join(backup, clusterFolder, path), content)
      files.push({ path, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') })
    }
    const manifest: Manifest = {
      format: 1,
      startedAt: '2026-02-25T02:00:00.000Z',
      endedAt: '2026-02-25T02:01:00.000Z',
      startLsn: '0/1000000',
      endLsn: '0/2000000',
      serverVersion: 18,
      systemId: '1',
      schema: null,
      owner: await ownerOf(backup),
      folders: [],
      files,
    }
    await writeFile(join(backup, manifestName), JSON.stringify(manifest))
  }

  const server = join(await findBinaries(undefined, undefined, () => undefined), 'postgres')
  /** What PostgreSQL itself reads. It refuses to start with two targets. */
  async function targetsOf(until: string | undefined): Promise<string[]> {
    const into = join(place, `into-${until ?? 'the-end'}`)
    await restoreBackup({ backup, into, archive: join(place, 'archive'), until })
    const names = ['time', 'xid', 'lsn', 'name', 'timeline'].map((name) => `recovery_target_${name}`)
    const shown = names.map((name) => promisify(execFile)(server, ['-C', name, '-D', into]))
    return (await Promise.all(shown)).map(({ stdout }) => stdout.trim())
  }
  await writeBackup("recovery_target_time = '2026-01-25 09:30:00+00'\n")
  assert.deepEqual(await targetsOf(undefined), ['', '', '', '', 'latest'])
  // A restore by hand may have used any other target.
  await writeBackup("recovery_target_xid = '700'\nrecovery_target_timeline = 'current'\n")
  assert.deepEqual(await targetsOf('2026-02-25T09:30:00Z'), ['2026-02-25 09:30:00.000+00', '', '', '', 'latest'])
})
