/** Identity documents: their purposes, their allowed file types, and the place of their bytes. */
import { z } from 'zod'
import type { DocumentState, Purpose, DocumentType, ImageType } from '../../domain/document.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidFields } from '../../platform/refusal.ts'

export type Document = {
  id: string
  merchantId: string
  /** The user of the merchant: the person itself, or the representative of the business. */
  accountId: string
  merchantKind: Merchant['kind']
  purpose: Purpose
  contentType: DocumentType
  /** As its owner sent it; null before names were kept. */
  fileName: string | null
  state: DocumentState
  /** The accepted upload; its bytes are stored under this id. */
  uploadId: string | null
  sizeBytes: number | null
  sha256: Buffer | null
  /** The type of the copy for reviewers; null when it has none. */
  reviewContentType: ImageType | null
  reviewSha256: Buffer | null
  refusedCode: string | null
  refusedReason: string | null
  finishedAt: Date | null
}

/** Whether the bytes were kept but do not decode: they cannot be used for a verification. */
export function isUnreadable(document: Pick<Document, 'state' | 'reviewContentType'>): boolean {
  return document.state === 'uploaded' && document.reviewContentType === null
}

const extensions: Record<DocumentType, readonly [written: string, ...alsoAccepted: string[]]> = {
  'image/jpeg': ['jpg', 'jpeg', 'jpe', 'jfif'],
  'image/png': ['png'],
  'application/pdf': ['pdf'],
}

const namespaces: Record<Merchant['kind'], { folder: string; prefix: 'biz' | 'usr' }> = {
  business: { folder: 'business-docs', prefix: 'biz' },
  personal: { folder: 'kyc-docs', prefix: 'usr' },
}

/** The path of a document on the storage host. It contains no user input. */
export function pathOf(document: Pick<Document, 'id' | 'merchantId' | 'merchantKind' | 'purpose' | 'contentType'>): string {
  const { folder, prefix } = namespaces[document.merchantKind]
  const owner = toWire(prefix, document.merchantId)
  return `/${folder}/${owner}/${document.purpose}/${toWire('doc', document.id)}.${extensions[document.contentType][0]}`
}

/** The keys of one upload in the document store: the file itself, and the copy for reviewers. */
export function keysOf(document: Parameters<typeof pathOf>[0], uploadId: string): { original: string; review: string } {
  const place = `${pathOf(document).slice(1)}/${uploadId}`
  return { original: place, review: `${place}.review` }
}

function isDocumentType(text: string): text is DocumentType {
  return Object.hasOwn(extensions, text)
}

// Control characters and marks that change the text direction can disguise an extension.
const isPlainFileName = (name: string): boolean => /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]+$/u.test(name)

export function wantedDocumentSchema<const Purposes extends readonly [Purpose, ...Purpose[]]>(
  purposes: Purposes,
): z.ZodObject<{ filename: z.ZodString; content_type: z.ZodString; purpose: z.ZodEnum<{ [Name in Purposes[number]]: Name }> }> {
  return z.strictObject({
    filename: z.string().min(1).max(255).refine(isPlainFileName, 'Use a file name without slashes and control characters.').meta({
      description: 'The extension must match the content type. You see the name again beside the document.',
      example: 'certificate.pdf',
    }),
    content_type: z
      .string()
      .max(100)
      .meta({ enum: Object.keys(extensions), example: 'application/pdf' }),
    purpose: z.enum(purposes) as unknown as z.ZodEnum<{ [Name in Purposes[number]]: Name }>,
  })
}

/** The declared type of a file; refuses another type, and a name that does not match it, with 400. */
export function declaredType(filename: string, declared: string): DocumentType {
  const contentType = declared.toLowerCase()
  if (!isDocumentType(contentType)) {
    const message = /^image\/(?:hei[cf]|avif)/.test(contentType)
      ? 'A HEIC picture cannot be read here. Save it as JPEG: on an iPhone, Settings, Camera, Formats, “Most Compatible”.'
      : 'Use a document of type image/jpeg, image/png or application/pdf.'
    throw invalidFields(
      [{ field: 'content_type', code: 'unsupported_document_type', message }],
      'unsupported_document_type',
      message,
    )
  }
  const extension = /\.([^.]+)$/.exec(filename)?.[1]?.toLowerCase()
  if (extension === undefined || !extensions[contentType].includes(extension)) {
    const message = `The name of a file of type ${contentType} must end in .${extensions[contentType].join(' or .')}.`
    throw invalidFields(
      [{ field: 'filename', code: 'filename_extension_mismatch', message }],
      'filename_extension_mismatch',
      message,
    )
  }
  return contentType
}

/** The codes that refuse the documents of a submission. A file that does not open is no refusal: its upload and the submission name it. */
export const documentRefusals = ['document_url_invalid', 'document_not_uploaded'] as const
