/**
 * Texts as a PDF prints them. The standard fonts of a PDF contain Western letters only; other names are printed in a font of ours, which
 * is a part of Vazirmatn (`font/OFL.txt`): Latin letters with their marks, and Arabic ones. Pure.
 */
import { join } from 'node:path'
import { textTyped } from '../../domain/typed.ts'

export const fontFile = join(import.meta.dirname, 'font/vazirmatn.ttf')

const western = '\\u0020-\\u007e\\u00a0-\\u00ff\\u2013\\u2014\\u2018\\u2019\\u201c\\u201d\\u2022\\u2026'
/** What our font has besides. */
const wider =
  '\\u0100-\\u017f\\u018f\\u0192\\u01a0\\u01a1\\u01af\\u01b0\\u0218-\\u021b\\u02bc\\u02c6\\u02c7\\u02d8-\\u02dd\\u0300\\u0301\\u0303\\u0309\\u0323\\u060c\\u061b\\u061f\\u0621-\\u063a\\u0640-\\u0655\\u066a-\\u066d\\u0670\\u0671\\u0679\\u067e\\u0686\\u0688\\u0691\\u0698\\u06a4\\u06a9\\u06af\\u06ba\\u06be\\u06c1-\\u06c3\\u06cc\\u06d2-\\u06d4\\u2010-\\u2015\\u201a\\u201b\\u201e\\u20ac'
const unprintable = new RegExp(`[^${western}${wider}]`, 'gu')
const needsWider = new RegExp(`[${wider}]`, 'u')
const arabic = /\p{Script=Arabic}/u

/** Joiners and choices of a picture, which show nothing. */
const drawn = /\u200c|\u200d|\ufe0e|\ufe0f/g
/** Apostrophes of some alphabets, which mean the same to a reader. */
const turned = /[\u02bb\u02bd-\u02bf]/g
/** The digits of Arabic and Persian, which stand in the same order as ours. */
const digits = /[\u0660-\u0669\u06f0-\u06f9]/g

/**
 * The words in the order in which they stand on the paper: the library draws a line from the left, and turns only what has no plain
 * space in it.
 */
function inSight(text: string): string {
  if (!arabic.test(text)) return text
  const runs: string[] = []
  let wasArabic: boolean | undefined
  for (const word of text.split(' ')) {
    const isArabic = arabic.test(word)
    if (isArabic && wasArabic) runs.push(`${runs.pop()}\u00a0${word}`)
    else if (wasArabic === false && !isArabic) runs.push(`${runs.pop()} ${word}`)
    else runs.push(word)
    wasArabic = isArabic
  }
  // Which way the line runs, its first letter says.
  return (arabic.test(/\p{L}/u.exec(text)?.[0] ?? '') ? runs.toReversed() : runs).join(' ')
}

/** A text with what no font of ours has replaced explicitly, and whether it needs our own font. */
export function printedText(text: string): { printed: string; isWide: boolean } {
  const plain = textTyped(text)
    .replace(drawn, '')
    .replace(turned, '\u02bc')
    .replace(digits, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(unprintable, '?')
  return { printed: inSight(plain), isWide: needsWider.test(plain) }
}
