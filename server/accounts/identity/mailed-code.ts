/**
 * Codes that are sent by mail: six digits, each for one person, purpose and address. Invariant: only a keyed hash of a code is
 * stored, because six digits are quickly found from a plain hash; the count of wrong tries prevents guessing.
 */
import { randomInt } from 'node:crypto'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { codeTyped } from '../../domain/typed.ts'
import { hmacSha256 } from '../../platform/crypto/keyed.ts'
import type { MailedPurpose } from './mailed-token.sql.ts'

const digits = 6

export const mailedCode = z
  .string()
  .overwrite(codeTyped)
  .regex(/^\d{6}$/, 'Enter the six digits from the mail.')
  .meta({ description: 'The six digits from the mail.', example: '048213' })

export function newMailedCode(): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0')
}

export type MailedCodeKeys = Pick<Config['keys'], 'mailedCode'>

/** The hashes under which a code may be stored; the first one is used for new codes. */
export function hashesOfMailedCode(
  keys: MailedCodeKeys,
  about: { userId: string; purpose: MailedPurpose },
  code: string,
): [Buffer, ...Buffer[]] {
  const text = JSON.stringify([about.userId, about.purpose, code])
  const [first, ...others] = keys.mailedCode.map((key) => hmacSha256(key).update(text).digest())
  return [first!, ...others]
}
