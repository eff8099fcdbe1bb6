/** HTTP routes for a person's mail preferences. */
import { personRoute, type SignedInRouteDeps } from './route.ts'
import { fieldsOf } from '../../platform/http/answer.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { notificationChangesSchema, notificationsSchema, notificationsToJson } from './notification.ts'
import { readNotifications, saveNotifications } from './notification.sql.ts'

export async function notificationRoutes(http: Http, deps: SignedInRouteDeps): Promise<void> {
  personRoute(http, deps, {
    route: 'GET /v1/me/notifications',
    operationId: 'getNotifications',
    summary: 'Get your mail preferences',
    answers: { 200: dataOf(notificationsSchema) },
    handler: async (request) => ({ data: notificationsToJson(await readNotifications(deps.db, request.signedIn.userId)) }),
  })

  personRoute(http, deps, {
    route: 'PATCH /v1/me/notifications',
    operationId: 'updateNotifications',
    summary: 'Update your mail preferences',
    description: 'Mails about the account itself (a changed password, a review, a suspension) are always sent.',
    body: notificationChangesSchema,
    answers: { 200: dataOf(notificationsSchema) },
    handler: async (request) => {
      const saved = await saveNotifications(deps.db, request.signedIn.userId, fieldsOf(request.body))
      return { data: notificationsToJson(saved) }
    },
  })
}
