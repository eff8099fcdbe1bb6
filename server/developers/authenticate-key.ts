/**
 * Finds out who makes a request with an API key, and whether the key may do it. Invariant: every use reads the key, its app and its
 * owner in the database, so revoking acts at once everywhere; a text that cannot be a key is refused without a query.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { requireVerified, type Merchant, type Owner } from '../identity/merchant.ts'
import { createBatch, type Batch } from '../platform/db/batch.ts'
import type { Db, Tx } from '../platform/db/db.ts'
import { toWire } from '../platform/ids.ts'
import type { Limit } from '../platform/http/limits.ts'
import type { Log } from '../platform/process/log.ts'
import { Refusal, type Evidence } from '../platform/refusal.ts'
import { isAllowed } from './allowed-ips.ts'
import { findPresentedKeys, lockPresentedKey, rehashKey, touchKey, type PresentedKey } from './key.sql.ts'
import { hashOfKey, isWellFormedKey, type Scope } from './key.ts'
import type { KeyRequest } from './request-log.sql.ts'

/** The key that makes this request, and in whose name. */
export type KeyCaller = {
  owner: Owner
  appId: string
  appName: string
  keyId: string
  keyName: string
  scopes: Scope[]
  expiresAt: Date | null
  /** Until when the key makes no payouts; null: it may make them. */
  payoutsFrom: Date | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireKey`; there only on routes that have it. */
    keyCaller: KeyCaller
    /** Whose key was shown, also where it was then refused. */
    usedKey?: Pick<KeyRequest, 'merchantId' | 'environment' | 'appId' | 'keyId'>
  }
}

/** Finds the key of which a value was shown, by its hashes under each pepper. */
export type KeyFinder = Batch<Buffer[], PresentedKey | undefined>

/** Requests that come together are looked up together. */
export function createKeyFinder(db: Db, shedAfterMs?: number): KeyFinder {
  return createBatch({ run: (shown) => findPresentedKeys(db, shown), ...(shedAfterMs !== undefined && { shedAfterMs }) })
}

export type AuthenticateKeyDeps = {
  db: Db
  findKey: KeyFinder
  log: Log
  limits: Record<'key', Limit>
  config: Pick<Config, 'keys' | 'testWritesBeforeVerification'>
}

function invalidApiKey(evidence: Evidence): Refusal {
  return new Refusal(401, 'invalid_api_key', 'The API key is unknown or incomplete. Check that you sent the whole key.', {
    evidence,
  })
}

/** Refuses a key that does not work any more, or not from this address. */
function refuseUnusable(key: PresentedKey, ip: string): void {
  if (key.isRevoked) throw new Refusal(401, 'api_key_revoked', 'This API key was revoked. Use another key.')
  if (key.isExpired) throw new Refusal(401, 'api_key_expired', 'This API key has expired. Use another key.')
  if (!isAllowed(key.allowedIps, ip)) {
    // Whoever has the key is not where its owner uses it: it may be stolen.
    throw new Refusal(403, 'ip_not_allowed', `This API key may not be used from ${ip}. Add the address to its allowed_ips.`)
  }
}

const merchantOf = (key: PresentedKey): Merchant => ({
  id: key.merchantId,
  home: key.home,
  kind: key.kind,
  userId: key.userId,
  displayName: key.displayName,
  verificationStatus: key.verificationStatus,
  suspendedAt: key.suspendedAt,
  suspensionReason: key.suspensionReason,
})

/**
 * Reads the key of a request again, in the transaction of what it asks for: a revocation that was answered before is seen, and a later one
 * waits until this transaction ends. Refuses as `requireKey` does, and answers with the merchant as it is now.
 */
export async function confirmKey(tx: Tx, request: Pick<FastifyRequest, 'keyCaller' | 'ip'>): Promise<Merchant> {
  const key = await lockPresentedKey(tx, request.keyCaller.keyId)
  if (!key) throw invalidApiKey({ reason: 'unknown' })
  refuseUnusable(key, request.ip)
  return merchantOf(key)
}

/**
 * A hook for `onRequest` (before the body is even read) that sets `request.keyCaller`, or refuses with 401 (the key), 403
 * `ip_not_allowed`, 403 `insufficient_scope`, 429 `rate_limited`, or 403 `business_not_verified` or `kyc_required` (a live key whose owner is
 * not verified any more).
 */
export function requireKey(
  deps: AuthenticateKeyDeps,
  scope: Scope,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { peppers } = deps.config.keys
  return async (request, reply) => {
    const value = request.headers['x-api-key']
    if (value === undefined || value === '') {
      throw new Refusal(401, 'authentication_required', 'Authentication required. Send your API key in the header X-API-Key.')
    }
    if (typeof value !== 'string' || !isWellFormedKey(value)) throw invalidApiKey({ reason: 'malformed' })
    const key = await deps.findKey(peppers.map((pepper) => hashOfKey(pepper, value)))
    // Its checksum is right, so it is no typing error: somebody computes keys, or uses one of another installation.
    if (!key) throw invalidApiKey({ reason: 'unknown' })
    request.actor = toWire('key', key.keyId)
    request.usedKey = { merchantId: key.merchantId, environment: key.environment, appId: key.appId, keyId: key.keyId }
    refuseUnusable(key, request.ip)
    await deps.limits.key.take(key.keyId, reply)
    if (!key.scopes.includes(scope)) {
      throw new Refusal(403, 'insufficient_scope', `This API key does not have the scope ${scope}. Use a key that has it.`, {
        details: { required_scope: scope },
      })
    }
    const owner: Owner = { merchant: merchantOf(key), environment: key.environment }
    if (key.environment === 'live') requireVerified(owner, deps.config)
    if (key.isStale) {
      // Nobody waits for the note of a last use, and a request is not worse for its loss.
      touchKey(deps.db, key.keyId).catch((error: unknown) => deps.log.error('api_key.touch_failed', error))
    }
    const [pepper] = peppers
    if (pepper && key.pepperId !== pepper.id) {
      // Only now is the value here: what is kept of it moves to the pepper in use, so that the one before can go.
      const kept = { keyHash: hashOfKey(pepper, value), pepperId: pepper.id }
      rehashKey(deps.db, key.keyId, key.pepperId, kept).catch((error: unknown) => deps.log.error('api_key.rehash_failed', error))
    }
    const { appId, appName, keyId, keyName, scopes, expiresAt, payoutsFrom } = key
    request.keyCaller = { owner, appId, appName, keyId, keyName, scopes, expiresAt, payoutsFrom }
  }
}
