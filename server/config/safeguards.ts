/** Rules that only the live environment of production has by default. */
import type { Mode } from './process.ts'
import { flag, hours, wait, type Frozen, type Given } from './values.ts'

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

/** A rule is set by its variable; without one, it has this value in production and is off in local mode. */
const rules = {
  /** How long a live key that was made without a second factor cannot make payouts. */
  keyPayoutWaitSeconds: { variable: 'LIVE_KEY_PAYOUT_WAIT_SECONDS', production: 3600 },
  /** Whether a reviewer must have opened every document before they approve. */
  reviewNeedsOpenedDocuments: { variable: 'REVIEW_NEEDS_OPENED_DOCUMENTS', production: true },
  /** Whether registrations are limited by network and in total. Registrations belong to no environment. */
  limitsRegistrations: { variable: 'LIMIT_REGISTRATIONS', production: true },
  /** Whether live keys and live payouts need a verified e-mail address. */
  needsVerifiedEmail: { variable: 'LIVE_NEEDS_VERIFIED_EMAIL', production: true },
  /** How long a person cannot make live payouts after a password reset, after a new second factor, or from a new device. */
  accountPayoutWaitSeconds: { variable: 'ACCOUNT_PAYOUT_WAIT_SECONDS', production: 86_400 },
  /** How long a person's first payout to a recipient waits before it is sent. */
  newRecipientPayoutWaitSeconds: { variable: 'NEW_RECIPIENT_PAYOUT_WAIT_SECONDS', production: 3600 },
  /** Whether a checkout that looks like part of a flood waits for the payer's confirmation. Needs the limits to be on. */
  checkoutSecondStep: { variable: 'CHECKOUT_SECOND_STEP', production: true },
  /** Whether live keys, webhooks and redirect hosts need a recent step-up. Members and approval rules always need one. */
  powerNeedsStepUp: { variable: 'POWER_NEEDS_STEP_UP', production: true },
  /** How long a new role that may pay or approve uses its power only in test. */
  newPowerWaitHours: { variable: 'NEW_POWER_WAIT_HOURS', production: 24 },
} satisfies Record<string, { variable: keyof Env; production: number | boolean }>

/** Rules that only production's live environment has; the test environment never has them. 0 and false: off. */
type Safeguards = { readonly [Rule in keyof typeof rules]: (typeof rules)[Rule]['production'] }

const ofEachRule = (valueOf: (rule: (typeof rules)[keyof typeof rules]) => number | boolean): Safeguards =>
  Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, valueOf(rule)])) as Safeguards

const defaultOf = (mode: Mode, { production }: { production: number | boolean }): number | boolean => {
  if (mode === 'production') return production
  return typeof production === 'number' ? 0 : false
}

/** The safeguards of the live environment in production where no variable sets them. */
export const productionSafeguards = ofEachRule((rule) => rule.production)

export function safeguardSettings(env: Env, mode: Mode) {
  return {
    testWritesBeforeVerification: env.TEST_WRITES_BEFORE_VERIFICATION,
    /** Rules for the live environment; on by default in production, off by default in local mode. */
    safeguards: Object.freeze(ofEachRule((rule) => env[rule.variable] ?? defaultOf(mode, rule))),
  }
}

export type SafeguardSettings = Frozen<ReturnType<typeof safeguardSettings>>
