/**
 * Installs the packages of package-lock.json when node_modules differs from it, and otherwise does nothing. It runs before
 * anything is installed and with any Node: plain JavaScript, no packages.
 *
 * npm records the installed packages in node_modules/.package-lock.json: the same entries, without the optional packages of other
 * platforms and without the packages that `omit` excludes.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldestNode = 20
const wantedNode = 24
// The argument may name a folder with separate packages: `node scripts/ensure-installed.mjs test/browser`.
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
    // Truncated by a crash: the same as missing.
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
  // Without this, the report resolves names in the network.
  process.report.excludeNetwork = true
  knownLibc ??= process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  return knownLibc
}

function isForThisPlatform(entry) {
  if (!allows(entry.os, process.platform) || !allows(entry.cpu, process.arch)) return false
  return !entry.libc || allows(entry.libc, libc())
}

/** The packages that `npm ci` would omit, with npm's own settings. */
function omitted() {
  const omit = new Set((process.env.npm_config_omit ?? '').split(/[\s,]+/).filter(Boolean))
  const include = new Set((process.env.npm_config_include ?? '').split(/[\s,]+/).filter(Boolean))
  if (process.env.NODE_ENV === 'production') omit.add('dev')
  for (const kind of include) omit.delete(kind)
  return omit
}

/** The path where Node and npm find a package from inside another: the nearest node_modules upwards. */
function resolvePath(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder}${folder && '/'}node_modules/${name}`
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}

/**
 * The paths that an install on this platform creates. Found from the root, because a package that only packages of other
 * platforms need does not name a platform itself.
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

/** Why the Node that `npm run` finds first cannot run the service, or undefined. */
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
  // npm would warn about packages that need a newer Node than this one, but they run with the Node that they install.
  const words = ['ci', '--no-audit', '--no-fund', '--loglevel=error']
  const { npm_execpath: npm, npm_node_execpath: npmNode } = process.env
  // Under pnpm or yarn the variable contains their path.
  const isNpm = npm !== undefined && /npm-cli\.c?js$/.test(npm)
  const node = npmNode && existsSync(npmNode) ? npmNode : process.execPath
  const result = isNpm
    ? spawnSync(node, [npm, ...words], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', words, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (result.error) fail(`npm could not be started (${result.error.message}): install npm, then run "npm ci" in ${root}.`)
  if (result.signal) fail(`The installation was interrupted (${result.signal}): start again to finish it.`)
  if (result.status !== 0) {
    fail(`"npm ci" failed (exit code ${result.status}); its message is above. Fix the problem, then start again.`)
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
