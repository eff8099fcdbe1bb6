/**
 * Installs what package-lock.json names when node_modules differs from it, and does nothing otherwise. It runs before anything is
 * installed and under whatever Node there is: plain JavaScript, no packages.
 *
 * npm writes down what it has installed in node_modules/.package-lock.json: the same entries, without the optional packages of other
 * platforms and without what `omit` left out.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldestNode = 20
const wantedNode = 24
// A folder with packages of its own may be named: `node scripts/ensure-installed.mjs test/browser`.
const root = join(dirname(fileURLToPath(import.meta.url)), '..', process.argv[2] ?? '.')
const modules = join(root, 'node_modules')

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    // Cut short by a crash: as good as missing.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** One name or a list of names such as ["linux", "!arm"], as package.json has it for os, cpu and libc. */
function allows(wish, name) {
  const names = wish === undefined ? ['any'] : [wish].flat()
  if (names.includes('any') || names.includes(name)) return true
  return !names.includes(`!${name}`) && names.every((entry) => entry.startsWith('!'))
}

let knownLibc

function libc() {
  if (process.platform !== 'linux') return undefined
  // Without it the report looks up names in the network.
  process.report.excludeNetwork = true
  knownLibc ??= process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  return knownLibc
}

function isForThisPlatform(entry) {
  if (!allows(entry.os, process.platform) || !allows(entry.cpu, process.arch)) return false
  return !entry.libc || allows(entry.libc, libc())
}

/** What `npm ci` would leave out, told the same way as npm is. */
function omitted() {
  const omit = new Set((process.env.npm_config_omit ?? '').split(/[\s,]+/).filter(Boolean))
  const include = new Set((process.env.npm_config_include ?? '').split(/[\s,]+/).filter(Boolean))
  if (process.env.NODE_ENV === 'production') omit.add('dev')
  for (const kind of include) omit.delete(kind)
  return omit
}

/** Where Node and npm find a package from inside another: the nearest node_modules upwards. */
function resolvePath(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder}${folder && '/'}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}

/**
 * The paths that an install on this platform makes. Followed from the root, because a package that only packages of other platforms
 * need says nothing of platforms itself.
 */
function wantedHere(packages) {
  const omit = omitted()
  const paths = new Set([''])
  for (const path of paths) {
    const entry = packages[path]
    const names = {
      ...(omit.has('peer') ? {} : entry.peerDependencies),
      ...(omit.has('optional') ? {} : entry.optionalDependencies),
      ...(path === '' && !omit.has('dev') ? entry.devDependencies : {}),
      ...entry.dependencies,
    }
    for (const name of Object.keys(names)) {
      // npm lists an optional package under both keys.
      if (omit.has('optional') && entry.optionalDependencies?.[name]) continue
      const isOnlyOptionalPeer = entry.peerDependenciesMeta?.[name]?.optional && !entry.dependencies?.[name]
      const dependency = isOnlyOptionalPeer ? undefined : resolvePath(packages, path, name)
      if (dependency && isForThisPlatform(packages[dependency])) paths.add(dependency)
    }
  }
  paths.delete('')
  return paths
}

/** Why an install is needed, or undefined. */
function difference() {
  const wanted = readPackages(join(root, 'package-lock.json'))
  if (!wanted) fail('package-lock.json is missing or damaged: restore it from the repository ("git checkout package-lock.json").')
  const installed = readPackages(join(modules, '.package-lock.json'))
  if (!installed) return 'nothing is installed yet'

  for (const path of wantedHere(wanted)) {
    const entry = wanted[path]
    const found = installed[path]
    if (!found || !existsSync(join(root, path, 'package.json'))) return `${path} is missing`
    if (found.version !== entry.version || found.integrity !== entry.integrity) return `${path} is another version`
  }
  const surplus = Object.keys(installed).find((path) => !wanted[path])
  return surplus && `${surplus} is not wanted any more`
}

function major(version) {
  return Number(/^v?(\d+)/.exec(version)?.[1] ?? 0)
}

/** Why the service could not run with the Node that `npm run` will find first, or undefined. */
function unsuitableNode() {
  const packaged = join(modules, '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
  let version = process.version
  if (existsSync(packaged)) {
    if (realpathSync(packaged) === realpathSync(process.execPath)) return undefined
    const { stdout, error, stderr } = spawnSync(packaged, ['--version'], {
      encoding: 'utf8',
      shell: process.platform === 'win32',
    })
    if (!stdout) return `${packaged} does not run here (${error?.message ?? stderr.trim()})`
    version = stdout.trim()
  }
  return major(version) >= wantedNode ? undefined : `Node ${version} is too old, the service needs ${wantedNode}`
}

function install(reason) {
  console.error(`Installing the packages of package-lock.json, because ${reason} ...`)
  // npm would warn of packages that want a newer Node than this one: they run on the one that comes with them.
  const words = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const { npm_execpath: npm, npm_node_execpath: npmNode } = process.env
  // Under pnpm or yarn the variable names those.
  const isNpm = npm !== undefined && /npm-cli\.c?js$/.test(npm)
  const node = npmNode && existsSync(npmNode) ? npmNode : process.execPath
  const result = isNpm
    ? spawnSync(node, [npm, ...words], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', words, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (result.error) fail(`npm could not be started (${result.error.message}): install npm, then run "npm ci" in ${root}.`)
  if (result.signal) fail(`The installation was interrupted (${result.signal}): start again to finish it.`)
  if (result.status !== 0) {
    fail(`"npm ci" failed (exit code ${result.status}); its message is above. Correct what it says, then start again.`)
  }
}

if (major(process.version) < oldestNode) {
  fail(
    `Node ${process.version} is too old to install the service: use Node ${oldestNode} or newer (it brings its own Node ${wantedNode}).`,
  )
}
const reason = difference()
if (reason) install(reason)

let problem = unsuitableNode()
if (problem && !reason) {
  install(problem)
  problem = unsuitableNode()
}
if (problem) {
  fail(`${problem}, and no package of it fits this machine: install Node ${wantedNode} yourself and put it first in the PATH.`)
}
