/**
 * Stores the key, the address of the service and the local webhook secret. The only reader of the environment. Invariant: only
 * the owner can read the file, and a live key is neither stored nor used.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { Malipo, type MalipoOptions } from '@malipo/sdk'
import { CommandError, UsageError } from './command.ts'

export type Kept = { base_url?: string; api_key?: string; webhook_secret?: string }

export type Settings = {
  path: string
  /** Only this program uses its folder; a folder from the command line may contain other files. */
  isOwnFolder: boolean
  kept: Kept
  baseUrl: string
  apiKey: string | undefined
  /** The environment's key overrides the one in the file. */
  isKeyFromEnvironment: boolean
}

const defaultBaseUrl = 'http://127.0.0.1:3000'

function defaultPath(): string {
  const given = process.env['XDG_CONFIG_HOME']
  // The specification of these folders says that a relative path is ignored.
  const folder = given && isAbsolute(given) ? given : join(homedir(), '.config')
  return join(folder, 'malipo', 'config.json')
}

async function read(path: string): Promise<Kept> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}.`)
  }
  const damaged = new CommandError(`${path} is damaged: remove it and run "malipo login" again.`)
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw damaged
  }
  if (typeof found !== 'object' || found === null || Object.values(found).some((value) => typeof value !== 'string'))
    throw damaged
  return found
}

/** The normalised address: without a slash at its end. */
function readBaseUrl(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (address && /^https?:$/.test(address.protocol)) return address.href.replace(/\/+$/, '')
  throw new UsageError(`The address of the service is a URL, as in ${defaultBaseUrl}, not ${JSON.stringify(text)}.`)
}

/** Refuses everything that is not a key of the test environment; the service checks whether it is genuine. */
export function requireTestKey(key: string): string {
  if (key.startsWith('svc_live_')) {
    throw new CommandError(
      'This is a live key, and malipo is for the test environment only. Use a key of one of your test apps: it begins with svc_test_.',
    )
  }
  // The key is not shown: a text pasted by mistake may be a secret too.
  if (!/^svc_test_[0-9A-Za-z]+$/.test(key)) {
    throw new CommandError('This is not a test key of Malipo: one begins with svc_test_. Copy it whole from your dashboard.')
  }
  return key
}

/** `configPath` and `baseUrl` come from the command line. */
export async function readSettings(configPath: string | undefined, baseUrl: string | undefined): Promise<Settings> {
  const { MALIPO_API_KEY: environmentKey, MALIPO_BASE_URL: environmentUrl, MALIPO_CONFIG: environmentPath } = process.env
  const named = configPath || environmentPath
  const path = named ? resolve(named) : defaultPath()
  const kept = await read(path)
  const key = environmentKey || kept.api_key
  return {
    path,
    isOwnFolder: !named,
    kept,
    baseUrl: readBaseUrl(baseUrl || environmentUrl || kept.base_url || defaultBaseUrl),
    apiKey: key,
    isKeyFromEnvironment: Boolean(environmentKey),
  }
}

/** Adds these values to the stored ones. A reader never sees half a file. */
export async function keep({ path, isOwnFolder, kept }: Settings, changes: Kept): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isOwnFolder) await chmod(folder, 0o700)
  const next = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(next, `${JSON.stringify({ ...kept, ...changes }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(next, path)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

/** Returns whether anything was stored. */
export async function forget({ path, kept }: Settings): Promise<boolean> {
  await rm(path, { force: true })
  return Object.keys(kept).length > 0
}

/** The secret that local receivers verify with: made once, then always the same. */
export async function localSecret(settings: Settings): Promise<string> {
  if (settings.kept.webhook_secret) return settings.kept.webhook_secret
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await keep(settings, { webhook_secret: secret })
  return secret
}

export function openMalipo({ apiKey, baseUrl }: Settings, options: Omit<MalipoOptions, 'apiKey' | 'baseUrl'> = {}): Malipo {
  if (!apiKey) throw new CommandError('There is no API key yet: run "malipo login", or set MALIPO_API_KEY.')
  return new Malipo({ ...options, apiKey: requireTestKey(apiKey), baseUrl })
}
