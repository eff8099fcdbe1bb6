/** Creates documents for tests: real ones, and malicious ones. */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

const paper = { width: 800, height: 1100 }

function writtenPaper(text: string): Buffer {
  const { width, height } = paper
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="white"/>` +
      `<rect x="60" y="60" width="680" height="980" fill="none" stroke="navy" stroke-width="12"/>` +
      `<text x="120" y="200" font-size="48">${text}</text></svg>`,
  )
}

const drawPaper = () => sharp(writtenPaper('Certificate'))

const [jpeg, png] = await Promise.all([drawPaper().jpeg().toBuffer(), drawPaper().png().toBuffer()])

export const jpegDocument = (): Buffer => Buffer.from(jpeg)
export const pngDocument = (): Buffer => Buffer.from(png)

/** A photo that contains its location, and that has to be turned by a quarter to stand upright. */
export function jpegWithPlace(): Promise<Buffer> {
  const place = { GPSLatitudeRef: 'S', GPSLatitude: '6/1 47/1 32/1', GPSLongitudeRef: 'E', GPSLongitude: '39/1 12/1 30/1' }
  return drawPaper()
    .withExif({ IFD0: { Make: 'Camera' }, IFD3: place })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
}

export const jpegWithScript = (): Buffer => Buffer.concat([jpeg, Buffer.from('<?php system($_GET[0]); ?>')])

export const truncatedJpeg = (): Buffer => Buffer.from(jpeg.subarray(0, Math.floor(jpeg.length / 2)))
export const truncatedPng = (): Buffer => Buffer.from(png.subarray(0, Math.floor(png.length / 2)))

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

/** A few hundred bytes that claim this many pixels. */
export function pngOfSize(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(100_000))
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export const pngOfNoise = (side: number): Promise<Buffer> =>
  sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer()

export type PdfParts = {
  /** Objects by number; 1 is the catalog. A buffer is written unchanged, between `obj` and `endobj`. */
  objects: Record<number, string | Buffer>
  /** Entries of the trailer besides Size and Root. */
  trailer?: string
}

/** A PDF with a table of its objects. */
export function buildPdf({ objects, trailer = '' }: PdfParts): Buffer {
  const pieces: Buffer[] = []
  const offsets = new Map<number, number>()
  let length = 0
  const add = (piece: string | Buffer) => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
    pieces.push(bytes)
    length += bytes.length
  }
  add('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n')
  for (const [number, object] of Object.entries(objects)) {
    offsets.set(Number(number), length)
    add(`${number} 0 obj\n`)
    add(object)
    add('\nendobj\n')
  }
  const size = [...offsets.keys()].reduce((largest, number) => Math.max(largest, number), 0) + 1
  const startOfTable = length
  add(`xref\n0 ${size}\n0000000000 65535 f \n`)
  for (let number = 1; number < size; number++) {
    const offset = offsets.get(number)
    add(offset === undefined ? '0000000000 00000 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`)
  }
  add(`trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${startOfTable}\n%%EOF\n`)
  return Buffer.concat(pieces)
}

function streamOf(entries: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`<< ${entries} /Length ${data.length} >>\nstream\n`), data, Buffer.from('\nendstream')])
}

const deflated = (entries: string, text: string | Buffer): Buffer =>
  streamOf(`${entries} /Filter /FlateDecode`, deflateSync(text))

const pageText = (text: string) => `BT /F1 36 Tf 72 700 Td (${text}) Tj ET 0 0 1 rg 72 100 400 300 re f`

function pageObjects(pages: number, contents: string): Record<number, string | Buffer> {
  const numbers = Array.from({ length: pages }, (_, i) => 10 + i)
  return {
    2: `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${pages} >>`,
    3: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    4: deflated('', contents),
    ...Object.fromEntries(
      numbers.map((number) => [
        number,
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 3 0 R >> >> >>',
      ]),
    ),
  }
}

export type PdfChoices = {
  pages?: number
  /** Entries of the catalog. */
  catalog?: string
  objects?: Record<number, string | Buffer>
  trailer?: string
  contents?: string
}

export function pdfDocument({ pages = 2, catalog = '', objects = {}, trailer, contents }: PdfChoices = {}): Buffer {
  return buildPdf({
    objects: {
      1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      ...pageObjects(pages, contents ?? pageText('Certificate of registration')),
      ...objects,
    },
    trailer,
  })
}

