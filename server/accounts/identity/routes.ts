/** HTTP routes of users and their sessions: register, sign in, refresh, sign out, sessions, the profile, the public keys. */
import { personRoute, publicRoute, type SignedInRouteDeps } from './route.ts'
import type {} from '@fastify/swagger'
import { z } from 'zod'
import { bySystem } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { anyQuery, dataOf, listOf, listQuery, type Http } from '../../platform/http/http.ts'
import { fieldsOf } from '../../platform/http/answer.ts'
import { fromWire } from '../../platform/ids.ts'
import { networkOf, type Limit } from '../../platform/http/limits.ts'
import { answerPage, pageByTime, rangeOf, type Cursors } from '../../platform/http/page.ts'
import { must, notFound } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { createAccessTokens, jwksSchema } from './access-token.ts'
import { lockSignedIn, originOf, originOfUser } from './authenticate.ts'
import { changeProfile } from './change-profile.ts'
import { contactRoutes } from './contact-routes.ts'
import { mailedCodeRoutes } from './mailed-code-routes.ts'
import { createKnownDevices } from './known-device.ts'
import { rememberNetwork } from './known-networks.ts'
import { countRegistration, type RegistrationLimit } from './limit-registrations.ts'
import { firstTokens, userAgentOf } from './open-session.ts'
import { createPasswords, triedPassword } from './password.ts'
import { refreshSession } from './refresh-session.ts'
import { checkRegistrant, registerAndSignIn, type IsInvited } from './register-user.ts'
import type { RenewReview } from './merchant.ts'
import { sandboxSchema, sandboxToJson, type CreateSandbox } from './sandbox.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { listSessions, revokeOtherSessions, revokeSession } from './session.sql.ts'
import type { ResetDeps } from './reset-password.ts'
import { cookieHeader, createSessionCookies } from './session-cookie.ts'
import { sessionInactive, sessionSchema, sessionToJson, type SignedIn } from './session.ts'
import { triesOf, type SignInLimit } from './sign-in-tries.ts'
import { signIn } from './sign-in.ts'
import { challengeFields, tokenFields } from './token-json.ts'
import { findUser } from './user.sql.ts'
import { fullName, institution, newPersonSchema, studentId, userSchema, userToJson } from './user.ts'

export type IdentityDeps = SignedInRouteDeps & {
  config: Pick<
    Config,
    'keys' | 'urls' | 'dashboardOrigins' | 'sessions' | 'passwords' | 'secondFactor' | 'mailedTokens' | 'safeguards'
  >
  cursors: Cursors
  limits: Record<SignInLimit | RegistrationLimit | 'passwordReset', Limit>
  sealer: Sealer
  createSandbox: CreateSandbox
  renewReview: RenewReview
  isInvited: IsInvited
  endLeftovers: ResetDeps['endLeftovers']
  /** Registers work that continues after an answer, so that it finishes before the process ends. */
  inBackground(work: Promise<unknown>): void
}

/** A body without fields may be omitted. */
const nothing = z.strictObject({}).prefault({})
const noStore = 'no-store'

