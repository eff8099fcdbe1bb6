/** Every form and every screen of the dashboards has a row in the tables of the browser tests, and every form uses the one engine. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { forms, otherForms, withoutRow } from './browser/forms.ts'
import { englishTexts, notVisited, routesOf, screens } from './browser/swahili-screens.ts'

const folder = join(import.meta.dirname, '../dashboard/src')
const sources = globSync('**/*.tsx', { cwd: folder }).map((file) => ({ file, code: readFileSync(join(folder, file), 'utf8') }))

test('each form of the dashboards is refused once in a browser: it has a row in test/browser/forms.ts', () => {
  const used = Object.fromEntries(
    sources.flatMap(({ file, code }) => {
      // `RoleForm` is used in its own file, and each use is a form of its own.
      const count = [...code.matchAll(/<(?:Form of|ConfirmDialog\s|ConfirmAction\s|ReasonDialog\s|RoleForm\s)/g)].length
      return count === 0 ? [] : [[file, code.includes('function RoleForm(') ? count - 1 : count]]
    }),
  )
  const listed: Record<string, number> = {}
  for (const { file } of forms) listed[file] = (listed[file] ?? 0) + 1
  for (const [file, { count }] of Object.entries(withoutRow)) listed[file] = (listed[file] ?? 0) + count
  assert.deepEqual(listed, used)
})

test('no form is sent without the engine', () => {
  const own = sources.filter(({ code }) => code.includes('<form')).map(({ file }) => file)
  assert.deepEqual(own.toSorted(), Object.keys(otherForms).toSorted())
})

test('each screen of the dashboards is read once in Swahili: it has a row in test/browser/swahili-screens.ts', () => {
  const listed = [...screens.map(({ route }) => route), ...Object.keys(notVisited)]
  assert.deepEqual(listed.toSorted(), [...routesOf('merchant'), ...routesOf('admin')].toSorted())
  assert.ok(englishTexts().size > 1000, `${englishTexts().size} English texts`)
})
