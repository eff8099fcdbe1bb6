/**
 * A search over the sections of the documentation, in memory: words in any form, beginnings of words, and misspelled words. The index
 * grows only with our own pages: `find-in-docs.test.ts` holds its size.
 */
import MiniSearch from 'minisearch'
import { stemmer } from 'stemmer'
import type { Language } from '../checkout/messages.ts'
import { textOf } from './markdown.ts'
import { operatorPages } from './contents.ts'
import { saidAlso } from './said-also.ts'
import { addressOf, type Site } from './site.ts'

/** A section of a page, or a page outside the documentation. */
export type Passage = {
  address: string
  language: Language
  title: string
  text: string
  /** What people call it otherwise; never shown. */
  also?: string
  /** Below 1, it comes after others that match as well. */
  weight?: number
}

/** A part of an excerpt: a word that was found, or what is between such words. */
type Piece = { text: string; isFound: boolean }

export type Hit = { address: string; language: Language; title: string; excerpt: Piece[] }

export type Finder = (question: string, most?: number) => Hit[]

const hitsShown = 20
/** A search runs in the process that takes payments, and anyone may ask. */
const [wordsRead, lettersRead] = [8, 24]
const excerptLength = 180
const words = /[\p{L}\p{N}_]+/gu
const wordsKept = /([\p{L}\p{N}_]+)/u

/** Merchants' pages come before those for operators, and pages that explain before the one that lists every change. */
function weightOf(path: string): number {
  return operatorPages.has(path) ? 0.2 : path === 'changelog' ? 0.3 : 1
}

function passagesOf(site: Site): Passage[] {
  return [...site.pages.values()].flatMap((page) =>
    page.html.split(/(?=<h[1-3] id=")/).flatMap((part) => {
      const [, id, heading] = /^<h[1-3] id="([^"]+)">(.*)<\/h[1-3]>/.exec(part) ?? []
      if (id === undefined) return []
      const text = textOf(part.slice(part.indexOf('</h') + 5).replace(/<\/t[dh]>/g, ' '))
        .replace(/\s+/g, ' ')
        .trim()
      const isWhole = part.startsWith('<h1')
      const title = isWhole ? page.title : `${page.title}: ${textOf(heading!)}`
      const whole = addressOf(page.path, site.language)
      const address = isWhole ? whole : `${whole}#${id}`
      const also = saidAlso[isWhole ? page.path : `${page.path}#${id}`]
      const weight = weightOf(page.path)
      return [{ address, language: page.language, title, text, weight, ...(also !== undefined && { also }) }]
    }),
  )
}

/** A setting or an error code is found whole and by its parts. */
function tokensOf(text: string): string[] {
  const whole = text.match(words) ?? []
  return whole.flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])).filter((word) => word !== '')
}

/** Subject and tense of a verb, or the class of a noun, before at least three letters. */
const swahiliBeginning =
  /^(?:(?:ha)?(?:ni|u|a|tu|m|wa|i|ya|li|ki|vi|zi|ku|pa)(?:na|me|li|ta|ka|nge)(?:sha)?|ku|ma|mi|wa|ki|vi|m|u)(?=[a-z]{3})/

/** The common part of the forms of a Swahili word: `lip` of malipo, kulipa, amelipa, yamelipwa and mlipaji. */
function swahiliStem(word: string): string {
  const rest = word.replace(swahiliBeginning, '')
  return rest === word ? rest.replace(/(?:aji|w?[aeio])$/, '') : swahiliStem(rest)
}

const stemOf: Record<Language, (word: string) => string> = { en: stemmer, sw: swahiliStem }

/** Words that say nothing about what is looked for: every passage has them. */
const small = new Set(
  'a an and by do for how i in is my of on or the to what with cha je kwa la na ni nini vya wa ya za'.split(' '),
)

/** The words that are looked for; a question of small words alone is taken as it is. */
function wantedWords(question: string): string[] {
  const all = (question.match(words) ?? []).slice(0, wordsRead).map((word) => word.slice(0, lettersRead))
  const wanted = all.filter((word) => !small.has(word.toLowerCase()))
  return wanted.length > 0 ? wanted : all
}

/** The text around the first word that was found. */
function excerptOf(text: string, isFound: (word: string) => boolean): Piece[] {
  const first = [...text.matchAll(words)].find(([word]) => isFound(word))?.index ?? 0
  const start = first <= 60 ? 0 : text.indexOf(' ', first - 60) + 1
  const end = start + excerptLength
  const marked: Piece[] = []
  for (const piece of text.slice(start, end).split(wordsKept)) {
    const last = marked.at(-1)
    if (isFound(piece)) marked.push({ text: piece, isFound: true })
    else if (last?.isFound === false) last.text += piece
    else marked.push({ text: piece, isFound: false })
  }
  const gap = (isThere: boolean, dots: string): Piece[] => (isThere ? [{ text: dots, isFound: false }] : [])
  return [...gap(start > 0, '… '), ...marked, ...gap(end < text.length, ' …')]
}

/**
 * Finds the passages with all words of the question, then those with any of them; more and rarer words, and words in a title, put a
 * passage further up. The passages are indexed in small steps, because payments use the same process.
 */
export async function finderOf(site: Site, others: readonly Passage[] = []): Promise<Finder> {
  const passages = [...passagesOf(site), ...others]
  const passageAt = new Map(passages.map((passage) => [passage.address, passage]))
  const termOf = (word: string): string => stemOf[site.language](word.toLowerCase())
  const index = new MiniSearch<Passage>({
    idField: 'address',
    fields: ['title', 'also', 'text'],
    tokenize: tokensOf,
    processTerm: termOf,
    searchOptions: {
      tokenize: wantedWords,
      boost: { title: 3, also: 6 },
      // A page that is not translated comes after those in the reader's language.
      boostDocument: (address) => {
        const { language, weight = 1 } = passageAt.get(address as string)!
        return weight * (language === site.language ? 1 : 0.01)
      },
      prefix: (word) => word.length >= 3,
      fuzzy: (word) => (word.length >= 5 ? 0.2 : false),
      maxFuzzy: 2,
      weights: { fuzzy: 0.8, prefix: 0.6 },
    },
  })
  await index.addAllAsync(passages, { chunkSize: 20 })
  return (question, most = hitsShown) => {
    const withAll = index.search(question, { combineWith: 'AND' })
    const isListed = new Set(withAll.map(({ id }) => id as string))
    return [...withAll, ...index.search(question).filter(({ id }) => !isListed.has(id as string))]
      .slice(0, most)
      .map(({ id, terms }) => {
        const { address, language, title, text } = passageAt.get(id as string)!
        const found = new Set(terms)
        const isFound = (word: string): boolean => tokensOf(word).some((token) => found.has(termOf(token)))
        return { address, language, title, excerpt: excerptOf(text, isFound) }
      })
  }
}
