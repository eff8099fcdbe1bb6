/**
 * The port to where the bytes of documents are kept. Invariant: a key is made by us, never from a user's text, and what is stored
 * under it is there whole or not at all.
 */
import { assert } from '../platform/refusal.ts'

export type StoredFacts = {
  sizeBytes: number
  sha256: Buffer
  contentType: string
}

export type DocumentStore = {
  /** Stores the bytes of a local file under a key, in the place of what was there; durable when it resolves. */
  put(key: string, file: string, facts: StoredFacts): Promise<void>
  /** The whole content, or undefined when there is none; never more than `maxBytes` of memory. */
  read(key: string): Promise<Buffer | undefined>
  /** The size in bytes, or undefined when there is none. */
  sizeOf(key: string): Promise<number | undefined>
  /** Removing what is not there is fine. */
  remove(key: string): Promise<void>
}

/** The store does not answer or refuses us: the caller says 503 and changes nothing. The message holds no secret and no address. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}

const keyShape = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/
// S3 takes 1024 bytes, a file system 255 in one name.
const maxKeyLength = 500

/** Both back ends ask this first: a key that could climb out of the folder or the bucket is a mistake of ours. */
export function assertKey(key: string): void {
  assert(key.length <= maxKeyLength && keyShape.test(key), 'a document key has only letters, digits, _ . - and /')
  assert(!key.split('/').some((segment) => segment === '.' || segment === '..'), 'a document key has no . or .. segments')
}
