/**
 * The keys of a person whose account is disabled because it may have been taken over. Invariant: a key that a thief may have made pays
 * nothing until an owner or admin grants it; older keys belong to servers that pay already, and go on.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { mailAboutKey } from './key-mail.ts'
import { lockKeysOfMember, pausePayouts, type KeyOfMember } from './key.sql.ts'

export type KeyLeft = KeyOfMember & { isPaused: boolean }

/** Runs in the transaction that disables the account. Returns all its live keys of businesses, for the operator to check. */
export async function pauseKeysOf(deps: { sealer: Sealer }, tx: Tx, userId: string, origin: Origin): Promise<KeyLeft[]> {
  const keys = (await lockKeysOfMember(tx, userId)).map((key) => ({
    ...key,
    isPaused: key.isSuspect && key.scopes.includes('payouts:write') && !key.waitingScopes.includes('payouts:write'),
  }))
  const paused = keys.filter(({ isPaused }) => isPaused)
  await pausePayouts(
    tx,
    paused.map(({ id }) => id),
  )
  for (const key of paused) {
    await mailAboutKey(deps, tx, key.merchantId, key, 'key_paused')
    await appendAudit(tx, origin, {
      action: 'key.paused',
      object: toWire('key', key.id),
      merchantId: key.merchantId,
      after: { waiting_scopes: [...key.waitingScopes, 'payouts:write'] },
    })
  }
  return keys
}
