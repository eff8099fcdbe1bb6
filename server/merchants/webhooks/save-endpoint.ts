/** Creates or changes the webhook of an app, after a check that we may send to its address. */
import type { z } from 'zod'
import type { App } from '../../accounts/developers/app.ts'
import { lockOwnApp } from '../../accounts/developers/find-own.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { WhoActs } from '../../accounts/identity/authenticate.ts'
import { lockMerchant } from '../../accounts/identity/merchant.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Egress } from '../../platform/outbound/egress.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { invalidFields, Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { eventsOf, newSecret, sealSecret, urlProblems, type Endpoint, type newEndpointSchema } from './endpoint.ts'
import { mailAboutEndpoint } from './endpoint-mail.ts'
import { countEndpoints, lockEndpoint, recordEnabled, upsertEndpoint } from './endpoint.sql.ts'

/**
 * Refuses an address that we may not send to: with 400 for the field `url`, with the problem; with 503 when the host name cannot be
 * resolved right now. Not part of the save, which may run inside a transaction: this looks the name up.
 */
export async function refuseBadTarget(egress: Egress, url: string): Promise<void> {
  const problem = await egress.checkTarget(url)
  if (problem === 'unknown') {
    throw new Refusal(503, 'overloaded', 'The host of this URL cannot be looked up at the moment. Try again shortly.', {
      retryAfterSeconds: 5,
    })
  }
  if (problem !== undefined) {
    const code = `url_${problem}`
    const refusal = invalidFields([{ field: 'url', code, message: urlProblems[problem] }])
    refusal.detail.evidence = { reason: code }
    throw refusal
  }
}

/** `url` has been checked. Refuses with 409 `webhook_limit_reached` when the owner has the maximum number of webhooks. */
export async function saveEndpoint(
  deps: { db: Db; sealer: Sealer; config: Pick<Config, 'webhooks'> },
  app: App,
  { url, events }: z.infer<typeof newEndpointSchema>,
  who: WhoActs,
  origin: Origin,
): Promise<Endpoint & { isNew: boolean }> {
  const id = newId()
  const { id: appId, merchantId, environment } = app
  const secretSealed = sealSecret(deps.sealer, id, 'secret', newSecret())
  return deps.db.tx(async (tx) => {
    // The lock makes two simultaneous saves run one after the other, so that the count is right.
    await lockMerchant(tx, merchantId)
    await lockOwnApp(tx, who, appId)
    const before = await lockEndpoint(tx, appId)
    const { endpointsPerOwner } = deps.config.webhooks
    const { enabled, disabled } = before ? { enabled: 0, disabled: 0 } : await countEndpoints(tx, app)
    if (enabled + disabled >= endpointsPerOwner) {
      const message = `One owner can have at most ${endpointsPerOwner} webhooks in an environment. Delete the webhook of another app first.`
      throw new Refusal(409, 'webhook_limit_reached', message, { details: { limit: endpointsPerOwner } })
    }
    const saved = await upsertEndpoint(tx, {
      id,
      appId,
      merchantId,
      environment,
      url,
      secretSealed,
      events: events && eventsOf(events),
    })
    if (before && !before.enabled) await recordEnabled(tx, before)
    await mailAboutEndpoint(deps, tx, app, 'webhook_saved')
    await appendAudit(tx, origin, {
      action: 'webhook.saved',
      object: toWire('wh', saved.id),
      merchantId,
      before: before && factsOf(before),
      after: factsOf(saved),
    })
    return saved
  })
}

/** The address of a webhook for the audit log. Only its host: merchants put secrets into paths and queries. */
function factsOf({ url, events, enabled }: Endpoint): { host: string; events: string[]; enabled: boolean } {
  return { host: new URL(url).host, events, enabled }
}
