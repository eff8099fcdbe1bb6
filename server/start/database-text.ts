/**
 * Checks before a process serves that the database holds every character and still orders text as its indexes do. Keys compare bytes
 * (migration 0038), so a changed collation can hide rows from a search, and never lets a second key in: it is reported, and not refused.
 */
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/values.ts'
import { encodingProblem, readDatabaseText } from '../platform/db/database-text.sql.ts'
import { withClient } from '../platform/db/logins.sql.ts'
import type { Log } from '../platform/process/log.ts'

export async function checkDatabaseText({ database }: Pick<Config, 'database'>, log: Log): Promise<void> {
  const text = await withClient(database.url, database.connectTimeoutMs, readDatabaseText)
  const problem = encodingProblem(text)
  if (problem !== undefined) throw new ConfigError(`Refused to start. ${problem}`)
  const { recorded, installed } = text
  if (recorded === installed) return
  log.error('database.collation_changed', new Error('collation_changed'), { alert: true, recorded, installed })
}
