/**
 * Receives one file. Invariant: an upload is accepted whole, checked and stored, or it leaves nothing behind; a file that was
 * refused for its content uses its address up, whatever else goes wrong (the line, the scanner, the store) gives it back.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Config } from '../config.ts'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { Refusal } from '../platform/refusal.ts'
import { StoreUnavailable, type DocumentStore } from '../storage/document-store.ts'
import type { ContentCheck } from './check-content.ts'
import { keysOf, type Document } from './document.ts'
import { claimUpload, markRefused, markUploaded, releaseUpload } from './document.sql.ts'

export type ReceiveDeps = {
  db: Db
  log: Log
  config: Pick<Config, 'documents' | 'dataDir'>
  documentStore: DocumentStore
  contentCheck: ContentCheck
}

type Limits = { maxBytes: number; idleMs: number; deadlineMs: number }

export function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'document_too_large', `A document has at most ${maxBytes} bytes.`)
}

const tooSlow = new Refusal(408, 'upload_too_slow', 'The file did not arrive in time. Send it again to the same address.')

function explain(error: unknown): never {
  if ((error as { code?: string }).code === 'ECONNRESET') {
    throw new Refusal(400, 'upload_cut', 'The connection ended before the file did. Send it again to the same address.')
  }
  throw error
}

/** Refuses as soon as a byte too many or no byte for too long arrives; what it leaves unread, nobody reads. */
async function writeDown(body: Readable, file: string, limits: Limits): Promise<{ sizeBytes: number; sha256: Buffer }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  // Ending the iteration must not close the connection: the refusal still has to be answered on it.
  const chunks = body.iterator({ destroyOnReturn: false })
  let timeUp = (_error: Refusal): void => undefined
  const outOfTime = new Promise<never>((_resolve, reject) => {
    timeUp = reject
  })
  // A time-out that nobody waits for any more is none.
  outOfTime.catch(() => undefined)
  const idle = setTimeout(() => timeUp(tooSlow), limits.idleMs)
  const deadline = setTimeout(() => timeUp(tooSlow), limits.deadlineMs)
  const handle = await open(file, 'wx', 0o600)
  try {
    for (;;) {
      const { done, value } = (await Promise.race([chunks.next(), outOfTime]).catch(explain)) as IteratorResult<Buffer, undefined>
      if (done) break
      idle.refresh()
      sizeBytes += value.length
      if (sizeBytes > limits.maxBytes) throw tooLarge(limits.maxBytes)
      hash.update(value)
      await handle.write(value)
    }
  } finally {
    clearTimeout(idle)
    clearTimeout(deadline)
    await handle.close()
  }
  return { sizeBytes, sha256: hash.digest() }
}

const notNow = (code: string, message: string) => new Refusal(503, code, message, { retryAfterSeconds: 10 })

export const storageUnavailable = (): Refusal =>
  notNow('storage_unavailable', 'Documents cannot be stored or read right now. Nothing has changed; try again shortly.')

/** What an upload comes to, besides the refusals that give the address back. */
type Outcome = { kind: 'uploaded'; sizeBytes: number; unreadable: boolean } | { kind: 'refused'; code: string; reason: string }

async function checkAndKeep(
  deps: ReceiveDeps,
  document: Document,
  uploadId: string,
  file: string,
  body: Readable,
): Promise<Outcome> {
  const { maxBytes, uploadIdleMs, uploadDeadlineMs } = deps.config.documents
  const { sizeBytes, sha256 } = await writeDown(body, file, { maxBytes, idleMs: uploadIdleMs, deadlineMs: uploadDeadlineMs })
  const content = await deps.contentCheck.check(file, document.contentType)
  if (content.kind === 'refused') {
    await markRefused(deps.db, document.id, uploadId, content)
    return content
  }
  if (content.kind === 'undecided') {
    throw content.cause === 'scanner'
      ? notNow('scanner_unavailable', 'Documents cannot be checked right now. Nothing has changed; try again shortly.')
      : notNow('overloaded', 'The document could not be looked at. Nothing has changed; try again shortly.')
  }
  const review = content.kind === 'clean' ? content.reviewCopy : null
  const keys = keysOf(document, uploadId)
  try {
    await deps.documentStore.put(keys.original, file, { sizeBytes, sha256, contentType: document.contentType })
    if (review) await deps.documentStore.put(keys.review, review.file, review)
  } finally {
    if (review) await rm(review.file, { force: true })
  }
  if (!(await markUploaded(deps.db, document.id, uploadId, { sizeBytes, sha256, reviewCopy: review }))) {
    await Promise.all([deps.documentStore.remove(keys.original), deps.documentStore.remove(keys.review)])
    throw addressUsed()
  }
  return { kind: 'uploaded', sizeBytes, unreadable: review === null }
}

export function addressUsed(): Refusal {
  return new Refusal(403, 'address_used', 'This address has expired or was used. Ask for a new one.')
}

/** Where files lie while they arrive. */
export function uploadFolder(config: Pick<Config, 'dataDir'>): string {
  return join(config.dataDir, 'uploads')
}

/** Longer than all the steps of an upload may take, so that two to one address never overlap. */
export function leaseSeconds({ uploadDeadlineMs, scanDeadlineMs, inspectDeadlineMs }: Config['documents']): number {
  return Math.ceil((uploadDeadlineMs + scanDeadlineMs + 10 * inspectDeadlineMs + 120_000) / 1000)
}

/** Refuses with 403 an address that does not work any more, 413, 408, or 503 with nothing changed. */
export async function receiveUpload(deps: ReceiveDeps, documentId: string, body: Readable): Promise<Outcome> {
  const uploadId = newId()
  const document = await claimUpload(deps.db, documentId, uploadId, leaseSeconds(deps.config.documents))
  if (!document) throw addressUsed()
  const folder = uploadFolder(deps.config)
  const file = join(folder, uploadId)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return await checkAndKeep(deps, document, uploadId, file, body)
  } catch (error) {
    await releaseUpload(deps.db, documentId, uploadId).catch((failure: unknown) =>
      deps.log.error('an upload address was not given back', failure, { document_id: documentId }),
    )
    if (error instanceof StoreUnavailable) {
      deps.log.error('the document store does not work', error)
      throw storageUnavailable()
    }
    throw error
  } finally {
    await rm(file, { force: true })
  }
}
