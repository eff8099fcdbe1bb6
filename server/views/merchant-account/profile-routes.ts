/** HTTP routes of the profile: by API key, and for the signed-in owner. */
import { z } from 'zod'
import { ownerAuthMethods, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { dataOf, errors, type Http } from '../../platform/http/http.ts'
import { profileSchema, readProfile } from './profile.ts'

export type ProfileRouteDeps = OwnerAuthDeps

export async function profileRoutes(http: Http, deps: ProfileRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    http.get(
      `${auth.prefix}/profile`,
      {
        onRequest: auth.require('profile.read'),
        schema: {
          ...auth.describe('Apps and keys'),
          operationId: `get${auth.name}Profile`,
          summary: 'Get the account and its permissions',
          description:
            'With an API key: the business to which its app is bound, otherwise the person. For a signed-in user, `app` and `key` are null.',
          querystring: z.strictObject(auth.query),
          response: { 200: dataOf(profileSchema), ...errors(400, 401, 403, 404, 503) },
        },
      },
      async (request) => ({
        data: await readProfile(deps, auth.ownerOf(request), request.keyCaller ?? undefined, auth.reachOf(request)),
      }),
    )
  }
}
