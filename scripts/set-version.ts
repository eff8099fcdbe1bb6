/**
 * `npm version minor` (or patch, major): npm sets the version of the service, and this script gives it to everything that is
 * released with it, and moves what is unreleased in CHANGELOG.md under the version and its day. npm commits and tags the result.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOptions } from './read-options.ts'

const root = join(import.meta.dirname, '..')
readOptions({})

/** Released with the service, under its version. The lock files hold a copy. */
const manifests = ['sdk/package.json', 'cli/package.json', 'dashboard/package.json', 'dashboard/package-lock.json']

type Manifest = { version: string; dependencies?: Record<string, string>; packages?: Record<string, { version: string }> }

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const { version } = JSON.parse(read('package.json')) as Manifest

for (const file of manifests) {
  const manifest = JSON.parse(read(file)) as Manifest
  manifest.version = version
  if (manifest.packages?.['']) manifest.packages[''].version = version
  if (manifest.dependencies?.['@malipo/sdk']) manifest.dependencies['@malipo/sdk'] = version
  writeFileSync(join(root, file), `${JSON.stringify(manifest, null, 2)}\n`)
}

const day = new Date().toISOString().slice(0, 10)
const changes = read('CHANGELOG.md')
if (!/^## Unreleased\n\n(?!## )\S/m.test(changes)) {
  process.stderr.write('CHANGELOG.md has nothing under "Unreleased": say there first what is new.\n')
  process.exit(1)
}
writeFileSync(join(root, 'CHANGELOG.md'), changes.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version}, ${day}`))
execFileSync('git', ['add', 'CHANGELOG.md', ...manifests], { cwd: root })
