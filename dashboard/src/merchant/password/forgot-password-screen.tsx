/** Resets a password: the address, then the code from the mail and a new password, then sign-in. */
import { Alert, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { TextLink } from '../../ui/link-button.tsx'
import { people } from '../../auth/texts.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { FormProblem } from '../../ui/form-problem.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { useSubmission } from '../../ui/submission.ts'

export function ForgotPasswordScreen() {
  const say = people.use()
  const [step, setStep] = useState<'address' | 'code' | 'done'>('address')
  const [email, setEmail] = useState('')
  const way = <TextLink to="/sign-in">{say('back')}</TextLink>
  if (step === 'done') {
    return (
      <GuestFrame title={say('forgotTitle')}>
        <Stack>
          <Alert color="green" role="status">
            {say('passwordSet')}
          </Alert>
          {way}
        </Stack>
      </GuestFrame>
    )
  }
  return (
    <GuestFrame title={say('forgotTitle')} text={say(step === 'address' ? 'forgotText' : 'resetText')} below={way}>
      {step === 'address' ? (
        <AddressForm email={email} onChange={setEmail} onSent={() => setStep('code')} />
      ) : (
        <CodeForm email={email} onSet={() => setStep('done')} onAgain={() => setStep('address')} />
      )}
    </GuestFrame>
  )
}

function AddressForm({ email, onChange, onSent }: { email: string; onChange(email: string): void; onSent(): void }) {
  const say = people.use()
  const { submit, isBusy, problem, fields } = useSubmission(async () => {
    await call('POST /v1/auth/password/forgot', { body: { email } })
    onSent()
  }, ['email'])
  return (
    <form onSubmit={submit}>
      <Stack>
        <FormProblem text={problem} />
        <TextInput
          label={say('email')}
          type="email"
          autoComplete="email"
          required
          withAsterisk={false}
          autoFocus
          value={email}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={fields['email']}
        />
        <Button type="submit" size="md" loading={isBusy}>
          {say('sendCode')}
        </Button>
      </Stack>
    </form>
  )
}

function CodeForm({ email, onSet, onAgain }: { email: string; onSet(): void; onAgain(): void }) {
  const say = people.use()
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const { submit, isBusy, problem, fields } = useSubmission(async () => {
    await call('POST /v1/auth/password/reset', { body: { email, code, password } })
    onSet()
  }, ['code', 'password'])
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem === undefined && (
          <Alert color="blue" role="status">
            {say('codeSent')}
          </Alert>
        )}
        <FormProblem text={problem} />
        <CodeInput label={say('mailedCode')} value={code} onChange={setCode} error={fields['code']} isFirst />
        <PasswordInput
          label={say('newPassword')}
          description={say('passwordHint')}
          autoComplete="new-password"
          minLength={12}
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fields['password']}
        />
        <Button type="submit" size="md" loading={isBusy} disabled={code === ''}>
          {say('setPassword')}
        </Button>
        <Button variant="subtle" onClick={onAgain}>
          {say('sendAgain')}
        </Button>
      </Stack>
    </form>
  )
}
