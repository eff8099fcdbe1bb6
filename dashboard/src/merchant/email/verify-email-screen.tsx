/** Verifies the person's e-mail address; can be done later. */
import { Alert, Anchor, Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api/call.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { TextLink } from '../../ui/link-button.tsx'
import type { User } from '../../api/operations.ts'
import { newSandbox } from '../../api/session.ts'
import { keptInvitation } from '../kept-invitation.ts'
import { people } from '../../auth/texts.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { Form, Problem, useForm } from '../../ui/form.tsx'
import { problemText } from '../../ui/problem-text.ts'

/** A new account goes on to its first test payment, or, of a representative, to the registration of the business. */
function next(me: User | undefined) {
  if (keptInvitation() !== undefined) return { to: '/invitation' } as const
  if (!newSandbox('me')) return { to: '/' } as const
  return me?.student_id === null
    ? ({ to: '/new-business' } as const)
    : ({ to: '/$owner/$environment/try', params: { owner: 'me', environment: 'test' } } as const)
}

export default function VerifyEmailScreen() {
  const say = people.use()
  const navigate = useNavigate()
  const client = useQueryClient()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const resend = useAction('POST /v1/auth/email/resend', [])
  const form = useForm({
    fields: { code: '' },
    send: async (body) => {
      await call('POST /v1/auth/email/verify', { body })
      await client.invalidateQueries({ queryKey: ['GET /v1/me'] })
      await navigate(next(me))
    },
    problemsOf: (error) => ({ code: problemText(error) }),
  })
  return (
    <GuestFrame title={say('verifyTitle')} text={say('verifyText', { email: me?.email ?? '…' })}>
      <Form of={form}>
        {resend.isSuccess && (
          <Alert color="green" role="status">
            {say('sentAgain')}
          </Alert>
        )}
        <Problem error={resend.error} />
        <CodeInput label={say('mailedCode')} {...form.control('code')} isFirst />
        <Button type="submit" size="md" loading={form.isBusy} disabled={form.values.code === ''}>
          {say('verify')}
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" disabled={resend.isPending} onClick={() => resend.mutate({})}>
            {say('sendAgain')}
          </Anchor>
          <TextLink {...next(me)}>{say('later')}</TextLink>
        </Group>
      </Form>
    </GuestFrame>
  )
}
