/**
 * Disables an account that may have been taken over, and enables it again. Invariant: a disabled account cannot sign in and has
 * no sessions; after it is enabled again, the old password does not work.
 */
import { randomBytes } from 'node:crypto'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidCommand, orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { dropChallenges } from './challenge.sql.ts'
import { noticeMail } from './mail-texts.ts'
import type { Passwords } from './password.ts'
import { revokeSessionsOf } from './session.sql.ts'
import { disableUser, enableUser, lockUserByEmail, setPassword, type LockedUser } from './user.sql.ts'

export type AccountDeps = { db: Db; sealer: Sealer; passwords: Passwords }

async function lockAccount(tx: Tx, email: string, isDisabled: boolean): Promise<LockedUser> {
  const user = orNotFound(await lockUserByEmail(tx, email))
  if (user.isDisabled !== isDisabled) {
    throw invalidCommand(`The account of ${email} is ${isDisabled ? 'not disabled' : 'already disabled'}.`)
  }
  return user
}

/**
 * `onDisabled` runs in the same transaction, for what other folders stop; its result is returned with how many sessions were ended. Refuses
 * an unknown person with 404 and a disabled account with 409 `invalid_state`.
 */
export async function disableAccount<Stopped>(
  deps: AccountDeps,
  email: string,
  origin: Origin,
  onDisabled: (tx: Tx, userId: string) => Promise<Stopped>,
): Promise<{ endedSessions: number; stopped: Stopped }> {
  const unknown = await deps.passwords.hash(randomBytes(24).toString('base64url'), {})
  return deps.db.tx(async (tx) => {
    const { id } = await lockAccount(tx, email, false)
    await disableUser(tx, id)
    await setPassword(tx, id, unknown)
    await dropChallenges(tx, id)
    const endedSessions = await revokeSessionsOf(tx, id, 'account_disabled')
    const stopped = await onDisabled(tx, id)
    await enqueueMail(deps, tx, noticeMail(email, 'account_disabled'))
    await appendAudit(tx, origin, {
      action: 'account.disabled',
      object: toWire('usr', id),
      after: { sessions_ended: endedSessions },
    })
    return { endedSessions, stopped }
  })
}

/** The person chooses a new password by mail. */
export async function enableAccount(deps: Pick<AccountDeps, 'db' | 'sealer'>, email: string, origin: Origin): Promise<void> {
  await deps.db.tx(async (tx) => {
    const { id } = await lockAccount(tx, email, true)
    await enableUser(tx, id)
    await enqueueMail(deps, tx, noticeMail(email, 'account_enabled'))
    await appendAudit(tx, origin, { action: 'account.enabled', object: toWire('usr', id) })
  })
}
