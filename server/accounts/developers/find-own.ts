/** Finds an app or a key for a person whose role may manage it; another merchant's is reported as missing. */
import type { Environment } from '../../domain/environment.ts'
import type { MemberRole } from '../../domain/member.ts'
import type { Scope } from '../../domain/scope.ts'
import { confirmSession, type WhoActs } from '../identity/authenticate.ts'
import { requireHolder, requireRole } from '../members/access.ts'
import type { Holder } from '../members/access.sql.ts'
import { holdsScope } from '../members/permissions.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { notFound } from '../../platform/refusal.ts'
import { findApp, lockApp } from './app.sql.ts'
import type { App } from './app.ts'
import { findKey, lockKey, type OwnKey } from './key.sql.ts'

type Managed = { role: MemberRole; environment: Environment }

function requireManaged<Found extends Managed & Holder>(found: Found | undefined, who = { usesPower: false }): Found {
  if (!found) throw notFound()
  requireHolder(found, 'apps.write', found.environment, who)
  return found
}

/** Refuses with 403 `insufficient_role` a person who would see the value of a key that their role may not have. */
export function requireMaySee({ role, environment }: Managed, scopes: readonly Scope[]): void {
  if (scopes.includes('payouts:write')) requireRole(role, 'payout-keys.write', environment)
}

/** The scopes that wait when a person of this role makes or rolls a live key: each is granted by a person who has the right. */
export function waitingScopesOf({ role, environment }: Managed, scopes: readonly Scope[]): Scope[] {
  return environment === 'test' ? [] : scopes.filter((scope) => !holdsScope(role, scope))
}

/** `wireId` is the app id as sent. 404: no app of a merchant of this user; 403 `insufficient_role`: their role may not manage it. */
export async function findOwnApp(deps: { db: Runner }, userId: string, wireId: string): Promise<App> {
  const id = fromWire('app', wireId)
  return requireManaged(id === undefined ? undefined : await findApp(deps.db, userId, id))
}

/** `wireId` is the key id as sent; refuses as `findOwnApp` does. */
export async function findOwnKey(deps: { db: Runner }, userId: string, wireId: string): Promise<OwnKey> {
  const id = fromWire('key', wireId)
  return requireManaged(id === undefined ? undefined : await findKey(deps.db, userId, id))
}

/** The same for an action: the app, the person's role and their session are locked until the transaction ends. */
export async function lockOwnApp(tx: Tx, who: WhoActs, id: string): Promise<App> {
  const app = await lockApp(tx, who.userId, id)
  await confirmSession(tx, who)
  return requireManaged(app, who)
}

export async function lockOwnKey(tx: Tx, who: WhoActs, id: string): Promise<OwnKey> {
  const key = await lockKey(tx, who.userId, id)
  await confirmSession(tx, who)
  return requireManaged(key, who)
}
