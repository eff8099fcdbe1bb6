/**
 * Translates the generated parts of the documentation. Invariant: a sentence is found by its English text, so a changed sentence
 * has no translation until somebody writes one: the page then shows it in English, and a test names it.
 */
import { networkNames } from '../server/domain/network.ts'
import { errorCodes } from '../server/views/description/error-codes.ts'
import { swahiliWords } from './swahili-words.ts'

/** The English texts that have no translation, and the translations that were used, since the process started. */
export const missingInSwahili = new Set<string>()
export const usedInSwahili = new Set<string>()

/** The sentences of the errors, which the English page shows too. */
const isSwahili: ReadonlySet<string> = new Set(Object.values(errorCodes).map(([, , message]) => message))

const meanings: ReadonlyMap<string, string> = new Map(Object.values(errorCodes).map(([en, sw]) => [en, sw]))

const brands = new RegExp(Object.values(networkNames).join('|'), 'g')

/** A text without words of a language: code, its link, the digits of a number, or the name of a network or an event. */
function isName(text: string): boolean {
  const rest = text.replaceAll(/`[^`]*`|\]\([^)]*\)/g, '').replaceAll(brands, '')
  return !/\p{L}/u.test(rest) || /^[a-z_]+\.[a-z_]+$/.test(rest)
}

function inSwahili(text: string): string {
  if (isName(text) || isSwahili.has(text)) return text
  const found = meanings.get(text) ?? swahiliWords[text]
  if (found === undefined) missingInSwahili.add(text)
  else usedInSwahili.add(text)
  return found ?? text
}

/** The same Markdown with each heading, paragraph and table cell in Swahili; code blocks stay as they are. */
export function swahiliMarkdown(english: string): string {
  return english
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith('```')
        ? part
        : part
            .split(/(\n{2,})/)
            .map(swahiliBlock)
            .join(''),
    )
    .join('')
}

function swahiliBlock(block: string): string {
  if (block.trim() === '') return block
  const [, before, text, after] = /^(\s*)([\s\S]*?)(\s*)$/.exec(block)!
  if (text!.startsWith('|')) return `${before}${text!.split('\n').map(swahiliRow).join('\n')}${after}`
  const [, mark, words] = /^(#+ )?([\s\S]*)$/.exec(text!)!
  return `${before}${mark ?? ''}${inSwahili(words!.replaceAll('\n', ' '))}${after}`
}

function swahiliRow(row: string): string {
  const cells = row.split('|').map((cell) => (cell.trim() === '' ? cell : ` ${inSwahili(cell.trim())} `))
  return /^\|[-|: ]+\|$/.test(row) ? row : cells.join('|')
}

/** The same drawing with its labels in Swahili; a label may begin with the number of its step. */
export function swahiliPicture(english: string): string {
  return english.replaceAll(/(<text[^>]*>)(\d+ )?([^<]+)/g, (_, tag: string, step: string | undefined, words: string) => {
    return `${tag}${step ?? ''}${statuses.test(words) ? words : inSwahili(words)}`
  })
}

const statuses = /^(?:pending|processing|completed|failed|voided|expired|cancelled|reversed)$/