/** PDFs with an action that runs when they are opened, by that action. */
export const activePdfs: Record<string, () => Buffer> = {
  'a script when opened': () => pdfDocument({ catalog: '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>' }),
  'a script behind a reference': () =>
    pdfDocument({ catalog: '/OpenAction 5 0 R', objects: { 5: '<< /S /JavaScript /JS (app.alert\\(1\\)) >>' } }),
  'a script by name': () =>
    pdfDocument({ catalog: '/Names << /JavaScript << /Names [(a) 5 0 R] >> >>', objects: { 5: '<< /S /JavaScript /JS (x) >>' } }),
  'a script whose name is written in numbers': () => pdfDocument({ catalog: '/OpenAction << /S /J#61vaScript /#4a#53 (x) >>' }),
  'an address when opened': () => pdfDocument({ catalog: '/OpenAction << /S /URI /URI (https://example.com) >>' }),
  'a page, and then an address': () =>
    pdfDocument({ catalog: '/OpenAction << /S /GoTo /D [10 0 R /Fit] /Next << /S /URI /URI (https://example.com) >> >>' }),
  'an open action that is not there': () => pdfDocument({ catalog: '/OpenAction 77 0 R' }),
  'additional actions': () => pdfDocument({ catalog: '/AA << /WC << /S /Named /N /Print >> >>' }),
  'a program': () => pdfDocument({ catalog: '/OpenAction << /S /Launch /F (cmd.exe) >>' }),
  'an attached file': () =>
    pdfDocument({
      catalog: '/Names << /EmbeddedFiles << /Names [(a.exe) 5 0 R] >> >>',
      objects: {
        5: '<< /Type /Filespec /F (a.exe) /EF << /F 6 0 R >> >>',
        6: streamOf('/Type /EmbeddedFile', Buffer.from('MZ')),
      },
    }),
  'an attached file that is not called one': () =>
    pdfDocument({ objects: { 5: '<< /F (a.exe) /EF << /F 6 0 R >> >>', 6: streamOf('', Buffer.from('MZ')) } }),
  'a form of the other kind': () =>
    pdfDocument({ catalog: '/AcroForm << /XFA 5 0 R /Fields [] >>', objects: { 5: streamOf('', Buffer.from('<x/>')) } }),
  'a form that is sent': () => pdfDocument({ objects: { 5: '<< /S /SubmitForm /F (https://example.com) >>' } }),
  'data that are fetched': () => pdfDocument({ objects: { 5: '<< /S /ImportData /F (data.fdf) >>' } }),
  'a film': () => pdfDocument({ objects: { 5: '<< /Type /Annot /Subtype /RichMedia >>' } }),
  'another document': () => pdfDocument({ objects: { 5: '<< /S /GoToR /F (//evil/share.pdf) >>' } }),
  'a document within': () => pdfDocument({ objects: { 5: '<< /S /GoToE /T << /R /C >> >>' } }),
  'a script in an object stream': () => pdfWithObjectStream('<< /S /JavaScript /JS (app.alert\\(1\\)) >>'),
  'a script in numbers in an object stream': () => pdfWithObjectStream('<< /S /#4aavaScript /J#53 (x) >>'),
  'a script hidden in a text of an object stream': () => {
    const hidden = '(<< /S /JavaScript /JS (x) >>)'
    return pdfWithObjectStream(hidden, { offset: 1 })
  },
  'a script in a stream of a page': () =>
    pdfDocument({ objects: { 5: streamOf('', Buffer.from('6 0 obj << /S /JavaScript /JS (x) >> endobj')) } }),
  'a script in a file that does not parse': () => Buffer.from('%PDF-1.7\n<< /S /JavaScript /JS (x) >>\n%%EOF'),
  'a script in an object of a file without pages': () => Buffer.from('%PDF-1.7\n1 0 obj << /S /Java#53cript /JS (x) >> endobj'),
}

