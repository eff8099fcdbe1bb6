import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import sharp from 'sharp'
import type { DocumentType } from '../../domain/document.ts'
import { eicar, startClamd } from '../../../test/clamd.ts'
import * as samples from '../../../test/sample-documents.ts'
import { createLog } from '../../platform/process/log.ts'
import { createContentCheck, type ContentCheckOptions, type ContentOutcome } from './check-content.ts'

const log = createLog({ level: 'silent', role: 'test' })

type Bench = {
  folder: string
  /** All files belong to one account, unless `owner` names another. */
  check(content: Buffer, type: DocumentType, owner?: string): Promise<ContentOutcome>
  close(): Promise<void>
  /** The child processes started since the beginning of the test. */
  children: ChildProcess[]
}

/** A content check in a separate folder. */
async function startBench(t: TestContext, options: Partial<ContentCheckOptions> = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'contents-'))
  const contents = createContentCheck({
    scanDeadlineMs: 5_000,
    inspectors: 2,
    inspectDeadlineMs: 5_000,
    inspectionsWaiting: 32,
    maxBytes: 10_000_000,
    log,
    ...options,
  })
  const children: ChildProcess[] = []
  const remember = (message: unknown) => void children.push((message as { process: ChildProcess }).process)
  channel('child_process').subscribe(remember)
  t.after(async () => {
    channel('child_process').unsubscribe(remember)
    await contents.close()
    await rm(folder, { recursive: true, force: true })
  })
  let files = 0
  return {
    folder,
    children,
    close: () => contents.close(),
    async check(content, type, owner = 'account') {
      const file = join(folder, `upload-${files++}`)
      await writeFile(file, content)
      const outcome = await contents.check(owner, file, type)
      await rm(file)
      return outcome
    },
  }
}

/** Resolves when a child gets the next file. */
function whenAssigned(t: TestContext, child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const { mock } = t.mock.method(child, 'send', (job: object, done: () => void) => {
      mock.restore()
      resolve()
      return child.send(job, done)
    })
  })
}

const wordOf = (outcome: ContentOutcome): string => (outcome.kind === 'refused' ? outcome.code : outcome.kind)

/** The copy of a clean document, after its facts were checked. */
async function readCopy(outcome: ContentOutcome): Promise<Buffer> {
  assert.equal(outcome.kind, 'clean', JSON.stringify(outcome))
  const { file, sizeBytes, sha256 } = outcome.reviewCopy
  const content = await readFile(file)
  assert.equal(content.length, sizeBytes)
  assert.deepEqual(createHash('sha256').update(content).digest(), sha256)
  await rm(file)
  return content
}

async function deviationOf(image: Buffer): Promise<number> {
  const { channels } = await sharp(image).stats()
  return Math.max(...channels.map((one) => one.stdev))
}

test('a real JPEG, PNG and PDF are clean, and their copies have content', async (t) => {
  const { check, folder } = await startBench(t)
  const jpeg = await readCopy(await check(samples.jpegDocument(), 'image/jpeg'))
  const png = await readCopy(await check(samples.pngDocument(), 'image/png'))
  const pdf = await readCopy(await check(samples.pdfDocument(), 'application/pdf'))
  const formats = await Promise.all([jpeg, png, pdf].map(async (copy) => (await sharp(copy).metadata()).format))
  assert.deepEqual(formats, ['jpeg', 'png', 'jpeg'])
  for (const copy of [jpeg, png, pdf]) assert.ok((await deviationOf(copy)) > 20)
  assert.deepEqual(await readdir(folder), [])
})

