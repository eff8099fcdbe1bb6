/** HTTP routes with which a member asks for the statement of a wallet by mail, and stops it. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { payerLanguageSchema } from '../../domain/language.ts'
import { statementFrequencySchema } from '../../domain/statement-mail.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { requireVerifiedEmail } from '../../accounts/identity/require-verified-email.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { confirmAccess } from '../../accounts/members/access.ts'
import { tellOwners } from '../../accounts/members/mail-owners.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { deleteSchedule, findSchedule, saveSchedule, type ScheduleKey } from './statement-schedule.sql.ts'

type StatementMailRouteDeps = OwnerAuthDeps & { sealer: Sealer; config: Pick<Config, 'safeguards'> }

const languageSchema = payerLanguageSchema.meta({ description: 'The language of the mail.' })

const statementMailSchema = z
  .object({
    frequency: statementFrequencySchema.nullable().meta({ description: 'Null: no mail is sent.' }),
    language: languageSchema.nullable(),
    next_on: z.iso.date().nullable().meta({
      description:
        'The day in East Africa Time (UTC+3) of the next mail. It is sent from 07:00 on, for the period that has ended.',
    }),
  })
  .meta({ id: 'StatementMail' })

async function readSchedule(db: Runner, key: ScheduleKey): Promise<z.infer<typeof statementMailSchema>> {
  const found = await findSchedule(db, key)
  return { frequency: found?.frequency ?? null, language: found?.language ?? null, next_on: found?.nextOn ?? null }
}

async function note(
  tx: Tx,
  request: Parameters<typeof originOf>[0],
  { merchant, environment }: Owner,
  what: 'set' | 'stopped',
  facts: Record<string, string> = {},
): Promise<void> {
  const [action, object] = [`statement_mail.${what}`, toWire('usr', request.signedIn.userId)]
  await appendAudit(tx, originOf(request), { action, object, merchantId: merchant.id, after: { ...facts, environment } })
}

export async function statementMailRoutes(http: Http, deps: StatementMailRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)
  const keyOf = (userId: string, { merchant, environment }: Owner): ScheduleKey => ({
    userId,
    merchantId: merchant.id,
    environment,
  })

  ownerRoute(http, deps, auth, {
    route: 'GET /statement-mail',
    permission: 'statements.read',
    operationId: 'getStatementMail',
    summary: 'Get your scheduled statement',
    description: 'How often you get the statement of this wallet by mail. Each member decides for themselves.',
    answers: { 200: dataOf(statementMailSchema) },
    handler: async (request) => ({
      data: await readSchedule(deps.db, keyOf(request.signedIn.userId, auth.ownerOf(request))),
    }),
  })

  ownerRoute(http, deps, auth, {
    route: 'PUT /statement-mail',
    permission: 'statements.read',
    operationId: 'setStatementMail',
    summary: 'Schedule the statement by mail',
    description:
      'Mails you a summary of each day, of each week (on Monday) or of each month (on the 1st), with a link to the statement. Each period is mailed once. If mails could not be sent for a while, only the last period is mailed, and the mail names the days before it. It stops when your role does not allow statements any more. In the live environment, your e-mail address must be verified.',
    body: z.strictObject({ frequency: statementFrequencySchema, language: languageSchema }),
    answers: { 200: dataOf(statementMailSchema) },
    refuses: ['email_not_verified'],
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const key = keyOf(request.signedIn.userId, owner)
      await requireVerifiedEmail(deps, { ...owner, merchant: { ...owner.merchant, userId: key.userId } }, key.userId)
      await deps.db.tx(async (tx) => {
        await confirmAccess(tx, request.signedIn, owner, 'statements.read')
        await saveSchedule(tx, key, request.body)
        if (owner.environment === 'live') {
          await tellOwners(deps, tx, owner.merchant.id, {
            sw: 'Mtu wa biashara yako sasa anapata taarifa ya pochi kwa barua pepe.',
            en: 'A member of your business now gets the statement of the wallet by mail.',
          })
        }
        await note(tx, request, owner, 'set', request.body)
      })
      return { data: await readSchedule(deps.db, key) }
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'DELETE /statement-mail',
    permission: 'statements.read',
    operationId: 'stopStatementMail',
    summary: 'Stop the scheduled statement',
    description: 'You get no further mail for this wallet. Repeating the request changes nothing.',
    answers: { 200: dataOf(statementMailSchema) },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const key = keyOf(request.signedIn.userId, owner)
      await deps.db.tx(async (tx) => {
        await confirmAccess(tx, request.signedIn, owner, 'statements.read')
        await deleteSchedule(tx, key)
        await note(tx, request, owner, 'stopped')
      })
      return { data: await readSchedule(deps.db, key) }
    },
  })
}
