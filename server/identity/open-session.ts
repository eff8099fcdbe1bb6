/** Opens a session and hands out its first tokens. */
import type { Config } from '../config.ts'
import type { Db } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import type { AccessTokens } from './access-token.ts'
import { hashOfRefreshToken, writeRefreshToken } from './refresh-token.ts'
import { insertSession } from './session.sql.ts'
import type { Role } from './user.ts'

export type SessionDeps = { db: Db; accessTokens: AccessTokens; config: Pick<Config, 'keys' | 'sessions'> }

export type Tokens = { accessToken: string; expiresInSeconds: number; refreshToken: string }

const maxUserAgentCharacters = 300

/** `amr` says how the person proved to be themselves. */
export async function openSession(
  deps: SessionDeps,
  visit: { userId: string; role: Role; amr: string[]; userAgent: string | undefined },
): Promise<Tokens> {
  const { keys, sessions } = deps.config
  const sessionId = newId()
  const refreshToken = writeRefreshToken(keys.refresh, { sessionId, generation: 0 })
  await insertSession(deps.db, {
    id: sessionId,
    userId: visit.userId,
    amr: visit.amr,
    refreshHash: hashOfRefreshToken(refreshToken),
    ...sessions.lifetimes[visit.role],
    userAgent: visit.userAgent?.slice(0, maxUserAgentCharacters) ?? null,
  })
  const accessToken = await deps.accessTokens.sign({ userId: visit.userId, sessionId, amr: visit.amr })
  return { accessToken, expiresInSeconds: sessions.accessTokenSeconds, refreshToken }
}
