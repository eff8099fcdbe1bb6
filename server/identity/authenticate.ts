/** Finds out who makes a request with a bearer token. Invariant: the session is looked up on every call, so revoking it acts at once. */
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../config.ts'
import type { Db } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { assert, Refusal } from '../platform/refusal.ts'
import { createAccessTokens, type AccessTokenDeps } from './access-token.ts'
import { merchantOfUser } from './merchant.sql.ts'
import type { Owner } from './merchant.ts'
import { findSessionState, touchSession } from './session.sql.ts'
import { sessionInactive, type SignedIn } from './session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireUser`; there only on routes that have it. */
    signedIn: SignedIn
  }
}

export type AuthenticateDeps = AccessTokenDeps & { db: Db; log: Log }

const bearer = /^Bearer +(\S*) *$/i

/** A hook for `onRequest` (before the body is even read) that sets `request.signedIn` or refuses with 401. */
export function requireUser(deps: AuthenticateDeps): (request: FastifyRequest) => Promise<void> {
  const accessTokens = createAccessTokens(deps)
  return async (request) => {
    const token = bearer.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) {
      throw new Refusal(401, 'authentication_required', 'Send your access token as Authorization: Bearer <token>.')
    }
    const outcome = await accessTokens.verify(token)
    if (outcome.kind === 'expired') {
      throw new Refusal(401, 'invalid_token', 'The access token has expired. Refresh it with POST /v1/auth/refresh.')
    }
    if (outcome.kind === 'refused') {
      deps.log.warn('an access token was refused', { request_id: request.id, reason: outcome.reason })
      throw new Refusal(401, 'invalid_token', 'The access token is not valid.')
    }
    const { userId, sessionId } = outcome
    const session = await findSessionState(deps.db, userId, sessionId)
    if (!session?.isActive) throw sessionInactive()
    if (session.isStale) {
      // Nobody waits for the note of a last use, and a request is not worse for its loss.
      touchSession(deps.db, sessionId).catch((error: unknown) => deps.log.error('a session was not touched', error))
    }
    request.signedIn = { userId, sessionId, role: session.role, amr: session.amr }
  }
}

/** In whose name a signed-in person acts: their personal merchant. */
export async function ownerOf(
  deps: { db: Db },
  request: Pick<FastifyRequest, 'signedIn'>,
  environment: Environment,
): Promise<Owner> {
  const merchant = await merchantOfUser(deps.db, request.signedIn.userId)
  assert(merchant, 'every user has a personal merchant')
  return { merchant, environment }
}
