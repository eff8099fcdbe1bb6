/**
 * Decodes a merchant's logo and makes a small opaque picture from its pixels. Invariant: only pixels get into the new picture, and it
 * can be seen on a white and on a dark page.
 */
import { writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import type { ImageType, LogoType } from '../../domain/document.ts'
import { countPixels, maxPixels, withItsEnd, type Source } from './inspect-image.ts'
import type { InspectionAnswer, InspectionJob } from './inspector.ts'

/** Boxes that the picture is fitted into, tried in order until it is small enough. The first is almost three times its size on a page. */
const boxes = [
  { width: 256, height: 160 },
  { width: 176, height: 110 },
  { width: 128, height: 80 },
]
const leastSide = 48
const longestRatio = 4
/** A flat logo of this size stays a PNG, even if a JPEG would be smaller: its edges are sharper. */
const plainPngBytes = 6 * 1024
const jpegQualities = [85, 70, 50]

// Behind a transparent logo: white, or dark if the logo itself is light.
const lightPlate = { r: 255, g: 255, b: 255 }
const darkPlate = { r: 23, g: 33, b: 29 }
/** 0 to 255. Lighter logos could hardly be seen on white. */
const lightFrom = 200

sharp.unblock({ operation: ['VipsForeignLoadWebpFile'] })

type Pixels = { data: Buffer; info: { width: number; height: number; channels: 1 | 2 | 3 | 4 } }

/** The mean brightness of what can be seen of a picture with four channels, 0 to 255; undefined: nothing can be seen. */
function brightnessOf({ data }: Pixels): number | undefined {
  let sum = 0
  let weight = 0
  for (let at = 0; at < data.length; at += 4) {
    const alpha = data[at + 3]!
    sum += alpha * (0.2126 * data[at]! + 0.7152 * data[at + 1]! + 0.0722 * data[at + 2]!)
    weight += alpha
  }
  return weight === 0 ? undefined : sum / weight
}

type Encoded = { bytes: Buffer; contentType: ImageType }

/** The sharpest encoding within the size, if there is one. */
async function encode({ data, info }: Pixels, background: typeof lightPlate, maxBytes: number): Promise<Encoded | undefined> {
  const picture = () => sharp(data, { raw: info }).flatten({ background })
  const png = await picture().png({ palette: true, colours: 128, compressionLevel: 9, effort: 10 }).toBuffer()
  if (png.length <= Math.min(plainPngBytes, maxBytes)) return { bytes: png, contentType: 'image/png' }
  for (const quality of jpegQualities) {
    const jpeg = await picture()
      .jpeg({ quality, chromaSubsampling: quality >= 85 ? '4:4:4' : '4:2:0' })
      .toBuffer()
    if (png.length <= Math.min(jpeg.length, maxBytes)) return { bytes: png, contentType: 'image/png' }
    if (jpeg.length <= maxBytes) return { bytes: jpeg, contentType: 'image/jpeg' }
  }
  return undefined
}

const refused = (reason: string): InspectionAnswer => ({ kind: 'refused', code: 'document_too_complex', reason })

export const inspectLogo = (job: InspectionJob, type: LogoType): Promise<InspectionAnswer> =>
  withItsEnd(job.file, type, (source) => makeLogo(job, type, source))

async function makeLogo(
  { file, copy, maxBytes }: InspectionJob,
  type: LogoType,
  { picture, failOn }: Source,
): Promise<InspectionAnswer> {
  try {
    if ((await countPixels(file, type)) > maxPixels)
      return refused('The image has more than 40 million pixels. Send a smaller one.')
    // Only the first picture of an animation.
    const read = () => sharp(picture, { limitInputPixels: maxPixels, failOn, pages: 1 }).autoOrient()
    const { width, height } = (await read().metadata()).autoOrient
    if (Math.min(width, height) < leastSide) return refused(`The logo must be at least ${leastSide} pixels wide and high.`)
    if (Math.max(width, height) > longestRatio * Math.min(width, height)) {
      return refused(`The long side of the logo may be at most ${longestRatio} times the short one. Cut off its empty edges.`)
    }
    for (const box of boxes) {
      const pixels = await read()
        .resize({ ...box, fit: 'inside', withoutEnlargement: true })
        .toColourspace('srgb')
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      const brightness = brightnessOf(pixels)
      if (brightness === undefined) return refused('The logo is completely transparent.')
      const made = await encode(pixels, brightness < lightFrom ? lightPlate : darkPlate, maxBytes)
      if (!made) continue
      await writeFile(copy, made.bytes)
      return { kind: 'clean', contentType: made.contentType, width: pixels.info.width, height: pixels.info.height }
    }
  } catch {
    return { kind: 'unreadable' }
  }
  return refused('The logo has too many details to be made small enough. Send a simpler picture.')
}
