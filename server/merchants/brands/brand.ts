/**
 * The logo and the colour of a merchant. Invariant: payers see them on a live page only while the merchant is verified and not suspended,
 * so that no one borrows the look of another business before its papers were checked.
 */
import { z } from 'zod'
import type { ImageType } from '../../domain/document.ts'
import { shadeOf, textColors, type Scheme } from './shade.ts'
import { withCell } from '../../platform/http/cell.ts'

/** The stored picture: small, so that a page on 2G does not wait for it. A constraint of the table says the same. */
export const maxLogoBytes = 12 * 1024
/** The file that a merchant sends. */
export const maxFileBytes = 2 * 1024 * 1024

export type LogoFacts = { type: ImageType; width: number; height: number; sha256: Buffer }

export type Brand = {
  /** `#rrggbb`, as chosen. */
  color: string | null
  logo: LogoFacts | null
  /** The last removal by operators. */
  removal: { sha256: Buffer; reason: string; at: Date } | null
  updatedAt: Date | null
}

/** What owners are told when a member has changed the brand. */
export const brandNotice = {
  sw: 'Nembo au rangi ambayo walipaji wanaona imebadilishwa.',
  en: 'The logo or the colour that payers see was changed.',
}

export const noBrand: Brand = { color: null, logo: null, removal: null, updatedAt: null }

/** Whether payers see the logo and the colour, in live and in test: anyone can be sent the address of a test page. */
export function isShown(merchant: { verificationStatus: string; suspendedAt: Date | null }): boolean {
  return merchant.suspendedAt === null && merchant.verificationStatus === 'verified'
}

export const logoExtensions: Record<ImageType, string> = { 'image/png': 'png', 'image/jpeg': 'jpg' }

/** The public path of a logo on the checkout host. It never changes its content. */
export function logoPath({ sha256, type }: LogoFacts, cell = ''): string {
  return withCell(`/logo/${sha256.toString('hex')}.${logoExtensions[type]}`, cell)
}

export function dataUrl({ type }: Pick<LogoFacts, 'type'>, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`
}

export const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'Write the colour as # and six hexadecimal digits, such as #0a6148.')
  .toLowerCase()
  .meta({ example: '#0a6148' })

const hexColor = z.string().meta({ example: '#0a6148' })

const shadeSchema = z
  .object({
    background: hexColor.meta({ description: 'The colour of the pay button, the mark and the line at the top.' }),
    text: z.enum(textColors).meta({ description: 'The text on it: a contrast of at least 4.5.' }),
    is_adjusted: z
      .boolean()
      .meta({ description: 'True: your colour has too little contrast with the page (3), so it is shown darker or lighter.' }),
  })
  .meta({ id: 'BrandShade' })

export const shadesSchema = z
  .object({ light: shadeSchema, dark: shadeSchema })
  .meta({ id: 'BrandShades', description: 'How the colour is shown on phones with a light and with a dark screen.' })

export function shadesOf(chosen: string): z.infer<typeof shadesSchema> {
  const toJson = (scheme: Scheme): z.infer<typeof shadeSchema> => {
    const { background, text, isAdjusted } = shadeOf(chosen, scheme)
    return { background, text, is_adjusted: isAdjusted }
  }
  return { light: toJson('light'), dark: toJson('dark') }
}

const logoSchema = z
  .object({
    url: z.url().meta({ description: 'Public. Its content never changes.' }),
    data_url: z.string().meta({ description: 'The same picture in the answer itself.' }),
    width: z.int(),
    height: z.int(),
  })
  .meta({ id: 'BrandLogo' })

export const brandSchema = z
  .object({
    name: z.string().meta({ description: 'The name beside it, which does not change here.' }),
    color: hexColor.nullable().meta({ description: 'As you chose it. Null: payers see the colours of the service.' }),
    shades: shadesSchema.nullable(),
    logo: logoSchema.nullable().meta({ description: 'Null: payers see the first letter of your name.' }),
    removal: z
      .object({ reason: z.string(), at: z.iso.datetime() })
      .nullable()
      .meta({ description: 'The last logo that operators removed. The same picture is refused.' }),
    shown_on_live_pages: z
      .boolean()
      .meta({ description: 'False until you are verified, and while you are suspended. Test pages show both before.' }),
    changed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Brand' })

/** `bytes`: of the logo, if there is one. */
export function brandToJson(
  brand: Brand,
  bytes: Buffer | undefined,
  {
    merchant,
    checkoutUrl,
    cell,
  }: { merchant: Parameters<typeof isShown>[0] & { displayName: string }; checkoutUrl: string; cell: string },
): z.infer<typeof brandSchema> {
  const { logo, removal } = brand
  return {
    name: merchant.displayName,
    color: brand.color,
    shades: brand.color === null ? null : shadesOf(brand.color),
    logo: logo && {
      url: checkoutUrl + logoPath(logo, cell),
      data_url: dataUrl(logo, bytes ?? Buffer.alloc(0)),
      width: logo.width,
      height: logo.height,
    },
    removal: removal && { reason: removal.reason, at: removal.at.toISOString() },
    shown_on_live_pages: isShown(merchant),
    changed_at: brand.updatedAt?.toISOString() ?? null,
  }
}
