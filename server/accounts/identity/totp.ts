/**
 * One-time codes of an authenticator app (RFC 6238 with SHA-1, 6 digits, 30 seconds, which every such app supports). Invariant: a
 * code is accepted in its own step and the ones beside it, and no step counts twice, nor one before a step that was used.
 */
import { HOTP, Secret, TOTP } from 'otpauth'

const shape = { algorithm: 'SHA1', digits: 6, period: 30 } as const
const secretBytes = 20

export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32
}

/** The content of the QR code for an authenticator app; `account` is the name of the entry. */
export function otpauthUrl(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...shape, issuer, label: account, secret: Secret.fromBase32(secret) }).toString()
}

/** What an authenticator app shows at this moment, and for how many more seconds. */
export function codeAt(secret: string, nowMs: number): { code: string; secondsLeft: number } {
  const code = new TOTP({ ...shape, secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs })
  return { code, secondsLeft: shape.period - (Math.floor(nowMs / 1000) % shape.period) }
}

export const codeOfApp = /^\d{6}$/

/**
 * The step of this code: the current one, the one before (slow typing) or the one after (a phone whose clock is fast); undefined when it
 * is none of them, or not after `lastStep`.
 */
export function stepOfCode(secret: string, code: string, now: Date, lastStep: number | null): number | undefined {
  const current = TOTP.counter({ period: shape.period, timestamp: now.getTime() })
  const key = Secret.fromBase32(secret)
  return [current, current - 1, current + 1].find(
    (step) =>
      (lastStep === null || step > lastStep) &&
      HOTP.validate({ token: code, secret: key, algorithm: shape.algorithm, digits: shape.digits, counter: step, window: 0 }) !==
        null,
  )
}
