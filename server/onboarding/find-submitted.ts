/**
 * Finds the files of a submission by their addresses. Invariant: an address counts only when it equals, character for character,
 * one that we issued for this merchant and this purpose; nothing is ever fetched from it.
 */
import type { Purpose } from '../domain/document.ts'
import type { Config } from '../config.ts'
import { findDocuments } from '../documents/document.sql.ts'
import { keysOf, pathOf, type Document } from '../documents/document.ts'
import { storageUnavailable } from '../documents/receive-upload.ts'
import type { Merchant } from '../identity/merchant.ts'
import type { Runner } from '../platform/db/db.ts'
import { fromWire } from '../platform/ids.ts'
import { invalidFields, type FieldError } from '../platform/refusal.ts'
import { StoreUnavailable, type DocumentStore } from '../documents/document-store.ts'

export type FindSubmittedDeps = { db: Runner; config: Pick<Config, 'urls'>; documentStore: DocumentStore }

function fieldOf(purpose: Purpose): string {
  return `${purpose}_url`
}

function documentIdIn(url: string): string | undefined {
  return fromWire('doc', /\/(doc_[0-9a-z]{26})\.[a-z]+$/.exec(url)?.[1] ?? '')
}

/** A malformed field is a `validation_error`; other errors have their own code. */
function codeOf({ code }: FieldError): string {
  return code === 'invalid' ? 'validation_error' : code
}

/** The address without a query: `upload_url` is `document_url` with a query. */
function withoutQuery(url: string): string {
  return url.split('?')[0]!
}

async function isInStore(store: DocumentStore, document: Document): Promise<boolean> {
  try {
    return (await store.sizeOf(keysOf(document, document.uploadId!).original)) === document.sizeBytes
  } catch (error) {
    if (error instanceof StoreUnavailable) throw storageUnavailable()
    throw error
  }
}

/**
 * `urls` by purpose, as they were sent; errors in `alsoWrong` are reported together with those found here. Refuses with 400
 * `document_url_invalid` (not an address of this merchant and purpose) or `document_not_uploaded` (no file, or a refused one),
 * 503 when the store does not answer.
 */
export async function findSubmitted(
  deps: FindSubmittedDeps,
  merchant: Merchant,
  urls: readonly (readonly [Purpose, string])[],
  alsoWrong: readonly FieldError[] = [],
): Promise<Document[]> {
  const ids = urls.map(([, url]) => documentIdIn(withoutQuery(url))).filter((id) => id !== undefined)
  const known = await findDocuments(deps.db, ids)
  const found: Document[] = []
  const errors: FieldError[] = [...alsoWrong]
  for (const [purpose, url] of urls) {
    const address = withoutQuery(url)
    const document = known.find(
      (candidate) =>
        candidate.merchantId === merchant.id &&
        candidate.purpose === purpose &&
        deps.config.urls.storage + pathOf(candidate) === address,
    )
    if (!document) {
      errors.push({
        field: fieldOf(purpose),
        code: 'document_url_invalid',
        message: `This is not a URL of your ${purpose}. Send the document_url or upload_url that presign returned for it.`,
      })
    } else if (document.state !== 'uploaded' || !(await isInStore(deps.documentStore, document))) {
      errors.push({
        field: fieldOf(purpose),
        code: 'document_not_uploaded',
        message: document.refusedReason ?? 'No file was uploaded to this URL yet. Upload it first.',
      })
    } else found.push(document)
  }
  const [first] = errors
  if (first) throw invalidFields(errors, codeOf(first), first.message)
  return found
}
