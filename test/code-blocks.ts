/** The code blocks of Markdown files, as a reader copies them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Block = { language: string; text: string; line: number }

export function codeBlocksOf(file: string): Block[] {
  const text = readFileSync(join(import.meta.dirname, '..', file), 'utf8')
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    text: match[2]!,
    line: text.slice(0, match.index).split('\n').length,
  }))
}
