/**
 * The one table of limits: what is limited, who is counted, how much is allowed and what happens then. docs/limits.md and the
 * description of the API are generated from it. The limits of the contract (section 9) are in it, and the operator's changes.
 */
import { z } from 'zod'
import { onOffSchema } from '../domain/switch.ts'
import { limitNameOf, type Policy } from '../platform/http/limits.ts'
import { ConfigError, list, type Given } from './values.ts'

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

export const limitVariables = {
  RATE_LIMITS: onOffSchema.default('on'),
  RATE_LIMIT_QUOTAS: quotas.default([]),
}

/**
 * Who is counted. A network address is one IPv4 address or one IPv6 /64. Carriers put thousands of payers behind one address, so what is
 * counted by it alone is generous, counts mistakes only, or slows and never refuses.
 */
export const counters = {
  person: 'a person',
  merchant: 'a wallet: a business or a personal account, in test and in live',
  business: 'a business or a personal account',
  app: 'an app',
  key: 'an API key',
  account: 'an account, from networks that it does not know',
  account_and_network: 'an account, from one network address',
  name_and_network: 'an e-mail address or a phone number, from one network address',
  network: 'a network address',
  network_of_mistakes: 'a network address, mistakes only',
  everyone: 'all callers together',
  payment: 'a payment',
  phone: 'the payer’s phone, over all pages',
  mailbox: 'the e-mail address that gets the mail, over all senders',
  mailbox_of_business: 'the e-mail address that gets the mail, from one verified business',
} as const

/** What happens above the quota. */
export const consequences = {
  refused: '429 `rate_limited` with `Retry-After`',
  busy: '429 `phone_busy` with `Retry-After`',
  slower: 'the slower limit in the next row',
  delayed: 'every page waits, up to 2 seconds; 429 when a hundred requests wait',
} as const

/** `operations`: ids of the API, or methods and paths of pages; an operation by key stands for that of a signed-in person, too. */
type Row = Policy & {
  operations: readonly string[]
  per: keyof typeof counters
  above: keyof typeof consequences
  /** `table`: `countCalls` counts each call of a person or a merchant. `route`: the route counts, where it knows the caller. */
  takenBy: 'table' | 'route'
}

type Counted = Pick<Row, 'per' | 'operations'> & Partial<Row>

const counted = (countedBy: Policy['countedBy'], quota: number, windowSeconds: number, row: Counted): Row => ({
  countedBy,
  quota,
  windowSeconds,
  above: 'refused',
  takenBy: 'route',
  ...row,
})
const together = counted.bind(null, 'all_processes')
const alone = counted.bind(null, 'each_process')

const signIns = ['signIn']
const registrations = ['register', 'requestContactChange']
const reports = ['POST /c/new/{reference}']
const ofPayment = ['getPaymentStatus', 'resendPrompt', 'cancelPayment']
const ofReference = [...ofPayment, 'readInvitation', 'GET /pay/{slug}/{reference}', 'GET /r/{reference}', 'GET /c/{case}']

const policies = Object.freeze({
  signIn: together(5, 900, { per: 'name_and_network', operations: signIns }),
  signInAccount: together(20, 3600, { per: 'account', operations: signIns, above: 'slower' }),
  signInAccountSlow: together(1, 30, { per: 'account', operations: signIns }),
  signInAddress: together(50, 900, { per: 'network_of_mistakes', operations: signIns, above: 'slower' }),
  signInAddressSlow: together(1, 10, { per: 'network_of_mistakes', operations: signIns }),
  register: together(60, 3600, { per: 'network', operations: registrations }),
  registerOverall: together(300, 3600, { per: 'everyone', operations: registrations, above: 'slower' }),
  registerInRush: together(3, 3600, { per: 'network', operations: registrations }),
  passwordReset: together(10, 86_400, { per: 'account_and_network', operations: ['resetPassword'] }),
  key: alone(100, 1, { per: 'key', operations: ['X-API-Key'] }),
  largeBody: alone(30, 60, { per: 'business', operations: ['bodies above 64 KiB'] }),
  /** Each key that is pressed searches. */
  docsSearch: alone(600, 60, { per: 'network', operations: ['GET /docs/search', 'GET /docs/search.json'] }),
  checkout: alone(600, 60, { per: 'network', operations: ['startCheckout', 'POST /pay/{slug}'] }),
  status: alone(60, 60, { per: 'payment', operations: [...ofPayment, ...reports] }),
  unknownReference: alone(30, 60, { per: 'network_of_mistakes', operations: ofReference }),
  unknownPage: alone(30, 60, {
    per: 'network_of_mistakes',
    operations: ['getPublicPaymentPage', 'startCheckout', 'GET /pay/{slug}'],
    above: 'delayed',
  }),
  presign: together(30, 3600, { per: 'business', operations: ['presignKycDocument', 'presignBusinessDocument'] }),
  /** Each logo is decoded. */
  logo: together(20, 3600, { per: 'business', operations: ['setBrandLogo'] }),
  business: together(20, 3600, { per: 'person', operations: ['registerBusiness'], takenBy: 'table' }),
  invitation: together(60, 3600, { per: 'business', operations: ['inviteMember'] }),
  invitationAddress: together(5, 86_400, { per: 'mailbox', operations: ['inviteMember'], above: 'slower' }),
  /** Others may have used up the quota of this address. */
  invitationAddressSlow: together(1, 86_400, { per: 'mailbox_of_business', operations: ['inviteMember'] }),
  app: together(30, 3600, { per: 'person', operations: ['createApp'], takenBy: 'table' }),
  newKey: together(30, 3600, { per: 'person', operations: ['createKey', 'rollKey'], takenBy: 'table' }),
  paymentPage: together(120, 60, { per: 'merchant', operations: ['createPaymentPage'], takenBy: 'table' }),
  paymentRequest: together(120, 60, { per: 'merchant', operations: ['createPaymentRequest'], takenBy: 'table' }),
  /** Enough for many tills; a stolen session reaches few strangers. A repeat of a prompt is not counted. */
  requestPrompt: together(300, 600, { per: 'merchant', operations: ['sendPaymentRequest'] }),
  /** More come in a batch: `savePayoutBatchRecipients`. */
  recipient: together(60, 60, { per: 'merchant', operations: ['createRecipient'], takenBy: 'table' }),
  payout: together(120, 60, { per: 'merchant', operations: ['createPayout', 'createRefund', 'createPayoutBatch'] }),
  supportCase: together(5, 86_400, { per: 'payment', operations: reports }),
  supportCasePhone: together(10, 86_400, { per: 'phone', operations: reports }),
  supportCaseMail: together(5, 86_400, { per: 'mailbox', operations: reports }),
  supportCaseAddress: together(300, 3600, { per: 'network', operations: reports }),
  /** The numbers of payers are for calling one of them, not for a list of them. */
  payerReveal: together(30, 3600, { per: 'person', operations: ['revealPayer', 'revealCustomer'] }),
  webhookTest: alone(60, 3600, { per: 'app', operations: ['testWebhook'] }),
  /** Each call asks another party's host for its proof. */
  redirectHost: alone(30, 3600, { per: 'business', operations: ['registerRedirectHost'] }),
  webhookSecret: alone(60, 3600, { per: 'person', operations: ['getWebhook', 'saveWebhook', 'rotateWebhookSecret'] }),
} satisfies Record<string, Row>)

