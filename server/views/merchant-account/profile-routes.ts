/** HTTP routes of the profile: by API key, and for the signed-in owner. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { ownerAuthMethods, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { profileSchema, readProfile } from './profile.ts'

export type ProfileRouteDeps = OwnerAuthDeps

export async function profileRoutes(http: Http, deps: ProfileRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    ownerRoute(http, deps, auth, {
      route: 'GET /profile',
      permission: 'profile.read',
      operationId: `get${auth.name}Profile`,
      summary: 'Get the account and its permissions',
      description:
        'With an API key: the business to which its app is bound, otherwise the person. For a signed-in user, `app` and `key` are null.',
      answers: { 200: dataOf(profileSchema) },
      handler: async (request) => ({
        data: await readProfile(deps, auth.ownerOf(request), request.keyCaller ?? undefined, auth.reachOf(request)),
      }),
    })
  }
}
