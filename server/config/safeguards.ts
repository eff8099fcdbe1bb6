/** Rules that only the live environment of production has by default. */
import type { Mode } from './process.ts'
import { flag, hours, wait, type Given } from './values.ts'

export const safeguardVariables = {
  TEST_WRITES_BEFORE_VERIFICATION: flag.default(false),
  LIVE_KEY_PAYOUT_WAIT_SECONDS: wait.optional(),
  REVIEW_NEEDS_OPENED_DOCUMENTS: flag.optional(),
  LIMIT_REGISTRATIONS: flag.optional(),
  LIVE_NEEDS_VERIFIED_EMAIL: flag.optional(),
  ACCOUNT_PAYOUT_WAIT_SECONDS: wait.optional(),
  NEW_RECIPIENT_PAYOUT_WAIT_SECONDS: wait.optional(),
  CHECKOUT_SECOND_STEP: flag.optional(),
  POWER_NEEDS_STEP_UP: flag.optional(),
  NEW_POWER_WAIT_HOURS: hours.optional(),
}

type Env = Given<typeof safeguardVariables>

/** Rules that only production's live environment has; the test environment never has them. 0 and false: off. */
type Safeguards = Readonly<{
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
  /** Whether live keys, webhooks and redirect hosts need a recent step-up. Members and approval rules always need one. */
  powerNeedsStepUp: boolean
  /** How long a new role that may pay or approve uses its power only in test. */
  newPowerWaitHours: number
}>

/** Default safeguards of the live environment, by mode. */
export const safeguardDefaults: Readonly<Record<Mode, Safeguards>> = {
  local: {
    keyPayoutWaitSeconds: 0,
    reviewNeedsOpenedDocuments: false,
    limitsRegistrations: false,
    needsVerifiedEmail: false,
    accountPayoutWaitSeconds: 0,
    newRecipientPayoutWaitSeconds: 0,
    checkoutSecondStep: false,
    powerNeedsStepUp: false,
    newPowerWaitHours: 0,
  },
  production: {
    keyPayoutWaitSeconds: 3600,
    reviewNeedsOpenedDocuments: true,
    limitsRegistrations: true,
    needsVerifiedEmail: true,
    accountPayoutWaitSeconds: 86_400,
    newRecipientPayoutWaitSeconds: 3600,
    checkoutSecondStep: true,
    powerNeedsStepUp: true,
    newPowerWaitHours: 24,
  },
}

export type SafeguardSettings = Readonly<{
  testWritesBeforeVerification: boolean
  /** Rules for the live environment; on by default in production, off by default in local mode. */
  safeguards: Safeguards
}>

function safeguardsOf(env: Env, mode: Mode): Safeguards {
  const defaults = safeguardDefaults[mode]
  return Object.freeze({
    keyPayoutWaitSeconds: env.LIVE_KEY_PAYOUT_WAIT_SECONDS ?? defaults.keyPayoutWaitSeconds,
    reviewNeedsOpenedDocuments: env.REVIEW_NEEDS_OPENED_DOCUMENTS ?? defaults.reviewNeedsOpenedDocuments,
    limitsRegistrations: env.LIMIT_REGISTRATIONS ?? defaults.limitsRegistrations,
    accountPayoutWaitSeconds: env.ACCOUNT_PAYOUT_WAIT_SECONDS ?? defaults.accountPayoutWaitSeconds,
    newRecipientPayoutWaitSeconds: env.NEW_RECIPIENT_PAYOUT_WAIT_SECONDS ?? defaults.newRecipientPayoutWaitSeconds,
    needsVerifiedEmail: env.LIVE_NEEDS_VERIFIED_EMAIL ?? defaults.needsVerifiedEmail,
    checkoutSecondStep: env.CHECKOUT_SECOND_STEP ?? defaults.checkoutSecondStep,
    powerNeedsStepUp: env.POWER_NEEDS_STEP_UP ?? defaults.powerNeedsStepUp,
    newPowerWaitHours: env.NEW_POWER_WAIT_HOURS ?? defaults.newPowerWaitHours,
  })
}

export function safeguardSettings(env: Env, mode: Mode): SafeguardSettings {
  return {
    testWritesBeforeVerification: env.TEST_WRITES_BEFORE_VERIFICATION,
    safeguards: safeguardsOf(env, mode),
  }
}
