/** Text input: one line or a paragraph, trimmed, counted in characters (code points), without invisible characters; and times. */
import { z } from 'zod'
import { addressTyped, isSeen, linkTyped, textTyped, tooManyMarks } from '../../domain/typed.ts'

/** A flag in a query or a setting. */
export const trueOrFalse = z.enum(['true', 'false'])

// Control characters, and separators of lines and paragraphs.
const notInLine = /[\p{Cc}\p{Zl}\p{Zp}]/u
const notInParagraph = /[^\P{Cc}\n\r\t]/u

/** Characters as a person counts them: one for each code point. */
export function characterCount(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** One line of 1 to `maxCharacters` characters, for names, titles and labels. */
export function lineOfText(maxCharacters: number): z.ZodString {
  return z
    .string()
    .overwrite(textTyped)
    .refine(isSeen, { error: 'Enter at least one visible character.', abort: true })
    .refine((text) => characterCount(text) <= maxCharacters, `At most ${maxCharacters} characters.`)
    .refine((text) => !tooManyMarks.test(text), 'Too many marks on one letter.')
    .refine((text) => !notInLine.test(text), 'Control characters and line breaks are not allowed here.')
    .meta({ minLength: 1, maxLength: maxCharacters })
}

/** Text of up to `maxCharacters` characters; line breaks and an empty text are allowed. */
export function paragraphOfText(maxCharacters: number): z.ZodString {
  return z
    .string()
    .overwrite(textTyped)
    .refine((text) => characterCount(text) <= maxCharacters, `At most ${maxCharacters} characters.`)
    .refine((text) => !tooManyMarks.test(text), 'Too many marks on one letter.')
    .refine((text) => !notInParagraph.test(text), 'Control characters are not allowed here.')
    .meta({ maxLength: maxCharacters })
}

/** What a person searches for: part of a name, a number, an id. */
export const searchWords = z
  .string()
  .overwrite(textTyped)
  .min(2, 'Enter at least two characters.')
  .max(200)
  // No column can hold a NUL, so a statement with one would fail with a server error.
  .refine((text) => !/\p{Cc}/u.test(text), 'Control characters are not allowed here.')

/** A day of our books such as `2026-09-30`. Days before and after it are read, too: there must be some that PostgreSQL can store. */
export const calendarDay = z.iso.date().refine((text) => text.startsWith('20'), 'Use a day of the years 2000 to 2099.')

/** A time with its time zone, converted to ISO 8601 UTC, in the years 1 to 9999: PostgreSQL has neither a year 0 nor an offset of 16 hours. */
export const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^(?!0000)\d{4}-/.test(text), 'The year must be between 1 and 9999.')
  .meta({ format: 'date-time', example: '2026-01-25T09:30:00.000Z' })

function isPlainHttps(text: string): boolean {
  if (!/^https:\/\/[\x21-\x7e]+$/.test(text) || text.includes('\\') || !URL.canParse(text)) return false
  const { hostname, username, password } = new URL(text)
  return username === '' && password === '' && hostname.includes('.')
}

/** An https address that is shown to users or opened for them: browsers can read it in one way only. */
export const plainHttpsUrl = z
  .string()
  .overwrite(linkTyped)
  .max(2048)
  .refine(isPlainHttps, 'Use an https URL without user name, spaces or control characters.')

/** Any address of the web, as it was pasted. */
export const link = z.string().overwrite(linkTyped)

/** An e-mail address, in small letters. */
export const mailAddress = z
  .string()
  .overwrite(addressTyped)
  .pipe(z.email('Enter a valid e-mail address, such as name@example.com.').max(254))

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as content or a quoted attribute of HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

/** Text for a terminal: line feeds and tabs stay; every other control character and every mark that changes the text direction is shown as `·`. */
export function forTerminal(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (mark) =>
    mark === '\n' || mark === '\t' ? mark : '·',
  )
}
