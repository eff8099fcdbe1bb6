/** The mails that a person can choose. Mails about the account itself are always sent. */
import { z } from 'zod'
import { answerOf, type FieldsOf } from '../../platform/http/answer.ts'

export const notificationsSchema = z
  .object({
    payment_received: z
      .boolean()
      .meta({ description: 'Live payments credited to a wallet of yours; at most one mail a minute. Off by default.' }),
    payout_finished: z.boolean().meta({ description: 'Live payouts that completed, failed or were reversed.' }),
    webhook_disabled: z.boolean().meta({ description: 'A webhook of yours was disabled because its deliveries keep failing.' }),
    new_device: z.boolean().meta({ description: 'A sign-in to your account from a new device.' }),
  })
  .meta({ id: 'NotificationPreferences' })

export type Notifications = FieldsOf<z.infer<typeof notificationsSchema>>

export type NotificationKind = keyof Notifications

export const notificationChangesSchema = z
  .strictObject({
    payment_received: z.boolean(),
    payout_finished: z.boolean(),
    webhook_disabled: z.boolean(),
    new_device: z.boolean(),
  })
  .partial()
  .prefault({})

export function notificationsToJson(wanted: Notifications): z.infer<typeof notificationsSchema> {
  return answerOf(notificationsSchema, wanted, {})
}
