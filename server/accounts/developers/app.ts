/** Developer apps: each belongs permanently to one merchant and one environment, and so do its keys. */
import { z } from 'zod'
import { appStatusSchema } from '../../domain/developer-app.ts'
import { environmentSchema, type Environment } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { Merchant } from '../identity/merchant.ts'
import { toWire } from '../../platform/ids.ts'
import { lineOfText, paragraphOfText } from '../../platform/http/text.ts'
import { answerOf } from '../../platform/http/answer.ts'

export type App = {
  id: string
  merchantId: string
  merchantKind: Merchant['kind']
  environment: Environment
  /** The role of the person who reads it. */
  role: MemberRole
  powerFrom: Date | null
  name: string
  description: string | null
  createdAt: Date
  deletedAt: Date | null
}

const name = lineOfText(120).meta({ example: 'Campus shop' })
const description = paragraphOfText(1000).nullable()

export const newAppSchema = z.strictObject({
  name,
  description: description.optional(),
  business_id: z.string().nullish().meta({
    description:
      'Binds the app and all its keys to the wallet of this business. Without it, they act for your personal account. May be sent in the query instead.',
  }),
  environment: environmentSchema,
})

export const appChangesSchema = z.strictObject({ name: name.optional(), description: description.optional() }).prefault({})

export const appSchema = z
  .object({
    id: z.string().meta({ example: 'app_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    name: z.string(),
    description: z.string().nullable(),
    business_id: z
      .string()
      .nullable()
      .meta({ description: 'The business whose wallet the app uses. Null for your personal account.' }),
    environment: environmentSchema,
    status: appStatusSchema.meta({ description: '`deleted` appears only in the answer to DELETE.' }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'App' })

export function appToJson(app: App): z.infer<typeof appSchema> {
  return answerOf(appSchema, app, {
    id: toWire('app', app.id),
    business_id: app.merchantKind === 'business' ? toWire('biz', app.merchantId) : null,
    status: app.deletedAt === null ? 'active' : 'deleted',
  })
}