type LimitName = keyof typeof policies

/** How often one phone may be prompted (contract section 9). */
const prompts = ['startCheckout', 'createPayment', 'resendPrompt', 'sendMerchantPaymentRequest']
const promptQuotas = {
  promptsBurst: together(5, 600, { per: 'phone', operations: prompts, above: 'busy' }),
  promptsDay: together(20, 86_400, { per: 'phone', operations: prompts, above: 'busy' }),
}

/** Each row under its name in answers and settings. */
export const limitTable: ReadonlyMap<string, Row> = new Map(
  Object.entries<Row>({ ...policies, ...promptQuotas }).map(([name, row]) => [limitNameOf(name), row]),
)

/** The limits of an operation; that of a signed-in person has the name of the one by key, with `Merchant`. */
export function limitsOf(operationId: string): { name: string; row: Row }[] {
  const ids = [operationId, operationId.replace('Merchant', '')]
  return Object.entries<Row>({ ...policies, ...promptQuotas })
    .filter(([, { operations }]) => operations.some((one) => ids.includes(one)))
    .map(([name, row]) => ({ name, row }))
}

/** How many objects may exist at once. `isEnded`: above it, the oldest one ends; otherwise 409 `too_many_objects`. */
export const caps = {
  businessesOfUnverified: {
    most: 3,
    what: 'businesses that wait for verification, of a person who is not verified',
    operations: ['registerBusiness'],
  },
  businesses: { most: 20, what: 'businesses that wait for verification, of a verified person', operations: ['registerBusiness'] },
  apps: { most: 50, what: 'apps of a business or a personal account', operations: ['createApp'] },
  keys: { most: 100, what: 'API keys of a business or a personal account that are valid', operations: ['createKey', 'rollKey'] },
  sessions: { most: 30, what: 'sessions of a person', operations: ['signIn'], isEnded: true },
  streams: { most: 20, what: 'open streams of a person, in each process', operations: ['listChanges'], isEnded: true },
  streamsOfSession: { most: 8, what: 'open streams of a session', operations: ['listChanges'], isEnded: true },
} as const satisfies Record<string, { most: number; what: string; operations: readonly string[]; isEnded?: true }>

export type Limits = Readonly<{
  areOn: boolean
  policies: Readonly<Record<LimitName, Policy>>
  /** By phone, over all pages. A prompt without an answer blocks the next prompt of the same page for `openSeconds`. */
  prompts: Readonly<{ quotas: readonly Readonly<{ quota: number; windowSeconds: number }>[]; openSeconds: number }>
}>

/** The limits of the contract, with the operator's changes. */
export function limitSettings(env: Given<typeof limitVariables>): Limits {
  const changed = new Map(env.RATE_LIMIT_QUOTAS.map(({ name, ...quota }) => [name, quota]))
  const names = [...limitTable.keys()]
  const unknown = [...changed.keys()].filter((name) => !names.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(`RATE_LIMIT_QUOTAS names no limit: ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
  }
  return Object.freeze({
    areOn: env.RATE_LIMITS === 'on',
    policies: Object.fromEntries(
      Object.entries<Policy>(policies).map(([name, policy]) => [name, { ...policy, ...changed.get(limitNameOf(name)) }]),
    ) as Limits['policies'],
    prompts: {
      quotas: Object.entries(promptQuotas).map(
        ([name, { quota, windowSeconds }]) => changed.get(limitNameOf(name)) ?? { quota, windowSeconds },
      ),
      openSeconds: 120,
    },
  })
}
