/**
 * Searches the objects of a PDF for actions. Invariant: an object is read at every place where a PDF reader could start reading
 * one: after every `obj` and `trailer` of the file, also in streams, and at every offset of every object stream. The grammar is
 * ISO 32000-1, 7.2 to 7.5. Text, comments, page contents and images are skipped: words in them have no effect.
 */
import { constants, inflateRawSync, inflateSync } from 'node:zlib'

export type PdfFinding =
  | { kind: 'harmless' }
  /** `name` is the PDF name that was found. */
  | { kind: 'active'; name: string }
  /** Object streams are encrypted, so what is in them cannot be known. */
  | { kind: 'encrypted' }
  /** More than a document of a few pages can need. */
  | { kind: 'too_complex' }
  /** An object stream does not decompress: no reader can know its content. */
  | { kind: 'broken' }

export const pdfStart = '%PDF-'

const maxObjects = 300_000
const maxDepth = 60
const maxReadBytes = 64_000_000
const maxUnpackedBytes = 32_000_000

/** Names that mean an action at any position. */
const activeNames = new Set([
  'JavaScript',
  'Launch',
  'EmbeddedFile',
  'EmbeddedFiles',
  'FileAttachment',
  'RichMedia',
  'RichMediaContent',
  'SubmitForm',
  'ImportData',
  'GoToR',
  'GoToE',
])
/** Names that mean an action as keys; as values they are too short, because fonts and colours use them too. */
const activeKeys = new Set(['JS', 'AA', 'XFA', 'EF'])

type Name = { name: string }
type Reference = { reference: number }
type Word = { word: string }
type Value = number | Value[] | Map<string, Value> | Name | Reference | Word | 'text'

const isName = (value: Value | undefined): value is Name => typeof value === 'object' && 'name' in value
const isWord = (value: Value | undefined): value is Word => typeof value === 'object' && 'word' in value

class LimitReached extends Error {}

type Budget = { bytes: number; objects: number }

// 0: regular, 1: white space, 2: delimiter.
const classOf = new Uint8Array(256)
for (const code of [0, 9, 10, 12, 13, 32]) classOf[code] = 1
for (const sign of '()<>[]{}/%') classOf[sign.charCodeAt(0)] = 2

