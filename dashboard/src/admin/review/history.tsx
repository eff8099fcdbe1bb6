/** The history of a case, newest first, with the changes of each submission. */
import { Stack, Table, Text } from '@mantine/core'
import { texts } from '../../i18n/language.ts'
import { operatorTexts } from '../operator-texts.ts'
import { Note } from '../../ui/note.tsx'
import { dayText } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { useActorName } from '../me.ts'
import { ScrollBox } from '../scroll-box.tsx'
import type { Case } from './read-case.ts'
import { reviewTexts } from './texts.ts'

type Entry = Case['history'][number]
type FactKey = 'legal_name'

const isPurpose = (field: string): boolean => texts.exists(`purpose.${field}`, { ns: operatorTexts.name })
const isNamed = (key: string): boolean => texts.exists(key, { ns: reviewTexts.name })

export function useFieldName(): (field: string) => string {
  const say = reviewTexts.use()
  return (field) => {
    if (isPurpose(field)) return say(`purpose.${field as 'selfie'}`)
    return isNamed(`fact.${field}`) ? say(`fact.${field as FactKey}`) : field
  }
}

type BusinessType = 'company'

const isDay = /^\d{4}-\d\d-\d\d$/

/** The value of a field in words. For a document only the start of its hash: it is enough to show that the file changed. */
export function useFieldValue(): (field: string, value: string | null) => string | null {
  const say = reviewTexts.use()
  return (field, value) => {
    if (value === null) return null
    if (field === 'business_type' && isNamed(`businessType.${value}`)) return say(`businessType.${value as BusinessType}`)
    // Other fields are what a merchant typed, as on the certificate.
    if (field === 'date_of_birth' && isDay.test(value)) return dayText(`${value}T12:00:00+03:00`)
    if (field === 'country' && value === 'TZ') return 'Tanzania'
    return isPurpose(field) ? `${value.slice(0, 12)}…` : value
  }
}

export function History({ history }: { history: readonly Entry[] }) {
  const say = reviewTexts.use()
  const nameOf = useActorName()
  return (
    <Stack gap="lg">
      {history.map((entry) => (
        <Stack key={entry.version} gap={6}>
          <Text>
            <b>{say(`action.${entry.action}`)}</b> · {say('by', { name: nameOf(entry.actor.id, entry.actor.name) })} ·{' '}
            <Moment at={entry.at} />
          </Text>
          {entry.reason !== null && <Note>{entry.reason}</Note>}
          {entry.changes !== null && entry.changes.length > 0 && <Changes changes={entry.changes} />}
        </Stack>
      ))}
    </Stack>
  )
}

function Changes({ changes }: { changes: NonNullable<Entry['changes']> }) {
  const say = reviewTexts.use()
  const nameOf = useFieldName()
  const valueOf = useFieldValue()
  return (
    <ScrollBox label={say('changes')}>
      <Table aria-label={say('changes')} withTableBorder>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{say('field')}</Table.Th>
            <Table.Th scope="col">{say('before')}</Table.Th>
            <Table.Th scope="col">{say('after')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, before, after }) => (
            <Table.Tr key={field}>
              <Table.Th scope="row">{nameOf(field)}</Table.Th>
              <Table.Td>
                <del>{valueOf(field, before) ?? '–'}</del>
              </Table.Td>
              <Table.Td>
                <ins>{valueOf(field, after) ?? '–'}</ins>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
