/** HTTP routes of a merchant's logo and colour, for its members. */
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { appendAudit } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { signedInAuth, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { confirmAccess } from '../../accounts/members/access.ts'
import { tellOwners } from '../../accounts/members/mail-owners.ts'
import type { Runner } from '../../platform/db/db.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { invalidState } from '../../platform/refusal.ts'
import { brandNotice, brandSchema, brandToJson, color, maxFileBytes, shadesOf, shadesSchema } from './brand.ts'
import { findBrand, readLogo, removeLogo, saveColor } from './brand.sql.ts'
import { setLogo, type SetLogoDeps } from './set-logo.ts'

export type BrandRouteDeps = OwnerAuthDeps &
  SetLogoDeps & { config: Pick<Config, 'sessions' | 'urls'>; limits: Record<'logo', Limit> }

/** Base64 is a third longer than what it encodes. */
const bodyLimit = Math.ceil(maxFileBytes / 3) * 4 + 4 * 1024

const image = z
  .string()
  .transform((text, context) => {
    const bytes = Buffer.from(text, 'base64')
    // Node skips what is not base64.
    const isBase64 = text.length % 4 === 0 && bytes.length > 0 && bytes.toString('base64') === text
    if (!isBase64 || bytes.length > maxFileBytes) {
      context.addIssue({ code: 'custom', message: `Send the bytes of the file as base64, at most ${maxFileBytes} bytes.` })
      return z.NEVER
    }
    return bytes
  })
  .meta({ description: 'The bytes of a PNG, JPEG or WebP file as base64, at most 2 MiB.' })

/** What members and operators see. */
export async function readBrand(
  db: Runner,
  { urls, cell }: Pick<Config, 'urls' | 'cell'>,
  merchant: Merchant,
): Promise<z.infer<typeof brandSchema>> {
  const brand = await findBrand(db, merchant.id)
  const bytes = brand.logo ? await readLogo(db, merchant.id) : undefined
  return brandToJson(brand, bytes, { merchant, checkoutUrl: urls.checkout, cell: cell.name })
}

export async function brandRoutes(http: Http, deps: BrandRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)

  ownerRoute(http, deps, auth, {
    route: 'GET /brand',
    permission: 'profile.read',
    operationId: 'getBrand',
    summary: 'Get the logo and colour',
    description:
      'What payers see on the payment page and the receipt beside your name. It is the same in both environments. Live pages show it only while you are verified and not suspended.',
    answers: { 200: dataOf(brandSchema) },
    handler: async (request) => ({ data: await readBrand(deps.db, deps.config, auth.ownerOf(request).merchant) }),
  })

  ownerRoute(http, deps, auth, {
    route: 'GET /brand/shades',
    permission: 'profile.read',
    operationId: 'getBrandShades',
    summary: 'Preview a colour',
    description: 'How payers would see a colour, without saving it.',
    query: z.strictObject({ ...auth.query, color }),
    answers: { 200: dataOf(shadesSchema) },
    handler: async (request) => ({ data: shadesOf(request.query.color) }),
  })

  ownerRoute(http, deps, auth, {
    route: 'PUT /brand/color',
    permission: 'business.write',
    operationId: 'setBrandColor',
    summary: 'Set the colour',
    description:
      'The colour of the pay button, of the mark beside your name, and of the line at the top. If it has too little contrast with the page, a darker or lighter shade of it is shown: see `shades`. Errors, success and the TEST banner keep their colours. Null: the colours of the service. Requires a recent sign-in or step-up.',
    body: z.strictObject({ color: color.nullable() }),
    answers: { 200: dataOf(brandSchema) },
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const { merchant } = owner
      const origin = originOf(request)
      await deps.db.tx(async (tx) => {
        await confirmAccess(tx, request.signedIn, owner, 'business.write')
        const before = await findBrand(tx, merchant.id)
        await saveColor(tx, merchant.id, request.body.color, origin.actor)
        await tellOwners(deps, tx, merchant.id, brandNotice)
        await appendAudit(tx, origin, {
          action: 'brand.color_set',
          object: wireIdOf(merchant),
          merchantId: merchant.id,
          before: { color: before.color },
          after: { color: request.body.color },
        })
      })
      return { data: await readBrand(deps.db, deps.config, merchant) }
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'PUT /brand/logo',
    permission: 'business.write',
    operationId: 'setBrandLogo',
    summary: 'Set the logo',
    description:
      'A PNG, JPEG or WebP picture, at least 48 pixels wide and high, its long side at most four times the short one. The service makes a small picture from its pixels and keeps nothing else of the file. Not usable: 400 `logo_invalid`. The same as a logo that operators have removed: 409 `logo_removed`. Requires a recent sign-in or step-up.',
    body: z.strictObject({ image }),
    answers: { 200: dataOf(brandSchema) },
    refuses: ['logo_invalid', 'logo_removed', 'scanner_unavailable'],
    bodyLimit,
    handler: async (request, reply) => {
      const owner = auth.ownerOf(request)
      await deps.limits.logo.take(owner.merchant.id, reply)
      await setLogo(deps, owner.merchant, request.body.image, {
        origin: originOf(request),
        confirm: (tx) => confirmAccess(tx, request.signedIn, owner, 'business.write'),
      })
      return { data: await readBrand(deps.db, deps.config, owner.merchant) }
    },
  })

  ownerRoute(http, deps, auth, {
    route: 'DELETE /brand/logo',
    permission: 'business.write',
    operationId: 'deleteBrandLogo',
    summary: 'Remove the logo',
    description: 'No logo is set: 409 `invalid_state`. Requires a recent sign-in or step-up.',
    answers: { 200: dataOf(brandSchema) },
    refuses: ['invalid_state'],
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const { merchant } = owner
      const origin = originOf(request)
      await deps.db.tx(async (tx) => {
        await confirmAccess(tx, request.signedIn, owner, 'business.write')
        if (!(await removeLogo(tx, merchant.id, null, origin.actor)))
          throw invalidState('No logo is set.', 'Hakuna nembo iliyowekwa.')
        await tellOwners(deps, tx, merchant.id, brandNotice)
        await appendAudit(tx, origin, { action: 'brand.logo_removed', object: wireIdOf(merchant), merchantId: merchant.id })
      })
      return { data: await readBrand(deps.db, deps.config, merchant) }
    },
  })
}
