/**
 * Builds dashboard/dist when its sources have changed since the last build, and otherwise does nothing. dashboard/dist/.stamp
 * records the sources of the build. A release without sources contains only dist, and needs no build.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folder = join(root, 'dashboard')
const dist = join(folder, 'dist')
/** The dashboards show these pages' programs and commands, word for word. */
const pages = ['guides/webhooks.md', 'quick-start.md', 'sw/quick-start.md'].map((page) => join(root, 'docs', page))
/** The last one has only types, which no build contains: `npm run generate` writes it for the checks. */
const madeByTools = new Set(['node_modules', 'dist', 'operations.ts'])

// A shell that found another Node before the packages were installed keeps using it until the shell ends: the first start on a
// new machine would build with any Node that is there.
const packaged = join(root, 'node_modules/.bin/node')
const node = process.platform !== 'win32' && existsSync(packaged) ? packaged : process.execPath

/** The sources of a build, sorted by name. */
function sources(within = '') {
  return readdirSync(join(folder, within), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !name.endsWith('.md') && !name.endsWith('.test.ts') && !madeByTools.has(name))
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
  for (const page of pages) hash.update(readFileSync(page))
  return hash.digest('hex')
}

function stampOfBuild() {
  try {
    return readFileSync(join(dist, '.stamp'), 'utf8')
  } catch {
    // Never built, or interrupted.
    return undefined
  }
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

function build(stamp) {
  // Ctrl-C reaches the installation and the build as well: they end first, and the sentence below says what to do.
  process.on('SIGINT', () => undefined)
  // The build tools are development packages, which the environment may omit elsewhere.
  const env = { ...process.env, NODE_ENV: '', npm_config_omit: '', npm_config_include: 'dev' }
  const installed = spawnSync(node, [join(root, 'scripts/ensure-installed.mjs'), 'dashboard'], {
    stdio: 'inherit',
    env,
  })
  // The installation has said why, and what to do.
  if (installed.status !== 0) process.exit(1)
  const reason = existsSync(dist) ? ', because their sources have changed' : ''
  console.error(`Building the dashboards${reason}. This usually takes ten seconds.`)
  const startedAt = performance.now()
  const draft = join(folder, `.dist-${process.pid}`)
  const vite = join(folder, 'node_modules/vite/bin/vite.js')
  const args = [vite, 'build', '--outDir', draft, '--emptyOutDir', '--logLevel', 'warn']
  const built = spawnSync(node, args, { cwd: folder, stdio: 'inherit', env: { ...env, NODE_ENV: 'production' } })
  if (built.status !== 0) {
    rmSync(draft, { recursive: true, force: true })
    if (built.signal) fail(`The build of the dashboards was interrupted (${built.signal}): start again.`)
    fail(
      `The dashboards could not be built (exit code ${built.status}); why stands above. If it is a source of theirs, correct it; if it is a package, delete dashboard/node_modules. Then start again.`,
    )
  }
  writeFileSync(join(draft, '.stamp'), stamp)
  // A parallel start has built the same files, and the existing folder is always complete.
  rmSync(dist, { recursive: true, force: true })
  try {
    renameSync(draft, dist)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  }
  console.error(`Built the dashboards in ${Math.round((performance.now() - startedAt) / 1000)} s.`)
}

if (existsSync(join(folder, 'package.json'))) {
  const stamp = stampOfSources()
  if (stampOfBuild() !== stamp) build(stamp)
}
