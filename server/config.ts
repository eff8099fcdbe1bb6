/**
 * The only reader of the environment: every setting, checked at start and frozen. A missing or wrong value stops the start with a
 * sentence that says what to do. `.env.example` lists the same keys.
 */
import { trueOrFalse } from './platform/http/text.ts'
import type { Role } from './domain/account.ts'
import { onOffSchema } from './domain/switch.ts'
import { providerNameSchema, providerNames, type ProviderName } from './domain/provider.ts'
import { environments, environmentSchema, type Environment } from './domain/environment.ts'
import { createPrivateKey, hkdfSync, type KeyObject } from 'node:crypto'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { plainRemoteHosts } from './platform/db/primary.ts'
import { limitNameOf, type Policy } from './platform/http/limits.ts'
import { logLevels, type LogLevel } from './platform/process/log.ts'
import type { IntegrityKeys } from './platform/crypto/record-mac.ts'
import type { RotatingKey } from './platform/crypto/rotating-key.ts'
import type { Keyring } from './platform/crypto/secrets.ts'
import { readSettingsFile } from './platform/process/settings-file.ts'

const modes = ['local', 'production'] as const
export type Mode = (typeof modes)[number]

export type SnippeAccount = Readonly<{
  baseUrl: string
  apiKey: string
  webhookSecrets: string[]
  /** Calls that the provider allows a minute; undefined: calls are not counted. */
  requestsPerMinute: number | undefined
  /** The provider's fee for a charge, in percent; undefined: any fee up to the amount is accepted. */
  chargeFeePercent: number | undefined
}>

export type ClickPesaAccount = Readonly<{
  baseUrl: string
  clientId: string
  apiKey: string
  checksumKeys: string[]
  requestsPerMinute: number | undefined
}>

/**
 * The providers that one environment calls. An account with complete settings stays usable, so that its open charges and payouts
 * are still queried.
 */
export type ProviderSettings = Readonly<{
  charges: ProviderName
  payouts: ProviderName
  snippe: SnippeAccount | undefined
  clickpesa: ClickPesaAccount | undefined
  /** A simulator plays these providers: no real phone is prompted. */
  isSimulated: boolean
}>

export type SigningKey = { id: string; privateKey: KeyObject }

export type Config = Readonly<{
  mode: Mode
  logLevel: LogLevel
  host: string
  ports: Readonly<{ api: number; checkout: number; storage: number }>
  urls: Readonly<{ api: string; checkout: string; storage: string; providerCallback: string }>
  /** Where this process serves its metrics, for operators only; without a port it serves none. */
  metrics: Readonly<{ host: string; port: number | undefined }>
  dashboardOrigins: string[]
  trustedProxies: number
  dataDir: string
  /** Where the ends of the audit log and the digests of the books are written, for later comparison. */
  heads: Readonly<{ file: string; url: string | undefined }>
  /** A process without progress for this long is ended. */
  stuckAfterMs: number
  database: Readonly<{
    url: string
    /** The login that owns the tables: for migrations and backups, never for a process that serves requests. */
    ownerUrl: string
    /** Bypasses a pooler, for work that needs the same connection from beginning to end. */
    sessionUrl: string
    poolSize: number
    /** Additional connections, used only for what providers report. */
    settlingPoolSize: number
    /** When one request has waited this long for a connection, the next requests are refused. */
    shedAfterMs: number | undefined
    connectTimeoutMs: number
    statementTimeoutMs: number
    lockTimeoutMs: number
    /** How long a batch of many merchants waits for one row before the home of that row is tried alone. */
    batchLockTimeoutMs: number
  }>
  http: Readonly<{
    bodyLimitBytes: number
    maxEventLoopDelayMs: number
    /** Time between reporting "not ready" and closing the port, so that a load balancer can stop sending requests first. */
    drainDelayMs: number
    /** A draining process ends after this time, finished or not. */
    drainMs: number
  }>
  keys: Readonly<{
    /** Ed25519 keys for access tokens: the first one signs, all of them verify. */
    signing: readonly SigningKey[]
    /** HMAC peppers of API keys by id: the first one is used for new keys, all of them find existing keys. */
    peppers: readonly { id: string; key: Buffer }[]
    envelope: Keyring
    /** HMAC keys for data that the database must not be able to forge: orders to providers, and the heads that are kept outside the database. */
    integrity: IntegrityKeys
    refresh: RotatingKey
    cursor: RotatingKey
    checkoutToken: RotatingKey
    documentAddress: RotatingKey
    /** Key under which national identity numbers are compared without being decrypted. */
    nationalId: Buffer
    /** Key under which limits count the actions of a caller. */
    limits: Buffer
    /** Key under which mailed codes are stored: a plain hash of six digits can be guessed. */
    mailedCode: RotatingKey
    /** Key for the cookie that says that this browser has signed in before. */
    knownDevice: RotatingKey
  }>
  /** How many lines are logged about suspected attacks, and the key that hashes their sources. */
  securityLog: Readonly<{ linesPerMinute: number; hashKey: Buffer }>
  sessions: Readonly<{
    accessTokenSeconds: number
    /** A session ends when it is not refreshed for `idleSeconds`, and at the latest after `absoluteSeconds`; by role. */
    lifetimes: Readonly<Record<Role, Readonly<{ idleSeconds: number; absoluteSeconds: number }>>>
    refreshGraceSeconds: number
    /** How recently a person must have authenticated for a sensitive action. */
    stepUpSeconds: number
  }>
  secondFactor: Readonly<{ issuer: string; challengeSeconds: number; triesBeforeLock: number; lockSeconds: number }>
  mailedTokens: Readonly<{
    passwordResetSeconds: number
    emailVerificationSeconds: number
    /** Seconds between two mails to one person for one purpose; at most `perDay` of them are sent in any 24 hours. */
    pauseSeconds: number
    perDay: number
    /** A code ends after this many wrong tries. */
    triesPerCode: number
  }>
  payments: Readonly<{
    expirySeconds: number
    /** How long a charge that was certainly not sent is retried. */
    unsentRetrySeconds: number
    /** How long the provider answers a repeated key from its memory. We stop replaying before that. */
    replayWindowSeconds: number
    /** The checkout's answer waits at most this long for the provider; the charge continues in the background. */
    answerWithinMs: number
    /** Seconds between status queries of a charge without news, by the number of queries made; the last value repeats. */
    checkDelaysSeconds: readonly number[]
    /** How long a claimed charge may be in flight before another process takes it over. */
    claimLeaseSeconds: number
    /** TZS: above this amount the provider is queried before its webhook credits the payment. */
    confirmAbove: number
  }>
  pages: Readonly<{
    /** Payers of live pages are redirected only to hosts that the merchant has proved to own. */
    registeredHostsOnly: boolean
  }>
  payouts: Readonly<{
    /** TZS: a larger payout waits for an operator. Undefined: no payout waits. */
    approvalAbove: number | undefined
  }>
  providers: Readonly<Record<Environment, ProviderSettings>>
  /** When to stop calling an unhealthy provider, and for how long. */
  providerCircuit: Readonly<{ failures: number; windowMs: number; openMs: number }>
  providerHttp: Readonly<{ timeoutMs: number; maxResponseBytes: number; connections: number; webhookToleranceSeconds: number }>
  webhooks: Readonly<{
    allowPrivateTargets: boolean
    /** Seconds before attempt 2, 3, …: the list has one entry fewer than there are attempts. */
    retryDelaysSeconds: readonly number[]
    deadlineMs: number
    maxAnswerBytes: number
    keptAnswerBytes: number
    perEndpointConcurrency: number
    /** How many sends are in flight at once, in total and for one owner. Test traffic takes no slot of live traffic. */
    lanes: Readonly<Record<Environment, Readonly<{ concurrency: number; perOwnerConcurrency: number }>>>
    /** Maximum number of webhooks of one owner in one environment. */
    endpointsPerOwner: number
  }>
  privacy: Readonly<{
    /** The controller of personal data, as the privacy notice names it, and its contact address. */
    controller: string
    contact: string
    /** Years for which identification records are kept after an account is closed. */
    kycRecordYears: number
  }>
  mail: Readonly<{
    /** The mail server; without it each mail is kept as a file in `folder`. */
    smtpUrl: string | undefined
    from: string
    folder: string
    deadlineMs: number
  }>
  documents: Readonly<{
    store: DocumentStoreConfig
    /** clamd's socket, `tcp://host:port` or `unix:/path`; without it no file is scanned. */
    clamdUrl: string | undefined
    scanDeadlineMs: number
    maxBytes: number
    /** How long an upload address is valid. */
    uploadSeconds: number
    /** An upload that sends nothing for this long is cut. */
    uploadIdleMs: number
    /** The maximum duration of one upload. */
    uploadDeadlineMs: number
    uploadsAtOnce: number
    uploadsAtOncePerOwner: number
    /** Minimum average speed over the whole upload, checked once it has lasted for `uploadIdleMs`. */
    leastBytesPerSecond: number
    /** How long a view address is valid. */
    viewSeconds: number
    /** Number of files inspected at once; at most one of each owner. */
    inspectors: number
    /** The maximum duration of one inspection. */
    inspectDeadlineMs: number
    /** Number of files that may wait for inspection. */
    inspectionsWaiting: number
  }>
  limits: Limits
  testWritesBeforeVerification: boolean
  /** Rules for the live environment; on by default in production, off by default in local mode. */
  safeguards: Safeguards
}>

