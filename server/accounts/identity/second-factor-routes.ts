/** HTTP routes of the second factor: enrolment, sign-in, step-up, removal; and of changing the password. */
import { codeTyped } from '../../domain/typed.ts'
import { personRoute, publicRoute, type SignedInRouteDeps } from './route.ts'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { dataOf, type Http } from '../../platform/http/http.ts'
import { invalidFields } from '../../platform/refusal.ts'
import { originOf, originOfUser, refuseWithoutStepUp } from './authenticate.ts'
import { changePassword } from './change-password.ts'
import { disableSecondFactor } from './disable-second-factor.ts'
import { confirmSecondFactor, enrollSecondFactor } from './enroll-second-factor.ts'
import { newPassword, triedPassword } from './password.ts'
import { hasConfirmedFactor } from './second-factor.sql.ts'
import type { KnownDevices } from './known-device.ts'
import { cookieHeader, type SessionCookies } from './session-cookie.ts'
import { sessionSchema, sessionToJson } from './session.ts'
import { stepUpByCode, stepUpByPassword, type StepUpByDeps } from './step-up.ts'
import { tokenFields } from './token-json.ts'
import { verifySignIn, type VerifySignInDeps } from './verify-sign-in.ts'

export type SecondFactorRouteDeps = SignedInRouteDeps &
  StepUpByDeps &
  VerifySignInDeps & {
    cookies: SessionCookies
    devices: KnownDevices
    config: Pick<Config, 'keys' | 'urls' | 'sessions' | 'secondFactor'>
  }

const code = z.string().overwrite(codeTyped).min(1).max(64)
const anyCode = code.meta({
  description:
    'Six digits from the authenticator app, or a recovery code. Letter case, spaces and hyphens of a recovery code are ignored.',
  example: '492039',
})
const limits =
  'After 5 wrong attempts on an account with less than 15 minutes between them, or 10 since the last correct one, from any address, no attempt is accepted for 15 minutes: 429 `rate_limited`. Each further lock before a correct attempt lasts twice as long, up to 24 hours. Recovery codes have their own 5 attempts in 15 minutes. A code works once, and is accepted half a minute before and after its time.'