test('the pages of a PDF are placed one below the other, each with its text and its picture', async (t) => {
  const { check } = await startBench(t)
  const copy = await readCopy(await check(samples.pdfDocument({ pages: 3 }), 'application/pdf'))
  const { width, height } = await sharp(copy).metadata()
  assert.equal(width, 1200)
  assert.equal(height, 3 * Math.floor((1200 * 842) / 595))
  for (const page of [0, 1, 2]) {
    const top = Math.floor((page * height) / 3)
    const heading = { left: 100, top: top + 200, width: 800, height: 120 }
    assert.ok((await deviationOf(await sharp(copy).extract(heading).png().toBuffer())) > 20, `text of page ${page}`)
    const { dominant } = await sharp(
      await sharp(copy)
        .extract({ left: 300, top: top + 1000, width: 100, height: 100 })
        .png()
        .toBuffer(),
    ).stats()
    assert.ok(dominant.b > 200 && dominant.r < 50, `picture of page ${page}`)
  }
})

test('text entered into a PDF form is visible', async (t) => {
  const { check } = await startBench(t)
  const copy = await readCopy(await check(samples.pdfWithFilledField(), 'application/pdf'))
  assert.ok((await deviationOf(copy)) > 100)
})

for (const colours of ['srgb', 'b-w'] as const) {
  test(`a page of A4 that was scanned at 600 dpi is accepted (${colours})`, async (t) => {
    const { check } = await startBench(t)
    const copy = await readCopy(await check(await samples.pdfOfScan(colours), 'application/pdf'))
    const { width, height } = await sharp(copy).metadata()
    assert.deepEqual([width, height], [1200, Math.floor((1200 * 842) / 595)])
    // The stamp is in its place, and the paper has its colour.
    const shadeOf = async (left: number, top: number) => {
      const { dominant } = await sharp(await sharp(copy).extract({ left, top, width: 60, height: 60 }).png().toBuffer()).stats()
      return dominant.r
    }
    assert.ok((await shadeOf(300, 1320)) < 80)
    assert.ok((await shadeOf(600, 300)) > 200)
  })
}

test('a picture of 600 dpi is accepted', async (t) => {
  const { check } = await startBench(t)
  const picture = sharp({ create: { width: 4960, height: 7016, channels: 3, background: '#f6f2ea' } })
  assert.equal(wordOf(await check(await picture.png().toBuffer(), 'image/png')), 'clean')
})

test('thirty pages fit into one image of fourteen million pixels, thirty-one are too many', async (t) => {
  const { check } = await startBench(t)
  const copy = await readCopy(await check(samples.pdfDocument({ pages: 30 }), 'application/pdf'))
  const { width, height } = await sharp(copy).metadata()
  assert.ok(width * height <= 14_000_000 && width > 550)
  assert.equal(wordOf(await check(samples.pdfDocument({ pages: 31 }), 'application/pdf')), 'document_too_complex')
  assert.equal(wordOf(await check(samples.pdfDocument({ pages: 100_000 }), 'application/pdf')), 'document_too_complex')
})

test('a file that does not match its announced type is refused', async (t) => {
  const { check, children } = await startBench(t)
  const wrong: [Buffer, DocumentType][] = [
    [samples.pngDocument(), 'application/pdf'],
    [samples.pdfDocument(), 'image/png'],
    [samples.pngDocument(), 'image/jpeg'],
    [Buffer.from('<!doctype html><script>alert(1)</script>'), 'image/png'],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/png'],
    [Buffer.concat([Buffer.from('<!doctype html>'), samples.pdfDocument()]), 'application/pdf'],
    [Buffer.concat([samples.pngDocument(), samples.pdfDocument()]), 'application/pdf'],
    [Buffer.concat([Buffer.alloc(1_100, 32), samples.pdfDocument()]), 'application/pdf'],
    [Buffer.concat([Buffer.from('PK\x03\x04'), samples.pdfDocument()]), 'application/pdf'],
    [Buffer.alloc(0), 'image/png'],
    [Buffer.alloc(0), 'application/pdf'],
    [Buffer.from([0xff]), 'image/jpeg'],
    [Buffer.from('%'), 'application/pdf'],
  ]
  for (const [content, type] of wrong) assert.equal(wordOf(await check(content, type)), 'document_content_mismatch')
  assert.equal(children.length, 0)
})

test('a PDF that is also a zip archive is refused', async (t) => {
  const { check } = await startBench(t)
  for (const content of [samples.pdfAndZip(), samples.pdfInsideZipComment()]) {
    assert.equal(wordOf(await check(content, 'application/pdf')), 'document_content_mismatch')
  }
})

