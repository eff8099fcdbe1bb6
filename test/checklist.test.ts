/** Every line of the dashboards' checklist has a test that carries its number: a line that loses its last test fails here. */
import { test } from 'node:test'
import { checklist, readLineTests } from './checklist.ts'
import { mustBeNone } from './must-match.ts'

test('every promised line of the dashboards is in the name of a browser test', () => {
  const named = new Set(readLineTests().flatMap(({ lines }) => lines))
  mustBeNone(
    Object.entries(checklist).flatMap(([line, what]) => (named.has(line) ? [] : [`${line}: ${what}`])),
    'Write these numbers, as in [D5], into the names of the tests of test/browser that prove them',
  )
})

test('a browser test names no line that is not promised', () => {
  const unknown = readLineTests().flatMap(({ file, lines }) =>
    lines.filter((line) => !(line in checklist)).map((line) => `${line} in ${file}`),
  )
  mustBeNone(unknown, 'Write these lines into test/checklist.ts, or correct the names of the tests')
})
