/** Prints the inputs of the real world by door, each with the test that proves it, and fails where a row or a door has none. */
import { test } from 'node:test'
import { readNamedTests } from '../cases.ts'
import { mustBeNone, mustMatch } from '../must-match.ts'
import { realWorld } from './table.ts'

const named = readNamedTests()

type Cell = { id: string; door: string; file: string; titles: string[] }

const cells = realWorld.flatMap(({ id, doors }) =>
  Object.entries(doors).map(([door, proof]): Cell => {
    const [file, start = ''] = proof.split('#') as [string, string?]
    const titles = named.filter((one) => one.file === file && one.cases.includes(id) && one.name.startsWith(start))
    return { id, door, file, titles: titles.map(({ name }) => name) }
  }),
)

test('every row of the real world has a test at every door', (t) => {
  const line = (...parts: string[]): void => t.diagnostic(`| ${parts.map((part) => part.replaceAll('|', '\\|')).join(' | ')} |`)
  line('row', 'input', 'right', 'doors', 'test')
  line(...Array.from({ length: 5 }, () => '---'))
  for (const { id, input, right, waitsFor } of realWorld) {
    const tests = Map.groupBy(
      cells.filter((cell) => cell.id === id),
      ({ file, titles }) => `${file}: ${titles.join(' and ')}`,
    )
    if (waitsFor !== undefined) line(id, input, right, 'none yet', waitsFor)
    for (const [proof, doors] of tests) line(id, input, right, doors.map(({ door }) => door).join(', '), proof)
  }
  t.diagnostic(`${realWorld.filter(({ waitsFor }) => waitsFor === undefined).length} rows at ${cells.length} doors`)
  mustMatch(
    Array.from({ length: 22 }, (_, index) => `R${String(index + 1).padStart(2, '0')}`),
    realWorld.map(({ id }) => id),
    {
      add: () => 'give it a row in test/real-world/table.ts',
      remove: () => 'remove its row from test/real-world/table.ts, or raise the number of rows here',
    },
  )
  mustBeNone(
    cells
      .filter(({ titles }) => titles.length !== 1)
      .map(({ id, door, file, titles }) => `${id} · ${door}: ${titles.length} in ${file}`),
    'Each door needs the one test that its row names. Write [R..] into the title of that test, and its start after # in test/real-world/table.ts',
  )
  mustBeNone(
    realWorld.filter(({ doors, waitsFor }) => Object.keys(doors).length === 0 && waitsFor === undefined).map(({ id }) => id),
    'Give these rows a door in test/real-world/table.ts, or say where they wait',
  )
})

test('a row that waits has no test yet, and every test of a row stands in the table', () => {
  const known = new Set(cells.flatMap(({ id, titles }) => titles.map((name) => `${id} ${name}`)))
  const unlisted = named.flatMap(({ file, name, cases }) =>
    cases.filter((id) => id.startsWith('R') && !known.has(`${id} ${name}`)).map((id) => `${id} in ${file}: ${name}`),
  )
  mustBeNone(unlisted, 'Give these tests a door in test/real-world/table.ts, and remove its waitsFor')
})
