/**
 * Rolls a key: a new key replaces it, and both work during a grace period. Invariant: a key is rolled at most once, and rolling
 * never prolongs it.
 */
import { appendAudit } from '../../base/audit/audit.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, orNotFound, requireRoom } from '../../platform/refusal.ts'
import { lockMerchant } from '../identity/merchant.sql.ts'
import { caps } from '../../config/limits.ts'
import { findApp } from './app.sql.ts'
import { newValue, payoutWaitOf, requireVerifiedOwner, revokeOne, type CreateKeyDeps, type KeyMaker } from './create-key.ts'
import { findOwnKey, lockOwnApp, lockOwnKey, requireMaySee, waitingScopesOf } from './find-own.ts'
import { mailAboutKey } from './key-mail.ts'
import { countKeys, endRolledKey, insertSuccessor } from './key.sql.ts'
import type { Key } from './key.ts'

/** The key to roll: 404 or 403 as for every key, 403 when it is live and its owner is not verified. */
export async function findKeyToRoll(deps: CreateKeyDeps, userId: string, wireId: string): Promise<Key> {
  const key = await findOwnKey(deps, userId, wireId)
  const app = orNotFound(await findApp(deps.db, userId, key.appId))
  requireMaySee(key, key.scopes)
  await requireVerifiedOwner(deps, userId, app)
  return key
}

function requireRollable(key: Key): void {
  const hindrance = key.status === 'revoked' || key.status === 'expired' ? `is ${key.status}` : key.isRolled && 'was rolled'
  if (hindrance)
    throw invalidState(
      `A key that ${hindrance} cannot be rolled. Create a new key.`,
      'Ufunguo huu umefutwa, umekwisha muda au umeshabadilishwa, kwa hiyo haubadilishwi tena. Tengeneza mpya.',
    )
}

/** Returns the new key with its value, this one time. Refuses with 409 `invalid_state` a key that has ended or was already rolled. */
export async function rollKey(
  deps: CreateKeyDeps,
  wireId: string,
  graceSeconds: number,
  maker: KeyMaker,
): Promise<{ key: Key; value: string }> {
  const { userId, origin } = maker
  const { id, appId, environment, merchantId } = await findKeyToRoll(deps, userId, wireId)
  const { value, kept } = newValue(deps, environment)
  const key = await deps.db.tx(async (tx) => {
    await lockMerchant(tx, merchantId)
    // Locks the app, as its deletion does, so that no key is created in a deleted app. Then the key: of two parallel rolls, the second
    // finds it rolled.
    await lockOwnApp(tx, maker, appId)
    const old = await lockOwnKey(tx, maker, id)
    requireMaySee(old, old.scopes)
    requireRollable(old)
    // Without time for the old key, a roll adds none: a key that leaked can always be replaced.
    if (graceSeconds > 0) requireRoom('keys', await countKeys(tx, merchantId), caps.keys.most, revokeOne)
    const waitingScopes = old.scopes.filter((one) => old.waitingScopes.includes(one) || waitingScopesOf(old, [one]).length > 0)
    const wait = payoutWaitOf(deps, environment, maker)
    const successor = await insertSuccessor(tx, id, { ...kept, createdBy: userId, waitingScopes, ...wait })
    await mailAboutKey(deps, tx, merchantId, successor, 'key_rolled')
    const ended = await endRolledKey(tx, id, graceSeconds)
    await appendAudit(tx, origin, {
      action: 'key.rolled',
      object: toWire('key', id),
      merchantId: old.merchantId,
      before: { expires_at: old.expiresAt?.toISOString() ?? null, last4: old.last4 },
      after: { expires_at: ended.expiresAt!.toISOString(), new_key_id: toWire('key', successor.id), new_last4: successor.last4 },
    })
    return successor
  })
  return { key, value }
}
