/** What is wrong with which document or field: the owner sees each reason at its place, and corrects only that. */
import { ActionIcon, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconX } from '../../ui/icons.ts'
import type { Operations, RejectionReason } from '../../api/operations.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { optional } from '../../ui/texts.ts'
import { type Purpose } from '../operator-texts.ts'
import { factNames, type Case } from './read-case.ts'
import { reviewTexts } from './texts.ts'

type Sent = NonNullable<Operations['POST /v1/admin/kyc/{user_id}/verify']['body']['problems']>[number]
type Item = Sent['item']

/** `code` is empty until one is chosen. */
export type Found = { item: Item; code: Sent['code'] | ''; note: string }

/** The fields that a reviewer compares with the documents. */
const fields = {
  person: ['full_name', 'national_id_number', 'date_of_birth', 'student_id', 'institution'],
  business: [...factNames, 'representative_role'],
} as const satisfies Record<Case['kind'], readonly Item[]>

type Field = (typeof fields)[Case['kind']][number]

const isField = (item: Item): item is Field => [...fields.person, ...fields.business].some((field) => field === item)

export function useItemName(): (item: Item) => string {
  const say = reviewTexts.use()
  return (item) => (isField(item) ? say(`fact.${item}`) : say(`purpose.${item as Purpose}`))
}

/** As the API takes them; undefined while one has no reason. */
export function sentOf(found: readonly Found[]): Sent[] | undefined {
  const sent = found.flatMap(({ item, code, note }): Sent[] => {
    const words = note.trim()
    if (code === '' || (code === 'other' && words === '')) return []
    return [{ item, code, ...(words !== '' && { note: words }) }]
  })
  return sent.length === found.length ? sent : undefined
}

/** The words for the owner, as the API writes them. */
export function wordsOf({ code, note }: Found, reasons: readonly RejectionReason[]): string {
  const reason = reasons.find((one) => one.code === code)
  const own = note.trim()
  const lines = reason ? [reason.item.sw, own, reason.item.en, own] : [own]
  return lines.filter((line) => line !== '').join('\n')
}

type Props = {
  decided: Case
  reasons: readonly RejectionReason[]
  found: readonly Found[]
  onChange(found: Found[]): void
}

export function Problems({ decided: { kind, documents }, reasons, found, onChange }: Props) {
  const say = reviewTexts.use()
  const language = useLanguage()
  const nameOf = useItemName()
  const purposes = documents.map(({ purpose }) => purpose as Item)
  const rest = [...purposes, ...fields[kind]].filter((item) => !found.some((one) => one.item === item))
  const change = (item: Item, changes: Partial<Found>): void =>
    onChange(found.map((one) => (one.item === item ? { ...one, ...changes } : one)))
  return (
    <Stack gap="sm" component="section" aria-label={say('problems')}>
      {found.map(({ item, code, note }) => (
        <Paper key={item} p="sm" role="group" aria-label={nameOf(item)}>
          <Stack gap="xs">
            <Group justify="space-between">
              <Text fw={600}>{nameOf(item)}</Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`${say('removeProblem')}: ${nameOf(item)}`}
                onClick={() => onChange(found.filter((one) => one.item !== item))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
            <NativeSelect
              label={say('problemReason')}
              value={code}
              onChange={({ currentTarget }) => change(item, { code: currentTarget.value as Found['code'] })}
              data={[
                { value: '', label: say('chooseReason') },
                ...reasons
                  .filter(({ about }) => about.includes(isField(item) ? 'field' : 'document'))
                  .map((reason) => ({ value: reason.code, label: reason.item[language] })),
                { value: 'other', label: say('otherReason') },
              ]}
            />
            <TextInput
              label={code === 'other' ? say('problemNote') : optional(say('problemNote'))}
              maxLength={500}
              value={note}
              onChange={({ currentTarget }) => change(item, { note: currentTarget.value })}
            />
          </Stack>
        </Paper>
      ))}
      <NativeSelect
        label={say('problems')}
        description={say('problemsHint')}
        value=""
        onChange={({ currentTarget }) => onChange([...found, { item: currentTarget.value as Item, code: '', note: '' }])}
        data={[{ value: '', label: say('addProblem') }, ...rest.map((item) => ({ value: item, label: nameOf(item) }))]}
      />
    </Stack>
  )
}
