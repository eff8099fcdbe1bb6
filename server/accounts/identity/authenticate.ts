/** Authenticates a request with a bearer token. Invariant: the session is looked up on every call, so a revocation takes effect at once. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { hasRecentEntry } from '../../base/audit/audit.sql.ts'
import type { Db, Runner, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { must, Refusal } from '../../platform/refusal.ts'
import { createAccessTokens, type AccessTokenDeps } from './access-token.ts'
import { findSessionState, isSteppedUp, lockSessionState, touchSession, type SessionState } from './session.sql.ts'
import { adminRequired } from './session-cookie.ts'
import { sessionInactive, stepUpRequired, type SignedIn } from './session.ts'
import { lockUser, type LockedUser } from './user.sql.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of `SignedIn`; set for each route that changes something. */
    usesPower?: boolean
  }
  interface FastifyRequest {
    /** Set by `requireUser`; present only on routes that use it. */
    signedIn: SignedIn
  }
}

export type AuthenticateDeps = AccessTokenDeps & { db: Db; log: Log }

const bearer = /^Bearer +(\S*) *$/i

function invalidToken(reason: string): Refusal {
  return new Refusal(401, 'invalid_token', 'The access token is not valid. Refresh it or sign in again.', {
    evidence: { reason },
  })
}

/** For an API key where a person must be signed in. */
const keyRefused = (code: string): Refusal =>
  new Refusal(401, code, 'API keys are not accepted here: sign in, and send the access token as Authorization: Bearer <token>.', {
    messageSw: 'Funguo za API hazikubaliwi hapa: ingia, kisha tuma tokeni yako kama Authorization: Bearer <token>.',
    // Where it stands in the place of an access token, it is guessed or stolen more often than mistaken.
    ...(code === 'invalid_token' && { evidence: { reason: 'api_key' } }),
  })

/** A hook for `onRequest` (before the body is read) that sets `request.signedIn` or refuses with 401. */
export function requireUser(deps: AuthenticateDeps): (request: FastifyRequest) => Promise<void> {
  const accessTokens = createAccessTokens(deps)
  return async (request) => {
    const token = bearer.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) {
      if (request.headers['x-api-key'] !== undefined) throw keyRefused('authentication_required')
      throw new Refusal(
        401,
        'authentication_required',
        'Authentication required. Send your access token as Authorization: Bearer <token>.',
      )
    }
    if (/^svc_(?:test|live)_/.test(token)) throw keyRefused('invalid_token')
    const outcome = await accessTokens.verify(token)
    if (outcome.kind === 'expired') {
      throw new Refusal(401, 'invalid_token', 'The access token has expired. Refresh it with POST /v1/auth/refresh.')
    }
    if (outcome.kind === 'refused') {
      throw invalidToken(outcome.reason)
    }
    const { userId, sessionId, audience, endsAt } = outcome
    request.actor = toWire('usr', userId)
    const session = await findSessionState(deps.db, userId, sessionId)
    if (!session?.isActive) throw sessionInactive()
    if (session.role !== audience) throw invalidToken('audience')
    if (session.isStale) {
      // The request does not wait for this note of the last use, and a lost note does no harm.
      touchSession(deps.db, sessionId).catch((error: unknown) => deps.log.error('session.touch_failed', error))
    }
    const { usesPower = false } = request.routeOptions.config
    request.signedIn = { userId, sessionId, role: session.role, amr: session.amr, tokenEndsAt: endsAt, usesPower }
  }
}

/**
 * The shortest time between two audit entries for refused calls of one non-operator, so that such calls cannot slow others down
 * through the audit log.
 */
const refusedPauseSeconds = 600

async function writeDownRefused(deps: AuthenticateDeps, request: FastifyRequest): Promise<void> {
  const origin = originOf(request)
  const action = 'operator.refused'
  if (await hasRecentEntry(deps.db, { actor: origin.actor, action, withinSeconds: refusedPauseSeconds })) return
  const after = { route: `${request.method} ${request.routeOptions.url ?? ''}` }
  await appendAudit(deps.db, origin, { action, object: toWire('ses', request.signedIn.sessionId), after })
}

