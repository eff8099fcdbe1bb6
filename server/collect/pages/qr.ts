/** The link of a page as a picture: a QR code with the link below it, for people who have to type it. It is sharp at every size. */
import { encode } from 'uqr'

/** Modules of light around the code, so that readers find it (ISO/IEC 18004). */
const quietZone = 4
/** The height of the line below, in modules. */
const lineHeight = 3
const largestFont = 1.8
/** The width of a character of a monospaced font, relative to the font's size. */
const characterWidth = 0.6

/** Pixels. */
export const qrSizes = { least: 128, usual: 512, most: 2048 }

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character]!)
}

/** Draws each run of dark modules of a line as one stroke. */
function darkPath(rows: boolean[][]): string {
  const runs = rows.flatMap((row, y) => {
    const line = row.map((isDark) => (isDark ? '1' : '0')).join('')
    return [...line.matchAll(/1+/g)].map(
      ({ 0: run, index }) => `M${index + quietZone} ${y + quietZone}h${run.length}v1h-${run.length}z`,
    )
  })
  return runs.join('')
}

/**
 * An SVG document, `widthPx` wide and a little higher. Black on white, independent of the background. `isLabelled`: false beside text that
 * has the link in letters of a readable size.
 */
export function linkQrSvg(link: string, widthPx: number, { isLabelled = true } = {}): string {
  const { data, size } = encode(link, { ecc: 'M', border: 0 })
  const width = size + 2 * quietZone
  const height = width + (isLabelled ? lineHeight : 0)
  const shown = link.replace(/^https?:\/\//, '')
  const fontSize = Math.min(largestFont, (width - 2) / (shown.length * characterWidth))
  const textLength = (shown.length * characterWidth * fontSize).toFixed(2)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${widthPx}" height="${Math.round((widthPx * height) / width)}" role="img">`,
    `<title>${escaped(shown)}</title>`,
    `<path fill="#fff" d="M0 0h${width}v${height}h-${width}z"/>`,
    `<path fill="#000" shape-rendering="crispEdges" d="${darkPath(data)}"/>`,
    isLabelled
      ? `<text x="${width / 2}" y="${width + 0.7}" text-anchor="middle" font-family="ui-monospace,Consolas,monospace" font-size="${fontSize.toFixed(2)}" textLength="${textLength}" lengthAdjust="spacingAndGlyphs" fill="#000">${escaped(shown)}</text>`
      : '',
    '</svg>',
  ].join('')
}
