/**
 * A merchant's logo and colour on the hosted pages. Invariant: the colour changes the line at the top, the mark and the buttons that pay,
 * and nothing that tells a state: errors, success and the TEST banner look the same on every merchant's page.
 */
import { isShown, logoPath, type Brand, type LogoFacts } from '../../../merchants/brands/brand.ts'
import { findBrandOfPage } from '../../../merchants/brands/brand.sql.ts'
import { shadeOf, type Scheme } from '../../../merchants/brands/shade.ts'
import type { Runner } from '../../../platform/db/db.ts'
import { constantElement, html, type Html } from './html.ts'

export type ShownBrand = Pick<Brand, 'color' | 'logo'> & {
  /** Where its logo is; the logo itself in a preview, which may load nothing. */
  logoSource?: string
}

/** The brand that payers see on a page of this merchant; undefined: none. */
export async function shownBrand(db: Runner, merchantId: string): Promise<ShownBrand | undefined> {
  const found = await findBrandOfPage(db, merchantId)
  return found && isShown(found) ? found : undefined
}

function rulesOf(color: string, scheme: Scheme): string {
  const { background, text } = shadeOf(color, scheme)
  return `body{box-shadow:inset 0 .25rem ${background}}.letter,.own{background:${background};color:${text}}.own{border-color:${background}}`
}

/** The rules of one colour. The policy of the page names their hash, so they depend on nothing else. */
export function brandCss(color: string): string {
  return `${rulesOf(color, 'light')}@media (prefers-color-scheme:dark){${rulesOf(color, 'dark')}}`
}

export function brandStyle(brand: ShownBrand | undefined): Html | undefined {
  return brand?.color ? constantElement('style', brandCss(brand.color)) : undefined
}

/** CSS pixels: narrow enough for "Biashara iliyothibitishwa" beside it at 360 px. The place is kept before the picture has loaded. */
const box = { width: 88, height: 44 }

function sizeOf({ width, height }: LogoFacts): { width: number; height: number } {
  const scale = Math.min(box.width / width, box.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The name of the merchant stands beside it, so it needs no text of its own. */
export function logoHtml(logo: LogoFacts, src = logoPath(logo)): Html {
  const { width, height } = sizeOf(logo)
  return html`<img class="logo" src="${src}" width="${width}" height="${height}" alt="" decoding="async" fetchpriority="low" />`
}
