/**
 * Strict JSON for request bodies. This file refuses input that `JSON.parse` accepts but that different systems read as different
 * amounts: duplicate keys (it takes the last), `1e3` and `5.0` (it makes integers of them), integers beyond 2^53 (it rounds), NUL
 * and lone surrogates (no database column can store them). Invariant: one pass over the bytes decides whether a body is small enough
 * to parse, so the cost of a hostile body grows with its bytes and with nothing else.
 */
import { Refusal } from '../refusal.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Editors on Windows write it before a text. */
const byteOrderMark = Buffer.from('\ufeff')

/** An honest body has four levels. */
const deepest = 32

/** How many brackets, commas and colons a body may have, unless its route allows more. */
const fewestMarks = 10_000

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many brackets, commas and colons the JSON of this route may have. */
    jsonMarks?: number
  }
}

function invalidJson(reason: string, reasonSw: string): Refusal {
  const messageSw = `Mwili wa ombi si JSON sahihi: ${reasonSw}`
  return new Refusal(400, 'invalid_json', `The body is not valid JSON: ${reason}`, { messageSw })
}

const compressed = invalidJson('it is compressed. Send it as plain text.', 'umebanwa. Utume kama maandishi ya kawaida.')
const unparsable = invalidJson('it cannot be parsed.', 'hausomeki.')

/** What a byte outside of strings begins; 0: nothing that this file looks at. */
const [ofString, ofNumber, ofKey, opens, closes, separates] = [1, 2, 3, 4, 5, 6]
const kinds = new Uint8Array(256)
for (const [kind, bytes] of [
  [ofString, '"'],
  [ofNumber, '-0123456789'],
  [ofKey, ':'],
  [opens, '[{'],
  [closes, ']}'],
  [separates, ','],
] as const)
  for (const byte of Buffer.from(bytes)) kinds[byte] = kind

const [quote, backslash, u, minus, plus, point, e, bigE, zero, five, nine] = [...Buffer.from('"\\u-+.eE059')] as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]

/** A number of so many digits is below 2^53. */
const safeDigits = 15

/** A schema refuses a longer one, whatever it means. */
const longestNumber = 100

/** What one pass over the bytes shows; it holds for valid JSON, and other text is left to `JSON.parse`. */
type Scanned = { keys: number; hasCodes: boolean }

/** Finds bytes far away at the speed of memory. Remembers what it found, so that no byte is looked at twice for the same. */
function finder(bytes: Buffer, byte: number): (from: number) => number {
  let found = -1
  return (from) => {
    if (found < from) found = bytes.indexOf(byte, from)
    if (found < 0) found = bytes.length
    return found
  }
}

/** Strings up to this length are read byte by byte: a call of `indexOf` costs as much. */
const shortString = 64

