/**
 * The size of the dashboards over the wire (gzip), measured on the build: on a slow connection every byte of a first visit costs
 * time.
 */
import assert from 'node:assert/strict'
import { globSync, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = join(import.meta.dirname, '../dashboard')
const dist = join(folder, 'dist')

type Chunk = { file: string; imports?: string[]; css?: string[]; isDynamicEntry?: boolean }

const chunks = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

/** These chunks and all their imports. */
function withImports(...keys: string[]): Set<string> {
  const found = new Set(keys)
  for (const key of found) for (const imported of chunks[key]!.imports ?? []) found.add(imported)
  return found
}

const kib = (file: string): number => statSync(join(dist, `${file}.gz`)).size / 1024
const scripts = (keys: Iterable<string>): number => [...keys].reduce((sum, key) => sum + kib(chunks[key]!.file), 0)
const styles = (keys: Iterable<string>): number =>
  [...new Set([...keys].flatMap((key) => chunks[key]!.css ?? []))].reduce((sum, file) => sum + kib(file), 0)

const apps = ['merchant', 'admin'] as const
const entryOf = (app: (typeof apps)[number]): string => `${app}.html`
const isOf = (app: (typeof apps)[number], key: string): boolean =>
  !apps.some((one) => one !== app && key.startsWith(`src/${one}/`))

test('a first visit loads at most 180 KiB of scripts and 30 KiB of styles, the sign-in included', (t) => {
  for (const app of apps) {
    const loaded = withImports(entryOf(app), `src/${app}/sign-in/sign-in-screen.tsx`)
    t.diagnostic(`${app}: ${scripts(loaded).toFixed(1)} KiB of scripts, ${styles(loaded).toFixed(1)} KiB of styles`)
    assert.ok(scripts(loaded) <= 180, `${app}: ${scripts(loaded)} KiB of scripts`)
    assert.ok(styles(loaded) <= 30, `${app}: ${styles(loaded)} KiB of styles`)
    const heavy = [...loaded].filter((key) => /chart|data-table|spotlight|dropzone|qr-code/.test(`${key} ${chunks[key]!.file}`))
    assert.deepEqual(heavy, [])
  }
})

test('a screen adds at most 120 KiB, and the first one with its frame is 400 KiB at most', (t) => {
  for (const app of apps) {
    const first = withImports(entryOf(app))
    const screens = Object.keys(chunks).filter((key) => chunks[key]!.isDynamicEntry && isOf(app, key))
    assert.ok(screens.length > 3)
    for (const screen of screens) {
      const own = scripts([...withImports(screen)].filter((key) => !first.has(key)))
      assert.ok(own <= 120, `${screen}: ${own} KiB`)
    }
    const home = withImports(entryOf(app), `src/${app}/${app}-shell.tsx`, `src/${app}/home/home-screen.tsx`)
    const font = globSync('assets/*.woff2', { cwd: dist }).reduce((sum, file) => sum + statSync(join(dist, file)).size / 1024, 0)
    const total = scripts(home) + styles(home) + font
    t.diagnostic(`${app}: ${total.toFixed(1)} KiB until home stands`)
    assert.ok(total <= 400, `${app}: ${total} KiB`)
  }
})

test('a displayed component has its styles, in the order in which Mantine builds them upon each other', () => {
  const listed = readFileSync(join(folder, 'src/ui/mantine-styles.ts'), 'utf8')
  const used = globSync('src/**/*.tsx', { cwd: folder }).flatMap((file) => {
    const imports = [...readFileSync(join(folder, file), 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)]
    return imports.flatMap(([, names]) => names!.split(',').map((name) => name.trim()))
  })
  const missing = [...new Set(used)].filter(
    (name) =>
      existsSync(join(folder, `node_modules/@mantine/core/styles/${name}.css`)) && !listed.includes(`styles/${name}.css'`),
  )
  assert.deepEqual(missing, [], 'add them to dashboard/src/ui/mantine-styles.ts')
  const place = join(folder, 'node_modules/@mantine/core')
  const all = readFileSync(join(place, 'styles.css'), 'utf8')
  const names = [...listed.matchAll(/styles\/([A-Z]\w+)\.css/g)].map((match) => match[1]!)
  // Each begins with a separate class, which the combined stylesheet contains in its position.
  const placeOf = (name: string): number =>
    all.indexOf(/\.m_[0-9a-f]+/.exec(readFileSync(join(place, `styles/${name}.css`), 'utf8'))![0])
  assert.deepEqual(
    names,
    names.toSorted((one, other) => placeOf(one) - placeOf(other)),
  )
})

test('nothing is loaded from another host', () => {
  const texts = globSync('**/*.{html,css}', { cwd: dist }).map((file) => [file, readFileSync(join(dist, file), 'utf8')] as const)
  const foreign = texts.filter(([, text]) => /(?:src|href)="(?:https?:)?\/\/|url\(["']?(?:https?:)?\/\/|@import/.test(text))
  assert.deepEqual(
    foreign.map(([file]) => file),
    [],
  )
})
