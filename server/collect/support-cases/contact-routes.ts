/** HTTP routes of a merchant's support contact, for its members. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
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
import { dataOf, type Http } from '../../platform/http/http.ts'
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

  ownerRoute(http, deps, auth, {
    route: 'GET /support-contact',
    permission: 'profile.read',
    operationId: 'getSupportContact',
    summary: 'Get the support contact',
    description:
      'Where payers reach you: shown on the checkout, on receipts and in mails to payers. It is the same in both environments.',
    answers: { 200: dataOf(contactSchema) },
    handler: async (request) => ({ data: await readContact(deps.db, auth.ownerOf(request)) }),
  })

  ownerRoute(http, deps, auth, {
    route: 'PUT /support-contact',
    permission: 'business.write',
    operationId: 'setSupportContact',
    summary: 'Set the support contact',
    description:
      'Replaces all three. Everyone who pays sees it. With three nulls, payers see your name and the contact of the service. Requires a recent sign-in or step-up.',
    body: z.strictObject(contactFields),
    answers: { 200: dataOf(contactSchema) },
    handler: async (request) => {
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
  })
}
