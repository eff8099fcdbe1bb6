/** The workflow of the repository's host runs all of .ci/run, and no action whose content others can change. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

test('the workflow runs all of .ci/run, on two machines', () => {
  assert.match(read('.ci/run'), /^timeout \d+ npm test -- --all --rest --again$/m)
  const { jobs } = parse(read('.github/workflows/ci.yml'))
  assert.deepEqual(jobs.test.strategy.matrix.command, ['npm test -- --all --again', 'npm run -s test:rest -- --again'])
})

test('an action is named by its commit, and a workflow may only read', () => {
  for (const file of globSync('.github/workflows/*.yml', { cwd: root })) {
    for (const [, action] of read(file).matchAll(/uses: (\S+)/g)) assert.match(action!, /@[0-9a-f]{40}$/, file)
    assert.deepEqual(parse(read(file)).permissions, { contents: 'read' }, file)
  }
})
