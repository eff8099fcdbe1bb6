/**
 * Secrets at rest. Each value gets its own random data key (AES-256-GCM); the data key is wrapped by a key-encryption key of the
 * keyring, named by its id, so that keys can rotate. Both layers are bound to their row: a ciphertext that was moved to another
 * row, or changed in one bit, does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { secretKeyOf } from './keyed.ts'

export type Keyring = {
  /** The id of the key that new values are sealed under. */
  currentId: string
  /** 32-byte keys by id, including old ones. */
  keys: Map<string, Buffer>
}

export type Sealer = {
  /** `context` names table, column and row. */
  seal(plain: string, context: string): string
  open(sealed: string, context: string): string
  /** The same value under the current key: only its data key is wrapped again. */
  rewrap(sealed: string, context: string): string
}

/** The prefix of every value that is sealed under this key. */
export function sealedPrefix(keyId: string): string {
  return `v1.${keyId}.`
}

const ivBytes = 12
// Without authTagLength Node would accept a tag cut to four bytes.
const gcm = { authTagLength: 16 }

function encrypt(key: Buffer, plain: Buffer, context: string): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', secretKeyOf(key), iv, gcm).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, blob: Buffer, context: string): Buffer {
  const tagStart = blob.length - gcm.authTagLength
  if (tagStart < ivBytes) throw new Error('A sealed value is too short.')
  const decipher = createDecipheriv('aes-256-gcm', secretKeyOf(key), blob.subarray(0, ivBytes), gcm)
    .setAAD(Buffer.from(context))
    .setAuthTag(blob.subarray(tagStart))
  return Buffer.concat([decipher.update(blob.subarray(ivBytes, tagStart)), decipher.final()])
}

export function createSealer(keyring: Keyring): Sealer {
  const keyOf = (id: string): Buffer => {
    const key = keyring.keys.get(id)
    if (!key) throw new Error(`The keyring has no key ${JSON.stringify(id)}.`)
    return key
  }
  const write = (dataKey: Buffer, body: Buffer, context: string): string => {
    const wrapped = encrypt(keyOf(keyring.currentId), dataKey, context)
    return `${sealedPrefix(keyring.currentId)}${wrapped.toString('base64url')}.${body.toString('base64url')}`
  }
  const read = (sealed: string, context: string): { dataKey: Buffer; body: Buffer; plain: Buffer } => {
    const [version, id = '', wrapped = '', text = ''] = sealed.split('.')
    if (version !== 'v1') throw new Error('A sealed value has an unknown version.')
    const dataKey = decrypt(keyOf(id), Buffer.from(wrapped, 'base64url'), context)
    const body = Buffer.from(text, 'base64url')
    return { dataKey, body, plain: decrypt(dataKey, body, context) }
  }
  return {
    seal(plain, context) {
      const dataKey = randomBytes(32)
      return write(dataKey, encrypt(dataKey, Buffer.from(plain), context), context)
    },
    open: (sealed, context) => read(sealed, context).plain.toString(),
    rewrap(sealed, context) {
      // Open the value itself too, so that a damaged value is reported instead of wrapped again.
      const { dataKey, body } = read(sealed, context)
      return write(dataKey, body, context)
    },
  }
}
