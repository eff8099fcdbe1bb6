/** The build of the two dashboards: two pages, and hashed files under /dashboard/assets, each with its compressed forms. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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
          const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
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

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), icons(), precompress()],
  // The service puts a fresh nonce in place of this word, into every answer.
  html: { cspNonce: 'CSP_NONCE' },
  build: {
    manifest: true,
    // The policy of the pages allows no inlined fonts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome107', 'firefox104', 'safari16'],
    rolldownOptions: { input: { merchant: 'merchant.html', admin: 'admin.html' } },
  },
})
