/** What a resolution moves: from which account to which, and how much. */
import { Stack, Text } from '@mantine/core'
import type { Break, BreakEffect } from '../api/operations.ts'
import { useAnswer } from '../api/queries.ts'
import { useLanguage } from '../i18n/define-texts.ts'
import { placeOf } from '../i18n/translator.ts'
import { money } from '../ui/format.ts'
import { Note } from '../ui/note.tsx'
import { breakTexts } from './break-texts.ts'
import { accountWords } from './ledger-words.ts'

/** The effects of each resolution, while a break is open; undefined until they are known. */
export function useEffects({ id, status }: Break): readonly BreakEffect[] | undefined {
  const { data } = useAnswer(
    'GET /v1/admin/breaks/{break_id}/effects',
    { params: { break_id: id } },
    { isWanted: status !== 'resolved' },
  )
  return data?.data
}

export function Moves({ effect }: { effect: BreakEffect | undefined }) {
  const say = breakTexts.use()
  const language = useLanguage()
  if (!effect) return null
  // The sentence of the service names the cause, in English only.
  if (effect.refused !== null) return <Note>{say('notNow', { why: language === 'en' ? ` ${effect.refused}` : '' })}</Note>
  if (effect.moves.length === 0) return <Note>{say('noMove')}</Note>
  return (
    <Stack gap={2} component="ul" m={0} pl="md">
      {effect.moves.map(({ debit, credit, amount }) => (
        <Text key={`${debit} ${credit}`} component="li" size="sm">
          {say('move', {
            amount: money(amount, language),
            from: accountWords[debit][placeOf[language]],
            to: accountWords[credit][placeOf[language]],
          })}
        </Text>
      ))}
    </Stack>
  )
}
