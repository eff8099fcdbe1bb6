/** HTTP route of the preview of a payment page: the real form for payers, from unsaved settings. */
import { ownerRoute } from '../../../accounts/developers/owner-route.ts'
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../../accounts/developers/owner-auth.ts'
import type { Owner } from '../../../accounts/identity/merchant.ts'
import type { Networks, NetworkView } from '../../../money/controls/read-networks.ts'
import { defaultSettings, type PageSettings } from '../../../collect/pages/page.ts'
import { optionalSettings, settingsOf } from '../../../collect/pages/routes.ts'
import { dataOf, type Http } from '../../../platform/http/http.ts'
import { dataUrl } from '../../../merchants/brands/brand.ts'
import { readLogo } from '../../../merchants/brands/brand.sql.ts'
import { findSupportContact } from '../../../collect/support-cases/support-contact.sql.ts'
import { shownBrand, type ShownBrand } from './brand-look.ts'
import { helpHtml, type Help } from './support-lines.ts'
import type { Config } from '../../../config/config.ts'
import { formHtml } from './form-screen.ts'
import type { Language } from './messages.ts'

export type PreviewRouteDeps = OwnerAuthDeps & { networks: Pick<Networks, 'view'>; config: Pick<Config, 'support'> }

const previewSchema = z
  .object({ sw: z.string(), en: z.string() })
  .meta({ id: 'PaymentPagePreview', description: 'A whole HTML document for each language, without its script.' })

/** The preview is inert: it has no script, and no key to send the form with. */
function previewOf(
  owner: Owner,
  {
    settings,
    networks,
    help,
    brand,
  }: { settings: PageSettings; networks: NetworkView[]; help: Omit<Help, 'merchantName'>; brand: ShownBrand | undefined },
  language: Language,
): string {
  const { merchant, environment } = owner
  // As payers see it.
  const merchantName = environment === 'live' || merchant.verificationStatus === 'verified' ? merchant.displayName : null
  const { text } = formHtml({
    page: {
      ...settings,
      slug: 'preview',
      environment,
      merchantName,
      merchantKind: merchant.kind,
      merchantStatus: merchant.verificationStatus,
    },
    language,
    idempotencyKey: '',
    networks,
    brand,
    help: helpHtml({ ...help, merchantName }, language),
  })
  return text.replace(/<script>.*?<\/script>/gs, '')
}

/** With the logo in the page itself: the policy of the dashboard loads no picture from the checkout host. */
async function brandOf({ db }: PreviewRouteDeps, { merchant }: Owner): Promise<ShownBrand | undefined> {
  const brand = await shownBrand(db, merchant.id)
  const bytes = brand?.logo ? await readLogo(db, merchant.id) : undefined
  return brand?.logo && bytes ? { ...brand, logoSource: dataUrl(brand.logo, bytes) } : brand
}

export async function previewRoutes(http: Http, deps: PreviewRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)

  ownerRoute(http, deps, auth, {
    route: 'POST /payment-pages/preview',
    permission: 'pages.read',
    operationId: 'previewMerchantPaymentPage',
    summary: 'Preview a payment page',
    description:
      'Returns the page as payers see it, without saving anything. Settings that could not be saved together are accepted, because they may still be incomplete. Settings that are left out have the defaults of a new page.',
    body: optionalSettings,
    answers: { 200: dataOf(previewSchema) },
    refuses: ['amount_invalid'],
    handler: async (request) => {
      const owner = auth.ownerOf(request)
      const settings = { ...defaultSettings('payment'), ...settingsOf(request.body) }
      const networks = deps.networks.view(owner.environment)
      const help = { contact: await findSupportContact(deps.db, owner.merchant.id), operators: deps.config.support }
      const shown = { settings, networks, help, brand: await brandOf(deps, owner) }
      return { data: { sw: previewOf(owner, shown, 'sw'), en: previewOf(owner, shown, 'en') } }
    },
  })
}
