/** Finds a program in a guide: the first block of code below the heading of its language. */

export function snippetOf(guide: string, heading: string): string {
  const section = guide.split(`\n## ${heading}\n`)[1] ?? ''
  const found = /```\w+\n([^`]*(?:`(?!``)[^`]*)*)```/.exec(section)
  if (!found) throw new Error(`The guide has no program for ${heading}.`)
  return found[1]!.trimEnd()
}
