/**
 * Cleans the text of a merchant for what leaves in our name: a receipt by mail, the text with which a payer shares one. Invariant: nothing
 * in it can be followed, dialled or answered, so that a receipt of ours cannot carry a fraudulent link or number.
 */
import { nameForPayers } from '../../../domain/merchant.ts'
import { messagesOf, type Language } from './messages.ts'

/** Invisible characters: direction marks, joiners, soft hyphens. They could hide a word from the patterns below. */
const unseen = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]+/gu
const links = [
  // With a scheme; by name alone, with the text that follows it; an e-mail address. A dot may be written as a word.
  /\b[a-z][a-z\d+.-]*:\/+\S*/giu,
  /[\p{L}\p{N}._%+-]+\s*(?:@|\(at\)|\[at\])\s*[\p{L}\p{N}.-]+/giu,
  /\bwww\d?[.\s]\S+/giu,
  /(?:[\p{L}\p{N}_-]+\s*(?:[.。．｡]|\(dot\)|\[dot\])\s*)*[\p{L}\p{N}_-]+(?:[.。．｡]|\s*\(dot\)\s*|\s*\[dot\]\s*)\p{L}{2,}(?:[/:?#]\S*)?/giu,
]
/** Codes such as `*150*00#` that a phone sends to its network. */
const dialCodes = /[*#][*#\p{Nd}]*\p{Nd}[*#\p{Nd}]*[*#]?/gu
/** Nine digits or more, in any grouping: a phone, an account. A span of years (2026/2027) has eight. */
const longNumbers = /\+?\p{Nd}(?:[\s()._/\\·•–—-]*\p{Nd}){8,}/gu

const gap = '…'

/** Replaces links, addresses, dial codes and numbers of nine digits or more with `…`. Returns `fallback` when no other text is left. */
export function cleanText(text: string, fallback: string): string {
  const plain = text.normalize('NFKC').replace(unseen, (run) => (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(run) ? ' ' : ''))
  const cleaned = [...links, dialCodes, longNumbers]
    .reduce((rest, pattern) => rest.replace(pattern, gap), plain)
    .replace(/\s+/g, ' ')
    .trim()
  return /[\p{L}\p{N}]/u.test(cleaned) ? cleaned : fallback
}

type Named = { merchantName: string | null; pageTitle: string }

/** The names of a merchant and a page for a text in our name. */
export function cleanNames({ merchantName, pageTitle }: Named, language: Language): Record<keyof Named, string> {
  const t = messagesOf[language]
  return {
    merchantName: cleanText(nameForPayers(merchantName, language), t.someMerchant),
    pageTitle: cleanText(pageTitle, t.somePage),
  }
}
