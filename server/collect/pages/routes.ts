/** HTTP of payment pages: the same resource by API key and by the dashboard's sign-in, and its public part. */
import { nameForPayers, nameForPayersText } from '../../domain/merchant.ts'
import { ownerRoute } from '../../accounts/developers/owner-route.ts'
import { publicRoute } from '../../accounts/identity/route.ts'
import { currencySchema, sentCurrency } from '../../domain/currency.ts'
import { findPublicPage, type PublicPageDeps } from './find-public-page.ts'
import { merchantKindSchema } from '../../domain/merchant.ts'
import { pageLanguageSchema } from '../../domain/language.ts'
import { confirmingReasonSchema, pageStateSchema, pageTypeSchema, type ConfirmingReason } from '../../domain/page.ts'
import { environmentSchema } from '../../domain/environment.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { changedBy, ownerAuthMethods, type OwnerAuthDeps } from '../../accounts/developers/owner-auth.ts'
import type { Config } from '../../config/config.ts'
import { guarded, shown, type Sight } from '../../accounts/members/sight.ts'
import {
  requireGoodStanding,
  suspensionSchema,
  suspensionToJson,
  type Owner,
  standingRefusals,
} from '../../accounts/identity/merchant.ts'
import { networkStateSchema, networkStateToJson } from '../../money/controls/network-routes.ts'
import type { Networks, NetworkView } from '../../money/controls/read-networks.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/db.ts'
import { dataOf, listOf, listQuery, wholeNumber, type Http } from '../../platform/http/http.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { invalidFields, notFound, orNotFound } from '../../platform/refusal.ts'
import { customFieldsSchema } from './custom-field.ts'
import {
  ceilingAmount,
  openPageState,
  settingFields,
  slugShape,
  type PageSettings,
  type PaymentPage,
  pageRefusals,
} from './page.ts'
import { findPage, listPages, type OpenPage } from './page.sql.ts'
import { linkQrSvg, qrSizes } from './qr.ts'
import { changePage, createPage } from './save-page.ts'
import { answerOf, fieldsOf } from '../../platform/http/answer.ts'

export type PageRouteDeps = OwnerAuthDeps &
  PublicPageDeps & {
    db: Db
    log: Log
    clock: Clock
    config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'testWritesBeforeVerification' | 'mode' | 'pages'>
    cursors: Cursors
    networks: Pick<Networks, 'view'>
    /** When and why payers of a live page started to confirm before a charge is sent; undefined if they need not confirm. */
    confirming(page: { home: number; id: string; pageId: string }): Promise<{ since: Date; reason: ConfirmingReason } | undefined>
  }

/** Settings of a page, each of which may be left out. */
export const optionalSettings = z.strictObject(settingFields).partial()
const slug = z.string().regex(slugShape, 'Use 3 to 60 of a–z, 0–9 and hyphens, with no hyphen at the start or end.')

const createBody = optionalSettings.extend({
  type: pageTypeSchema.meta({ example: 'payment' }),
  title: settingFields.title,
  slug: slug.optional(),
  currency: sentCurrency,
})
const patchFields = optionalSettings.extend({ currency: sentCurrency })
const patchBody = patchFields.prefault({})
const literalPatchBody = patchFields.extend({
  id: z.string().optional(),
  slug: z.string().optional().meta({ example: 'k7m2q9xa' }),
})

