/**
 * Writes the result of the migrations: server/assurance/invariants/schema-hashes.json, which `verify` compares with a database, and schema.sql,
 * for readers. Run it after a change of the migrations: `node scripts/write-schema.ts`. A test fails when the files are out of
 * date.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLevel, readSchema } from '../server/assurance/invariants/schema.sql.ts'
import { hashesOf } from '../server/assurance/invariants/verify-schema.ts'
import { openDb, type Db } from '../server/platform/db/db.ts'
import { startEmbeddedPostgres } from '../server/platform/local-postgres/embedded-postgres.ts'
import { migrate } from '../server/platform/db/migrate.ts'
import { renderSchema } from './render-schema.ts'

async function render(db: Db): Promise<string> {
  const migrations = (await readLevel(db)).map(({ name }) => name)
  return `${JSON.stringify({ migrations, objects: hashesOf(await readSchema(db)) }, null, 2)}\n`
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
  await writeFile(join(import.meta.dirname, '../server/assurance/invariants/schema-hashes.json'), await render(db))
  await writeFile(join(import.meta.dirname, '../schema.sql'), await renderSchema(db))
} finally {
  await db.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}
