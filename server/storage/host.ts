/** The document storage host: nothing on it opens without a URL that the service has signed, so whatever is not signed is refused. */
import type { Http } from '../platform/http.ts'
import { Refusal } from '../platform/refusal.ts'

export async function storageRoutes(http: Http): Promise<void> {
  http.route({
    method: ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'],
    url: '/*',
    schema: { hide: true },
    handler() {
      throw new Refusal(403, 'signature_required', 'Documents open only by a signed address.')
    },
  })
}
