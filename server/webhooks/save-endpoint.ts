/** Makes or changes the webhook of an app, after its address was found to be one that we may send to. */
import type { App } from '../apps/app.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/egress.ts'
import { newId } from '../platform/ids.ts'
import { invalidFields, Refusal } from '../platform/refusal.ts'
import type { Sealer } from '../platform/secrets.ts'
import { newSecret, sealSecret, urlProblems, type Endpoint } from './endpoint.ts'
import { upsertEndpoint } from './endpoint.sql.ts'

/** Refuses 400 with the field `url` and what is wrong with it; 503 when its name cannot be looked up right now. */
export async function saveEndpoint(
  deps: { db: Db; egress: Egress; sealer: Sealer },
  app: App,
  url: string,
): Promise<Endpoint & { isNew: boolean }> {
  const problem = await deps.egress.checkTarget(url)
  if (problem === 'unknown') {
    throw new Refusal(503, 'overloaded', 'The host of this address cannot be looked up right now. Try again shortly.', {
      retryAfterSeconds: 5,
    })
  }
  if (problem !== undefined) throw invalidFields([{ field: 'url', code: `url_${problem}`, message: urlProblems[problem] }])
  const id = newId()
  const { id: appId, merchantId, environment } = app
  const secretSealed = sealSecret(deps.sealer, id, 'secret', newSecret())
  return upsertEndpoint(deps.db, { id, appId, merchantId, environment, url, secretSealed })
}
