/**
 * Searches the objects of a PDF for actions. Invariant: an object is read at every place where a PDF reader could start reading
 * one: after every `obj` and `trailer` of the file, also in streams, and at every offset of every object stream. The grammar is
 * ISO 32000-1, 7.2 to 7.5. Text, comments, page contents and images are skipped: words in them have no effect.
 */
import { constants, inflateRawSync, inflateSync } from 'node:zlib'
import { openEncryption, type Decrypt } from './pdf-encryption.ts'
import {
  createReader,
  decodeName,
  decodeText,
  isName,
  isReference,
  isText,
  isWord,
  LimitReached,
  type Budget,
  type Value,
  type Visitor,
} from './pdf-grammar.ts'

export type PdfFinding =
  | { kind: 'harmless' }
  /** `name` is the PDF name that was found. */
  | { kind: 'active'; name: string }
  /** Object streams are encrypted in a way that does not open without a password, so what is in them cannot be known. */
  | { kind: 'encrypted' }
  /** More than a document of a few pages can need. */
  | { kind: 'too_complex' }
  /** An object stream does not decompress: no reader can know its content. */
  | { kind: 'broken' }

export const pdfStart = '%PDF-'

const maxObjects = 300_000
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

type Label = { number: number; generation: number }
type ObjectStream = { dictionary: Map<string, Value>; start: number; label: Label | undefined }

function* positionsAfter(bytes: Buffer, word: string): Generator<number> {
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + word.length)) yield at + word.length
}

