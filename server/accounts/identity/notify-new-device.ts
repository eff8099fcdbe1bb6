/** Mails a person after a sign-in from a device that they had not used before, or that proves nothing. */
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { noticeMail } from './mail-texts.ts'
import { wantsNotification } from './notification.sql.ts'
import { isNewDevice } from './session.sql.ts'

/**
 * Runs in the transaction that opens the session. A device is identified by its user agent without version numbers, because those
 * change automatically. A thief can send any user agent, and most phones send the same: so the owner is also mailed unless the sign-in
 * `isProven`, by the cookie of a known device, a network that the account knows, or a second factor.
 */
export async function notifyNewDevice(
  deps: { sealer: Sealer },
  tx: Tx,
  session: { userId: string; sessionId: string; email: string; isProven: boolean },
): Promise<void> {
  const { userId, sessionId, email, isProven } = session
  if (isProven && !(await isNewDevice(tx, { userId, id: sessionId }))) return
  if (await wantsNotification(tx, userId, 'newDevice')) await enqueueMail(deps, tx, noticeMail(email, 'new_device'))
}
