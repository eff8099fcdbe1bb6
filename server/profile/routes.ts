/** HTTP of the profile: by API key, and for the signed-in owner. */
import { z } from 'zod'
import { environmentSchema } from '../apps/app.ts'
import { requireKey, type AuthenticateKeyDeps } from '../apps/authenticate-key.ts'
import { ownerOf, requireUser, type AuthenticateDeps } from '../identity/authenticate.ts'
import { dataOf, errors, type Http } from '../platform/http.ts'
import { profileSchema, readProfile } from './profile.ts'

export type ProfileRouteDeps = AuthenticateDeps & AuthenticateKeyDeps

export async function profileRoutes(http: Http, deps: ProfileRouteDeps): Promise<void> {
  http.get(
    '/v1/profile',
    {
      onRequest: requireKey(deps, 'profile:read'),
      schema: {
        operationId: 'getProfile',
        tags: ['Apps and keys'],
        summary: 'Read in whose name the key acts, and what it may do',
        description: 'The business of a key whose app is bound to one, else the person.',
        security: [{ apiKey: [] }],
        response: { 200: dataOf(profileSchema), ...errors(401, 403, 503) },
      },
    },
    async ({ keyCaller }) => ({ data: await readProfile(deps, keyCaller.owner, keyCaller) }),
  )

  http.get(
    '/v1/merchant/profile',
    {
      onRequest: requireUser(deps),
      schema: {
        operationId: 'getMerchantProfile',
        tags: ['Dashboard'],
        summary: 'Read the profile of yourself or of a business that you represent',
        description: 'The same as a key of that owner and environment would read; `app` and `key` are null.',
        security: [{ jwt: [] }],
        querystring: z.strictObject({
          environment: environmentSchema.default('live'),
          business_id: z
            .string()
            .optional()
            .meta({ description: 'A business that you represent. Without it: your own profile.' }),
        }),
        response: { 200: dataOf(profileSchema), ...errors(400, 401, 404, 503) },
      },
    },
    async (request) => {
      const { environment, business_id } = request.query
      return { data: await readProfile(deps, await ownerOf(deps, request, environment, business_id), undefined) }
    },
  )
}
