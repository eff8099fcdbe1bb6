/** Everything that an operator needs to know about a merchant: identity, rights, money, and problems. */
import { breakKindSchema } from '../../domain/break.ts'
import { merchantKindSchema } from '../../domain/merchant.ts'
import { verificationStatusSchema } from '../../domain/verification.ts'
import { environmentSchema, liveFirst } from '../../domain/environment.ts'
import { memberRoleSchema, memberStatusSchema } from '../../domain/member.ts'
import { z } from 'zod'
import { findBusiness } from '../../merchants/onboarding/business.sql.ts'
import type { Config } from '../../config/config.ts'
import { suspensionSchema, suspensionToJson, wireIdOf, type Merchant, type Owner } from '../../accounts/identity/merchant.ts'
import { findUser } from '../../accounts/identity/user.sql.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { seqBefore, totalLines } from '../../money/ledger/transfer.sql.ts'
import { ownerPaymentSchema, ownerPaymentToJson } from '../../collect/payments/owner-payment.ts'
import { listMembers } from '../../accounts/members/member.sql.ts'
import { listOwnerPayments } from '../../collect/payments/owner-payment.sql.ts'
import { payoutSchema, payoutToJson } from '../../pay-out/payouts/payout.ts'
import { listPayouts } from '../../pay-out/payouts/payout.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { assert } from '../../platform/refusal.ts'
import { capabilitiesOf, capabilitiesSchema } from '../../views/merchant-account/profile.ts'
import {
  countPages,
  listBusinessesOf,
  listOpenBreaksOf,
  listWebhookHealth,
  listWorkingKeys,
  readAccountState,
} from './merchant.sql.ts'
import { answerOf } from '../../platform/http/answer.ts'

const moment = z.iso.datetime()
/** Counts stop here: a larger number does not matter to a reader. */
const countedAtMost = 1_000
const shownOfAKind = 5
const volumeDays = 30
const shownMembers = 250

const sideSchema = z.object({
  environment: environmentSchema,
  balance: z.object({ available: z.int(), reserved: z.int(), total: z.int() }).meta({ description: 'TZS.' }),
  volume: z
    .object({ days: z.int(), count: z.int(), amount: z.int() })
    .meta({ description: 'Number and TZS of the payments credited to the wallet, by period in days.' }),
  pages: z
    .object({ total: z.int(), active: z.int(), suspended: z.int() })
    .meta({ description: `Counted among the newest ${countedAtMost}.` }),
  capabilities: capabilitiesSchema,
  latest_payments: z.array(ownerPaymentSchema),
  latest_payouts: z.array(payoutSchema),
})

const personSchema = z.object({
  user_id: z.string(),
  full_name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  phone_number: z.string().nullable(),
  student_id: z.string().nullable(),
  institution: z.string().nullable(),
  kyc_status: verificationStatusSchema,
  two_factor: z.boolean(),
  disabled: z.boolean(),
  live_sessions: z.int(),
  last_seen_at: moment.nullable(),
  created_at: moment,
})

const knownBusinessSchema = z.object({
  legal_name: z.string(),
  business_type: z.string(),
  registration_number: z.string(),
  tax_identification_number: z.string().nullable(),
  phone: z.string(),
  email: z.string(),
  city: z.string(),
  region: z.string(),
  created_at: moment,
})

const knownMemberSchema = z.object({
  id: z.string(),
  user_id: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string(),
  role: memberRoleSchema,
  status: memberStatusSchema,
  joined_at: moment.nullable(),
})

const workingKeySchema = z.object({
  id: z.string(),
  app: z.object({ id: z.string(), name: z.string() }),
  environment: environmentSchema,
  key_name: z.string(),
  scopes: z.array(z.string()),
  key_prefix: z.string(),
  last4: z.string(),
  expires_at: moment.nullable(),
  last_used_at: moment.nullable(),
  created_at: moment,
})

const webhookHealthSchema = z.object({
  id: z.string(),
  app: z.object({ id: z.string(), name: z.string() }),
  environment: environmentSchema,
  url: z.string(),
  enabled: z.boolean(),
  disabled_reason: z.string().nullable(),
  last_success_at: moment.nullable(),
  last_failure_at: moment.nullable(),
  attempts_24h: z.object({ succeeded: z.int(), failed: z.int() }),
  waiting: z.int().meta({ description: `Deliveries that are still due, counted up to ${countedAtMost}.` }),
  oldest_due_at: moment.nullable(),
})

const openBreakSchema = z.object({
  id: z.string(),
  kind: breakKindSchema,
  environment: environmentSchema,
  payment_reference: z.string().nullable(),
  payout_id: z.string().nullable(),
  opened_at: moment,
})

export const knownMerchantSchema = z
  .object({
    id: z.string().meta({ description: '`usr_…` for a person, `biz_…` for a business.' }),
    type: merchantKindSchema,
    display_name: z.string(),
    status: verificationStatusSchema,
    suspension: suspensionSchema,
    person: personSchema.meta({ description: 'The person, or the representative of the business.' }),
    business: knownBusinessSchema.nullable(),
    represents: z
      .array(z.object({ id: z.string(), display_name: z.string(), status: verificationStatusSchema }))
      .meta({ description: 'The businesses of a person.' }),
    members: z.array(knownMemberSchema).meta({
      description: `The members and invitations of a business, newest first, at most ${shownMembers}. None for a person.`,
    }),
    environments: z.array(sideSchema),
    keys: z.array(workingKeySchema).meta({ description: 'Active keys, most recently used first.' }),
    webhooks: z.array(webhookHealthSchema),
    open_breaks: z.array(openBreakSchema),
  })
  .meta({ id: 'OperatorMerchant' })

