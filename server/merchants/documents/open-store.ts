/** Opens the back end that the configuration names. */
import type { DocumentStoreConfig } from '../../config/documents.ts'
import { createDiskStore } from './disk-store.ts'
import type { DocumentStore } from './document-store.ts'
import { createS3Store } from './s3-store.ts'

/** `maxBytes`: the size limit of stored documents; a larger answer of the store counts as an error of the store. */
export function openStore(config: DocumentStoreConfig, maxBytes: number): DocumentStore {
  return config.kind === 'disk' ? createDiskStore(config.folder, maxBytes) : createS3Store(config, maxBytes)
}