test('a copy contains neither the location of the photo nor data after the image [A26]', async (t) => {
  const { check } = await startBench(t)
  const photo = await samples.jpegWithPlace()
  const before = await sharp(photo).metadata()
  assert.ok(before.exif && before.width < before.height)
  const copy = await readCopy(await check(photo, 'image/jpeg'))
  const { exif, xmp, icc, iptc, orientation, width, height } = await sharp(copy).metadata()
  assert.deepEqual(
    { exif, xmp, icc, iptc, orientation },
    { exif: undefined, xmp: undefined, icc: undefined, iptc: undefined, orientation: undefined },
  )
  assert.deepEqual([width, height], [before.height, before.width])

  const script = await readCopy(await check(samples.jpegWithScript(), 'image/jpeg'))
  assert.ok(!script.includes('<?php'))
})

test('a copy is at most 2400 pixels long and no larger than a document', async (t) => {
  const { check } = await startBench(t)
  const large = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: 'navy' } })
    .jpeg()
    .toBuffer()
  const { width, height } = await sharp(await readCopy(await check(large, 'image/jpeg'))).metadata()
  assert.deepEqual([width, height], [2400, 1800])

  const strict = await startBench(t, { maxBytes: 2_000_000 })
  const noise = await samples.pngOfNoise(800)
  assert.ok((await readCopy(await strict.check(noise, 'image/png'))).length <= 2_000_000)
  const tiny = await startBench(t, { maxBytes: 10_000 })
  assert.equal(wordOf(await tiny.check(noise, 'image/png')), 'document_too_complex')
})

test('an image with too many pixels is refused before it is decoded [A26]', async (t) => {
  const { check } = await startBench(t)
  for (const side of [7_000, 100_000, 2_000_000_000]) {
    assert.equal(wordOf(await check(samples.pngOfSize(side, side), 'image/png')), 'document_too_complex', String(side))
  }
})

test('a file with correct first bytes that does not decode is unreadable', async (t) => {
  const { check, folder } = await startBench(t)
  const broken: [Buffer, DocumentType][] = [
    [samples.truncatedJpeg(), 'image/jpeg'],
    [Buffer.from([0xff, 0xd8, 0xff]), 'image/jpeg'],
    [samples.truncatedPng(), 'image/png'],
    [samples.pngDocument().subarray(0, 8), 'image/png'],
    [samples.pngOfSize(3_000, 3_000), 'image/png'],
    [Buffer.from('%PDF-1.7'), 'application/pdf'],
    [Buffer.concat([Buffer.from('%PDF-1.7\n'), samples.pngDocument()]), 'application/pdf'],
    [samples.pdfDocument().subarray(0, 200), 'application/pdf'],
  ]
  for (const [i, [content, type]] of broken.entries()) assert.equal(wordOf(await check(content, type)), 'unreadable', String(i))
  assert.deepEqual(await readdir(folder), [])
})

test('a PDF that would do something is refused, however it hides that [A25]', async (t) => {
  const { check } = await startBench(t)
  for (const [what, make] of Object.entries(samples.activePdfs)) {
    assert.equal(wordOf(await check(make(), 'application/pdf')), 'document_active_content', what)
  }
})

test('a PDF that only seems to contain an action is clean', async (t) => {
  const { check } = await startBench(t)
  const harmless: Record<string, Buffer> = {
    'a place to open at': samples.pdfDocument({ catalog: '/OpenAction [10 0 R /XYZ null null 0]' }),
    'the action to go there': samples.pdfDocument({ catalog: '/OpenAction << /S /GoTo /D [10 0 R /Fit] >>' }),
    'a place behind a reference': samples.pdfDocument({ catalog: '/OpenAction 5 0 R', objects: { 5: '[10 0 R /Fit]' } }),
    'words on a page': samples.pdfDocument({ contents: 'BT /F1 20 Tf 72 700 Td (Learn /JavaScript, /JS and /Launch) Tj ET' }),
    'words in a text': samples.pdfDocument({ objects: { 5: '<< /Title (All of /JavaScript \\( /JS) /Note </4a> >> % /Launch' } }),
    'words in a text of an object stream': samples.pdfWithObjectStream('<< /Title (https://example.com/Launch/JS) >>'),
    'a link': samples.pdfDocument({
      objects: { 5: '<< /Type /Annot /Subtype /Link /A << /S /URI /URI (https://example.com) >> >>' },
    }),
  }
  for (const [what, content] of Object.entries(harmless))
    assert.equal(wordOf(await check(content, 'application/pdf')), 'clean', what)
})

