/** The pictures of the checkout's host: the QR code of a page, and the logos of merchants. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'
import type { PublicPageDeps } from '../../../collect/pages/find-public-page.ts'
import { linkQrSvg, qrSizes } from '../../../collect/pages/qr.ts'
import { pageUrl } from '../../../collect/pages/routes.ts'
import { logoExtensions } from '../../../merchants/brands/brand.ts'
import { findLogo } from '../../../merchants/brands/brand.sql.ts'
import type { Db } from '../../../platform/db/db.ts'
import { Missing } from './error-pages.ts'
import { readPageOf } from './open-form.ts'
import { readPaid, type ReceiptDeps } from './show-receipt.ts'

export async function showQr(
  deps: PublicPageDeps & { config: Pick<Config, 'urls'> },
  request: FastifyRequest<{ Params: { slug: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const page = await readPageOf(deps, request)
  return reply.type('image/svg+xml; charset=utf-8').send(linkQrSvg(pageUrl(page, deps.config.urls), qrSizes.usual))
}

/** The address of a receipt, so that the person who is shown a receipt can check it. Guesses count as guesses of the receipt. */
export async function showReceiptQr(
  deps: Pick<ReceiptDeps, 'statuses' | 'limits' | 'config'>,
  request: FastifyRequest<{ Params: { reference: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { reference } = request.params
  await readPaid(deps, request, reply)
  const link = `${deps.config.urls.checkout}/r/${reference}`
  return reply.type('image/svg+xml; charset=utf-8').send(linkQrSvg(link, qrSizes.usual, { isLabelled: false }))
}

/** The bytes never change under their name, so every cache may keep them. They need no cookie, and set none. */
export async function showLogo(
  { db }: { db: Db },
  request: FastifyRequest<{ Params: { name: string } }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // A hash cannot be guessed, so unknown names need no limit.
  const hash = /^([0-9a-f]{64})\.(?:png|jpg)$/.exec(request.params.name)?.[1]
  const found = hash === undefined ? undefined : await findLogo(db, Buffer.from(hash, 'hex'))
  if (!found || !request.params.name.endsWith(logoExtensions[found.logoType])) throw new Missing('page')
  return reply
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('cache-control', 'public, max-age=31536000, immutable')
    .header('cross-origin-resource-policy', 'same-site')
    .type(found.logoType)
    .send(found.logo)
}
