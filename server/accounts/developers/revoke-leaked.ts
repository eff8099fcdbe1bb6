/**
 * An operator's response to a leaked API key: find its owner, and revoke it, or all keys of its app. Invariant: the owner is
 * mailed in the transaction that revokes, because their programs stop working.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { mailOwners } from '../members/mail-owners.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { lockAnyApp } from './app.sql.ts'
import { findPresentedKeys, lockActiveKeys, markKeyRevoked, type LeakedKey, type PresentedKey } from './key.sql.ts'
import { hashOfKey, isWellFormedKey } from './key.ts'

/** The key for a value; undefined when this installation has no such key. Refuses with 400 `validation_error` a text that cannot be a key. */
export async function findLeakedKey(
  deps: { db: Db; config: Pick<Config, 'keys'> },
  value: string,
): Promise<PresentedKey | undefined> {
  if (!isWellFormedKey(value)) {
    throw new Refusal(400, 'validation_error', 'This is not a complete API key: its format or its checksum is wrong.')
  }
  const hashes = deps.config.keys.peppers.map((pepper) => hashOfKey(pepper, value))
  const [key] = await findPresentedKeys(deps.db, [hashes])
  return key
}

/** Revokes the key, or every key of the app, that is not revoked yet; refuses with 404 when none is left. */
export async function revokeLeaked(
  deps: { db: Db; sealer: Sealer },
  what: { keyId: string } | { appId: string },
  origin: Origin,
): Promise<LeakedKey[]> {
  return deps.db.tx(async (tx) => {
    // The app first, as where a key is made or rolled: the new key is seen here.
    if ('appId' in what) await lockAnyApp(tx, what.appId)
    const keys = await lockActiveKeys(tx, what)
    const [first] = keys
    if (!first) throw new Refusal(404, 'not_found', 'The key does not exist, or it is already revoked.')
    for (const { id } of keys) await markKeyRevoked(tx, id)
    const names = keys.map(({ keyName, last4 }) => `"${keyName}" (…${last4})`).join(', ')
    await mailOwners(deps, tx, first.merchantId, {
      kind: 'key_revoked',
      subject: 'Funguo za API zimefutwa · API keys were revoked',
      sw: `Tumefuta funguo hizi za programu yako "${first.appName}", kwa sababu watu wengine wanazijua: ${names}. Programu zinazozitumia zimesimama. Tengeneza ufunguo mpya kwenye dashibodi, na usiuweke mahali ambapo wengine wanaweza kuusoma.`,
      en: `We have revoked these keys of your app "${first.appName}", because other people know them: ${names}. Programs that use them no longer work. Create a new key in the dashboard, and keep it where no one else can read it.`,
      reason: null,
    })
    for (const { id, last4, merchantId } of keys) {
      await appendAudit(tx, origin, {
        action: 'key.revoked',
        object: toWire('key', id),
        merchantId,
        before: { last4 },
        after: { leaked: true },
      })
    }
    return keys
  })
}
