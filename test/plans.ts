/** The plans of statements: what PostgreSQL reads for them, and by which index. */
import { Sql } from '../server/platform/db/db.ts'

export type Plan = { 'Node Type': string; 'Relation Name'?: string; 'Index Name'?: string; Plans?: Plan[] } & Record<
  string,
  unknown
>

/** The text of a statement, with its values added to `values`. */
export function textOf(piece: Sql, values: unknown[]): string {
  let text = piece.strings[0]!
  piece.values.forEach((value, index) => {
    text += value instanceof Sql ? textOf(value, values) : `$${values.push(value)}`
    text += piece.strings[index + 1]!
  })
  return text
}

export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
