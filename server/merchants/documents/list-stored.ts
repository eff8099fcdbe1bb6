/** Lists what the store must have: the objects of each document that was uploaded. */
import type { Runner } from '../../platform/db/db.ts'
import { keysOf } from './document.ts'
import { findDocumentsAfter } from './document.sql.ts'

const pageSize = 500
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export type StoredObject = { documentId: string; key: string; sha256: Buffer }

export async function* listStored(db: Runner): AsyncGenerator<StoredObject> {
  let after: string | null = null
  for (;;) {
    const documents = await findDocumentsAfter(db, after, lastId, pageSize)
    for (const document of documents) {
      const { id: documentId, uploadId, sha256, reviewSha256 } = document
      if (uploadId === null || sha256 === null) continue
      const { original, review } = keysOf(document, uploadId)
      yield { documentId, key: original, sha256 }
      if (reviewSha256) yield { documentId, key: review, sha256: reviewSha256 }
    }
    if (documents.length < pageSize) return
    after = documents.at(-1)!.id
  }
}
