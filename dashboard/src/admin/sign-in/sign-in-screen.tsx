/** An operator signs in, and returns to the requested screen. */
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { SignInForm } from '../../auth/sign-in-form.tsx'

const route = getRouteApi('/sign-in')

export default function SignInScreen() {
  const router = useRouter()
  const { return: returnTo = '/', ended = false } = route.useSearch()
  return <SignInForm hasEnded={ended} onDone={() => void router.navigate({ to: returnTo, replace: true })} />
}
