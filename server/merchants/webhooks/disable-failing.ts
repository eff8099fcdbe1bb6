/**
 * Disables webhooks that fail for too long. Invariant: the owner is notified in the transaction that disables the webhook, unless the owner
 * turned this mail off. Deliveries in flight are finished. Pending deliveries are cancelled when they become due, unless the webhook is
 * enabled again before.
 */
import { appendAudit, bySystem } from '../../base/audit/audit.ts'
import { wantsNotification } from '../../accounts/identity/notification.sql.ts'
import { listOwners } from '../../accounts/members/access.sql.ts'
import { enqueueMail, type NewMail } from '../../base/mail/mail.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { DisabledReason } from '../../domain/webhook.ts'
import { disableEndpoint } from './endpoint.sql.ts'
import { findFailingEndpoints, lockFailingEndpoint } from './failing-endpoint.sql.ts'

type DisableDeps = { db: Db; log: Log; sealer: Sealer }

const causes: Record<DisabledReason, { sw: string; en: string }> = {
  endpoint_gone: {
    sw: 'Matukio matatu mfululizo yaliishia kwa jibu 410 (Gone) kutoka kwenye seva yako.',
    en: 'Three events in a row ended with the answer 410 (Gone) of your server.',
  },
  endpoint_failing: {
    sw: 'Kwa siku tano, seva yako haijapokea hata tukio moja tulilotuma.',
    en: 'For five days your server has not accepted any of the events that we sent.',
  },
}

function disabledMail(to: string, name: string, appName: string, reason: DisabledReason): NewMail {
  const { sw, en } = causes[reason]
  return {
    to,
    kind: 'webhook_disabled',
    subject: 'Webhook yako imezimwa · Your webhook was switched off',
    text: [
      `Habari ${name},`,
      `Webhook ya programu yako "${appName}" imezimwa. ${sw} Malipo yanaendelea kama kawaida; taarifa zake tu hazitumwi. Ukisharekebisha seva yako, hifadhi tena anwani ya webhook ili kuiwasha, kisha omba tutume tena matukio uliyokosa.`,
      '---',
      `The webhook of your app "${appName}" was disabled. ${en} Payments continue as usual; only their events are not sent. When your server works again, save the URL of the webhook again to enable it, then resend the events that you missed.`,
      'Malipo',
    ].join('\n\n'),
  }
}

async function disable(deps: DisableDeps, id: string): Promise<DisabledReason | undefined> {
  return deps.db.tx(async (tx) => {
    const endpoint = await lockFailingEndpoint(tx, id)
    if (!endpoint) return undefined
    const { appName, merchantId, reason } = endpoint
    await disableEndpoint(tx, id, reason)
    for (const { userId, email, fullName } of await listOwners(tx, merchantId)) {
      if (!(await wantsNotification(tx, userId, 'webhookDisabled'))) continue
      await enqueueMail(deps, tx, disabledMail(email, fullName, appName, reason))
    }
    await appendAudit(tx, bySystem, {
      action: 'webhook.disabled',
      object: toWire('wh', id),
      merchantId,
      before: { enabled: true },
      after: { enabled: false, disabled_reason: reason },
    })
    return reason
  })
}

/** One round: disables each webhook that meets the conditions. */
export async function disableFailing(deps: DisableDeps): Promise<void> {
  for (const { id } of await findFailingEndpoints(deps.db)) {
    const reason = await disable(deps, id)
    if (reason !== undefined) deps.log.warn('webhook.disabled', { endpoint_id: id, reason })
  }
}