const pageSchema = z
  .object({
    id: z.string().meta({ example: 'page_06g2v1d1p5fz9b7q4w5w1y2k3m' }),
    type: pageTypeSchema,
    slug: z.string(),
    url: z.string().meta({ description: 'The page on which payers pay.' }),
    ...settingFields,
    title: z.string(),
    description: z.string().nullable(),
    inactive_message: z.string().nullable(),
    success_message: z.string().nullable(),
    redirect_url: z.string().nullable(),
    expires_at: z.iso.datetime().nullable(),
    metadata: z.record(z.string(), z.string()),
    custom_fields: customFieldsSchema,
    currency: currencySchema,
    paid_count: z.int(),
    paid_total: guarded('PaymentPage.paid_total', z.int(), 'TZS.'),
    environment: environmentSchema,
    owner: z.object({ type: merchantKindSchema, id: z.string() }),
    suspension: suspensionSchema,
    confirming_since: z.iso.datetime().nullable().optional().meta({
      description:
        'Only when a single live page is read: since when some or all payers must confirm before a payment request is sent. Null if no confirmation is required.',
    }),
    confirming_reason: confirmingReasonSchema.nullable().optional().meta({
      description:
        'Why confirmation is required. `pace`: checkouts of the page, or of all your pages, start far more often than usual. `network`: many new phones from one IP network did not pay, and only payers from that network confirm. `ordered`: our operators ordered it.',
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'PaymentPage' })

const publicPageSchema = z
  .object({
    slug: z.string(),
    type: pageTypeSchema,
    state: pageStateSchema.meta({ description: 'Only an open page accepts payments.' }),
    title: z.string(),
    description: z.string().nullable(),
    amount: z.int().nullable(),
    currency: currencySchema,
    allow_custom_amount: z.boolean(),
    min_amount: z.int(),
    max_amount: z.int(),
    inactive_message: z.string().nullable(),
    success_message: z.string().nullable(),
    expires_at: z.iso.datetime().nullable(),
    language: pageLanguageSchema,
    custom_fields: customFieldsSchema.meta({ description: 'What a checkout sends in `custom_fields`, by `key`.' }),
    merchant_name: z.string().meta({ description: nameForPayersText }),
    merchant_verified: z.boolean(),
    environment: environmentSchema,
    networks: z.array(networkStateSchema).meta({ description: 'Current state of the mobile networks.' }),
  })
  .meta({ id: 'PublicPaymentPage' })

/** The checkout link. It is as short as a link that names its owner can be, so there is no second, shorter one. */
export function pageUrl(page: Pick<PaymentPage, 'slug'>, urls: Pick<Config['urls'], 'checkout'>): string {
  return `${urls.checkout}/pay/${page.slug}`
}

type Viewer = { owner: Owner; sight: Sight; urls: Pick<Config['urls'], 'checkout'> }

function pageToJson(page: PaymentPage, { owner, sight, urls }: Viewer): z.infer<typeof pageSchema> {
  return answerOf(pageSchema, page, {
    id: toWire('page', page.id),
    url: pageUrl(page, urls),
    paid_total: shown(sight, 'PaymentPage.paid_total', page.paidTotal),
    custom_fields: page.customFields,
    owner: { type: owner.merchant.kind, id: toWire(owner.merchant.kind === 'personal' ? 'usr' : 'biz', owner.merchant.id) },
    suspension: suspensionToJson(page),
  })
}

export function publicPageToJson(page: OpenPage, networks: NetworkView[]): z.infer<typeof publicPageSchema> {
  return answerOf(publicPageSchema, page, {
    state: openPageState(page),
    max_amount: page.maxAmount ?? ceilingAmount,
    custom_fields: page.customFields,
    merchant_name: nameForPayers(page.merchantName, 'en'),
    merchant_verified: page.merchantStatus === 'verified',
    networks: networks.map(networkStateToJson),
  })
}

/** The settings that a body sets. Settings that it leaves out stay unchanged. */
export function settingsOf({ expires_at: expiresAt, ...body }: z.infer<typeof optionalSettings>): Partial<PageSettings> {
  const settings = fieldsOf(body)
  if (expiresAt === undefined) return settings
  return { ...settings, expiresAt: expiresAt === null ? null : new Date(expiresAt) }
}

function refuseOtherCurrency(sent: unknown): void {
  if (sent === undefined || sent === null || sent === 'TZS') return
  throw invalidFields(
    [{ field: 'currency', code: 'currency_unsupported', message: 'Pages are in TZS only.' }],
    'currency_unsupported',
    'Pages are in TZS only.',
  )
}

/** A page is named by its id or its slug. Any other text names no page. */
function nameOf(idOrSlug: string): { id: string } | { slug: string } {
  const id = fromWire('page', idOrSlug)
  if (id !== undefined) return { id }
  if (!slugShape.test(idOrSlug)) throw notFound()
  return { slug: idOrSlug }
}

const qrQuery = {
  size: wholeNumber(qrSizes.least, qrSizes.most)
    .optional()
    .meta({ description: `Width in pixels, ${qrSizes.usual} by default.` }),
  download: z.enum(['', 'true', 'false']).optional().meta({ description: 'Return the picture as a file download.' }),
}

type CallerRequest = Pick<FastifyRequest, 'signedIn' | 'keyCaller' | 'access'>

export async function pageRoutes(http: Http, deps: PageRouteDeps): Promise<void> {
  for (const auth of ownerAuthMethods(deps)) {
    const saveDeps = { db: deps.db, config: deps.config }
    const urls = deps.config.urls

    /** Checks in the order of the contract's refusals: the owner may see it, then may write, then the form of the body. */
    const mayWrite = async (request: CallerRequest, name: string | undefined): Promise<void> => {
      const owner = auth.ownerOf(request)
      if (name !== undefined && !(await findPage(deps.db, owner, nameOf(name)))) throw notFound()
      requireGoodStanding(owner, deps.config)
    }

    const viewerOf = (request: CallerRequest): Viewer => ({ owner: auth.ownerOf(request), sight: auth.sightOf(request), urls })
    ownerRoute(http, deps, auth, {
      route: 'POST /payment-pages',
      permission: 'pages.write',
      operationId: `create${auth.name}PaymentPage`,
      summary: 'Create a payment page',
      body: createBody,
      answers: { 201: dataOf(pageSchema) },
      refuses: [...pageRefusals, ...standingRefusals, 'slug_taken'],
      idempotencyKey: 'replay_answer',
      before: (request) => mayWrite(request, undefined),
      handler: async (request, reply) => {
        const owner = auth.ownerOf(request)
        const { type, slug: wantedSlug, currency: sentCurrency, ...settings } = request.body
        refuseOtherCurrency(sentCurrency)
        const settingsWanted = { type, slug: wantedSlug, ...settingsOf(settings) }
        const page = await createPage(saveDeps, owner, settingsWanted, changedBy(auth, request, owner))
        void reply.code(201)
        return { data: pageToJson(page, viewerOf(request)) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payment-pages',
      permission: 'pages.read',
      operationId: `list${auth.name}PaymentPages`,
      summary: 'List payment pages',
      query: z.strictObject({ ...listQuery, ...auth.query }),
      answers: { 200: listOf(pageSchema) },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const scope = `pages ${owner.merchant.id} ${owner.environment}`
        const range = rangeOf(deps.cursors, scope, request.query)
        const page = pageByTime(deps.cursors, scope, await listPages(deps.db, owner, range), range.limit)
        const viewer = viewerOf(request)
        return answerPage(page, (item) => pageToJson(item, viewer))
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payment-pages/:id_or_slug',
      permission: 'pages.read',
      operationId: `get${auth.name}PaymentPage`,
      summary: 'Get a payment page',
      answers: { 200: dataOf(pageSchema) },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const page = orNotFound(await findPage(deps.db, owner, nameOf(request.params.id_or_slug)))
        const isLive = page.environment === 'live'
        const confirming = isLive ? await deps.confirming({ ...owner.merchant, pageId: page.id }) : undefined
        const { since, reason = null } = confirming ?? {}
        const confirmation = { confirming_since: since?.toISOString() ?? null, confirming_reason: reason }
        return { data: { ...pageToJson(page, viewerOf(request)), ...confirmation } }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'GET /payment-pages/:id_or_slug/qr',
      permission: 'pages.read',
      operationId: `get${auth.name}PaymentPageQr`,
      summary: 'Get a payment page QR code',
      description:
        'An SVG with the QR code of `url` and the link below it. The code never changes. The same picture is public at `{url}/qr.svg`.',
      query: z.strictObject({ ...qrQuery, ...auth.query }),
      answers: { 200: { content: { 'image/svg+xml': { schema: z.string() } } } },
      handler: async (request, reply) => {
        const owner = auth.ownerOf(request)
        const page = orNotFound(await findPage(deps.db, owner, nameOf(request.params.id_or_slug)))
        const { size = qrSizes.usual, download = 'false' } = request.query
        const disposition = download === 'false' ? 'inline' : 'attachment'
        return reply
          .type('image/svg+xml; charset=utf-8')
          .header('content-disposition', `${disposition}; filename="${page.slug}.svg"`)
          .send(linkQrSvg(pageUrl(page, urls), size))
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'PATCH /payment-pages/:id_or_slug',
      permission: 'pages.write',
      operationId: `update${auth.name}PaymentPage`,
      summary: 'Update a payment page',
      description: '`type`, `slug`, owner and environment cannot be changed.',
      body: patchBody,
      answers: { 200: dataOf(pageSchema) },
      refuses: [...pageRefusals, ...standingRefusals],
      before: (request) => mayWrite(request, (request.params as { id_or_slug: string }).id_or_slug),
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const { currency: sentCurrency, ...settings } = request.body
        refuseOtherCurrency(sentCurrency)
        const by = changedBy(auth, request, owner)
        const page = await changePage(saveDeps, owner, nameOf(request.params.id_or_slug), settingsOf(settings), by)
        return { data: pageToJson(page, viewerOf(request)) }
      },
    })

    ownerRoute(http, deps, auth, {
      route: 'PATCH /payment-pages',
      permission: 'pages.write',
      operationId: `update${auth.name}PaymentPageByBody`,
      summary: 'Update a payment page by body',
      description: 'The body identifies the page by `id` or `slug`. The other fields are changed.',
      body: literalPatchBody,
      answers: { 200: dataOf(pageSchema) },
      refuses: [...pageRefusals, ...standingRefusals, 'not_found'],
      before: (request) => {
        const { id, slug: sentSlug } = (request.body ?? {}) as { id?: unknown; slug?: unknown }
        const name = typeof id === 'string' ? id : typeof sentSlug === 'string' ? sentSlug : undefined
        return mayWrite(request, name)
      },
      handler: async (request) => {
        const owner = auth.ownerOf(request)
        const { id, slug: sentSlug, currency: sentCurrency, ...settings } = request.body
        if (id !== undefined && sentSlug !== undefined) {
          throw invalidFields([
            { field: 'slug', code: 'invalid', message: 'Send id or slug, not both. A slug cannot be changed.' },
          ])
        }
        const name = id ?? sentSlug
        if (name === undefined)
          throw invalidFields([{ field: 'id', code: 'required', message: 'Send the id or the slug of the page.' }])
        refuseOtherCurrency(sentCurrency)
        const page = await changePage(saveDeps, owner, nameOf(name), settingsOf(settings), changedBy(auth, request, owner))
        return { data: pageToJson(page, viewerOf(request)) }
      },
    })
  }

  publicRoute(http, {
    route: 'GET /v1/pay/:slug',
    operationId: 'getPublicPaymentPage',
    summary: 'Get a public payment page',
    answers: { 200: dataOf(publicPageSchema) },
    handler: async (request, reply) => {
      const page = orNotFound(await findPublicPage(deps, request.params.slug, request.ip))
      void reply.header('cache-control', 'no-store')
      return { data: publicPageToJson(page, deps.networks.view(page.environment)) }
    },
  })
}
