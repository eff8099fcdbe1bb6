/** Mails to an owner about the webhook of a live app. Invariant: these mails contain no secret and no text that a user typed. */
import type { App } from '../developers/app.ts'
import { mailOwners } from '../members/mail-owners.ts'
import type { Tx } from '../platform/db/db.ts'
import { toWire } from '../platform/ids.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'

const texts = {
  webhook_saved: {
    subject: 'Anwani ya webhook imebadilishwa · The address of your webhook was set',
    sw: 'Anwani ya webhook ya programu yako ya mazingira halisi imewekwa au imebadilishwa',
    en: 'The address of the webhook of your live app was set or changed',
  },
  webhook_rotated: {
    subject: 'Siri ya webhook imebadilishwa · The secret of your webhook was replaced',
    sw: 'Siri ya webhook ya programu yako ya mazingira halisi imebadilishwa na mpya',
    en: 'The secret of the webhook of your live app was replaced by a new one',
  },
  webhook_deleted: {
    subject: 'Webhook imeondolewa · Your webhook was removed',
    sw: 'Webhook ya programu yako ya mazingira halisi imeondolewa',
    en: 'The webhook of your live app was removed',
  },
  webhook_secret_read: {
    subject: 'Siri ya webhook imesomwa · The secret of your webhook was read',
    sw: 'Siri ya webhook ya programu yako ya mazingira halisi imesomwa na kikao cha zamani',
    en: 'The secret of the webhook of your live app was read by a session that was opened a while ago',
  },
} as const

/** Mails the owners of the merchant of an app, in the transaction of the change. For a test app no mail is sent. */
export async function mailAboutEndpoint(
  deps: { sealer: Sealer },
  tx: Tx,
  app: Pick<App, 'id' | 'environment' | 'merchantId'>,
  kind: keyof typeof texts,
): Promise<void> {
  if (app.environment === 'test') return
  const { subject, sw, en } = texts[kind]
  const name = toWire('app', app.id)
  await mailOwners(deps, tx, app.merchantId, {
    kind,
    subject,
    sw: `${sw} (${name}). Kama si wewe, badilisha nenosiri lako mara moja na uangalie webhook kwenye dashibodi.`,
    en: `${en} (${name}). If this was not you, change your password at once and look at the webhook in the dashboard.`,
    reason: null,
  })
}
