/**
 * What a merchant wrote, as a receipt may repeat it. Invariant: nothing in it can be followed, dialled or answered, so that a receipt of ours
 * is no carrier for somebody's bait.
 */

/** Nothing that is seen: marks of direction, joiners, soft hyphens, with which a word is hidden from the patterns below. */
const unseen = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]+/gu
const links = [
  // With a scheme; by name alone, with whatever follows it; an address of mail. A dot may be written in words.
  /\b[a-z][a-z\d+.-]*:\/+\S*/giu,
  /[\p{L}\p{N}._%+-]+\s*(?:@|\(at\)|\[at\])\s*[\p{L}\p{N}.-]+/giu,
  /\bwww\d?[.\s]\S+/giu,
  /(?:[\p{L}\p{N}_-]+\s*(?:[.。．｡]|\(dot\)|\[dot\])\s*)*[\p{L}\p{N}_-]+(?:[.。．｡]|\s*\(dot\)\s*|\s*\[dot\]\s*)\p{L}{2,}(?:[/:?#]\S*)?/giu,
]
/** From `*150*00#` on, what a phone sends to its network. */
const dialCodes = /[*#][*#\p{Nd}]*\p{Nd}[*#\p{Nd}]*[*#]?/gu
/** Nine digits or more, however they are grouped: a phone, an account. A span of years (2026/2027) has eight. */
const longNumbers = /\+?\p{Nd}(?:[\s()._/\\·•–—-]*\p{Nd}){8,}/gu

const gap = '…'

/** Links, addresses, dial codes and numbers of nine digits or more become `…`; `fallback` where nothing else is left. */
export function cleanText(text: string, fallback: string): string {
  const plain = text.normalize('NFKC').replace(unseen, (run) => (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(run) ? ' ' : ''))
  const cleaned = [...links, dialCodes, longNumbers]
    .reduce((rest, pattern) => rest.replace(pattern, gap), plain)
    .replace(/\s+/g, ' ')
    .trim()
  return /[\p{L}\p{N}]/u.test(cleaned) ? cleaned : fallback
}