/** Rules that only production's live environment has; the test environment never has them. 0 and false: off. */
export type Safeguards = Readonly<{
  /** How long a live key that was made without a second factor cannot make payouts. */
  keyPayoutWaitSeconds: number
  /** Whether a reviewer must have opened every document before they approve. */
  reviewNeedsOpenedDocuments: boolean
  /** Whether registrations are limited by network and in total. Registrations belong to no environment. */
  limitsRegistrations: boolean
  /** How long a person cannot make live payouts after a password reset, after a new second factor, or from a new device. */
  accountPayoutWaitSeconds: number
  /** How long a person's first payout to a recipient waits before it is sent. */
  newRecipientPayoutWaitSeconds: number
  /** Whether live keys and live payouts need a verified e-mail address. */
  needsVerifiedEmail: boolean
  /** Whether a checkout that looks like part of a flood waits for the payer's confirmation. Needs the limits to be on. */
  checkoutSecondStep: boolean
}>

type LimitName =
  | 'signIn'
  | 'signInAccount'
  | 'signInAccountSlow'
  | 'signInAddress'
  | 'signInAddressSlow'
  | 'register'
  | 'registerOverall'
  | 'registerInRush'
  | 'key'
  | 'checkout'
  | 'status'
  | 'unknownReference'
  | 'presign'
  | 'webhookSecret'
  | 'passwordReset'
  | 'webhookTest'
  | 'redirectHost'
  | 'payout'

export type Limits = Readonly<{
  areOn: boolean
  policies: Readonly<Record<LimitName, Policy>>
  /** By phone, over all pages. A prompt without an answer blocks the next prompt of the same page for `openSeconds`. */
  prompts: Readonly<{ quotas: readonly Readonly<{ quota: number; windowSeconds: number }>[]; openSeconds: number }>
}>

export type DocumentStoreConfig =
  | { kind: 'disk'; folder: string }
  | {
      kind: 's3'
      endpoint: string
      region: string
      bucket: string
      accessKeyId: string
      secretAccessKey: string
      deadlineMs: number
    }

