/** Verifies that an e-mail address belongs to its account. Invariant: a code verifies only the address that it was mailed to. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, must, Refusal } from '../../platform/refusal.ts'
import { mailVerification, tokenInvalid, tryCode, type MailTokenDeps } from './mail-token.ts'
import { pauseBeforeNext, useMailedToken, useUpMailedTokens } from './mailed-token.sql.ts'
import { lockUser, setEmailVerified } from './user.sql.ts'

const purpose = 'email_verification'

/** Refuses a code that is not this person's with 400 `token_invalid`. */
export async function verifyEmail(
  deps: { db: Db; config: MailTokenDeps['config'] },
  userId: string,
  code: string,
  origin: Origin,
): Promise<void> {
  const tokenHash = await tryCode(deps, { userId, purpose }, code)
  await deps.db.tx(async (tx) => {
    const user = await lockUser(tx, userId)
    if (!user || user.isDisabled) throw tokenInvalid()
    if (!(await useMailedToken(tx, { purpose, tokenHash, userId, email: user.email }))) throw tokenInvalid()
    await useUpMailedTokens(tx, userId, purpose)
    await setEmailVerified(tx, userId)
    await appendAudit(tx, origin, { action: 'email.verified', object: toWire('usr', userId) })
  })
}

/** Mails another code. Refuses with 409 `invalid_state` once verified, 429 `rate_limited` just after the last one or after many in a day. */
export async function resendVerification(deps: MailTokenDeps & { db: Db }, userId: string): Promise<void> {
  const { pauseSeconds, perDay } = deps.config.mailedTokens
  await deps.db.tx(async (tx) => {
    const user = must(await lockUser(tx, userId), 'a signed-in user has a row')
    if (user.isEmailVerified) throw invalidState('Your e-mail address is already verified.', 'Barua pepe yako imeshathibitishwa.')
    const seconds = await pauseBeforeNext(tx, { userId, purpose, pauseSeconds, perDay })
    if (seconds > 0) {
      throw new Refusal(
        429,
        'rate_limited',
        'A code was mailed a moment ago, or too many were mailed today. Check your mail, or wait.',
        {
          retryAfterSeconds: seconds,
        },
      )
    }
    await mailVerification(deps, tx, user)
  })
}
