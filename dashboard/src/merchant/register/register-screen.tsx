/** A new merchant: six fields, all of them asked once, and kept when one was wrong. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ChangeEvent } from 'react'
import { isRefusal } from '../../api/call.ts'
import { register } from '../../api/session.ts'
import { Consent } from '../../auth/consent.tsx'
import { GuestLink } from '../../auth/guest-link.tsx'
import { people } from '../../auth/texts.ts'
import { FormProblem } from '../../ui/form-problem.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { problemText } from '../../ui/problem-text.ts'
import { useSubmission } from '../../ui/submission.ts'

const nobody = { full_name: '', email: '', phone_number: '', password: '', student_id: '', institution: '' }

type Field = keyof typeof nobody

export function RegisterScreen() {
  const say = people.use()
  const navigate = useNavigate()
  const [person, setPerson] = useState(nobody)
  const { submit, isBusy, problem, fields, error } = useSubmission(async () => {
    await register(person)
    await navigate({ to: '/verify-email' })
  }, Object.keys(nobody))
  // Which of the two is taken, the refusal says beside its fields.
  const taken = isRefusal(error, 'already_registered') ? error.param : undefined
  const field = (name: Field) => ({
    value: person[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => setPerson({ ...person, [name]: event.currentTarget.value }),
    error: taken === name ? problemText(error) : fields[name],
    required: true,
    withAsterisk: false,
  })
  return (
    <GuestFrame
      title={say('registerTitle')}
      text={say('registerText')}
      below={
        <>
          {say('hasAccount')} <GuestLink to="/sign-in">{say('signIn')}</GuestLink>
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <FormProblem text={taken === undefined ? problem : undefined} />
          <TextInput label={say('fullName')} description={say('fullNameHint')} autoComplete="name" {...field('full_name')} />
          <TextInput label={say('email')} type="email" autoComplete="email" autoCapitalize="none" {...field('email')} />
          <TextInput label={say('phone')} type="tel" autoComplete="tel" placeholder="0754 123 456" {...field('phone_number')} />
          <TextInput label={say('institution')} autoComplete="organization" {...field('institution')} />
          <TextInput label={say('studentId')} autoComplete="off" {...field('student_id')} />
          <PasswordInput
            label={say('password')}
            description={say('passwordHint')}
            autoComplete="new-password"
            minLength={12}
            {...field('password')}
          />
          <Consent to="register" />
          <Button type="submit" size="md" loading={isBusy} fullWidth>
            {say('register')}
          </Button>
        </Stack>
      </form>
    </GuestFrame>
  )
}
