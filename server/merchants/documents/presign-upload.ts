/** Issues an address for one upload: one key, one type, one purpose, for a quarter of an hour. */
import { z } from 'zod'
import type { Purpose } from '../../domain/document.ts'
import type { Config } from '../../config/config.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import type { Runner } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import { signAddress } from './address.ts'
import { declaredType, pathOf } from './document.ts'
import { insertDocument } from './document.sql.ts'

export type PresignDeps = { db: Runner; config: Pick<Config, 'urls' | 'keys' | 'documents'> }

export const uploadAddressSchema = z
  .object({
    upload_url: z.string().meta({ description: 'Send the file to this URL, once. It is `document_url` with a signature.' }),
    method: z.literal('PUT'),
    headers: z.record(z.string(), z.string()).meta({ description: 'Send exactly these headers.' }),
    document_url: z.string().meta({ description: 'The URL to submit. It cannot be opened.' }),
    expires_at: z.iso.datetime(),
    max_bytes: z.int(),
  })
  .meta({ id: 'UploadAddress' })

/** Refuses with 400 a type that is not a document's, or a file name that does not match it. */
export async function presignUpload(
  deps: PresignDeps,
  merchant: Merchant,
  wanted: { filename: string; contentType: string; purpose: Purpose },
): Promise<z.infer<typeof uploadAddressSchema>> {
  const contentType = declaredType(wanted.filename, wanted.contentType)
  const { uploadSeconds, maxBytes } = deps.config.documents
  const document = {
    id: newId(),
    merchantId: merchant.id,
    merchantKind: merchant.kind,
    purpose: wanted.purpose,
    contentType,
    fileName: wanted.filename,
  }
  const expiresAt = await insertDocument(deps.db, document, uploadSeconds)
  const path = pathOf(document)
  const documentUrl = deps.config.urls.storage + path
  const query = signAddress(deps.config.keys.documentAddress, {
    use: 'upload',
    path,
    contentType,
    maxBytes,
    expires: expiresAt.getTime() / 1000,
  })
  return {
    upload_url: `${documentUrl}?${query}`,
    method: 'PUT',
    headers: { 'content-type': contentType },
    document_url: documentUrl,
    expires_at: expiresAt.toISOString(),
    max_bytes: maxBytes,
  }
}
