/** The first script of a visit: small, so that the session is renewed while the others are still loading. */
import { askAhead } from '../api/ahead.ts'
import { isSignedIn } from '../api/session.ts'
import { reloadWithoutFiles } from '../ui/reload-once.ts'

reloadWithoutFiles()

async function readAhead(): Promise<void> {
  if (await isSignedIn()) await askAhead('GET /v1/me', {})
}

// A failure is shown by the app, which asks again.
readAhead().catch(() => undefined)

void import('./main.tsx')
