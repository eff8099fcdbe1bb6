/** The steps of the documentation's quick start, in both languages: what the page there says, with this service and a key in its commands. */
import english from '../../../../docs/quick-start.md?raw'
import swahili from '../../../../docs/sw/quick-start.md?raw'
import type { Language } from '../../i18n/translator.ts'

/** These stand in the page for the service and for a key: `server/views/web/docs/script.ts` and `site.ts`. */
const apiPlace = 'https://api.malipo.example'
const keyPlace = 'svc_test_YOUR_KEY'

/** A paragraph, or the code of a block. */
export type Step = { title: string; parts: ({ text: string } | { code: string })[] }

const block = /^```sh\n([\s\S]*?)^```$/gm

const plain = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll('\n', ' ')

/** The numbered sections. A block of the Swahili page has the code of the English one at the same place. */
export function stepsOf(language: Language, base: string, key = keyPlace): Step[] {
  const codes = [...english.matchAll(block)].map(([, code]) =>
    code!.trimEnd().replaceAll(apiPlace, base).replaceAll(keyPlace, key),
  )
  const sections = (language === 'sw' ? swahili : english).split(/^## /m).filter((section) => /^\d/.test(section))
  return sections.map((section) => {
    const [title, ...rest] = section.split('\n')
    const pieces = rest.join('\n').split(/^```sh\n[\s\S]*?^```$/m)
    const parts = pieces.flatMap((piece, place) => [
      ...piece.split(/\n{2,}/).flatMap((text) => (text.trim() === '' ? [] : [{ text: plain(text.trim()) }])),
      ...(place < pieces.length - 1 ? [{ code: codes.shift()! }] : []),
    ])
    return { title: title!, parts }
  })
}
