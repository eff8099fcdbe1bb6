/** The guards of the texts match the sources: `npm run mutants` can remove each of them, and each names existing tests. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutated, type NamedTest } from './apply.ts'
import { readMutants } from './read-mutants.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** A file of tests with the fixtures that it imports: they may define its tests. */
const readTests = (file: string): string =>
  [
    file,
    ...read(file)
      .matchAll(/from '[./]+\/(test\/fixtures\/[\w-]+\.ts)'/g)
      .map(([, fixture]) => fixture!),
  ]
    .map(read)
    .join('\n')

/**
 * Whether a test has a name that begins so: the run selects tests by the beginning of their names. Some names begin with an
 * expression.
 */
const begins = (text: string, name: string): boolean =>
  ["'", '`', '"'].some((quote) => text.includes(`test(${quote}${name}`)) || (text.includes('test(`${') && text.includes(name))

/** What to do about a test that the file does not have. */
function missingTest({ file, name }: NamedTest): string {
  const elsewhere = globSync('{server,simulator,scripts,test,dashboard/src}/**/*.test.ts', { cwd: root }).filter((one) =>
    begins(read(one), name),
  )
  const advice = elsewhere.length > 0 ? `it is in ${elsewhere.join(', ')} now` : 'write the beginning of its new name'
  return `no test of ${file} is named "${name}…": ${advice}`
}

/** A guard of a function or trigger that a later migration makes again: its removal changes nothing. */
function madeAgain(file: string, changed: string): string[] {
  const text = read(file)
  let place = 0
  while (text[place] === changed[place]) place += 1
  const made = [...text.slice(0, place).matchAll(/create (?:or replace )?(?:constraint )?((?:function|trigger) \w+)/g)].at(
    -1,
  )?.[1]
  const later = globSync('migrations/*.sql', { cwd: root }).find(
    (one) => one > file && made !== undefined && new RegExp(`create (?:or replace )?(?:constraint )?${made}\\b`).test(read(one)),
  )
  return later ? [`${later} makes the ${made} again: move the guard there`] : []
}

test('every guard can be removed in one place, and names the tests that must notice', () => {
  const { mutants, problems } = readMutants()
  assert.ok(mutants.length >= 300)
  const wrong = mutants.flatMap(({ name, at, edits, tests }) => {
    const changed = mutated(edits, read)
    return [
      ...(typeof changed === 'string'
        ? [changed]
        : [...changed].flatMap(([file, text]) => (file.startsWith('migrations/') ? madeAgain(file, text) : []))),
      ...tests.filter((one) => !begins(readTests(one.file), one.name)).map(missingTest),
      ...(tests.length === 0 ? ['add the line "  fails test-file: beginning of the name of the test"'] : []),
    ].map((problem) => `${at} (${name}): ${problem}`)
  })
  const all = [...problems, ...wrong]
  assert.equal(
    all.length,
    0,
    `Open these lines, and write the code or the test as it is now (test/mutants/README.md):\n${all.join('\n')}`,
  )
})
