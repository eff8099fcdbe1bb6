/** Verifies the person's e-mail address; can be done later. */
import { Alert, Anchor, Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { TextLink } from '../../ui/link-button.tsx'
import { keptInvitation } from '../kept-invitation.ts'
import { people } from '../../auth/texts.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { problemText } from '../../ui/problem-text.ts'
import { useSubmission } from '../../ui/submission.ts'

export function VerifyEmailScreen() {
  const say = people.use()
  const navigate = useNavigate()
  const client = useQueryClient()
  const me = useAnswer('GET /v1/me', {}).data?.data
  const [code, setCode] = useState('')
  const resend = useAction('POST /v1/auth/email/resend', [])
  const { submit, isBusy, problem } = useSubmission(async () => {
    await call('POST /v1/auth/email/verify', { body: { code } })
    await client.invalidateQueries({ queryKey: ['GET /v1/me'] })
    await navigate({ to: keptInvitation() === undefined ? '/' : '/invitation' })
  })
  return (
    <GuestFrame title={say('verifyTitle')} text={say('verifyText', { email: me?.email ?? '…' })}>
      <form onSubmit={submit}>
        <Stack>
          {resend.isSuccess && (
            <Alert color="green" role="status">
              {say('sentAgain')}
            </Alert>
          )}
          <FormProblem text={resend.error ? problemText(resend.error) : undefined} />
          <CodeInput label={say('mailedCode')} value={code} onChange={setCode} error={problem} isFirst />
          <Button type="submit" size="md" loading={isBusy} disabled={code === ''}>
            {say('verify')}
          </Button>
          <Group justify="space-between">
            <Anchor component="button" type="button" disabled={resend.isPending} onClick={() => resend.mutate({})}>
              {say('sendAgain')}
            </Anchor>
            <TextLink to="/">{say('later')}</TextLink>
          </Group>
        </Stack>
      </form>
    </GuestFrame>
  )
}
