/** The only statements on `documents`, `document_views` and `document_folder`. They decide, by the database's clock, whether an address is still valid. */
import type { Purpose, DocumentType, ImageType } from '../../domain/document.ts'
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { Document } from './document.ts'

const columns = sql`
  d.id, d.merchant_id, m.user_id as account_id, m.kind as merchant_kind, d.purpose, d.content_type, d.file_name, d.state, d.upload_id, d.size_bytes, d.sha256,
  d.review_content_type, d.review_sha256, d.refused_code, d.refused_reason, d.finished_at`

/** Inserts a document whose upload is expected within `seconds`; returns the time when its address ends, on a whole second. */
export async function insertDocument(
  runner: Runner,
  document: { id: string; merchantId: string; purpose: Purpose; contentType: DocumentType; fileName: string },
  seconds: number,
): Promise<Date> {
  return runner.value<Date>(sql`
    insert into documents (id, merchant_id, purpose, content_type, file_name, address_expires_at)
    values (${document.id}, ${document.merchantId}, ${document.purpose}, ${document.contentType}, ${document.fileName},
      date_trunc('second', clock_now()) + make_interval(secs => ${seconds}))
    returning address_expires_at as expires_at`)
}

export async function findDocuments(runner: Runner, ids: string[]): Promise<Document[]> {
  return runner.rows<Document>(sql`
    select ${columns} from documents d join merchants m on m.id = d.merchant_id where d.id = any(${ids}::uuid[])`)
}

/** The newest kept and the newest refused file for each purpose of these merchants. */
export async function latestDocuments(runner: Runner, merchantIds: string[]): Promise<Document[]> {
  return runner.rows<Document>(sql`
    select distinct on (d.merchant_id, d.purpose, d.state) ${columns}
    from documents d join merchants m on m.id = d.merchant_id
    where d.merchant_id = any(${merchantIds}::uuid[]) and d.finished_at is not null
    order by d.merchant_id, d.purpose, d.state, d.finished_at desc, d.id desc`)
}

/** Other merchants that sent the same bytes as one of these documents, the latest first. */
export async function merchantsWithSameBytes(runner: Runner, merchantId: string, hashes: Buffer[]): Promise<string[]> {
  return runner.values<string>(sql`
    select merchant_id from documents
    where sha256 = any(${hashes}::bytea[]) and merchant_id <> ${merchantId}
    group by merchant_id
    order by max(finished_at) desc
    limit 50`)
}

/**
 * Claims an address for one upload; no other upload can use it until `seconds` have passed or it is released. Undefined when the
 * address has expired, was used, or is in use.
 */
export async function claimUpload(runner: Runner, id: string, uploadId: string, seconds: number): Promise<Document | undefined> {
  return runner.maybeOne<Document>(sql`
    update documents d set upload_id = ${uploadId}, upload_until = clock_now() + make_interval(secs => ${seconds})
    from merchants m
    where d.id = ${id} and m.id = d.merchant_id and d.state = 'awaiting' and d.address_expires_at > clock_now()
      and (d.upload_until is null or d.upload_until < clock_now())
    returning ${columns}`)
}

/** Releases an address, as if this upload had never begun. */
export async function releaseUpload(runner: Runner, id: string, uploadId: string): Promise<void> {
  await runner.rows(sql`
    update documents set upload_id = null, upload_until = null
    where id = ${id} and upload_id = ${uploadId} and state = 'awaiting'`)
}

export type Received = {
  sizeBytes: number
  sha256: Buffer
  reviewCopy: { contentType: ImageType; sha256: Buffer } | null
}

/** Finishes the upload that has claimed the address; false when it has lost the claim meanwhile. */
export async function markUploaded(runner: Runner, id: string, uploadId: string, received: Received): Promise<boolean> {
  return runner.any(sql`
    update documents set state = 'uploaded', finished_at = clock_now(), upload_until = null,
      size_bytes = ${received.sizeBytes}, sha256 = ${received.sha256},
      review_content_type = ${received.reviewCopy?.contentType ?? null}, review_sha256 = ${received.reviewCopy?.sha256 ?? null}
    where id = ${id} and upload_id = ${uploadId} and state = 'awaiting'
    returning id`)
}

export async function noteUnfinished(runner: Runner, keys: string[]): Promise<void> {
  await runner.rows(sql`insert into unfinished_objects (key) select unnest(${keys}::text[])`)
}

export async function pruneUnfinished(runner: Runner, keys: string[]): Promise<void> {
  await runner.rows(sql`delete from unfinished_objects where key = any(${keys}::text[])`)
}

/** They come after all others again. */
export async function postponeUnfinished(runner: Runner, keys: string[]): Promise<void> {
  await runner.rows(sql`update unfinished_objects set since = clock_now() where key = any(${keys}::text[])`)
}

