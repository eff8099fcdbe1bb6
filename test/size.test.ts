/**
 * The size of the house: hand-written production lines do not grow unnoticed. A commit that raises the total in test/size.json says in
 * its body what users get for it, and what was considered for removal.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { countSize, kindOf, sizeFile, type Size } from '../scripts/count-size.ts'

const root = join(import.meta.dirname, '..')
const recorded = JSON.parse(readFileSync(join(root, sizeFile), 'utf8')) as Size

/** A gain that is not recorded could be used up again without a word. */
const unrecordedGain = 100

const toRecord = `run "node scripts/count-size.ts --write" and commit ${sizeFile}`

test('production lines do not grow beyond test/size.json, and a gain is recorded', () => {
  const { total, folders } = countSize()
  const grown = Object.entries(folders).flatMap(([folder, lines]) => {
    const more = lines - (recorded.folders[folder] ?? 0)
    return more > 0 ? [`${folder} +${more}`] : []
  })
  assert.ok(
    total <= recorded.total,
    `${total - recorded.total} lines more than ${sizeFile} allows (${grown.join(', ')}). Remove as many elsewhere; or ${toRecord} in a commit ` +
      'whose body has a line "Users get: …" and a line "Considered for removal: …".',
  )
  assert.ok(
    recorded.total - total <= unrecordedGain,
    `${recorded.total - total} lines fewer than ${sizeFile} has. Keep the gain: ${toRecord}.`,
  )
})

const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8' })

/** The total that a commit records; undefined where it has no such file. */
function totalAt(commit: string): number | undefined {
  try {
    return (JSON.parse(git('show', `${commit}:${sizeFile}`)) as Size).total
  } catch {
    return undefined
  }
}

test('each commit that raises the total says what users get for it and what was considered for removal', () => {
  const commits = git('log', '--format=%H', '-50', '--no-merges', '--', sizeFile).split('\n').filter(Boolean)
  const silent = commits.filter((commit) => {
    const [before, after] = [totalAt(`${commit}^`), totalAt(commit)]
    if (before === undefined || after === undefined || after <= before) return false
    const body = git('log', '-1', '--format=%B', commit)
    return !/^Users get: ./m.test(body) || !/^Considered for removal: ./m.test(body)
  })
  assert.deepEqual(
    silent,
    [],
    `Each of these commits needs the two lines in its body; amend the last one with "git commit --amend".`,
  )
})

test('what is generated, migrations, tests and fixtures are counted apart', () => {
  assert.equal(kindOf('server/collect/payments/settle.ts'), 'production')
  assert.equal(kindOf('dashboard/src/merchant/home.css'), 'production')
  assert.equal(kindOf('schema.sql'), 'generated')
  assert.equal(kindOf('migrations/0001-first.sql'), 'migrations')
  assert.equal(kindOf('dashboard/src/api/live.test.ts'), 'tests')
  assert.equal(kindOf('test/fixtures/payments.ts'), 'fixtures')
  assert.equal(kindOf('docs/contents.md'), undefined)
})
