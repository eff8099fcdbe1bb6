/** Lets a reviewer, or its owner, view one document: an address that opens once, within a minute, in the session that requested it. */
import { createHash } from 'node:crypto'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { SignedIn } from '../../accounts/identity/session.ts'
import type { Db } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { assert, Refusal } from '../../platform/refusal.ts'
import { StoreUnavailable, type DocumentStore } from './document-store.ts'
import { signAddress } from './address.ts'
import { keysOf, pathOf, type Document } from './document.ts'
import { findView, insertView, markOpened } from './document.sql.ts'
import { addressUsed, storageUnavailable } from './receive-upload.ts'

export type ViewDeps = { db: Db; config: Pick<Config, 'urls' | 'keys' | 'documents'>; documentStore: DocumentStore }

export type ViewAddress = { url: string; expiresAt: Date }

/** Refuses with 409 a document that does not decode, because it has no copy to view. */
export async function offerView(deps: ViewDeps, document: Document, signedIn: SignedIn, origin: Origin): Promise<ViewAddress> {
  if (document.reviewContentType === null) {
    throw new Refusal(
      409,
      'document_unreadable',
      'This file cannot be opened, so there is nothing to show. Ask for another file.',
    )
  }
  const { urls, keys, documents } = deps.config
  const path = pathOf(document)
  const viewId = newId()
  const expiresAt = await deps.db.tx(async (tx) => {
    const view = { id: viewId, documentId: document.id, sessionId: signedIn.sessionId }
    const until = await insertView(tx, view, documents.viewSeconds)
    await appendAudit(tx, origin, {
      action: 'document.view_granted',
      object: toWire('doc', document.id),
      after: {
        purpose: document.purpose,
        owner: toWire(document.merchantKind === 'business' ? 'biz' : 'usr', document.merchantId),
      },
    })
    return until
  })
  const query = signAddress(keys.documentAddress, { use: 'view', path, viewId, expires: expiresAt.getTime() / 1000 })
  return { url: `${urls.storage}${path}?${query}`, expiresAt }
}

/** The copy for this view, as made when the file was received; refuses with 403 a view that this session may not open now. */
export async function openView(
  deps: ViewDeps,
  document: Document,
  viewId: string,
  signedIn: SignedIn,
  origin: Origin,
): Promise<Buffer> {
  const view = await findView(deps.db, viewId, document.id)
  if (!view || view.isExpired || view.isOpened) throw addressUsed()
  if (view.sessionId !== signedIn.sessionId) {
    throw new Refusal(403, 'not_your_view', 'This URL works only in the session that requested it. Request a new one.')
  }
  assert(document.uploadId !== null && document.reviewSha256 !== null, 'a view is of a received document with a copy')
  const copy = await deps.documentStore.read(keysOf(document, document.uploadId).review).catch((error: unknown) => {
    if (error instanceof StoreUnavailable) throw storageUnavailable()
    throw error
  })
  // The store is lost, for example a folder that is not mounted.
  if (!copy) throw storageUnavailable()
  const isAsMade = createHash('sha256').update(copy).digest().equals(document.reviewSha256)
  assert(isAsMade, 'the copy of a document is in the store, as it was put there')
  await deps.db.tx(async (tx) => {
    if (!(await markOpened(tx, viewId))) throw addressUsed()
    await appendAudit(tx, origin, { action: 'document.viewed', object: toWire('doc', document.id) })
  })
  return copy
}
