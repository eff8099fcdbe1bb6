/**
 * Codes that come by mail: six digits, each for one person, purpose and address. Invariant: only a keyed hash of a code is stored, because
 * six digits are found from a plain one in no time; that they are not found by trying is the count of wrong tries.
 */
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { hmacSha256 } from '../platform/crypto/keyed.ts'
import type { MailedPurpose } from './mailed-token.sql.ts'

const digits = 6

export const mailedCode = z
  .string()
  .trim()
  .regex(/^\d{6}$/, 'Enter the six digits from the mail.')
  .meta({ description: 'The six digits from the mail.', example: '048213' })

export function newMailedCode(): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0')
}

export type MailedCodeKeys = Pick<Config['keys'], 'mailedCode'>

/** The hashes under which a code can be kept, the one for what is written first. */
export function hashesOfMailedCode(
  keys: MailedCodeKeys,
  about: { userId: string; purpose: MailedPurpose },
  code: string,
): [Buffer, ...Buffer[]] {
  const text = JSON.stringify([about.userId, about.purpose, code])
  const [first, ...others] = keys.mailedCode.map((key) => hmacSha256(key).update(text).digest())
  return [first!, ...others]
}
