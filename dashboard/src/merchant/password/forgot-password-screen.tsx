/** Resets a password: the address, then the code from the mail and a new password, then sign-in. */
import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { TextLink } from '../../ui/link-button.tsx'
import { people } from '../../auth/texts.ts'
import { CodeInput } from '../../ui/code-input.tsx'
import { useKept, type Kept } from '../../ui/fields.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { PasswordInput } from '../../ui/password-input.tsx'

export default function ForgotPasswordScreen() {
  const say = people.use()
  const [step, setStep] = useState<'address' | 'code' | 'done'>('address')
  const address = useKept({ email: '' })
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
        <AddressForm kept={address} onSent={() => setStep('code')} />
      ) : (
        <CodeForm email={address.value.email} onSet={() => setStep('done')} onAgain={() => setStep('address')} />
      )}
    </GuestFrame>
  )
}

function AddressForm({ kept, onSent }: { kept: Kept<{ email: string }>; onSent(): void }) {
  const say = people.use()
  const form = useForm({
    kept,
    required: ['email'],
    send: async (body) => {
      await call('POST /v1/auth/password/forgot', { body })
      onSent()
    },
  })
  return (
    <Form of={form}>
      <TextInput label={say('email')} type="email" autoComplete="email" autoFocus {...form.field('email')} />
      <Button type="submit" size="md" loading={form.isBusy}>
        {say('sendCode')}
      </Button>
    </Form>
  )
}

function CodeForm({ email, onSet, onAgain }: { email: string; onSet(): void; onAgain(): void }) {
  const say = people.use()
  const form = useForm({
    fields: { code: '', password: '' },
    required: ['password'],
    send: async (values) => {
      await call('POST /v1/auth/password/reset', { body: { email, ...values } })
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
      <CodeInput label={say('mailedCode')} {...form.control('code')} isFirst />
      <PasswordInput
        label={say('newPassword')}
        description={say('passwordHint')}
        autoComplete="new-password"
        minLength={12}
        {...form.field('password')}
      />
      <Button type="submit" size="md" loading={form.isBusy} disabled={form.values.code === ''}>
        {say('setPassword')}
      </Button>
      <Button variant="subtle" onClick={onAgain}>
        {say('sendAgain')}
      </Button>
    </Form>
  )
}
