/** Databases for tests: each is a copy of a template with the migrated schema, made in milliseconds and dropped afterwards. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openDb } from '../server/platform/db/db.ts'
import { makeLogins, owningLogin, withLogin } from '../server/platform/db/logins.sql.ts'
import { migrate } from '../server/platform/db/migrate.ts'

/** The variable in which the runner's global set-up passes the address of the database server. */
export const serverVariable = 'MALIPO_TEST_DATABASE_SERVER'

const template = 'malipo_template'

function serverUrl(): string {
  const url = process.env[serverVariable]
  if (url === undefined)
    throw new Error('No test database server: run the tests with `npm test` or `npm run test:only -- <file>`.')
  return url
}

function urlOf(database: string): string {
  return serverUrl().replace(/^(postgres(?:ql)?:\/\/[^/]*)\/[^?]*/, `$1/${database}`)
}

/** One connection of this process makes and drops all its databases: logging in costs the server as much as a quarter of a copy. */
let administrator: Promise<Administrator> | undefined

/** The types of the driver leave out what node's sockets have, too. */
type Administrator = pg.Client & { ref(): void; unref(): void }

async function connectAsAdministrator(): Promise<Administrator> {
  const client = new pg.Client({ connectionString: serverUrl() }) as Administrator
  const forget = (): void => void (administrator = undefined)
  client.on('error', forget).on('end', forget)
  try {
    await client.connect()
  } catch (error) {
    forget()
    throw error
  }
  return client
}

let lastStatement: Promise<unknown> = Promise.resolve()

/** Runs the statement after those before it: a connection runs one at a time. */
function administer(statement: string): Promise<void> {
  const run = async (): Promise<void> => {
    const client = await (administrator ??= connectAsAdministrator())
    client.ref()
    try {
      await client.query(statement)
    } finally {
      // Between statements it does not keep the process running; it ends with the process.
      client.unref()
    }
  }
  const ended = lastStatement.then(run)
  lastStatement = ended.catch(() => undefined)
  return ended
}

/** Brings the schema of a database up to date. */
export async function migrateDatabase(url: string): Promise<void> {
  const db = openDb({
    url,
    poolSize: 2,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 60_000,
    applicationName: 'migrate',
    onError: () => undefined,
  })
  try {
    await migrate(db)
  } finally {
    await db.close()
  }
}

/** What a test writes as a superuser stands for the service's own work. */
export const sealsOwnWrites = `alter role current_user set malipo.changes_by_hand = 'sealed'`

/** Makes the template once, before the first test, with the login that also migrates in production and is no superuser. */
export async function prepareTemplate(): Promise<void> {
  await administer(`create database ${template}`)
  await administer(sealsOwnWrites)
  await makeLogins(urlOf(template), 5_000)
  await migrateDatabase(withLogin(urlOf(template), owningLogin))
}

export type TestDatabase = { url: string; drop(): Promise<void> }

/** `plansAsInProduction`: PostgreSQL chooses a plan by the values of a statement, for tests that count the rows that it reads. */
export async function createTestDatabase({ plansAsInProduction = false } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  // Copying files costs a third of writing the copy through the server's memory.
  await administer(`create database ${name} template ${template} strategy file_copy`)
  if (plansAsInProduction) await administer(`alter database ${name} set plan_cache_mode = 'auto'`)
  return { url: urlOf(name), drop: () => administer(`drop database ${name} with (force)`) }
}