function bigEndian(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/**
 * A PDF whose catalog and one more object are in an object stream and whose table is also a stream, as since PDF 1.5. `offset`
 * moves the beginning of the second object.
 */
export function pdfWithObjectStream(second: string, { offset = 0, filler = '' } = {}): Buffer {
  const catalog = '<< /Type /Catalog /Pages 2 0 R /Extra 5 0 R >> '
  const header = `1 0 5 ${catalog.length + offset} `
  const content = header + catalog + second + filler
  const objects: Record<number, string | Buffer> = {
    ...pageObjects(1, pageText('Object streams')),
    6: deflated(`/Type /ObjStm /N 2 /First ${header.length}`, content),
  }
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const rows = new Map<number, Buffer>()
  const row = (type: number, two: number, three: number) =>
    Buffer.concat([bigEndian(type, 1), bigEndian(two, 4), bigEndian(three, 2)])
  for (const [number, object] of Object.entries(objects)) {
    rows.set(Number(number), row(1, Buffer.concat(pieces).length, 0))
    pieces.push(Buffer.from(`${number} 0 obj\n`), Buffer.from(object as string), Buffer.from('\nendobj\n'))
  }
  rows.set(1, row(2, 6, 0)).set(5, row(2, 6, 1))
  const start = Buffer.concat(pieces).length
  rows.set(20, row(1, start, 0))
  const table = Buffer.concat(Array.from({ length: 21 }, (_, number) => rows.get(number) ?? row(0, 0, 0)))
  pieces.push(
    Buffer.from('20 0 obj\n'),
    deflated('/Type /XRef /Size 21 /W [1 4 2] /Root 1 0 R', table),
    Buffer.from(`\nendobj\nstartxref\n${start}\n%%EOF\n`),
  )
  return Buffer.concat(pieces)
}

export function encryptedPdf(): Buffer {
  const key = '00'.repeat(32)
  return pdfDocument({
    objects: { 5: `<< /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -44 >>` },
    trailer: `/Encrypt 5 0 R /ID [<${'11'.repeat(16)}> <${'11'.repeat(16)}>]`,
  })
}

/** RC4, which new versions of OpenSSL leave out. */
function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, place) => place)
  const swap = (one: number, other: number) => ([state[one], state[other]] = [state[other]!, state[one]!])
  for (let at = 0, to = 0; at < 256; at += 1) swap(at, (to = (to + state[at]! + key[at % key.length]!) & 255))
  let [at, to] = [0, 0]
  return data.map((byte) => {
    at = (at + 1) & 255
    to = (to + state[at]!) & 255
    swap(at, to)
    return byte ^ state[(state[at]! + state[to]!) & 255]!
  }) as Buffer
}

