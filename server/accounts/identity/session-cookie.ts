/**
 * The cookie that keeps a dashboard's session: the refresh token, where no script can read it. Invariant: a request uses it only
 * if it comes from one of our pages (`Origin`) and names its dashboard in a header that no other site can send without a CORS
 * preflight; each dashboard has a separate cookie.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Role } from '../../domain/account.ts'
import type { Config } from '../../config/config.ts'
import { invalidFields, Refusal } from '../../platform/refusal.ts'
import type { KnownDevices } from './known-device.ts'
import type { Tokens } from './open-session.ts'
import { tokensToJson, type tokenFields } from './token-json.ts'

/** The dashboard that a session is for. */
const faces = ['merchant', 'admin'] as const
export type Face = (typeof faces)[number]

export const cookieHeader = z
  .object({
    'x-session-cookie': z.enum(faces).optional().meta({
      description:
        'Sent by our own dashboards. The refresh token is then kept in an HttpOnly cookie of that dashboard and appears in no body. Accepted only from our own pages: 403 `origin_not_allowed`.',
    }),
  })
  .loose()

type WithHeaders = Pick<FastifyRequest, 'headers'>

export type SessionCookies = {
  /** The dashboard whose cookie a request uses; undefined for clients that keep the refresh token themselves. */
  faceOf(request: WithHeaders): Face | undefined
  /** The refresh token of a request: from its cookie if it uses one, otherwise from its body. */
  refreshTokenOf(request: WithHeaders, inBody: string | undefined): string
  /** The answer with tokens: for a dashboard the refresh token goes into its cookie, and the browser becomes a known device. */
  issue(request: WithHeaders, reply: FastifyReply, tokens: Tokens): z.infer<z.ZodObject<typeof tokenFields>>
  forget(face: Face, reply: FastifyReply): void
}

export type SessionCookieDeps = {
  devices: KnownDevices
  config: Pick<Config, 'urls' | 'dashboardOrigins' | 'sessions'>
}

const roleOf: Record<Face, Role> = { merchant: 'student', admin: 'admin' }

/** Whether a person of this role may have a session of this dashboard. */
export function mayEnter(face: Face | undefined, role: Role): boolean {
  return face !== 'admin' || role === 'admin'
}

export function adminRequired(): Refusal {
  return new Refusal(403, 'admin_required', 'Only operators of the service may do this.')
}

export function createSessionCookies({ config, devices }: SessionCookieDeps): SessionCookies {
  const api = new URL(config.urls.api)
  const isSecure = api.protocol === 'https:'
  const origins = new Set([api.origin, ...config.dashboardOrigins])

  // Cookies ignore ports: on one machine every local service needs a different name.
  const nameOf = (face: Face): string => (isSecure ? `__Host-malipo_${face}` : `malipo_${face}_${api.port || '80'}`)

  function cookie(face: Face, value: string, seconds: number): string {
    return `${nameOf(face)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }

  function faceOf({ headers }: WithHeaders): Face | undefined {
    const face = headers['x-session-cookie']
    if (face === undefined) return undefined
    if (headers.origin === undefined || !origins.has(headers.origin)) {
      throw new Refusal(403, 'origin_not_allowed', 'Only pages of this service may use a session cookie.')
    }
    return face as Face
  }

  return {
    faceOf,

    refreshTokenOf(request, inBody) {
      const face = faceOf(request)
      if (face === undefined) {
        if (inBody !== undefined) return inBody
        throw invalidFields([{ field: 'refresh_token', code: 'required', message: 'This field is required.' }])
      }
      if (inBody !== undefined) {
        throw invalidFields([
          { field: 'refresh_token', code: 'invalid', message: 'The cookie already holds the token. Remove this field.' },
        ])
      }
      const start = `${nameOf(face)}=`
      const kept = (request.headers.cookie ?? '').split(/;\s*/).find((part) => part.startsWith(start))
      if (kept === undefined) {
        throw new Refusal(401, 'authentication_required', 'This browser has no session for this dashboard. Sign in.')
      }
      return kept.slice(start.length)
    },

    issue(request, reply, tokens) {
      void reply.header('cache-control', 'no-store')
      const face = faceOf(request)
      const answer = tokensToJson(tokens)
      if (face === undefined) return answer
      const { idleSeconds } = config.sessions.lifetimes[roleOf[face]]
      void reply.header('set-cookie', cookie(face, tokens.refreshToken, idleSeconds))
      devices.remember(request, reply, tokens.userId)
      const { refresh_token: _kept, ...rest } = answer
      return rest
    },

    forget(face, reply) {
      void reply.header('set-cookie', cookie(face, '', 0))
    },
  }
}
