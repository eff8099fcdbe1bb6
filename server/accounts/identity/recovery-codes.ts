/** Recovery codes: a person without their authenticator app signs in with one. Invariant: only hashes are stored, and each code works once. */
import { createHash, randomBytes } from 'node:crypto'
import { codeTyped } from '../../domain/typed.ts'

const recoveryCodeCount = 10
/** 120 bits, a whole number of characters. */
const codeBytes = 15
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

function newRecoveryCode(): string {
  let bits = BigInt(`0x${randomBytes(codeBytes).toString('hex')}`)
  let text = ''
  for (let place = 0; place < (codeBytes * 8) / 5; place += 1) {
    text += alphabet[Number(bits & 31n)]!
    bits >>= 5n
  }
  return text.replace(/(.{4})(?=.)/g, '$1-')
}

/** Ten codes in readable form: `k7m2-…`, six groups of four. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, newRecoveryCode)
}

/** The stored hash of a code in any spelling: letter case, spaces, dashes and look-alikes (o, i, l) are ignored. */
export function hashOfRecoveryCode(code: string): Buffer {
  const plain = codeTyped(code).toLowerCase().replaceAll('o', '0').replace(/[il]/g, '1')
  return createHash('sha256').update(plain).digest()
}
