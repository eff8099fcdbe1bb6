/**
 * Checks the bytes of an uploaded document: first bytes, malware, content. Invariant: a document is clean only when every step
 * has confirmed it; a step that cannot work now leaves it undecided, neither accepted nor refused.
 */
import { createHash } from 'node:crypto'
import { open, readFile, rm, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createReadStream } from 'node:fs'
import { logoTypes, type DocumentType, type ImageType, type LogoType } from '../../domain/document.ts'
import type { Log } from '../../platform/process/log.ts'
import { assert } from '../../platform/refusal.ts'
import { createInspector, type RefusalCode } from './inspector.ts'
import { scanFile } from './scanner.ts'

export type { RefusalCode } from './inspector.ts'

export type ContentOutcome =
  /** `reviewCopy` is the image for reviewers: made from the pixels, without metadata. The caller removes the file. */
  | { kind: 'clean'; reviewCopy: ReviewCopy }
  /** The first bytes are correct but the file does not decode; accepted and flagged, and its bytes are shown to no one. */
  | { kind: 'unreadable' }
  /** `reason`: a sentence for the owner. */
  | { kind: 'refused'; code: RefusalCode; reason: string }
  /** The scanner or the inspector cannot work now: the result is unknown, and the caller answers 503. */
  | { kind: 'undecided'; cause: 'scanner' | 'inspector' }

export type ReviewCopy = { file: string; contentType: ImageType; sizeBytes: number; sha256: Buffer }

/** A small picture, made from the pixels of a merchant's logo. */
export type Logo = { bytes: Buffer; contentType: ImageType; width: number; height: number; sha256: Buffer }

type Rejected = Exclude<ContentOutcome, { kind: 'clean' }>

export type ContentCheck = {
  /** `owner`: the account of the document; only one of its files is inspected at a time. */
  check(owner: string, file: string, type: DocumentType): Promise<ContentOutcome>
  /** The small picture of a logo, at most `maxLogoBytes`. The first bytes of the file say whether it is PNG, JPEG or WebP. */
  makeLogo(owner: string, file: string, maxLogoBytes: number): Promise<{ kind: 'made'; logo: Logo } | Rejected>
  /** Ends the inspector; files still under inspection are undecided. */
  close(): Promise<void>
}

export type ContentCheckOptions = {
  /** `tcp://host:port` or `unix:/path`; without it no file is scanned. */
  clamdUrl?: string
  scanDeadlineMs: number
  /** Number of files inspected at once. */
  inspectors: number
  inspectDeadlineMs: number
  inspectionsWaiting: number
  /** For the file and for the copy. */
  maxBytes: number
  log: Log
}

/** The first bytes of a type, and its name for the owner. */
const kinds: Record<DocumentType | LogoType, { firstBytes: Buffer; name: string }> = {
  'image/jpeg': { firstBytes: Buffer.from([0xff, 0xd8, 0xff]), name: 'a JPEG image' },
  'image/png': { firstBytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), name: 'a PNG image' },
  'application/pdf': { firstBytes: Buffer.from('%PDF-'), name: 'a PDF' },
  // Other files begin with this, too: the decoder decides.
  'image/webp': { firstBytes: Buffer.from('RIFF'), name: 'a WebP image' },
}

/** Readers of PDF look for its first line in so many bytes: mail programs and web servers put some of their own before it. */
const searchedBytes = 1_024
/** What stands at the start of a file of another kind: zip archives and programs for them, web pages, scripts. */
const otherStarts = ['PK', '<', '#!', 'MZ', '\x7fELF', 'GIF8', '%!PS'].map((start) => Buffer.from(start, 'latin1'))
/** The brands of pictures that phones of Apple take: HEIC, and its relative AVIF. */
const heic = /^....ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1|avif)/s

async function readStart(file: string): Promise<Buffer> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(searchedBytes + 8), 0, searchedBytes + 8, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function hasFirstBytes(file: string, type: DocumentType | LogoType): Promise<boolean> {
  const start = await readStart(file)
  const begins = ({ length }: Buffer, bytes: Buffer): boolean => start.subarray(0, length).equals(bytes)
  const { firstBytes } = kinds[type]
  if (begins(firstBytes, firstBytes)) return true
  const others = [...otherStarts, ...Object.values(kinds).map((kind) => kind.firstBytes)]
  return type === 'application/pdf' && start.includes(firstBytes) && !others.some((bytes) => begins(bytes, bytes))
}