/** Keys that no upload can still be writing to, the oldest first. */
export async function findUnfinished(runner: Runner, olderThanSeconds: number, limit: number): Promise<string[]> {
  return runner.values<string>(sql`
    select key from unfinished_objects
    where since < clock_now() - make_interval(secs => ${olderThanSeconds})
    order by since
    limit ${limit}`)
}

export async function markRefused(
  runner: Runner,
  id: string,
  uploadId: string,
  refused: { code: string; reason: string },
): Promise<void> {
  await runner.rows(sql`
    update documents set state = 'refused', finished_at = clock_now(), upload_until = null,
      refused_code = ${refused.code}, refused_reason = ${refused.reason}
    where id = ${id} and upload_id = ${uploadId} and state = 'awaiting'`)
}

/** Inserts a view that may be opened within `seconds`; returns the time when it ends, on a whole second. */
export async function insertView(
  runner: Runner,
  view: { id: string; documentId: string; sessionId: string },
  seconds: number,
): Promise<Date> {
  return runner.value<Date>(sql`
    insert into document_views (id, document_id, session_id, expires_at)
    values (${view.id}, ${view.documentId}, ${view.sessionId}, date_trunc('second', clock_now()) + make_interval(secs => ${seconds}))
    returning expires_at`)
}

export type View = { sessionId: string; isOpened: boolean; isExpired: boolean }

export async function findView(runner: Runner, id: string, documentId: string): Promise<View | undefined> {
  return runner.maybeOne<View>(sql`
    select session_id, opened_at is not null as is_opened, expires_at <= clock_now() as is_expired
    from document_views where id = ${id} and document_id = ${documentId}`)
}

/** Marks a view as opened; false when it was already opened. */
export async function markOpened(runner: Runner, id: string): Promise<boolean> {
  return runner.any(sql`
    update document_views set opened_at = clock_now() where id = ${id} and opened_at is null returning id`)
}

/** The ids of those documents that a reviewer has opened, in any of their sessions. */
export async function findOpenedBy(runner: Runner, userId: string, documentIds: string[]): Promise<Set<string>> {
  const rows = await runner.rows<{ documentId: string }>(sql`
    select distinct v.document_id from document_views v join sessions s on s.id = v.session_id
    where s.user_id = ${userId} and v.document_id = any(${documentIds}::uuid[]) and v.opened_at is not null`)
  return new Set(rows.map(({ documentId }) => documentId))
}

/** Documents after one id and before another, in the order in which they were requested. */
export async function findDocumentsAfter(
  runner: Runner,
  after: string | null,
  before: string,
  limit: number,
): Promise<Document[]> {
  return runner.rows<Document>(sql`
    select ${columns} from documents d join merchants m on m.id = d.merchant_id
    where d.id > coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000') and d.id < ${before}
    order by d.id limit ${limit}`)
}

/** Removes documents and their views; the caller must have queued the removal of their bytes. */
export async function deleteDocuments(runner: Runner, ids: string[]): Promise<void> {
  await runner.rows(sql`delete from document_views where document_id = any(${ids}::uuid[])`)
  await runner.rows(sql`delete from documents where id = any(${ids}::uuid[])`)
}

/** Removes the view addresses of a user's sessions. The audit log keeps each view. */
export async function deleteViewsOf(tx: Tx, userId: string): Promise<void> {
  await tx.rows(sql`delete from document_views where session_id in (select id from sessions where user_id = ${userId})`)
}

/** Removes view addresses that were issued before `before`, at most `limit`; returns how many. */
export async function pruneViews(runner: Runner, before: string, limit: number): Promise<number> {
  return runner.rowCount(sql`
    delete from document_views
    where id in (select id from document_views where id < ${before} order by id limit ${limit} for update skip locked)
    returning id`)
}

export async function documentsOf(runner: Runner, merchantIds: string[]): Promise<Document[]> {
  return runner.rows<Document>(sql`
    select ${columns} from documents d join merchants m on m.id = d.merchant_id
    where d.merchant_id = any(${merchantIds}::uuid[])`)
}

/** Moves future times by this many seconds after the clock was set back. */
export async function moveUploadTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update documents set upload_until = ${moved(sql`upload_until`, seconds)} where state = 'awaiting' and upload_until > clock_now()`)
}

/** The id of the folder that has the documents of this database; undefined until a process has stored one. */
export async function findFolder(runner: Runner): Promise<string | undefined> {
  return runner.maybeValue<string>(sql`select id from document_folder`)
}

/** Stores the id of the folder, unless another process has stored one. */
export async function insertFolder(runner: Runner, id: string): Promise<void> {
  await runner.rows(sql`insert into document_folder (id) values (${id}) on conflict do nothing`)
}
