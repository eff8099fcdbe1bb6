/** Creates an API key. Invariant: a live key is created only for a verified merchant, and its value is returned once. */
import type { Environment } from '../../domain/environment.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { findMerchant, lockMerchant } from '../identity/merchant.sql.ts'
import { requireGoodStanding } from '../identity/merchant.ts'
import { requireVerifiedEmail } from '../identity/require-verified-email.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { invalidFields, must, requireRoom } from '../../platform/refusal.ts'
import { caps } from '../../config/limits.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { App } from './app.ts'
import { findOwnApp, lockOwnApp, requireMaySee, waitingScopesOf } from './find-own.ts'
import { mailAboutKey } from './key-mail.ts'
import { countKeys, insertKey, type KeptValue } from './key.sql.ts'
import type { Scope } from '../../domain/scope.ts'
import { hashOfKey, newKeyValue, type Key } from './key.ts'

export type CreateKeyDeps = {
  db: Db
  clock: Clock
  sealer: Sealer
  config: Pick<Config, 'keys' | 'safeguards' | 'testWritesBeforeVerification' | 'cell'>
}

/** How there is room for another key. */
export const revokeOne = ['Revoke one first.', 'Futa ufunguo mmoja kwanza.'] as const

/** The creator of a key, whether this session has shown a second factor, and how long the person's own payouts still wait. */
/** Who makes a key, also where no one is signed in. */
type Maker = { userId: string; hasSecondFactor: boolean; accountWaitSeconds: number; origin: Origin }
export type KeyMaker = WhoActs & Maker

/** How long a new key cannot make payouts: at least as long as its creator, because otherwise the key would bypass that wait. */
export function payoutWaitOf(deps: CreateKeyDeps, environment: Environment, maker: Maker): { payoutWaitSeconds: number } {
  if (environment === 'test') return { payoutWaitSeconds: 0 }
  const ownSeconds = maker.hasSecondFactor ? 0 : deps.config.safeguards.keyPayoutWaitSeconds
  return { payoutWaitSeconds: Math.max(ownSeconds, maker.accountWaitSeconds) }
}

export type WantedKey = {
  keyName: string
  scopes: Scope[]
  allowedIps: string[]
  /** If given, it must be the app's environment. */
  environment: Environment | undefined
  /** ISO 8601; null for a key that does not expire. */
  expiresAt: string | null
}

/** Refuses a live key of an app if its owner, or the owner's e-mail address, is not verified: 403. */
export async function requireVerifiedOwner(deps: CreateKeyDeps, userId: string, app: App): Promise<void> {
  if (app.environment === 'test') return
  const merchant = must(await findMerchant(deps.db, app.merchantId), 'an app has a merchant')
  const owner = { merchant, environment: app.environment }
  requireGoodStanding(owner, deps.config)
  await requireVerifiedEmail(deps, owner, userId)
}

/** Makes a value; it is shown to its owner, and only its hash and last characters are stored. */
export function newValue(deps: CreateKeyDeps, environment: Environment): { value: string; kept: KeptValue } {
  const pepper = deps.config.keys.peppers[0]!
  const value = newKeyValue(environment, deps.config.cell.name)
  return { value, kept: { id: newId(), keyHash: hashOfKey(pepper, value), pepperId: pepper.id, last4: value.slice(-4) } }
}

/** The app for a new key: 404 unless it is this user's, 403 when it is live and its owner is not verified. */
export async function findAppForKey(deps: CreateKeyDeps, userId: string, wireAppId: string): Promise<App> {
  const app = await findOwnApp(deps, userId, wireAppId)
  await requireVerifiedOwner(deps, userId, app)
  return app
}

/** Refuses a key above the cap of the merchant with 409 `too_many_objects`. */
export async function createKey(
  deps: CreateKeyDeps,
  wireAppId: string,
  wanted: WantedKey,
  maker: KeyMaker,
): Promise<{ key: Key; value: string }> {
  const { userId } = maker
  const app = await findAppForKey(deps, userId, wireAppId)
  if (wanted.environment !== undefined && wanted.environment !== app.environment) {
    throw invalidFields([
      {
        field: 'environment',
        code: 'invalid',
        message: `The environment of this app is ${app.environment}. Send the same one, or leave it out.`,
      },
    ])
  }
  if (wanted.expiresAt !== null && Date.parse(wanted.expiresAt) <= deps.clock.now()) {
    throw invalidFields([{ field: 'expires_at', code: 'invalid', message: 'Must be in the future.' }])
  }
  return deps.db.tx(async (tx) => {
    await lockMerchant(tx, app.merchantId)
    // Locked, so that no key is created in an app that is being deleted.
    const locked = await lockOwnApp(tx, maker, app.id)
    requireRoom('keys', await countKeys(tx, app.merchantId), caps.keys.most, revokeOne)
    requireMaySee(locked, wanted.scopes)
    return insertNewKey(deps, tx, locked, wanted, maker)
  })
}

/** The part of `createKey` inside the transaction: the caller has checked what is wanted, and no one can delete the app meanwhile. */
export async function insertNewKey(
  deps: CreateKeyDeps,
  tx: Tx,
  app: App,
  { keyName, scopes, allowedIps, expiresAt }: Omit<WantedKey, 'environment'>,
  maker: Maker,
): Promise<{ key: Key; value: string }> {
  const { value, kept } = newValue(deps, app.environment)
  const key = await insertKey(tx, app, {
    ...kept,
    createdBy: maker.userId,
    ...payoutWaitOf(deps, app.environment, maker),
    keyName,
    scopes: [...new Set(scopes)],
    waitingScopes: waitingScopesOf(app, scopes),
    allowedIps,
    expiresAt,
  })
  await mailAboutKey(deps, tx, app.merchantId, key, 'key_created')
  await appendAudit(tx, maker.origin, {
    action: 'key.created',
    object: toWire('key', key.id),
    merchantId: app.merchantId,
    after: {
      app_id: toWire('app', app.id),
      scopes: key.scopes,
      waiting_scopes: key.waitingScopes,
      allowed_ips: allowedIps,
      expires_at: expiresAt,
      last4: kept.last4,
    },
  })
  return { key, value }
}
