/** Stores the messages of one moment with one statement. A locked message delays no other. */
import type { Batch } from '../../platform/db/batch.ts'
import type { Runner } from '../../platform/db/db.ts'
import { createIsolatingBatch } from '../../platform/db/isolating-batch.ts'
import { storeMessages, type InboxMessage, type Stored } from './inbox.sql.ts'

/** A message is retried for `lockTimeoutMs` while another transaction holds it. */
export function createMessageStore(db: Runner, { lockTimeoutMs }: { lockTimeoutMs: number }): Batch<InboxMessage, Stored> {
  return createIsolatingBatch({
    run: (messages: InboxMessage[]) => storeMessages(db, messages),
    groupOf: (message) => message.eventId,
    patienceMs: lockTimeoutMs,
    keyOf: (message) => message.eventId,
  })
}
