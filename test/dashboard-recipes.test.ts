/** The recipes of CONTRIBUTING.md: every file that they name exists, and one of them, a screen, is followed on a copy. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { mustBeNone } from './must-match.ts'

const root = join(import.meta.dirname, '..')
const recipes = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('## Recipes')[1]!

test('every file that a recipe names exists', () => {
  const missing = recipes.split('\n- **').flatMap((recipe) => {
    let folder = ''
    return [...recipe.matchAll(/`([\w./-]+\.(?:tsx?|md|example))`/g)].flatMap(([, path]) => {
      // `texts.ts` there: beside the file before it.
      const whole = path!.includes('/') || existsSync(join(root, path!)) ? path! : join(folder, path!)
      folder = dirname(whole)
      const isOfASlice = path === 'routes.ts' || path === 'README.md'
      return isOfASlice || existsSync(join(root, whole)) ? [] : [whole]
    })
  })
  mustBeNone(missing, 'Name these files as they are now, in the recipes of CONTRIBUTING.md')
})

test('a screen that follows its recipe compiles, and is linked by its address', (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'malipo-recipe-'))
  t.after(() => rmSync(copy, { recursive: true, force: true }))
  mkdirSync(join(copy, 'dashboard'))
  for (const file of ['src', 'tsconfig.json']) {
    // Tests read files of the whole repository.
    cpSync(join(root, 'dashboard', file), join(copy, 'dashboard', file), {
      recursive: true,
      filter: (path) => !path.endsWith('.test.ts'),
    })
  }
  symlinkSync(join(root, 'dashboard/node_modules'), join(copy, 'dashboard/node_modules'))
  const inMerchant = (...path: string[]): string => join(copy, 'dashboard/src/merchant', ...path)
  const compile = () =>
    spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', inMerchant()], { cwd: copy, encoding: 'utf8' }).stdout.trim()
  mkdirSync(inMerchant('prizes'))
  writeFileSync(
    inMerchant('prizes/texts.ts'),
    `import { defineTexts } from '../../i18n/define-texts.ts'

export const prizesTexts = defineTexts('prizes', { title: ['Prizes', 'Zawadi'], back: ['Home', 'Mwanzo'] })
`,
  )
  writeFileSync(
    inMerchant('prizes/prizes-screen.tsx'),
    `import { useSearch } from '@tanstack/react-router'
import { LinkButton } from '../../ui/link-button.tsx'
import { Screen } from '../../ui/screen.tsx'
import { prizesTexts } from './texts.ts'

export default function PrizesScreen() {
  const say = prizesTexts.use()
  const { cursor } = useSearch({ from: '/signed-in/$owner/$environment/prizes' })
  return (
    <Screen title={say('title')}>
      <LinkButton from="/$owner/$environment" to="./prizes" search={{ cursor }}>
        {say('back')}
      </LinkButton>
    </Screen>
  )
}
`,
  )
  // Without its line in the routes, no address leads to it.
  assert.match(compile(), /prizes-screen\.tsx.*prizes/)
  const routes = readFileSync(inMerchant('routes.ts'), 'utf8')
  const line = `const screensOfWallet = {\n  prizes: ofWallet('/prizes', 'payments.read', () => import('./prizes/prizes-screen.tsx'), placeInList),`
  writeFileSync(inMerchant('routes.ts'), routes.replace('const screensOfWallet = {', line))
  assert.equal(compile(), '')
})