/**
 * A hook for `onRequest` of operator routes: 401 as on every signed-in route, 403 `admin_required` for a person that is not an
 * administrator, 403 `two_factor_required` for a session without a second factor. Refused non-administrators are recorded in the
 * audit log. All facts are read from the database on every call.
 */
export function requireAdmin(deps: AuthenticateDeps): (request: FastifyRequest) => Promise<void> {
  const requireSignedIn = requireUser(deps)
  return async (request) => {
    await requireSignedIn(request)
    if (request.signedIn.role !== 'admin') await writeDownRefused(deps, request)
    requireOperatorState(request.signedIn)
  }
}

function requireOperatorState({ role, amr }: Pick<SessionState, 'role' | 'amr'>): void {
  if (role !== 'admin') throw adminRequired()
  if (!amr.includes('mfa')) {
    throw new Refusal(403, 'two_factor_required', 'Sign in with your second factor first.')
  }
}

export type ActiveSession = Pick<SignedIn, 'userId' | 'sessionId'>
export type WhoActs = ActiveSession & Pick<SignedIn, 'usesPower'>

async function lockActiveSession(tx: Tx, { userId, sessionId }: ActiveSession): Promise<SessionState> {
  const session = await lockSessionState(tx, userId, sessionId)
  if (!session?.isActive) throw sessionInactive()
  return session
}

/**
 * Reads the session and role of an operator again, in the transaction of their action: it sees a revocation that was answered
 * before, and a later revocation waits until this transaction ends. Refuses in the same cases as `requireAdmin`.
 */
export async function confirmOperator(tx: Tx, operator: ActiveSession): Promise<void> {
  requireOperatorState(await lockActiveSession(tx, operator))
}

/** The same for a signed-in person. */
export async function confirmSession(tx: Tx, who: ActiveSession): Promise<void> {
  await lockActiveSession(tx, who)
}

/** The same, with the person's account locked for a change of it. */
export async function lockSignedIn(tx: Tx, who: ActiveSession): Promise<LockedUser> {
  const user = await lockUser(tx, who.userId)
  await confirmSession(tx, who)
  return must(user, 'the person of a session has a row')
}

export type StepUpDeps = { db: Runner; config: Pick<Config, 'sessions'> }

/** Reads a session again without a lock: refuses one that has ended, or an operator that lost their role, since the request began. */
export async function confirmStillSignedIn(
  db: Runner,
  { userId, sessionId, role }: SignedIn,
  asOperator: boolean,
): Promise<void> {
  const session = await findSessionState(db, userId, sessionId)
  if (!session?.isActive || session.role !== role) throw sessionInactive()
  if (asOperator) requireOperatorState(session)
}

/**
 * Refuses with 401 `step_up_required` a session whose person has not authenticated within `seconds`, with the second factor if they
 * have one: at sign-in or with POST /v1/auth/step-up.
 */
export async function refuseWithoutStepUp(
  deps: StepUpDeps,
  { userId, sessionId }: SignedIn,
  seconds = deps.config.sessions.stepUpSeconds,
): Promise<void> {
  const isFresh = await isSteppedUp(deps.db, { userId, id: sessionId, seconds })
  if (isFresh === undefined) throw sessionInactive()
  if (!isFresh) throw stepUpRequired()
}

/** The origin of a signed-in request, for the audit log. */
export function originOf(request: Pick<FastifyRequest, 'signedIn' | 'id' | 'ip'>): Origin {
  return { actor: toWire('usr', request.signedIn.userId), requestId: request.id, ip: request.ip }
}

/** The same for a request without a session that proves whose account it acts on. */
export function originOfUser(request: Pick<FastifyRequest, 'id' | 'ip'>, userId: string): Origin {
  return { actor: toWire('usr', userId), requestId: request.id, ip: request.ip }
}
