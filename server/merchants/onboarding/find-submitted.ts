/**
 * Finds the files of a submission by their addresses. Invariant: an address counts only when it equals, character for character,
 * one that we issued for this merchant and this purpose; nothing is ever fetched from it.
 */
import type { Purpose } from '../../domain/document.ts'
import type { Config } from '../../config/config.ts'
import { findDocuments } from '../documents/document.sql.ts'
import { keysOf, pathOf, type Document } from '../documents/document.ts'
import { storageUnavailable } from '../documents/receive-upload.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import type { Runner } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { fromWire, toWire } from '../../platform/ids.ts'
import { brokenFields, type FieldError } from '../../platform/refusal.ts'
import { StoreUnavailable, type DocumentStore } from '../documents/document-store.ts'

export type FindSubmittedDeps = { db: Runner; config: Pick<Config, 'urls'>; documentStore: DocumentStore; log: Log }

function fieldOf(purpose: Purpose): string {
  return `${purpose}_url`
}

function documentIdIn(url: string): string | undefined {
  return fromWire('doc', /\/(doc_[0-9a-z]{26})\.[a-z]+$/.exec(url)?.[1] ?? '')
}

/** The `document_url` in an address: `upload_url` is `document_url` with a signature. Another query is left, and fits no document. */
function withoutSignature(url: string): string {
  return url.replace(/\?expires=\d{1,12}&signature=[\w-]+$/, '')
}

/** Refuses with 503 when the store does not have the uploaded file: then the store is lost, for example a folder that is not mounted. */
async function requireInStore({ documentStore, log }: FindSubmittedDeps, document: Document): Promise<void> {
  try {
    const size = await documentStore.sizeOf(keysOf(document, document.uploadId!).original)
    if (size === document.sizeBytes) return
    throw new StoreUnavailable('The store does not have a file that was uploaded.')
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    log.error('document_store.unavailable', error, { document_id: toWire('doc', document.id) })
    throw storageUnavailable()
  }
}

/**
 * `urls` by purpose, as they were sent; errors in `alsoWrong` are reported together with those found here. Refuses with 400
 * `document_url_invalid` (not an address of this merchant and purpose) or `document_not_uploaded` (no file, or a refused one),
 * 503 when the store does not answer or has lost a file.
 */
export async function findSubmitted(
  deps: FindSubmittedDeps,
  merchant: Merchant,
  urls: readonly (readonly [Purpose, string])[],
  alsoWrong: readonly FieldError[] = [],
): Promise<Document[]> {
  const ids = urls.map(([, url]) => documentIdIn(withoutSignature(url))).filter((id) => id !== undefined)
  const known = await findDocuments(deps.db, ids)
  const found: Document[] = []
  const errors: FieldError[] = [...alsoWrong]
  for (const [purpose, url] of urls) {
    const address = withoutSignature(url)
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
    } else if (document.state !== 'uploaded') {
      errors.push({
        field: fieldOf(purpose),
        code: 'document_not_uploaded',
        message: document.refusedReason ?? 'No file was uploaded to this URL yet. Upload it first.',
      })
    } else {
      await requireInStore(deps, document)
      found.push(document)
    }
  }
  const [first, ...others] = errors
  if (first) throw brokenFields([first, ...others])
  return found
}
