/** The guards of the service, from the texts in this folder (README.md has their form). Files are named by the end of their path. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './apply.ts'

const root = join(import.meta.dirname, '../..')

const sources = globSync('{bench,cli,dashboard/src,migrations,scripts,sdk,server,simulator,test}/**/*.{ts,tsx,sql}', {
  cwd: root,
  exclude: ['**/node_modules/**'],
})

/** The file that a name means, or what is wrong with the name. Of several endings, the first with a file counts. */
function findFile(name: string, endings: string[]): { file: string } | { problem: string } {
  const [found = []] = endings
    .map((ending) => sources.filter((file) => `/${file}`.endsWith(`/${name}${ending}`)))
    .filter((files) => files.length > 0)
  if (found.length === 1) return { file: found[0]! }
  return {
    problem:
      found.length === 0
        ? `no file is called ${endings.map((ending) => name + ending).join(' or ')}: write its new name`
        : `${name} may be ${found.join(' or ')}: write more of its path`,
  }
}

/** Reads one text. What is wrong with it, line by line, goes into `problems`. */
function readText(path: string, problems: string[]): Mutant[] {
  const mutants: Mutant[] = []
  let section: string | undefined
  let mutant: Mutant | undefined
  const lines = readFileSync(join(root, path), 'utf8').split('\n')
  for (const [index, line] of lines.entries()) {
    const at = `${path}:${index + 1}`
    const fail = (problem: string): void => void problems.push(`${at}: ${problem}`)
    const fileOf = (name: string, endings: string[]): string | undefined => {
      const found = findFile(name, endings)
      if ('file' in found) return found.file
      fail(found.problem)
      return undefined
    }
    const [, header] = /^=== (\S+)$/.exec(line) ?? []
    const [, name, guard] = /^([a-z0-9-]+): (.+)$/.exec(line) ?? []
    const [, testFile, testName] = /^ +fails (\S+): (.+)$/.exec(line) ?? []
    const [, otherFile, change] = /^ +(?:in (\S+): )?(.+)$/.exec(line) ?? []
    if (line.trim() === '') continue
    if (header !== undefined) {
      section = fileOf(header, [''])
    } else if (name !== undefined) {
      mutant = { name, guard: guard!, at, edits: [], tests: [] }
      mutants.push(mutant)
    } else if (mutant === undefined || change === undefined) {
      fail('expected "=== file", "name: guard", or an indented change or "fails test-file: name of the test"')
    } else if (testFile !== undefined) {
      const file = fileOf(testFile, ['.test.ts', '.long.test.ts'])
      if (file !== undefined) mutant.tests.push({ file, name: testName! })
    } else {
      const file = otherFile === undefined ? section : fileOf(otherFile, [''])
      if (file !== undefined) mutant.edits.push({ file, change })
      else if (otherFile === undefined) fail('no line "=== file" above names the file of this change')
    }
  }
  return mutants
}

/** All guards, and what is wrong with the texts. */
export function readMutants(): { mutants: Mutant[]; problems: string[] } {
  const problems: string[] = []
  const texts = globSync('test/mutants/*.txt', { cwd: root }).sort()
  const mutants = texts.flatMap((path) => readText(path, problems))
  const names = new Map<string, string>()
  for (const { name, at } of mutants) {
    const other = names.get(name)
    if (other !== undefined) problems.push(`${at}: ${name} is also the name of ${other}: write another one`)
    names.set(name, at)
  }
  return { mutants, problems }
}
