/**
 * Passwords: argon2id with the parameters of OWASP ASVS 5.0 appendix C. Invariant: a check costs the same whether the user exists
 * or not; a flood of checks waits in a short queue instead of taking every thread of the process, and it waits behind everybody else.
 */
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFairQueue, createRecentCounts } from '../platform/process/fair-queue.ts'
import { Refusal } from '../platform/refusal.ts'
import { characterCount } from '../platform/http/text.ts'

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
    `The password must have ${minPasswordCharacters} to ${maxPasswordCharacters} characters.`,
  )
  .meta({ minLength: minPasswordCharacters, maxLength: maxPasswordCharacters })

/** A password that is being tried: a short one is simply wrong. */
export const triedPassword = z
  .string()
  .refine((password) => hasLength(password, 1), `The password must have at most ${maxPasswordCharacters} characters.`)
  .meta({ minLength: 1, maxLength: maxPasswordCharacters, format: 'password' })

/** For whom a password is hashed: the account, and the network address that asks. Those who have asked least of late go first. */
export type Asker = { account?: string; address?: string }

export type Passwords = {
  hash(password: string, asker: Asker): Promise<string>
  /** Whether `password` is the one behind `passwordHash`; without a hash it is not, after the same work. */
  matches(passwordHash: string | undefined, password: string, asker: Asker): Promise<boolean>
  /** Whether a hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean
}

/** Memory in KiB. The algorithm is argon2id, the package's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const overloaded = new Refusal(503, 'overloaded', 'Too many sign-ins at the moment. Try again shortly.', { retryAfterSeconds: 2 })

function encoded(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '')
}

/** The same password may reach us composed or decomposed, depending on the keyboard (RFC 8265 section 4.2.2). */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFC'))
}

const keysOf = ({ account, address }: Asker): string[] => [
  ...(account === undefined ? [] : [`account:${account}`]),
  ...(address === undefined ? [] : [`address:${address}`]),
]

/**
 * Wrong passwords within a minute or two that are answered at once: of one account, from one address, and of all that this process checks;
 * and how the answers to the others are held back.
 */
const usualBeforeDelay = { account: 10, address: 20, all: 200 }
const delayStepMs = 500
const maxDelayMs = 10_000

/** `maxRunning` stays below the four threads that Node shares with DNS and files. */
export function createPasswords({ maxRunning = 2, maxWaiting = 100, wrongBeforeDelay = usualBeforeDelay } = {}): Passwords {
  // Those who have waited for long have mostly given up, and whoever floods us comes again: of equals the newest goes first.
  const queue = createFairQueue({ maxRunning, maxWaiting, first: 'newest', overloaded })
  const { memoryCost, timeCost, parallelism } = parameters
  const wrong = createRecentCounts()

  /**
   * Clients that wait for their answers cannot try faster than they are answered. Right passwords are never held back, because an
   * address may be that of a carrier with thousands behind it.
   */
  async function delayWrong(asker: Asker): Promise<void> {
    const keys = { account: asker.account, address: asker.address, all: '' }
    const excesses = Object.entries(keys).map(([kind, who]) => {
      if (who === undefined) return 0
      const key = `${kind}:${who}`
      wrong.note([key], 1)
      return wrong.of([key]) - wrongBeforeDelay[kind as keyof typeof keys]
    })
    const delayMs = Math.min(maxDelayMs, Math.max(...excesses) * delayStepMs)
    if (delayMs > 0) await sleep(delayMs)
  }

  // Nobody's hash: well formed, so that checking against it does all the work, and matched by no password.
  const nobody = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${encoded(16)}$${encoded(32)}`
  return {
    hash: async (password, asker) => queue.run(keysOf(asker), () => hash(bytesOf(password), parameters)),
    async matches(passwordHash, password, asker) {
      const isRight = await queue.run(keysOf(asker), () => verify(passwordHash ?? nobody, bytesOf(password)))
      // A flood is of wrong ones: who signs in again and again keeps their place.
      if (isRight) queue.forgive(keysOf(asker))
      else await delayWrong(asker)
      return isRight
    },
    isOutdated(passwordHash) {
      const used = parseOptions(passwordHash)
      return used.memoryCost !== memoryCost || used.timeCost !== timeCost || used.parallelism !== parallelism
    },
  }
}
