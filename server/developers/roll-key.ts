/**
 * Rolls a key: a new key replaces it, and both work during a grace period. Invariant: a key is rolled at most once, and rolling
 * never prolongs it.
 */
import { appendAudit } from '../audit/audit.ts'
import { toWire } from '../platform/ids.ts'
import { invalidState, notFound } from '../platform/refusal.ts'
import { findApp, lockApp } from './app.sql.ts'
import { newValue, payoutWaitOf, requireVerifiedOwner, type CreateKeyDeps, type KeyMaker } from './create-key.ts'
import { findOwnKey } from './find-own.ts'
import { mailAboutKey } from './key-mail.ts'
import { endRolledKey, insertSuccessor, lockKey } from './key.sql.ts'
import type { Key } from './key.ts'

/** The key to roll: 404 unless it is this user's, 403 when it is live and its owner is not verified. */
export async function findKeyToRoll(deps: CreateKeyDeps, userId: string, wireId: string): Promise<Key> {
  const key = await findOwnKey(deps, userId, wireId)
  const app = await findApp(deps.db, userId, key.appId)
  if (!app) throw notFound()
  await requireVerifiedOwner(deps, app)
  return key
}

function requireRollable(key: Key): void {
  const hindrance = key.status === 'revoked' || key.status === 'expired' ? `is ${key.status}` : key.isRolled && 'was rolled'
  if (hindrance) throw invalidState(`A key that ${hindrance} cannot be rolled. Create a new key.`)
}

/** Returns the new key with its value, this one time. Refuses with 409 `invalid_state` a key that has ended or was already rolled. */
export async function rollKey(
  deps: CreateKeyDeps,
  wireId: string,
  graceSeconds: number,
  maker: KeyMaker,
): Promise<{ key: Key; value: string }> {
  const { userId, origin } = maker
  const { id, appId, environment } = await findKeyToRoll(deps, userId, wireId)
  const { value, kept } = newValue(deps, environment)
  const key = await deps.db.tx(async (tx) => {
    // Locks the app first, as its deletion does, so that no key is created in a deleted app. Then the key: of two parallel rolls,
    // the second finds it rolled.
    if (!(await lockApp(tx, userId, appId))) throw notFound()
    const old = await lockKey(tx, userId, id)
    if (!old) throw notFound()
    requireRollable(old)
    const successor = await insertSuccessor(tx, id, { ...kept, ...payoutWaitOf(deps, environment, maker) })
    await mailAboutKey(deps, tx, userId, successor, 'key_rolled')
    const ended = await endRolledKey(tx, id, graceSeconds)
    await appendAudit(tx, origin, {
      action: 'key.rolled',
      object: toWire('key', id),
      before: { expires_at: old.expiresAt?.toISOString() ?? null, last4: old.last4 },
      after: { expires_at: ended.expiresAt!.toISOString(), new_key_id: toWire('key', successor.id), new_last4: successor.last4 },
    })
    return successor
  })
  return { key, value }
}
