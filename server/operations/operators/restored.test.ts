/** `malipo-ops restored` reports a restore from the moment the database server names it, before any process has recorded it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { bySystem } from '../../base/audit/audit.ts'
import { markRestored, noteRestore } from '../../money/controls/mark-restored.ts'
import { markerSetting } from '../../money/controls/restore.sql.ts'
import { openServiceDb } from '../../start/dependencies.ts'
import { runCommand } from '../../platform/process/commands.ts'
import { createLog } from '../../platform/process/log.ts'
import { databaseCommands } from './database-commands.ts'

test('a restore that no process has recorded yet is open', async (t) => {
  const app = await startTestApp(t)
  const log = createLog({ level: 'silent', role: 'test' })
  async function restored(): Promise<string> {
    // A new connection, as every command has: only that reads the setting of the database.
    await using db = Object.assign(openServiceDb(app.config, log, 'test'), {
      [Symbol.asyncDispose]: () => db.close(),
    })
    const said: string[] = []
    const open = async () => ({ db })
    await runCommand({ program: 'ops', commands: databaseCommands }, ['restored'], {
      open,
      openAsOwner: open,
      print: (line) => void said.push(line),
    })
    return said.join('\n')
  }
  assert.match(await restored(), /^No restore is open/)

  const { rows } = await app.owner.pool.query<{ name: string }>('select current_database() as name')
  const mark = (marker: string) => app.owner.pool.query(`alter database "${rows[0]!.name}" set ${markerSetting} = '${marker}'`)
  async function startProcess(): Promise<void> {
    const db = openServiceDb(app.config, log, 'test')
    await noteRestore({ db, log })
    await db.close()
  }
  await mark('')
  assert.match(await restored(), /^No restore is open/)
  const id = randomUUID()
  await mark(id)
  assert.match(await restored(), /^A restore is open: the first api or worker that starts records it/)

  await startProcess()
  // The comparisons are not planned yet, which counts as one.
  assert.match(await restored(), /^A restore is open: 1 comparisons/)
  assert.equal(await markRestored(app.db, { id, restoredTo: null }, bySystem), false, 'another process that started at once')
  // The database is restored again.
  await mark(`${randomUUID()} 2026-01-05T10:00:00Z`)
  assert.match(await restored(), /^A restore is open: the first api or worker that starts records it/)
  await startProcess()
  assert.match(await restored(), /^A restore is open: 2 comparisons/)
  const noted = await app.owner.pool.query(`select count(*)::integer from audit_log where action = 'database.restored'`)
  assert.equal(noted.rows[0].count, 2)
})
