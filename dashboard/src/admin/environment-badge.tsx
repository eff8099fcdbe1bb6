/** Shows by a word and a colour whether money is real. */
import { Badge } from '@mantine/core'
import { plainColumn } from '../ui/columns.tsx'
import type { Column } from '../ui/data-table.tsx'
import { operatorTexts } from './operator-texts.ts'
import type { Environment } from './searches.ts'

export function EnvironmentBadge({ environment }: { environment: Environment }) {
  const say = operatorTexts.use()
  return <Badge color={environment === 'test' ? 'yellow' : 'green'}>{say(`environment.${environment}`)}</Badge>
}

/** The column of a table that says whether money is real. */
export function environmentColumn<Row>(title: string, environmentOf: (row: Row) => Environment): Column<Row> {
  return plainColumn(title, (row) => <EnvironmentBadge environment={environmentOf(row)} />)
}
