/** Pictures for tests of logos. */
import sharp from 'sharp'

/** A flat logo on a transparent ground. */
export function drawLogo(color = '#c62828', { width = 300, height = 300 } = {}): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><circle cx="${width / 2}" cy="${height / 2}" r="${Math.min(width, height) / 2.5}" fill="${color}"/></svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}
