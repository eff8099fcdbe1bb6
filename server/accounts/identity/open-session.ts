/** Opens a session and returns its first tokens. */
import type { Role } from '../../domain/account.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../platform/db/db.ts'
import { newId, toWire } from '../../platform/ids.ts'
import { caps } from '../../config/limits.ts'
import type { AccessTokens } from './access-token.ts'
import { hashOfRefreshToken, writeRefreshToken } from './refresh-token.ts'
import { endOldestSessions, insertSession } from './session.sql.ts'

export type SessionDeps = { accessTokens: AccessTokens; config: Pick<Config, 'keys' | 'sessions' | 'cell'> }

export type Tokens = { userId: string; accessToken: string; expiresInSeconds: number; refreshToken: string }

export type Visit = {
  userId: string
  role: Role
  /** The authentication methods that the person used. */
  amr: string[]
  userAgent: string | null
  /** When the device became known for this person; undefined: it is new. */
  deviceSince: Date | undefined
}

export type OpenedSession = Pick<Visit, 'userId' | 'role' | 'amr'> & { sessionId: string; refreshToken: string }

const maxUserAgentCharacters = 300

export function userAgentOf(headers: { 'user-agent'?: string }): string | null {
  return headers['user-agent']?.slice(0, maxUserAgentCharacters) ?? null
}

/** Runs in the transaction that locks, or makes, the account: a later change of the account finds this session and ends it. Above the cap, the session that was unused for longest ends. */
export async function openSession(deps: SessionDeps, tx: Tx, visit: Visit): Promise<OpenedSession> {
  const { userId, role, amr, userAgent, deviceSince = null } = visit
  const { keys, sessions, cell } = deps.config
  const sessionId = newId()
  const refreshToken = writeRefreshToken(keys.refresh[0], { sessionId, generation: 0 }, cell.name)
  const refreshHash = hashOfRefreshToken(refreshToken)
  await insertSession(tx, { id: sessionId, userId, amr, refreshHash, ...sessions.lifetimes[role], userAgent, deviceSince })
  await endOldestSessions(tx, userId, caps.sessions.most)
  return { userId, role, amr, sessionId, refreshToken }
}

/** Records the sign-in of an operator in the audit log, as the last statement of the transaction; other sign-ins are not recorded. */
export async function auditSignIn(tx: Tx, origin: Origin, { role, amr, sessionId }: OpenedSession): Promise<void> {
  if (role !== 'admin') return
  await appendAudit(tx, origin, { action: 'admin.signed_in', object: toWire('ses', sessionId), after: { amr } })
}

/** Records that a non-operator tried to sign in as an operator, as the last statement of the transaction. */
export async function auditTurnedAway(tx: Tx, origin: Origin): Promise<void> {
  await appendAudit(tx, origin, { action: 'admin.turned_away', object: origin.actor })
}

/** The first tokens of a session, made after its transaction has ended. */
export async function firstTokens(deps: SessionDeps, session: OpenedSession): Promise<Tokens> {
  const { userId, sessionId, role, amr, refreshToken } = session
  const accessToken = await deps.accessTokens.sign({ userId, sessionId, role, amr })
  return { userId, accessToken, expiresInSeconds: deps.config.sessions.accessTokenSeconds, refreshToken }
}