test('an encrypted PDF is refused [A25]', async (t) => {
  const { check } = await startBench(t)
  assert.equal(wordOf(await check(samples.encryptedPdf(), 'application/pdf')), 'document_encrypted')
})

test('a PDF that only its owner’s password protects is clean, and is judged like any other [R09, A25]', async (t) => {
  const { check } = await startBench(t)
  const copy = await readCopy(await check(samples.ownerLockedPdf(), 'application/pdf'))
  const { width } = await sharp(copy).metadata()
  const heading = await sharp(copy).extract({ left: 100, top: 200, width: 800, height: 120 }).png().toBuffer()
  assert.ok(width === 1200 && (await deviationOf(heading)) > 20)
  const active = samples.ownerLockedPdf({
    catalog: '/OpenAction 6 0 R',
    objects: { 6: '<< /S /JavaScript /JS (app.alert\\(1\\)) >>' },
  })
  assert.equal(wordOf(await check(active, 'application/pdf')), 'document_active_content')
  // An object stream that does not decrypt cannot be searched.
  const hidden = samples.ownerLockedPdf({
    objects: { 6: '<< /Type /ObjStm /N 1 /First 4 /Length 8 >>\nstream\n6 0 null\nendstream' },
  })
  assert.equal(wordOf(await check(hidden, 'application/pdf')), 'document_encrypted')
})

for (const lock of samples.ownerLocks) {
  test(`object streams under an owner’s password alone are searched, and the pages are shown (${lock}) [R09, A25]`, async (t) => {
    const { check } = await startBench(t)
    const copy = await readCopy(await check(samples.ownerLockedFile(lock), 'application/pdf'))
    const { dominant } = await sharp(
      await sharp(copy).extract({ left: 300, top: 1000, width: 200, height: 200 }).png().toBuffer(),
    ).stats()
    assert.ok(dominant.b > 200 && dominant.r < 60, 'the picture of the page')
    const active = await check(samples.ownerLockedFile(`${lock}-with-script`), 'application/pdf')
    assert.equal(wordOf(active), 'document_active_content')
  })
}

test('object streams that readers could decrypt in different ways, or only with a password, are refused [A25]', async (t) => {
  const { check } = await startBench(t)
  const file = samples.ownerLockedFile('rc4-128').toString('latin1')
  const [, dictionary] = /obj\n<< (\/Filter \/Standard.*)>>\nendobj/.exec(file)!
  const aes = dictionary!.replace(/\/R 3 (.*)\/V 2/, '/R 4 $1/V 4 /StmF /A /CF << /A << /CFM /AESV2 >> >>')
  const [stream] = /\d+ 0 obj\n<< \/Type \/ObjStm[^]*?endobj\n/.exec(file)!
  const odd: Record<string, string> = {
    'a password to open': samples.ownerLockedFile('needs-password').toString('latin1'),
    'a second dictionary': `${file}trailer << /Encrypt 77 0 R >> 77 0 obj << ${aes} >> endobj`,
    'no dictionary': file.replaceAll(/\/Encrypt \d+ 0 R/g, '/Encrypt 99 0 R'),
    'another handler': file.replace('/Filter /Standard', '/Filter /Standart'),
    'a second id': `${file}trailer << /ID [<00> <00>] >>`,
    'an object without a plain number': file.replace(/\n(\d+) 0 obj\n(?=<< \/Type \/ObjStm)/, '\n$1 %\n0 obj\n'),
    'a length that is not there': file.replace(stream, stream.replace(/\/Length \d+/, '/Length 99 0 R')),
    'streams over each other': file + stream.replace(/\/Length \d+/, '/Length 99999').repeat(30),
    'an encryption within': samples.pdfWithObjectStream('<< /Encrypt 9 0 R >>').toString('latin1'),
  }
  for (const [what, content] of Object.entries(odd))
    assert.equal(wordOf(await check(Buffer.from(content, 'latin1'), 'application/pdf')), 'document_encrypted', what)
})

