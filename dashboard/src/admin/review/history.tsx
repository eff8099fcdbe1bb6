/** The history of a case, newest first, with the changes of each submission. */
import { Stack, Table, Text } from '@mantine/core'
import { operatorTexts } from '../operator-texts.ts'
import { Note } from '../../ui/note.tsx'
import { dayText, phoneText } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { useActorName } from '../me.tsx'
import { ScrollBox } from '../scroll-box.tsx'
import type { Case } from './read-case.ts'
import { reviewTexts } from './texts.ts'

type Entry = Case['history'][number]

const isPurpose = (field: string): boolean => operatorTexts.has(`purpose.${field}`)

export function useFieldName(): (field: string) => string {
  const say = reviewTexts.use()
  return (field) => {
    if (isPurpose(field)) return say(`purpose.${field as 'selfie'}`)
    const fact = `fact.${field}`
    return reviewTexts.has(fact) ? say(fact) : field
  }
}

const isNida = /^(\d{8})-?(\d{5})-?(\d{5})-?(\d{2})$/

const isDay = /^\d{4}-\d\d-\d\d$/

/** The value of a field in words. For a document only the start of its hash: it is enough to show that the file changed. */
export function useFieldValue(): (field: string, value: string | null) => string | null {
  const say = reviewTexts.use()
  return (field, value) => {
    if (value === null) return null
    const businessType = `businessType.${value}`
    if (field === 'business_type' && reviewTexts.has(businessType)) return say(businessType)
    // Other names are what a merchant typed, as on the certificate.
    if (field === 'date_of_birth' && isDay.test(value)) return dayText(`${value}T12:00:00+03:00`)
    if (field === 'phone') return phoneText(value)
    // As it is printed on the card; a passport has another form.
    if (field === 'national_id_number') return value.replace(isNida, '$1-$2-$3-$4')
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
