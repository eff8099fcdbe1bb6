/** The retention rules and their progress, for an operator to read. */
import type { Db } from '../platform/db/db.ts'
import { rules } from './retention-rules.ts'
import { readTurns } from './turn.sql.ts'

/** A paragraph for each rule: the kept rows, the period, and the time of the last run. */
export async function describeRetention(db: Db): Promise<string> {
  const turns = new Map((await readTurns(db)).map((turn) => [turn.rule, turn]))
  return rules
    .map(({ name, tables, keeps, because }) => {
      const turn = turns.get(name)
      const last = turn?.endedAt ? `${turn.endedAt.toISOString()}, ${turn.removed} removed so far` : 'never'
      return `${name} (${tables.join(', ')})\n  kept:     ${keeps}\n  why:      ${because}\n  last run: ${last}`
    })
    .join('\n\n')
}