const seconds = z.coerce.number().positive()
const wait = z.coerce.number().int().min(0).max(604_800)
const port = z.coerce.number().int().min(0).max(65_535)
const flag = trueOrFalse.transform((value) => value === 'true')
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
)
const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''))
const secret = z.string().min(32, 'use at least 32 random characters')
const serverSecrets = list.pipe(
  z
    .array(z.string().min(32, 'use at least 32 random characters'))
    .min(1)
    .refine((all) => new Set(all).size === all.length, 'the same secret is listed twice'),
)
const namedKeys = z
  .string()
  .regex(
    /^[\w-]+:[A-Za-z0-9_-]{43}=?(,[\w-]+:[A-Za-z0-9_-]{43}=?)*$/,
    'write it as id:base64url-of-32-bytes, several separated by commas, the one to use first',
  )
  .transform((value) =>
    value.split(',').map((part) => ({
      id: part.slice(0, part.indexOf(':')),
      key: Buffer.from(part.slice(part.indexOf(':') + 1), 'base64url'),
    })),
  )
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'give each key a different id')
  .refine((keys) => new Set(keys.map(({ key }) => key.toString('hex'))).size === keys.length, 'the same key is listed twice')
const quotas = list.pipe(
  z.array(
    z
      .string()
      .regex(/^[a-z-]+=[1-9]\d{0,8}\/[1-9]\d{0,6}$/, 'write each as name=quota/seconds, such as sign-in=5/900')
      .transform((text) => {
        const [name, quota, windowSeconds] = text.split(/[=/]/) as [string, string, string]
        return { name, quota: Number(quota), windowSeconds: Number(windowSeconds) }
      }),
  ),
)
const delays = list.transform((parts) => parts.map(Number)).pipe(z.array(z.number().positive()).min(1))

const providerName = providerNameSchema.default('snippe')
const secrets = list.pipe(z.array(secret).min(1).max(2))
// ClickPesa makes these keys and does not document their length.
const checksumKeys = list.pipe(z.array(z.string().min(16, 'use the key from its dashboard, 16 characters or more')).min(1).max(2))
const percent = z.coerce.number().gt(0).max(100)
const perMinute = z.union([
  z.literal('off').transform(() => 0),
  z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'write a number, or off')
    .transform(Number),
])

const variablesSchema = z.object({
  NODE_ENV: z.string().optional(),
  MALIPO_MODE: z.enum(modes).default('production'),
  SETTINGS_FILE: z.string().optional(),
  LOG_LEVEL: z.enum(logLevels).default('info'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  CHECKOUT_PORT: port.default(3001),
  STORAGE_PORT: port.default(3002),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  BASE_URL: url.optional(),
  CHECKOUT_BASE_URL: url.optional(),
  STORAGE_URL: url.optional(),
  PROVIDER_CALLBACK_BASE_URL: url.optional(),
  DASHBOARD_ORIGINS: list.default([]),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(5).optional(),
  DATA_DIR: z.string().default('./data'),
  HEADS_FILE: z.string().optional(),
  HEADS_URL: url.optional(),
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'write it as postgresql://user:password@host:5432/database'),
  DATABASE_OWNER_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'write it as postgresql://user:password@host:5432/database')
    .optional(),
  DATABASE_SESSION_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'write it as postgresql://user:password@host:5432/database')
    .optional(),
  STUCK_AFTER_SECONDS: z.coerce.number().min(1).max(600).default(30),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(2).max(100).default(8),
  SERVER_SECRET: serverSecrets,
  JWT_SIGNING_KEYS: namedKeys,
  API_KEY_PEPPERS: namedKeys,
  ENVELOPE_KEYS: namedKeys,
  INTEGRITY_KEYS: namedKeys,
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
  PAYMENT_EXPIRY_SECONDS: seconds.default(3600),
  PAYMENT_CHECK_DELAYS_SECONDS: delays.default([20, 30, 60, 120, 300]),
  CHARGE_CLAIM_LEASE_SECONDS: seconds.default(30),
  PAYMENT_CONFIRM_ABOVE: z.coerce.number().int().min(0).default(1_000_000),
  REDIRECT_HOSTS: z.enum(['registered', 'any']).optional(),
  PAYOUT_APPROVAL_ABOVE: z.coerce.number().int().min(0).optional(),
  CHARGE_PROVIDER_TEST: providerName,
  CHARGE_PROVIDER_LIVE: providerName,
  PAYOUT_PROVIDER_TEST: providerName,
  PAYOUT_PROVIDER_LIVE: providerName,
  SNIPPE_TEST_BASE_URL: url.optional(),
  SNIPPE_TEST_API_KEY: z.string().min(1).optional(),
  SNIPPE_TEST_WEBHOOK_SECRETS: secrets.optional(),
  SNIPPE_TEST_REQUESTS_PER_MINUTE: perMinute.optional(),
  SNIPPE_TEST_CHARGE_FEE_PERCENT: percent.optional(),
  SNIPPE_LIVE_BASE_URL: url.optional(),
  SNIPPE_LIVE_API_KEY: z.string().min(1).optional(),
  SNIPPE_LIVE_WEBHOOK_SECRETS: secrets.optional(),
  SNIPPE_LIVE_REQUESTS_PER_MINUTE: perMinute.optional(),
  SNIPPE_LIVE_CHARGE_FEE_PERCENT: percent.optional(),
  CLICKPESA_TEST_BASE_URL: url.optional(),
  CLICKPESA_TEST_CLIENT_ID: z.string().min(1).optional(),
  CLICKPESA_TEST_API_KEY: z.string().min(1).optional(),
  CLICKPESA_TEST_CHECKSUM_KEYS: checksumKeys.optional(),
  CLICKPESA_TEST_REQUESTS_PER_MINUTE: perMinute.optional(),
  CLICKPESA_LIVE_BASE_URL: url.optional(),
  CLICKPESA_LIVE_CLIENT_ID: z.string().min(1).optional(),
  CLICKPESA_LIVE_API_KEY: z.string().min(1).optional(),
  CLICKPESA_LIVE_CHECKSUM_KEYS: checksumKeys.optional(),
  CLICKPESA_LIVE_REQUESTS_PER_MINUTE: perMinute.optional(),
  PROVIDER_CIRCUIT_FAILURES: z.coerce.number().int().min(1).max(1_000_000).default(10),
  PROVIDER_CIRCUIT_OPEN_SECONDS: seconds.default(15),
  SIMULATED_PROVIDERS: z.union([z.literal('none').transform(() => []), list.pipe(z.array(environmentSchema))]).optional(),
  PROVIDER_TIMEOUT_MS: seconds.default(15_000),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: flag.default(false),
  WEBHOOK_RETRY_DELAYS_SECONDS: delays.pipe(z.array(z.number()).length(4)).default([30, 300, 3600, 28_800]),
  WEBHOOK_DEADLINE_MS: seconds.default(10_000),
  TEST_WRITES_BEFORE_VERIFICATION: flag.default(false),
  LIVE_KEY_PAYOUT_WAIT_SECONDS: wait.optional(),
  REVIEW_NEEDS_OPENED_DOCUMENTS: flag.optional(),
  LIMIT_REGISTRATIONS: flag.optional(),
  LIVE_NEEDS_VERIFIED_EMAIL: flag.optional(),
  ACCOUNT_PAYOUT_WAIT_SECONDS: wait.optional(),
  NEW_RECIPIENT_PAYOUT_WAIT_SECONDS: wait.optional(),
  CHECKOUT_SECOND_STEP: flag.optional(),
  SECURITY_LOG_LINES_PER_MINUTE: z.coerce.number().int().min(10).max(1_000_000).default(600),
  RATE_LIMITS: onOffSchema.default('on'),
  RATE_LIMIT_QUOTAS: quotas.default([]),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'write it as smtps://user:password@host:465' }).optional(),
  MAIL_FROM: z.string().default('Malipo <no-reply@malipo.invalid>'),
  PRIVACY_CONTROLLER: z.string().max(200).default('Malipo'),
  PRIVACY_CONTACT: z.email().optional(),
  KYC_RECORD_YEARS: z.coerce.number().int().min(0).max(50).default(10),
  DOCUMENT_STORE: z.enum(['disk', 's3']).default('disk'),
  S3_ENDPOINT: url.optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_BUCKET: z.string().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  CLAMD_URL: z
    .string()
    .regex(/^(tcp:\/\/[^/:]+:\d+|unix:\/.+|none)$/, 'write it as tcp://host:3310 or unix:/path/to/clamd.sock, or none')
    .optional(),
  UPLOAD_IDLE_MS: seconds.default(20_000),
})

