/** `malipo-ops restored` reports a restore from the moment the database server names it, before any process has recorded it. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { noteRestore } from '../../money/controls/mark-restored.ts'
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
  await app.owner.pool.query(`alter database "${rows[0]!.name}" set ${markerSetting} = '${randomUUID()}'`)
  assert.match(await restored(), /^A restore is open: the first api or worker that starts records it/)

  const db = openServiceDb(app.config, log, 'test')
  await noteRestore({ db, log })
  await db.close()
  assert.match(await restored(), /^A restore is open: \d+ comparisons/)
})
