/** Settings of the payment providers: which one each environment calls, its account there, and when to stop calling it. */
import { z } from 'zod'
import { environmentSchema, environments, type Environment } from '../domain/environment.ts'
import type { Network } from '../domain/network.ts'
import {
  providerNameSchema,
  providerNames,
  snippeSignatures,
  type ProviderName,
  type SnippeSignature,
} from '../domain/provider.ts'
import { addressOf, type accountVariables } from './accounts.ts'
import { withCell } from '../platform/http/cell.ts'
import type { CellSettings } from './cells.ts'
import type { Mode, ProcessSettings } from './process.ts'
import { list, perNetwork, seconds, url, type Frozen, type Given } from './values.ts'

const defaultProvider: ProviderName = 'snippe'
const providerName = providerNameSchema.default(defaultProvider)
const secret = z.string().min(32, 'use at least 32 random characters')
const secrets = list.pipe(z.array(secret).min(1).max(2))
// ClickPesa makes these keys and does not document their length.
const checksumKeys = list.pipe(z.array(z.string().min(16, 'use the key from its dashboard, 16 characters or more')).min(1).max(2))
const snippeSignature = z.enum(snippeSignatures).default(snippeSignatures[0])
const percent = z.coerce.number().gt(0).max(100)
const promptNames = perNetwork(
  z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N} .&'-]{0,39}$/u, 'write the name as the phone shows it, at most 40 letters and digits'),
  'MALIPO',
)
const perMinute = z.union([
  z.literal('off').transform(() => 0),
  z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'write a number, or off')
    .transform(Number),
])

export const providerVariables = {
  CHARGE_PROVIDER_TEST: providerName,
  CHARGE_PROVIDER_LIVE: providerName,
  PAYOUT_PROVIDER_TEST: providerName,
  PAYOUT_PROVIDER_LIVE: providerName,
  SNIPPE_TEST_BASE_URL: url.optional(),
  SNIPPE_TEST_API_KEY: z.string().min(1).optional(),
  SNIPPE_TEST_WEBHOOK_SECRETS: secrets.optional(),
  SNIPPE_TEST_WEBHOOK_SIGNATURE: snippeSignature,
  SNIPPE_TEST_REQUESTS_PER_MINUTE: perMinute.optional(),
  SNIPPE_TEST_CHARGE_FEE_PERCENT: percent.optional(),
  SNIPPE_TEST_PROMPT_NAME: promptNames,
  SNIPPE_LIVE_BASE_URL: url.optional(),
  SNIPPE_LIVE_API_KEY: z.string().min(1).optional(),
  SNIPPE_LIVE_WEBHOOK_SECRETS: secrets.optional(),
  SNIPPE_LIVE_WEBHOOK_SIGNATURE: snippeSignature,
  SNIPPE_LIVE_REQUESTS_PER_MINUTE: perMinute.optional(),
  SNIPPE_LIVE_CHARGE_FEE_PERCENT: percent.optional(),
  SNIPPE_LIVE_PROMPT_NAME: promptNames,
  CLICKPESA_TEST_BASE_URL: url.optional(),
  CLICKPESA_TEST_CLIENT_ID: z.string().min(1).optional(),
  CLICKPESA_TEST_API_KEY: z.string().min(1).optional(),
  CLICKPESA_TEST_CHECKSUM_KEYS: checksumKeys.optional(),
  CLICKPESA_TEST_REQUESTS_PER_MINUTE: perMinute.optional(),
  CLICKPESA_TEST_CHARGE_FEE_PERCENT: percent.optional(),
  CLICKPESA_TEST_PROMPT_NAME: promptNames,
  CLICKPESA_LIVE_BASE_URL: url.optional(),
  CLICKPESA_LIVE_CLIENT_ID: z.string().min(1).optional(),
  CLICKPESA_LIVE_API_KEY: z.string().min(1).optional(),
  CLICKPESA_LIVE_CHECKSUM_KEYS: checksumKeys.optional(),
  CLICKPESA_LIVE_REQUESTS_PER_MINUTE: perMinute.optional(),
  CLICKPESA_LIVE_CHARGE_FEE_PERCENT: percent.optional(),
  CLICKPESA_LIVE_PROMPT_NAME: promptNames,
  PROVIDER_CIRCUIT_FAILURES: z.coerce.number().int().min(1).max(1_000_000).default(10),
  PROVIDER_CIRCUIT_OPEN_SECONDS: seconds.default(15),
  SIMULATED_PROVIDERS: z.union([z.literal('none').transform(() => []), list.pipe(z.array(environmentSchema))]).optional(),
  PROVIDER_CONTACT_EMAIL: z.email('use one e-mail address').optional(),
  PROVIDER_TIMEOUT_MS: seconds.default(15_000),
}

type Env = Given<typeof providerVariables & Pick<typeof accountVariables, 'MAIL_FROM'>>