type Env = z.infer<typeof variablesSchema>

/** Default safeguards of the live environment, by mode. */
const safeguardDefaults: Readonly<Record<Config['mode'], Safeguards>> = {
  local: {
    keyPayoutWaitSeconds: 0,
    reviewNeedsOpenedDocuments: false,
    limitsRegistrations: false,
    needsVerifiedEmail: false,
    accountPayoutWaitSeconds: 0,
    newRecipientPayoutWaitSeconds: 0,
    checkoutSecondStep: false,
  },
  production: {
    keyPayoutWaitSeconds: 3600,
    reviewNeedsOpenedDocuments: true,
    limitsRegistrations: true,
    needsVerifiedEmail: true,
    accountPayoutWaitSeconds: 86_400,
    newRecipientPayoutWaitSeconds: 3600,
    checkoutSecondStep: true,
  },
}

function safeguardsOf(env: Env): Safeguards {
  const defaults = safeguardDefaults[env.MALIPO_MODE]
  return Object.freeze({
    keyPayoutWaitSeconds: env.LIVE_KEY_PAYOUT_WAIT_SECONDS ?? defaults.keyPayoutWaitSeconds,
    reviewNeedsOpenedDocuments: env.REVIEW_NEEDS_OPENED_DOCUMENTS ?? defaults.reviewNeedsOpenedDocuments,
    limitsRegistrations: env.LIMIT_REGISTRATIONS ?? defaults.limitsRegistrations,
    accountPayoutWaitSeconds: env.ACCOUNT_PAYOUT_WAIT_SECONDS ?? defaults.accountPayoutWaitSeconds,
    newRecipientPayoutWaitSeconds: env.NEW_RECIPIENT_PAYOUT_WAIT_SECONDS ?? defaults.newRecipientPayoutWaitSeconds,
    needsVerifiedEmail: env.LIVE_NEEDS_VERIFIED_EMAIL ?? defaults.needsVerifiedEmail,
    checkoutSecondStep: env.CHECKOUT_SECOND_STEP ?? defaults.checkoutSecondStep,
  })
}

/** The limits of the contract (section 9). */
const policies: Limits['policies'] = Object.freeze({
  /** Wrong tries for one account from one address. */
  signIn: { quota: 5, windowSeconds: 900, countedBy: 'all_processes' },
  /** Wrong tries for one account from networks that the account does not know, and the rate that still passes when those are used up. */
  signInAccount: { quota: 20, windowSeconds: 3600, countedBy: 'all_processes' },
  signInAccountSlow: { quota: 1, windowSeconds: 30, countedBy: 'all_processes' },
  /** The same from one address, for accounts that do not know the address. */
  signInAddress: { quota: 50, windowSeconds: 900, countedBy: 'all_processes' },
  signInAddressSlow: { quota: 1, windowSeconds: 10, countedBy: 'all_processes' },
  /** By network; in total; and by network while the total is exceeded. */
  register: { quota: 60, windowSeconds: 3600, countedBy: 'all_processes' },
  registerOverall: { quota: 300, windowSeconds: 3600, countedBy: 'all_processes' },
  registerInRush: { quota: 3, windowSeconds: 3600, countedBy: 'all_processes' },
  /** Wrong codes for one account from one network. */
  passwordReset: { quota: 10, windowSeconds: 86_400, countedBy: 'all_processes' },
  key: { quota: 100, windowSeconds: 1, countedBy: 'each_process' },
  /** By address. Carriers and merchants' servers share addresses. */
  checkout: { quota: 600, windowSeconds: 60, countedBy: 'each_process' },
  /** By payment. */
  status: { quota: 60, windowSeconds: 60, countedBy: 'each_process' },
  /** By address. */
  unknownReference: { quota: 30, windowSeconds: 60, countedBy: 'each_process' },
  /** By business or person. */
  presign: { quota: 30, windowSeconds: 3600, countedBy: 'all_processes' },
  /** By wallet. */
  payout: { quota: 120, windowSeconds: 60, countedBy: 'all_processes' },
  /** By app. */
  webhookTest: { quota: 60, windowSeconds: 3600, countedBy: 'each_process' },
  /** By merchant: each call asks another party's host for its proof. */
  redirectHost: { quota: 30, windowSeconds: 3600, countedBy: 'each_process' },
  /** By the person who reads the secret. */
  webhookSecret: { quota: 60, windowSeconds: 3600, countedBy: 'each_process' },
})

