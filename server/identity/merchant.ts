/** Merchants: whoever money can belong to, a person or a business. The rule of who may take money stands here once. */
import type { Environment } from '../config.ts'
import { toWire } from '../platform/ids.ts'
import { Refusal } from '../platform/refusal.ts'

export type VerificationStatus = 'unsubmitted' | 'pending' | 'verified' | 'rejected'

export type Merchant = {
  id: string
  /** Where the rows of its money live, 0–4095; every id of its money carries it. */
  home: number
  kind: 'personal' | 'business'
  /** The user that it is (personal) or that represents it (business). */
  userId: string
  /** What payers see. */
  displayName: string
  verificationStatus: VerificationStatus
}

/** `biz_…` of a business; a person's own merchant has the person's id, `usr_…`. */
export function wireIdOf({ kind, id }: Pick<Merchant, 'kind' | 'id'>): string {
  return toWire(kind === 'business' ? 'biz' : 'usr', id)
}

/** In whose name a request acts: a merchant in one environment. Every read of somebody's object takes one. */
export type Owner = { merchant: Merchant; environment: Environment }

/**
 * Refuses page writes, payouts and live keys of a merchant that is not verified: 403 `kyc_required` for a person,
 * `business_not_verified` for a business. An operator may relax it for the test environment.
 */
export function requireVerified({ merchant, environment }: Owner, rules: { testWritesBeforeVerification: boolean }): void {
  if (merchant.verificationStatus === 'verified') return
  if (environment === 'test' && rules.testWritesBeforeVerification) return
  throw merchant.kind === 'personal'
    ? new Refusal(403, 'kyc_required', 'Your identity must be verified first. See your verification status in GET /v1/me.')
    : new Refusal(403, 'business_not_verified', 'This business must be verified first.')
}
