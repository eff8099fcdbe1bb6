/** Opens the back end that the configuration names. */
import type { Config } from '../../config/config.ts'
import type { DocumentStoreConfig } from '../../config/documents.ts'
import { ConfigError } from '../../config/values.ts'
import { createDiskStore, type FolderRecord } from './disk-store.ts'
import { OtherFolder, type DocumentStore } from './document-store.ts'
import { createS3Store } from './s3-store.ts'

/** `maxBytes`: the size limit of stored documents; a larger answer of the store counts as an error of the store. */
export function openStore(config: DocumentStoreConfig, maxBytes: number, folders: FolderRecord): DocumentStore {
  return config.kind === 'disk' ? createDiskStore(config.folder, maxBytes, folders) : createS3Store(config, maxBytes)
}

/** In production, the start of a process on a machine with another folder fails. Other problems of the store are for the health checks. */
export async function refuseOtherFolder(deps: {
  config: Pick<Config, 'mode' | 'documents'>
  documentStore: DocumentStore
}): Promise<void> {
  if (deps.config.mode !== 'production' || deps.config.documents.store.kind !== 'disk') return
  try {
    await deps.documentStore.sizeOf('start')
  } catch (error) {
    if (error instanceof OtherFolder) throw new ConfigError(`Refused to start: ${error.message}`)
  }
}