/** Decodes `#4a`: part or all of a name may be written in this form. */
export function decodeName(raw: string): string {
  return raw.replace(/#([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

type Visitor = {
  name(name: string): void
  entry(key: string, value: Value): void
}

/** Reads values from a position on; `undefined` is the end. */
function createReader(bytes: Buffer, start: number, budget: Budget, visitor: Visitor) {
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
      const value = values[++i] ?? 'text'
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
      case 0x28: // (
        skipText()
        return 'text'
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
          return 'text'
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

function* positionsAfter(bytes: Buffer, word: string): Generator<number> {
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + word.length)) yield at + word.length
}

/** The number of the object whose `obj` ends here, if it is written plainly. */
function numberBefore(bytes: Buffer, end: number): number | undefined {
  const match = /(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]*obj$/.exec(bytes.toString('latin1', Math.max(0, end - 40), end))
  return match === null ? undefined : Number(match[1])
}

/** A place to show when the document opens: an array, or a plain action that goes there. */
function isDestination(value: Value): boolean {
  if (Array.isArray(value)) return true
  if (isWord(value)) return value.word === 'null'
  if (!(value instanceof Map)) return false
  const action = value.get('S')
  return isName(action) && action.name === 'GoTo' && !value.has('Next')
}

function isPlainlyDeflated(dictionary: Map<string, Value>): boolean | undefined {
  const filters = [dictionary.get('Filter') ?? dictionary.get('F') ?? []].flat()
  const parameters = [dictionary.get('DecodeParms') ?? dictionary.get('DP') ?? []].flat()
  const isKnown =
    filters.every((filter) => isName(filter) && (filter.name === 'FlateDecode' || filter.name === 'Fl')) &&
    filters.length <= 1 &&
    parameters.every((one) => (isWord(one) && one.word === 'null') || (one instanceof Map && (one.get('Predictor') ?? 1) === 1))
  return isKnown ? filters.length === 1 : undefined
}

/** The decompressed bytes, or undefined when they are not a deflate stream; bytes after it are ignored. */
function unpack(bytes: Buffer, maxBytes: number): Buffer | undefined {
  const options = { maxOutputLength: Math.max(1, maxBytes), finishFlush: constants.Z_SYNC_FLUSH }
  try {
    return inflateSync(bytes, options)
  } catch (error) {
    if (error instanceof RangeError) throw new LimitReached()
  }
  try {
    // Readers do not check the checksum.
    return inflateRawSync(bytes.subarray(2), options)
  } catch (error) {
    if (error instanceof RangeError) throw new LimitReached()
    return undefined
  }
}

/** Judges a whole file. If it has several findings, returns the first of: encrypted, active, too complex, broken. */
export function searchPdf(bytes: Buffer): PdfFinding {
  const budget: Budget = { bytes: maxReadBytes, objects: maxObjects }
  const openReferences = new Set<number>()
  /** Whether every object of this number is a destination. */
  const destinations = new Map<number, boolean>()
  const objectStreams: { dictionary: Map<string, Value>; start: number }[] = []
  let unpackedBytes = 0
  let isEncrypted = false
  let isBroken = false
  let active: string | undefined

  const visitor: Visitor = {
    name(name) {
      if (activeNames.has(name)) active ??= name
    },
    entry(key, value) {
      if (activeKeys.has(key)) active ??= key
      else if (key === 'Encrypt') isEncrypted = true
      else if (key === 'OpenAction') {
        if (typeof value === 'object' && 'reference' in value) openReferences.add(value.reference)
        else if (!isDestination(value)) active ??= key
      }
    },
  }

  function readAt(source: Buffer, start: number, number: number | undefined) {
    if (--budget.objects < 0) throw new LimitReached()
    const reader = createReader(source, start, budget, visitor)
    const value = reader.read()
    if (number !== undefined && value !== undefined) {
      destinations.set(number, (destinations.get(number) ?? true) && isDestination(value))
    }
    return { value, reader }
  }

  function searchObjectStream({ dictionary, start }: { dictionary: Map<string, Value>; start: number }): void {
    const isDeflated = isPlainlyDeflated(dictionary)
    const [count, first] = [dictionary.get('N'), dictionary.get('First')]
    // No document writer uses other filters; a stream with one cannot be read here and stays unknown.
    if (isDeflated === undefined || typeof count !== 'number' || typeof first !== 'number') throw new LimitReached()
    const packed = bytes.subarray(start)
    const content = isDeflated ? unpack(packed, maxUnpackedBytes - unpackedBytes) : packed
    if (content === undefined) {
      isBroken = true
      return
    }
    if (isDeflated) unpackedBytes += content.length
    const header = createReader(content, 0, budget, visitor)
    for (let i = 0; i < count; i++) {
      const [number, offset] = [header.read(), header.read()]
      if (typeof number !== 'number' || typeof offset !== 'number') break
      readAt(content, first + offset, number)
    }
  }

  try {
    for (const end of positionsAfter(bytes, 'obj')) {
      if (bytes.toString('latin1', end - 6, end) === 'endobj') continue
      const { value, reader } = readAt(bytes, end, numberBefore(bytes, end))
      if (!(value instanceof Map)) continue
      const type = value.get('Type')
      if (!value.has('First') && !(isName(type) && type.name === 'ObjStm')) continue
      const start = reader.readStreamStart()
      if (start !== undefined) objectStreams.push({ dictionary: value, start })
    }
    for (const end of positionsAfter(bytes, 'trailer')) readAt(bytes, end, undefined)
    // Only texts and streams are encrypted: an owner's password alone hides no name outside object streams.
    isEncrypted &&= objectStreams.length > 0
    if (!isEncrypted) for (const stream of objectStreams) searchObjectStream(stream)
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    if (isEncrypted) return { kind: 'encrypted' }
    return active === undefined ? { kind: 'too_complex' } : { kind: 'active', name: active }
  }
  if (isEncrypted) return { kind: 'encrypted' }
  for (const number of openReferences) if (destinations.get(number) !== true) active ??= 'OpenAction'
  if (active !== undefined) return { kind: 'active', name: active }
  return isBroken ? { kind: 'broken' } : { kind: 'harmless' }
}

/**
 * The first name that means an action anywhere in the bytes, inside objects or not: for a file that does not parse as a PDF here
 * but might elsewhere. Names of two letters are ignored, because they occur in compressed bytes by chance.
 */
export function findActiveName(bytes: Buffer): string | undefined {
  for (const [, raw] of bytes.toString('latin1').matchAll(/\/([A-Za-z#][A-Za-z0-9#]{2,60})/g)) {
    const name = decodeName(raw!)
    if (activeNames.has(name) || name === 'OpenAction' || name === 'XFA') return name
  }
  return undefined
}

/** Whether unzip programs accept the file as a zip archive: its end record closes the file, or comes after the PDF's own end. */
export function isAlsoZip(bytes: Buffer): boolean {
  const pdfEnd = bytes.lastIndexOf('%%EOF')
  const record = Buffer.from('PK\x05\x06')
  const from = Math.max(0, bytes.length - 65_557)
  for (let at = bytes.indexOf(record, from); at !== -1; at = bytes.indexOf(record, at + 1)) {
    if (at + 22 > bytes.length) return false
    if (at > pdfEnd || at + 22 + bytes.readUInt16LE(at + 20) === bytes.length) return true
  }
  return false
}
