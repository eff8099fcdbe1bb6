/** The list of guards matches the sources: `npm run mutants` can remove each of them, and each names existing tests. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutated } from './apply.ts'
import { mutants } from './mutants.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/**
 * Whether a test has a name that begins so: the run selects tests by the beginning of their names. Some names begin with an
 * expression.
 */
const begins = (text: string, name: string): boolean =>
  ["'", '`', '"'].some((quote) => text.includes(`test(${quote}${name}`)) || (text.includes('test(`${') && text.includes(name))

test('every guard of the list can be removed in one place, and names the tests that must notice', () => {
  assert.ok(mutants.length >= 30)
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length)
  const wrong = mutants.flatMap((mutant) => {
    const changed = mutated(mutant, read)
    const missing = mutant.tests.filter(({ file, name }) => !begins(read(file), name))
    return [
      ...(typeof changed === 'string' ? [`${mutant.name}: ${changed}`] : []),
      ...missing.map(({ file, name }) => `${mutant.name}: no test of ${file} is named ${name}…`),
      ...(mutant.tests.length === 0 ? [`${mutant.name}: names no test`] : []),
    ]
  })
  assert.deepEqual(wrong, [])
})
