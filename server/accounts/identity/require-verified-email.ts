/** A new live key, and a live payout by a person, need a verified e-mail address: warnings about a thief must reach the owner. */
import type { Config } from '../../config/config.ts'
import type { Runner } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Owner } from './merchant.ts'
import { isEmailVerified } from './user.sql.ts'

/** Refuses with 403 `email_not_verified` in the live environment, if the setting is on. */
export async function requireVerifiedEmail(
  deps: { db: Runner; config: Pick<Config, 'safeguards'> },
  { merchant, environment }: Owner,
): Promise<void> {
  if (environment === 'test' || !deps.config.safeguards.needsVerifiedEmail) return
  if (await isEmailVerified(deps.db, merchant.userId)) return
  const message =
    'Verify the e-mail address of the account first: POST /v1/auth/email/resend mails a code, POST /v1/auth/email/verify accepts it.'
  throw new Refusal(403, 'email_not_verified', message)
}