test('a PDF may have a mark or some bytes before it, and a JPEG may lack its end mark [R09]', async (t) => {
  const { check } = await startBench(t)
  const before = [
    Buffer.from([0xef, 0xbb, 0xbf]),
    Buffer.from('\r\n'),
    Buffer.alloc(1_000, 'x'),
    Buffer.from('HTTP/1.1 200 OK\r\n\r\n'),
  ]
  for (const bytes of before) {
    const copy = await readCopy(await check(Buffer.concat([bytes, samples.pdfDocument()]), 'application/pdf'))
    assert.ok((await deviationOf(copy)) > 20, `${bytes.length} bytes`)
  }
  const jpeg = samples.jpegDocument()
  const end = jpeg.lastIndexOf(Buffer.from([0xff, 0xd9]))
  const copy = await readCopy(await check(jpeg.subarray(0, end), 'image/jpeg'))
  assert.ok((await deviationOf(copy)) > 20)
  // Where a part of the picture itself is missing, the reviewer would see a part of a paper.
  assert.equal(wordOf(await check(jpeg.subarray(0, end - 200), 'image/jpeg')), 'unreadable')
})

test('a HEIC picture is refused by its name, whatever type it is sent as', async (t) => {
  const { check } = await startBench(t)
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(500)])
  const outcome = await check(heic, 'image/jpeg')
  assert.ok(outcome.kind === 'refused' && outcome.code === 'document_content_mismatch')
  assert.match(outcome.reason, /^This is a HEIC picture\. Save it as JPEG/)
})

test('files made to cost time or memory end with an answer, and the inspector keeps working [A25]', async (t) => {
  const { check } = await startBench(t, { inspectDeadlineMs: 2_500 })
  const costly: Record<string, [Buffer, string[]]> = {
    'tables in a circle': [samples.pdfWithLoop(), ['clean', 'unreadable', 'document_too_complex']],
    'pages in a circle': [samples.pdfWithPageLoop(), ['unreadable', 'document_too_complex']],
    'endless painting': [samples.pdfWithEndlessPainting(), ['document_too_complex']],
    'a picture that swells': [samples.pdfWithDeflateBomb(), ['clean', 'unreadable', 'document_too_complex']],
    'an object stream that swells': [samples.pdfWithObjectStreamBomb(), ['document_too_complex']],
    'brackets without end': [
      Buffer.concat([Buffer.from('%PDF-1.7\n1 0 obj '), Buffer.alloc(9_000_000, '[')]),
      ['document_too_complex'],
    ],
    'texts without end': [
      Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(9_000_000, ' obj (')]),
      ['document_too_complex'],
    ],
    'objects without end': [
      Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(9_000_000, '1 0 obj 1 ')]),
      ['document_too_complex'],
    ],
  }
  for (const [what, [content, words]] of Object.entries(costly)) {
    const startedAt = performance.now()
    const word = wordOf(await check(content, 'application/pdf'))
    assert.ok(words.includes(word), `${what}: ${word}`)
    assert.ok(performance.now() - startedAt < 5_000, what)
  }
  assert.equal(wordOf(await check(samples.pdfDocument(), 'application/pdf')), 'clean')
})

/** The peak memory of the processes during some work, in bytes, sampled every 20 ms. */
async function peakMemory(children: ChildProcess[], work: () => Promise<void>): Promise<number> {
  const pageBytes = 4_096
  let peak = 0
  const look = setInterval(() => {
    for (const { pid } of children)
      readFile(`/proc/${pid}/statm`, 'utf8').then(
        (text) => (peak = Math.max(peak, Number(text.split(' ')[1]) * pageBytes)),
        () => undefined,
      )
  }, 20)
  await work()
  clearInterval(look)
  return peak
}

