/** Merchants: a person or a business that money can belong to. This file has the only rule for who may receive money. */
import { z } from 'zod'
import type { MerchantKind } from '../../domain/merchant.ts'
import type { VerificationStatus } from '../../domain/verification.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Origin } from '../../base/audit/audit.ts'
import type { Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'

export type Merchant = {
  id: string
  /** Where the rows of its money are stored, 0–4095; every id of its money contains it. */
  home: number
  kind: MerchantKind
  /** The user of a personal merchant, or the representative of a business. */
  userId: string
  /** The name that payers see. */
  displayName: string
  verificationStatus: VerificationStatus
  /** Since when operators have suspended its live business, and the reason, written for its owner. */
  suspendedAt: Date | null
  suspensionReason: string | null
}

/** Makes a new version of the merchant's case if it is under review, in the transaction that changes what reviewers compare. */
export type RenewReview = (tx: Tx, merchantId: string, origin: Origin) => Promise<void>

/** `biz_…` for a business; a person's own merchant has the person's id, `usr_…`. */
export function wireIdOf({ kind, id }: Pick<Merchant, 'kind' | 'id'>): string {
  return toWire(kind === 'business' ? 'biz' : 'usr', id)
}

/** The merchant and environment that a request acts for. Every read of a merchant's object takes one. */
export type Owner = {
  merchant: Merchant
  environment: Environment
  /** A person whose role sees only what was made since midnight in Tanzania. */
  seesOnlyToday?: true
}

/** A suspension as shown to its owner and to operators. */
export const suspensionSchema = z.object({ reason: z.string(), since: z.iso.datetime() }).nullable().meta({
  description:
    'Set while operators have suspended the account: it takes no new payments and makes no payouts. Null if it is not suspended.',
})

export function suspensionToJson(one: Pick<Merchant, 'suspendedAt' | 'suspensionReason'>): z.infer<typeof suspensionSchema> {
  const { suspendedAt, suspensionReason } = one
  return suspendedAt === null || suspensionReason === null ? null : { reason: suspensionReason, since: suspendedAt.toISOString() }
}

/** The codes of `requireGoodStanding`, for the routes that demand it. */
export const standingRefusals = ['kyc_required', 'business_not_verified', 'merchant_suspended'] as const

/**
 * Refuses page writes, payouts and live keys of a merchant that may not receive money: 403 `merchant_suspended` in the live
 * environment when operators have suspended it, otherwise as `requireVerified` does.
 */
export function requireGoodStanding(owner: Owner, rules: { testWritesBeforeVerification: boolean }): void {
  if (owner.environment === 'live' && owner.merchant.suspendedAt !== null) {
    throw new Refusal(403, 'merchant_suspended', 'This account is suspended. See the reason in its profile, or contact us.')
  }
  requireVerified(owner, rules)
}

/**
 * Refuses an unverified merchant: 403 `kyc_required` for a person, `business_not_verified` for a business. A setting can relax
 * this for the test environment.
 */
export function requireVerified({ merchant, environment }: Owner, rules: { testWritesBeforeVerification: boolean }): void {
  if (merchant.verificationStatus === 'verified') return
  if (environment === 'test' && rules.testWritesBeforeVerification) return
  throw merchant.kind === 'personal'
    ? new Refusal(
        403,
        'kyc_required',
        'Your identity must be verified first. Open Verification in the dashboard (/dashboard/), or send POST /v1/kyc.',
      )
    : new Refusal(
        403,
        'business_not_verified',
        'This business must be verified first. Open Verification in the dashboard (/dashboard/), or see the missing steps in GET /v1/businesses/{id}.',
      )
}
