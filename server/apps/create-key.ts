/** Makes an API key. Invariant: a live key is made only for a verified merchant, and its value leaves here once. */
import type { Config, Environment } from '../config.ts'
import { findMerchant } from '../identity/merchant.sql.ts'
import { requireVerified } from '../identity/merchant.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { assert, invalidFields, notFound } from '../platform/refusal.ts'
import { lockApp } from './app.sql.ts'
import type { App } from './app.ts'
import { findOwnApp } from './find-app.ts'
import { insertKey } from './key.sql.ts'
import { hashOfKey, newKeyValue, type Key, type Scope } from './key.ts'

export type CreateKeyDeps = { db: Db; clock: Clock; config: Pick<Config, 'keys' | 'testWritesBeforeVerification'> }

export type WantedKey = {
  keyName: string
  scopes: Scope[]
  /** When sent, it has to be the app's. */
  environment: Environment | undefined
  /** ISO 8601; null for a key that does not expire. */
  expiresAt: string | null
}

/** The app that a key is wanted for: 404 unless it is this user's, 403 when it is live and its owner is not verified. */
export async function findAppForKey(deps: CreateKeyDeps, userId: string, wireAppId: string): Promise<App> {
  const app = await findOwnApp(deps, userId, wireAppId)
  if (app.environment === 'live') {
    const merchant = await findMerchant(deps.db, app.merchantId)
    assert(merchant, 'an app has a merchant')
    requireVerified({ merchant, environment: app.environment }, deps.config)
  }
  return app
}

export async function createKey(
  deps: CreateKeyDeps,
  userId: string,
  wireAppId: string,
  wanted: WantedKey,
): Promise<{ key: Key; value: string }> {
  const app = await findAppForKey(deps, userId, wireAppId)
  if (wanted.environment !== undefined && wanted.environment !== app.environment) {
    throw invalidFields([{ field: 'environment', code: 'invalid', message: `The app's environment is ${app.environment}.` }])
  }
  if (wanted.expiresAt !== null && Date.parse(wanted.expiresAt) <= deps.clock.now()) {
    throw invalidFields([{ field: 'expires_at', code: 'invalid', message: 'It has to be in the future.' }])
  }
  const pepper = deps.config.keys.peppers[0]!
  const value = newKeyValue(app.environment)
  const key = await deps.db.tx(async (tx) => {
    // Held, so that no key is born into an app that is being deleted.
    if (!(await lockApp(tx, userId, app.id))) throw notFound()
    return insertKey(tx, app, {
      id: newId(),
      keyName: wanted.keyName,
      scopes: [...new Set(wanted.scopes)],
      keyHash: hashOfKey(pepper, value),
      pepperId: pepper.id,
      last4: value.slice(-4),
      expiresAt: wanted.expiresAt,
    })
  })
  return { key, value }
}
