/**
 * Reads the values of a PDF: numbers, names, texts, arrays and dictionaries, by the grammar of ISO 32000-1, 7.2 and 7.3. Invariant:
 * it reads whatever the bytes are, and its costs are limited: by the budget of the file, and by the depth of a value.
 */

const maxDepth = 60

type Name = { name: string }
type Reference = { reference: number }
type Word = { word: string }
/** Where a text stands in the bytes that were read, with its brackets: few of them are ever decoded. */
export type Text = { from: number; to: number }
export type Value = number | Value[] | Map<string, Value> | Name | Reference | Word | Text

export const isName = (value: Value | undefined): value is Name => typeof value === 'object' && 'name' in value
export const isWord = (value: Value | undefined): value is Word => typeof value === 'object' && 'word' in value
export const isReference = (value: Value | undefined): value is Reference => typeof value === 'object' && 'reference' in value
export const isText = (value: Value | undefined): value is Text => typeof value === 'object' && 'from' in value

export class LimitReached extends Error {}

export type Budget = { bytes: number; objects: number }

// 0: regular, 1: white space, 2: delimiter.
const classOf = new Uint8Array(256)
for (const code of [0, 9, 10, 12, 13, 32]) classOf[code] = 1
for (const sign of '()<>[]{}/%') classOf[sign.charCodeAt(0)] = 2

/** Decodes `#4a`: part or all of a name may be written in this form. */
export function decodeName(raw: string): string {
  return raw.replace(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

export type Visitor = {
  name(name: string): void
  entry(key: string, value: Value): void
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** The bytes that a text stands for, in hexadecimal or in parentheses with escapes. */
export function decodeText(bytes: Buffer, { from, to }: Text): Buffer {
  const raw = bytes.toString('latin1', from + 1, to - 1)
  if (bytes[from] === 0x3c) {
    const digits = raw.replace(/[^0-9A-Fa-f]/g, '')
    return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex')
  }
  const plain = raw.replace(/\\(\r\n?|\n|[0-7]{1,3}|[^])|\r\n?/g, (_, escaped: string | undefined) => {
    if (escaped === undefined) return '\n'
    if (/^[0-7]/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8) & 255)
    return /^[\r\n]/.test(escaped) ? '' : (escapes[escaped] ?? escaped)
  })
  return Buffer.from(plain, 'latin1')
}

/** Reads values from a position on; `undefined` is the end. */
export function createReader(bytes: Buffer, start: number, budget: Budget, visitor: Visitor) {
  let at = start

  function spend(from: number): void {
    budget.bytes -= at - from
    if (budget.bytes < 0) throw new LimitReached()
  }

  function skipSpace(): void {
    const from = at
    while (at < bytes.length) {
      const code = bytes[at]!
      if (classOf[code] === 1) at++
      else if (code === 0x25) {
        while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++
      } else break
    }
    spend(from)
  }

  /** Skips a text in parentheses, which may contain balanced ones. */
  function skipText(): void {
    const from = at
    let depth = 0
    do {
      const code = bytes[at++]
      if (code === 0x5c) at++
      else if (code === 0x28) depth++
      else if (code === 0x29) depth--
    } while (depth > 0 && at < bytes.length)
    spend(from)
  }

  function readRegular(): string {
    const from = at
    while (at < bytes.length && classOf[bytes[at]!] === 0) at++
    spend(from)
    return bytes.toString('latin1', from, at)
  }

  /** `12 0 R` after a number that was just read. */
  function readReference(number: number): Reference | undefined {
    const from = at
    skipSpace()
    if (/^\d{1,5}$/.test(readRegular())) {
      skipSpace()
      if (bytes[at] === 0x52 && (at + 1 === bytes.length || classOf[bytes[at + 1]!] !== 0)) {
        at++
        return { reference: number }
      }
    }
    at = from
    return undefined
  }

  function readUntil(close: ']' | '>>', depth: number): Value[] {
    const values: Value[] = []
    for (;;) {
      const before = at
      const value = read(depth + 1)
      if (value === undefined) return values
      if (isWord(value)) {
        if (value.word === close) return values
        // The object ends although its brackets are open; the enclosing values see this end too.
        if (value.word === 'endobj' || value.word === 'stream') {
          at = before
          return values
        }
      }
      values.push(value)
    }
  }

  function readDictionary(depth: number): Map<string, Value> {
    const values = readUntil('>>', depth)
    const entries = new Map<string, Value>()
    for (let i = 0; i < values.length; i++) {
      const key = values[i]
      if (!isName(key)) continue
      const value = values[++i] ?? { from: at, to: at }
      visitor.entry(key.name, value)
      entries.set(key.name, value)
    }
    return entries
  }

  function read(depth = 0): Value | undefined {
    if (depth > maxDepth) throw new LimitReached()
    skipSpace()
    if (at >= bytes.length) return undefined
    const code = bytes[at]!
    switch (code) {
      case 0x28: {
        // (
        const from = at
        skipText()
        return { from, to: at }
      }
      case 0x2f: {
        // /
        at++
        const name = decodeName(readRegular())
        visitor.name(name)
        return { name }
      }
      case 0x5b: // [
        at++
        return readUntil(']', depth)
      case 0x3c: // <
        if (bytes[at + 1] === 0x3c) {
          at += 2
          return readDictionary(depth)
        } else {
          const from = at
          const end = bytes.indexOf(0x3e, at)
          at = end === -1 ? bytes.length : end + 1
          spend(from)
          return { from, to: at }
        }
      case 0x3e: // >
        at += bytes[at + 1] === 0x3e ? 2 : 1
        return { word: '>>' }
      case 0x5d: // ]
        at++
        return { word: ']' }
      default:
        if (classOf[code] === 2) {
          at++
          return { word: String.fromCharCode(code) }
        } else {
          const word = readRegular()
          if (/^\d{1,10}$/.test(word)) return readReference(Number(word)) ?? Number(word)
          return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(word) ? Number(word) : { word }
        }
    }
  }

  /** The start of the data of a stream, when the word `stream` comes next. */
  function readStreamStart(): number | undefined {
    skipSpace()
    if (bytes.toString('latin1', at, at + 6) !== 'stream') return undefined
    at += 6
    if (bytes[at] === 13) at++
    if (bytes[at] === 10) at++
    return at
  }

  return { read, readStreamStart }
}
