/** The command blocks of the operations pages, word for word. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export type CommandBlock = {
  /** The page, the heading above the block, and the number of the block under that heading: `install.md / The user / 1`. */
  name: string
  /** `sql` for statements; everything else is a script of bash. */
  language: string
  text: string
}

const ofCommands = new Set(['', 'sh', 'sql'])

function commandBlocksOf(file: string): CommandBlock[] {
  const page = basename(file)
  const blocks: CommandBlock[] = []
  let heading = ''
  let count = 0
  // A block in a list is indented.
  const parts = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$|^( *)```(\w*)\n([\s\S]*?)^\2```$/gm)
  for (const [, title, indent, language, text] of parts) {
    if (title !== undefined) {
      heading = title
      count = 0
    } else if (ofCommands.has(language!)) {
      count += 1
      blocks.push({
        name: `${page} / ${heading} / ${count}`,
        language: language!,
        text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      })
    }
  }
  return blocks
}

/** All command blocks of `docs/operations` in a tree. */
export function commandBlocks(tree: string): CommandBlock[] {
  const files = globSync('docs/operations/*.md', { cwd: tree }).toSorted()
  return files.flatMap((file) => commandBlocksOf(join(tree, file)))
}
