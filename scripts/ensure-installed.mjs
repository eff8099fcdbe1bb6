/**
 * Installs the packages of package-lock.json when node_modules differs from it, and otherwise does nothing. It runs before
 * anything is installed and with any Node: plain JavaScript, no packages.
 *
 * npm records the installed packages in node_modules/.package-lock.json: the same entries, without the optional packages of other
 * platforms and without the packages that `omit` excludes.
 */
import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldestNode = 20
const wantedNode = 24
const top = join(dirname(fileURLToPath(import.meta.url)), '..')
// The argument may name a folder with separate packages: `node scripts/ensure-installed.mjs test/browser`.
const part = process.argv[2] ?? '.'
const owners = {
  '.': 'the service',
  dashboard: 'the dashboards',
  'examples/shop-node': 'the example shop',
  'test/browser': 'the browser tests',
  'test/clients': 'the client tests',
}
const owner = owners[part] ?? part
const root = join(top, part)
const modules = join(root, 'node_modules')
/** The Node that the packages of the service bring along. It also installs the packages of the other folders. */
const packagedNode = join(top, 'node_modules/.bin', process.platform === 'win32' ? 'node.cmd' : 'node')

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
function difference(wanted, paths) {
  const installed = readPackages(join(modules, '.package-lock.json'))
  if (!installed) return existsSync(modules) ? 'an earlier installation was not finished' : 'nothing is installed yet'

  for (const path of paths) {
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

/** Why the packaged Node cannot run the service, or undefined. */
function faultOfPackagedNode() {
  if (!existsSync(packagedNode) || realpathSync(packagedNode) === realpathSync(process.execPath)) return undefined
  const { stdout, error, stderr } = spawnSync(packagedNode, ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (!stdout) return `${packagedNode} does not run here (${error?.message ?? stderr.trim()})`
  return major(stdout) < wantedNode ? `${packagedNode} is Node ${stdout.trim()}, and the service needs ${wantedNode}` : undefined
}

/** npm's program and its first arguments. */
function npm() {
  const { npm_execpath: path, npm_node_execpath: npmNode } = process.env
  // Under pnpm or yarn the variable contains their path.
  if (path === undefined || !/npm-cli\.c?js$/.test(path)) return ['npm']
  // The packages of the other folders need the Node that the service brings along.
  if (part !== '.' && process.platform !== 'win32' && existsSync(packagedNode)) return [packagedNode, path]
  return [npmNode && existsSync(npmNode) ? npmNode : process.execPath, path]
}

const onWindows = { shell: process.platform === 'win32' }
const codeOf = (output) => /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1]
const networkErrors =
  /^(?:EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|FETCH_ERROR)$/

/** The error with which npm fails to reach its registry, or undefined. `npm ci` itself would try for minutes. */
function networkError() {
  const [program, ...first] = npm()
  const words = [...first, 'ping', '--fetch-retries=0', '--fetch-timeout=10000', '--no-update-notifier']
  const { stderr } = spawnSync(program, words, { cwd: root, encoding: 'utf8', ...onWindows })
  const code = codeOf(stderr ?? '')
  return code !== undefined && networkErrors.test(code) ? code : undefined
}

/** A folder for npm's cache where npm's own cannot be written, as on a read-only home; otherwise undefined. */
function temporaryCache() {
  const folder = process.env.npm_config_cache ?? join(homedir(), '.npm')
  try {
    if (!existsSync(folder)) mkdirSync(folder)
    accessSync(folder, constants.W_OK)
    return undefined
  } catch {
    return mkdtempSync(join(tmpdir(), 'malipo-npm-'))
  }
}

/** Shows how many packages are there: every second on a terminal, otherwise a line every 15 seconds. */
function showProgress(paths, startedAt) {
  const { isTTY } = process.stderr
  const show = () => {
    const done = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
    const line = `  ${done} of ${paths.length} packages after ${Math.round((performance.now() - startedAt) / 1000)} s`
    process.stderr.write(isTTY ? `\r${line}` : `${line}\n`)
  }
  const timer = setInterval(show, isTTY ? 1_000 : 15_000)
  return () => {
    clearInterval(timer)
    if (isTTY) process.stderr.write('\r\x1b[K')
  }
}

/** Runs `npm ci`. Its messages are kept, and shown when it fails for a reason that they explain better. */
async function runNpm(words) {
  const [program, ...first] = npm()
  const child = spawn(program, [...first, ...words], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'], ...onWindows })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
  let interrupted
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      interrupted = signal
      // npm itself would take half a minute to end. The next start sees that the installation is not finished, and begins again.
      child.kill('SIGKILL')
    })
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (status, signal) => resolve({ status, output, signal: interrupted ?? signal }))
  })
}

async function install(reason, paths) {
  const again = reason === 'nothing is installed yet' ? '' : ` again, because ${reason}`
  console.error(`Installing the ${paths.length} packages of ${owner}${again}. This usually takes less than a minute.`)
  const startedAt = performance.now()
  const offline = networkError()
  const cache = temporaryCache()
  const done = showProgress(paths, startedAt)
  // npm would warn about packages that need a newer Node than this one, but they run with the Node that they install.
  const words = [
    'ci',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--no-update-notifier',
    '--no-engine-strict',
    '--loglevel=error',
  ]
  if (offline) words.push('--offline')
  if (cache) words.push('--cache', cache)
  const { status, output, signal, error } = await runNpm(words)
  done()
  if (cache) rmSync(cache, { recursive: true, force: true })
  if (error) fail(`npm could not be started (${error.message}): install npm, then run "npm ci" in ${root}.`)
  if (signal) fail(`The installation was interrupted (${signal}). Start again: what was downloaded is used then.`)
  if (status !== 0 && offline) {
    fail(
      `npm cannot reach its registry (${offline}), and its cache lacks some packages: connect to the network, then start again.`,
    )
  }
  if (status !== 0) {
    fail(`${output}"npm ci" failed (exit code ${status}); its message is above. Fix the problem, then start again.`)
  }
  console.error(`Installed the packages of ${owner} in ${Math.round((performance.now() - startedAt) / 1000)} s.`)
}

if (major(process.version) < oldestNode) {
  fail(
    `Node ${process.version} is too old to install the service: use Node ${wantedNode}, or on Linux any from ${oldestNode} on.`,
  )
}
const wanted = readPackages(join(root, 'package-lock.json'))
if (!wanted) fail('package-lock.json is missing or damaged: restore it from the repository ("git checkout package-lock.json").')
const paths = [...wantedHere(wanted)]
// The other folders are run with the Node of the service.
if (part === '.' && major(process.version) < wantedNode && !paths.some((path) => wanted[path].bin?.node)) {
  fail(
    `Node ${process.version} is too old, the service needs ${wantedNode}, and no package of it fits this machine: install Node ${wantedNode} yourself and put it first in the PATH.`,
  )
}
const reason = difference(wanted, paths)
if (reason) await install(reason, paths)
if (part === '.') {
  let fault = faultOfPackagedNode()
  if (fault && !reason) {
    await install(fault, paths)
    fault = faultOfPackagedNode()
  }
  if (fault) fail(`${fault}: the service cannot run on this machine. README.md names the platforms that it needs.`)
}
