/** What a route for guests does first: who is signed in already has no need of it. */
import { redirect } from '@tanstack/react-router'
import { isSignedIn } from '../api/session.ts'

export async function leaveSignedIn(to = '/'): Promise<void> {
  if (await isSignedIn()) throw redirect({ to, replace: true })
}