test('a small file that would take gigabytes to paint is refused, long before it has taken them [A25, A26]', async (t) => {
  const { check, children } = await startBench(t, { inspectDeadlineMs: 60_000 })
  const pdf = samples.pdfOfLargePictures(24)
  assert.ok(pdf.length < 2_000_000)
  const peak = await peakMemory(children, async () =>
    assert.equal(wordOf(await check(pdf, 'application/pdf')), 'document_too_complex'),
  )
  assert.equal(children[0]!.signalCode, 'SIGKILL')
  assert.ok(peak < 600_000_000, `it took ${Math.round(peak / 1e6)} MB`)
})

test('the number of waiting files is limited', async (t) => {
  const { check } = await startBench(t, { inspectDeadlineMs: 1_000, inspectionsWaiting: 1 })
  const outcomes = await Promise.all([
    check(samples.pdfWithEndlessPainting(), 'application/pdf'),
    check(samples.jpegDocument(), 'image/jpeg'),
    check(samples.jpegDocument(), 'image/jpeg'),
  ])
  const words = outcomes.map(wordOf)
  assert.equal(words.filter((word) => word === 'undecided').length, 1, words.join())
})

test('a child that dies loses its file, and the next file gets a new child', async (t) => {
  const { check, children, folder } = await startBench(t)
  assert.equal(wordOf(await check(samples.jpegDocument(), 'image/jpeg')), 'clean')
  const handed = whenAssigned(t, children[0]!)
  const dying = check(samples.pdfWithEndlessPainting(), 'application/pdf')
  await handed
  const waiting = check(samples.jpegDocument(), 'image/jpeg')
  children[0]!.kill('SIGKILL')
  assert.equal(wordOf(await dying), 'document_too_complex')
  assert.equal(wordOf(await waiting), 'clean')
  assert.equal(children.length, 2)
  assert.deepEqual((await readdir(folder)).toSorted(), ['upload-0.review', 'upload-2.review'])
})

/** Processor time of a process in seconds; 0 where the system does not tell. */
function processorSecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

test('a small PDF whose page never ends costs less than a second of the processor, and the same answer', async (t) => {
  const { check, children } = await startBench(t)
  assert.equal(wordOf(await check(samples.pdfDocument(), 'application/pdf')), 'clean')
  const processor = (): number => processorSecondsOf(children[0]!.pid!)
  const before = processor()
  let last = before
  const looking = setInterval(() => (last = Math.max(last, processor())), 20)
  const outcome = await check(samples.pdfWithEndlessPainting(), 'application/pdf')
  clearInterval(looking)
  assert.equal(wordOf(outcome), 'document_too_complex')
  const seconds = last - before
  t.diagnostic(`${samples.pdfWithEndlessPainting().length} bytes took ${seconds.toFixed(2)} s of the processor`)
  assert.ok(seconds <= 1.05, `${seconds.toFixed(2)} s`)
})

test('a child that died while idle causes no failure', async (t) => {
  const { check, children } = await startBench(t)
  assert.equal(wordOf(await check(samples.jpegDocument(), 'image/jpeg')), 'clean')
  const ended = once(children[0]!, 'exit')
  children[0]!.kill('SIGKILL')
  await ended
  assert.equal(wordOf(await check(samples.jpegDocument(), 'image/jpeg')), 'clean')
})

test('the time in the queue does not count', async (t) => {
  const { check } = await startBench(t, { inspectDeadlineMs: 1_000 })
  await check(samples.jpegDocument(), 'image/jpeg')
  const outcomes = await Promise.all([
    check(samples.pdfWithEndlessPainting(), 'application/pdf'),
    check(samples.pdfWithEndlessPainting(), 'application/pdf'),
    check(samples.jpegDocument(), 'image/jpeg'),
  ])
  assert.deepEqual(outcomes.map(wordOf), ['document_too_complex', 'document_too_complex', 'clean'])
})

