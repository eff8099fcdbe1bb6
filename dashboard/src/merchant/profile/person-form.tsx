/** The person's data; the name cannot change after it was compared with documents. */
import { phoneText } from '../../ui/format.ts'
import { Alert, Badge, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import type { User } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { useDraft } from '../../ui/draft.ts'
import { Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/link-button.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { optional } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import type { ContactField } from './contact-dialog.tsx'
import { profileTexts } from './texts.ts'

const ContactDialog = lazy(() => import('./contact-dialog.tsx'))

export function PersonForm({ me }: { me: User }) {
  const say = profileTexts.use()
  const { environment } = useAccount()
  const client = useQueryClient()
  const isNameFixed = me.kyc_status === 'pending' || me.kyc_status === 'verified'
  const draft = useDraft(`profile of ${me.id}`, {
    full_name: me.full_name,
    institution: me.institution ?? '',
    student_id: '',
  })
  const form = useForm({
    kept: draft,
    check: (values): Problems => ({
      ...(values.full_name.trim() === '' && { full_name: say('person.needed') }),
      ...(values.institution.trim() === '' && { institution: say('person.needed') }),
    }),
    send: async ({ institution, full_name, student_id }) => {
      const body = { institution, ...(!isNameFixed && { full_name }), ...(student_id.trim() !== '' && { student_id }) }
      await call('PATCH /v1/me', { body })
      await client.invalidateQueries()
      draft.clear()
      notifyDone(say('saved'))
    },
  })
  const [changed, setChanged] = useState<ContactField>()
  const waiting = me.contact_change
  const changeButton = (field: ContactField) => (
    <Button variant="default" size="compact-sm" aria-label={say(`contact.${field}.title`)} onClick={() => setChanged(field)}>
      {say('contact.change')}
    </Button>
  )
  return (
    <Stack>
      {waiting && (
        <Alert>
          <Group justify="space-between">
            <Text>{say('contact.waiting', { value: waiting.email ?? phoneText(waiting.phone_number ?? '') })}</Text>
            <Button size="compact-md" onClick={() => setChanged(waiting.email === null ? 'phone_number' : 'email')}>
              {say('contact.enter')}
            </Button>
          </Group>
        </Alert>
      )}
      <Facts
        facts={[
          [
            say('person.email'),
            <Group key="email" gap="xs">
              <span>{me.email}</span>
              {me.email_verified ? (
                <Badge color="green">{say('person.confirmed')}</Badge>
              ) : (
                <TextLink to="/verify-email">{say('person.confirm')}</TextLink>
              )}
              {changeButton('email')}
            </Group>,
          ],
          [
            say('person.phone'),
            <Group key="phone" gap="xs">
              <span>{me.phone_number && phoneText(me.phone_number)}</span>
              {changeButton('phone_number')}
            </Group>,
          ],
          ...(me.student_id === null ? [] : [[say('person.studentId'), me.student_id] as const]),
          [
            say('person.identity'),
            <Group key="identity" gap="xs">
              <span>{say(`person.kyc.${me.kyc_status}`)}</span>
              <TextLink to="/$owner/$environment/verification" params={{ owner: 'me', environment }}>
                {say('person.toIdentity')}
              </TextLink>
            </Group>,
          ],
        ]}
      />
      {changed && (
        <Suspense>
          <ContactDialog me={me} field={changed} onClose={() => setChanged(undefined)} />
        </Suspense>
      )}
      <Form of={form}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <TextInput
            label={say('person.name')}
            description={isNameFixed ? say('person.nameFixed') : say('person.nameHint')}
            {...form.field('full_name')}
            readOnly={isNameFixed}
            variant={isNameFixed ? 'filled' : 'default'}
            autoComplete="name"
            maxLength={120}
          />
          <TextInput
            label={say('person.institution')}
            description={say('person.institutionHint')}
            {...form.field('institution')}
            autoComplete="organization"
            maxLength={120}
          />
          {me.student_id === null && (
            <TextInput
              label={optional(say('person.studentId'))}
              {...form.field('student_id')}
              autoComplete="off"
              maxLength={64}
            />
          )}
        </SimpleGrid>
        <Group>
          <Button type="submit" loading={form.isBusy} disabled={!draft.isChanged}>
            {say('save')}
          </Button>
          <Note>{say('person.fixed')}</Note>
        </Group>
      </Form>
    </Stack>
  )
}
