/**
 * Writes the result of the migrations: server/invariants/schema-hash.ts, which `verify` compares with a database, and schema.sql,
 * for readers. Run it after a change of the migrations: `node scripts/write-schema.ts`. A test fails when the files are out of
 * date.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLevel, readSchema } from '../server/invariants/schema.sql.ts'
import { hashesOf } from '../server/invariants/verify-schema.ts'
import { openDb, type Db } from '../server/platform/db/db.ts'
import { startEmbeddedPostgres } from '../server/platform/local-postgres/embedded-postgres.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { renderSchema } from './render-schema.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", "\\'")}'`

async function render(db: Db): Promise<string> {
  const names = (await readLevel(db)).map(({ name }) => `  ${quoted(name)},`)
  const hashes = Object.entries(hashesOf(await readSchema(db))).map(([name, hash]) => `  ${quoted(name)}: '${hash}',`)
  return `/** What the migrations make: a hash of each object. Written by scripts/write-schema.ts; a test compares. */
export const migrations: readonly string[] = [
${names.join('\n')}
]

export const schemaHashes: Readonly<Record<string, string>> = {
${hashes.join('\n')}
}
`
}

const dataDir = await mkdtemp(join(tmpdir(), 'malipo-schema-'))
const server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres') })
const db = openDb({
  url: server.connectionString,
  poolSize: 2,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 60_000,
  applicationName: 'write-schema',
  onError() {},
})
try {
  await migrate(db)
  await writeFile(join(import.meta.dirname, '../server/invariants/schema-hash.ts'), await render(db))
  await writeFile(join(import.meta.dirname, '../schema.sql'), await renderSchema(db))
} finally {
  await db.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}
