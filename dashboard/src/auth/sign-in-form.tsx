/** Sign-in with an optional second factor, shared by merchants and operators. */
import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { isRefusal } from '../api/call.ts'
import { face, signIn, verifySignIn } from '../api/session.ts'
import { CodeInput } from '../ui/code-input.tsx'
import { FormProblem } from '../ui/form-problem.tsx'
import { GuestFrame } from '../ui/guest-frame.tsx'
import { useSubmission } from '../ui/submission.ts'
import { people } from './texts.ts'

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
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')
  const { submit, isBusy, problem } = useSubmission(async () => {
    const outcome = await signIn({ identifier, password })
    if (outcome.kind === 'second_factor_due') onChallenge(outcome.challengeToken)
    else onDone()
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        {hasEnded && problem === undefined && (
          <Alert color="blue" role="status">
            {say('ended')}
          </Alert>
        )}
        <FormProblem text={problem} />
        <TextInput
          label={say('identifier')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          autoFocus
          value={identifier}
          onChange={(event) => setIdentifier(event.currentTarget.value)}
        />
        <PasswordInput
          label={say('password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="md" loading={isBusy} fullWidth>
          {say('signIn')}
        </Button>
        {forgot && <Text ta="center">{forgot}</Text>}
      </Stack>
    </form>
  )
}

type SecondStepProps = { challenge: string; note?: string; onDone(): void; onStartAgain(): void }

function SecondStep({ challenge, note, onDone, onStartAgain }: SecondStepProps) {
  const say = people.use()
  const [isRecovery, setIsRecovery] = useState(false)
  const [code, setCode] = useState('')
  const { submit, isBusy, problem, error } = useSubmission(async () => {
    await verifySignIn({ challenge_token: challenge, code })
    onDone()
  })
  const isOver = isRefusal(error, 'invalid_challenge')
  return (
    <GuestFrame
      title={say('codeTitle')}
      text={say(isRecovery ? 'recoveryText' : 'codeText')}
      {...(note !== undefined && { note })}
    >
      <form onSubmit={submit}>
        <Stack>
          <CodeInput
            key={String(isRecovery)}
            label={say(isRecovery ? 'recoveryCode' : 'code')}
            value={code}
            onChange={setCode}
            error={problem}
            isText={isRecovery}
            isFirst
          />
          {isOver ? (
            <Button type="button" size="md" onClick={onStartAgain}>
              {say('startAgain')}
            </Button>
          ) : (
            <Button type="submit" size="md" loading={isBusy} disabled={code === ''}>
              {say('signIn')}
            </Button>
          )}
          <Group justify="space-between">
            <Anchor
              component="button"
              type="button"
              onClick={() => {
                setIsRecovery(!isRecovery)
                setCode('')
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
        </Stack>
      </form>
    </GuestFrame>
  )
}
