/** HTTP routes of a merchant's logo for operators: they see it, and remove one that misleads payers. */
import { operatorRoute, type OperatorRouteDeps } from '../../accounts/identity/route.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { confirmOperator, originOf } from '../../accounts/identity/authenticate.ts'
import { findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { mailOwners } from '../../accounts/members/mail-owners.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { paragraphOfText } from '../../platform/http/text.ts'
import { invalidState, orNotFound } from '../../platform/refusal.ts'
import { brandSchema } from './brand.ts'
import { lockBrand, removeLogo } from './brand.sql.ts'
import { readBrand } from './routes.ts'

export type BrandOperatorDeps = OperatorRouteDeps & { db: Db; sealer: Sealer; config: Pick<Config, 'sessions' | 'urls'> }

const byMerchant = z.object({ merchant_id: z.string() })

async function findMerchant({ db }: BrandOperatorDeps, request: FastifyRequest): Promise<Merchant> {
  return orNotFound(await findMerchantByWire(db, (request.params as z.infer<typeof byMerchant>).merchant_id))
}

export async function brandOperatorRoutes(http: Http, deps: BrandOperatorDeps): Promise<void> {
  operatorRoute(http, deps, {
    route: 'GET /v1/admin/merchants/:merchant_id/brand',
    operationId: 'getMerchantBrand',
    summary: 'Get the logo of a merchant',
    answers: { 200: dataOf(brandSchema) },
    handler: async (request) => ({ data: await readBrand(deps.db, deps.config, await findMerchant(deps, request)) }),
  })

  operatorRoute(http, deps, {
    route: 'POST /v1/admin/merchants/:merchant_id/brand/remove-logo',
    operationId: 'removeMerchantLogo',
    summary: 'Remove the logo of a merchant',
    description:
      'Payers no longer see it, its public address answers 404, and the merchant cannot set the same picture again. The owner gets the reason by mail. No logo: 409 `invalid_state`. Your own account or business: 403 `self_review_forbidden`. Requires a recent sign-in or step-up.',
    body: z.strictObject({
      reason: paragraphOfText(2000)
        .min(1, 'Enter the reason. The owner reads this text.')
        .meta({ description: 'The owner reads it in the mail and in the dashboard.' }),
    }),
    answers: { 200: dataOf(brandSchema) },
    refuses: ['self_review_forbidden', 'invalid_state'],
    before: (request) => findMerchant(deps, request),
    handler: async (request) => {
      const merchant = await findMerchant(deps, request)
      const { reason } = request.body
      const origin = originOf(request)
      await deps.db.tx(async (tx) => {
        const { logo } = await lockBrand(tx, merchant.id)
        await confirmOperator(tx, request.signedIn)
        await refuseOwnMerchant(tx, merchant.id, request.signedIn.userId)
        if (!logo || !(await removeLogo(tx, merchant.id, reason, origin.actor)))
          throw invalidState('No logo is set.', 'Hakuna nembo iliyowekwa.')
        const { displayName: name } = merchant
        await mailOwners(deps, tx, merchant.id, {
          kind: 'logo_removed',
          subject: 'Nembo yako imeondolewa · Your logo was removed',
          sw: `Nembo ya ${name} imeondolewa kwenye kurasa za malipo na stakabadhi. Malipo yanaendelea kama kawaida. Unaweza kuweka nembo nyingine kwenye dashibodi. Jibu barua pepe hii kama unaona kuna kosa.`,
          en: `The logo of ${name} was removed from payment pages and receipts. Payments continue as usual. You can set another logo in the dashboard. Reply to this mail if you think that this is a mistake.`,
          reason,
        })
        await appendAudit(tx, origin, {
          action: 'brand.logo_removed_by_operator',
          object: wireIdOf(merchant),
          merchantId: merchant.id,
          before: { sha256: logo.sha256.toString('hex') },
          after: { reason },
        })
      })
      return { data: await readBrand(deps.db, deps.config, merchant) }
    },
  })
}
