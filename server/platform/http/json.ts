/**
 * Strict JSON for request bodies. This file refuses input that `JSON.parse` accepts but that different systems read as different
 * amounts: duplicate keys (it takes the last), `1e3` and `5.0` (it makes integers of them), integers beyond 2^53 (it rounds), NUL
 * and lone surrogates (no database column can store them).
 */
import { Refusal } from '../refusal.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const integerLiteral = /^-?(0|[1-9]\d*)$/
const keyOrString = /"(?:[^"\\]|\\.)*"(\s*:)?/g

function invalidJson(reason: string): Refusal {
  return new Refusal(400, 'invalid_json', `The body is not valid JSON: ${reason}`)
}

function checkKey(key: string): void {
  if (key === '__proto__') throw invalidJson('a key has a reserved name.')
}

function checkText(value: string): void {
  if (value.includes('\0') || !value.isWellFormed()) throw invalidJson('a string contains NUL or half a surrogate pair.')
}

/** Deeper nesting is left to the engine, which has its own limit. */
const deepestWalk = 32

/**
 * Checks the parsed value and counts its keys, except empty ones. Returns NaN when it contains a number, because the literal is
 * no longer visible.
 */
function countKeys(value: unknown, depth: number): number {
  if (typeof value === 'string') checkText(value)
  if (typeof value === 'number' || depth > deepestWalk) return Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  let keys = 0
  if (Array.isArray(value)) {
    for (const element of value) keys += countKeys(element, depth + 1)
    return keys
  }
  for (const [key, member] of Object.entries(value)) {
    checkKey(key)
    keys += (key === '' ? 0 : 1) + countKeys(member, depth + 1)
  }
  return keys
}

type Reading = { value: unknown; keys: number }

/** Parses a text with access to its number literals, which takes the engine many times as long. */
function readWithLiterals(text: string): Reading {
  let keys = 0
  function review(this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
    if (!Array.isArray(this) && key !== '') keys += 1
    checkKey(key)
    if (typeof value === 'number') {
      return integerLiteral.test(context?.source ?? '') && Number.isSafeInteger(value) ? value : Number.NaN
    }
    if (typeof value === 'string') checkText(value)
    return value
  }
  const value: unknown = JSON.parse(text, review as (this: unknown, key: string, value: unknown) => unknown)
  return { value, keys }
}

function read(text: string): Reading {
  const value: unknown = JSON.parse(text)
  const keys = countKeys(value, 0)
  return Number.isNaN(keys) ? readWithLiterals(text) : { value, keys }
}

/**
 * The value of a JSON text. A number that is not a plain integer literal within ±(2^53 − 1) becomes NaN, so that the schema of
 * its field refuses it by name.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalidJson('it is not UTF-8.')
  }
  let reading: Reading
  try {
    reading = read(text)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw invalidJson('it cannot be parsed.')
  }
  let keysWritten = 0
  keyOrString.lastIndex = 0
  for (let match = keyOrString.exec(text); match; match = keyOrString.exec(text)) {
    if (match[1] !== undefined && !match[0].startsWith('""')) keysWritten += 1
  }
  if (keysWritten !== reading.keys) throw invalidJson('an object has the same key twice.')
  return reading.value
}
