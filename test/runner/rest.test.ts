/** What `.ci/run` runs after `npm test`, and what it draws. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draw, inEachRun, nightlyOnly } from './rest.ts'
import { findFiles, suitesOf } from './suites.ts'

test('a seed draws the same files again, another one others, and never more than the time allows', () => {
  const files = Array.from({ length: 30 }, (_, index) => ({ name: index, seconds: 20 + index }))
  const drawn = draw(files, 'f3c5157b', 90)
  assert.deepEqual(draw(files, 'f3c5157b', 90), drawn)
  assert.notDeepEqual(draw(files, 'f9797668', 90), drawn)
  assert.ok(drawn.length > 0 && drawn.reduce((sum, { seconds }) => sum + seconds, 0) <= 90)
})

test('each test file is in a suite, and what each run or only the nightly one has exists', () => {
  const paths = findFiles().map(({ path }) => path)
  assert.ok(paths.length > 300)
  for (const path of paths) assert.ok(suitesOf(path).length > 0, path)
  for (const pattern of [...inEachRun, ...nightlyOnly])
    assert.ok(
      paths.some((path) => pattern.test(path)),
      String(pattern),
    )
})
