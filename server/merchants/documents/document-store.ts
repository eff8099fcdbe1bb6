/**
 * The interface of the document store. Invariant: the service makes every key, never from a user's text, and an object is stored
 * completely or not at all.
 */
import { assert } from '../../platform/refusal.ts'

export type StoredFacts = {
  sizeBytes: number
  sha256: Buffer
  contentType: string
}

export type DocumentStore = {
  /** Stores the bytes of a local file under a key and replaces earlier ones; durable when it resolves. */
  put(key: string, file: string, facts: StoredFacts): Promise<void>
  /** The whole content, or undefined when it does not exist; uses at most `maxBytes` of memory. */
  read(key: string): Promise<Buffer | undefined>
  /** The size in bytes, or undefined when it does not exist. */
  sizeOf(key: string): Promise<number | undefined>
  /** Removing a missing object succeeds. */
  remove(key: string): Promise<void>
}

/** The store does not answer or refuses us: the caller answers 503 and changes nothing. The message contains no secret and no address. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}

/** This process has another folder than the one that has the documents of its database. */
export class OtherFolder extends StoreUnavailable {
  constructor(file: string, id: string) {
    super(
      `DOCUMENT_STORE=disk is for one machine: the documents of this database are in another folder. Use DOCUMENT_STORE=s3 for several machines. If you moved or restored the folder, write ${id} into ${file}.`,
    )
    this.name = 'OtherFolder'
  }
}

const keyShape = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/
// S3 allows 1024 bytes, a file system 255 in one name.
const maxKeyLength = 500

/** Both back ends check this first: a key that could leave the folder or the bucket is a bug of ours. */
export function assertKey(key: string): void {
  assert(key.length <= maxKeyLength && keyShape.test(key), 'a document key has only letters, digits, _ . - and /')
  assert(!key.split('/').some((segment) => segment === '.' || segment === '..'), 'a document key has no . or .. segments')
}
