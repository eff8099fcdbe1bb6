/** Prints which test is which case: `node scripts/list-cases.ts` all of them, `node scripts/list-cases.ts W A4` those that begin so. */
import { readNamedTests } from '../test/cases.ts'

const wanted = process.argv.slice(2)
const lines = readNamedTests().flatMap(({ file, name, cases }) => cases.map((id) => ({ id, text: `${id} → ${file}: ${name}` })))
for (const { id, text } of lines.toSorted((one, other) => one.id.localeCompare(other.id))) {
  if (wanted.length === 0 || wanted.some((start) => id.startsWith(start))) process.stdout.write(`${text}\n`)
}
