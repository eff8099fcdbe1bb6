/**
 * Authenticates a request with an API key, and checks that the key allows it. Invariant: every use reads the key, its app and its
 * owner from the database, so a revocation takes effect everywhere at once; a text that cannot be a key is refused without a
 * query.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { requireVerified, type Merchant, type Owner } from '../identity/merchant.ts'
import { permissionsOfKey, rolesWith } from '../members/permissions.ts'
import { blockedAfterMs, createBatch, type Batch } from '../../platform/db/batch.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Limit } from '../../platform/http/limits.ts'
import { changesSomething, type AnyRoute, type Step } from '../../platform/http/route.ts'
import type { Log } from '../../platform/process/log.ts'
import { Refusal, type Evidence } from '../../platform/refusal.ts'
import { isAllowed } from './allowed-ips.ts'
import { findPresentedKeys, lockPresentedKey, rehashKey, touchKey, type PresentedKey } from './key.sql.ts'
import type { Scope } from '../../domain/scope.ts'
import { hashOfKey, isWellFormedKey } from './key.ts'
import type { KeyRequest } from './request-log.sql.ts'

/** The key of this request, and the owner that it acts for. */
export type KeyCaller = {
  owner: Owner
  appId: string
  appName: string
  keyId: string
  keyName: string
  scopes: Scope[]
  expiresAt: Date | null
  /** From when the key may make payouts; null: at once. */
  payoutsFrom: Date | null
  createdBy: string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireKey`; present only on routes that use it. */
    keyCaller: KeyCaller
    /** The key that was sent, even if it was then refused. */
    usedKey?: Pick<KeyRequest, 'merchantId' | 'environment' | 'appId' | 'keyId'>
  }
}

/** Finds the key for a sent value, by its hashes under each pepper. */
export type KeyFinder = Batch<Buffer[], PresentedKey | undefined>

/** Parallel requests share one look-up. */
export function createKeyFinder(db: Db): KeyFinder {
  return createBatch({ run: (shown) => findPresentedKeys(db, shown), shedAfterMs: blockedAfterMs })
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

/** The refusal for a request without a key, by what it sent in its place. */
function withoutKey(authorization = ''): Refusal {
  const [message, messageSw] = /^Bearer +svc_/i.test(authorization)
    ? [
        'Send your API key in the header X-API-Key, not in Authorization.',
        'Tuma ufunguo wako wa API kwenye kichwa X-API-Key, si kwenye Authorization.',
      ]
    : authorization !== ''
      ? [
          'Access tokens are not accepted here: send your API key in the header X-API-Key.',
          'Tokeni za kuingia hazikubaliwi hapa: tuma ufunguo wako wa API kwenye kichwa X-API-Key.',
        ]
      : [
          'Authentication required. Send your API key in the header X-API-Key.',
          'Tuma ufunguo wako wa API kwenye kichwa X-API-Key.',
        ]
  return new Refusal(401, 'authentication_required', message, { messageSw })
}

/** Refuses a key that no longer works, or may not be used from this address. */
function refuseUnusable(key: PresentedKey, ip: string): void {
  if (key.isRevoked) throw new Refusal(401, 'api_key_revoked', 'This API key was revoked. Use another key.')
  if (key.isExpired) throw new Refusal(401, 'api_key_expired', 'This API key has expired. Use another key.')
  if (!isAllowed(key.allowedIps, ip)) {
    // The key is used from an address that its owner did not allow: it may be stolen.
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
 * Reads the key of a request again, in the transaction of the requested action: it sees a revocation that was answered before,
 * and a later revocation waits until this transaction ends. Refuses in the same cases as `requireKey`, and returns the current
 * merchant.
 */
export async function confirmKey(tx: Tx, request: Pick<FastifyRequest, 'keyCaller' | 'ip'>): Promise<Merchant> {
  const key = await lockPresentedKey(tx, request.keyCaller.keyId)
  if (!key) throw invalidApiKey({ reason: 'unknown' })
  refuseUnusable(key, request.ip)
  return merchantOf(key)
}

/** The same without a lock, once the body of a request has arrived: parallel requests share the look-up. */
export function confirmKeySent(deps: AuthenticateKeyDeps, route: Pick<AnyRoute, 'route'>): Step | undefined {
  if (!changesSomething(route)) return undefined
  return async ({ body, headers, ip }) => {
    if (body === undefined) return
    const value = String(headers['x-api-key'])
    const key = await deps.findKey(deps.config.keys.peppers.map((pepper) => hashOfKey(pepper, value)))
    if (!key) throw invalidApiKey({ reason: 'unknown' })
    refuseUnusable(key, ip)
  }
}

/**
 * A hook for `onRequest` (before the body is read) that sets `request.keyCaller`, or refuses with 401 (the key), 403
 * `ip_not_allowed`, 403 `insufficient_scope`, 429 `rate_limited`, or 403 `business_not_verified` or `kyc_required` (a live key
 * whose owner is no longer verified).
 */
export function requireKey(
  deps: AuthenticateKeyDeps,
  scope: Scope,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const { peppers } = deps.config.keys
  return async (request, reply) => {
    const value = request.headers['x-api-key']
    if (value === undefined || value === '') throw withoutKey(request.headers.authorization)
    if (typeof value !== 'string' || !isWellFormedKey(value)) throw invalidApiKey({ reason: 'malformed' })
    const key = await deps.findKey(peppers.map((pepper) => hashOfKey(pepper, value)))
    // Its checksum is correct, so this is no typing error: the caller computes keys, or uses one of another installation.
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
    if (key.waitingScopes.includes(scope)) {
      const [permission] = permissionsOfKey([scope])
      const message = `The scope ${scope} of this API key waits until a person who has this right grants it: POST /developers/keys/${toWire('key', key.keyId)}/grant.`
      const may = permission === undefined ? [] : rolesWith(permission, 'live')
      throw new Refusal(403, 'insufficient_scope', message, { details: { required_scope: scope, granted_by_roles: may } })
    }
    const owner: Owner = { merchant: merchantOf(key), environment: key.environment }
    if (key.environment === 'live') requireVerified(owner, deps.config)
    if (key.isStale) {
      // The request does not wait for this note of the last use, and a lost note does no harm.
      touchKey(deps.db, key.keyId).catch((error: unknown) => deps.log.error('api_key.touch_failed', error))
    }
    const [pepper] = peppers
    if (pepper && key.pepperId !== pepper.id) {
      // Only now is the value available: its stored hash moves to the current pepper, so that the old pepper can be removed.
      const kept = { keyHash: hashOfKey(pepper, value), pepperId: pepper.id }
      rehashKey(deps.db, key.keyId, key.pepperId, kept).catch((error: unknown) => deps.log.error('api_key.rehash_failed', error))
    }
    const { appId, appName, keyId, keyName, expiresAt, payoutsFrom, createdBy } = key
    const scopes = key.scopes.filter((one) => !key.waitingScopes.includes(one))
    request.keyCaller = { owner, appId, appName, keyId, keyName, scopes, expiresAt, payoutsFrom, createdBy }
  }
}
