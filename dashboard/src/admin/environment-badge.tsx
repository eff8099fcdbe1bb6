/** Shows whether money is real: by a word, a sign, a shape and a colour. */
import { Badge } from '@mantine/core'
import { IconCash, IconFlask2 } from '../ui/icons.ts'
import { plainColumn } from '../ui/columns.tsx'
import type { Column } from '../ui/data-table.tsx'
import classes from './environment-badge.module.css'
import { operatorTexts } from './operator-texts.ts'
import type { Environment } from './searches.ts'

/** Live money is a filled, round badge with coins; test money an outlined, square one with a flask. */
export function EnvironmentBadge({ environment }: { environment: Environment }) {
  const say = operatorTexts.use()
  const isLive = environment === 'live'
  const Sign = isLive ? IconCash : IconFlask2
  return (
    <Badge
      variant={isLive ? 'filled' : 'outline'}
      color={isLive ? 'green' : 'gray'}
      radius={isLive ? 'xl' : 2}
      leftSection={<Sign size={13} aria-hidden />}
      className={classes[environment]}
    >
      {say(`environment.${environment}`)}
    </Badge>
  )
}

/** The column of a table that says whether money is real. */
export function environmentColumn<Row>(title: string, environmentOf: (row: Row) => Environment): Column<Row> {
  return plainColumn(title, (row) => <EnvironmentBadge environment={environmentOf(row)} />)
}
