/** `malipo-ops migrate | restored`: the schema of the database, and what follows a restore. */
import { randomUUID } from 'node:crypto'
import { byCommandLine } from '../../base/audit/audit.ts'
import { markRestored } from '../../money/controls/mark-restored.ts'
import { countComparisonsLeft, findUnnotedMarker } from '../../money/controls/restore.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { command, UsageError, type Commands } from '../../platform/process/commands.ts'

type Deps = {
  open(): Promise<{ db: Db }>
  /** A connection as the owner of the schema, with a long statement timeout. */
  openAsOwner(): Promise<{ db: Db }>
  print(line: string): void
}

async function migrateSchema({ openAsOwner, print }: Deps): Promise<void> {
  const applied = await migrate((await openAsOwner()).db)
  print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.')
}

async function noteRestore({ open, print }: Deps, to: string): Promise<void> {
  const restoredTo = new Date(to)
  if (Number.isNaN(restoredTo.getTime())) throw new UsageError()
  await markRestored((await open()).db, { id: randomUUID(), restoredTo }, byCommandLine)
  print(`Noted. Checkouts and payouts are off; a worker compares the time since ${restoredTo.toISOString()} with the providers.`)
}

async function showRestore({ open, print }: Deps): Promise<void> {
  const { db } = await open()
  if ((await findUnnotedMarker(db)) !== undefined)
    return print('A restore is open: the first api or worker that starts records it, and turns checkouts and payouts off.')
  const left = await countComparisonsLeft(db)
  print(
    left === undefined
      ? 'No restore is open: checkouts and payouts can be turned on.'
      : `A restore is open: ${left} comparisons with providers have not ended, or could not read a payout.`,
  )
}

export const databaseCommands: Commands<Deps> = {
  migrate: command({
    summary: 'Bring the database schema up to date.',
    run: migrateSchema,
  }),
  restored: command({
    flags: '[--to <time>]',
    options: { to: { type: 'string' } },
    summary: 'Show whether a restore is still being compared. With --to: record a restore made with other tools.',
    run: (deps: Deps, _words, { to }) => (to === undefined ? showRestore(deps) : noteRestore(deps, to)),
  }),
}
