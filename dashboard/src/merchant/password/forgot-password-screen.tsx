/** Resets a password: the address, then the code from the mail and a new password, then sign-in. */
import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { TextLink } from '../../ui/link-button.tsx'
import { people } from '../../auth/texts.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { Form, needed, useForm } from '../../ui/form.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'

export default function ForgotPasswordScreen() {
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
  const form = useForm({
    check: () => needed({ email }),
    send: async () => {
      await call('POST /v1/auth/password/forgot', { body: { email } })
      onSent()
    },
  })
  return (
    <Form of={form}>
      <TextInput
        label={say('email')}
        type="email"
        autoComplete="email"
        required
        withAsterisk={false}
        autoFocus
        value={email}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={form.problems['email']}
      />
      <Button type="submit" size="md" loading={form.isBusy}>
        {say('sendCode')}
      </Button>
    </Form>
  )
}

function CodeForm({ email, onSet, onAgain }: { email: string; onSet(): void; onAgain(): void }) {
  const say = people.use()
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const form = useForm({
    check: () => needed({ password }),
    send: async () => {
      await call('POST /v1/auth/password/reset', { body: { email, code, password } })
      onSet()
    },
  })
  return (
    <Form of={form}>
      {form.refusal === undefined && (
        <Alert color="blue" role="status">
          {say('codeSent')}
        </Alert>
      )}
      <CodeInput label={say('mailedCode')} value={code} onChange={setCode} error={form.problems['code']} isFirst />
      <PasswordInput
        label={say('newPassword')}
        description={say('passwordHint')}
        autoComplete="new-password"
        minLength={12}
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
        error={form.problems['password']}
      />
      <Button type="submit" size="md" loading={form.isBusy} disabled={code === ''}>
        {say('setPassword')}
      </Button>
      <Button variant="subtle" onClick={onAgain}>
        {say('sendAgain')}
      </Button>
    </Form>
  )
}
