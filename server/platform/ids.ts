/**
 * Ids: time-ordered UUIDs inside, TypeIDs (`pay_01j…`) on the wire. A money id contains its merchant's home in the 12 `rand_a`
 * bits of the UUIDv7, so that a reference alone identifies where its rows live; the other 62 random bits make it impossible to
 * guess. A derived id (UUIDv8) has the home in the same place, a hash everywhere else, and no time.
 * Sources: RFC 9562 sections 5.7 (UUIDv7) and 5.8 (UUIDv8), the TypeID specification 0.3 (26 Crockford base32 characters of 130
 * bits).
 */
import { hash, randomFillSync } from 'node:crypto'

/** Wire prefixes, one for each kind of object that has a public id. */
export type IdPrefix =
  | 'usr'
  | 'biz'
  | 'doc'
  | 'app'
  | 'key'
  | 'page'
  | 'pay'
  | 'preq'
  | 'rcp'
  | 'cus'
  | 'po'
  | 'rf'
  | 'brk'
  | 'rec'
  | 'pmv'
  | 'txn'
  | 'evt'
  | 'whd'
  | 'wh'
  | 'ses'
  | 'mem'
  | 'arc'
  | 'amr'
  | 'pb'
  | 'case'
  | 'flt'

/** The prefixes whose ids carry a home that divides the data. A break without a merchant has home 0 wherever it is. */
export const moneyPrefixes = [
  'page',
  'pay',
  'preq',
  'rcp',
  'cus',
  'po',
  'rf',
  'txn',
  'evt',
  'whd',
  'arc',
  'amr',
  'pb',
  'case',
] as const satisfies readonly IdPrefix[]

/** Homes in use; every money id reserves 12 bits, so 4,096 are possible without a new id format. */
export const homeCount = 256
export const lastHome = homeCount - 1

/** Both belong to it. */
export type HomeRange = { readonly first: number; readonly last: number }

export const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const hexDigits = '0123456789abcdef'
const hyphen = '-'.charCodeAt(0)
const valueOf = new Map(idAlphabet.split('').map((character, value) => [character, value]))

const pool = Buffer.allocUnsafe(4096)
let poolUsed = pool.length

