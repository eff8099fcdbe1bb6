/**
 * Names that payers trust: mobile networks, their services, banks, offices. A merchant's name is compared with them as a hurried
 * reader sees it: without case, accents and spaces, and with letters of other scripts, and digits, as the Latin letters that they
 * resemble.
 */
import { foldText } from '../../domain/typed.ts'

const trusted = [
  'M-Pesa',
  'Vodacom',
  'Airtel',
  'Airtel Money',
  'Tigo',
  'Tigo Pesa',
  'Mixx by Yas',
  'Mixx',
  'Yas',
  'Halotel',
  'Halopesa',
  'TTCL',
  'T-Pesa',
  'Azam Pesa',
  'CRDB',
  'NMB',
  'NBC',
  'TCB',
  'Tanzania Commercial Bank',
  'DCB',
  'Stanbic',
  'Standard Chartered',
  'Exim',
  'Equity',
  'KCB',
  'Absa',
  'Azania',
  'Akiba',
  'Bank of Tanzania',
  'Benki Kuu',
  'TRA',
  'HESLB',
  'NSSF',
  'NIDA',
  'Malipo',
]

/** Words that can stand next to such a name without making it a different name. */
const filler = new Set(
  'bank banki benki plc ltd limited co company tanzania tz group the ya kwa na wa of and support help helpdesk customer care service services huduma wateja kwa msaada official rasmi'.split(
    ' ',
  ),
)

const lookAlikes: Record<string, string> = Object.fromEntries(
  Object.entries({
    a: 'аαɑ@4',
    b: 'вβ8',
    c: 'сϲ',
    e: 'еεё3',
    h: 'нһ',
    i: 'іιı1!|',
    k: 'кκ',
    m: 'м',
    n: 'пηո',
    o: 'оο0օ',
    p: 'рρ',
    r: 'г',
    s: 'ѕ5$',
    t: 'тτ7',
    u: 'υս',
    v: 'ѵν',
    x: 'хχ',
    y: 'уγү',
    z: '2ᴢ',
  }).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter])),
)

/** The words of a name as a reader sees them. `l` is replaced by `i`, because many typefaces show them alike. */
function seenWords(name: string): string[] {
  const latin = Array.from(foldText(name), (letter) => lookAlikes[letter] ?? letter).join('')
  return latin
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('l', 'i')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

const seen = trusted.map((name) => ({ name, words: seenWords(name), compact: seenWords(name).join('') }))
const fillerSeen = new Set([...filler].flatMap(seenWords))
/** A shorter name occurs in too many other names by chance, so it counts only as a whole word. */
const leastInside = 6

/** The trusted name that this name resembles, and whether it contains nothing more; undefined when it resembles none. */
export function resembledName(name: string): { name: string; isExact: boolean } | undefined {
  const words = seenWords(name)
  const compact = words.join('')
  const own = words.filter((word) => !fillerSeen.has(word)).join('')
  const exact = seen.find((one) => one.compact === compact || one.compact === own)
  if (exact) return { name: exact.name, isExact: true }
  const inside = seen.find((one) => (one.compact.length >= leastInside ? compact.includes(one.compact) : holds(words, one.words)))
  return inside && { name: inside.name, isExact: false }
}

/** Whether a name contains the wanted words in order, with any spacing. */
function holds(words: string[], wanted: string[]): boolean {
  const compact = wanted.join('')
  return words.some((_, from) => words.some((__, to) => to >= from && words.slice(from, to + 1).join('') === compact))
}
