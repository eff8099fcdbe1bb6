/**
 * Access tokens: signed statements of the user and session, valid for 15 minutes. Invariant: a token is verified with a key of
 * this process's own keyring and with the one algorithm of that keyring; nothing inside a token chooses the origin of a key, the
 * algorithm or an address to fetch (RFC 8725, RFC 9068).
 */
import { createPublicKey, randomUUID, type KeyObject } from 'node:crypto'
import { decodeJwt, errors, jwtVerify, SignJWT, type JWTHeaderParameters } from 'jose'
import { z } from 'zod'
import type { Role } from '../../domain/account.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../platform/clock.ts'
import { fromWire, toWire } from '../../platform/ids.ts'

export type AccessTokenDeps = { clock: Clock; config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'cell'> }

type AccessTokenOutcome =
  | { kind: 'genuine'; userId: string; sessionId: string; audience: Role; endsAt: number }
  | { kind: 'expired' }
  /** Not a token of this service, or not for this audience; `reason` is for the log only. */
  | { kind: 'refused'; reason: string }

export type AccessTokens = {
  sign(claims: { userId: string; sessionId: string; role: Role; amr: string[] }): Promise<string>
  verify(token: string): Promise<AccessTokenOutcome>
  /** The public keys in the format of RFC 7517. */
  readonly jwks: z.infer<typeof jwksSchema>
}

export const jwksSchema = z.object({
  keys: z.array(
    z.object({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: z.string(),
      use: z.literal('sig'),
      alg: z.literal('EdDSA'),
    }),
  ),
})

const algorithm = 'EdDSA'
/** By role: a token that is signed for one role is not accepted for the other. */
const audiences: Record<Role, string> = { student: 'malipo', admin: 'malipo-operators' }
const tokenType = 'at+jwt'
const leewaySeconds = 30
const maxTokenCharacters = 4096
const headersThatBringKeys = ['jku', 'jwk', 'x5u', 'x5c'] as const

const claimsSchema = z.object({
  sub: z.string(),
  sid: z.string(),
  jti: z.string(),
  amr: z.array(z.string()).min(1),
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
})

/** The cell that a token names, before its signature is checked: another cell has other keys. */
export function cellOfAccessToken(token: string): string | undefined {
  try {
    const { cell } = decodeJwt(token)
    return typeof cell === 'string' ? cell : undefined
  } catch {
    return undefined
  }
}

export function createAccessTokens({ clock, config }: AccessTokenDeps): AccessTokens {
  const publicKeys = new Map<string, KeyObject>(config.keys.signing.map((key) => [key.id, createPublicKey(key.privateKey)]))
  const signingKey = config.keys.signing[0]!
  const issuer = config.urls.api
  const { accessTokenSeconds } = config.sessions

  function keyFor(header: JWTHeaderParameters): KeyObject {
    if (headersThatBringKeys.some((name) => header[name] !== undefined))
      throw new errors.JOSENotSupported('the token brings a key')
    const key = publicKeys.get(header.kid ?? '')
    if (!key) throw new errors.JWKSNoMatchingKey('unknown kid')
    return key
  }

  return {
    jwks: {
      keys: [...publicKeys].map(([kid, key]) => ({
        kty: 'OKP',
        crv: 'Ed25519',
        x: key.export({ format: 'jwk' }).x!,
        kid,
        use: 'sig',
        alg: algorithm,
      })),
    },

    sign({ userId, sessionId, role, amr }) {
      const issuedAt = Math.floor(clock.now() / 1000)
      const cell = config.cell.name
      return new SignJWT({ sid: toWire('ses', sessionId), amr, ...(cell && { cell }) })
        .setProtectedHeader({ alg: algorithm, typ: tokenType, kid: signingKey.id })
        .setIssuer(issuer)
        .setAudience(audiences[role])
        .setSubject(toWire('usr', userId))
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + accessTokenSeconds)
        .sign(signingKey.privateKey)
    },

    async verify(token) {
      if (token.length > maxTokenCharacters) return { kind: 'refused', reason: 'too long' }
      try {
        const { payload } = await jwtVerify(token, keyFor, {
          algorithms: [algorithm],
          issuer,
          audience: Object.values(audiences),
          typ: tokenType,
          clockTolerance: leewaySeconds,
          currentDate: new Date(clock.now()),
          requiredClaims: ['iss', 'aud', 'sub', 'sid', 'amr', 'jti', 'iat', 'exp'],
        })
        const claims = claimsSchema.safeParse(payload)
        if (!claims.success) return { kind: 'refused', reason: 'claims' }
        const userId = fromWire('usr', claims.data.sub)
        const sessionId = fromWire('ses', claims.data.sid)
        if (userId === undefined || sessionId === undefined) return { kind: 'refused', reason: 'claims' }
        const { aud, iat, exp } = claims.data
        // Only someone with our key, or with a way to get a token signed, could make one that lives longer.
        if (exp - iat > accessTokenSeconds) return { kind: 'refused', reason: 'lifetime' }
        if (iat > clock.now() / 1000 + leewaySeconds) return { kind: 'refused', reason: 'issued_in_future' }
        return { kind: 'genuine', userId, sessionId, audience: aud === audiences.admin ? 'admin' : 'student', endsAt: exp * 1000 }
      } catch (error) {
        if (error instanceof errors.JWTExpired) return { kind: 'expired' }
        if (error instanceof errors.JOSEError) return { kind: 'refused', reason: error.code }
        throw error
      }
    },
  }
}
