/** The statements on idempotent_answers. Invariant: of several transactions that claim one key, at most one commits. */
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

export type Claim = {
  /** Hash of the key with its caller, environment and operation. */
  keyHash: Buffer
  requestHash: Buffer
  callerId: string
  operation: string
}

/** An answer that was sent once. `body` is null if it contained a secret, or was erased; then `requestHash` is null too. */
export type StoredAnswer = { requestHash: Buffer | null; status: number | null; objectId: string | null; body: string | null }

/** Claims the key for this transaction. Waits for another transaction that has claimed it; false if that one has committed. */
export async function claimKey(tx: Tx, { keyHash, requestHash, callerId, operation }: Claim): Promise<boolean> {
  return tx.any(sql`
    insert into idempotent_answers (key_hash, request_hash, caller_id, operation)
    values (${keyHash}, ${requestHash}, ${callerId}, ${operation})
    on conflict (key_hash) do nothing
    returning key_hash`)
}

export async function storeAnswer(
  tx: Tx,
  keyHash: Buffer,
  answer: { status: number; objectId: string | null; body: string | null },
): Promise<void> {
  const { status, objectId, body } = answer
  await tx.rows(sql`
    update idempotent_answers set status = ${status}, object_id = ${objectId}, body = ${body} where key_hash = ${keyHash}`)
}

export async function findAnswer(db: Runner, keyHash: Buffer): Promise<StoredAnswer | undefined> {
  return db.maybeOne<StoredAnswer>(sql`
    select request_hash, status, object_id, body from idempotent_answers where key_hash = ${keyHash}`)
}

/** Removes answers older than this, at most `limit`; returns how many. */
export async function pruneAnswers(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from idempotent_answers where key_hash in (
      select key_hash from idempotent_answers where created_at < clock_now() - make_interval(days => ${olderThanDays})
      order by created_at limit ${limit})
    returning key_hash`)
}

/** Removes the answers to these merchants and people, who are being erased. */
export async function deleteAnswersTo(tx: Tx, callerIds: string[]): Promise<void> {
  await tx.rows(sql`delete from idempotent_answers where caller_id = any(${callerIds}::uuid[])`)
}

/** Erases the content of answers that contain one of these texts of a payer. A repeat still finds its object. */
export async function eraseAnswersNaming(tx: Tx, texts: string[]): Promise<void> {
  await tx.rows(sql`
    update idempotent_answers a set body = null, request_hash = null
    where a.object_id is not null
      and exists (select from unnest(${texts}::text[]) as t (text) where position(lower(t.text) in lower(a.body)) > 0)`)
}
