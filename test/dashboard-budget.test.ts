/**
 * The size of the dashboards over the wire (brotli), measured on the build: on a slow connection every byte of a first visit costs
 * time.
 */
import assert from 'node:assert/strict'
import { globSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { firstFiles, type BuildManifest } from '../server/views/web/dashboard/first-files.ts'
import { mustBeNone, mustFit } from './must-match.ts'

const folder = join(import.meta.dirname, '../dashboard')
const dist = join(folder, 'dist')

const apps = ['merchant', 'admin'] as const
type App = (typeof apps)[number]

const manifestOf = (app: App): BuildManifest => JSON.parse(readFileSync(join(dist, `.vite/${app}.json`), 'utf8')) as BuildManifest

/** Over the wire, with the best compression. */
const kib = (file: string): number => statSync(join(dist, `${file}.br`)).size / 1024
const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + kib(file), 0)

/** The files of a first visit, as the page links them. */
function firstOf(app: App, hasCookie: boolean): { scripts: string[]; styles: string[] } {
  return firstFiles({ app, path: app === 'merchant' ? '/dashboard' : '/admin', hasCookie }, manifestOf(app))
}

/** What a first visit may load, measured when it was last made smaller. */
const most = { scripts: 144, styles: 12.5, files: 5 }

const later =
  'Load with import() what the screen can show later. The limit is in test/dashboard-budget.test.ts; raise it in a commit that says what users get for it'

test('a first visit loads at most 5 files, 144 KiB of scripts and 12.5 KiB of styles, for Home and for a guest', (t) => {
  for (const app of apps) {
    for (const hasCookie of [true, false]) {
      const { scripts, styles } = firstOf(app, hasCookie)
      const visit = `${app}, ${hasCookie ? 'home' : 'sign-in'}`
      t.diagnostic(
        `${visit}: ${scripts.length + styles.length} files, ${sum(scripts).toFixed(1)} KiB of scripts, ${sum(styles).toFixed(1)} KiB of styles`,
      )
      assert.ok(scripts.length > 2 && styles.length > 0, visit)
      const files = [...scripts, ...styles]
      mustFit(`${visit} (${files.join(' ')})`, { size: files.length, limit: most.files, unit: 'files' }, later)
      mustFit(visit, { size: sum(scripts), limit: most.scripts, unit: 'KiB of scripts' }, later)
      mustFit(visit, { size: sum(styles), limit: most.styles, unit: 'KiB of styles' }, later)
      const late = [...scripts, ...styles].filter((file) => /more|chart|notices|menu|drawer|search|dropzone|qr-code/.test(file))
      mustBeNone(late, `${visit} loads parts that a first screen can do without: load them with import()`)
    }
  }
})

test('a screen adds at most 110 KiB to the first visit, in at most 5 more files', () => {
  for (const app of apps) {
    const manifest = manifestOf(app)
    const { scripts, styles } = firstOf(app, true)
    const screens = Object.keys(manifest).filter((key) => key.endsWith('-screen.tsx'))
    assert.ok(screens.length > 3)
    for (const screen of screens) {
      const keys = new Set([screen])
      for (const key of keys) for (const imported of manifest[key]!.imports ?? []) keys.add(imported)
      const files = new Set([...keys].flatMap((key) => [manifest[key]!.file, ...(manifest[key]!.css ?? [])]))
      const own = [...files].filter((file) => !scripts.includes(file) && !styles.includes(file))
      mustFit(screen, { size: sum(own), limit: 110, unit: 'KiB' }, later)
      mustFit(`${screen} (${own.join(' ')})`, { size: own.length, limit: 5, unit: 'files' }, later)
    }
  }
})

test('a displayed component has its styles, in the order in which Mantine builds them upon each other', () => {
  const lists = ['mantine-styles', 'mantine-more-styles'].map((name) => readFileSync(join(folder, `src/ui/${name}.ts`), 'utf8'))
  const listed = lists.join('')
  const used = globSync('src/**/*.tsx', { cwd: folder }).flatMap((file) => {
    const imports = [...readFileSync(join(folder, file), 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)]
    return imports.flatMap(([, names]) => names!.split(',').map((name) => name.trim()))
  })
  const missing = [...new Set(used)].filter(
    (name) =>
      existsSync(join(folder, `node_modules/@mantine/core/styles/${name}.css`)) && !listed.includes(`styles/${name}.css'`),
  )
  mustBeNone(missing, 'Import the styles of these components in dashboard/src/ui/mantine-more-styles.ts')
  const place = join(folder, 'node_modules/@mantine/core')
  const all = readFileSync(join(place, 'styles.css'), 'utf8')
  // Each begins with a separate class, which the combined stylesheet contains in its position.
  const placeOf = (name: string): number =>
    all.indexOf(/\.m_[0-9a-f]+/.exec(readFileSync(join(place, `styles/${name}.css`), 'utf8'))![0])
  for (const list of lists) {
    const names = [...list.matchAll(/styles\/([A-Z]\w+)\.css/g)].map((match) => match[1]!)
    const ordered = names.toSorted((one, other) => placeOf(one) - placeOf(other))
    const at = names.findIndex((name, place) => name !== ordered[place])
    assert.equal(at, -1, `dashboard/src/ui/mantine-*styles.ts: move ${ordered[at]} before ${names[at]}`)
  }
})

test('nothing is loaded from another host', () => {
  const texts = globSync('**/*.{html,css}', { cwd: dist }).map((file) => [file, readFileSync(join(dist, file), 'utf8')] as const)
  const foreign = texts.filter(([, text]) => /(?:src|href)="(?:https?:)?\/\/|url\(["']?(?:https?:)?\/\/|@import/.test(text))
  mustBeNone(
    foreign.map(([file]) => file),
    'These files of dashboard/dist load from another host: import the file instead',
  )
})
