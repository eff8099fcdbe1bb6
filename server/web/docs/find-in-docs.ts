/** A search over the sections of the documentation, in memory: words in any form, beginnings of words, and misspelled words. */
import MiniSearch from 'minisearch'
import { stemmer } from 'stemmer'
import type { Language } from '../checkout/messages.ts'
import { textOf } from './markdown.ts'
import { addressOf, type Site } from './site.ts'

type Passage = { address: string; language: Language; title: string; text: string }

export type Hit = { address: string; language: Language; title: string; excerpt: string }

export type Finder = (question: string) => Hit[]

const hitsShown = 20
const excerptLength = 180

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
      return [{ address, language: page.language, title, text }]
    }),
  )
}

/** The text around the first of the words that were found. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const place = Math.max(0, Math.min(...places, text.length) - 60)
  const start = place === 0 || places.length === 0 ? 0 : text.indexOf(' ', place) + 1
  const end = start + excerptLength
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}

/** A setting or an error code is found whole and by its parts. */
function tokensOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? []
  return words.flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word])).filter((word) => word !== '')
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

/** A passage with any word of the question is found; more and rarer words, and words in its title, put it further up. */
export function finderOf(site: Site): Finder {
  const passages = passagesOf(site)
  const passageAt = new Map(passages.map((passage) => [passage.address, passage]))
  const index = new MiniSearch<Passage>({
    idField: 'address',
    fields: ['title', 'text'],
    tokenize: tokensOf,
    processTerm: (word) => stemOf[site.language](word.toLowerCase()),
    searchOptions: {
      tokenize: (question) => question.match(/[\p{L}\p{N}_]+/gu) ?? [],
      boost: { title: 3 },
      // A page that is not translated comes after those in the reader's language.
      boostDocument: (address) => (passageAt.get(address as string)!.language === site.language ? 1 : 0.3),
      prefix: (word) => word.length >= 3,
      fuzzy: (word) => (word.length >= 5 ? 0.2 : false),
      weights: { fuzzy: 0.8, prefix: 0.6 },
    },
  })
  index.addAll(passages)
  return (question) => {
    return index
      .search(question)
      .slice(0, hitsShown)
      .map(({ id, terms }) => {
        const { address, language, title, text } = passageAt.get(id as string)!
        return { address, language, title, excerpt: excerptOf(text, terms) }
      })
  }
}
