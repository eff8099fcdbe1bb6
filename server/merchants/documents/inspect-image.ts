/** Decodes an image and makes a new one from its pixels. Invariant: only pixels of the file get into the copy. */
import { open, readFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { ImageType, LogoType } from '../../domain/document.ts'
import type { InspectionAnswer, InspectionJob } from './inspector.ts'

export const maxPixels = 40_000_000
/** Maximum side lengths, tried in order until the copy is small enough; papers are legible with the first. */
const sides = [2400, 1600, 1000]

sharp.cache(false)
sharp.concurrency(1)
// The library reads dozens of formats; a file at this point is one of two types, and a scan in a PDF is a JPEG.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadJpegBuffer'] })

/** Width times height from the header; the decoder refuses some sizes without reporting that as the reason. */
export async function countPixels(file: string, type: LogoType): Promise<number> {
  if (type !== 'image/png') {
    const { width, height } = await sharp(file, { limitInputPixels: false }).metadata()
    return width * height
  }
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(24), 0, 24, 0)
    // The first chunk of a PNG is its header: length, `IHDR`, width, height.
    return bytesRead === 24 && buffer.toString('latin1', 12, 16) === 'IHDR'
      ? buffer.readUInt32BE(16) * buffer.readUInt32BE(20)
      : 0
  } finally {
    await handle.close()
  }
}

const jpegEnd = Buffer.from([0xff, 0xd9])

export type Source = { picture: string | Buffer; failOn: 'error' | 'warning' }

/** `inspect`s the file; a JPEG that cannot be read, once more with the mark at the end that some apps leave out. */
export async function withItsEnd(
  file: string,
  type: string,
  inspect: (source: Source) => Promise<InspectionAnswer>,
): Promise<InspectionAnswer> {
  const answer = await inspect({ picture: file, failOn: 'error' })
  if (answer.kind !== 'unreadable' || type !== 'image/jpeg') return answer
  // A picture that lacks more than this still has a warning.
  return inspect({ picture: Buffer.concat([await readFile(file), jpegEnd]), failOn: 'warning' })
}

export const inspectImage = (job: InspectionJob, type: ImageType): Promise<InspectionAnswer> =>
  withItsEnd(job.file, type, (source) => makeCopy(job, type, source))

async function makeCopy(
  { file, copy, maxBytes }: InspectionJob,
  type: ImageType,
  { picture, failOn }: Source,
): Promise<InspectionAnswer> {
  try {
    if ((await countPixels(file, type)) > maxPixels) {
      return {
        kind: 'refused',
        code: 'document_too_complex',
        reason: 'The image has more than 40 million pixels. Make it smaller and upload it again.',
      }
    }
    for (const side of sides) {
      const image = sharp(picture, { limitInputPixels: maxPixels, failOn })
        .autoOrient()
        .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
        .toColourspace('srgb')
      const encoded = type === 'image/jpeg' ? image.jpeg({ quality: 85 }) : image.png({ compressionLevel: 6 })
      const { size, width, height } = await encoded.toFile(copy)
      if (size <= maxBytes) return { kind: 'clean', contentType: type, width, height }
    }
  } catch {
    return { kind: 'unreadable' }
  }
  return {
    kind: 'refused',
    code: 'document_too_complex',
    reason: 'The image cannot be made small enough to be shown. Upload a smaller one.',
  }
}
