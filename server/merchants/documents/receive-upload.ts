/**
 * Receives one file. Invariant: an upload is accepted completely, checked and stored, or it leaves nothing behind; a file that
 * was refused for its content uses up its address, any other failure (the connection, the scanner, the store) releases it.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { Refusal } from '../../platform/refusal.ts'
import { StoreUnavailable, type DocumentStore } from './document-store.ts'
import type { ContentCheck } from './check-content.ts'
import { keysOf, type Document } from './document.ts'
import { claimUpload, pruneUnfinished, markRefused, markUploaded, noteUnfinished, releaseUpload } from './document.sql.ts'

export type ReceiveDeps = {
  db: Db
  log: Log
  config: Pick<Config, 'documents' | 'dataDir'>
  documentStore: DocumentStore
  contentCheck: ContentCheck
}

export function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'document_too_large', `The document is larger than ${maxBytes} bytes. Upload a smaller file.`)
}

const tooSlow = new Refusal(408, 'upload_too_slow', 'The file did not arrive in time. Send it again to the same URL.')

const fullDisk = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'ENOENT'])

function explain(error: unknown): unknown {
  const code = (error as { code?: string }).code ?? ''
  if (code === 'ECONNRESET') {
    return new Refusal(400, 'upload_cut', 'The connection ended before the whole file arrived. Send it again to the same URL.')
  }
  return fullDisk.has(code) ? storageUnavailable() : error
}

/**
 * Refuses as soon as there is one byte too many, no byte for too long, or `signal` aborts; the rest of the body stays unread.
 * Each chunk is released before the next one: an upload uses the memory of one chunk, for any number of chunks.
 */
async function saveBody(
  body: Readable,
  file: string,
  limits: Config['documents'],
  signal: AbortSignal,
): Promise<{ sizeBytes: number; sha256: Buffer }> {
  const hash = createHash('sha256')
  const startedAt = performance.now()
  let sizeBytes = 0
  // The end of the iteration must not close the connection: the refusal is still to be sent on it.
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>
  let rejectStalled: ((error: unknown) => void) | undefined
  let ended: unknown
  const end = (error: unknown): void => {
    ended ??= error
    rejectStalled?.(ended)
  }
  const idle = setTimeout(() => end(tooSlow), limits.uploadIdleMs)
  const deadline = setTimeout(() => end(tooSlow), limits.uploadDeadlineMs)
  const onAbort = () => end(signal.reason)
  signal.addEventListener('abort', onAbort)
  const handle = await open(file, 'wx', 0o600)
  try {
    for (;;) {
      if (ended !== undefined) throw ended
      // A new promise for each chunk: a race with a long-lived promise would keep every chunk in memory until the end.
      const { done, value } = await new Promise<IteratorResult<Buffer, undefined>>((resolve, reject) => {
        rejectStalled = reject
        chunks.next().then(resolve, reject)
      })
      if (done) break
      idle.refresh()
      sizeBytes += value.length
      if (sizeBytes > limits.maxBytes) throw tooLarge(limits.maxBytes)
      const elapsedMs = performance.now() - startedAt
      if (elapsedMs > limits.uploadIdleMs && sizeBytes < (limits.leastBytesPerSecond * elapsedMs) / 1000) throw tooSlow
      hash.update(value)
      await handle.writeFile(value)
    }
  } finally {
    clearTimeout(idle)
    clearTimeout(deadline)
    signal.removeEventListener('abort', onAbort)
    await handle.close()
  }
  return { sizeBytes, sha256: hash.digest() }
}

const notNow = (code: string, message: string) => new Refusal(503, code, message, { retryAfterSeconds: 10 })

export const storageUnavailable = (): Refusal =>
  notNow('storage_unavailable', 'Documents cannot be stored or read at the moment. Nothing has changed. Try again shortly.')

/** An incoming file; `signal` ends it, with the refusal that is its reason. */
type Upload = { file: string; body: Readable; signal: AbortSignal }

/** The result of an upload, except the refusals that release the address. */
type Outcome = { kind: 'uploaded'; sizeBytes: number; unreadable: boolean } | { kind: 'refused'; code: string; reason: string }

async function checkAndKeep(deps: ReceiveDeps, document: Document, uploadId: string, upload: Upload): Promise<Outcome> {
  const { file, body, signal } = upload
  const { sizeBytes, sha256 } = await saveBody(body, file, deps.config.documents, signal).catch((error: unknown) => {
    throw explain(error)
  })
  const content = await deps.contentCheck.check(document.accountId, file, document.contentType)
  if (content.kind === 'refused') {
    await markRefused(deps.db, document.id, uploadId, content)
    return content
  }
  if (content.kind === 'undecided') {
    throw content.cause === 'scanner'
      ? notNow('scanner_unavailable', 'Documents cannot be checked at the moment. Nothing has changed. Try again shortly.')
      : notNow('overloaded', 'The document could not be checked. Nothing has changed. Try again shortly.')
  }
  const review = content.kind === 'clean' ? content.reviewCopy : null
  const keys = keysOf(document, uploadId)
  try {
    // Recorded before anything is stored: objects without a document in the end are removed again, also after a crash.
    await noteUnfinished(deps.db, Object.values(keys))
    await deps.documentStore.put(keys.original, file, { sizeBytes, sha256, contentType: document.contentType })
    if (review) await deps.documentStore.put(keys.review, review.file, review)
  } finally {
    if (review) await rm(review.file, { force: true })
  }
  const isOurs = await deps.db.tx(async (tx) => {
    const isMarked = await markUploaded(tx, document.id, uploadId, { sizeBytes, sha256, reviewCopy: review })
    if (isMarked) await pruneUnfinished(tx, Object.values(keys))
    return isMarked
  })
  if (!isOurs) throw addressUsed()
  return { kind: 'uploaded', sizeBytes, unreadable: review === null }
}

export function addressUsed(): Refusal {
  return new Refusal(403, 'address_used', 'This URL has expired or was already used. Request a new one.')
}

/** The folder of files while they arrive. */
export function uploadFolder(config: Pick<Config, 'dataDir'>): string {
  return join(config.dataDir, 'uploads')
}

/** Longer than all steps of an upload may take, so that two uploads to one address never overlap. */
export function leaseSeconds(config: Config['documents']): number {
  const inspectionMs = (config.inspectionsWaiting + 2) * (config.inspectDeadlineMs + 1_000)
  return Math.ceil((config.uploadDeadlineMs + config.scanDeadlineMs + inspectionMs + 120_000) / 1000)
}

/** Refuses with 403 an address that is no longer valid, 413, 408, or 503 with nothing changed. */
export async function receiveUpload(
  deps: ReceiveDeps,
  documentId: string,
  body: Readable,
  signal: AbortSignal,
): Promise<Outcome> {
  const uploadId = newId()
  const document = await claimUpload(deps.db, documentId, uploadId, leaseSeconds(deps.config.documents))
  if (!document) throw addressUsed()
  const file = join(uploadFolder(deps.config), uploadId)
  try {
    await mkdir(uploadFolder(deps.config), { recursive: true, mode: 0o700 })
    return await checkAndKeep(deps, document, uploadId, { file, body, signal })
  } catch (error) {
    await releaseUpload(deps.db, documentId, uploadId).catch((failure: unknown) =>
      deps.log.error('upload.release_failed', failure, { document_id: documentId }),
    )
    if (error instanceof StoreUnavailable) {
      deps.log.error('document_store.unavailable', error)
      throw storageUnavailable()
    }
    throw error
  } finally {
    await rm(file, { force: true })
  }
}
