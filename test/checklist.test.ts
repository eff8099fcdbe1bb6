/** Every line of the dashboards' checklist is a test that carries its number: a line that loses its last test is missed here. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checklist, readLineTests } from './checklist.ts'

test('every promised line of the dashboards is in the name of a test of the browser', () => {
  const named = new Set(readLineTests().flatMap(({ lines }) => lines))
  assert.deepEqual(
    Object.keys(checklist).filter((line) => !named.has(line)),
    [],
  )
})

test('a test of the browser names no line that is not promised', () => {
  const unknown = readLineTests().flatMap(({ file, lines }) =>
    lines.filter((line) => !(line in checklist)).map((line) => `${line} in ${file}: promise it in test/checklist.ts`),
  )
  assert.deepEqual(unknown, [])
})