/** How often one phone may be prompted (contract section 9). */
const promptQuotas = {
  'prompts-burst': { quota: 5, windowSeconds: 600 },
  'prompts-day': { quota: 20, windowSeconds: 86_400 },
}

/** The limits of the contract, with the operator's changes. */
function limitsOf(env: Env): Limits {
  const changed = new Map(env.RATE_LIMIT_QUOTAS.map(({ name, ...quota }) => [name, quota]))
  const names = [...Object.keys(policies).map(limitNameOf), ...Object.keys(promptQuotas)]
  const unknown = [...changed.keys()].filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(`RATE_LIMIT_QUOTAS names no limit: ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
  }
  return Object.freeze({
    areOn: env.RATE_LIMITS === 'on',
    policies: Object.fromEntries(
      Object.entries(policies).map(([name, policy]) => [name, { ...policy, ...changed.get(limitNameOf(name)) }]),
    ) as Limits['policies'],
    prompts: {
      quotas: Object.entries(promptQuotas).map(([name, quota]) => changed.get(name) ?? quota),
      openSeconds: 120,
    },
  })
}

/** A wrong setting that stops the start; its message is for the operator. */
export class ConfigError extends Error {}

/** A port that another program uses. */
export class PortTaken extends ConfigError {
  constructor(port: number, setting: string) {
    super(`Port ${port} is taken: another program listens there. Set ${setting} to a free port.`)
  }
}

/** The key for one purpose, derived from each server secret; the first one is for writing. */
function subkeys(serverSecrets: string[], purpose: string): RotatingKey {
  const [first, ...others] = serverSecrets.map((given) => Buffer.from(hkdfSync('sha256', given, 'malipo', purpose, 32)))
  return [first!, ...others]
}

const pkcs8Ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

function signingKey(seed: Buffer): KeyObject {
  // RFC 8410 section 7: an Ed25519 private key is this DER prefix followed by its 32-byte seed.
  return createPrivateKey({ key: Buffer.concat([pkcs8Ed25519Prefix, seed]), format: 'der', type: 'pkcs8' })
}

function documentStoreOf(env: Env): DocumentStoreConfig {
  if (env.DOCUMENT_STORE === 'disk') return { kind: 'disk', folder: join(resolve(env.DATA_DIR), 'documents') }
  const { S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = env
  if (!S3_ENDPOINT || !S3_BUCKET || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) {
    throw new ConfigError(
      'DOCUMENT_STORE=s3 needs S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; .env.example explains each key.',
    )
  }
  return {
    kind: 's3',
    endpoint: S3_ENDPOINT,
    region: S3_REGION,
    bucket: S3_BUCKET,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    deadlineMs: 20_000,
  }
}

/** Calls a minute that each provider documents; a simulator allows any number. */
const allowedPerMinute: Record<ProviderName, number> = { snippe: 60, clickpesa: 120 }

/**
 * The providers that one environment calls. A chosen provider needs all of its settings. Another provider has all or none: with
 * all of them, its open charges and payouts are still queried.
 */
function providerSettings(env: Env, environment: Environment, isSimulated: boolean): ProviderSettings {
  const side = environment === 'test' ? 'TEST' : 'LIVE'
  const chosen = { charges: env[`CHARGE_PROVIDER_${side}`], payouts: env[`PAYOUT_PROVIDER_${side}`] }

  /** All settings of an account, or undefined when none is given. */
  function complete<Settings extends Record<string, unknown>>(
    name: ProviderName,
    settings: Settings,
  ): { [Key in keyof Settings]: NonNullable<Settings[Key]> } | undefined {
    const missing = Object.keys(settings).filter((key) => settings[key] === undefined)
    if (missing.length === 0) return settings as { [Key in keyof Settings]: NonNullable<Settings[Key]> }
    const isChosen = chosen.charges === name || chosen.payouts === name
    if (!isChosen && missing.length === Object.keys(settings).length) return undefined
    const why = isChosen ? `is not set, and ${environment} asks ${name}` : `is not set, and other settings of ${name} are`
    const keys = missing.map((field) => `${name}_${side}_${field.replace(/[A-Z]/g, '_$&')}`.toUpperCase())
    throw new ConfigError(
      `The configuration is not complete; .env.example explains each key.\n${keys.map((key) => `  ${key}: ${why}`).join('\n')}`,
    )
  }

  function perMinuteOf(name: ProviderName, given: number | undefined): number | undefined {
    return (given ?? (isSimulated ? 0 : allowedPerMinute[name])) || undefined
  }

  const prefix = { snippe: `SNIPPE_${side}_`, clickpesa: `CLICKPESA_${side}_` } as const
  const snippe = complete('snippe', {
    baseUrl: env[`${prefix.snippe}BASE_URL`],
    apiKey: env[`${prefix.snippe}API_KEY`],
    webhookSecrets: env[`${prefix.snippe}WEBHOOK_SECRETS`],
  })
  const clickpesa = complete('clickpesa', {
    baseUrl: env[`${prefix.clickpesa}BASE_URL`],
    clientId: env[`${prefix.clickpesa}CLIENT_ID`],
    apiKey: env[`${prefix.clickpesa}API_KEY`],
    checksumKeys: env[`${prefix.clickpesa}CHECKSUM_KEYS`],
  })
  return {
    ...chosen,
    snippe: snippe && {
      ...snippe,
      requestsPerMinute: perMinuteOf('snippe', env[`${prefix.snippe}REQUESTS_PER_MINUTE`]),
      chargeFeePercent: env[`${prefix.snippe}CHARGE_FEE_PERCENT`],
    },
    clickpesa: clickpesa && {
      ...clickpesa,
      requestsPerMinute: perMinuteOf('clickpesa', env[`${prefix.clickpesa}REQUESTS_PER_MINUTE`]),
    },
    isSimulated,
  }
}

/** The API hosts of the real providers. */
const realHosts: Record<ProviderName, string> = { snippe: 'api.snippe.sh', clickpesa: 'api.clickpesa.com' }

/** Environments that are declared simulated but use a real provider: they would prompt real phones without the limits for phones. */
function realSimulators({ test, live }: Config['providers']): string[] {
  return Object.entries({ test, live }).flatMap(([environment, settings]) =>
    providerNames
      .filter((name) => settings.isSimulated && settings[name] && new URL(settings[name].baseUrl).hostname === realHosts[name])
      .map(
        (name) =>
          `SIMULATED_PROVIDERS names ${environment}, and ${name.toUpperCase()}_${environment.toUpperCase()}_BASE_URL is the real provider's: leave ${environment} out (none: no environment has a simulator)`,
      ),
  )
}

