/** Whether two names can be of one person as people write them. Providers do not check names, so a difference only warns. */

import { foldText } from '../../domain/typed.ts'

/** The words of a name, in one order, without case and accents. */
function wordsOf(name: string): string {
  return foldText(name)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .toSorted()
    .join(' ')
}

/** A name with a hyphen is written as one word or as two: Al-Amin is Al Amin and Alamin. */
function formsOf(name: string): Set<string> {
  const forms = [name, name.replace(/(?<=\p{L})\p{Pd}(?=\p{L})/gu, '')].map(wordsOf)
  // A name without a letter, such as a sign, is compared as it is.
  return new Set(forms[0] === '' ? [name.trim()] : forms)
}

/** Whether the words of two names differ. Case, accents, punctuation and the order of the words make no difference. */
export function namesDiffer(one: string, other: string): boolean {
  const others = formsOf(other)
  return ![...formsOf(one)].some((form) => others.has(form))
}
