/**
 * Passwords: argon2id with the parameters of OWASP ASVS 5.0 appendix C. Invariant: a check costs the same whether the user exists
 * or not; a flood of checks waits in a short queue instead of using every thread of the process, and it waits behind all other
 * callers.
 */
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFairQueue, createRecentCounts } from '../../platform/process/fair-queue.ts'
import { Refusal } from '../../platform/refusal.ts'
import { characterCount } from '../../platform/http/text.ts'

export const minPasswordCharacters = 12
export const maxPasswordCharacters = 128

function hasLength(password: string, min: number): boolean {
  const count = characterCount(password)
  return count >= min && count <= maxPasswordCharacters
}

/** A new password: no rule about its composition, only about its length in characters. */
export const newPassword = z
  .string()
  .refine(
    (password) => hasLength(password, minPasswordCharacters),
    `The password must have ${minPasswordCharacters} to ${maxPasswordCharacters} characters.`,
  )
  .meta({ minLength: minPasswordCharacters, maxLength: maxPasswordCharacters })

/** A password to check: a short one is simply wrong. */
export const triedPassword = z
  .string()
  .refine((password) => hasLength(password, 1), `The password must have at most ${maxPasswordCharacters} characters.`)
  .meta({ minLength: 1, maxLength: maxPasswordCharacters, format: 'password' })

/** The account and the network address that a password is hashed for. Callers with the fewest recent requests run first. */
export type Caller = { account?: string; address?: string }

export type Passwords = {
  hash(password: string, caller: Caller): Promise<string>
  /** Whether `password` matches `passwordHash`; without a hash it returns false after the same work. */
  matches(passwordHash: string | undefined, password: string, caller: Caller): Promise<boolean>
  /** Whether a hash was made with other parameters than the current ones. */
  isOutdated(passwordHash: string): boolean
}

/** Memory in KiB. The algorithm is argon2id, the package's default. `least` is what the algorithm allows. */
const parametersOf = {
  full: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
  least: { memoryCost: 8, timeCost: 1, parallelism: 1 },
}

const overloaded = new Refusal(503, 'overloaded', 'Too many sign-ins at the moment. Try again shortly.', { retryAfterSeconds: 2 })

function encoded(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '')
}

/** The same password may reach us composed or decomposed, depending on the keyboard (RFC 8265 section 4.2.2). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFC'))
}

const keysOf = ({ account, address }: Caller): string[] => [
  ...(account === undefined ? [] : [`account:${account}`]),
  ...(address === undefined ? [] : [`address:${address}`]),
]

/**
 * How many wrong passwords within one to two minutes are answered at once: for one account, from one address, and in total for
 * this process; and how the other answers are delayed.
 */
const usualBeforeDelay = { account: 10, address: 20, all: 200 }
const delayStepMs = 500
const maxDelayMs = 10_000

/** `maxRunning` stays below the four threads that Node shares with DNS and files. */
export function createPasswords({
  cost = 'full' as keyof typeof parametersOf,
  maxRunning = 2,
  maxWaiting = 100,
  wrongBeforeDelay = usualBeforeDelay,
} = {}): Passwords {
  // Callers that have waited long have mostly given up, and a flood sends new requests anyway: among equals the newest runs
  // first.
  const queue = createFairQueue({ maxRunning, maxWaiting, first: 'newest', overloaded })
  const parameters = parametersOf[cost]
  const { memoryCost, timeCost, parallelism } = parameters
  const wrong = createRecentCounts()

  /**
   * A client that waits for its answers cannot try faster than it is answered. Correct passwords are never delayed, because a
   * carrier may have thousands of users behind one address.
   */
  async function delayWrong(caller: Caller): Promise<void> {
    const keys = { account: caller.account, address: caller.address, all: '' }
    const excesses = Object.entries(keys).map(([kind, who]) => {
      if (who === undefined) return 0
      const key = `${kind}:${who}`
      wrong.note([key], 1)
      return wrong.of([key]) - wrongBeforeDelay[kind as keyof typeof keys]
    })
    const delayMs = Math.min(maxDelayMs, Math.max(...excesses) * delayStepMs)
    if (delayMs > 0) await sleep(delayMs)
  }

  // The hash of no account: well formed, so that a check does all the work, but no password matches it.
  const hashOfNoAccount = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${encoded(16)}$${encoded(32)}`
  return {
    hash: async (password, caller) => queue.run(keysOf(caller), () => hash(bytesOf(password), parameters)),
    async matches(passwordHash, password, caller) {
      const isRight = await queue.run(keysOf(caller), () => verify(passwordHash ?? hashOfNoAccount, bytesOf(password)))
      // Only wrong passwords count as a flood: repeated correct sign-ins keep their priority.
      if (isRight) queue.forgive(keysOf(caller))
      else await delayWrong(caller)
      return isRight
    },
    isOutdated(passwordHash) {
      const used = parseOptions(passwordHash)
      return used.memoryCost !== memoryCost || used.timeCost !== timeCost || used.parallelism !== parallelism
    },
  }
}
