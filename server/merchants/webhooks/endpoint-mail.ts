/** Mails to an owner about the webhook of a live app. Invariant: these mails contain no secret and no text that a user typed. */
import type { App } from '../../accounts/developers/app.ts'
import { tellOwners } from '../../accounts/members/mail-owners.ts'
import type { Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'

const texts = {
  webhook_saved: {
    sw: 'Anwani ya webhook ya programu yako ya mazingira halisi imewekwa au imebadilishwa',
    en: 'The address of the webhook of your live app was set or changed',
  },
  webhook_rotated: {
    sw: 'Siri ya webhook ya programu yako ya mazingira halisi imebadilishwa na mpya',
    en: 'The secret of the webhook of your live app was replaced by a new one',
  },
  webhook_deleted: {
    sw: 'Webhook ya programu yako ya mazingira halisi imeondolewa',
    en: 'The webhook of your live app was removed',
  },
  webhook_secret_read: {
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
  const { sw, en } = texts[kind]
  const name = toWire('app', app.id)
  await tellOwners(deps, tx, app.merchantId, {
    sw: `${sw} (${name}).`,
    en: `${en} (${name}).`,
  })
}
