/**
 * Strict JSON for request bodies. What `JSON.parse` forgives is refused here, because each of it has let two systems read two
 * different amounts in one body: duplicate keys (it takes the last), `1e3` and `5.0` (it makes integers of them), integers beyond
 * 2^53 (it rounds), NUL and lone surrogates (no database column can hold them).
 */
import { Refusal } from './refusal.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const integerLiteral = /^-?(0|[1-9]\d*)$/
const keyOrString = /"(?:[^"\\]|\\.)*"(\s*:)?/g

function invalidJson(reason: string): Refusal {
  return new Refusal(400, 'invalid_json', `The body is not acceptable JSON: ${reason}`)
}

/**
 * The value of a JSON text. A number that is not a plain integer literal within ±(2^53 − 1) becomes NaN, so that the schema of its
 * field refuses it by name.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalidJson('it is not UTF-8.')
  }
  let keysSeen = 0
  function review(this: unknown, key: string, value: unknown, context?: { source?: string }): unknown {
    if (!Array.isArray(this) && key !== '') keysSeen += 1
    if (key === '__proto__') throw invalidJson('a key has a reserved name.')
    if (typeof value === 'number') {
      return integerLiteral.test(context?.source ?? '') && Number.isSafeInteger(value) ? value : Number.NaN
    }
    if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
      throw invalidJson('a text contains NUL or half a surrogate pair.')
    }
    return value
  }
  let value: unknown
  try {
    value = JSON.parse(text, review as (this: unknown, key: string, value: unknown) => unknown)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw invalidJson('it cannot be parsed.')
  }
  let keysWritten = 0
  for (const match of text.matchAll(keyOrString)) if (match[1] !== undefined && !match[0].startsWith('""')) keysWritten += 1
  if (keysWritten !== keysSeen) throw invalidJson('a key stands twice in one object.')
  return value
}
