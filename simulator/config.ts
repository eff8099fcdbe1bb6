/**
 * Everything the simulator takes from its environment. Invariant: the only reader of `process.env` here; a bad value stops the
 * start with a message that names the key. The accounts have the names of the service's settings, so that both can read one file.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'

type SnippeAccount = 'test' | 'live'
export type ClickPesaAccount = 'clickpesa-test' | 'clickpesa-live'
export type AccountName = SnippeAccount | ClickPesaAccount
export const snippeAccounts: readonly SnippeAccount[] = ['test', 'live']
export const clickPesaAccounts: readonly ClickPesaAccount[] = ['clickpesa-test', 'clickpesa-live']
export const accountNames: readonly AccountName[] = [...snippeAccounts, ...clickPesaAccounts]

export const isClickPesa = (account: AccountName): account is ClickPesaAccount =>
  account === 'clickpesa-test' || account === 'clickpesa-live'

const minuteMs = 60_000

const snippeDefaults = (side: 'test' | 'live') => ({
  /** The bearer token of this account. */
  apiKey: `snp_${side}_simulator`,
  /** HMAC key of every webhook of this account. */
  webhookSecret: `snippe-${side}-webhook-secret`,
})

const clickPesaDefaults = (side: 'test' | 'live') => ({
  clientId: `clickpesa-${side}-client`,
  apiKey: `clickpesa-${side}-api-key`,
  /** HMAC key of every body that carries a checksum, webhooks included. */
  checksumKey: `clickpesa-${side}-checksum-key`,
  /** The destination of this account's events; ClickPesa takes it from its dashboard, not from the create. Null sends none. */
  webhookUrl: null as string | null,
})

/** The values used when the environment sets none; tests start from here. */
export const defaults = {
  host: '127.0.0.1',
  /** 0 takes any free port. */
  port: 3003,
  /** Folder of the books; null keeps them in memory, for tests that never restart. */
  dataDir: './data/simulator' as string | null,
  accounts: { test: snippeDefaults('test'), live: snippeDefaults('live') },
  clickPesa: { 'clickpesa-test': clickPesaDefaults('test'), 'clickpesa-live': clickPesaDefaults('live') },
  /** Name shown to the payer in the USSD prompt. */
  merchantName: 'MALIPO',
  /** The opening balance of each account, so that payouts have money to spend. */
  openingBalanceTzs: 100_000_000,
  maxChargeTzs: 10_000_000,
  /** Plain http webhook addresses, on loopback only. */
  allowHttpWebhooks: false,
  /** Where webhooks are sent instead of to the host of their address; null sends them there. */
  deliverTo: null as string | null,
  /** `/__control` and `/__truth`, which need no login. */
  hasControls: true,
  /** Same seed and same calls give the same references and event ids; null draws one per data folder. */
  seed: null as string | null,
  /** The delay between a charge and the scenario of its number. */
  delayMs: 1_500,
  /** How long a USSD prompt stays on the phone. */
  promptMs: 90_000,
  /** From the create to `expires_at`. The published documents disagree between 1 and 4 hours. */
  chargeLifetimeMs: 240 * minuteMs,
  /** Wait before each webhook attempt; its length is the number of attempts. */
  webhookDelaysMs: [0, 3 * minuteMs, 6 * minuteMs, 12 * minuteMs, 24 * minuteMs] as readonly number[],
  webhookTimeoutMs: 30_000,
  /** Requests per account and minute; null enforces nothing. */
  rateLimitPerMinute: null as number | null,
}

export type SimulatorConfig = typeof defaults

const whole = (max: number) => z.coerce.number().int().min(0).max(max)
const longestWaitMs = 7 * 24 * 60 * minuteMs

/** The service accepts two values during a rotation; the first one signs. */
const firstSecret = z
  .string()
  .transform((value) => value.split(',')[0]!.trim())
  .pipe(z.string().min(8))

