/** The build of the two dashboards: two pages, and hashed files under /dashboard/assets, each with its compressed forms. */
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import tabler from '@iconify-json/tabler/icons.json' with { type: 'json' }
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const worthCompressing = /\.(js|css|svg)$/

/** The service serves these files as they are: no request waits for compression. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      const names = Object.keys(bundle).filter((name) => worthCompressing.test(name))
      await Promise.all(
        names.map(async (name) => {
          const path = join(dir!, name)
          const bytes = await readFile(path)
          const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
          await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }))
          await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
        }),
      )
    },
  }
}

const iconPrefix = '\0~icons/'
/** Every drawing repeats these; the component says them once. */
const repeated = / (?:fill="none"|stroke="currentColor"|stroke-linecap="round"|stroke-linejoin="round"|stroke-width="2")/g

/** `~icons/<name>`: one icon as a component. Only imported drawings are built in; a package of components for all takes 88 MB. */
function icons(): Plugin {
  const drawings: Record<string, { body: string } | undefined> = tabler.icons
  return {
    name: 'icons',
    resolveId: (id) => (id.startsWith('~icons/') ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(iconPrefix)) return undefined
      const drawing = drawings[id.slice(iconPrefix.length)] ?? this.error(`There is no icon ${id.slice(iconPrefix.length)}`)
      const text = JSON.stringify(drawing.body.replaceAll(repeated, ''))
      return `import { iconOf } from '/src/ui/icon.tsx'\nexport default /* @__PURE__ */ iconOf(${text})\n`
    },
  }
}

/**
 * A table that scrolls as the browser does. Mantine's own scroll bars, which no table here uses, would take 20 KB of the first visit.
 */
function plainTables(): Plugin {
  const plain = '\0plain-scroll-area'
  return {
    name: 'plain-tables',
    enforce: 'pre',
    resolveId: (id, importer) =>
      importer?.endsWith('/TableScrollContainer.mjs') && id.endsWith('/ScrollArea.mjs') ? plain : undefined,
    load: (id) => (id === plain ? `export const ScrollArea = 'div'` : undefined),
  }
}

const moreStyles = join(import.meta.dirname, 'src/ui/mantine-more-styles.ts')

/** A source that shows a component whose styles a first visit does not need brings them along. */
function stylesOfComponents(): Plugin {
  let styled: Set<string>
  return {
    name: 'styles-of-components',
    enforce: 'pre',
    async buildStart() {
      styled = new Set([...(await readFile(moreStyles, 'utf8')).matchAll(/styles\/(\w+)\.css/g)].map(([, name]) => name!))
    },
    transform(code, id) {
      if (!/\/src\/.*\.tsx$/.test(id)) return undefined
      const isMore = [...namesIn(code, /^@mantine\/core$/)].some(([name]) => styled.has(name))
      return isMore ? { code: `import '/src/ui/mantine-more-styles.ts'\n${code}`, map: null } : undefined
    },
  }
}

type Reader = { getModuleInfo(id: string): { importedIds: string[]; code: string | null } | null }

/** These name what they import only when they run. */
const isOfReact = /node_modules\/(?:react|react-dom|scheduler|use-sync-external-store)\//

/** What the build adds for itself. */
const isOfBuild = /rolldown\/runtime|vite\/preload-helper/

/** A module that only passes on the modules of its package. */
const collection = /node_modules\/@mantine\/(?:core|hooks)\/esm\/index\.mjs$/

/** The names that these statements import, and from where. */
function* namesIn(code: string, from: RegExp): Generator<[name: string, place: string]> {
  for (const [, names = '', place = ''] of code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']([^"']+)["']/g)) {
    if (from.test(place)) for (const name of names.split(',')) yield [name.trim().split(' ')[0]!, place]
  }
}

/** What a module imports; of a collection only what it names. */
function importsOf(id: string, reader: Reader): string[] {
  const { importedIds = [], code } = reader.getModuleInfo(id) ?? {}
  return importedIds.flatMap((imported) => {
    const collected = collection.test(imported) ? reader.getModuleInfo(imported)?.code : undefined
    if (!collected) return [imported]
    const places = new Map([...namesIn(collected, /^\./)].map(([name, place]) => [name, join(dirname(imported), place)]))
    const packageName = /node_modules\/(@mantine\/\w+)/.exec(imported)![1]!
    return [...namesIn(code ?? '', new RegExp(`^${packageName}$`))].flatMap(([name]) => places.get(name) ?? [])
  })
}

/** Finds what these sources import, directly or through others; not what they load later. */
function reachOf(roots: readonly string[]): (id: string, reader: Reader) => boolean {
  let reached: Set<string> | undefined
  return (id, reader) => {
    if (!reached) {
      reached = new Set(roots.map((root) => join(import.meta.dirname, 'src', root)))
      for (const one of reached) for (const imported of importsOf(one, reader)) reached.add(imported)
    }
    return reached.has(id)
  }
}

/**
 * The files of one app. On a slow line each file costs a round trip, so that a first visit loads four: `start` asks for the data while the
 * others are loading; `main` is what every screen needs; `home` is the frame of a signed-in person with the first screen, or `sign-in`
 * the form of a guest. What several other screens share is in `more`; every screen has a file for the rest.
 */
function filesOf(app: 'merchant' | 'admin') {
  const [isOfStart, isOfMain, isOfHome, isOfSignIn] = [
    reachOf([`${app}/start.ts`]),
    reachOf([`${app}/main.tsx`]),
    reachOf([`${app}/${app}-shell.tsx`, `${app}/home/home-screen.tsx`]),
    reachOf([`${app}/sign-in/sign-in-screen.tsx`]),
  ]
  const name = (id: string, reader: Reader): string | null => {
    if (isOfStart(id, reader) || isOfBuild.test(id)) return 'start'
    const [isForHome, isForSignIn] = [isOfHome(id, reader), isOfSignIn(id, reader)]
    if (isOfMain(id, reader) || isOfReact.test(id) || (isForHome && isForSignIn)) return 'main'
    // One style sheet for a first visit, instead of two.
    if (isForHome || isForSignIn) return /\.css/.test(id) ? 'main' : isForHome ? 'home' : 'sign-in'
    return null
  }
  return {
    consumer: 'client' as const,
    build: {
      manifest: `.vite/${app}.json`,
      rolldownOptions: {
        input: { [app]: `${app}.html` },
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [
              { name, debugName: 'first', priority: 1 },
              { name: 'more', minShareCount: 2 },
            ],
          },
        },
      },
    },
  }
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), icons(), plainTables(), stylesOfComponents(), precompress()],
  // The service puts a fresh nonce in place of this word, into every answer.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    // The policy of the pages allows no inlined fonts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome107', 'firefox104', 'safari16'],
  },
  // Two builds: neither app loads what only the other one needs.
  environments: { merchant: filesOf('merchant'), admin: filesOf('admin') },
  builder: {
    async buildApp(builder) {
      await builder.build(builder.environments['merchant']!)
      builder.environments['admin']!.config.build.emptyOutDir = false
      await builder.build(builder.environments['admin']!)
    },
  },
})