export type SnippeAccount = Readonly<{
  baseUrl: string
  apiKey: string
  webhookSecrets: readonly string[]
  /** The one form of a webhook's signature that is accepted. */
  webhookSignature: SnippeSignature
  /** Calls that the provider allows a minute; undefined: calls are not counted. */
  requestsPerMinute: number | undefined
  /** The provider's fee for a charge, in percent; undefined: any fee up to the amount is accepted. */
  chargeFeePercent: number | undefined
}>

export type ClickPesaAccount = Readonly<{
  baseUrl: string
  clientId: string
  apiKey: string
  checksumKeys: readonly string[]
  requestsPerMinute: number | undefined
  /** The provider's fee for a charge, in percent; undefined: any fee of up to 5 % explains its balance. */
  chargeFeePercent: number | undefined
}>

/**
 * The providers that one environment calls. An account with complete settings stays usable, so that its open charges and payouts
 * are still queried.
 */
export type ProviderSettings = Readonly<{
  charges: ProviderName
  payouts: ProviderName
  /** The name that a phone shows in a prompt of each provider. */
  promptNames: Readonly<Record<ProviderName, Readonly<Record<Network, string>>>>
  snippe: SnippeAccount | undefined
  clickpesa: ClickPesaAccount | undefined
  /** A simulator plays these providers: no real phone is prompted. */
  isSimulated: boolean
}>

/** Calls a minute that each provider documents; a simulator allows any number. */
const allowedPerMinute: Record<ProviderName, number> = { snippe: 60, clickpesa: 120 }

/** What an account of a provider cannot do without, as the ends of the names of its settings. */
const accountParts: Record<ProviderName, readonly string[]> = {
  snippe: ['BASE_URL', 'API_KEY', 'WEBHOOK_SECRETS'],
  clickpesa: ['BASE_URL', 'CLIENT_ID', 'API_KEY', 'CHECKSUM_KEYS'],
}

/** The providers that demand an e-mail address of each payer. */
const providersThatDemandEmail: readonly ProviderName[] = ['snippe']

/**
 * The settings of providers that are not given but needed, with the reason. A chosen provider needs all of its settings. Another one
 * has all or none: with all of them, its open charges and payouts are still queried.
 */
export function missingProviderSettings(given: Readonly<Record<string, string | undefined>>): [key: string, why: string][] {
  const chosenIn = (environment: Environment): string[] =>
    ['CHARGE_PROVIDER', 'PAYOUT_PROVIDER'].map((key) => given[`${key}_${environment.toUpperCase()}`] ?? defaultProvider)
  const missing = environments.flatMap((environment) => {
    const side = environment.toUpperCase()
    const chosen = chosenIn(environment)
    return providerNames.flatMap((name) => {
      const keys = accountParts[name].map((part) => `${name.toUpperCase()}_${side}_${part}`)
      const missing = keys.filter((key) => given[key] === undefined)
      const isChosen = chosen.includes(name)
      if (!isChosen && missing.length === keys.length) return []
      const why = isChosen ? `is not set, and ${environment} asks ${name}` : `is not set, and other settings of ${name} are`
      const help = environment === 'test' ? 'the simulator, or an account with the provider' : 'an account with the provider'
      return missing.map((key): [string, string] => [key, `${why}: ${help} (docs/operations/providers.md)`])
    })
  })
  const demanding = providersThatDemandEmail.find((name) => environments.some((environment) => chosenIn(environment)[0] === name))
  if (given['MALIPO_MODE'] === 'local' || given['PROVIDER_CONTACT_EMAIL'] !== undefined || !demanding) return missing
  const why = `is not set: your own address, which ${demanding} gets for payers who give no e-mail address`
  return [...missing, ['PROVIDER_CONTACT_EMAIL', why]]
}

/** All settings of an account; undefined when it has none. */
function complete<Settings extends Record<string, unknown>>(
  settings: Settings,
): { [Key in keyof Settings]: NonNullable<Settings[Key]> } | undefined {
  if (Object.values(settings).includes(undefined)) return undefined
  return settings as { [Key in keyof Settings]: NonNullable<Settings[Key]> }
}

