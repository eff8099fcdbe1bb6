/** Changes the password, with the old one. The fields are cleared afterwards. */
import { Button, Group, SimpleGrid } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { call, isRefusal } from '../../api/call.ts'
import { Note } from '../../ui/note.tsx'
import { Form, useForm, type Problems } from '../../ui/form.tsx'
import { notifyDone } from '../../ui/notify.ts'
import { fieldProblems } from '../../ui/problem-text.ts'
import { profileTexts } from './texts.ts'
import { PasswordInput } from '../../ui/password-input.tsx'

const nothing = { current_password: '', password: '' }
const leastCharacters = 12

export function PasswordForm({ email }: { email: string }) {
  const say = profileTexts.use()
  const client = useQueryClient()
  const form = useForm({
    fields: nothing,
    check: ({ current_password, password }): Problems => ({
      ...(current_password === '' && { current_password: say('password.needed') }),
      ...(password.length < leastCharacters && { password: say('password.short') }),
    }),
    send: async (body): Promise<void> => {
      const { data } = await call('POST /v1/auth/password/change', { body })
      form.change(nothing)
      notifyDone(say('password.done', { count: data.ended }))
      await client.invalidateQueries({ queryKey: ['GET /v1/auth/sessions'] })
    },
    problemsOf: (error): Problems =>
      isRefusal(error, 'invalid_credentials')
        ? { current_password: say('password.wrong') }
        : isRefusal(error, 'validation_error')
          ? { password: fieldProblems(error)['password'] ?? say('password.short') }
          : {},
  })
  return (
    <Form of={form}>
      {/* The account name, for password managers. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <PasswordInput
          label={say('password.current')}
          description={say('password.currentHint')}
          autoComplete="current-password"
          {...form.field('current_password')}
        />
        <PasswordInput
          label={say('password.next')}
          description={say('password.hint')}
          autoComplete="new-password"
          {...form.field('password')}
        />
      </SimpleGrid>
      <Group>
        <Button type="submit" loading={form.isBusy}>
          {say('password.set')}
        </Button>
        <Note>{say('password.text')}</Note>
      </Group>
    </Form>
  )
}
