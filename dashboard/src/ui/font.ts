/**
 * The font. A first visit uses the font of the device until its screen is there; later visits have this one in the cache and take it at
 * once.
 */
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url'
import { firstScreen } from './later.ts'

const storageKey = 'malipo-font'
const latin =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD'

export async function loadFont(): Promise<void> {
  if (localStorage.getItem(storageKey) !== inter) await firstScreen
  const font = new FontFace('Inter Variable', `url(${inter}) format('woff2-variations')`, {
    weight: '100 900',
    display: 'swap',
    unicodeRange: latin,
  })
  document.fonts.add(font)
  await font.load()
  localStorage.setItem(storageKey, inter)
}