export function secondFactorRoutes(http: Http, deps: SecondFactorRouteDeps): void {
  publicRoute(http, {
    route: 'POST /v1/auth/2fa/verify',
    operationId: 'verifySecondFactor',
    summary: 'Complete a two-factor sign-in',
    description: `Exchanges the \`challenge_token\` of a sign-in and a code for tokens. A wrong code (401 \`invalid_code\`) leaves the challenge open. An unknown, used or expired challenge: 401 \`invalid_challenge\`; sign in again. ${limits}`,
    headers: cookieHeader,
    body: z.strictObject({ challenge_token: z.string().min(1).max(200), code: anyCode }),
    answers: { 200: dataOf(z.object(tokenFields)) },
    refuses: ['invalid_code', 'invalid_challenge', 'origin_not_allowed', 'admin_required', 'rate_limited'],
    handler: async (request, reply) => {
      const { challenge_token: challengeToken, code: given } = request.body
      const deviceSinceOf = (userId: string) => deps.devices.sinceOf(request, userId)
      const visit = { challengeToken, code: given, face: deps.cookies.faceOf(request), deviceSinceOf }
      const tokens = await verifySignIn(deps, visit, (userId) => originOfUser(request, userId))
      return { data: deps.cookies.issue(request, reply, tokens) }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/2fa/enroll',
    operationId: 'enrollSecondFactor',
    summary: 'Start authenticator app enrolment',
    description:
      'Returns a new secret. It takes effect when you send a code from it to `POST /v1/auth/2fa/confirm` within 15 minutes; an existing second factor works until then. You must have signed in or stepped up (`POST /v1/auth/step-up`) in the last 5 minutes: 401 `step_up_required`. Starting again creates a new secret.',
    body: z.strictObject({}).prefault({}),
    answers: {
      200: dataOf(
        z.object({
          secret: z
            .string()
            .meta({ description: 'Base32, for typing into the app.', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }),
          otpauth_url: z.string().meta({
            description: 'The same secret as the content of a QR code. SHA-1, 6 digits, 30 seconds.',
            example: 'otpauth://totp/Malipo:asha%40udsm.ac.tz?issuer=Malipo&secret=JBSW…',
          }),
        }),
      ),
    },
    handler: async (request) => {
      const { secret, url } = await enrollSecondFactor(deps, request.signedIn)
      return { data: { secret, otpauth_url: url } }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/2fa/confirm',
    operationId: 'confirmSecondFactor',
    summary: 'Confirm authenticator app enrolment',
    description: `From now on sign-in requires a code, and this session counts as signed in with one. The recovery codes are shown once and replace all older ones; each works once in place of a code from the app. Replacing a second factor ends all your other sessions; adding the first one does not. No enrolment in the last 15 minutes: 409 \`invalid_state\`. Replacing a second factor without a recent step-up: 401 \`step_up_required\`. A wrong code: 401 \`invalid_code\`. ${limits}`,
    body: z.strictObject({ code: code.meta({ description: 'Six digits from the app.', example: '492039' }) }),
    answers: {
      200: dataOf(z.object({ recovery_codes: z.array(z.string().meta({ example: '4k7m-9q2x-0d3f-h8vw-6tzb-1n5p' })) })),
    },
    refuses: ['invalid_code', 'step_up_required', 'invalid_state'],
    handler: async (request) => {
      const recoveryCodes = await confirmSecondFactor(deps, request.signedIn, request.body.code, originOf(request))
      return { data: { recovery_codes: recoveryCodes } }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/2fa/disable',
    operationId: 'disableSecondFactor',
    summary: 'Disable the second factor',
    description: `Sign-in requires only the password again. The recovery codes are deleted, and all your other sessions end. Operators cannot disable it: 403 \`two_factor_required\`. No second factor: 409 \`invalid_state\`. A wrong code: 401 \`invalid_code\`. ${limits}`,
    body: z.strictObject({ code: anyCode }),
    answers: { 200: dataOf(z.object({ enabled: z.literal(false) })) },
    refuses: ['invalid_code', 'invalid_credentials', 'two_factor_required', 'invalid_state'],
    handler: async (request) => {
      await disableSecondFactor(deps, request.signedIn, request.body.code, originOf(request))
      return { data: { enabled: false as const } }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/password/change',
    operationId: 'changePassword',
    summary: 'Change your password',
    description: `Ends all your other sessions. If you have a second factor, you must have proven it in the last 5 minutes: 401 \`step_up_required\`. A wrong current password: 401 \`invalid_credentials\`. ${limits}`,
    body: z.strictObject({ current_password: triedPassword, password: newPassword.meta({ format: 'password' }) }),
    answers: { 200: dataOf(z.object({ ended: z.int().meta({ description: 'Number of other sessions that were ended.' }) })) },
    refuses: ['invalid_credentials', 'step_up_required'],
    admit: async (request) => {
      if (await hasConfirmedFactor(deps.db, request.signedIn.userId)) await refuseWithoutStepUp(deps, request.signedIn)
    },
    handler: async (request) => {
      const { current_password: currentPassword, password } = request.body
      return { data: { ended: await changePassword(deps, request.signedIn, { currentPassword, password }, originOf(request)) } }
    },
  })

  personRoute(http, deps, {
    route: 'POST /v1/auth/step-up',
    operationId: 'stepUp',
    summary: 'Step up the current session',
    description: `Confirms your identity again. Sensitive operations answer 401 \`step_up_required\` unless you have signed in or stepped up in the last 5 minutes. Send \`code\` if you have a second factor, otherwise \`password\`, never both. A wrong value: 401 \`invalid_code\` or \`invalid_credentials\`. ${limits}`,
    body: z.strictObject({ code: anyCode.optional(), password: triedPassword.optional() }).prefault({}),
    answers: { 200: dataOf(sessionSchema) },
    refuses: ['invalid_code', 'invalid_credentials'],
    handler: async (request) => {
      const { signedIn, body } = request
      if ((body.code === undefined) === (body.password === undefined)) {
        throw invalidFields([{ field: 'code', code: 'required', message: 'Send either a code or your password, not both.' }])
      }
      const session =
        body.code === undefined
          ? await stepUpByPassword(deps, signedIn, body.password!, originOf(request))
          : await stepUpByCode(deps, signedIn, body.code, originOf(request))
      return { data: sessionToJson(session, signedIn) }
    },
  })
}