/** Well-known passwords from examples. */
const knownPasswords = new Set(
  'postgres password passwd malipo secret admin root changeme change-me test 123456 12345678'.split(' '),
)

/** 32 random characters or bytes contain more distinct values than this, even if they are only digits. */
const leastKinds = 7

/** Secrets that are too weak: few distinct characters, copied from an example, the same in two places, or made for a local machine. */
function weakSecrets(env: Env): string[] {
  const problems: string[] = []
  const isMonotone = (given: Iterable<unknown>): boolean => new Set(given).size < leastKinds
  if (env.SERVER_SECRET.some((given) => isMonotone(given) || /change.?me|example|default|placeholder|your[-_ ]/i.test(given))) {
    problems.push('SERVER_SECRET must be random: npm run ops -- keys generate makes one')
  }
  const rings = {
    JWT_SIGNING_KEYS: env.JWT_SIGNING_KEYS,
    API_KEY_PEPPERS: env.API_KEY_PEPPERS,
    ENVELOPE_KEYS: env.ENVELOPE_KEYS,
    INTEGRITY_KEYS: env.INTEGRITY_KEYS,
  }
  const seen = new Map<string, string>()
  for (const [name, ring] of Object.entries(rings)) {
    for (const { id, key } of ring) {
      if (isMonotone(key)) problems.push(`the key ${id} of ${name} must be random: npm run ops -- keys generate makes some`)
      if (id.startsWith('local-')) problems.push(`the key ${id} of ${name} was made by npm start for one machine: make another`)
      const other = seen.get(key.toString('hex'))
      if (other !== undefined) problems.push(`${name} and ${other} must not share a key`)
      seen.set(key.toString('hex'), name)
    }
  }
  return problems
}