/** The number and the generation of the object whose `obj` ends here, if they are written plainly. */
function labelBefore(bytes: Buffer, end: number): Label | undefined {
  const match = /(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]*obj$/.exec(bytes.toString('latin1', Math.max(0, end - 40), end))
  return match === null ? undefined : { number: Number(match[1]), generation: Number(match[2]) }
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

/** Encryption dictionaries that are tried: a file has one, and its later versions may repeat it. */
const maxHandlers = 4

/**
 * What a file says of its encryption, collected while its objects are read. Invariant: object streams are decrypted only if every place
 * says the same, so that no reader can decrypt them to something else.
 */
function createEncryptionNotes(bytes: Buffer) {
  /** What the key `Encrypt` has, wherever it stands. */
  const named: Value[] = []
  const ids = new Set<string>()
  const handlers: { number: number; dictionary: Map<string, Value> }[] = []
  /** The largest number that an object of this number has: what a stream may name as its length. */
  const numbers = new Map<number, number>()

  function noteEntry(key: string, value: Value): void {
    if (key === 'Encrypt') named.push(value)
    else if (key === 'ID' && Array.isArray(value) && isText(value[0])) ids.add(decodeText(bytes, value[0]).toString('hex'))
  }

  function noteObject(number: number, value: Value): void {
    if (typeof value === 'number') numbers.set(number, Math.max(value, numbers.get(number) ?? 0))
    else if (value instanceof Map && value.has('O') && value.has('U')) handlers.push({ number, dictionary: value })
  }

  /** `undefined` if the file needs a password, or if readers might read it in different ways. */
  function open(): Decrypt | undefined {
    const references = new Set(named.filter(isReference).map(({ reference }) => reference))
    const behind = handlers.filter(({ number }) => references.has(number))
    const dictionaries = [...named.filter((value) => value instanceof Map), ...behind.map(({ dictionary }) => dictionary)]
    const areAllFound =
      named.every((value) => isReference(value) || value instanceof Map) &&
      new Set(behind.map(({ number }) => number)).size === references.size
    if (!areAllFound || ids.size > 1 || dictionaries.length > maxHandlers) return undefined
    const [id = ''] = ids
    const opened = dictionaries.map((dictionary) => openEncryption(bytes, dictionary, Buffer.from(id, 'hex')))
    const [first] = opened
    return opened.every((one) => one !== undefined && one.name === first?.name) ? first?.decrypt : undefined
  }

  /** Where the data of a stream end: no reader reads more than its length, or up to the word that ends it. */
  function endOf({ dictionary, start }: ObjectStream): number | undefined {
    const value = dictionary.get('Length') ?? 0
    const length = isReference(value) ? numbers.get(value.reference) : value
    if (typeof length !== 'number') return undefined
    const end = bytes.indexOf('endstream', start + Math.max(0, length))
    return end === -1 ? bytes.length : end
  }

  return { noteEntry, noteObject, open, endOf, isEncrypted: () => named.length > 0 }
}

/** Judges a whole file. If it has several findings, returns the first of: encrypted, active, too complex, broken. */
export function searchPdf(bytes: Buffer): PdfFinding {
  const budget: Budget = { bytes: maxReadBytes, objects: maxObjects }
  const openReferences = new Set<number>()
  /** Whether every object of this number is a destination. */
  const destinations = new Map<number, boolean>()
  const objectStreams: ObjectStream[] = []
  const notes = createEncryptionNotes(bytes)
  let unpackedBytes = 0
  /** A reader decrypts each byte of a file once: more would be streams that lie upon each other. */
  let decryptedBytes = 0
  let isHidden = false
  let isBroken = false
  let active: string | undefined

  const visitor: Visitor = {
    name(name) {
      if (activeNames.has(name)) active ??= name
    },
    entry(key, value) {
      if (activeKeys.has(key)) active ??= key
      else if (key === 'OpenAction') {
        if (isReference(value)) openReferences.add(value.reference)
        else if (!isDestination(value)) active ??= key
      }
    },
  }
  const visitorOfFile: Visitor = {
    name: visitor.name,
    entry(key, value) {
      notes.noteEntry(key, value)
      visitor.entry(key, value)
    },
  }
  const visitorOfStream: Visitor = {
    name: visitor.name,
    entry(key, value) {
      // The dictionary that decrypts a stream cannot be in one.
      isHidden ||= key === 'Encrypt'
      visitor.entry(key, value)
    },
  }

  function readAt(source: Buffer, start: number, number: number | undefined) {
    if (--budget.objects < 0) throw new LimitReached()
    const reader = createReader(source, start, budget, source === bytes ? visitorOfFile : visitorOfStream)
    const value = reader.read()
    if (number !== undefined && value !== undefined) {
      destinations.set(number, (destinations.get(number) ?? true) && isDestination(value))
      if (source === bytes) notes.noteObject(number, value)
    }
    return { value, reader }
  }

  /** Returns whether the content has the form of an object stream from its start to its end. */
  function searchContent(content: Buffer, count: number, first: number): boolean {
    const header = createReader(content, 0, budget, visitorOfStream)
    for (let i = 0; i < count; i++) {
      const [number, offset] = [header.read(), header.read()]
      if (typeof number !== 'number' || typeof offset !== 'number') return false
      readAt(content, first + offset, number)
    }
    return true
  }

  function decryptStream(decrypt: Decrypt, stream: ObjectStream): Buffer {
    const end = notes.endOf(stream)
    if (end === undefined || stream.label === undefined) throw new LimitReached()
    const packed = bytes.subarray(stream.start, end)
    decryptedBytes += packed.length
    if (decryptedBytes > bytes.length) throw new LimitReached()
    return decrypt(packed, stream.label)
  }

  function searchObjectStream(stream: ObjectStream, decrypt: Decrypt | undefined): void {
    const isDeflated = isPlainlyDeflated(stream.dictionary)
    const [count, first] = [stream.dictionary.get('N'), stream.dictionary.get('First')]
    // No document writer uses other filters; a stream with one cannot be read here and stays unknown.
    if (isDeflated === undefined || typeof count !== 'number' || typeof first !== 'number') throw new LimitReached()
    const search = (packed: Buffer): 'read' | 'odd' | 'broken' => {
      const content = isDeflated ? unpack(packed, maxUnpackedBytes - unpackedBytes) : packed
      if (content === undefined) return 'broken'
      if (isDeflated) unpackedBytes += content.length
      return searchContent(content, count, first) ? 'read' : 'odd'
    }
    // A reader that overlooks the encryption would read the bytes as they are.
    const asItIs = search(bytes.subarray(stream.start))
    if (decrypt === undefined) isBroken ||= asItIs === 'broken'
    else isHidden ||= search(decryptStream(decrypt, stream)) !== 'read'
  }

  try {
    for (const end of positionsAfter(bytes, 'obj')) {
      if (bytes.toString('latin1', end - 6, end) === 'endobj') continue
      const label = labelBefore(bytes, end)
      const { value, reader } = readAt(bytes, end, label?.number)
      if (!(value instanceof Map)) continue
      const type = value.get('Type')
      if (!value.has('First') && !(isName(type) && type.name === 'ObjStm')) continue
      const start = reader.readStreamStart()
      if (start !== undefined) objectStreams.push({ dictionary: value, start, label })
    }
    for (const end of positionsAfter(bytes, 'trailer')) readAt(bytes, end, undefined)
    // Only texts and streams are encrypted: an owner's password alone hides no name outside object streams.
    const hasSecrets = notes.isEncrypted() && objectStreams.length > 0
    const decrypt = hasSecrets ? notes.open() : undefined
    isHidden = hasSecrets && decrypt === undefined
    if (!isHidden) for (const stream of objectStreams) searchObjectStream(stream, decrypt)
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    if (isHidden || notes.isEncrypted()) return { kind: 'encrypted' }
    return active === undefined ? { kind: 'too_complex' } : { kind: 'active', name: active }
  }
  if (isHidden) return { kind: 'encrypted' }
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
