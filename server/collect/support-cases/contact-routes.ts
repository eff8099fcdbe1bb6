/** HTTP routes of a merchant's support contact, for its members. */
import { z } from 'zod'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { wireIdOf, type Owner } from '../../accounts/identity/merchant.ts'
import { confirmAccess } from '../../accounts/members/access.ts'
import { tellOwners } from '../../accounts/members/mail-owners.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Runner } from '../../platform/db/db.ts'
import { dataOf, errors, type Http } from '../../platform/http/http.ts'
import { contactFields, contactSchema, isEmpty, noContact } from './support-contact.ts'
import { deleteSupportContacts, findSupportContact, saveSupportContact } from './support-contact.sql.ts'

type ContactRouteDeps = OwnerAuthDeps & { sealer: Sealer; config: Pick<Config, 'sessions'> }

async function readContact(db: Runner, { merchant }: Owner): Promise<z.infer<typeof contactSchema>> {
  const found = await findSupportContact(db, merchant.id)
  const { phone, email, whatsapp } = found ?? noContact
  return { phone, email, whatsapp, is_set: found !== undefined, changed_at: found?.updatedAt.toISOString() ?? null }
}

export async function contactRoutes(http: Http, deps: ContactRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)
  const path = `${auth.prefix}/support-contact`
  const querystring = z.strictObject(auth.query)

  http.get(
    path,
    {
      onRequest: auth.require('profile.read'),
      schema: {
        ...auth.describe('Support'),
        operationId: 'getSupportContact',
        summary: 'Get the support contact',
        description:
          'Where payers reach you: shown on the checkout, on receipts and in mails to payers. It is the same in both environments.',
        querystring,
        response: { 200: dataOf(contactSchema), ...errors(400, 401, 403, 404, 503) },
      },
    },
    async (request) => ({ data: await readContact(deps.db, auth.ownerOf(request)) }),
  )

  http.put(
    path,
    {
      onRequest: auth.require('business.write'),
      schema: {
        ...auth.describe('Support'),
        operationId: 'setSupportContact',
        summary: 'Set the support contact',
        description:
          'Replaces all three. Everyone who pays sees it. With three nulls, payers see your name and the contact of the service. Requires a recent sign-in or step-up.',
        querystring,
        body: z.strictObject(contactFields),
        response: { 200: dataOf(contactSchema), ...errors(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request) => {
      const owner = auth.ownerOf(request)
      const { merchant } = owner
      const origin = originOf(request)
      await deps.db.tx(async (tx) => {
        await confirmAccess(tx, request.signedIn, owner, 'business.write')
        if (isEmpty(request.body)) await deleteSupportContacts(tx, [merchant.id])
        else await saveSupportContact(tx, merchant.id, request.body, origin.actor)
        await tellOwners(deps, tx, merchant.id, {
          sw: 'Mawasiliano ambayo walipaji wanaona yamebadilishwa.',
          en: 'The contact that payers see was changed.',
        })
        const { phone, email, whatsapp } = request.body
        const after = { phone: phone !== null, email: email !== null, whatsapp: whatsapp !== null }
        await appendAudit(tx, origin, {
          action: 'support_contact.set',
          object: wireIdOf(merchant),
          merchantId: merchant.id,
          after,
        })
      })
      return { data: await readContact(deps.db, owner) }
    },
  )
}
