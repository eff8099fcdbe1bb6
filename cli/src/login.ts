/** `malipo login`, `logout`, `whoami`: the key that this machine uses. Invariant: a key is stored only after the service has accepted it. */
import { MalipoError, type Profile } from '@malipo/sdk'
import { CommandError, needs, textOf, UsageError, type Call, type Command } from './command.ts'
import { forget, keep, openMalipo, requireTestKey } from './config.ts'
import { askHidden } from './hidden-input.ts'
import { columns } from './output.ts'

const wantedScopes = ['transactions:read', 'pages:read', 'pages:write'] as const

/** Undefined for a genuine key that may not read the profile: the service refuses a missing scope only for a known key. */
async function readProfile(call: Call, apiKey: string): Promise<Profile | undefined> {
  try {
    return await openMalipo({ ...call.settings, apiKey }).profile.get({ signal: call.signal })
  } catch (error) {
    if (error instanceof MalipoError && error.code === 'insufficient_scope') return undefined
    throw error
  }
}

async function runLogin(call: Call): Promise<number> {
  const { values, settings, out } = call
  const given = textOf(values, 'api-key') ?? (await askHidden('Test API key (svc_test_…, it is not shown): ', call.signal))
  if (given === '') throw new UsageError('No key was given: type it, pipe it in, or use --api-key.')
  const apiKey = requireTestKey(given)
  const profile = await readProfile(call, apiKey)
  if (profile && profile.environment !== 'test') throw new CommandError('This key does not belong to the test environment.')
  await keep(settings, { api_key: apiKey, base_url: settings.baseUrl })
  const who = profile ? ` as ${profile.display_name}, app ${profile.app?.name ?? '–'}` : ''
  out.line(`Logged in at ${settings.baseUrl}${who}. The key is stored in ${settings.path}.`, {
    kind: 'logged_in',
    base_url: settings.baseUrl,
    config: settings.path,
    profile: profile ?? null,
  })
  const missing = profile?.key ? wantedScopes.filter((scope) => !profile.key!.scopes.includes(scope)) : []
  if (missing.length > 0) {
    const text = `The key lacks ${missing.join(', ')}: "listen" and "events" need transactions:read, "simulate" needs pages:read, and pages:write if no page fits.`
    out.notice(text, { kind: 'notice', code: 'scopes_missing', scopes: missing })
  }
  if (settings.isKeyFromEnvironment) {
    const text = 'MALIPO_API_KEY is set and overrides this key: unset it to use the stored one.'
    out.notice(text, { kind: 'notice', code: 'environment_goes_first' })
  }
  return 0
}

async function runLogout({ settings, out }: Call): Promise<number> {
  const wasThere = await forget(settings)
  const text = wasThere ? `${settings.path} is removed: the key, and the local webhook secret.` : 'Nothing was stored.'
  out.line(text, { kind: 'logged_out', config: settings.path, was_logged_in: wasThere })
  return 0
}

async function runWhoami({ settings, out, signal }: Call): Promise<number> {
  const profile = await openMalipo(settings).profile.get({ signal })
  const { display_name, legal_name, type, status, email, environment, app, key } = profile
  const rows: [string, string | null | undefined][] = [
    ['Name', display_name],
    ['Legal name', legal_name],
    ['Kind', `${type}, ${status}`],
    ['E-mail', email],
    ['Environment', environment],
    ['App', app && `${app.name} (${app.id})`],
    ['Key', key && `${key.key_name} (${key.id})`],
    ['Scopes', key?.scopes.join(' ')],
    ['Service', settings.baseUrl],
    ['Key from', settings.isKeyFromEnvironment ? 'MALIPO_API_KEY' : settings.path],
  ]
  out.line(columns(rows), profile)
  return 0
}

export const login: Command = {
  summary: 'Store a test API key on this machine',
  usage: '[--api-key <key>] [--base-url <url>]',
  about: `Asks for the key without showing it; piped in, it is read from standard input. --api-key is there for scripts: other users of this
machine can see it while the command runs, and your shell remembers it. Live keys are refused.`,
  options: {
    'api-key': { type: 'string', value: 'key', about: 'The key; better piped in or typed' },
  },
  run: runLogin,
}

export const logout: Command = {
  summary: 'Remove the stored key',
  about: 'Removes the file with the key and the local webhook secret. The key itself stays valid: revoke it in your dashboard.',
  run: runLogout,
}

export const whoami: Command = {
  summary: 'Show the merchant and the app of the key',
  about: needs('profile:read'),
  run: runWhoami,
}
