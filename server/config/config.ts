/**
 * The only reader of the environment: every setting, checked at start and frozen. A missing or wrong value stops the start with a
 * sentence that says what to do. `.env.example` lists the same keys. A subject's settings are in its file beside this one: the
 * variables, their form and defaults, and the values that no variable changes.
 */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { providerNames } from '../domain/provider.ts'
import { readSettingsFile } from '../platform/process/settings-file.ts'
import { ConfigError, port } from './values.ts'
import { cellVariables, cellSettings, cellProblems, type CellSettings } from './cells.ts'
import { processVariables, processSettings, type ProcessSettings } from './process.ts'
import { databaseVariables, databaseSettings, databaseProblems, type DatabaseSettings } from './database.ts'
import { keyVariables, keySettings, keyProblems, type KeySettings } from './keys.ts'
import { accountVariables, accountSettings, type AccountSettings } from './accounts.ts'
import { paymentVariables, paymentSettings, type PaymentSettings } from './payments.ts'
import {
  providerVariables,
  missingProviderSettings,
  providersSettings,
  realSimulators,
  sharedSecrets,
  type ProvidersSettings,
} from './providers.ts'
import { webhookVariables, webhookSettings, type WebhookSettings } from './webhooks.ts'
import { documentVariables, documentSettings, type DocumentSettings } from './documents.ts'
import { limitVariables, limitSettings, type Limits } from './limits.ts'
import { safeguardVariables, safeguardSettings, type SafeguardSettings } from './safeguards.ts'

const variablesSchema = z.object({
  ...processVariables,
  ...databaseVariables,
  ...keyVariables,
  ...paymentVariables,
  ...providerVariables,
  ...webhookVariables,
  ...safeguardVariables,
  ...limitVariables,
  ...accountVariables,
  ...documentVariables,
  ...cellVariables,
})

type Env = z.infer<typeof variablesSchema>

export type Config = Readonly<
  ProcessSettings &
    DatabaseSettings &
    KeySettings &
    PaymentSettings &
    ProvidersSettings &
    WebhookSettings &
    SafeguardSettings &
    AccountSettings &
    DocumentSettings &
    CellSettings & { limits: Limits }
>

/** Settings without a default that is right for production, and what they are for. */
const neededInProduction: Readonly<Record<string, string>> = {
  BASE_URL: 'the public https address of the API',
  CHECKOUT_BASE_URL: 'the public https address of the checkout',
  STORAGE_URL: 'the public https address of the document host',
  TRUSTED_PROXIES:
    'how many proxies of yours add to X-Forwarded-For, 0 for none; behind an unknown one all callers share the limits of one address',
  SMTP_URL: 'the server that sends mail; without it no one can reset a password',
  MAIL_FROM: 'the address that mail is sent from',
  CLAMD_URL: 'a virus scanner, or none',
}

/** Every setting that is missing or malformed, one line each, so that an operator corrects all of them at once. */
function problemsOf(given: Readonly<Record<string, string>>, issues: readonly z.core.$ZodIssue[]): string[] {
  const isLocal = given['MALIPO_MODE'] === 'local'
  const needed = isLocal ? [] : Object.entries(neededInProduction).filter(([key]) => given[key] === undefined)
  return [
    ...issues.map((issue) => `${String(issue.path[0])}: ${issue.code === 'invalid_type' ? 'is not set' : issue.message}`),
    ...missingProviderSettings(given).map(([key, why]) => `${key}: ${why}`),
    ...cellProblems(given),
    ...needed.map(([key, purpose]) => `${key}: is not set: ${purpose}`),
  ]
}

