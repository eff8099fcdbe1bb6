/** Registers a person with six fields, or an invited one with four: they need not study anywhere. The fields stay filled after an error. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ChangeEvent } from 'react'
import { isRefusal } from '../../api/call.ts'
import { register } from '../../api/session.ts'
import { Consent } from '../../auth/consent.tsx'
import { TextLink } from '../../ui/link-button.tsx'
import { people } from '../../auth/texts.ts'
import { keptInvitation } from '../kept-invitation.ts'
import { useInvitation } from '../use-invitation.ts'
import { FormProblem } from '../../ui/form-problem.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { problemText } from '../../ui/problem-text.ts'
import { useSubmission } from '../../ui/submission.ts'

const emptyForm = { full_name: '', email: '', phone_number: '', password: '', student_id: '', institution: '' }

type Field = keyof typeof emptyForm

export function RegisterScreen() {
  const say = people.use()
  const navigate = useNavigate()
  const [person, setPerson] = useState(emptyForm)
  const invitation = useInvitation().data?.data
  // The invitation works for its own address only.
  const email = person.email === '' ? (invitation?.email ?? '') : person.email
  const { submit, isBusy, problem, fields, error } = useSubmission(async () => {
    const { student_id, institution, ...rest } = person
    const token = invitation && keptInvitation()
    await register(token ? { ...rest, email, invitation_token: token } : { ...rest, email, student_id, institution })
    await navigate({ to: '/verify-email' })
  }, Object.keys(emptyForm))
  // The refusal does not name the field that is already in use.
  const taken = isRefusal(error, 'already_registered') ? error.param : undefined
  const field = (name: Field) => ({
    value: name === 'email' ? email : person[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => setPerson({ ...person, [name]: event.currentTarget.value }),
    error: taken === name ? problemText(error) : fields[name],
    required: true,
    withAsterisk: false,
  })
  return (
    <GuestFrame
      title={say(invitation ? 'registerInvitedTitle' : 'registerTitle')}
      text={invitation ? say('registerInvited', { business: invitation.business_name }) : say('registerText')}
      below={
        <>
          {say('hasAccount')}{' '}
          <TextLink to="/sign-in" search={invitation ? { return: '/invitation' } : {}}>
            {say('signIn')}
          </TextLink>
        </>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <FormProblem text={taken === undefined ? problem : undefined} />
          <TextInput label={say('fullName')} description={say('fullNameHint')} autoComplete="name" {...field('full_name')} />
          <TextInput label={say('email')} type="email" autoComplete="email" autoCapitalize="none" {...field('email')} />
          <TextInput label={say('phone')} type="tel" autoComplete="tel" placeholder="0754 123 456" {...field('phone_number')} />
          {!invitation && (
            <>
              <TextInput label={say('institution')} autoComplete="organization" {...field('institution')} />
              <TextInput label={say('studentId')} autoComplete="off" {...field('student_id')} />
            </>
          )}
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
