/** The public form of tokens, for every route that returns them. */
import { z } from 'zod'
import type { Tokens } from './open-session.ts'

export const tokenFields = {
  access_token: z.string().meta({ description: 'A signed JWT. Send it as `Authorization: Bearer …`.' }),
  token_type: z.literal('Bearer'),
  expires_in: z.int().meta({ description: 'Seconds until the access token expires.', example: 900 }),
  refresh_token: z.string().optional().meta({
    description: 'Works once: each refresh returns a new one. Omitted if a cookie holds it.',
    example: 'mrt_AZfB…',
  }),
}

/** The answer of a sign-in for a person with a second factor. */
export const challengeFields = {
  two_factor_required: z.literal(true),
  challenge_token: z
    .string()
    .meta({ description: 'Send it with a code to `POST /v1/auth/2fa/verify`. It works once.', example: '6f1c…' }),
  expires_in: z.int().meta({ description: 'Seconds until the challenge expires.', example: 300 }),
}

export function tokensToJson(tokens: Tokens): z.infer<z.ZodObject<typeof tokenFields>> {
  return {
    access_token: tokens.accessToken,
    token_type: 'Bearer',
    expires_in: tokens.expiresInSeconds,
    refresh_token: tokens.refreshToken,
  }
}
