/**
 * Opens the encryption of a PDF that needs no password to be read: what an owner's password leaves, by the standard security handler
 * of ISO 32000-2, 7.6 (revisions 2 to 6). Invariant: a key is used only if the check value of the file confirms that it is the one
 * of the empty password.
 */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'
import { decodeText, isName, isText, isWord, type Value } from './pdf-grammar.ts'

/** Decrypts the data of a stream of the object with this label. Bytes after the end of the data become other bytes. */
export type Decrypt = (data: Buffer, label: { number: number; generation: number }) => Buffer

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
const noVector = Buffer.alloc(16)

const hash = (name: 'md5' | 'sha256' | 'sha384' | 'sha512', ...parts: Buffer[]): Buffer =>
  createHash(name).update(Buffer.concat(parts)).digest()

/** Encrypts or decrypts, which are the same. OpenSSL has this cipher only where its old ones were loaded. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, place) => place)
  for (let i = 0, j = 0; i < 256; i++) {
    const one = state[i]!
    j = (j + one + key[i % key.length]!) & 255
    state[i] = state[j]!
    state[j] = one
  }
  const output = Buffer.alloc(data.length)
  for (let at = 0, i = 0, j = 0; at < data.length; at++) {
    i = (i + 1) & 255
    const one = state[i]!
    j = (j + one) & 255
    const other = state[j]!
    state[i] = other
    state[j] = one
    output[at] = data[at]! ^ state[(one + other) & 255]!
  }
  return output
}

/** Decrypts the whole blocks after the vector that the data begin with. */
function decryptAes(key: Buffer, data: Buffer): Buffer {
  const whole = data.subarray(0, data.length - (data.length % 16))
  if (whole.length < 32) return Buffer.alloc(0)
  return createDecipheriv(`aes-${key.length * 8}-cbc`, key, whole.subarray(0, 16))
    .setAutoPadding(false)
    .update(whole.subarray(16))
}

/** The hash of revisions 5 and 6 for the empty password of a user. */
function hashOf(salt: Buffer, revision: number): Buffer {
  let key = hash('sha256', salt)
  if (revision === 5) return key
  // The last byte of a round is at most 255: there are no more than 287 rounds.
  for (let round = 1; ; round++) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false)
    const encrypted = cipher.update(Buffer.concat(Array<Buffer>(64).fill(key)))
    const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3
    key = hash((['sha256', 'sha384', 'sha512'] as const)[remainder]!, encrypted)
    if (round >= 64 && encrypted.at(-1)! <= round - 32) return key.subarray(0, 32)
  }
}

type Facts = {
  revision: number
  owner: Buffer
  user: Buffer
  userKey: Buffer
  rights: number
  id: Buffer
  hidesMetadata: boolean
}

/** The key of the whole file with this length, for the empty password; `undefined` if a password is needed. */
function openOld({ revision, owner, user, rights, id, hidesMetadata }: Facts, length: number): Buffer | undefined {
  const rightsBytes = Buffer.alloc(4)
  rightsBytes.writeInt32LE(rights | 0)
  const tail = revision >= 4 && !hidesMetadata ? [Buffer.alloc(4, 255)] : []
  let key = hash('md5', padding, owner.subarray(0, 32), rightsBytes, id, ...tail).subarray(0, length)
  if (revision === 2) return rc4(key, padding).equals(user.subarray(0, 32)) ? key : undefined
  for (let i = 0; i < 50; i++) key = hash('md5', key).subarray(0, length)
  let expected = hash('md5', padding, id)
  for (let i = 0; i < 20; i++) {
    const other = key.map((byte) => byte ^ i)
    expected = rc4(Buffer.from(other), expected)
  }
  return expected.equals(user.subarray(0, 16)) ? key : undefined
}