function providerSettings(env: Env, environment: Environment, isSimulated: boolean): ProviderSettings {
  const side = environment === 'test' ? 'TEST' : 'LIVE'
  function perMinuteOf(name: ProviderName, given: number | undefined): number | undefined {
    return (given ?? (isSimulated ? 0 : allowedPerMinute[name])) || undefined
  }

  const prefix = { snippe: `SNIPPE_${side}_`, clickpesa: `CLICKPESA_${side}_` } as const
  const snippe = complete({
    baseUrl: env[`${prefix.snippe}BASE_URL`],
    apiKey: env[`${prefix.snippe}API_KEY`],
    webhookSecrets: env[`${prefix.snippe}WEBHOOK_SECRETS`],
  })
  const clickpesa = complete({
    baseUrl: env[`${prefix.clickpesa}BASE_URL`],
    clientId: env[`${prefix.clickpesa}CLIENT_ID`],
    apiKey: env[`${prefix.clickpesa}API_KEY`],
    checksumKeys: env[`${prefix.clickpesa}CHECKSUM_KEYS`],
  })
  return {
    charges: env[`CHARGE_PROVIDER_${side}`],
    payouts: env[`PAYOUT_PROVIDER_${side}`],
    promptNames: { snippe: env[`${prefix.snippe}PROMPT_NAME`], clickpesa: env[`${prefix.clickpesa}PROMPT_NAME`] },
    snippe: snippe && {
      ...snippe,
      webhookSignature: env[`${prefix.snippe}WEBHOOK_SIGNATURE`],
      requestsPerMinute: perMinuteOf('snippe', env[`${prefix.snippe}REQUESTS_PER_MINUTE`]),
      chargeFeePercent: env[`${prefix.snippe}CHARGE_FEE_PERCENT`],
    },
    clickpesa: clickpesa && {
      ...clickpesa,
      requestsPerMinute: perMinuteOf('clickpesa', env[`${prefix.clickpesa}REQUESTS_PER_MINUTE`]),
      chargeFeePercent: env[`${prefix.clickpesa}CHARGE_FEE_PERCENT`],
    },
    isSimulated,
  }
}

export function providersSettings(env: Env, mode: Mode) {
  // A local start has simulators only; elsewhere only the test environment has one.
  const simulated = new Set(env.SIMULATED_PROVIDERS ?? (mode === 'local' ? environments : ['test']))
  return {
    providers: {
      test: providerSettings(env, 'test', simulated.has('test')),
      live: providerSettings(env, 'live', simulated.has('live')),
    },
    /** When to stop calling an unhealthy provider, and for how long. */
    providerCircuit: {
      failures: env.PROVIDER_CIRCUIT_FAILURES,
      windowMs: 60_000,
      openMs: env.PROVIDER_CIRCUIT_OPEN_SECONDS * 1000,
    },
    /**
     * The window that a provider's limit of calls counts in. A provider that answers "too many requests" once is called again when it
     * allows; one that has done so for `patienceMs` gets no new business meanwhile.
     */
    providerBudget: { windowSeconds: 60, patienceMs: 30_000 },
    /** Sent to a provider that demands an e-mail address, for payers who gave none; never stored or shown as a payer's. */
    providerContactEmail: env.PROVIDER_CONTACT_EMAIL ?? addressOf(env.MAIL_FROM),
    providerHttp: {
      timeoutMs: env.PROVIDER_TIMEOUT_MS,
      maxResponseBytes: 64 * 1024,
      connections: 256,
      webhookToleranceSeconds: 300,
    },
  }
}

export type ProvidersSettings = Frozen<ReturnType<typeof providersSettings>>

/** Where a provider sends its messages, if it takes an address with each order. */
export function callbackUrlOf(
  { urls, cell }: Pick<ProcessSettings, 'urls'> & CellSettings,
  provider: string,
  environment: Environment,
): string {
  return withCell(`${urls.providerCallback}/v1/providers/${provider}/${environment}/webhook`, cell.name)
}

const realHosts: Record<ProviderName, string> = { snippe: 'api.snippe.sh', clickpesa: 'api.clickpesa.com' }

/** Environments that are declared simulated but use a real provider: they would prompt real phones without the limits for phones. */
export function realSimulators({ test, live }: ProvidersSettings['providers']): string[] {
  return Object.entries({ test, live }).flatMap(([environment, settings]) =>
    providerNames
      .filter((name) => settings.isSimulated && settings[name] && new URL(settings[name].baseUrl).hostname === realHosts[name])
      .map(
        (name) =>
          `SIMULATED_PROVIDERS names ${environment}, and ${name.toUpperCase()}_${environment.toUpperCase()}_BASE_URL is the real provider's: leave ${environment} out (none: no environment has a simulator)`,
      ),
  )
}

/** Test and live must not share secrets: access to the test environment must not give access to money. */
export function sharedSecrets({ test, live }: ProvidersSettings['providers']): string[] {
  const secretsOf = ({ snippe, clickpesa }: ProviderSettings): [setting: string, secret: string][] => [
    ...(snippe ? [['SNIPPE_*_API_KEY', snippe.apiKey] as [string, string]] : []),
    ...(snippe?.webhookSecrets ?? []).map((given): [string, string] => ['SNIPPE_*_WEBHOOK_SECRETS', given]),
    ...(clickpesa ? [['CLICKPESA_*_API_KEY', clickpesa.apiKey] as [string, string]] : []),
    ...(clickpesa?.checksumKeys ?? []).map((given): [string, string] => ['CLICKPESA_*_CHECKSUM_KEYS', given]),
  ]
  const ofTest = new Set(secretsOf(test).map(([, given]) => given))
  const shared = new Set(secretsOf(live).flatMap(([setting, given]) => (ofTest.has(given) ? [setting] : [])))
  return [...shared].map((setting) => `${setting} must not be the same in the test and the live environment`)
}
