/** The documents of a person or a business: an address to upload one, and an address to view one. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Purpose } from '../../domain/document.ts'
import { originOf } from '../../accounts/identity/authenticate.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { orNotFound } from '../../platform/refusal.ts'
import type { Document } from '../documents/document.ts'
import { offerView, type ViewDeps } from '../documents/open-view.ts'
import { presignUpload, type uploadAddressSchema } from '../documents/presign-upload.ts'

export const viewAddressSchema = z
  .object({
    view_url: z.string().meta({
      description: 'Works once, with the access token of the session that requested it. Returns a re-encoded image.',
    }),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'ViewAddress' })

/** The address for one upload, within the limit of uploads of the merchant. */
export async function uploadAddress(
  deps: ViewDeps & { limits: Record<'presign', Limit> },
  merchant: Merchant,
  wanted: { filename: string; content_type: string; purpose: Purpose },
  reply: FastifyReply,
): Promise<z.infer<typeof uploadAddressSchema>> {
  await deps.limits.presign.take(merchant.id, reply)
  const { filename, content_type: contentType, purpose } = wanted
  return presignUpload(deps, merchant, { filename, contentType, purpose })
}

/** The address at which the signed-in person views one of these documents; refuses with 404 if none has the purpose. */
export async function viewAddress(
  deps: ViewDeps,
  documents: readonly Document[],
  purpose: string,
  request: Pick<FastifyRequest, 'signedIn' | 'id' | 'ip'>,
): Promise<z.infer<typeof viewAddressSchema>> {
  const document = orNotFound(documents.find((one) => one.purpose === purpose))
  const view = await offerView(deps, document, request.signedIn, originOf(request))
  return { view_url: view.url, expires_at: view.expiresAt.toISOString() }
}