/** Test and live must not share secrets: access to the test environment must not give access to money. */
function sharedSecrets({ test, live }: Config['providers']): string[] {
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

function passwordProblem(databaseUrl: string): string | undefined {
  // A URL with several hosts cannot be parsed as a URL, but its password stands in the same place.
  const password = /^postgres(?:ql)?:\/\/[^:@/]*:([^@/]*)@/.exec(databaseUrl)?.[1]
  if (password === undefined) return undefined
  const isKnown = knownPasswords.has(decodeURIComponent(password).toLowerCase())
  return isKnown ? 'the password in DATABASE_URL and DATABASE_OWNER_URL must not be a password from an example' : undefined
}

function refusedInProduction(config: Config, env: Env, isFileOpen: boolean): string[] {
  const problems: string[] = [...weakSecrets(env), ...sharedSecrets(config.providers)]
  if (isFileOpen) {
    problems.push('the file of SETTINGS_FILE holds keys and every user may read it: chmod 600, or 640 with a separate group')
  }
  const password = passwordProblem(config.database.url) ?? passwordProblem(config.database.ownerUrl)
  if (password !== undefined) problems.push(password)
  const plainHosts = new Set(
    [config.database.url, config.database.ownerUrl, config.database.sessionUrl].flatMap(plainRemoteHosts),
  )
  if (plainHosts.size > 0) {
    problems.push(
      `DATABASE_URL, DATABASE_OWNER_URL and DATABASE_SESSION_URL must ask for TLS (sslmode=verify-full, or require) of a host on another machine: ${[...plainHosts].join(', ')}`,
    )
  }
  problems.push(...realSimulators(config.providers))
  if (env.TRUSTED_PROXIES === undefined) {
    problems.push(
      'TRUSTED_PROXIES must say how many proxies of yours add to X-Forwarded-For, 0 for none: behind an unknown one all callers share the limits of one address',
    )
  }
  const plainOrigins = config.dashboardOrigins.filter((origin) => !origin.startsWith('https://'))
  if (plainOrigins.length > 0) problems.push(`DASHBOARD_ORIGINS must be https: ${plainOrigins.join(', ')}`)
  const plain = Object.entries(config.urls).filter(([, address]) => !address.startsWith('https://'))
  for (const [name] of plain) problems.push(`the ${name} address must be https`)
  if (config.providers.live.isSimulated) problems.push('SIMULATED_PROVIDERS must not name live')
  if (!config.limits.areOn) problems.push('RATE_LIMITS must be on')
  if (config.webhooks.allowPrivateTargets) problems.push('WEBHOOK_ALLOW_PRIVATE_TARGETS must not be true')
  for (const name of providerNames) {
    const account = config.providers.live[name]
    if (account && !account.baseUrl.startsWith('https://')) problems.push(`${name.toUpperCase()}_LIVE_BASE_URL must be https`)
  }
  // The shortest limit of the providers is 500 characters, path included.
  if (config.urls.providerCallback.length > 400) problems.push('PROVIDER_CALLBACK_BASE_URL must be 400 characters or less')
  if (config.mail.smtpUrl === undefined) problems.push('SMTP_URL must be set; without it no one can reset a password')
  if (config.mail.from.endsWith('.invalid>')) problems.push('MAIL_FROM must be your address')
  if (env.CLAMD_URL === undefined) problems.push('CLAMD_URL must name a virus scanner, or say none')
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

function databaseSettings(env: Env): Config['database'] {
  return {
    url: env.DATABASE_URL,
    ownerUrl: env.DATABASE_OWNER_URL ?? env.DATABASE_URL,
    sessionUrl: env.DATABASE_SESSION_URL ?? env.DATABASE_URL,
    poolSize: env.DATABASE_POOL_SIZE,
    // At most two batches of settlements, one of messages and one of accepted charges are in flight.
    settlingPoolSize: 4,
    shedAfterMs: 1_000,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 15_000,
    lockTimeoutMs: 2_000,
    batchLockTimeoutMs: 150,
  }
}

function httpSettings(env: Env): Config['http'] {
  return {
    bodyLimitBytes: 256 * 1024,
    maxEventLoopDelayMs: 2_000,
    drainDelayMs: env.DRAIN_DELAY_MS,
    drainMs: env.DRAIN_DELAY_MS + 20_000,
  }
}

function keysSettings(env: Env): Config['keys'] {
  return {
    signing: env.JWT_SIGNING_KEYS.map(({ id, key }) => ({ id, privateKey: signingKey(key) })),
    peppers: env.API_KEY_PEPPERS,
    envelope: { currentId: env.ENVELOPE_KEYS[0]!.id, keys: new Map(env.ENVELOPE_KEYS.map(({ id, key }) => [id, key])) },
    integrity: env.INTEGRITY_KEYS,
    refresh: subkeys(env.SERVER_SECRET, 'refresh tokens'),
    cursor: subkeys(env.SERVER_SECRET, 'list cursors'),
    checkoutToken: subkeys(env.SERVER_SECRET, 'checkout tokens'),
    documentAddress: subkeys(env.SERVER_SECRET, 'document addresses'),
    nationalId: subkeys(env.SERVER_SECRET, 'national identity numbers')[0],
    limits: subkeys(env.SERVER_SECRET, 'limits')[0],
    mailedCode: subkeys(env.SERVER_SECRET, 'mailed codes'),
    knownDevice: subkeys(env.SERVER_SECRET, 'known devices'),
  }
}

function sessionsSettings(): Config['sessions'] {
  return {
    accessTokenSeconds: 900,
    lifetimes: {
      student: { idleSeconds: 30 * 86_400, absoluteSeconds: 90 * 86_400 },
      admin: { idleSeconds: 30 * 60, absoluteSeconds: 8 * 3600 },
    },
    refreshGraceSeconds: 10,
    stepUpSeconds: 300,
  }
}

function paymentsSettings(env: Env): Config['payments'] {
  return {
    expirySeconds: env.PAYMENT_EXPIRY_SECONDS,
    unsentRetrySeconds: 60,
    replayWindowSeconds: 23 * 3600,
    answerWithinMs: 8_000,
    checkDelaysSeconds: env.PAYMENT_CHECK_DELAYS_SECONDS,
    claimLeaseSeconds: env.CHARGE_CLAIM_LEASE_SECONDS,
    confirmAbove: env.PAYMENT_CONFIRM_ABOVE,
  }
}

function providerCircuitSettings(env: Env): Config['providerCircuit'] {
  return {
    failures: env.PROVIDER_CIRCUIT_FAILURES,
    windowMs: 60_000,
    openMs: env.PROVIDER_CIRCUIT_OPEN_SECONDS * 1000,
  }
}

function providerHttpSettings(env: Env): Config['providerHttp'] {
  return {
    timeoutMs: env.PROVIDER_TIMEOUT_MS,
    maxResponseBytes: 64 * 1024,
    connections: 256,
    webhookToleranceSeconds: 300,
  }
}

function webhooksSettings(env: Env): Config['webhooks'] {
  return {
    allowPrivateTargets: env.WEBHOOK_ALLOW_PRIVATE_TARGETS,
    retryDelaysSeconds: env.WEBHOOK_RETRY_DELAYS_SECONDS,
    deadlineMs: env.WEBHOOK_DEADLINE_MS,
    maxAnswerBytes: 16 * 1024,
    keptAnswerBytes: 4 * 1024,
    perEndpointConcurrency: 8,
    lanes: {
      live: { concurrency: 512, perOwnerConcurrency: 64 },
      test: { concurrency: 128, perOwnerConcurrency: 16 },
    },
    endpointsPerOwner: 20,
  }
}

function privacySettings(env: Env): Config['privacy'] {
  return {
    controller: env.PRIVACY_CONTROLLER,
    // Without a contact address: the address that mails are sent from.
    contact: env.PRIVACY_CONTACT ?? /<([^>]+)>$/.exec(env.MAIL_FROM)?.[1] ?? env.MAIL_FROM,
    kycRecordYears: env.KYC_RECORD_YEARS,
  }
}

function documentsSettings(env: Env): Config['documents'] {
  return {
    store: documentStoreOf(env),
    clamdUrl: env.CLAMD_URL === 'none' ? undefined : env.CLAMD_URL,
    scanDeadlineMs: 20_000,
    maxBytes: 10_000_000,
    uploadSeconds: 900,
    uploadIdleMs: env.UPLOAD_IDLE_MS,
    uploadDeadlineMs: 600_000,
    uploadsAtOnce: 128,
    uploadsAtOncePerOwner: 4,
    leastBytesPerSecond: 500,
    viewSeconds: 60,
    inspectors: 2,
    inspectDeadlineMs: 5_000,
    inspectionsWaiting: 32,
  }
}

/** The settings of the environment, with defaults and with values that are not settings. */
function configOf(env: Env): Config {
  // A local start has simulators only; elsewhere only the test environment has one.
  const simulated = new Set(env.SIMULATED_PROVIDERS ?? (env.MALIPO_MODE === 'local' ? environments : ['test']))
  const apiUrl = env.BASE_URL ?? `http://127.0.0.1:${env.PORT}`
  return {
    mode: env.MALIPO_MODE,
    logLevel: env.LOG_LEVEL,
    host: env.HOST,
    ports: { api: env.PORT, checkout: env.CHECKOUT_PORT, storage: env.STORAGE_PORT },
    urls: {
      api: apiUrl,
      checkout: env.CHECKOUT_BASE_URL ?? `http://127.0.0.1:${env.CHECKOUT_PORT}`,
      storage: env.STORAGE_URL ?? `http://127.0.0.1:${env.STORAGE_PORT}`,
      providerCallback: env.PROVIDER_CALLBACK_BASE_URL ?? apiUrl,
    },
    metrics: { host: env.METRICS_HOST, port: env.METRICS_PORT },
    dashboardOrigins: env.DASHBOARD_ORIGINS,
    trustedProxies: env.TRUSTED_PROXIES ?? 0,
    dataDir: resolve(env.DATA_DIR),
    heads: { file: resolve(env.HEADS_FILE ?? join(env.DATA_DIR, 'heads.jsonl')), url: env.HEADS_URL },
    stuckAfterMs: env.STUCK_AFTER_SECONDS * 1000,
    database: databaseSettings(env),
    http: httpSettings(env),
    keys: keysSettings(env),
    securityLog: {
      linesPerMinute: env.SECURITY_LOG_LINES_PER_MINUTE,
      hashKey: subkeys(env.SERVER_SECRET, 'sources in the security log')[0],
    },
    sessions: sessionsSettings(),
    secondFactor: { issuer: 'Malipo', challengeSeconds: 300, triesBeforeLock: 5, lockSeconds: 900 },
    mailedTokens: { passwordResetSeconds: 1800, emailVerificationSeconds: 86_400, pauseSeconds: 60, perDay: 10, triesPerCode: 5 },
    payments: paymentsSettings(env),
    pages: { registeredHostsOnly: (env.REDIRECT_HOSTS ?? (env.MALIPO_MODE === 'local' ? 'any' : 'registered')) === 'registered' },
    payouts: { approvalAbove: env.PAYOUT_APPROVAL_ABOVE },
    providers: {
      test: providerSettings(env, 'test', simulated.has('test')),
      live: providerSettings(env, 'live', simulated.has('live')),
    },
    providerCircuit: providerCircuitSettings(env),
    providerHttp: providerHttpSettings(env),
    webhooks: webhooksSettings(env),
    privacy: privacySettings(env),
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM, folder: join(resolve(env.DATA_DIR), 'mail'), deadlineMs: 15_000 },
    documents: documentsSettings(env),
    limits: limitsOf(env),
    testWritesBeforeVerification: env.TEST_WRITES_BEFORE_VERIFICATION,
    safeguards: safeguardsOf(env),
  }
}

/** The configuration of this process. `defaults` apply where the environment sets nothing. */
export function loadConfig(defaults: Record<string, string> = {}, environment: NodeJS.ProcessEnv = process.env): Config {
  const isGiven = ([, value]: [string, string | undefined]): boolean => value !== undefined && value !== ''
  const given = Object.fromEntries(Object.entries(environment).filter(isGiven))
  const file = settingsOf(given['SETTINGS_FILE'] ?? defaults['SETTINGS_FILE'])
  const parsed = variablesSchema.safeParse({
    ...defaults,
    ...Object.fromEntries(Object.entries(file.settings).filter(isGiven)),
    ...given,
  })
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      (issue) => `  ${String(issue.path[0])}: ${issue.code === 'invalid_type' ? 'is not set' : issue.message}`,
    )
    throw new ConfigError(`The configuration is not complete; .env.example explains each key.\n${problems.join('\n')}`)
  }
  const env = parsed.data
  const config = configOf(env)
  if (config.mode === 'local' && env.NODE_ENV === 'production') {
    throw new ConfigError(
      'Refused to start: NODE_ENV is production, and MALIPO_MODE=local (npm start) is for one machine of your own.',
    )
  }
  if (config.mode === 'production') {
    const problems = refusedInProduction(config, env, file.isOpenToAll)
    if (problems.length > 0) throw new ConfigError(`Refused to start in production: ${problems.join('; ')}.`)
  }
  return Object.freeze(config)
}

