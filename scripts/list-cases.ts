/** Prints the test of each case: `node scripts/list-cases.ts` for all of them, `node scripts/list-cases.ts W A4` for those with these prefixes. */
import { readNamedTests } from '../test/cases.ts'
import { readOptions } from './read-options.ts'

const { positionals: wanted } = readOptions({ allowPositionals: true })
const lines = readNamedTests().flatMap(({ file, name, cases }) => cases.map((id) => ({ id, text: `${id} → ${file}: ${name}` })))
for (const { id, text } of lines.toSorted((one, other) => one.id.localeCompare(other.id))) {
  if (wanted.length === 0 || wanted.some((start) => id.startsWith(start))) process.stdout.write(`${text}\n`)
}
