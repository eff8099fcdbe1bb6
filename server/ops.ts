/**
 * The operator's command line, on the operator's machine: `malipo-ops <command>`. It uses the database directly and is never
 * reachable over HTTP. Without keys in its environment it works on the service that `npm start` runs in this folder.
 */
import { createInterface } from 'node:readline/promises'
import { backupCommands } from './backup/backup-commands.ts'
import { BackupProblem } from './backup/take-backup.ts'
import { loadConfig, readLocalChoices, readSetting, type Config } from './config.ts'
import { ConfigError } from './settings/values.ts'
import { personCommands } from './data-lifecycle/person-commands.ts'
import { openProviders, openServiceDb } from './dependencies.ts'
import { prepareLocal } from './local-settings.ts'
import { accountCommands } from './operators/account-commands.ts'
import { databaseCommands } from './operators/database-commands.ts'
import { emergencyCommands } from './operators/emergency-commands.ts'
import { keyCommands } from './operators/key-commands.ts'
import { moneyCommands } from './operators/money-commands.ts'
import { providerCommands } from './operators/provider-commands.ts'
import { databaseProblem } from './platform/db/database-problem.ts'
import { openDb, type Db } from './platform/db/db.ts'
import { forTerminal } from './platform/http/text.ts'
import { CommandError, runCommand, UsageError, type Commands } from './platform/process/commands.ts'
import { createLog } from './platform/process/log.ts'
import { Refusal } from './platform/refusal.ts'

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
  // Without keys in the environment, the command is for the service that `npm start` runs here, with its own database or another one.
  const findLocal = async () => {
    if (readLocalChoices().hasKeys) return undefined
    const local = await prepareLocal()
    opened.defer(() => local.releaseDatabase())
    return local
  }
  let local: ReturnType<typeof findLocal> | undefined
  const openLocal = () => (local ??= findLocal())
  const openConfig = async () => (await openLocal())?.config ?? loadConfig()
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
      return readSetting(name) ?? (await openLocal())?.settings[name]
    },
    open: async () => {
      const config = await openConfig()
      return { config, db: keep(openServiceDb(config, createLog({ level: 'warn', role: 'ops' }), 'malipo-ops')) }
    },
    openAsOwner: async () => {
      const config = await openConfig()
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
}

async function run(words: string[]): Promise<void> {
  await using opened = new AsyncDisposableStack()
  await runCommand({ program: 'malipo-ops', commands }, words, openLazily(opened))
}

run(process.argv.slice(2)).catch((error: unknown) => {
  const isForOperator = [UsageError, CommandError, Refusal, ConfigError, BackupProblem].some((kind) => error instanceof kind)
  const { message, stack } = error as Error
  process.stderr.write(`${forTerminal(isForOperator ? message : (databaseProblem(error) ?? stack ?? message))}\n`)
  process.exitCode = 1
})