function refusedInProduction(config: Config, env: Env, isFileOpen: boolean): string[] {
  const problems: string[] = [...keyProblems(env), ...sharedSecrets(config.providers)]
  if (isFileOpen) {
    problems.push('the file of SETTINGS_FILE holds keys and every user may read it: chmod 600, or 640 with a separate group')
  }
  problems.push(...databaseProblems(config))
  problems.push(...realSimulators(config.providers))
  const plainOrigins = config.dashboardOrigins.filter((origin) => !origin.startsWith('https://'))
  if (plainOrigins.length > 0) problems.push(`DASHBOARD_ORIGINS must be https: ${plainOrigins.join(', ')}`)
  const plain = Object.entries(config.urls).filter(([, address]) => !address.startsWith('https://'))
  for (const [name] of plain) problems.push(`the ${name} address must be https`)
  if (config.providers.live.isSimulated) problems.push('SIMULATED_PROVIDERS must not name live')
  if (!config.limits.areOn) problems.push('RATE_LIMITS must be on')
  if (config.passwords.cost !== 'full') problems.push('PASSWORD_COST must be full')
  if (config.webhooks.allowPrivateTargets) problems.push('WEBHOOK_ALLOW_PRIVATE_TARGETS must not be true')
  for (const name of providerNames) {
    const account = config.providers.live[name]
    if (account && !account.baseUrl.startsWith('https://')) problems.push(`${name.toUpperCase()}_LIVE_BASE_URL must be https`)
  }
  // The shortest limit of the providers is 500 characters, path included.
  if (config.urls.providerCallback.length > 400) problems.push('PROVIDER_CALLBACK_BASE_URL must be 400 characters or less')
  if (config.mail.from.endsWith('.invalid>')) problems.push('MAIL_FROM must be your address')
  // Payers whose money is missing write there.
  if (/^(?:no|do-?not)[-_.]?reply/i.test(config.support.email)) {
    problems.push(`SUPPORT_EMAIL must be an address that someone reads: payers see ${config.support.email}`)
  }
  if (config.heads.url?.startsWith('http://')) problems.push('HEADS_URL must be https')
  const { store } = config.documents
  if (store.kind === 's3' && !store.endpoint.startsWith('https://')) problems.push('S3_ENDPOINT must be https')
  const { claimLeaseSeconds } = config.payments
  if (claimLeaseSeconds * 1000 < config.providerHttp.timeoutMs + 10_000) {
    problems.push(
      'CHARGE_CLAIM_LEASE_SECONDS must be at least 10 seconds above PROVIDER_TIMEOUT_MS, or two processes send one charge at once',
    )
  }
  return problems
}

function settingsOf(path: string | undefined): ReturnType<typeof readSettingsFile> {
  try {
    return path === undefined ? { settings: {}, isOpenToAll: false } : readSettingsFile(path)
  } catch (error) {
    throw new ConfigError(`SETTINGS_FILE cannot be read: ${(error as Error).message}`)
  }
}

/** The settings of the environment, with defaults and with values that are not settings. */
function configOf(env: Env): Config {
  const mode = env.MALIPO_MODE
  return {
    ...processSettings(env),
    ...databaseSettings(env),
    ...keySettings(env),
    ...paymentSettings(env, mode),
    ...providersSettings(env, mode),
    ...webhookSettings(env),
    ...safeguardSettings(env, mode),
    ...accountSettings(env),
    ...documentSettings(env),
    ...cellSettings(env),
    limits: limitSettings(env),
  }
}

/** The variables with a value. docker --env-file keeps the quotes around a value, which systemd and a shell remove. */
function givenIn(variables: NodeJS.Dict<string>): Record<string, string> {
  const values = Object.entries(variables).map(([key, value]) => [key, value?.replace(/^"(.*)"$/s, '$1')])
  return Object.fromEntries(values.filter(([, value]) => value))
}

/** The folder of a service that runs in production: the units and the image have it. The folder of `npm start` is in its tree. */
const dataFolders = { production: '/var/lib/malipo', local: join(import.meta.dirname, '../../data') }

function givenSettings(
  defaults: Record<string, string>,
  environment: NodeJS.ProcessEnv,
): { given: Record<string, string>; isFileOpen: boolean } {
  const fromEnvironment = givenIn(environment)
  const file = settingsOf(fromEnvironment['SETTINGS_FILE'] ?? defaults['SETTINGS_FILE'])
  const given: Record<string, string> = { ...defaults, ...givenIn(file.settings), ...fromEnvironment }
  const folder = given['MALIPO_MODE'] === 'local' ? dataFolders.local : dataFolders.production
  return { given: { ...given, DATA_DIR: given['DATA_DIR'] ?? folder }, isFileOpen: file.isOpenToAll }
}