test('ten costly files of one account delay no other account: five seconds per file, and a slot for others [A74]', async (t) => {
  const { check } = await startBench(t)
  await Promise.all([check(samples.jpegDocument(), 'image/jpeg'), check(samples.pngDocument(), 'image/png', 'other')])
  const costly = [samples.pdfWithEndlessPainting(), samples.pngOfSize(8_000, 5_000), samples.pdfDocument({ pages: 10_000 })]
  const floods = Array.from({ length: 10 }, (_, n) =>
    check(costly[n % 3]!, n % 3 === 1 ? 'image/png' : 'application/pdf', 'flood'),
  )
  const times: number[] = []
  for (let n = 0; n < 10; n++) {
    const startedAt = performance.now()
    assert.equal(wordOf(await check(samples.pngDocument(), 'image/png', 'other')), 'clean')
    times.push(Math.round(performance.now() - startedAt))
  }
  const startedAt = performance.now()
  assert.equal(wordOf(await check(samples.pdfWithEndlessPainting(), 'application/pdf', 'other')), 'document_too_complex')
  t.diagnostic(
    `an endless PDF took ${Math.round(performance.now() - startedAt)} ms, the pictures of others at most ${Math.max(...times)} ms`,
  )
  assert.ok(performance.now() - startedAt < 7_000)
  assert.ok(Math.max(...times) < 3_000, times.join())
  await Promise.all(floods)
})

test('when no child can be started, the result is undecided', async (t) => {
  const { check } = await startBench(t)
  const { execPath } = process
  process.execPath = '/nonexistent/node'
  t.after(() => (process.execPath = execPath))
  assert.deepEqual(await check(samples.jpegDocument(), 'image/jpeg'), { kind: 'undecided', cause: 'inspector' })
  process.execPath = execPath
  assert.equal(wordOf(await check(samples.jpegDocument(), 'image/jpeg')), 'clean')
})

test('closing ends the child, and its current file is undecided, not refused', async (t) => {
  const { check, close, children } = await startBench(t)
  await check(samples.jpegDocument(), 'image/jpeg')
  const handed = whenAssigned(t, children[0]!)
  const outcomes = [check(samples.pdfWithEndlessPainting(), 'application/pdf'), check(samples.jpegDocument(), 'image/jpeg')]
  await handed
  await close()
  const undecided = { kind: 'undecided', cause: 'inspector' }
  assert.deepEqual(await Promise.all(outcomes), [undecided, undecided])
  assert.deepEqual(await check(samples.jpegDocument(), 'image/jpeg'), undecided)
  assert.ok(children.every((child) => child.signalCode !== null || child.exitCode !== null))
})

test('the child has none of our environment and ends when its parent is gone', async (t) => {
  process.env.SECRET_OF_THE_TEST = 'x'
  t.after(() => delete process.env.SECRET_OF_THE_TEST)
  const { check, children } = await startBench(t)
  await check(samples.jpegDocument(), 'image/jpeg')
  const [child] = children
  if (process.platform === 'linux') {
    const environment = await readFile(`/proc/${child!.pid}/environ`, 'latin1')
    assert.ok(!environment.includes('SECRET_OF_THE_TEST') && !environment.includes('PATH='), environment)
  }
  const ended = once(child!, 'exit')
  child!.disconnect()
  assert.deepEqual(await ended, [0, null])
})

