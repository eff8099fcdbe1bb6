/** HTTP routes for actions that a mailed code proves: resetting a password and verifying an e-mail address. */
import { personRoute, publicRoute, type SignedInRouteDeps } from './route.ts'
import { z } from 'zod'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { createFairQueue } from '../../platform/process/fair-queue.ts'
import { networkOf, type Limit } from '../../platform/http/limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import { originOf, originOfUser } from './authenticate.ts'
import type { MailTokenDeps } from './mail-token.ts'
import { rememberNetwork } from './known-networks.ts'
import { mailedCode } from './mailed-code.ts'
import { newPassword } from './password.ts'
import { requestPasswordReset, resetPassword, type ResetDeps } from './reset-password.ts'
import { emailAddress } from './user.ts'
import { resendVerification, verifyEmail } from './verify-email.ts'

export type MailedCodeRouteDeps = SignedInRouteDeps &
  ResetDeps & {
    config: SignedInRouteDeps['config'] & MailTokenDeps['config']
    limits: Record<'passwordReset', Limit>
    inBackground(work: Promise<unknown>): void
  }

const sent = dataOf(z.object({ sent: z.literal(true) }))

// Fewer than the connections of the pool, so that a flood of resets leaves connections for other requests.
const maxResetsRunning = 2
const maxResetsWaiting = 100
const tooManyResets = new Refusal(503, 'overloaded', 'Too many password resets are being requested. Try again shortly.', {
  retryAfterSeconds: 2,
})

export function mailedCodeRoutes(http: Http, deps: MailedCodeRouteDeps): void {
  const queue = createFairQueue({
    maxRunning: maxResetsRunning,
    // A reset that waits for a locked account must not take every place.
    maxRunningPerKey: 1,
    maxWaiting: maxResetsWaiting,
    first: 'newest',
    overloaded: tooManyResets,
  })

  publicRoute(http, {
    route: 'POST /v1/auth/password/forgot',
    operationId: 'forgotPassword',
    summary: 'Request a password reset code',
    description:
      'If an account has this address, a code is mailed to it. The code is valid for 30 minutes and replaces the previous one. At most one mail a minute; after ten in 24 hours, one in 30 minutes. The answer is the same if no account has this address. When too many requests arrive at once, the callers that have sent the most get 503 `overloaded` or no mail, for any address: try again after a minute.',
    body: z.strictObject({ email: emailAddress }),
    answers: { 200: sent },
    handler: async (request) => {
      // Runs after the answer, so that neither the text nor the duration of the answer reveals whether the account exists.
      const { email } = request.body
      const keys = [`account:${email}`, `address:${networkOf(request.ip)}`]
      const work = queue.run(keys, () => requestPasswordReset(deps, email))
      const logged = work.catch((error: unknown) => {
        // The queue dropped this request in favour of a caller with fewer requests.
        if (error === tooManyResets) return
        deps.log.error('password_reset.mail_failed', error, { request_id: request.id })
      })
      deps.inBackground(logged)
      return { data: { sent: true as const } }
    },
  })

  publicRoute(http, {
    route: 'POST /v1/auth/password/reset',
    operationId: 'resetPassword',
    summary: 'Reset your password',
    description:
      'Sets a new password with the code from the mail. Ends every session of the account and invalidates all its reset codes. It does not sign you in: sign in with the new password and, if you have one, your second factor. A wrong, expired or used code: 400 `token_invalid`. Five wrong attempts invalidate the code. After ten wrong attempts in 24 hours from one network for one account: 429 `rate_limited`.',
    body: z.strictObject({ email: emailAddress, code: mailedCode, password: newPassword.meta({ format: 'password' }) }),
    answers: { 200: dataOf(z.object({ reset: z.literal(true) })) },
    refuses: ['token_invalid'],
    handler: async (request, reply) => {
      // Prevents a stranger from ending one code after another: one network can end two of an account's ten codes a day.
      const who = `${request.body.email} ${networkOf(request.ip)}`
      let window = 0
      await deps.limits.passwordReset.take(who, reply, (counted) => void (window = counted))
      let isWrong = false
      try {
        const { userId } = await resetPassword(deps, request.body, (id) => originOfUser(request, id))
        // The network becomes known, so that attackers elsewhere do not slow the owner down here.
        await rememberNetwork(deps, userId, networkOf(request.ip))
      } catch (error) {
        isWrong = error instanceof Refusal && error.code === 'token_invalid'
        throw error
      } finally {
        if (!isWrong) await deps.limits.passwordReset.refund(who, reply, window)
      }
      return { data: { reset: true as const } }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/email/verify',
    operationId: 'verifyEmail',
    summary: 'Verify an e-mail address',
    description:
      'Takes the code that was mailed to the address. A code that is wrong, expired, used, or was sent to another address or person: 400 `token_invalid`. Five wrong attempts invalidate the code.',
    body: z.strictObject({ code: mailedCode }),
    answers: { 200: dataOf(z.object({ email_verified: z.literal(true) })) },
    refuses: ['token_invalid'],
    handler: async (request) => {
      await verifyEmail(deps, request.signedIn.userId, request.body.code, originOf(request))
      return { data: { email_verified: true as const } }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/email/resend',
    operationId: 'resendEmailVerification',
    summary: 'Resend the e-mail verification code',
    description:
      'The code is valid for 30 minutes and replaces the previous one. At most one mail a minute and ten in 24 hours, including the one sent at registration: 429 `rate_limited`. Already verified: 409 `invalid_state`.',
    body: z.strictObject({}).prefault({}),
    answers: { 200: sent },
    refuses: ['invalid_state'],
    handler: async (request) => {
      await resendVerification(deps, request.signedIn.userId)
      return { data: { sent: true as const } }
    },
  })
}
