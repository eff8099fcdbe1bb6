/**
 * The signs that an account may have been taken over, and how long its payouts wait then. Invariant: a second factor proves the
 * person only once it is as old as the wait itself, because anyone with the password can set up the first one, and remove it
 * again.
 */
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Runner } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findTakeoverFacts, type TakeoverFacts } from './session.sql.ts'
import type { SignedIn } from './session.ts'

export type AccountWaitReason = 'new_second_factor' | 'contact_changed' | 'password_reset' | 'new_device'

export type AccountWait = { reason: AccountWaitReason; until: Date }

type Rule = {
  /** The time from which the wait counts. */
  since: (facts: TakeoverFacts) => Date | null
  /** Whether a session that has shown its second factor is exempt. */
  factorPasses: boolean
}

const rules: Record<AccountWaitReason, Rule> = {
  new_second_factor: { since: ({ factorChangedAt }) => factorChangedAt, factorPasses: false },
  // Warnings about payouts now go to another address. The owner of the old one needs time to act on the notice there.
  contact_changed: { since: ({ contactChangedAt }) => contactChangedAt, factorPasses: false },
  password_reset: { since: ({ passwordResetAt }) => passwordResetAt, factorPasses: true },
  new_device: { since: ({ deviceSince }) => deviceSince, factorPasses: true },
}

/** The active wait at `facts.now` that ends last; undefined when no wait is active. */
export function accountWaitOf(facts: TakeoverFacts, seconds: number): AccountWait | undefined {
  const waits = Object.entries(rules).flatMap(([reason, { since, factorPasses }]) => {
    const from = since(facts)
    if (from === null || (factorPasses && facts.hasShownFactor)) return []
    const until = new Date(from.getTime() + seconds * 1000)
    return until > facts.now ? [{ reason: reason as AccountWaitReason, until }] : []
  })
  return waits.toSorted((one, other) => other.until.getTime() - one.until.getTime())[0]
}

/** The wait of a signed-in person, if the setting is on. */
export async function findAccountWait(
  deps: { db: Runner; config: Pick<Config, 'safeguards'> },
  { userId, sessionId }: Pick<SignedIn, 'userId' | 'sessionId'>,
): Promise<(AccountWait & { seconds: number }) | undefined> {
  const { accountPayoutWaitSeconds } = deps.config.safeguards
  if (accountPayoutWaitSeconds === 0) return undefined
  const facts = await findTakeoverFacts(deps.db, { userId, id: sessionId })
  const wait = facts && accountWaitOf(facts, accountPayoutWaitSeconds)
  return wait && { ...wait, seconds: Math.ceil((wait.until.getTime() - facts.now.getTime()) / 1000) }
}

export type WaitReason = 'new_key' | AccountWaitReason

/** The first sentence of the refusal, and a hint about another solution. */
const reasons: Record<WaitReason, string> = {
  new_key:
    'This key is new. It was created without a second factor that is older than a day, or soon after a change of the account that created it.',
  new_second_factor: 'The second factor of this account was recently changed.',
  contact_changed: 'The e-mail address or phone number of this account was recently changed.',
  password_reset:
    'The password of this account was recently reset. A session with a second factor that is older than a day does not wait.',
  new_device: 'This device is new to the account. A session with a second factor that is older than a day does not wait.',
}

/**
 * 409 `payout_must_wait`: nothing was debited, and from `until` on the same request is not refused for this reason. `act`: what was refused,
 * if it is no payout but would let others make one.
 */
export function payoutMustWait(reason: WaitReason, until: Date, act?: string): Refusal {
  const from = until.toISOString()
  const rest = act
    ? `You can ${act} from ${from}. If there is another member with the same right, they can do it now.`
    : `Payouts are possible from ${from}. Nothing was debited.`
  return new Refusal(409, 'payout_must_wait', `${reasons[reason]} ${rest}`, { details: { reason, until: from } })
}

/** Refuses, in live, a signed-in person whose account may have been taken over: a payout, or `act`, which would let others make one. */
export async function refuseWaitingAccount(
  deps: { db: Runner; config: Pick<Config, 'safeguards'> },
  environment: Environment,
  who: Pick<SignedIn, 'userId' | 'sessionId'>,
  act?: string,
): Promise<void> {
  if (environment === 'test') return
  const wait = await findAccountWait(deps, who)
  if (wait) throw payoutMustWait(wait.reason, wait.until, act)
}

/** Whether a session has shown a second factor that is still active. The methods of the session alone do not prove that. */
export async function hasShownFactor(
  db: Runner,
  { userId, sessionId }: Pick<SignedIn, 'userId' | 'sessionId'>,
): Promise<boolean> {
  const facts = await findTakeoverFacts(db, { userId, id: sessionId })
  return facts?.hasShownFactor === true
}
