/** The build of the two dashboards: two pages, and hashed files under /dashboard/assets, each with its compressed forms. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
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

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), precompress()],
  // The service replaces this word by a new nonce in every answer.
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
