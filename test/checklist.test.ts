/** Every line of the dashboards' checklist has a test that carries its number: a line that loses its last test fails here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checklist, readLineTests } from './checklist.ts'

test('every promised line of the dashboards is in the name of a browser test', () => {
  const named = new Set(readLineTests().flatMap(({ lines }) => lines))
  assert.deepEqual(
    Object.keys(checklist).filter((line) => !named.has(line)),
    [],
  )
})

test('a browser test names no line that is not promised', () => {
  const unknown = readLineTests().flatMap(({ file, lines }) =>
    lines.filter((line) => !(line in checklist)).map((line) => `${line} in ${file}: promise it in test/checklist.ts`),
  )
  assert.deepEqual(unknown, [])
})