export type LocalChoices = {
  /** The environment sets its own keys, so it is not the environment of `npm start`. */
  hasKeys: boolean
  dataDir: string
  databaseUrl: string | undefined
  simulatorPort: number
  ports: { api: number; checkout: number; storage: number }
}

/** The choices for a local start that are needed before the rest of the configuration is known. */
export function readLocalChoices(environment: NodeJS.ProcessEnv = process.env): LocalChoices {
  const choices = z
    .object({
      DATA_DIR: z.string().min(1).default('./data'),
      DATABASE_URL: z.string().optional(),
      SERVER_SECRET: z.string().optional(),
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
  const { DATA_DIR, DATABASE_URL, SERVER_SECRET, SIMULATOR_PORT, PORT, CHECKOUT_PORT, STORAGE_PORT } = choices.data
  return {
    hasKeys: SERVER_SECRET !== undefined,
    dataDir: resolve(DATA_DIR),
    databaseUrl: DATABASE_URL,
    simulatorPort: SIMULATOR_PORT,
    ports: { api: PORT, checkout: CHECKOUT_PORT, storage: STORAGE_PORT },
  }
}

/** A setting as written in the environment, for a command that shows the next value to set. */
export function readSetting(name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment[name] || undefined
}

/** The environment for a child process. */
export function childEnvironment(extra: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...extra }
}
