/**
 * Registers a person, who says first who they are: a student gives six fields, who represents a business or was invited to one gives
 * four. The fields stay filled after an error.
 */
import { Alert, Button, Radio, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { isRefusal } from '../../api/call.ts'
import { register } from '../../api/session.ts'
import { Consent } from '../../auth/consent.tsx'
import { TextLink } from '../../ui/link-button.tsx'
import { people } from '../../auth/texts.ts'
import { keptInvitation } from '../kept-invitation.ts'
import { useInvitation } from '../use-invitation.ts'
import { useKept } from '../../ui/fields.ts'
import { Form, useForm } from '../../ui/form.tsx'
import { GuestFrame } from '../../ui/guest-frame.tsx'
import { fieldProblems, problemText } from '../../ui/problem-text.ts'
import { PasswordInput } from '../../ui/password-input.tsx'

const registrants = ['student', 'representative', 'invited'] as const
type Registrant = (typeof registrants)[number]

const emptyForm = {
  registers_as: undefined as Registrant | undefined,
  full_name: '',
  email: '',
  phone_number: '',
  password: '',
  student_id: '',
  institution: '',
}

type Field = keyof typeof emptyForm
const ofStudents: readonly Field[] = ['student_id', 'institution']

export default function RegisterScreen() {
  const say = people.use()
  const navigate = useNavigate()
  const typed = useKept(emptyForm)
  const invitation = useInvitation().data?.data
  const who = invitation ? 'invited' : typed.value.registers_as
  // The invitation works for its own address only.
  const email = typed.value.email === '' ? (invitation?.email ?? '') : typed.value.email
  const form = useForm({
    kept: { ...typed, value: { ...typed.value, email, registers_as: who } },
    required: (Object.keys(emptyForm) as Field[]).filter((name) => who === 'student' || !ofStudents.includes(name)),
    send: async ({ student_id, institution, registers_as, ...rest }) => {
      const token = invitation && keptInvitation()
      if (token) await register({ ...rest, invitation_token: token })
      else if (registers_as === 'representative') await register({ ...rest, registers_as })
      else await register({ ...rest, student_id, institution })
      await navigate({ to: '/verify-email' })
    },
    problemsOf: (error) =>
      isRefusal(error, 'already_registered') ? { [error.param ?? 'email']: problemText(error) } : fieldProblems(error),
  })
  const { field } = form
  const { onChange, ...choice } = form.control('registers_as')
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
      <Form of={form}>
        {!invitation && (
          <Radio.Group
            label={say('whoAreYou')}
            {...choice}
            value={who ?? null}
            onChange={(chosen) => onChange(registrants.find((one) => one === chosen))}
          >
            <Stack gap="sm" mt="xs">
              {registrants.map((one) => (
                <Radio key={one} size="md" value={one} label={say(`who.${one}`)} description={say(`whoHint.${one}`)} />
              ))}
            </Stack>
          </Radio.Group>
        )}
        {who === 'invited' && !invitation && <Alert role="status">{say('openInvitation')}</Alert>}
        {who !== undefined && (who !== 'invited' || invitation) && (
          <>
            <TextInput label={say('fullName')} description={say('fullNameHint')} autoComplete="name" {...field('full_name')} />
            <TextInput label={say('email')} type="email" autoComplete="email" autoCapitalize="none" {...field('email')} />
            <TextInput label={say('phone')} type="tel" autoComplete="tel" placeholder="0754 123 456" {...field('phone_number')} />
            {who === 'student' && (
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
            <Button type="submit" size="md" loading={form.isBusy} fullWidth>
              {say('register')}
            </Button>
          </>
        )}
      </Form>
    </GuestFrame>
  )
}
