/**
 * Builds dashboard/dist when its sources have changed since it was built, and does nothing otherwise. What it was built from is noted in
 * dashboard/dist/.stamp. Where there are no sources, in a release that brings dist alone, there is nothing to do either.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'dashboard')
const dist = join(folder, 'dist')
/** The dashboards show programs out of it, word for word. */
const guide = join(root, 'docs/guides/webhooks.md')
const madeByTools = new Set(['node_modules', 'dist'])

// A shell that found another Node before the packages brought theirs goes on calling that one until it ends: the first start on a bare
// machine would build with whatever Node was there.
const packaged = join(root, 'node_modules/.bin/node')
const node = process.platform !== 'win32' && existsSync(packaged) ? packaged : process.execPath

/** What a build depends on, in the order of its names. */
function sources(within = '') {
  return readdirSync(join(folder, within), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !name.endsWith('.md') && !madeByTools.has(name))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? sources(`${within}${entry.name}/`) : [`${within}${entry.name}`]))
}

function stampOfSources() {
  const hash = createHash('sha256')
  for (const path of sources())
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(folder, path)))
      .update('\0')
  hash.update(readFileSync(guide))
  return hash.digest('hex')
}

function stampOfBuild() {
  try {
    return readFileSync(join(dist, '.stamp'), 'utf8')
  } catch {
    // Never built, or cut short.
    return undefined
  }
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

function build(stamp) {
  console.error('Building the dashboards (dashboard/dist), because their sources have changed ...')
  // The tools of the build are development packages, which an environment may leave out elsewhere.
  const env = { ...process.env, NODE_ENV: '', npm_config_omit: '', npm_config_include: 'dev' }
  const installed = spawnSync(node, [join(root, 'scripts/ensure-installed.mjs'), 'dashboard'], {
    stdio: 'inherit',
    env,
  })
  if (installed.status !== 0) {
    fail('The packages of the dashboards could not be installed; why stands above. Correct it, then start again.')
  }
  const draft = join(folder, `.dist-${process.pid}`)
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--outDir', draft, '--emptyOutDir', '--logLevel', 'warn']
  const built = spawnSync(node, args, { cwd: folder, stdio: 'inherit', env: { ...env, NODE_ENV: 'production' } })
  if (built.status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    fail(
      `The dashboards could not be built (exit code ${built.status}); why stands above. If it is a source of theirs, correct it; if it is a package, delete dashboard/node_modules. Then start again.`,
    )
  }
  writeFileSync(join(draft, '.stamp'), stamp)
  // Whoever starts at the same time has built the same: what is there is never half.
  rmSync(dist, { recursive: true, force: true })
  try {
    renameSync(draft, dist)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
}

if (existsSync(join(folder, 'package.json'))) {
  const stamp = stampOfSources()
  if (stampOfBuild() !== stamp) build(stamp)
}
