/**
 * Reduces large JPEG pictures in a PDF before its pages are rendered: the PDF reader decompresses a picture as a whole, and a
 * page scanned at 600 dpi would use more memory than one file may. Invariant: no offset in the file changes. The smaller picture
 * is written over the larger one, the rest of its space is empty, and the numbers of its size are overwritten with the same
 * number of characters.
 */
import sharp from 'sharp'

/** Slightly more than an A4 page at 300 dpi has. */
const maxPixels = 9_000_000
/** Pages are rendered at no more than half of this width. */
const longSide = 2_400
const maxHeadBytes = 2_000

type Scan = { start: number; length: number; width: number; height: number; head: { at: number; text: string } }

const numberIn = (dictionary: string, key: string): number | undefined => {
  const found = new RegExp(`/${key}[ \\r\\n\\t]+(\\d{1,8})(?![ \\r\\n\\t]+\\d+[ \\r\\n\\t]+R)\\b`).exec(dictionary)
  return found ? Number(found[1]) : undefined
}

/** The picture whose object begins at `at`, if it is a large JPEG in the form that scanners write. */
function readScan(bytes: Buffer, at: number): Scan | undefined {
  const text = /^\s*<<[\s\S]*?>>\s*stream\r?\n/.exec(bytes.toString('latin1', at, at + maxHeadBytes))?.[0]
  if (text === undefined || !/\/Filter\s*(\/DCTDecode|\[\s*\/DCTDecode\s*\])/.test(text) || text.includes('/DecodeParms'))
    return undefined
  const [width, height, length] = [numberIn(text, 'Width'), numberIn(text, 'Height'), numberIn(text, 'Length')]
  if (width === undefined || height === undefined || length === undefined || width * height <= maxPixels) return undefined
  const start = at + Buffer.byteLength(text, 'latin1')
  return start + length > bytes.length ? undefined : { start, length, width, height, head: { at, text } }
}

function writeSize(bytes: Buffer, { at, text }: Scan['head'], size: { Width: number; Height: number }): void {
  let changed = text
  for (const [key, value] of Object.entries(size)) {
    changed = changed.replace(new RegExp(`(/${key}[ \\r\\n\\t]+)(\\d+)`), (_, before: string, digits: string) => {
      return `${before}${String(value).padEnd(digits.length)}`
    })
  }
  bytes.write(changed, at, 'latin1')
}

async function shrink(bytes: Buffer, { start, length, width, height, head }: Scan, maxImagePixels: number): Promise<void> {
  const jpeg = bytes.subarray(start, start + length)
  const image = sharp(jpeg, { limitInputPixels: maxImagePixels, failOn: 'error' })
  const { channels, width: realWidth, height: realHeight } = await image.metadata()
  if ((channels !== 1 && channels !== 3) || realWidth !== width || realHeight !== height) return
  const scale = longSide / Math.max(width, height)
  const [Width, Height] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))]
  const smaller = await image
    .resize({ width: Width, height: Height, fit: 'fill' })
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .jpeg({ quality: 85 })
    .toBuffer()
  if (smaller.length > length) return
  smaller.copy(bytes, start)
  bytes.fill(0, start + smaller.length, start + length)
  writeSize(bytes, head, { Width, Height })
}

/** Changes `bytes`. A picture that cannot be reduced stays unchanged, and the PDF reader judges it. */
export async function shrinkScans(bytes: Buffer, maxImagePixels: number): Promise<void> {
  for (let at = bytes.indexOf(' obj'); at !== -1; at = bytes.indexOf(' obj', at + 4)) {
    const scan = readScan(bytes, at + 4)
    if (scan) await shrink(bytes, scan, maxImagePixels).catch(() => undefined)
  }
}