/** Returns what finds the quote that ends the string which begins at `from`: the end of the bytes without one. */
function stringReader(bytes: Buffer, scanned: Scanned): (from: number) => number {
  const [nextQuote, nextBackslash] = [finder(bytes, quote), finder(bytes, backslash)]
  return (from) => {
    let at = from + 1
    for (;;) {
      const until = Math.min(bytes.length, at + shortString)
      for (; at < until; at += 1) {
        const byte = bytes[at]
        if (byte === quote) return at
        if (byte !== backslash) continue
        at += 1
        if (bytes[at] === u) scanned.hasCodes = true
      }
      if (at >= bytes.length) return bytes.length
      const end = nextQuote(at)
      at = nextBackslash(at)
      if (at > end) return end
    }
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= nine

function endOfDigits(bytes: Buffer, from: number): number {
  let to = from
  while (isDigit(bytes[to])) {
    to += 1
    if (to - from > longestNumber)
      throw invalidJson(`a number has more than ${longestNumber} digits.`, `kuna namba yenye tarakimu zaidi ya ${longestNumber}.`)
  }
  return to
}

/**
 * The place after the number that begins at `from`. One that is valid JSON but no plain integer is overwritten with a fraction of the same
 * length, so that it cannot be mistaken for a whole number after it was parsed; an integer beyond ±(2^53 − 1) with one that is infinite.
 */
function endOfNumber(bytes: Buffer, from: number): number {
  const start = bytes[from] === minus ? from + 1 : from
  const whole = endOfDigits(bytes, start)
  let to = whole
  if (bytes[to] === point) to = endOfDigits(bytes, to + 1)
  if (bytes[to] === e || bytes[to] === bigE)
    to = endOfDigits(bytes, bytes[to + 1] === plus || bytes[to + 1] === minus ? to + 2 : to + 1)
  const hasDigits = whole > start && isDigit(bytes[to - 1]) && (bytes[whole] !== point || isDigit(bytes[whole + 1]))
  const goesOn = bytes[to] === e || bytes[to] === bigE || bytes[to] === point
  if (!hasDigits || goesOn || (bytes[start] === zero && whole > start + 1)) throw unparsable
  const isPlain =
    to === whole && (whole - start <= safeDigits || Number.isSafeInteger(Number(bytes.toString('latin1', from, to))))
  if (isPlain) return to
  if (to === whole) {
    bytes.fill(nine, start, to)
    bytes[start + 1] = e
    return to
  }
  bytes.fill(five, from, to)
  bytes[from] = zero
  bytes[from + 1] = point
  return to
}

function scan(bytes: Buffer, marksAtMost: number): Scanned {
  const scanned: Scanned = { keys: 0, hasCodes: false }
  const endOfString = stringReader(bytes, scanned)
  let [marks, depth] = [0, 0]
  for (let at = 0; at < bytes.length; at += 1) {
    let kind = kinds[bytes[at]!]!
    while (kind === 0 && at < bytes.length) kind = kinds[bytes[++at]!]!
    if (at === bytes.length) break
    if (kind === ofString) at = endOfString(at)
    else if (kind === ofNumber) at = endOfNumber(bytes, at) - 1
    if (kind <= ofNumber) continue
    if (kind === ofKey) scanned.keys += 1
    else if (kind === opens) depth += 1
    else if (kind === closes) depth -= 1
    marks += 1
    if (marks > marksAtMost) throw invalidJson('it has too many values.', 'una thamani nyingi mno.')
    if (depth > deepest) throw invalidJson(`it is nested more than ${deepest} levels deep.`, `una ngazi zaidi ya ${deepest}.`)
  }
  return scanned
}

/** Without codes such as \u0000 a text in UTF-8 has neither. */
function checkText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw invalidJson('a string contains NUL or half a surrogate pair.', 'kuna maandishi yenye NUL au nusu ya jozi ya herufi.')
}

type Walk = { keys: number; hasCodes: boolean }

/** Counts the keys, makes NaN of a fraction, and refuses names and texts that no one can store. */
function walk(value: unknown, seen: Walk): unknown {
  if (typeof value === 'number') return Number.isFinite(value) && !Number.isSafeInteger(value) ? Number.NaN : value
  if (typeof value === 'string') {
    if (seen.hasCodes) checkText(value)
    return value
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) value[index] = walk(value[index], seen)
    return value
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  for (const key of Object.keys(fields)) {
    if (key === '__proto__') throw invalidJson('a key has a reserved name.', 'kuna jina lisiloruhusiwa.')
    if (seen.hasCodes) checkText(key)
    seen.keys += 1
    fields[key] = walk(fields[key], seen)
  }
  return value
}

/**
 * The value of a JSON text. A number that is not a plain integer literal becomes NaN, and one beyond ±(2^53 − 1) infinite, so that the
 * schema of its field refuses it by name; `body` is overwritten there. Refuses with 400 `invalid_json` also more brackets, commas and colons
 * than `marksAtMost`.
 */
export function parseStrictJson(body: Buffer, marksAtMost = fewestMarks): unknown {
  const bytes = body.subarray(byteOrderMark.equals(body.subarray(0, 3)) ? 3 : 0)
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw compressed
  const scanned = scan(bytes, marksAtMost)
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalidJson('it is not UTF-8.', 'si UTF-8.')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw unparsable
  }
  const seen: Walk = { keys: 0, hasCodes: scanned.hasCodes }
  const read = walk(value, seen)
  if (seen.keys !== scanned.keys)
    throw invalidJson('an object has the same key twice.', 'kuna jina moja mara mbili kwenye kitu kimoja.')
  return read
}
