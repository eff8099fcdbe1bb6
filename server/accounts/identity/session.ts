/** Sessions: one for each sign-in, alive until it is revoked, idle too long or too old. Invariant: only a live session signs a request in. */
import { z } from 'zod'
import { sessionStatusSchema, type Role } from '../../domain/account.ts'
import { toWire } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { answerOf } from '../../platform/http/answer.ts'

/** The user and session of a request. */
export type SignedIn = {
  userId: string
  sessionId: string
  role: Role
  /** The authentication methods (RFC 8176): `pwd`, and `mfa` once a second factor was shown. */
  amr: string[]
  /** When the access token expires; milliseconds since the epoch. */
  tokenEndsAt: number
  /** The request moves money, decides or makes power: a new role waits with it. */
  usesPower: boolean
}

export type Session = {
  id: string
  amr: string[]
  userAgent: string | null
  createdAt: Date
  /** When the person last authenticated: at sign-in or by step-up. */
  authenticatedAt: Date
  lastUsedAt: Date
  /** When the session ends if it is not used again. */
  idleExpiresAt: Date
  expiresAt: Date
  revokedAt: Date | null
}

export type RevokedReason =
  | 'signed_out'
  | 'replaced'
  | 'revoked_by_user'
  | 'refresh_reuse'
  | 'password_reset'
  | 'password_changed'
  | 'contact_changed'
  | 'role_changed'
  | 'second_factor_changed'
  | 'account_disabled'

export function sessionInactive(): Refusal {
  return new Refusal(401, 'session_inactive', 'This session has ended. Sign in again.')
}

export function stepUpRequired(): Refusal {
  return new Refusal(401, 'step_up_required', 'Confirm your identity with POST /v1/auth/step-up, then repeat this request.')
}

export const sessionSchema = z
  .object({
    id: z.string().meta({ example: 'ses_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    status: sessionStatusSchema,
    current: z.boolean().meta({ description: 'Whether this is the session of the request.' }),
    amr: z.array(z.string()).meta({ description: 'Authentication methods (RFC 8176).', example: ['pwd'] }),
    user_agent: z.string().nullable(),
    created_at: z.iso.datetime(),
    authenticated_at: z.iso
      .datetime()
      .meta({ description: 'When you last confirmed your identity: at sign-in or with `POST /v1/auth/step-up`.' }),
    last_used_at: z.iso.datetime(),
    expires_at: z.iso
      .datetime()
      .meta({ description: 'When the session ends if it is not refreshed; at most 90 days after sign-in.' }),
  })
  .meta({ id: 'Session' })

export function sessionToJson(session: Session, signedIn: SignedIn): z.infer<typeof sessionSchema> {
  return answerOf(sessionSchema, session, {
    id: toWire('ses', session.id),
    status: session.revokedAt === null ? 'active' : 'revoked',
    current: session.id === signedIn.sessionId,
    expires_at: session.idleExpiresAt.toISOString(),
  })
}
