/**
 * Converts our Markdown to HTML. Invariant: only Markdown syntax becomes markup, and a link leads only to a page of the site, an
 * address of the service, or https.
 */
import { dirname, join, normalize } from 'node:path/posix'
import { Marked, type Tokens } from 'marked'
import { assert } from '../../../platform/refusal.ts'
import type { Language } from '../checkout/messages.ts'
import { codeLanguageOf, highlighted } from './highlight.ts'

export type Heading = { id: string; text: string; depth: number }

export type Rendered = { html: string; headings: Heading[] }

export type PageContext = {
  /** The file of the text, relative to the root of the repository: its links are relative to it. */
  file: string
  /** The address of a file that is a page; otherwise undefined. */
  addressOf(file: string): string | undefined
  pictureOf(file: string): string | undefined
  language: Language
  /** The ids of the headings in order, if they are not made from the words: a translation keeps the addresses of its original. */
  ids?: readonly string[]
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}

const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]))

/** The visible text of a piece of HTML. */
export function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => characters.get(entity)!)
}

/** The target of a link: an address, or a file of the repository that is no page. */
export type Target = { address: string } | { file: string }

export function targetOf(href: string, { file, addressOf }: Pick<PageContext, 'file' | 'addressOf'>): Target {
  if (/^(?:https:\/\/|http:\/\/127\.0\.0\.1:|[#/])/.test(href)) return { address: href }
  assert(!/^[a-z]+:/i.test(href), `${file} links to ${href}`)
  const [path, anchor] = href.split('#') as [string, string?]
  const target = normalize(join(dirname(file), path)).replace(/\/$/, '')
  const address = addressOf(target)
  return address === undefined ? { file: target } : { address: anchor === undefined ? address : `${address}#${anchor}` }
}

/** The words of a heading in the form for an address. */
function idOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

const words: Record<Language, { commands: string; text: string; table: string; picture: string }> = {
  en: { commands: 'Commands', text: 'Text', table: 'Table', picture: 'Picture' },
  sw: { commands: 'Amri', text: 'Maandishi', table: 'Jedwali', picture: 'Picha' },
}

/** Content wider than the page scrolls separately, also with the keyboard. */
function scrollable(label: string, html: string): string {
  return `<div class="wide" role="region" aria-label="${escaped(label)}" tabindex="0">${html}</div>\n`
}

export function renderMarkdown(markdown: string, context: PageContext): Rendered {
  const headings: Heading[] = []
  const taken = new Set<string>()
  const say = words[context.language]
  let regions = 0
  // Two regions with one name would be indistinguishable.
  const nameOf = (kind: string): string => `${kind} ${(regions += 1)}`
  function claim(id: string): string {
    let own = id
    for (let copy = 2; taken.has(own); copy += 1) own = `${id}-${copy}`
    taken.add(own)
    return own
  }
  const marked = new Marked({
    tokenizer: {
      // Turns off HTML in Markdown: it becomes text.
      html: () => undefined,
      tag: () => undefined,
    },
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = textOf(html)
        const id = claim(context.ids?.[headings.length] ?? idOf(text))
        headings.push({ id, text, depth })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      code({ text, lang }) {
        const codeLanguage = codeLanguageOf(lang)
        const label = codeLanguage?.name ?? (codeLanguage ? say.commands : say.text)
        const code = codeLanguage ? highlighted(text, codeLanguage) : escaped(text)
        // The script of the page adds the button that copies the block.
        return `<div class="code" data-label="${label}">${scrollable(nameOf(label), `<pre><code>${code}</code></pre>`)}</div>\n`
      },
      table({ header, rows }) {
        const cell = ({ tokens, align }: Tokens.TableCell, name: string, more = ''): string =>
          `<${name}${more}${align === 'right' ? ' class="right"' : ''}>${this.parser.parseInline(tokens)}</${name}>`
        const isHeaded = header.some(({ text }) => text !== '')
        const head = header.map((one) => (one.text === '' ? '<td></td>' : cell(one, 'th', ' scope="col"'))).join('')
        const body = rows.map((row) => {
          const [first] = row[0]!.tokens
          // A row can be linked to when its first cell is a single code word.
          const isWord =
            row[0]!.tokens.length === 1 && first!.type === 'codespan' && /^[a-z_]+$/.test((first as Tokens.Codespan).text)
          const id =
            isWord && !taken.has((first as Tokens.Codespan).text) ? ` id="${claim((first as Tokens.Codespan).text)}"` : ''
          return `<tr${id}>${row.map((one) => cell(one, 'td')).join('')}</tr>\n`
        })
        return scrollable(
          nameOf(say.table),
          `<table>${isHeaded ? `<thead><tr>${head}</tr></thead>` : ''}<tbody>\n${body.join('')}</tbody></table>`,
        )
      },
      // A checkbox that cannot be changed is a symbol, not a control.
      checkbox: () => '<span aria-hidden="true">☐</span> ',
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens)
        const target = targetOf(href, context)
        if ('address' in target) return `<a href="${escaped(target.address)}">${html}</a>`
        return textOf(html) === target.file ? `<code>${html}</code>` : `${html} (<code>${escaped(target.file)}</code>)`
      },
      image({ href, text }) {
        const target = targetOf(href, context)
        const picture = 'file' in target ? context.pictureOf(target.file) : undefined
        assert(picture !== undefined, `${context.file} shows ${href}, which is no drawing of ours`)
        return scrollable(nameOf(say.picture), picture.replace('<svg ', `<svg role="img" aria-label="${escaped(text)}" `))
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { html, headings }
}