/** The configuration of this process. `defaults` apply where the environment sets nothing. */
export function loadConfig(defaults: Record<string, string> = {}, environment: NodeJS.ProcessEnv = process.env): Config {
  const { given, isFileOpen } = givenSettings(defaults, environment)
  const parsed = variablesSchema.safeParse(given)
  const problems = problemsOf(given, parsed.error?.issues ?? [])
  if (!parsed.success || problems.length > 0) {
    throw new ConfigError(
      `The configuration is not complete; .env.example explains each key.\n${problems.map((line) => `  ${line}`).join('\n')}`,
    )
  }
  const env = parsed.data
  const config = configOf(env)
  if (config.mode === 'local' && env.NODE_ENV === 'production') {
    throw new ConfigError(
      'Refused to start: NODE_ENV is production, and MALIPO_MODE=local (npm start) is for one machine of your own.',
    )
  }
  if (config.mode === 'production') {
    const problems = refusedInProduction(config, env, isFileOpen)
    if (problems.length > 0) throw new ConfigError(`Refused to start in production: ${problems.join('; ')}.`)
  }
  return Object.freeze(config)
}

export type LocalChoices = {
  dataDir: string
  /** The keys that `npm start` has made. */
  keysFile: string
  databaseUrl: string | undefined
  simulatorPort: number
  ports: { api: number; checkout: number; storage: number }
}

/** The choices for a local start that are needed before the rest of the configuration is known. */
export function readLocalChoices(environment: NodeJS.ProcessEnv = process.env): LocalChoices {
  const choices = z
    .object({
      DATA_DIR: z.string().min(1).default(dataFolders.local),
      DATABASE_URL: z.string().optional(),
      SIMULATOR_PORT: port.default(3003),
      PORT: port.default(3000),
      CHECKOUT_PORT: port.default(3001),
      STORAGE_PORT: port.default(3002),
    })
    .safeParse(Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')))
  if (!choices.success) {
    const problems = choices.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`The configuration is not right; .env.example explains each key.\n${problems.join('\n')}`)
  }
  const { DATA_DIR, DATABASE_URL, SIMULATOR_PORT, PORT, CHECKOUT_PORT, STORAGE_PORT } = choices.data
  return {
    dataDir: resolve(DATA_DIR),
    keysFile: join(resolve(DATA_DIR), 'keys.json'),
    databaseUrl: DATABASE_URL,
    simulatorPort: SIMULATOR_PORT,
    ports: { api: PORT, checkout: CHECKOUT_PORT, storage: STORAGE_PORT },
  }
}

/** Where the units have the settings of the service. */
const installedFile = '/etc/malipo/malipo.env'

/** The settings of an operator's command: in its environment, in the file of the service, or those of `npm start` in this tree. */
export type FoundSettings =
  | { kind: 'environment' }
  | { kind: 'local' }
  | {
      kind: 'file'
      settings: Record<string, string>
      /** Those of `owner.env` in the same folder, which has the login that owns the tables. */
      readOwner(): Record<string, string>
    }

/** Finds the settings of an operator's command. Files are read here, because a command of root gives up its rights afterwards. */
export function findSettings(environment: NodeJS.ProcessEnv = process.env): FoundSettings {
  const given = givenIn(environment)
  if (given['SERVER_SECRET'] !== undefined) return { kind: 'environment' }
  const file = given['SETTINGS_FILE'] ?? installedFile
  const problem = problemOfFile(file)
  if (problem === undefined) {
    const ownerFile = join(dirname(file), 'owner.env')
    return {
      kind: 'file',
      settings: readPrivate(file),
      readOwner: () => (existsSync(ownerFile) ? readPrivate(ownerFile) : {}),
    }
  }
  if (given['SETTINGS_FILE'] === undefined && existsSync(readLocalChoices(environment).keysFile)) return { kind: 'local' }
  throw new ConfigError(
    problem === 'ENOENT'
      ? `There are no settings: ${file} does not exist. Create it (docs/operations/production.md), name another file in SETTINGS_FILE, or run "npm start" in this tree first.`
      : `The settings in ${file} are not readable for this user (${problem}): run the command as root, with sudo.`,
  )
}

function problemOfFile(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

function readPrivate(file: string): Record<string, string> {
  const { settings, isOpenToAll } = settingsOf(file)
  if (isOpenToAll) throw new ConfigError(`${file} holds secrets and every user may read it: chmod 600 ${file}`)
  return givenIn(settings)
}

/** A setting as written in the environment or the file, for a command that shows the next value to set. */
export function readSetting(
  name: string,
  defaults: Record<string, string>,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  return givenSettings(defaults, environment).given[name]
}

export function childEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...extra }
}
