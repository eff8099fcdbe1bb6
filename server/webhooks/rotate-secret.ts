/** Gives the webhook of an app a new secret; the one before goes on signing beside it for a day, the one before that ends at once. */
import { appendAudit, type Origin } from '../audit/audit.ts'
import type { Db } from '../platform/db.ts'
import { toWire } from '../platform/ids.ts'
import { notFound } from '../platform/refusal.ts'
import type { Sealer } from '../platform/secrets.ts'
import { newSecret, readableSecret, sealSecret, type Endpoint } from './endpoint.ts'
import { lockEndpoint, replaceSecret } from './endpoint.sql.ts'

const overlapHours = 24

export async function rotateSecret(deps: { db: Db; sealer: Sealer }, appId: string, origin: Origin): Promise<Endpoint> {
  return deps.db.tx(async (tx) => {
    const endpoint = await lockEndpoint(tx, appId)
    if (!endpoint) throw notFound()
    const { id } = endpoint
    // A sealed secret belongs to its column: it is opened and sealed anew for the other one.
    const previous = readableSecret(deps.sealer, endpoint)
    const sealed = {
      secret: sealSecret(deps.sealer, id, 'secret', newSecret()),
      previousSecret: sealSecret(deps.sealer, id, 'previous_secret', previous),
    }
    const rotated = await replaceSecret(tx, id, sealed, overlapHours)
    await appendAudit(tx, origin, { action: 'webhook.secret_rotated', object: toWire('wh', id) })
    return rotated
  })
}
