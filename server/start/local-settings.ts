/**
 * The settings of a local start that need no input: keys, made once and kept in the data folder, and the embedded database.
 * Production uses nothing here: it needs every key, and a missing one stops the start.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, readLocalChoices, type Config } from '../config/config.ts'
import { EmbeddedPostgresError } from '../platform/local-postgres/embedded-postgres-folders.ts'
import { startEmbeddedPostgres } from '../platform/local-postgres/embedded-postgres.ts'
import { ConfigError } from '../config/values.ts'
import { makeLogins, owningLogin, servingLogin, withLogin } from '../platform/db/logins.sql.ts'

export type LocalSettings = {
  config: Config
  settings: Record<string, string>
  simulatorPort: number
  /** Releases the embedded database; does nothing if DATABASE_URL names another one. */
  releaseDatabase(): Promise<void>
}

export function newKeys(): Record<string, string> {
  const key = () => randomBytes(32).toString('base64url')
  return {
    SERVER_SECRET: key(),
    JWT_SIGNING_KEYS: `local-1:${key()}`,
    API_KEY_PEPPERS: `local-1:${key()}`,
    ENVELOPE_KEYS: `local-1:${key()}`,
    INTEGRITY_KEYS: `local-1:${key()}`,
    SNIPPE_TEST_API_KEY: `snp_${key()}`,
    SNIPPE_TEST_WEBHOOK_SECRETS: key(),
    SNIPPE_LIVE_API_KEY: `snp_${key()}`,
    SNIPPE_LIVE_WEBHOOK_SECRETS: key(),
  }
}

function isMissing(error: unknown): boolean {
  return (error as { code?: string }).code === 'ENOENT'
}

/**
 * The keys of this data folder. Makes missing ones, also those that a later version adds. The file is renamed into place, so a
 * crash never leaves half a file.
 */
function readOrMakeKeys(file: string): Record<string, string> {
  const made = newKeys()
  let kept: Record<string, string> = {}
  try {
    kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    if (Object.keys(made).every((name) => name in kept)) return kept
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const keys = { ...made, ...kept }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, JSON.stringify(keys, null, 2), { mode: 0o600 })
  renameSync(draft, file)
  return keys
}

/** What the embedded database needs from its user is a sentence without a trace, like that of a wrong setting. */
function asSettingsError(error: unknown): never {
  if (error instanceof EmbeddedPostgresError) throw new ConfigError(error.message, { cause: error })
  throw error
}

/** Starts the embedded database unless DATABASE_URL names another one, and returns the whole local configuration. */
export async function prepareLocal(): Promise<LocalSettings> {
  const choices = readLocalChoices()
  mkdirSync(choices.dataDir, { recursive: true })
  const keys = readOrMakeKeys(choices.keysFile)
  const dataDir = join(choices.dataDir, 'postgres')
  if (choices.databaseUrl === undefined && !existsSync(dataDir)) {
    process.stdout.write('Creating the database. This usually takes ten seconds.\n')
  }
  const database = choices.databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir }).catch(asSettingsError) : undefined
  if (database) await makeLogins(database.connectionString, 60_000)
  const simulatorUrl = `http://127.0.0.1:${choices.simulatorPort}`
  const settings: Record<string, string> = {
    ...keys,
    MALIPO_MODE: 'local',
    DATA_DIR: choices.dataDir,
    SNIPPE_TEST_BASE_URL: simulatorUrl,
    SNIPPE_LIVE_BASE_URL: simulatorUrl,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    ...(database && {
      DATABASE_URL: withLogin(database.connectionString, servingLogin),
      DATABASE_OWNER_URL: withLogin(database.connectionString, owningLogin),
    }),
  }
  try {
    return {
      config: loadConfig(settings),
      settings,
      simulatorPort: choices.simulatorPort,
      releaseDatabase: async () => database?.stop(),
    }
  } catch (error) {
    await database?.stop()
    throw error
  }
}