test('a child that works on a file ends when its parent is killed', async (t) => {
  const { folder } = await startBench(t)
  const [easy, endless] = [join(folder, 'easy'), join(folder, 'endless')]
  await Promise.all([writeFile(easy, samples.jpegDocument()), writeFile(endless, samples.pdfWithEndlessPainting())])
  const program = `
    import { channel } from 'node:diagnostics_channel'
    import { createContentCheck } from ${JSON.stringify(new URL('./check-content.ts', import.meta.url).href)}
    let child
    channel('child_process').subscribe((message) => (child = message.process))
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const contents = createContentCheck({ scanDeadlineMs: 1000, inspectors: 1, inspectDeadlineMs: 1500, maxBytes: 1e6, log })
    await contents.check('account', ${JSON.stringify(easy)}, 'image/jpeg')
    const send = child.send
    child.send = (job, done) => send.call(child, job, () => process.stdout.write(String(child.pid)))
    await contents.check('account', ${JSON.stringify(endless)}, 'application/pdf')`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer]
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  const isAlive = () => {
    try {
      return process.kill(Number(pid), 0)
    } catch {
      return false
    }
  }
  await t.waitFor(() => assert.ok(!isAlive()), { interval: 20, timeout: 10_000 })
})

test('malware is refused, and a scanner that does not say "OK" leaves the file undecided', async (t) => {
  const clamd = await startClamd(t)
  const { check, children } = await startBench(t, { clamdUrl: clamd.url, scanDeadlineMs: 3_000 })
  const infected = Buffer.concat([samples.pdfDocument(), Buffer.from(`%${eicar}`)])
  assert.equal(wordOf(await check(infected, 'application/pdf')), 'document_infected')
  for (const mood of ['hanging', 'closing', 'too_large', 'odd'] as const) {
    clamd.mood = mood
    assert.deepEqual(await check(samples.jpegDocument(), 'image/jpeg'), { kind: 'undecided', cause: 'scanner' }, mood)
  }
  assert.equal(children.length, 0, 'nothing is decoded before it was scanned')
  clamd.mood = 'working'
  assert.equal(wordOf(await check(samples.jpegDocument(), 'image/jpeg')), 'clean')
  const large = await samples.pngOfNoise(1_000)
  assert.equal(wordOf(await check(large, 'image/png')), 'clean')
  assert.equal(clamd.scannedBytes.at(-1), large.length)
})

test('a scanner that is not running leaves the file undecided', async (t) => {
  const { check } = await startBench(t, { clamdUrl: 'tcp://127.0.0.1:1' })
  assert.deepEqual(await check(samples.jpegDocument(), 'image/jpeg'), { kind: 'undecided', cause: 'scanner' })
  const absent = await startBench(t, { clamdUrl: 'unix:/nonexistent/clamd.sock' })
  assert.deepEqual(await absent.check(samples.jpegDocument(), 'image/jpeg'), { kind: 'undecided', cause: 'scanner' })
})

test('a scanner behind a socket file, and one whose answer never ends', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'clamd-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'clamd.sock')
  let speech = 'stream: OK\0'
  const server = createServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.end(speech)))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  t.after(() => server.close())
  const { check } = await startBench(t, { clamdUrl: `unix:${path}` })
  assert.equal(wordOf(await check(samples.jpegDocument(), 'image/jpeg')), 'clean')
  for (speech of ['stream: OK', 'stream: OK'.repeat(10_000), 'stream: OK\0stream: Eicar FOUND\0', 'stream:  FOUND\0']) {
    assert.equal(wordOf(await check(samples.jpegDocument(), 'image/jpeg')), 'undecided', speech.slice(0, 40))
  }
})

test('two hundred files do not increase the memory of the service, and children are renewed', async (t) => {
  const { check, children } = await startBench(t)
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const rss = () => {
    collect()
    return process.memoryUsage().rss
  }
  const kinds: [Buffer, DocumentType][] = [
    [samples.jpegDocument(), 'image/jpeg'],
    [samples.pdfDocument({ pages: 1 }), 'application/pdf'],
    [samples.truncatedJpeg(), 'image/jpeg'],
    [samples.jpegWithScript(), 'image/jpeg'],
  ]
  async function run(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const outcome = await check(...kinds[i % kinds.length]!)
      if (outcome.kind === 'clean') await rm(outcome.reviewCopy.file)
    }
  }
  await run(20)
  const before = rss()
  await run(180)
  const grown = (rss() - before) / 1e6
  assert.ok(grown < 20, `grew by ${grown} MB`)
  assert.equal(children.length, 4)
})