/** The same for keys of 256 bits, which the file has in an encrypted form. */
function openNew({ revision, user, userKey }: Facts): Buffer | undefined {
  if (user.length < 48 || userKey.length < 32) return undefined
  if (!hashOf(user.subarray(32, 40), revision).equals(user.subarray(0, 32))) return undefined
  const cipher = createDecipheriv('aes-256-cbc', hashOf(user.subarray(40, 48), revision), noVector)
  return cipher.setAutoPadding(false).update(userKey.subarray(0, 32))
}

/** The ways to encrypt a stream by their names in a file, and whether a key of so many bytes is one of theirs. */
const isKeyLength = {
  None: () => true,
  V2: (length: number) => length >= 5 && length <= 16,
  AESV2: (length: number) => length === 16,
  AESV3: (length: number) => length === 32,
}
type Method = keyof typeof isKeyLength

/** How streams are encrypted. The first versions have one way; later ones name a filter. */
function methodOf(dictionary: Map<string, Value>, version: number): Method | undefined {
  if (version === 1 || version === 2) return 'V2'
  const name = dictionary.get('StmF')
  if (!isName(name) || name.name === 'Identity') return 'None'
  const filters = dictionary.get('CF')
  const filter = filters instanceof Map ? filters.get(name.name) : undefined
  const method = filter instanceof Map ? filter.get('CFM') : undefined
  return isName(method) && Object.hasOwn(isKeyLength, method.name) ? (method.name as Method) : undefined
}

/**
 * `dictionary` is the file's encryption dictionary, read from `bytes`; `id` the first part of the file's id. Returns `undefined` if the
 * file needs a password or another handler. Two files, or two dictionaries of one, with the same `name` are decrypted in the same way.
 */
export function openEncryption(
  bytes: Buffer,
  dictionary: Map<string, Value>,
  id: Buffer,
): { name: string; decrypt: Decrypt } | undefined {
  const numberOf = (key: string, otherwise: number): number => {
    const value = dictionary.get(key) ?? otherwise
    return typeof value === 'number' ? value : Number.NaN
  }
  const textOf = (key: string): Buffer => {
    const value = dictionary.get(key)
    return isText(value) ? decodeText(bytes, value) : Buffer.alloc(0)
  }
  const [filter, metadata] = [dictionary.get('Filter'), dictionary.get('EncryptMetadata')]
  const [version, revision] = [numberOf('V', 0), numberOf('R', 0)]
  const isKnown = version === 5 ? revision === 5 || revision === 6 : [1, 2, 4].includes(version) && [2, 3, 4].includes(revision)
  const method = methodOf(dictionary, version)
  if (!isName(filter) || filter.name !== 'Standard' || !isKnown || method === undefined) return undefined
  const facts: Facts = {
    revision,
    id,
    owner: textOf('O'),
    user: textOf('U'),
    userKey: textOf('UE'),
    rights: numberOf('P', 0),
    hidesMetadata: !(isWord(metadata) && metadata.word === 'false'),
  }
  // Writers that leave the length out, or give it in bytes, mean 40 or 128 bits: the check value says which.
  const lengths = version === 1 ? [5] : [numberOf('Length', 40) / 8, 16, 5].filter((one) => one >= 5 && one <= 16)
  const key = version === 5 ? openNew(facts) : lengths.map((one) => openOld(facts, one)).find((one) => one !== undefined)
  if (key === undefined || !isKeyLength[method](key.length)) return undefined
  return {
    name: `${method} ${key.toString('hex')}`,
    decrypt(data, { number, generation }) {
      if (method === 'None') return data
      if (method === 'AESV3') return decryptAes(key, data)
      const label = Buffer.alloc(5)
      label.writeUIntLE(number % 2 ** 24, 0, 3)
      label.writeUIntLE(generation % 2 ** 16, 3, 2)
      const salt = method === 'AESV2' ? [Buffer.from('sAlT')] : []
      const own = hash('md5', key, label, ...salt).subarray(0, Math.min(key.length + 5, 16))
      return method === 'AESV2' ? decryptAes(own, data) : rc4(own, data)
    },
  }
}
