/**
 * Decodes a PDF and renders its pages into one image. Invariant: content that acts, hides or cannot be read never counts as
 * clean, and a reviewer gets pixels, never the file.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  AnnotationMode,
  getDocument,
  PasswordException,
  VerbosityLevel,
  type PDFDocumentProxy,
  type PDFPageProxy,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import sharp from 'sharp'
import type { InspectionAnswer, InspectionJob } from './inspector.ts'
import { findActiveName, isAlsoZip, pdfStart, searchPdf } from './pdf-objects.ts'
import { shrinkScans } from './shrink-scans.ts'

const maxPages = 30
const maxPageWidth = 1200
const maxPixels = 14_000_000
// JPEG counts rows in 16 bits.
const maxHeight = 65_000
const maxImagePixels = 40_000_000
/** JPEG qualities, tried in order until the copy is small enough. */
const qualities = [80, 55, 30]

const packageFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
const folderOf = (name: string): string => `${join(packageFolder, name)}/`

const encrypted: InspectionAnswer = {
  kind: 'refused',
  code: 'document_encrypted',
  reason: 'The PDF opens only with a password, or hides its structure. Print it to a new PDF, or scan it, and upload that.',
}
const unreadable: InspectionAnswer = { kind: 'unreadable' }

const active = (what: string): InspectionAnswer => ({
  kind: 'refused',
  code: 'document_active_content',
  reason: `The PDF contains active or attached content (${what}). Print it to a new PDF, or scan it, and upload that.`,
})
const tooComplex = (what: string): InspectionAnswer => ({ kind: 'refused', code: 'document_too_complex', reason: what })

type Canvas = Parameters<PDFPageProxy['render']>[0]['canvas']
type Context = { getImageData(x: number, y: number, width: number, height: number): { data: Uint8Array } }
type Surface = { canvas: Canvas; context: Context }
type CanvasFactory = { create(width: number, height: number): Surface; destroy(surface: Surface): void }

/** The pages one below the other, in RGB. */
async function paint(document: PDFDocumentProxy): Promise<{ pixels: Buffer; width: number; height: number }> {
  const pages = []
  for (let i = 1; i <= document.numPages; i++) pages.push(await document.getPage(i))
  const shapes = pages.map((page) => page.getViewport({ scale: 1 }))
  /** The total height at a width of 1. */
  const ratio = shapes.reduce((sum, shape) => sum + shape.height / shape.width, 0)
  const width = Math.floor(Math.min(maxPageWidth, Math.sqrt(maxPixels / ratio), maxHeight / ratio))
  const heights = shapes.map((shape) => Math.max(1, Math.floor((shape.height / shape.width) * width)))
  const height = heights.reduce((sum, one) => sum + one, 0)
  if (!(width >= 1)) throw new Error('the pages have no shape')
  const pixels = Buffer.alloc(width * height * 3, 255)
  const factory = document.canvasFactory as CanvasFactory
  let at = 0
  for (const [i, page] of pages.entries()) {
    const pageHeight = heights[i]!
    const surface = factory.create(width, pageHeight)
    const viewport = page.getViewport({ scale: width / shapes[i]!.width })
    const { canvas } = surface
    // Text entered into a form is an annotation: a reviewer must see the same as any reader of the file.
    await page.render({ canvas, viewport, annotationMode: AnnotationMode.ENABLE, background: '#ffffff' }).promise
    const { data } = surface.context.getImageData(0, 0, width, pageHeight)
    for (let from = 0; from < data.length; from += 4) {
      pixels[at++] = data[from]!
      pixels[at++] = data[from + 1]!
      pixels[at++] = data[from + 2]!
    }
    factory.destroy(surface)
    page.cleanup()
  }
  return { pixels, width, height }
}

async function makeCopy(document: PDFDocumentProxy, { copy, maxBytes }: InspectionJob): Promise<InspectionAnswer> {
  const { pixels, width, height } = await paint(document)
  for (const quality of qualities) {
    const { size } = await sharp(pixels, { raw: { width, height, channels: 3 } })
      // Optimised codes would need all coefficients of the image in memory at once.
      .jpeg({ quality, optimizeCoding: false })
      .toFile(copy)
    if (size <= maxBytes) return { kind: 'clean', contentType: 'image/jpeg', width, height }
  }
  return tooComplex('The pages of the PDF are too detailed to be shown. Scan the document at a lower resolution.')
}

/** `foundPages` is told the number of pages, as soon as it is known and not too many. */
export async function inspectPdf(job: InspectionJob, foundPages: (count: number) => void): Promise<InspectionAnswer> {
  const whole = await readFile(job.file)
  if (isAlsoZip(whole)) {
    return {
      kind: 'refused',
      code: 'document_content_mismatch',
      reason: 'The file is both a PDF and a zip archive. Upload only the PDF.',
    }
  }
  // Its offsets count from its first line.
  const bytes = whole.subarray(whole.indexOf(pdfStart))
  const finding = searchPdf(bytes)
  switch (finding.kind) {
    case 'encrypted':
      return encrypted
    case 'active':
      return active(finding.name)
    case 'too_complex':
      return tooComplex('The structure of the PDF is too complex. Print it to a new PDF and upload that.')
    case 'broken':
    case 'harmless':
  }
  if (finding.kind === 'harmless') await shrinkScans(bytes, maxImagePixels)
  const loading = getDocument({
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    useSystemFonts: false,
    disableFontFace: true,
    enableXfa: false,
    maxImageSize: maxImagePixels,
    standardFontDataUrl: folderOf('standard_fonts'),
    cMapUrl: folderOf('cmaps'),
    cMapPacked: true,
    wasmUrl: folderOf('wasm'),
    iccUrl: folderOf('iccs'),
  })
  try {
    const document = await loading.promise
    if (document.numPages > maxPages)
      return tooComplex(`The PDF has more than ${maxPages} pages. Upload only the requested pages.`)
    foundPages(document.numPages)
    // A second check, with a reader that follows the file's own tables.
    if (await document.hasJSActions()) return active('JavaScript')
    if ((await document.getAttachments()) !== null) return active('EmbeddedFiles')
    return finding.kind === 'broken' ? unreadable : await makeCopy(document, job)
  } catch (error) {
    if (error instanceof PasswordException) return encrypted
    const name = findActiveName(bytes)
    return name === undefined ? unreadable : active(name)
  } finally {
    await loading.destroy()
  }
}