/** A PDF that opens without a password, and whose owner's password only forbids changes: the form of many official papers. */
export function ownerLockedPdf({ objects = {}, ...choices }: PdfChoices = {}): Buffer {
  const md5 = (...parts: Buffer[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest()
  const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex')
  const [owner, id] = [Buffer.alloc(32, 7), Buffer.alloc(16, 0x11)]
  const rights = Buffer.alloc(4)
  rights.writeInt32LE(-44)
  const key = md5(padding, owner, rights, id).subarray(0, 5)
  const page = rc4(md5(key, Buffer.from([4, 0, 0, 0, 0])).subarray(0, 10), deflateSync(pageText('Tax certificate')))
  return pdfDocument({
    ...choices,
    objects: {
      4: streamOf('/Filter /FlateDecode', page),
      5: `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${rc4(key, padding).toString('hex')}> /P -44 >>`,
      ...objects,
    },
    trailer: `/Encrypt 5 0 R /ID [<${id.toString('hex')}> <${id.toString('hex')}>]`,
  })
}

/** How a file in `fixtures/owner-locked` is encrypted. qpdf 12 made them (with pikepdf), with object streams and a table in a stream. */
export const ownerLocks = ['rc4-40', 'rc4-128', 'rc4-plain-metadata', 'aes-128', 'aes-256-r5', 'aes-256'] as const

/** `needs-password` has a user's password too. The files `with-script` have an action in an object stream. */
export const ownerLockedFile = (name: `${(typeof ownerLocks)[number]}${'' | '-with-script'}` | 'needs-password'): Buffer =>
  readFileSync(join(import.meta.dirname, `fixtures/owner-locked/${name}.pdf`))

/** Tables of objects, each of which names the other as its predecessor. */
export function pdfWithLoop(): Buffer {
  const whole = pdfDocument().toString('latin1')
  const start = Number(/startxref\n(\d+)/.exec(whole)![1])
  return Buffer.from(whole.replace('/Root 1 0 R', `/Root 1 0 R /Prev ${start}`), 'latin1')
}

/** One page of A4 in the form that a scanner at 600 dpi writes: only a picture. */
export async function pdfOfScan(colours: 'b-w' | 'srgb'): Promise<Buffer> {
  const [width, height] = [4960, 7016]
  const paper = sharp({ create: { width, height, channels: 3, background: '#f6f2ea' } })
  const stamp = await sharp({ create: { width: 1800, height: 1200, channels: 3, background: '#102060' } })
    .png()
    .toBuffer()
  const jpeg = await paper
    .composite([{ input: stamp, left: 600, top: 5000 }])
    .toColourspace(colours)
    .jpeg({ quality: 80 })
    .toBuffer()
  const space = colours === 'srgb' ? 'DeviceRGB' : 'DeviceGray'
  return pdfDocument({
    pages: 1,
    contents: 'q 595 0 0 842 0 0 cm /I100 Do Q',
    objects: {
      10: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /I100 100 0 R >> >> >>',
      100: streamOf(
        `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /${space} /BitsPerComponent 8 /Filter /DCTDecode`,
        jpeg,
      ),
    },
  })
}

/** Pages that are their own parents. */
export const pdfWithPageLoop = (): Buffer =>
  buildPdf({
    objects: {
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 2 /Parent 3 0 R >>',
      3: '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 /Parent 2 0 R >>',
    },
  })

/** Paints one form that paints the next ten times, and so on: a few kilobytes, years of work. */
export function pdfWithEndlessPainting(): Buffer {
  const depth = 12
  const objects: Record<number, string | Buffer> = {}
  for (let i = 0; i < depth; i++) {
    const next = i + 1 < depth ? `/Resources << /XObject << /X ${101 + i} 0 R >> >>` : ''
    const contents = i + 1 < depth ? '/X Do '.repeat(10) : '0 0 10 10 re f'
    objects[100 + i] = streamOf(`/Type /XObject /Subtype /Form /BBox [0 0 600 850] ${next}`, Buffer.from(contents))
  }
  const page =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /X 100 0 R >> >> >>'
  return pdfDocument({ pages: 1, contents: '/X Do', objects: { ...objects, 10: page } })
}

/** A picture of an extremely large size that compresses well, on a page. */
export function pdfWithDeflateBomb(): Buffer {
  const bomb = deflateSync(deflateSync(Buffer.alloc(300_000_000)))
  const image = `/Type /XObject /Subtype /Image /Width 17000 /Height 17000 /BitsPerComponent 8 /ColorSpace /DeviceGray`
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>'
  return pdfDocument({
    pages: 1,
    contents: 'q 595 0 0 842 0 0 cm /X Do Q',
    objects: { 5: streamOf(`${image} /Filter [/FlateDecode /FlateDecode]`, bomb), 10: page },
  })
}

export const pdfWithObjectStreamBomb = (): Buffer => pdfWithObjectStream('null ', { filler: ' '.repeat(60_000_000) })

/** The end record of an empty zip archive. */
const emptyZip = Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1')

export const pdfAndZip = (): Buffer => Buffer.concat([pdfDocument(), emptyZip])
/** The PDF's own end is the comment of the archive. */
export function pdfInsideZipComment(): Buffer {
  const record = Buffer.from(emptyZip)
  const tail = Buffer.from('\n%%EOF\n')
  record.writeUInt16LE(tail.length, 20)
  return Buffer.concat([pdfDocument(), record, tail])
}

/** A form with typed input: the input is a black box that only the field's own appearance paints. */
export const pdfWithFilledField = (): Buffer =>
  pdfDocument({
    pages: 1,
    contents: '',
    catalog: '/AcroForm << /Fields [20 0 R] >>',
    objects: {
      10: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [20 0 R] >>',
      20: '<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Neema) /Rect [100 100 500 700] /F 4 /AP << /N 21 0 R >> >>',
      21: streamOf('/Type /XObject /Subtype /Form /BBox [0 0 400 600]', Buffer.from('0 g 0 0 400 600 re f')),
    },
  })

/** A page of many pictures, each just small enough to be decoded: tiny when compressed, 40 MB each when decoded. */
export function pdfOfLargePictures(count: number): Buffer {
  const side = 6300
  const picture = deflated(
    `/Type /XObject /Subtype /Image /Width ${side} /Height ${side} /ColorSpace /DeviceGray /BitsPerComponent 8`,
    Buffer.alloc(side * side, 0x7f),
  )
  const numbers = Array.from({ length: count }, (_, place) => 100 + place)
  const names = numbers.map((number) => `/I${number} ${number} 0 R`).join(' ')
  return pdfDocument({
    pages: 1,
    contents: numbers.map((number) => `q 100 0 0 100 0 0 cm /I${number} Do Q`).join(' '),
    objects: {
      10: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << ${names} >> >> >>`,
      ...Object.fromEntries(numbers.map((number) => [number, picture])),
    },
  })
}
