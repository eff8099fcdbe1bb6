/**
 * What people type or paste, as they meant it: the one reader for forms, files, queries and commands. Pure. Invariant: what cannot be seen
 * (direction marks, joiners, other kinds of space and dash) makes no difference, and what can be read in two ways is not read at all.
 */

/** What shows nothing by itself: format characters, and the fillers of some scripts, which count as letters. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
/** Of these, what some scripts and pictures need to be drawn: joiners between letters, and the choice between a picture and a sign. */
const drawn = new Set(['\u200c', '\u200d', '\ufe0e', '\ufe0f'])

/** A line or a paragraph, such as a name: composed letters, without direction marks, without space at its ends. */
export function textTyped(text: string): string {
  return text
    .normalize('NFC')
    .replace(unseen, (mark) => (drawn.has(mark) ? mark : ''))
    .trim()
}

/** Whether something of a text can be seen. */
export function isSeen(text: string): boolean {
  // The blank cell of braille is a sign, and empty.
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(unseen, '').replaceAll('\u2800', ''))
}

/** More marks on one letter than any language writes: they cover the lines above and below. */
export const tooManyMarks = /\p{M}{5}/u

/** An address of the web. It stays as it was written otherwise: two addresses that look alike are two addresses. */
export function linkTyped(text: string): string {
  return text.replace(unseen, '').trim()
}

/** An e-mail address. */
export function addressTyped(text: string): string {
  return linkTyped(text).toLowerCase()
}

/** A number or code: full-width characters, dashes and spaces of any kind become the plain ones. */
export function numberTyped(text: string): string {
  return text
    .normalize('NFKC')
    .replace(unseen, '')
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replace(/\s/g, ' ')
    .trim()
}

/** A code, such as that of an authenticator app, in the groups in which apps show it: `123 456`. */
export function codeTyped(text: string): string {
  return numberTyped(text).replace(/[ -]/g, '')
}

/** The digits of a phone number, after `+` if one was typed. Null: a number of another kind, such as -754123789, 0.754123789 or 754123789.0. */
export function phoneTyped(text: string): string | null {
  const plain = numberTyped(text)
  if (/^-|^0?\.\d+$|^\+?\d+\.\d{1,2}$/.test(plain)) return null
  // The zero that callers inside a country dial: +255 (0) 754 123 789.
  return plain.replace(/^((?:\+|00)\d{1,3}) ?\(0\)/, '$1').replace(/[ ().-]/g, '')
}

// A zero at the start is of a phone number in the wrong field.
const amount = /^(0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3}){1,4}|[1-9]\d{0,2}(?: \d{3}){1,4})(?:\.00?)?$/

/**
 * An amount in TZS: `25000`, `25,000`, `25 000`, `25000.00`, `TSh 25,000`, `25,000/=`. Null: empty or anything else, so also `25.000`,
 * which is 25 in one language and 25,000 in another.
 */
export function amountTyped(text: string): number | null {
  const bare = numberTyped(text)
    .replace(/^(?:tshs?|tzs|sh)\.? ?/i, '')
    .replace(/ ?(?:\/[=-]|tshs?\.?|tzs)$/i, '')
  const whole = amount.exec(bare)?.[1]
  return whole === undefined ? null : Number(whole.replace(/[, ]/g, ''))
}

/** Marks inside a word that some writers leave out: Ng'ombe and Ngombe, Sa‘id and Said, and the Arabic mark that stretches a word. */
const leftOut = /['’‘`´ʼʻʽʾʿ\u0640]/gu

/** A name as it is compared and searched: without case, accents and the marks that some writers leave out. `fold_text` in SQL reads Latin and Arabic names in the same way. */
export function foldText(text: string): string {
  return text.normalize('NFKD').replace(leftOut, '').replace(unseen, '').replace(/\p{M}/gu, '').toLowerCase()
}
