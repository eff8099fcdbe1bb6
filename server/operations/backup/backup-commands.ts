/** `malipo-ops backup …`: the input and output of the backup commands. */
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { command, UsageError, type Commands } from '../../platform/process/commands.ts'
import { copyDocuments } from './copy-documents.ts'
import { ownerOf, problemOf } from './copy-files.ts'
import { findDamage, readManifest, restoreBackup } from './restore-backup.ts'
import { restoreDocuments } from './restore-documents.ts'
import { BackupProblem, takeBackup } from './take-backup.ts'

type Deps = {
  /** `db` has no role, and its statements may take long; root keeps its rights on the files. */
  openForBackup(): Promise<{ config: Pick<Config, 'documents' | 'dataDir'>; db: Db }>
  print(line: string): void
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const inBucket = 'The documents are in a bucket: it is kept by its own means (versions, a copy in another place).'

async function copyOwnDocuments(config: Pick<Config, 'documents'>, folder: string): Promise<string> {
  const { store } = config.documents
  if (store.kind === 's3') return inBucket
  return `${await copyDocuments(store.folder, folder)} documents were copied to ${folder}.`
}

/** The documents belong to the user of the service, the database to the user of PostgreSQL: only root reads both. */
async function requireReadable({ store }: Config['documents']): Promise<void> {
  const problem = store.kind === 's3' ? undefined : await problemOf(store.folder)
  if (store.kind === 's3' || problem === undefined || problem === 'ENOENT') return
  throw new BackupProblem(`The documents (${store.folder}) cannot be read here (${problem}): run this as root.`)
}

async function takeWhole({ openForBackup, print }: Deps, folder: string): Promise<void> {
  const { config, db } = await openForBackup()
  // Before the long copy of the database.
  await requireReadable(config.documents)
  const { files, startedAt, endedAt, startLsn } = await takeBackup(db, folder, 'malipo')
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  // After the database, so that every document in its rows already exists.
  const documents = await copyOwnDocuments(config, join(folder, 'documents'))
  print(`${files.length} files, ${megabytes(bytes)}, from ${startedAt} to ${endedAt}; it needs the archive from ${startLsn} on.`)
  print(documents)
  print('The keys are not in it: malipo-ops keys export, kept in another place.')
}

async function checkFiles({ print }: Deps, folder: string): Promise<void> {
  const damaged = await findDamage(folder)
  if (damaged.length > 0)
    throw new BackupProblem(`${damaged.length} files are damaged or missing: ${damaged.slice(0, 20).join(', ')}`)
  const { files, startedAt, endedAt } = await readManifest(folder)
  print(`All ${files.length} files are as they were. Taken from ${startedAt} to ${endedAt}.`)
}

type Restore = { folder: string; into: string; archive: string; until?: string }

async function restoreFiles({ print }: Deps, { folder, into, archive, until }: Restore): Promise<void> {
  const { files, schema } = await restoreBackup({ backup: folder, into, archive, until })
  print(`${files.length} files are in ${into}; the schema was at ${schema}.`)
  print(
    `Start PostgreSQL on it: it recovers from ${archive}${until === undefined ? ' to its end' : ` up to ${until}`}, then takes writes.`,
  )
  print(
    'Then: malipo-ops backup restore-documents, malipo-ops verify, malipo-ops keys status. It archives nothing until you set archive_mode again.',
  )
  print('Checkouts and payouts are off until the time that was lost has been compared with the providers: malipo-ops restored.')
}

async function restoreOwnDocuments({ openForBackup, print }: Deps, folder: string): Promise<void> {
  const { config, db } = await openForBackup()
  const { store } = config.documents
  if (store.kind === 's3') return print(inBucket)
  await requireReadable(config.documents)
  const problem = await problemOf(folder)
  if (problem !== undefined) throw new BackupProblem(`The documents (${folder}) cannot be read here (${problem}).`)
  const { copied, missing } = await restoreDocuments(db, folder, store.folder, await ownerOf(config.dataDir))
  print(`${copied} files were copied to ${store.folder}.`)
  if (missing.length === 0) return
  const some = missing.slice(0, 20).map((id) => toWire('doc', id))
  throw new BackupProblem(
    `${missing.length} documents of the database are neither there nor in ${folder} (${some.join(', ')}): run this with each other folder that has copies.`,
  )
}

export const backupCommands: Commands<Deps> = {
  'backup take': command({
    takes: ['folder'],
    summary:
      'Copy the running database and the documents into a new folder. Run it on the database server, as root or as its user.',
    run: (deps: Deps, [folder]) => takeWhole(deps, folder),
  }),
  'backup documents': command({
    takes: ['folder'],
    summary: 'Copy the documents that the folder does not have yet.',
    run: async ({ openForBackup, print }: Deps, [folder]) => {
      const { config } = await openForBackup()
      await requireReadable(config.documents)
      print(await copyOwnDocuments(config, folder))
    },
  }),
  'backup check': command({
    takes: ['folder'],
    summary: 'Check that all files of a backup are unchanged.',
    run: (deps: Deps, [folder]) => checkFiles(deps, folder),
  }),
  'backup restore': command({
    takes: ['folder'],
    flags: '--into <data directory> --archive <folder> [--until <time>]',
    options: { into: { type: 'string' }, archive: { type: 'string' }, until: { type: 'string' } },
    summary: 'Restore a backup to a folder where PostgreSQL can start and recover up to a time.',
    run: async (deps: Deps, [folder], { into, archive, until }) => {
      if (!into || !archive) throw new UsageError()
      await restoreFiles(deps, { folder, into, archive, until })
    },
  }),
  'backup restore-documents': command({
    takes: ['folder'],
    summary:
      'After the recovery: copy back the documents that the database names, and report those that the folder does not have.',
    run: (deps: Deps, [folder]) => restoreOwnDocuments(deps, folder),
  }),
}
