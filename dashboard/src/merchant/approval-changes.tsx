/** What is different from what a person has seen: shown when a decision was refused because of it, so that one click decides about what is now. */
import { Text } from '@mantine/core'
import { isRefusal } from '../api/call.ts'
import { defineTexts } from '../i18n/define-texts.ts'
import { money, momentText, phoneText } from '../ui/format.ts'

const texts = defineTexts('approval-changes', {
  row: ['Row {{row}}, {{field}}', 'Mstari {{row}}, {{field}}'],
  was: ['was {{was}}', 'ilikuwa {{was}}'],
  is: ['is {{is}}', 'sasa ni {{is}}'],
  empty: ['empty', 'tupu'],
  none: [
    'It was changed and changed back, or sent again. It is as you have read it.',
    'Ilibadilishwa na kurudishwa, au iliombewa idhini tena. Iko kama ulivyoisoma.',
  ],
  more_one: [
    '{{count}} more row has changed. Close this and look through the rows.',
    'Mstari {{count}} zaidi umebadilika. Funga hapa na uangalie mistari.',
  ],
  more_other: [
    '{{count}} more rows have changed. Close this and look through the rows.',
    'Mistari {{count}} zaidi imebadilika. Funga hapa na uangalie mistari.',
  ],
  field: {
    requested_at: ['Sent for approval', 'Idhini iliombwa'],
    rows: ['Rows', 'Mistari'],
    total: ['Recipients get', 'Wapokeaji watapata'],
    status: ['state', 'hali'],
    amount: ['amount', 'kiasi'],
    phone_number: ['number', 'namba'],
    recipient_name: ['name', 'jina'],
    narration: ['purpose', 'ni ya nini'],
    reference: ['reference', 'kumbukumbu'],
  },
  state: {
    ready: ['ready', 'tayari'],
    invalid: ['with errors', 'una makosa'],
    removed: ['removed', 'umeondolewa'],
  },
})

type Value = string | number | null
type Difference = { version: number; changes: { row: number | null; field: string; was: Value; is: Value }[]; more_rows: number }

const differenceOf = (error: unknown): Difference | undefined =>
  isRefusal(error, 'approval_changed') ? (error.details as Difference) : undefined

/** The version that the next click decides about: that of the difference on the screen, or the one that was read first. */
export const versionOf = (read: number, error: unknown): number => differenceOf(error)?.version ?? read

/** TZS that the next click decides about. */
export const amountOf = (read: number | null, error: unknown): number | null => {
  const total = differenceOf(error)?.changes.find(({ row, field }) => row === null && field === 'total')
  return total ? Number(total.is) : read
}

export function ApprovalChanges({ error }: { error: unknown }) {
  const say = texts.use()
  const difference = differenceOf(error)
  if (!difference) return undefined
  const { changes, more_rows: more } = difference
  const shown = (field: string, value: Value): string => {
    if (value === null) return say('empty')
    if (field === 'total' || field === 'amount') return money(Number(value))
    if (field === 'requested_at') return momentText(String(value))
    if (field === 'phone_number') return phoneText(String(value))
    const state = `state.${value}`
    return field === 'status' && texts.has(state) ? say(state) : String(value)
  }
  const nameOf = (field: string): string => {
    const known = `field.${field}`
    return texts.has(known) ? say(known) : field
  }
  // Two moments of one minute read the same.
  const lines = changes
    .map(({ row, field, was, is }) => ({ row, field, was: shown(field, was), is: shown(field, is) }))
    .filter(({ was, is }) => was !== is)
  return (
    <>
      <ul>
        {lines.map(({ row, field, was, is }) => (
          <li key={`${row} ${field}`}>
            {row === null ? nameOf(field) : say('row', { row, field: nameOf(field) })}: <s>{say('was', { was })}</s>,{' '}
            <b>{say('is', { is })}</b>
          </li>
        ))}
      </ul>
      {lines.length === 0 && more === 0 && <Text>{say('none')}</Text>}
      {more > 0 && <Text>{say('more', { count: more })}</Text>}
    </>
  )
}
