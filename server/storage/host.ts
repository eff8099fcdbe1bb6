/** The document storage host: nothing on it opens without a URL that the service has signed, so whatever is not signed is refused. */
import type { Http } from '../platform/http.ts'
import { Refusal } from '../platform/refusal.ts'

export async function storageRoutes(http: Http): Promise<void> {
  http.all('/*', { schema: { hide: true } }, () => {
    throw new Refusal(403, 'signature_required', 'Documents open only by a signed address.')
  })
}
