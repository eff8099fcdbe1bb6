/** Shows by a word and a colour whether money is real. */
import { Badge } from '@mantine/core'
import { operatorTexts } from './operator-texts.ts'
import type { Environment } from './search-fields.ts'

export function EnvironmentBadge({ environment }: { environment: Environment }) {
  const say = operatorTexts.use()
  return <Badge color={environment === 'test' ? 'yellow' : 'green'}>{say(`environment.${environment}`)}</Badge>
}
