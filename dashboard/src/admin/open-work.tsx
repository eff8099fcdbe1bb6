/** How long work waits for an operator: of a whole queue, and of one row. Overdue is a word, not only a colour. */
import { Badge, Group, Text } from '@mantine/core'
import { IconAlertTriangle } from '../ui/icons.ts'
import type { OperationsOverview } from '../api/operations.ts'
import { useAnswer } from '../api/queries.ts'
import { useLanguage } from '../i18n/define-texts.ts'
import type { Column } from '../ui/data-table.tsx'
import { count } from '../ui/format.ts'
import { ageText, operatorTexts } from './operator-texts.ts'

export type OpenWork = OperationsOverview['open_work'][number]

export const secondsSince = (at: string): number => Math.max(0, (Date.now() - Date.parse(at)) / 1000)

export function useOpenWork(name: OpenWork['name']): OpenWork | undefined {
  const { data } = useAnswer('GET /v1/admin/overview', {}, { isLive: 'slowly' })
  return data?.data.open_work.find((one) => one.name === name)
}

/** The age of one row; `overdueAfter` is undefined until it is known. */
export function Waited({ seconds, overdueAfter }: { seconds: number; overdueAfter: number | undefined }) {
  const say = operatorTexts.use()
  const language = useLanguage()
  if (overdueAfter === undefined || seconds <= overdueAfter)
    return <span className="figures nowrap">{ageText(seconds, language)}</span>
  return (
    <Badge color="red" leftSection={<IconAlertTriangle size={13} aria-hidden />}>
      {ageText(seconds, language)} · {say('overdue')}
    </Badge>
  )
}

/** The column of a queue that says how long each entry has waited. */
export function waitedColumn<Row>(title: string, secondsOf: (row: Row) => number, work: OpenWork | undefined): Column<Row> {
  return { title, cell: (row) => <Waited seconds={secondsOf(row)} overdueAfter={work?.overdue_after_seconds} /> }
}

/** The size of a queue and the age of its oldest entry, above its list. */
export function QueueAge({ work }: { work: OpenWork | undefined }) {
  const say = operatorTexts.use()
  if (work === undefined || work.oldest_seconds === null) return null
  return (
    <Group gap="xs" role="status">
      <Text size="sm">{say('waiting', { count: work.count, size: count(work.count) })}</Text>
      <Text size="sm">{say('oldestWaits')}</Text>
      <Waited seconds={work.oldest_seconds} overdueAfter={work.overdue_after_seconds} />
    </Group>
  )
}
