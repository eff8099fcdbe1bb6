/** HTTP routes of the profile: by API key, and for the signed-in owner. */
import { z } from 'zod'
import { ownerDoors, type OwnerDoorDeps } from '../developers/owner-doors.ts'
import { dataOf, errors, type Http } from '../platform/http/http.ts'
import { profileSchema, readProfile } from './profile.ts'

export type ProfileRouteDeps = OwnerDoorDeps

export async function profileRoutes(http: Http, deps: ProfileRouteDeps): Promise<void> {
  for (const door of ownerDoors(deps)) {
    http.get(
      `${door.prefix}/profile`,
      {
        onRequest: door.enter('profile:read'),
        schema: {
          ...door.describe('Apps and keys'),
          operationId: `get${door.name}Profile`,
          summary: 'Get the account and its permissions',
          description:
            'With an API key: the business to which its app is bound, otherwise the person. For a signed-in user, `app` and `key` are null.',
          querystring: z.strictObject(door.query),
          response: { 200: dataOf(profileSchema), ...errors(400, 401, 403, 404, 503) },
        },
      },
      async (request) => ({ data: await readProfile(deps, await door.ownerOf(request), request.keyCaller ?? undefined) }),
    )
  }
}
