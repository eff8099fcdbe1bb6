/** How the database keeps and orders text. A process that serves or migrates checks it first. */
import type pg from 'pg'

export type DatabaseText = {
  encoding: string
  /** The version of the system's collation that its indexes were made with, and the one that is installed; null: it has no versions. */
  recorded: string | null
  installed: string | null
}

export async function readDatabaseText(client: Pick<pg.ClientBase, 'query'>): Promise<DatabaseText> {
  const { rows } = await client.query<DatabaseText>(
    `select pg_encoding_to_char(encoding) as encoding, datcollversion as recorded, pg_database_collation_actual_version(oid) as installed
     from pg_database where datname = current_database()`,
  )
  return rows[0]!
}

/** What is wrong with an encoding, as a sentence; undefined if it holds every character. */
export function encodingProblem({ encoding }: DatabaseText): string | undefined {
  if (encoding === 'UTF8') return undefined
  return `The database has the encoding ${encoding}, which cannot hold every name. Create it with UTF8, as in docs/operations/install.md, and load your data into it.`
}
