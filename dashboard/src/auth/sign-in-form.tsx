/** Sign-in with an optional second factor, shared by merchants and operators. */
import { Alert, Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { isRefusal } from '../api/call.ts'
import { face, signIn, verifySignIn } from '../api/session.ts'
import { CodeInput } from '../ui/code-input.tsx'
import { Form, useForm } from '../ui/form.tsx'
import { GuestFrame } from '../ui/guest-frame.tsx'
import { problemText } from '../ui/problem-text.ts'
import { people } from './texts.ts'
import { typedAhead } from './typed-ahead.ts'
import { PasswordInput } from '../ui/password-input.tsx'

type Props = {
  hasEnded: boolean
  onDone(): void
  /** Links below the form that only merchants have. */
  forgot?: ReactNode
  below?: ReactNode
}

export function SignInForm({ hasEnded, onDone, forgot, below }: Props) {
  const [challenge, setChallenge] = useState<string>()
  const say = people.use()
  const note = face === 'admin' ? { note: say('operators') } : {}
  if (challenge !== undefined) {
    return <SecondStep challenge={challenge} onDone={onDone} onStartAgain={() => setChallenge(undefined)} {...note} />
  }
  return (
    <GuestFrame title={say('signIn')} text={say(face === 'admin' ? 'signInAdmin' : 'signInText')} below={below} {...note}>
      <FirstStep hasEnded={hasEnded} onDone={onDone} onChallenge={setChallenge} forgot={forgot} />
    </GuestFrame>
  )
}

type FirstStepProps = Pick<Props, 'hasEnded' | 'onDone' | 'forgot'> & { onChallenge(token: string): void }

function FirstStep({ hasEnded, onDone, onChallenge, forgot }: FirstStepProps) {
  const say = people.use()
  const [ahead] = useState(typedAhead)
  const form = useForm({
    fields: { identifier: ahead.identifier, password: ahead.password },
    required: ['identifier', 'password'],
    send: async (values) => {
      const outcome = await signIn(values)
      if (outcome.kind === 'second_factor_due') onChallenge(outcome.challengeToken)
      else onDone()
    },
  })
  const { submit } = form
  const isDue = useRef(ahead.isSent)
  useEffect(() => {
    if (!isDue.current) return
    isDue.current = false
    submit()
  }, [submit])
  return (
    <Form of={form}>
      {hasEnded && form.refusal === undefined && (
        <Alert color="blue" role="status">
          {say('ended')}
        </Alert>
      )}
      <TextInput
        label={say('identifier')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus={ahead.focused === 'identifier'}
        {...form.field('identifier')}
      />
      <PasswordInput
        label={say('password')}
        autoComplete="current-password"
        autoFocus={ahead.focused === 'password'}
        {...form.field('password')}
      />
      <Button type="submit" size="md" loading={form.isBusy} fullWidth>
        {say('signIn')}
      </Button>
      {forgot && <Text ta="center">{forgot}</Text>}
    </Form>
  )
}

type SecondStepProps = { challenge: string; note?: string; onDone(): void; onStartAgain(): void }

function SecondStep({ challenge, note, onDone, onStartAgain }: SecondStepProps) {
  const say = people.use()
  const [isRecovery, setIsRecovery] = useState(false)
  const form = useForm({
    fields: { code: '' },
    send: async ({ code }) => {
      await verifySignIn({ challenge_token: challenge, code })
      onDone()
    },
    problemsOf: (error) => ({ code: problemText(error) }),
  })
  const isOver = isRefusal(form.error, 'invalid_challenge')
  return (
    <GuestFrame
      title={say('codeTitle')}
      text={say(isRecovery ? 'recoveryText' : 'codeText')}
      {...(note !== undefined && { note })}
    >
      <Form of={form}>
        <CodeInput
          key={String(isRecovery)}
          label={say(isRecovery ? 'recoveryCode' : 'code')}
          {...form.control('code')}
          isText={isRecovery}
          isFirst
        />
        {isOver ? (
          <Button type="button" size="md" onClick={onStartAgain}>
            {say('startAgain')}
          </Button>
        ) : (
          <Button type="submit" size="md" loading={form.isBusy} disabled={form.values.code === ''}>
            {say('signIn')}
          </Button>
        )}
        <Group justify="space-between">
          <Anchor
            component="button"
            type="button"
            onClick={() => {
              setIsRecovery(!isRecovery)
              form.change({ code: '' })
            }}
          >
            {say(isRecovery ? 'useApp' : 'useRecovery')}
          </Anchor>
          {!isOver && (
            <Anchor component="button" type="button" onClick={onStartAgain}>
              {say('startAgain')}
            </Anchor>
          )}
        </Group>
      </Form>
    </GuestFrame>
  )
}