/** The position of the next `count` bytes in the pool. */
function takeFromPool(count: number): number {
  if (poolUsed + count > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  poolUsed += count
  return poolUsed - count
}

/** Bytes of the system's random generator, fetched in large blocks. The next call does not overwrite them; a call some hundreds later does. */
export function pooledRandomBytes(count: number): Buffer {
  const start = takeFromPool(count)
  return pool.subarray(start, start + count)
}

/** The bytes of the id that is being made: each id is written out before the next one begins. */
const draft = Buffer.alloc(16)

function uuidv7(randA: number): string {
  // The order of ids follows the wall clock of the process that makes them; money rows never take their time from an id.
  draft.writeUIntBE(Date.now(), 0, 6)
  draft.writeUInt16BE(0x7000 | randA, 6)
  const start = takeFromPool(8)
  pool.copy(draft, 8, start, start + 8)
  draft[8] = (draft[8]! & 0x3f) | 0x80
  return uuidOf(draft)
}

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function uuidOf(bytes: Uint8Array): string {
  let uuid = ''
  for (let place = 0; place < 16; place += 1) {
    if (place === 4 || place === 6 || place === 8 || place === 10) uuid += '-'
    uuid += hexOf[bytes[place]!]!
  }
  return uuid
}

function hexToUuid(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A new id for an object that is not a merchant's money (a user, an app, a session, an inbox row). */
export function newId(): string {
  return uuidv7(pooledRandomBytes(2).readUInt16BE(0) & 0x0fff)
}

/** A new id for a row of a merchant's money (page, payment, transfer, event, delivery); `home` is the merchant's, 0–4095. */
export function newMoneyId(home: number): string {
  return uuidv7(home)
}

/**
 * The money id that is derived from these words alone (UUIDv8): a database that was restored to an earlier moment derives the
 * same one again. It contains no time, so no statement may read one from it. The hash has no key: it must stay derivable after
 * every key rotation.
 */
export function derivedMoneyId(home: number, words: readonly string[]): string {
  const bytes = hash('sha256', JSON.stringify(words), 'buffer').subarray(0, 16)
  bytes.writeUInt16BE(0x8000 | home, 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return uuidOf(bytes)
}

/** The home of a new merchant: a hash of its id, within the homes of this installation. */
export function homeOfMerchant(merchantId: string, { first, last }: HomeRange = { first: 0, last: lastHome }): number {
  return first + (hash('sha256', merchantId, 'buffer')[0]! % (last - first + 1))
}

/** The home that a money id carries, 0–4095. */
export function homeOfId(uuid: string): number {
  return Number.parseInt(uuid.slice(15, 18), 16)
}

/**
 * The range of UUIDv7 ids (not derived ids) that were made from one time (ms) on and before another, by the clocks of the
 * processes that made them.
 */
export function idsOfTimes(fromMs: number, toMs: number): { from: string; to: string } {
  const least = (ms: number) => hexToUuid(ms.toString(16).padStart(12, '0').padEnd(32, '0'))
  return { from: least(fromMs), to: least(toMs) }
}

function digitValue(code: number): number {
  // '0' is 48; 'A' and 'a' differ by the bit of value 32, and 'a' is 97.
  return code < 58 ? code - 48 : (code | 32) - 87
}

/** `pay_01jz…` for a UUID. */
export function toWire(prefix: IdPrefix, uuid: string): string {
  let wire = `${prefix}_`
  // 26 characters of 5 bits hold 130 bits: the first two are zero.
  let bits = 0
  let count = 2
  for (let place = 0; place < uuid.length; place += 1) {
    const code = uuid.charCodeAt(place)
    if (code === hyphen) continue
    bits = (bits << 4) | digitValue(code)
    count += 4
    if (count < 5) continue
    count -= 5
    wire += idAlphabet[bits >> count]!
    bits &= (1 << count) - 1
  }
  return wire
}

/** What the description says of a parameter that has a wire id: the same as `fromWire` reads. */
export const wirePattern = (prefix: IdPrefix): { pattern: string } => ({ pattern: `^${prefix}_[0-7][${idAlphabet}]{25}$` })

/** The UUID behind a wire id, or undefined when it is not one of this prefix. */
export function fromWire(prefix: IdPrefix, wire: string): string | undefined {
  if (wire.length !== prefix.length + 27 || !wire.startsWith(`${prefix}_`)) return undefined
  // 26 characters hold 130 bits: a first character above 7 would exceed the 128 bits of a UUID.
  if (wire[prefix.length + 1]! > '7') return undefined
  let hex = ''
  let bits = 0
  let count = -2
  for (let place = prefix.length + 1; place < wire.length; place += 1) {
    const digit = valueOf.get(wire[place]!)
    if (digit === undefined) return undefined
    bits = (bits << 5) | digit
    count += 5
    for (; count >= 4; count -= 4) hex += hexDigits[(bits >> (count - 4)) & 15]!
    bits &= 15
  }
  return hexToUuid(hex)
}

const shortAlphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shortPlaces = 18
const base = BigInt(shortAlphabet.length)
const randomBits = 62n
/** The times (ms) that a short form may contain: a foreign text of the same form is rarely taken for one of ours. */
const shortTimes = { from: BigInt(Date.UTC(2025)), to: BigInt(Date.UTC(2110)) }

/**
 * A UUIDv7 money id in 20 letters and digits, for systems that take no more: the home as two hex digits, then its time and its random bits
 * in base 62. Throws for a derived id and for a home above 255, which it cannot hold.
 */
export function toShort(uuid: string): string {
  const home = homeOfId(uuid)
  const bits = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let rest = ((bits >> 80n) << randomBits) | (bits & ((1n << randomBits) - 1n))
  if (uuid[14] !== '7' || home > lastHome || rest >= base ** BigInt(shortPlaces)) throw new Error('This id has no short form.')
  let short = ''
  for (let place = 0; place < shortPlaces; place += 1) {
    short = shortAlphabet[Number(rest % base)]! + short
    rest /= base
  }
  return hexOf[home]! + short
}

/** The UUID behind a short form; undefined for any other text. The inverse of `toShort` for ids from the years 2025 to 2109. */
export function fromShort(short: string): string | undefined {
  if (!/^[0-9a-f]{2}[0-9A-Za-z]{18}$/.test(short)) return undefined
  let value = 0n
  for (const character of short.slice(2)) value = value * base + BigInt(shortAlphabet.indexOf(character))
  const time = value >> randomBits
  if (time < shortTimes.from || time >= shortTimes.to) return undefined
  const random = (value & ((1n << randomBits) - 1n)) | (1n << 63n)
  return hexToUuid(`${time.toString(16).padStart(12, '0')}70${short.slice(0, 2)}${random.toString(16)}`)
}

/** The smallest UUIDv7 of a moment: ids of a time range are found by their primary key. */
export function firstIdOf(ms: number): string {
  const hex = Math.trunc(ms).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
