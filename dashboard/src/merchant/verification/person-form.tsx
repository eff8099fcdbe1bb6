/** The identity card number and the date of birth of a person. They leave this tab only with the submission. */
import { Button, Group, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { PersonalKyc, User } from '../../api/operations.ts'
import { Consent } from '../../auth/consent.tsx'
import { Note } from '../../ui/note.tsx'
import { Form, useForm } from '../../ui/form.tsx'
import { today } from '../../ui/days.ts'
import type { Draft } from '../../ui/draft.ts'
import { Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/link-button.tsx'
import { useLanguage } from '../../i18n/define-texts.ts'
import { fieldReasons } from './item-problems.ts'
import { personProblems, type PersonDraft } from './person-facts.ts'
import { verificationTexts } from './texts.ts'

type Props = {
  me: User
  kyc: PersonalKyc
  draft: Draft<PersonDraft>
  /** The API's refusal of the submission. */
  refused: Record<string, string>
  onDone(): void
}

export function PersonForm({ me, kyc, draft, refused, onDone }: Props) {
  const say = verificationTexts.use()
  const language = useLanguage()
  const form = useForm({
    first: { ...fieldReasons(kyc.requirements.errors, ['national_id_number', 'date_of_birth'], language), ...refused },
    kept: draft,
    check: (values) => personProblems(values, kyc, say),
    send: async () => onDone(),
  })
  const kept = kyc.national_id_last4
  return (
    <Form of={form}>
      <Paper p="lg">
        <Stack>
          <Facts
            facts={[
              [say('fact.full_name'), me.full_name],
              [say('fact.institution'), me.institution],
              [say('fact.student_id'), me.student_id],
            ]}
          />
          <Note>
            {say('nameText')} <TextLink to="/profile">{say('nameWay')}</TextLink>
          </Note>
        </Stack>
      </Paper>
      <Paper p="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="md">
          <TextInput
            label={say('fact.national_id_number')}
            description={kept === null ? say('hint.national_id_number') : say('hint.keptNumber', { end: kept })}
            placeholder={kept === null ? '19990101-12345-00001-23' : `•••• ${kept}`}
            {...form.field('national_id_number')}
            aria-required={kept === null}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={40}
          />
          <TextInput
            type="date"
            label={say('fact.date_of_birth')}
            description={say('hint.date_of_birth')}
            {...form.field('date_of_birth')}
            aria-required
            autoComplete="bday"
            min="1900-01-01"
            max={today()}
          />
        </SimpleGrid>
      </Paper>
      <Consent to="identify" />
      <Group>
        <Button type="submit" size="md">
          {say('goOn')}
        </Button>
      </Group>
    </Form>
  )
}
