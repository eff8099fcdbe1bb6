/** The conditions of a search for a part of a text. */
import { sql, type Sql } from './sql.ts'

/**
 * Whether a name has the searched text in it, read as people see it (`fold_text`). What was typed is folded once a statement: as a plain
 * argument, a prepared statement folds it again for every row.
 */
export const holdsFolded = (column: Sql, text: string | null): Sql =>
  sql`strpos(fold_text(${column}), (select fold_text(${text}::text))) > 0`

/** The same in a text without accents, such as an address or a reference: in capitals or not. */
export const holdsText = (column: Sql, text: string | null): Sql =>
  sql`strpos(lower(${column}), (select lower(${text}::text))) > 0`

/** The pattern of `like` for a text at any place. */
export const anywhere = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
