/**
 * Exchanges a refresh token for the next one. Invariant: at most one refresh token of a session works. A genuine older one means
 * that a copy exists, and ends the session, except that the immediate predecessor gets the same answer again for a few seconds
 * (answers get lost on mobile links, and two tabs may refresh at once).
 */
import { timingSafeEqual } from 'node:crypto'
import type { Role } from '../../domain/account.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { Refusal, type Evidence } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { noticeMail } from './mail-texts.ts'
import type { SessionDeps, Tokens } from './open-session.ts'
import { hashOfRefreshToken, readRefreshToken, writeRefreshToken, type RefreshToken } from './refresh-token.ts'
import { lockSessionForRefresh, revokeSession, rotateSession } from './session.sql.ts'
import { adminRequired, mayEnter, type Face } from './session-cookie.ts'
import { sessionInactive } from './session.ts'

export type RefreshDeps = SessionDeps & { db: Db; sealer: Sealer }

type Outcome =
  | { kind: 'current'; userId: string; role: Role; amr: string[]; refreshToken: string }
  | { kind: 'inactive' }
  | { kind: 'not_for_them' }
  | { kind: 'reused' }
  | { kind: 'unknown' }

function invalidRefreshToken(evidence: Evidence): Refusal {
  return new Refusal(401, 'invalid_token', 'This refresh token is not valid. Sign in again.', { evidence })
}

type GivenToken = RefreshToken & { text: string; face: Face | undefined }

async function rotate(deps: RefreshDeps, given: GivenToken, origin: Origin): Promise<Outcome> {
  const { keys, sessions, cell } = deps.config
  return deps.db.tx(async (tx): Promise<Outcome> => {
    const session = await lockSessionForRefresh(tx, given.sessionId, sessions.refreshGraceSeconds)
    if (!session) return { kind: 'unknown' }
    if (!session.isActive) return { kind: 'inactive' }
    const { userId, role, amr, generation } = session
    if (!mayEnter(given.face, role)) return { kind: 'not_for_them' }
    const tokenOf = (key: Buffer, wanted: number) =>
      writeRefreshToken(key, { sessionId: given.sessionId, generation: wanted }, cell.name)
    if (given.generation === generation) {
      if (!timingSafeEqual(session.refreshHash, hashOfRefreshToken(given.text))) return { kind: 'unknown' }
      const refreshToken = tokenOf(keys.refresh[0], generation + 1)
      const refreshHash = hashOfRefreshToken(refreshToken)
      const { idleSeconds } = sessions.lifetimes[role]
      await rotateSession(tx, given.sessionId, { generation: generation + 1, refreshHash, idleSeconds })
      return { kind: 'current', userId, role, amr, refreshToken }
    }
    if (given.generation === generation - 1 && session.isJustRotated) {
      // The same answer again, under whichever key it was made, because the key may have changed moments ago.
      const made = keys.refresh.map((key) => tokenOf(key, generation))
      const refreshToken = made.find((token) => timingSafeEqual(session.refreshHash, hashOfRefreshToken(token)))
      return refreshToken === undefined ? { kind: 'unknown' } : { kind: 'current', userId, role, amr, refreshToken }
    }
    // The generation is newer than the database's: the database was restored to an earlier moment, and this is no theft.
    if (given.generation > generation) return { kind: 'unknown' }
    await revokeSession(tx, userId, given.sessionId, 'refresh_reuse')
    await enqueueMail(deps, tx, noticeMail(session.email, 'session_ended'))
    await appendAudit(tx, origin, {
      action: 'session.revoked',
      object: toWire('ses', given.sessionId),
      after: { reason: 'refresh_reuse', generation: given.generation },
    })
    return { kind: 'reused' }
  })
}

/**
 * Refuses with 401: `invalid_token` for a token that is not ours or was used before, `session_inactive` for an ended session.
 * Refuses with 403 `admin_required` a non-operator's session at the operators' dashboard (`face`). `origin` is the request's. The
 * sender of an old token is unknown, so the audit log names the service as the one that ends the session.
 */
export async function refreshSession(
  deps: RefreshDeps,
  { refreshToken: text, face }: { refreshToken: string; face: Face | undefined },
  origin: Origin,
): Promise<Tokens> {
  const given = readRefreshToken(deps.config.keys.refresh, text)
  if (!given) throw invalidRefreshToken({ reason: 'forged' })
  const outcome = await rotate(deps, { ...given, text, face }, origin)
  switch (outcome.kind) {
    case 'current': {
      const { userId, role, amr, refreshToken } = outcome
      const accessToken = await deps.accessTokens.sign({ userId, sessionId: given.sessionId, role, amr })
      return { userId, accessToken, expiresInSeconds: deps.config.sessions.accessTokenSeconds, refreshToken }
    }
    case 'not_for_them':
      throw adminRequired()
    case 'inactive':
      throw sessionInactive()
    case 'reused':
      throw invalidRefreshToken({
        reason: 'used_again',
        session_id: toWire('ses', given.sessionId),
        generation: given.generation,
      })
    case 'unknown':
      throw invalidRefreshToken({ reason: 'unknown' })
  }
}
