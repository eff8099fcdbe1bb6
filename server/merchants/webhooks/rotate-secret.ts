/** Gives the webhook of an app a new secret. The previous secret signs beside it for a day; the one before that ends at once. */
import type { App } from '../../accounts/developers/app.ts'
import { lockOwnApp } from '../../accounts/developers/find-own.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { WhoActs } from '../../accounts/identity/authenticate.ts'
import { mailOwners } from '../../accounts/members/mail-owners.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { orNotFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { newSecret, readableSecret, sealSecret, type Endpoint } from './endpoint.ts'
import { mailAboutEndpoint } from './endpoint-mail.ts'
import { lockEndpoint, ownerOfEndpoint, replaceSecret } from './endpoint.sql.ts'

const overlapHours = 24

type RotateDeps = { db: Db; sealer: Sealer }

type AppOfMerchant = { appId: string; merchantId: string }

async function rotateWithin(
  tx: Tx,
  { sealer }: RotateDeps,
  { appId, merchantId }: AppOfMerchant,
  origin: Origin,
): Promise<Endpoint> {
  const endpoint = orNotFound(await lockEndpoint(tx, appId))
  const { id } = endpoint
  // A sealed secret is bound to its column, so it is opened and sealed again for the other column.
  const previous = readableSecret(sealer, endpoint)
  const sealed = {
    secret: sealSecret(sealer, id, 'secret', newSecret()),
    previousSecret: sealSecret(sealer, id, 'previous_secret', previous),
  }
  const rotated = await replaceSecret(tx, id, sealed, overlapHours)
  await appendAudit(tx, origin, { action: 'webhook.secret_rotated', object: toWire('wh', id), merchantId })
  return rotated
}

export async function rotateSecret(deps: RotateDeps, app: App, who: WhoActs, origin: Origin): Promise<Endpoint> {
  return deps.db.tx(async (tx) => {
    await lockOwnApp(tx, who, app.id)
    await mailAboutEndpoint(deps, tx, app, 'webhook_rotated')
    return rotateWithin(tx, deps, { appId: app.id, merchantId: app.merchantId }, origin)
  })
}

/** The same by an operator, because the secret leaked. A mail asks the owner to install the new secret within a day. */
export async function rotateLeakedSecret(deps: RotateDeps, appId: string, origin: Origin): Promise<void> {
  await deps.db.tx(async (tx) => {
    const owner = orNotFound(await ownerOfEndpoint(tx, appId))
    const { appName } = owner
    await mailOwners(deps, tx, owner.merchantId, {
      kind: 'webhook_secret_rotated',
      subject: 'Siri ya webhook imebadilishwa · The secret of your webhook was changed',
      sw: `Tumebadilisha siri ya webhook ya programu yako "${appName}", kwa sababu watu wengine wanaijua. Chukua siri mpya kwenye dashibodi na uiweke kwenye seva yako leo. Kwa saa 24, X-Service-Signature-Previous ina sahihi ya siri ya zamani; ukiisha kuweka mpya, usiikubali ya zamani tena.`,
      en: `We have changed the secret of the webhook of your app "${appName}", because other people know it. Copy the new secret from the dashboard to your server today. For 24 hours X-Service-Signature-Previous contains the signature under the old secret. Once your server uses the new secret, no longer accept the old one.`,
      reason: null,
    })
    await rotateWithin(tx, deps, { appId, merchantId: owner.merchantId }, origin)
  })
}