const environment = z.object({
  NODE_ENV: z.string().optional(),
  SIMULATOR_HOST: z.string().min(1).default(defaults.host),
  SIMULATOR_PORT: whole(65_535).default(defaults.port),
  SIMULATOR_DATA_DIR: z.string().min(1).default('./data/simulator'),
  SNIPPE_TEST_API_KEY: z.string().min(8).optional(),
  SNIPPE_LIVE_API_KEY: z.string().min(8).optional(),
  SNIPPE_TEST_WEBHOOK_SECRETS: firstSecret.optional(),
  SNIPPE_LIVE_WEBHOOK_SECRETS: firstSecret.optional(),
  CLICKPESA_TEST_CLIENT_ID: z.string().min(8).optional(),
  CLICKPESA_LIVE_CLIENT_ID: z.string().min(8).optional(),
  CLICKPESA_TEST_API_KEY: z.string().min(8).optional(),
  CLICKPESA_LIVE_API_KEY: z.string().min(8).optional(),
  CLICKPESA_TEST_CHECKSUM_KEYS: firstSecret.optional(),
  CLICKPESA_LIVE_CHECKSUM_KEYS: firstSecret.optional(),
  SIMULATOR_CLICKPESA_TEST_WEBHOOK_URL: z.url().optional(),
  SIMULATOR_CLICKPESA_LIVE_WEBHOOK_URL: z.url().optional(),
  SIMULATOR_OPENING_BALANCE: whole(Number.MAX_SAFE_INTEGER).default(defaults.openingBalanceTzs),
  SIMULATOR_DELIVER_TO: z.url({ protocol: /^https?$/ }).optional(),
  SIMULATOR_ALLOW_HTTP_WEBHOOKS: z.enum(['true', 'false']).default('false'),
  SIMULATOR_SEED: z.string().min(1).optional(),
  SIMULATOR_DELAY_MS: whole(longestWaitMs).default(defaults.delayMs),
  SIMULATOR_WEBHOOK_DELAYS_MS: z
    .string()
    .regex(/^\d+(,\d+)*$/, 'must be milliseconds separated by commas, as in 0,180000,360000')
    .default(defaults.webhookDelaysMs.join(',')),
})

/** Beside a production service it plays the test environment alone, with keys that no one else knows. */
function refuseInProduction(set: Readonly<Record<string, string | undefined>>): void {
  const live = Object.keys(set).filter((key) => /^(SNIPPE|CLICKPESA)_LIVE_/.test(key))
  if (live.length > 0) {
    throw new Error(
      `The simulator plays the test environment only and must not have live keys: leave out ${live.join(', ')} (docs/operations/providers.md).`,
    )
  }
  const missing = ['SNIPPE_TEST_API_KEY', 'SNIPPE_TEST_WEBHOOK_SECRETS'].filter((key) => set[key] === undefined)
  if (missing.length > 0) {
    throw new Error(
      `The simulator needs ${missing.join(' and ')}, with the same values as the service (docs/operations/providers.md).`,
    )
  }
}

/** Reads the environment once. Throws one Error whose message lists each bad key. An empty value counts as absent. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): SimulatorConfig {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const read = environment.safeParse(set)
  if (!read.success) {
    const broken = read.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The simulator cannot start with this environment. ${broken.join('; ')}`)
  }
  const from = read.data
  const isProduction = from.NODE_ENV === 'production'
  if (isProduction) refuseInProduction(set)
  /** In production the published defaults open no account. */
  const otherwise = (value: string): string => (isProduction ? randomBytes(32).toString('hex') : value)
  const snippe = (side: 'TEST' | 'LIVE', { apiKey, webhookSecret }: ReturnType<typeof snippeDefaults>) => ({
    apiKey: from[`SNIPPE_${side}_API_KEY`] ?? otherwise(apiKey),
    webhookSecret: from[`SNIPPE_${side}_WEBHOOK_SECRETS`] ?? otherwise(webhookSecret),
  })
  const clickPesa = (side: 'TEST' | 'LIVE', { clientId, apiKey, checksumKey }: ReturnType<typeof clickPesaDefaults>) => ({
    clientId: from[`CLICKPESA_${side}_CLIENT_ID`] ?? otherwise(clientId),
    apiKey: from[`CLICKPESA_${side}_API_KEY`] ?? otherwise(apiKey),
    checksumKey: from[`CLICKPESA_${side}_CHECKSUM_KEYS`] ?? otherwise(checksumKey),
    webhookUrl: from[`SIMULATOR_CLICKPESA_${side}_WEBHOOK_URL`] ?? null,
  })
  const config: SimulatorConfig = {
    ...defaults,
    host: from.SIMULATOR_HOST,
    port: from.SIMULATOR_PORT,
    dataDir: from.SIMULATOR_DATA_DIR,
    accounts: { test: snippe('TEST', defaults.accounts.test), live: snippe('LIVE', defaults.accounts.live) },
    clickPesa: {
      'clickpesa-test': clickPesa('TEST', defaults.clickPesa['clickpesa-test']),
      'clickpesa-live': clickPesa('LIVE', defaults.clickPesa['clickpesa-live']),
    },
    openingBalanceTzs: from.SIMULATOR_OPENING_BALANCE,
    allowHttpWebhooks: from.SIMULATOR_ALLOW_HTTP_WEBHOOKS === 'true',
    deliverTo: from.SIMULATOR_DELIVER_TO ?? null,
    hasControls: !isProduction,
    seed: from.SIMULATOR_SEED ?? null,
    delayMs: from.SIMULATOR_DELAY_MS,
    webhookDelaysMs: from.SIMULATOR_WEBHOOK_DELAYS_MS.split(',').map(Number),
  }
  if (config.accounts.test.apiKey === config.accounts.live.apiKey) {
    throw new Error('SNIPPE_TEST_API_KEY and SNIPPE_LIVE_API_KEY must differ: the key decides which account a request uses.')
  }
  return Object.freeze(config)
}
