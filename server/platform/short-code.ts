/**
 * The code by which people name a payment aloud, as a person types it: whole or a part, in any case, with dashes and spaces or without.
 * The database makes it (`short_code_of` in migrations/0011-payments.sql). Source: Crockford's base32, https://www.crockford.com/base32.html
 */

import { codeTyped } from '../domain/typed.ts'

const symbols = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** The symbols of a whole code: eight, and one that checks them. */
const codeLength = 9
const shortestPart = 5
/** A code is written in groups of this length. */
const groupLength = 4

/** The symbols of a typed code without its groups; undefined if it can be no part of one. */
function symbolsOf(typed: string): string | undefined {
  const read = codeTyped(typed).toUpperCase().replaceAll(/[IL]/g, '1').replaceAll('O', '0')
  const isPart =
    read.length >= shortestPart && read.length <= codeLength && Array.from(read).every((one) => symbols.includes(one))
  return isPart ? read : undefined
}

/** Whether a whole code was typed whose last symbol does not check the others: at least one of them is wrong. */
export function isMistyped(typed: string): boolean {
  const read = symbolsOf(typed)
  if (read?.length !== codeLength) return false
  const value = Array.from(read.slice(0, -1)).reduce((sum, one) => sum * symbols.length + symbols.indexOf(one), 0)
  return value % 37 !== symbols.indexOf(read.at(-1)!)
}

/** Symbols of a code from this place on, in groups. */
function inGroups(part: string, place: number): string {
  return Array.from(part, (one, index) => ((place + index) % groupLength === 0 && index > 0 ? `-${one}` : one)).join('')
}

/** Two indexes hold the codes from these places on: the whole ones, and their ends. */
const endPlace = 3

export type CodeBeginnings = { part: string; whole: string[]; end: string[] }

/**
 * The beginnings of codes, and of their ends after the third symbol, in which a typed part may stand at any place. A part that begins one
 * symbol after an index does has one beginning for each symbol that may be before it.
 */
export function beginningsOf(typed: string): CodeBeginnings | undefined {
  const part = symbolsOf(typed)
  if (part === undefined) return undefined
  const anyBefore = Array.from(symbols, (one) => one + part)
  const places = codeLength - part.length
  return {
    part,
    whole: [part, ...(places >= 1 ? anyBefore : [])].map((one) => inGroups(one, 0)),
    end: [...(places >= 2 ? [part.slice(1)] : []), ...(places >= 3 ? [part] : []), ...(places >= 4 ? anyBefore : [])].map((one) =>
      inGroups(one, endPlace),
    ),
  }
}
