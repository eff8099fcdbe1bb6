/** HTTP routes for a person's mail preferences. */
import { dataOf, errors, type Http } from '../../platform/http/http.ts'
import { requireUser, type AuthenticateDeps } from './authenticate.ts'
import { changedNotifications, notificationChangesSchema, notificationsSchema, notificationsToJson } from './notification.ts'
import { readNotifications, saveNotifications } from './notification.sql.ts'

export async function notificationRoutes(http: Http, deps: AuthenticateDeps): Promise<void> {
  const shared = { tags: ['People'], security: [{ jwt: [] }] }
  const onRequest = requireUser(deps)

  http.get(
    '/v1/me/notifications',
    {
      onRequest,
      schema: {
        ...shared,
        operationId: 'getNotifications',
        summary: 'Get your mail preferences',
        response: { 200: dataOf(notificationsSchema), ...errors(401, 503) },
      },
    },
    async (request) => ({ data: notificationsToJson(await readNotifications(deps.db, request.signedIn.userId)) }),
  )

  http.patch(
    '/v1/me/notifications',
    {
      onRequest,
      schema: {
        ...shared,
        operationId: 'updateNotifications',
        summary: 'Update your mail preferences',
        description: 'Mails about the account itself (a changed password, a review, a suspension) are always sent.',
        body: notificationChangesSchema,
        response: { 200: dataOf(notificationsSchema), ...errors(400, 401, 413, 415, 503) },
      },
    },
    async (request) => {
      const { userId } = request.signedIn
      const wanted = changedNotifications(await readNotifications(deps.db, userId), request.body)
      await saveNotifications(deps.db, userId, wanted)
      return { data: notificationsToJson(wanted) }
    },
  )
}
