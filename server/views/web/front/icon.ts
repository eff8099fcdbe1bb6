/** The icon of the service for browsers: an M on a green ground, 32 by 32 pixels, as an ICO file that holds one PNG. */
import { crc32, deflateSync } from 'node:zlib'

const side = 32
const ground = [0x0a, 0x61, 0x48] as const
const corner = 7

/** Whether a pixel belongs to the letter: two posts, and two strokes that meet in the middle. */
function isLetter(x: number, y: number): boolean {
  if (y < 9 || y > 22) return false
  const fromSide = Math.min(x, side - 1 - x)
  if (fromSide >= 7 && fromSide <= 9) return true
  return fromSide >= 10 && Math.abs(fromSide - 10 - (y - 9) * 0.75) <= 1.7
}

function isOutside(x: number, y: number): boolean {
  const [dx, dy] = [Math.max(corner - 1 - x, x - (side - corner), 0), Math.max(corner - 1 - y, y - (side - corner), 0)]
  return dx * dx + dy * dy > corner * corner
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'ascii'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

function png(): Buffer {
  const rows = Array.from({ length: side }, (_, y) => [
    0, // The row has no filter.
    ...Array.from({ length: side }, (__, x) => {
      if (isOutside(x, y)) return [0, 0, 0, 0]
      return isLetter(x, y) ? [255, 255, 255, 255] : [...ground, 255]
    }).flat(),
  ])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 6], 8) // Eight bits for each of red, green, blue and alpha.
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Buffer.from(rows.flat()))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

/** The bytes of `favicon.ico`. */
export function iconFile(): Buffer {
  const image = png()
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2) // An icon,
  head.writeUInt16LE(1, 4) // of one picture.
  head.set([side, side, 0, 0, 1, 0, 32, 0], 6)
  head.writeUInt32LE(image.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, image])
}
