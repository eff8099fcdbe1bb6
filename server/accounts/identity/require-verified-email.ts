/** A new live key, and a live payout by a person, need a verified e-mail address: warnings about a thief must reach the owner. */
import type { Config } from '../../config/config.ts'
import type { Runner } from '../../platform/db/db.ts'
import type { Pair } from '../../domain/texts.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Owner } from './merchant.ts'
import { isEmailVerified } from './user.sql.ts'

const ownAddress: Pair = [
  'Confirm your e-mail address first: enter the code that was mailed to you. Your profile mails another one.',
  'Thibitisha barua pepe yako kwanza: tumekutumia msimbo, na unaweza kuomba mwingine kwenye wasifu wako.',
]

const addressOfRepresentative: Pair = [
  'The representative of the business must confirm their e-mail address first, with a code from their own profile.',
  'Mwakilishi wa biashara lazima athibitishe kwanza barua pepe yake, kwa msimbo kutoka wasifu wake mwenyewe.',
]

/**
 * Refuses with 403 `email_not_verified` in the live environment, if the setting is on. `userId`: who acts; the address is the
 * representative's, who is warned.
 */
export async function requireVerifiedEmail(
  deps: { db: Runner; config: Pick<Config, 'safeguards'> },
  { merchant, environment }: Owner,
  userId: string,
): Promise<void> {
  if (environment === 'test' || !deps.config.safeguards.needsVerifiedEmail) return
  if (await isEmailVerified(deps.db, merchant.userId)) return
  const [message, messageSw] = userId === merchant.userId ? ownAddress : addressOfRepresentative
  throw new Refusal(403, 'email_not_verified', message, { messageSw })
}