/** Why the first bytes of a file are not those of its type. */
async function mismatchOf(file: string, type: DocumentType): Promise<string> {
  return heic.test((await readStart(file)).toString('latin1', 0, 12))
    ? 'This is a HEIC picture. Save it as JPEG: on an iPhone, Settings, Camera, Formats, “Most Compatible”; or send a screenshot of it.'
    : `The file is not ${kinds[type].name}, although its content type says so. Upload a file of the declared type.`
}

export function createContentCheck(options: ContentCheckOptions): ContentCheck {
  const { clamdUrl, scanDeadlineMs, inspectors, inspectDeadlineMs, inspectionsWaiting, maxBytes, log } = options
  const inspector = createInspector({ children: inspectors, deadlineMs: inspectDeadlineMs, maxWaiting: inspectionsWaiting, log })

  async function scan(url: string, file: string): Promise<Rejected | undefined> {
    const outcome = await scanFile(url, file, scanDeadlineMs)
    switch (outcome.kind) {
      case 'clean':
        return undefined
      case 'infected':
        log.warn('document.malware_found', { signature: outcome.signature })
        return {
          kind: 'refused',
          code: 'document_infected',
          reason: 'The virus scanner found malware in this file. Upload a clean file.',
        }
      case 'unknown':
        log.warn('document.scan_undecided', { cause: outcome.cause })
        return { kind: 'undecided', cause: 'scanner' }
    }
  }

  /** Measured here and not in the child, which a malicious file could control. */
  async function measure(file: string, contentType: ReviewCopy['contentType']): Promise<ReviewCopy> {
    assert(await hasFirstBytes(file, contentType), 'the copy for reviewers is an image')
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    const { size } = await stat(file)
    assert(size <= maxBytes, 'the copy for reviewers is no larger than a document')
    return { file, contentType, sizeBytes: size, sha256: hash.digest() }
  }

  async function inspect(owner: string, file: string, type: DocumentType): Promise<ContentOutcome> {
    const copy = `${file}.review`
    let isKept = false
    try {
      const answer = await inspector.inspect(owner, { use: 'review', file, type, copy, maxBytes })
      if (answer.kind === 'undecided') return { kind: 'undecided', cause: 'inspector' }
      if (answer.kind !== 'clean') return answer
      const reviewCopy = await measure(copy, answer.contentType)
      isKept = true
      return { kind: 'clean', reviewCopy }
    } finally {
      if (!isKept) await rm(copy, { force: true })
    }
  }

  async function decodeLogo(
    owner: string,
    { file, type, maxLogoBytes }: { file: string; type: LogoType; maxLogoBytes: number },
  ): Promise<{ kind: 'made'; logo: Logo } | Rejected> {
    const copy = `${file}.logo`
    try {
      const answer = await inspector.inspect(owner, { use: 'logo', file, type, copy, maxBytes: maxLogoBytes })
      if (answer.kind === 'undecided') return { kind: 'undecided', cause: 'inspector' }
      if (answer.kind !== 'clean') return answer
      const { contentType, width, height } = answer
      assert(await hasFirstBytes(copy, contentType), 'a logo is an image')
      assert((await stat(copy)).size <= maxLogoBytes, 'a logo is small')
      const bytes = await readFile(copy)
      return { kind: 'made', logo: { bytes, contentType, width, height, sha256: createHash('sha256').update(bytes).digest() } }
    } finally {
      await rm(copy, { force: true })
    }
  }

  return {
    async makeLogo(owner, file, maxLogoBytes) {
      for (const type of logoTypes) {
        if (!(await hasFirstBytes(file, type))) continue
        const scanned = clamdUrl === undefined ? undefined : await scan(clamdUrl, file)
        return scanned ?? (await decodeLogo(owner, { file, type, maxLogoBytes }))
      }
      return {
        kind: 'refused',
        code: 'document_content_mismatch',
        reason: 'The file is not a PNG, JPEG or WebP image, whatever its name says. Send one of these.',
      }
    },
    async check(owner, file, type) {
      if (!(await hasFirstBytes(file, type))) {
        return { kind: 'refused', code: 'document_content_mismatch', reason: await mismatchOf(file, type) }
      }
      const scanned = clamdUrl === undefined ? undefined : await scan(clamdUrl, file)
      return scanned ?? (await inspect(owner, file, type))
    },
    close: () => inspector.close(),
  }
}
