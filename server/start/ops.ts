/**
 * The operator's command line, on the operator's machine: `malipo-ops <command>`. It uses the database directly and is never
 * reachable over HTTP. It works with the settings of its environment, of the installed service, or of `npm start` in this tree.
 */
import { createInterface } from 'node:readline/promises'
import { backupCommands } from '../operations/backup/backup-commands.ts'
import { BackupProblem } from '../operations/backup/take-backup.ts'
import { findSettings, loadConfig, readSetting, type Config } from '../config/config.ts'
import { ConfigError } from '../config/values.ts'
import { personCommands } from '../operations/data-lifecycle/person-commands.ts'
import { openProviders, openServiceDb } from './dependencies.ts'
import { prepareLocal } from './local-settings.ts'
import { cellCommands } from '../operations/cells/cell-commands.ts'
import { accountCommands } from '../operations/operators/account-commands.ts'
import { databaseCommands } from '../operations/operators/database-commands.ts'
import { emergencyCommands } from '../operations/operators/emergency-commands.ts'
import { keyCommands } from '../operations/operators/key-commands.ts'
import { moneyCommands } from '../operations/operators/money-commands.ts'
import { providerCommands } from '../operations/operators/provider-commands.ts'
import { databaseProblem } from '../platform/db/database-problem.ts'
import { openDb, type Db } from '../platform/db/db.ts'
import { forTerminal } from '../platform/http/text.ts'
import { EmbeddedPostgresError } from '../platform/local-postgres/embedded-postgres-folders.ts'
import { becomeOwnerOf } from '../platform/process/become-owner.ts'
import { CommandError, runCommand, UsageError, type Commands } from '../platform/process/commands.ts'
import { fileProblem } from '../platform/process/file-problem.ts'
import { createLog } from '../platform/process/log.ts'
import { Refusal } from '../platform/refusal.ts'

/** Lines contain texts of providers and merchants: no control characters may reach the terminal. */
const print = (line: string): void => void process.stdout.write(`${forTerminal(line)}\n`)

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}

/** A connection as the owner of the schema, with a long statement timeout. */
function openOwner(config: Config): Db {
  return openDb({
    ...config.database,
    url: config.database.ownerUrl,
    poolSize: 2,
    // A scan of a large table or an index build takes longer than any request may take.
    statementTimeoutMs: 6 * 3_600_000,
    applicationName: 'malipo-ops',
    onError: () => undefined,
  })
}

/** What the commands use. Each part is opened when a command asks for it, and everything is closed with `opened`. */
function openLazily(opened: AsyncDisposableStack) {
  let settings: Record<string, string> = {}
  let config: Config | undefined
  /** `rights` names the login of the database, and `machine` also that of the system: it stays root, to read and write any file. */
  async function openConfig(rights: 'service' | 'owner' | 'machine' = 'service'): Promise<Config> {
    if (config) return config
    const found = findSettings()
    if (found.kind === 'local') {
      const local = await prepareLocal()
      opened.defer(() => local.releaseDatabase())
      settings = local.settings
      return (config = local.config)
    }
    if (found.kind === 'file') settings = { ...found.settings, ...(rights !== 'service' && found.readOwner()) }
    config = loadConfig(settings)
    if (found.kind === 'file' && rights !== 'machine') becomeOwnerOf(config.dataDir)
    return config
  }
  const keep = (db: Db): Db => {
    opened.defer(() => db.close())
    return db
  }
  return {
    print,
    ask,
    settingOf: async (name: string) => {
      // Wrong settings are reported, as for every other command.
      await openConfig()
      return readSetting(name, settings)
    },
    open: async () => {
      const config = await openConfig()
      return { config, db: keep(openServiceDb(config, createLog({ level: 'warn', role: 'ops' }), 'malipo-ops')) }
    },
    openAsOwner: async () => ({ db: keep(openOwner(await openConfig('owner'))) }),
    openForBackup: async () => {
      const config = await openConfig('machine')
      return { config, db: keep(openOwner(config)) }
    },
    providers: async () => {
      const providers = openProviders(await openConfig())
      for (const { byName } of Object.values(providers))
        for (const provider of byName.values()) opened.defer(() => provider.close())
      return providers
    },
  }
}

type Parts = ReturnType<typeof openLazily>

const commands: Commands<Parts> = {
  ...accountCommands,
  ...emergencyCommands,
  ...personCommands,
  ...moneyCommands,
  ...providerCommands,
  ...databaseCommands,
  ...keyCommands,
  ...backupCommands,
  ...cellCommands,
}

async function run(words: string[]): Promise<void> {
  await using opened = new AsyncDisposableStack()
  await runCommand({ program: 'malipo-ops', commands }, words, openLazily(opened))
}

/** Errors whose message is written for an operator. */
const sentences = [UsageError, CommandError, Refusal, ConfigError, BackupProblem, EmbeddedPostgresError]

run(process.argv.slice(2)).catch((error: unknown) => {
  const isForOperator = sentences.some((kind) => error instanceof kind)
  const { message, stack } = error as Error
  // A stack is for an error that no operator can correct: a bug.
  const text = isForOperator ? message : (fileProblem(error) ?? databaseProblem(error) ?? stack ?? message)
  process.stderr.write(`${forTerminal(text)}\n`)
  process.exitCode = 1
})
