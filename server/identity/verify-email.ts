/** Shows that an e-mail address is its account's. Invariant: a code verifies the address that it was mailed to and no other. */
import { appendAudit, type Origin } from '../audit/audit.ts'
import type { Db } from '../platform/db.ts'
import { toWire } from '../platform/ids.ts'
import { assert, Refusal } from '../platform/refusal.ts'
import { mailVerification, tokenInvalid, type MailTokenDeps } from './mail-token.ts'
import { findMailedToken, pauseBeforeNext, useMailedToken, useUpMailedTokens } from './mailed-token.sql.ts'
import { hashOfToken } from './one-use-token.ts'
import { lockUser, setEmailVerified } from './user.sql.ts'

const purpose = 'email_verification'

/** Refuses with 400 `token_invalid`. `originOf` names who acts, once that is known. */
export async function verifyEmail(deps: { db: Db }, token: string, originOf: (userId: string) => Origin): Promise<void> {
  const tokenHash = hashOfToken(token)
  await deps.db.tx(async (tx) => {
    const found = await findMailedToken(tx, purpose, tokenHash)
    const user = found && (await lockUser(tx, found.userId))
    if (!user || user.isDisabled) throw tokenInvalid()
    if (!(await useMailedToken(tx, { purpose, tokenHash, userId: user.id, email: user.email }))) throw tokenInvalid()
    await useUpMailedTokens(tx, user.id, purpose)
    await setEmailVerified(tx, user.id)
    await appendAudit(tx, originOf(user.id), { action: 'email.verified', object: toWire('usr', user.id) })
  })
}

/** Mails another code. Refuses with 409 `invalid_state` once verified, 429 `rate_limited` just after the last one or after many in a day. */
export async function resendVerification(deps: MailTokenDeps & { db: Db }, userId: string): Promise<void> {
  const { pauseSeconds, perDay } = deps.config.mailedTokens
  await deps.db.tx(async (tx) => {
    const user = await lockUser(tx, userId)
    assert(user, 'a signed-in user has a row')
    if (user.isEmailVerified) throw new Refusal(409, 'invalid_state', 'Your e-mail address is verified already.')
    const seconds = await pauseBeforeNext(tx, { userId, purpose, pauseSeconds, perDay })
    if (seconds > 0) {
      throw new Refusal(
        429,
        'rate_limited',
        'A code was mailed just now, or too many were today. Look into your mail, or wait.',
        {
          retryAfterSeconds: seconds,
        },
      )
    }
    await mailVerification(deps, tx, user)
  })
}