type KnownMerchant = z.infer<typeof knownMerchantSchema>

export type ReadMerchantDeps = { db: Db; config: Pick<Config, 'testWritesBeforeVerification'> }

async function readSide(deps: ReadMerchantDeps, owner: Owner): Promise<KnownMerchant['environments'][number]> {
  const { db } = deps
  const { merchant } = owner
  const wallet = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment: owner.environment })
  const [pages, { payments }, { payouts }, volume] = await Promise.all([
    countPages(db, owner, countedAtMost),
    listOwnerPayments(db, owner, {}, { limit: shownOfAKind, among: shownOfAKind + 1 }),
    listPayouts(db, owner, {}, { limit: shownOfAKind, among: shownOfAKind + 1 }),
    readVolume(db, merchant.home, wallet),
  ])
  return {
    environment: owner.environment,
    balance: { available: wallet.balance, reserved: wallet.reserved, total: wallet.balance + wallet.reserved },
    volume: { days: volumeDays, ...volume },
    pages: { total: pages.pages, active: pages.active, suspended: pages.suspended },
    capabilities: capabilitiesOf(owner, deps.config),
    latest_payments: payments.map(ownerPaymentToJson),
    latest_payouts: payouts.map(payoutToJson),
  }
}

async function readVolume(
  db: Db,
  home: number,
  { accountId, asOf }: { accountId: string | null; asOf: Date },
): Promise<{ count: number; amount: number }> {
  if (accountId === null) return { count: 0, amount: 0 }
  const account = { home, accountId }
  const afterSeq = await seqBefore(db, account, new Date(asOf.getTime() - volumeDays * 86_400_000))
  const totals = await totalLines(db, account, { afterSeq, toSeq: Number.MAX_SAFE_INTEGER })
  const { count = 0, amount = 0 } = totals.find(({ kind, direction }) => kind === 'payment' && direction === 'credit') ?? {}
  return { count, amount }
}

export async function readMerchant(deps: ReadMerchantDeps, merchant: Merchant): Promise<KnownMerchant> {
  const { db } = deps
  const isPerson = merchant.kind === 'personal'
  const [user, account, business, represents, members, keys, webhooks, breaks, ...environments] = await Promise.all([
    findUser(db, merchant.userId),
    readAccountState(db, merchant.userId),
    isPerson ? undefined : findBusiness(db, merchant.id),
    isPerson ? listBusinessesOf(db, merchant.userId, 20) : [],
    isPerson ? [] : listMembers(db, merchant.id, { limit: shownMembers }),
    listWorkingKeys(db, merchant.id, 50),
    listWebhookHealth(db, merchant, countedAtMost),
    listOpenBreaksOf(db, merchant.id, 20),
    ...liveFirst.map((side) => readSide(deps, { merchant, environment: side })),
  ])
  assert(user, 'a merchant has a user')
  return {
    id: wireIdOf(merchant),
    type: merchant.kind,
    display_name: merchant.displayName,
    status: merchant.verificationStatus,
    suspension: suspensionToJson(merchant),
    person: answerOf(personSchema, user, {
      user_id: toWire('usr', user.id),
      email_verified: user.isEmailVerified,
      student_id: user.studentId,
      two_factor: user.hasSecondFactor,
      disabled: account.isDisabled,
      live_sessions: account.sessions,
      last_seen_at: account.lastUsedAt?.toISOString() ?? null,
    }),
    business: business ? answerOf(knownBusinessSchema, business, {}) : null,
    represents: represents.map(({ id, displayName, status }) => ({
      id: toWire('biz', id),
      display_name: displayName,
      status: status as Merchant['verificationStatus'],
    })),
    members: members.slice(0, shownMembers).map((member) =>
      answerOf(knownMemberSchema, member, {
        id: toWire('mem', member.id),
        user_id: member.userId && toWire('usr', member.userId),
      }),
    ),
    environments,
    keys: keys.map((key) =>
      answerOf(workingKeySchema, key, {
        id: toWire('key', key.id),
        app: { id: toWire('app', key.appId), name: key.appName },
        key_prefix: `svc_${key.environment}_`,
      }),
    ),
    webhooks: webhooks.map((webhook) =>
      answerOf(webhookHealthSchema, webhook, {
        id: toWire('wh', webhook.id),
        app: { id: toWire('app', webhook.appId), name: webhook.appName },
        attempts_24h: { succeeded: webhook.succeeded, failed: webhook.failed },
      }),
    ),
    open_breaks: breaks.map((one) =>
      answerOf(openBreakSchema, one, {
        id: toWire('brk', one.id),
        payment_reference: one.paymentId && toWire('pay', one.paymentId),
        payout_id: one.payoutId && toWire('po', one.payoutId),
      }),
    ),
  }
}
