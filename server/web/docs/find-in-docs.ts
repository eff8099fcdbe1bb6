/** A search over the sections of the documentation, in memory: a result contains every word of the query. */
import { textOf } from './markdown.ts'
import { addressOf, type Site } from './site.ts'

type Passage = { address: string; title: string; text: string; titleWords: string; words: string }

export type Hit = { address: string; title: string; excerpt: string }

export type Finder = (question: string) => Hit[]

const hitsShown = 20
const excerptLength = 180

function passagesOf(site: Site): Passage[] {
  return [...site.pages.values()].flatMap((page) =>
    page.html.split(/(?=<h[1-3] id=")/).flatMap((part) => {
      const [, id, heading] = /^<h[1-3] id="([^"]+)">(.*)<\/h[1-3]>/.exec(part) ?? []
      if (id === undefined) return []
      const ownTitle = textOf(heading!)
      const text = textOf(part.slice(part.indexOf('</h') + 5).replace(/<\/t[dh]>/g, ' '))
        .replace(/\s+/g, ' ')
        .trim()
      const isWhole = part.startsWith('<h1')
      const title = isWhole ? page.title : `${page.title}: ${ownTitle}`
      const address = isWhole ? addressOf(page.path) : `${addressOf(page.path)}#${id}`
      return [{ address, title, text, titleWords: title.toLowerCase(), words: `${title} ${text}`.toLowerCase() }]
    }),
  )
}

function excerptOf(text: string, word: string): string {
  const place = Math.max(0, text.toLowerCase().indexOf(word) - 60)
  const start = place === 0 ? 0 : text.indexOf(' ', place) + 1
  const end = start + excerptLength
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}

export function finderOf(site: Site): Finder {
  const passages = passagesOf(site)
  return (question) => {
    const words = question.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? []
    if (words.length === 0) return []
    const titleHits = (passage: Passage): number => words.filter((word) => passage.titleWords.includes(word)).length
    return passages
      .filter((passage) => words.every((word) => passage.words.includes(word)))
      .toSorted((one, other) => titleHits(other) - titleHits(one))
      .slice(0, hitsShown)
      .map(({ address, title, text }) => ({ address, title, excerpt: excerptOf(text, words[0]!) }))
  }
}
