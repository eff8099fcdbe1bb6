/**
 * Passwords: argon2id with the parameters of OWASP ASVS 5.0 appendix C. Invariant: a check costs the same whether the user exists
 * or not, and a flood of checks waits in a short queue instead of taking every thread of the process.
 */
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { createQueue } from '../platform/queue.ts'
import { Refusal } from '../platform/refusal.ts'
import { characterCount } from '../platform/text.ts'

export const minPasswordCharacters = 12
export const maxPasswordCharacters = 128

function hasLength(password: string, min: number): boolean {
  const count = characterCount(password)
  return count >= min && count <= maxPasswordCharacters
}

/** A password that is being chosen: no rule about its composition, only its length in characters. */
export const newPassword = z
  .string()
  .refine(
    (password) => hasLength(password, minPasswordCharacters),
    `A password has ${minPasswordCharacters} to ${maxPasswordCharacters} characters.`,
  )
  .meta({ minLength: minPasswordCharacters, maxLength: maxPasswordCharacters })

/** A password that is being tried: a short one is simply wrong. */
export const triedPassword = z
  .string()
  .refine((password) => hasLength(password, 1), `A password has at most ${maxPasswordCharacters} characters.`)
  .meta({ minLength: 1, maxLength: maxPasswordCharacters, format: 'password' })

export type Passwords = {
  hash(password: string): Promise<string>
  /** Whether `password` is the one behind `passwordHash`; without a hash it is not, after the same work. */
  matches(passwordHash: string | undefined, password: string): Promise<boolean>
  /** Whether a hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean
}

/** Memory in KiB. The algorithm is argon2id, the package's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const overloaded = new Refusal(503, 'overloaded', 'Too many people are signing in. Try again shortly.', { retryAfterSeconds: 2 })

function encoded(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '')
}

/** The same password may reach us composed or decomposed, depending on the keyboard (RFC 8265 section 4.2.2). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFC'))
}

/** `maxRunning` stays below the four threads that Node shares with DNS and files. */
export function createPasswords({ maxRunning = 2, maxWaiting = 100 } = {}): Passwords {
  const queued = createQueue({ maxRunning, maxWaiting, overloaded })
  const { memoryCost, timeCost, parallelism } = parameters
  // Nobody's hash: well formed, so that checking against it does all the work, and matched by no password.
  const nobody = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${encoded(16)}$${encoded(32)}`
  return {
    hash: async (password) => queued(() => hash(bytesOf(password), parameters)),
    matches: async (passwordHash, password) => queued(() => verify(passwordHash ?? nobody, bytesOf(password))),
    isOutdated(passwordHash) {
      const used = parseOptions(passwordHash)
      return used.memoryCost !== memoryCost || used.timeCost !== timeCost || used.parallelism !== parallelism
    },
  }
}
