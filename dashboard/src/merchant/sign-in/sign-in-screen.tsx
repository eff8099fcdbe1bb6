/** A merchant signs in, and returns to the requested screen. */
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { TextLink } from '../../ui/link-button.tsx'
import { SignInForm } from '../../auth/sign-in-form.tsx'
import { people } from '../../auth/texts.ts'

const route = getRouteApi('/sign-in')

export default function SignInScreen() {
  const say = people.use()
  const router = useRouter()
  const { return: returnTo = '/', ended = false } = route.useSearch()
  return (
    <SignInForm
      hasEnded={ended}
      onDone={() => void router.navigate({ to: returnTo, replace: true })}
      forgot={<TextLink to="/forgot-password">{say('forgot')}</TextLink>}
      below={
        <>
          {say('noAccount')} <TextLink to="/register">{say('register')}</TextLink>
        </>
      }
    />
  )
}
