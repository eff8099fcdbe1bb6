/** HTTP route of the preview of a payment page: the real form for payers, from unsaved settings. */
import { z } from 'zod'
import { signedInAuth, type OwnerAuthDeps } from '../../developers/owner-auth.ts'
import type { Owner } from '../../identity/merchant.ts'
import type { Networks, NetworkView } from '../../controls/read-networks.ts'
import type { PageSettings } from '../../pages/page.ts'
import { optionalSettings, settingsOf } from '../../pages/routes.ts'
import { defaultSettings } from '../../pages/save-page.ts'
import { dataOf, errors, type Http } from '../../platform/http/http.ts'
import { formHtml } from './form-screen.ts'
import type { Language } from './messages.ts'

export type PreviewRouteDeps = OwnerAuthDeps & { networks: Pick<Networks, 'view'> }

const previewSchema = z
  .object({ sw: z.string(), en: z.string() })
  .meta({ id: 'PaymentPagePreview', description: 'A whole HTML document for each language, without its script.' })

/** The preview is inert: it has no script, and no key to send the form with. */
function previewOf(owner: Owner, settings: PageSettings, networks: NetworkView[], language: Language): string {
  const { merchant, environment } = owner
  const { text } = formHtml({
    page: {
      ...settings,
      slug: 'preview',
      environment,
      merchantName: merchant.displayName,
      merchantKind: merchant.kind,
      merchantStatus: merchant.verificationStatus,
    },
    language,
    idempotencyKey: '',
    networks,
  })
  return text.replace(/<script>.*?<\/script>/s, '')
}

export async function previewRoutes(http: Http, deps: PreviewRouteDeps): Promise<void> {
  const auth = signedInAuth(deps)

  http.post(
    `${auth.prefix}/payment-pages/preview`,
    {
      onRequest: auth.require('pages.read'),
      schema: {
        ...auth.describe('Payment pages'),
        operationId: 'previewMerchantPaymentPage',
        summary: 'Preview a payment page',
        description:
          'Returns the page as payers see it, without saving anything. Settings that could not be saved together are accepted, because they may still be incomplete. Settings that are left out have the defaults of a new page.',
        querystring: z.strictObject(auth.query),
        body: optionalSettings,
        response: { 200: dataOf(previewSchema), ...errors(400, 401, 404, 413, 415) },
      },
    },
    async (request) => {
      const owner = auth.ownerOf(request)
      const settings = { ...defaultSettings('payment'), ...settingsOf(request.body) }
      const networks = deps.networks.view(owner.environment)
      return { data: { sw: previewOf(owner, settings, networks, 'sw'), en: previewOf(owner, settings, networks, 'en') } }
    },
  )
}
