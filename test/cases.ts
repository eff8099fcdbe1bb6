/** Maps tests to cases: names of tests contain the numbers of their cases in brackets, as in `refused by name [W15, A46]`. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export type NamedTest = { file: string; name: string; cases: string[] }

const title = /\b(?:test\(|it\(|atDoors\(\s*import\.meta,)\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g
// The screens of the checkout are counted from C1; all others have two digits.
const brackets = /\[((?:[A-Z]\d{2}|C\d)(?:, (?:[A-Z]\d{2}|C\d))*)\]/g

/** Every test that names a case, in the order of the files. */
export function readNamedTests(): NamedTest[] {
  const files = globSync('{server,simulator,scripts,test,cli}/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  }).sort()
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(title)].flatMap(([, , name]) => {
      const cases = [...name!.matchAll(brackets)]
        .flatMap(([, ids]) => ids!.split(', '))
        // In a browser, D and A are lines of the dashboards, which have a separate list: checklist.ts.
        .filter((id) => !(file.startsWith(join('test', 'browser')) && /^[DA]/.test(id)))
      return cases.length > 0 ? [{ file, name: name!, cases }] : []
    }),
  )
}