export async function identityRoutes(http: Http, deps: IdentityDeps): Promise<void> {
  // The property is declared once, so that every request object has the same shape.
  http.decorateRequest('signedIn', null as unknown as SignedIn)
  const accessTokens = createAccessTokens(deps)
  const passwords = createPasswords(deps.config.passwords)
  const devices = createKnownDevices(deps)
  const cookies = createSessionCookies({ ...deps, devices })
  const sessionDeps = { ...deps, accessTokens, passwords, cookies, devices }
  secondFactorRoutes(http, sessionDeps)
  mailedCodeRoutes(http, sessionDeps)
  contactRoutes(http, sessionDeps)
  publicRoute(http, {
    route: 'GET /.well-known/jwks.json',
    operationId: 'getPublicKeys',
    summary: 'List access token public keys',
    description: 'A JSON Web Key Set (RFC 7517).',
    // Libraries that fetch keys may add a parameter, for example to pass by a cache.
    query: anyQuery,
    answers: { 200: jwksSchema },
    handler: async (_request, reply) => {
      void reply.header('cache-control', 'public, max-age=300')
      return accessTokens.jwks
    },
  })

  publicRoute(http, {
    route: 'POST /v1/auth/register',
    operationId: 'register',
    summary: 'Register an account',
    description:
      'Creates an account, signs it in, and mails a code for `POST /v1/auth/email/verify` to its address. The account has a sandbox at once: a test app with a key, and a test page, which need no verification. A student sends `student_id` and `institution`. Who registers a business (`registers_as`) sends them at the latest before that, or before personal KYC, with `PATCH /v1/me`. A person who was invited to a business sends `invitation_token` and need not study anywhere; accept the invitation afterwards. If an account with the e-mail address or phone number exists: 409 `already_registered`; `param` names the field, and the owner of that account is notified by mail, at most once a day. After 60 attempts an hour from one network: 429 `rate_limited`; after 300 in total, 3 an hour from one network still pass.',
    headers: cookieHeader,
    body: newPersonSchema,
    answers: { 201: dataOf(z.object({ user: userSchema, sandbox: sandboxSchema, ...tokenFields })) },
    refuses: ['phone_invalid', 'origin_not_allowed', 'already_registered'],
    handler: async (request, reply) => {
      cookies.faceOf(request)
      await countRegistration(deps, request, reply)
      const registersAs = await checkRegistrant(deps, request.body)
      const { full_name, email, phone_number, password, student_id, institution: school } = request.body
      const person = {
        fullName: full_name,
        email,
        phoneNumber: phone_number,
        password,
        studentId: student_id ?? null,
        institution: school ?? null,
        registersAs,
      }
      const network = networkOf(request.ip)
      const { user, session, sandbox } = await registerAndSignIn(sessionDeps, person, {
        userAgent: userAgentOf(request.headers),
        network,
        requestId: request.id,
        ip: request.ip,
      })
      await rememberNetwork(deps, user.id, network)
      const tokens = await firstTokens(sessionDeps, session)
      void reply.code(201)
      const answer = { user: userToJson(user), sandbox: sandboxToJson(sandbox, deps.config.urls) }
      return { data: { ...answer, ...cookies.issue(request, reply, tokens) } }
    },
  })

  publicRoute(http, {
    route: 'POST /v1/auth/login',
    operationId: 'signIn',
    summary: 'Sign in',
    description:
      'An unknown account and a wrong password get the same answer: 401 `invalid_credentials`. After five of them for one address or phone number from one IP address within 15 minutes: 429 `rate_limited`. Many failures for one account from anywhere, or from one IP address for any accounts, are slowed down: after 20 an hour for the account one attempt every 30 seconds is checked, after 50 in 15 minutes from the address one every 10 seconds, the others get 429 with a short `Retry-After`. This does not apply to a network from which you signed in within the last 30 days. An account with a second factor gets no tokens yet, but a `challenge_token` for `POST /v1/auth/2fa/verify`.',
    headers: cookieHeader,
    body: z.strictObject({
      identifier: z.string().min(1).max(254).meta({ description: 'E-mail address or phone number.' }),
      password: triedPassword,
    }),
    answers: { 200: dataOf(z.union([z.object(tokenFields), z.object(challengeFields)])) },
    refuses: ['invalid_credentials', 'origin_not_allowed', 'admin_required'],
    handler: async (request, reply) => {
      const userAgent = userAgentOf(request.headers)
      const tries = triesOf(deps, request, reply)
      const deviceSinceOf = (userId: string) => devices.sinceOf(request, userId)
      const visit = { ...request.body, userAgent, face: cookies.faceOf(request), deviceSinceOf }
      const outcome = await signIn({ ...sessionDeps, tries }, visit, (userId) => originOfUser(request, userId))
      if (outcome.kind === 'signed_in') return { data: cookies.issue(request, reply, outcome.tokens) }
      void reply.header('cache-control', noStore)
      return {
        data: {
          two_factor_required: true as const,
          challenge_token: outcome.challengeToken,
          expires_in: deps.config.secondFactor.challengeSeconds,
        },
      }
    },
  })

  publicRoute(http, {
    route: 'POST /v1/auth/refresh',
    operationId: 'refreshSession',
    summary: 'Refresh a session',
    description:
      'Exchanges a refresh token for new tokens. Each refresh token works once. Using an old one again ends the session (401 `invalid_token`), and the owner of the account is notified by mail. One exception: for 10 seconds the previous token gets the same answer again.',
    headers: cookieHeader,
    body: z
      .strictObject({
        refresh_token: z.string().optional().meta({ description: 'Required unless a cookie holds it.' }),
      })
      .prefault({}),
    answers: { 200: dataOf(z.object(tokenFields)) },
    refuses: ['invalid_token', 'session_inactive', 'authentication_required', 'origin_not_allowed', 'admin_required'],
    handler: async (request, reply) => {
      const refreshToken = cookies.refreshTokenOf(request, request.body.refresh_token)
      const visit = { refreshToken, face: cookies.faceOf(request) }
      const tokens = await refreshSession(sessionDeps, visit, { ...bySystem, requestId: request.id, ip: request.ip })
      return { data: cookies.issue(request, reply, tokens) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/logout',
    operationId: 'signOut',
    summary: 'Sign out',
    description: 'Ends the session of this access token immediately.',
    headers: cookieHeader,
    body: nothing,
    answers: { 200: dataOf(sessionSchema) },
    refuses: ['origin_not_allowed'],
    // Before any refusal: a person who signs out must not keep the cookie of an ended session.
    first: async (request, reply) => {
      const face = cookies.faceOf(request)
      if (face !== undefined) cookies.forget(face, reply)
    },
    handler: async (request) => {
      const { userId, sessionId } = request.signedIn
      const session = await revokeSession(deps.db, userId, sessionId, 'signed_out')
      // With two parallel sign-outs, the second one finds the session ended.
      if (!session) throw sessionInactive()
      return { data: sessionToJson(session, request.signedIn) }
    },
  })

  personRoute(http, deps, {
    route: 'GET /v1/auth/sessions',
    operationId: 'listSessions',
    summary: 'List your active sessions',
    query: z.strictObject(listQuery),
    answers: { 200: listOf(sessionSchema) },
    handler: async (request) => {
      const { userId } = request.signedIn
      const scope = `sessions of ${userId}`
      const range = rangeOf(deps.cursors, scope, request.query)
      const page = pageByTime(deps.cursors, scope, await listSessions(deps.db, userId, range), range.limit)
      return answerPage(page, (session) => sessionToJson(session, request.signedIn))
    },
  })

  personRoute(http, deps, {
    route: 'DELETE /v1/auth/sessions',
    operationId: 'endOtherSessions',
    summary: 'End all your other sessions',
    answers: { 200: dataOf(z.object({ ended: z.int().meta({ description: 'Number of sessions that were ended.' }) })) },
    handler: async (request) => {
      const { userId, sessionId: id } = request.signedIn
      const ended = await deps.db.tx(async (tx) => {
        await lockSignedIn(tx, request.signedIn)
        return revokeOtherSessions(tx, { userId, id }, 'revoked_by_user')
      })
      return { data: { ended } }
    },
  })

  personRoute(http, deps, {
    route: 'DELETE /v1/auth/sessions/:id',
    operationId: 'endSession',
    summary: 'End one of your sessions',
    answers: { 200: dataOf(sessionSchema) },
    handler: async (request) => {
      const id = fromWire('ses', request.params.id)
      const session = await deps.db.tx(async (tx) => {
        await lockSignedIn(tx, request.signedIn)
        return id && revokeSession(tx, request.signedIn.userId, id, 'revoked_by_user')
      })
      if (!session) throw notFound()
      return { data: sessionToJson(session, request.signedIn) }
    },
  })

  personRoute(http, deps, {
    route: 'GET /v1/me',
    operationId: 'getMe',
    summary: 'Get your account',
    answers: { 200: dataOf(userSchema) },
    handler: async (request, reply) => {
      const user = must(await findUser(deps.db, request.signedIn.userId), 'a signed-in user has a row')
      void reply.header('cache-control', noStore)
      return { data: userToJson(user) }
    },
  })

  personRoute(http, deps, {
    route: 'PATCH /v1/me',
    operationId: 'updateMe',
    summary: 'Update your account',
    description:
      'A name is not changed, and a first student number not added, while personal KYC is pending or verified; a student number is never changed: 409 `invalid_state`. Another institution during a review makes a new version of the case.',
    body: z
      .strictObject({ full_name: fullName.optional(), student_id: studentId.optional(), institution: institution.optional() })
      .prefault({}),
    answers: { 200: dataOf(userSchema) },
    refuses: ['invalid_state'],
    handler: async (request, reply) => {
      const user = await changeProfile(deps, request.signedIn, fieldsOf(request.body), originOf(request))
      void reply.header('cache-control', noStore)
      return { data: userToJson(user) }
    },
  })
}
