/** Marks the parts of a code block, such as strings and comments, for the style sheet: on the server, so that a page needs no script for it. */
import { createRequire } from 'node:module'

type Highlighter = {
  registerLanguage(name: string, grammar: unknown): void
  highlight(text: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

// Not imported: its types bring those of browsers to all files of the service.
const load = createRequire(import.meta.url)
const highlighter = load('highlight.js/lib/core') as Highlighter
const grammars = ['bash', 'go', 'http', 'javascript', 'json', 'php', 'python', 'typescript'] as const
for (const name of grammars) highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${name}`))

type CodeLanguage = Readonly<{
  /** For readers and screen readers; undefined for commands, whose name depends on the reader's language. */
  name?: string
  grammar: (typeof grammars)[number]
}>

/** By the word after the fence of a code block. */
const languages: Readonly<Record<string, CodeLanguage>> = {
  sh: { grammar: 'bash' },
  http: { name: 'HTTP', grammar: 'http' },
  js: { name: 'JavaScript', grammar: 'javascript' },
  ts: { name: 'TypeScript', grammar: 'typescript' },
  python: { name: 'Python', grammar: 'python' },
  go: { name: 'Go', grammar: 'go' },
  php: { name: 'PHP', grammar: 'php' },
  json: { name: 'JSON', grammar: 'json' },
}

/** Undefined for a block without colours. */
export function codeLanguageOf(word: string | undefined): CodeLanguage | undefined {
  return word !== undefined && Object.hasOwn(languages, word) ? languages[word] : undefined
}

/** The variables of the style sheet, with the parts of code that have their colour. Other parts have the colour around them. */
const colours = {
  soft: ['comment', 'meta'],
  brand: ['string', 'regexp', 'char'],
  word: ['keyword', 'literal'],
  name: ['attr', 'attribute', 'title', 'built_in', 'property'],
  value: ['number', 'variable', 'symbol'],
  text: ['subst'],
}
const colourOf = new Map(Object.entries(colours).flatMap(([colour, parts]) => parts.map((part) => [`hljs-${part}`, colour])))

/** The class is the first letter of the colour. */
export const codeStyle = Object.keys(colours)
  .map((colour) => `pre .${colour[0]}{color:var(--${colour})}`)
  .join('\n')

/** Marks only what has a colour, and in few bytes: a long page has a thousand of these. */
function coloured(html: string): string {
  const open: boolean[] = []
  return html.replace(/<span class="([\w-]+)[^"]*">|<\/span>/g, (_mark, name?: string) => {
    if (name === undefined) return open.pop() ? '</i>' : ''
    const colour = colourOf.get(name)
    open.push(colour !== undefined)
    return colour === undefined ? '' : `<i class=${colour[0]}>`
  })
}

/** Both languages of the documentation have the same code blocks. */
const known = new Map<string, string>()

/** Escaped HTML with the same text. */
export function highlighted(text: string, { grammar }: CodeLanguage): string {
  const name = `${grammar} ${text}`
  const marked = (): string => highlighter.highlight(text, { language: grammar, ignoreIllegals: true }).value
  // The entity of our own HTML, which the search reads back as text.
  const html = known.get(name) ?? coloured(marked()).replaceAll('&#x27;', '&#39;')
  known.set(name, html)
  return html
}
