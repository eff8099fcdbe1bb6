/**
 * Changes the e-mail address or the phone number of an account with a mailed code. Invariants: one change is open at a time; the old
 * address is notified of every request and every change; and no answer tells whether another account has the address or number.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import { violates, type Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, Refusal } from '../../platform/refusal.ts'
import { lockSignedIn } from './authenticate.ts'
import { dropChallenges } from './challenge.sql.ts'
import { newEmailMail, newPhoneMail, noticeMail } from './mail-texts.ts'
import { openContactChange, tokenInvalid, tryCode, type MailTokenDeps } from './mail-token.ts'
import { pauseBeforeNext, useContactChange, useUpMailedTokens } from './mailed-token.sql.ts'
import { mailKnownOwner } from './register-user.ts'
import { revokeOtherSessions } from './session.sql.ts'
import type { SignedIn } from './session.ts'
import { isEmailTaken, setEmail, setPhoneNumber } from './user.sql.ts'

const purpose = 'contact_change'

export type ChangeContactDeps = MailTokenDeps & { db: Db }

/** The new value of one of the two: e-mail in lower case, phone as E.164. */
export type NewContact = { email: string; phoneNumber?: undefined } | { phoneNumber: string; email?: undefined }

/**
 * Mails a code: for a new address to that address, for a new phone number to the current address, because nothing is sent to
 * phones. It replaces the change that was open. If another account has the new address, the owner of that account is mailed
 * instead, so that no one knows the code. Refuses the current values with 409 `invalid_state`, and with 429 `rate_limited` just after
 * the last request or after many in a day.
 */
export async function requestContactChange(
  deps: ChangeContactDeps,
  signedIn: SignedIn,
  wanted: NewContact,
  origin: Origin,
): Promise<void> {
  const { userId } = signedIn
  const { pauseSeconds, perDay } = deps.config.mailedTokens
  const isTaken = await deps.db.tx(async (tx) => {
    const user = await lockSignedIn(tx, signedIn)
    const field = wanted.email === undefined ? 'phone_number' : 'email'
    if (wanted.email === user.email || wanted.phoneNumber === user.phoneNumber) {
      throw invalidState('Your account has this value already.', 'Akaunti yako tayari ina taarifa hii.', { param: field })
    }
    const seconds = await pauseBeforeNext(tx, { userId, purpose, pauseSeconds, perDay })
    if (seconds > 0) {
      const message = 'A change was requested a moment ago, or too many were requested today. Check your mail, or wait.'
      throw new Refusal(429, 'rate_limited', message, { retryAfterSeconds: seconds })
    }
    const mailedTo = wanted.email ?? user.email
    const change = { userId, email: mailedTo, newPhoneNumber: wanted.phoneNumber ?? null }
    const { code, minutes } = await openContactChange(deps, tx, change)
    await appendAudit(tx, origin, { action: `${field}.change_requested`, object: toWire('usr', userId) })
    if (wanted.email === undefined) {
      await enqueueMail(deps, tx, newPhoneMail(mailedTo, code, minutes))
      return false
    }
    await enqueueMail(deps, tx, noticeMail(user.email, 'email_change_requested'))
    if (await isEmailTaken(tx, wanted.email)) return true
    await enqueueMail(deps, tx, newEmailMail(mailedTo, code, minutes))
    return false
  })
  // In a separate transaction: two people who ask for each other's address must not wait for each other's accounts.
  if (isTaken) await mailKnownOwner(deps, { email: wanted.email ?? null, phoneNumber: null })
}

/** Refuses a wrong code, a code of another person or purpose, and a value that another account has, with 400 `token_invalid`. */
export async function confirmContactChange(
  deps: ChangeContactDeps,
  signedIn: SignedIn,
  code: string,
  origin: Origin,
): Promise<void> {
  const { userId, sessionId } = signedIn
  const tokenHash = await tryCode(deps, { userId, purpose }, code)
  let wanted: NewContact | undefined
  try {
    await deps.db.tx(async (tx) => {
      const user = await lockSignedIn(tx, signedIn)
      const change = await useContactChange(tx, { tokenHash, userId, currentEmail: user.email })
      if (!change) throw tokenInvalid()
      const { email, newPhoneNumber } = change
      wanted = newPhoneNumber === null ? { email } : { phoneNumber: newPhoneNumber }
      if (newPhoneNumber === null) await setEmail(tx, userId, email)
      else await setPhoneNumber(tx, userId, newPhoneNumber)
      await useUpMailedTokens(tx, userId, 'password_reset')
      const endedSessions = await revokeOtherSessions(tx, { userId, id: sessionId }, 'contact_changed')
      await dropChallenges(tx, userId)
      await enqueueMail(deps, tx, noticeMail(user.email, newPhoneNumber === null ? 'email_changed' : 'phone_number_changed'))
      await appendAudit(tx, origin, {
        action: newPhoneNumber === null ? 'email.changed' : 'phone_number.changed',
        object: toWire('usr', userId),
        after: { sessions_ended: endedSessions },
      })
    })
  } catch (error) {
    if (!violates(error, 'users_email_unique') && !violates(error, 'users_phone_unique')) throw error
    // The answer is that of a wrong code: the owner of the other account learns of it, the caller does not.
    await deps.db.tx((tx) => useUpMailedTokens(tx, userId, purpose))
    await mailKnownOwner(deps, { email: wanted?.email ?? null, phoneNumber: wanted?.phoneNumber ?? null })
    throw tokenInvalid()
  }
}
