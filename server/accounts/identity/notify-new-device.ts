/** Mails a person after a sign-in from a device that they had not used before. */
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Tx } from '../../platform/db/db.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { noticeMail } from './mail-texts.ts'
import { wantsNotification } from './notification.sql.ts'
import { isNewDevice } from './session.sql.ts'

/**
 * Runs in the transaction that opens the session. A device is identified by its user agent without version numbers, because those
 * change automatically.
 */
export async function notifyNewDevice(
  deps: { sealer: Sealer },
  tx: Tx,
  session: { userId: string; sessionId: string; email: string },
): Promise<void> {
  const { userId, sessionId, email } = session
  if (!(await isNewDevice(tx, { userId, id: sessionId }))) return
  if (await wantsNotification(tx, userId, 'newDevice')) await enqueueMail(deps, tx, noticeMail(email, 'new_device'))
}
