/**
 * The installation check in small separate checkouts, with a stub for npm that records its calls, and the packages of every folder
 * against the Node that runs them.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { eventually } from '../test/app.ts'

type Entry = Record<string, unknown>

const otherPlatform = process.platform === 'linux' ? 'darwin' : 'linux'

const lock: Record<string, Entry> = {
  '': {
    dependencies: { web: '1.0.0' },
    devDependencies: { checker: '1.0.0' },
    optionalDependencies: { 'native-here': '1.0.0', 'native-there': '1.0.0' },
  },
  'node_modules/web': { version: '1.0.0', integrity: 'sha512-web', dependencies: { parser: '^2.0.0' } },
  'node_modules/parser': { version: '1.0.0', integrity: 'sha512-parser-1', dev: true },
  'node_modules/web/node_modules/parser': { version: '2.0.0', integrity: 'sha512-parser-2' },
  'node_modules/checker': { version: '1.0.0', integrity: 'sha512-checker', dev: true, dependencies: { parser: '^1.0.0' } },
  'node_modules/native-here': { version: '1.0.0', integrity: 'sha512-here', optional: true, os: [process.platform] },
  'node_modules/native-there': {
    version: '1.0.0',
    integrity: 'sha512-there',
    optional: true,
    os: [otherPlatform],
    dependencies: { 'only-there': '1.0.0' },
  },
  // It names no platform, but no package of this platform needs it.
  'node_modules/only-there': { version: '1.0.0', integrity: 'sha512-only-there', optional: true },
}

/** Its network is away when OFFLINE is set, and it fails like npm when NPM_ENDS is set. */
const stubOfNpm = `
  const words = process.argv.slice(2)
  if (words[0] === 'ping') {
    if (process.env.OFFLINE) console.error('npm error code EAI_AGAIN')
    process.exit(process.env.OFFLINE ? 1 : 0)
  }
  require('node:fs').writeFileSync('asked', words.join(' '))
  if (process.env.NPM_HANGS) process.stderr.write('', () => setInterval(() => undefined, 1000))
  if (process.env.NPM_ENDS) console.error('npm error code E500')
  process.exitCode = Number(process.env.NPM_ENDS ?? 0)`

const clean = 'ci --no-audit --no-fund --no-progress --no-update-notifier --no-engine-strict --loglevel=error'

const onOtherPlatforms = ['node_modules/native-there', 'node_modules/only-there']

function without(...paths: string[]): Record<string, Entry> {
  return Object.fromEntries(Object.entries(lock).filter(([path]) => path !== '' && !paths.includes(path)))
}

type Checkout = {
  install(packages: Record<string, Entry>): void
  run(
    environment?: Record<string, string>,
    ...part: string[]
  ): { status: number | null; output: string; asked: string | undefined }
  folder: string
}

function checkout(t: TestContext): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-install-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'scripts'))
  cpSync(join(import.meta.dirname, 'ensure-installed.mjs'), join(folder, 'scripts/ensure-installed.mjs'))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: lock }))
  const npm = join(folder, 'npm-cli.js')
  writeFileSync(npm, stubOfNpm)
  return {
    folder,
    install(packages) {
      for (const path of Object.keys(packages)) {
        mkdirSync(join(folder, path), { recursive: true })
        writeFileSync(join(folder, path, 'package.json'), '{}')
      }
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
    },
    run(environment = {}, ...part) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/ensure-installed.mjs'), ...part], {
        // From another folder: the script finds its own folder.
        cwd: dirname(folder),
        env: { npm_execpath: npm, ...environment },
        encoding: 'utf8',
      })
      const asked = join(folder, 'asked')
      return { status, output: stdout + stderr, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : undefined }
    },
  }
}

test('it does nothing and prints nothing when all packages for this platform are there', (t) => {
  const { install, run } = checkout(t)
  install(without(...onOtherPlatforms))
  assert.deepEqual(run(), { status: 0, output: '', asked: undefined })
})

test('a fresh checkout installs with npm ci: one sentence before it, one with its time after it', (t) => {
  const { status, output, asked } = checkout(t).run()
  assert.deepEqual([status, asked], [0, clean])
  assert.match(
    output,
    /^Installing the 5 packages of the service\. This usually takes less than a minute\.\nInstalled the packages of the service in \d+ s\.\n$/,
  )
})

test('an installation that was interrupted is named, and done again', (t) => {
  const { run, folder } = checkout(t)
  mkdirSync(join(folder, 'node_modules/web'), { recursive: true })
  assert.match(
    run().output,
    /^Installing the 5 packages of the service again, because an earlier installation was not finished\./,
  )
})

test('a signal ends the installation at once, with a sentence', async (t) => {
  const { folder } = checkout(t)
  const child = spawn(process.execPath, [join(folder, 'scripts/ensure-installed.mjs')], {
    env: { npm_execpath: join(folder, 'npm-cli.js'), NPM_HANGS: 'yes' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  await eventually('npm ci runs', () => existsSync(join(folder, 'asked')))
  child.kill('SIGINT')
  const [status] = (await once(child, 'close')) as [number]
  assert.equal(status, 1)
  assert.match(output, /The installation was interrupted \(SIGINT\)\. Start again: what was downloaded is used then\.\n$/)
})

test('without a network npm uses its cache, and where that is not enough one sentence says so', (t) => {
  const { run } = checkout(t)
  const { status, asked } = run({ OFFLINE: 'yes' })
  assert.deepEqual([status, asked], [0, `${clean} --offline`])
  const failed = run({ OFFLINE: 'yes', NPM_ENDS: '1' })
  assert.equal(failed.status, 1)
  assert.match(
    failed.output,
    /\nnpm cannot reach its registry \(EAI_AGAIN\), and its cache lacks some packages: connect to the network, then/,
  )
  assert.doesNotMatch(failed.output, /npm error/)
})

test(
  'where its cache cannot be written, npm gets another one, which is removed afterwards',
  { skip: process.platform !== 'linux' && 'needs /proc' },
  (t) => {
    const { run } = checkout(t)
    // Root cannot create a file there either.
    const { status, asked } = run({ npm_config_cache: '/proc/npm' })
    assert.equal(status, 0)
    const cache = /--cache (\S+)$/.exec(asked!)?.[1]
    assert.match(cache ?? '', /malipo-npm-/, asked)
    assert.ok(!existsSync(cache ?? ''))
  },
)

test('a folder with separate packages names its owner, and needs no Node of its own', (t) => {
  const { folder, run } = checkout(t)
  mkdirSync(join(folder, 'dashboard'))
  cpSync(join(folder, 'package-lock.json'), join(folder, 'dashboard/package-lock.json'))
  assert.match(run({}, 'dashboard').output, /^Installing the 5 packages of the dashboards\./)
  assert.ok(existsSync(join(folder, 'dashboard/asked')))
})

test('every difference is installed: another version, another content, a missing or an extra package, a removed folder', (t) => {
  const installed = without(...onOtherPlatforms)
  const differences: [string, Record<string, Entry>][] = [
    [
      'node_modules/web is another version',
      { ...installed, 'node_modules/web': { ...lock['node_modules/web'], version: '0.9.0' } },
    ],
    [
      'node_modules/web is another version',
      { ...installed, 'node_modules/web': { version: '1.0.0', integrity: 'sha512-other' } },
    ],
    ['node_modules/web/node_modules/parser is missing', without(...onOtherPlatforms, 'node_modules/web/node_modules/parser')],
    ['node_modules/native-here is missing', without(...onOtherPlatforms, 'node_modules/native-here')],
    ['node_modules/checker is missing', without(...onOtherPlatforms, 'node_modules/checker', 'node_modules/parser')],
    ['node_modules/old is not wanted any more', { ...installed, 'node_modules/old': { version: '1.0.0' } }],
  ]
  for (const [reason, packages] of differences) {
    const { install, run } = checkout(t)
    install(packages)
    const [line] = run().output.split('\n')
    assert.equal(
      line,
      `Installing the 5 packages of the service again, because ${reason}. This usually takes less than a minute.`,
    )
  }
  const { install, run, folder } = checkout(t)
  install(installed)
  rmSync(join(folder, 'node_modules/web'), { recursive: true })
  assert.match(run().output, /because node_modules\/web is missing/)
})

test('a production installation without development packages is complete', (t) => {
  const { install, run } = checkout(t)
  install(without(...onOtherPlatforms, 'node_modules/checker', 'node_modules/parser'))
  assert.equal(run({ npm_config_omit: 'dev' }).asked, undefined)
  assert.equal(run({ NODE_ENV: 'production' }).asked, undefined)
  assert.equal(run().asked, clean)
})

test('when npm fails, the start stops with its exit code and a sentence', (t) => {
  const { status, output } = checkout(t).run({ NPM_ENDS: '3' })
  assert.equal(status, 1)
  assert.match(output, /"npm ci" failed \(exit code 3\); its message is above\. Fix the problem, then start again\.\n$/)
})

test(
  'a packaged Node that does not run here is installed again, and then named in an error',
  { skip: process.platform === 'win32' },
  (t) => {
    const { install, run, folder } = checkout(t)
    install(without(...onOtherPlatforms))
    mkdirSync(join(folder, 'node_modules/.bin'))
    writeFileSync(join(folder, 'node_modules/.bin/node'), '#!/bin/sh\necho v22.1.0\n', { mode: 0o755 })
    const { status, output, asked } = run()
    assert.equal(asked, clean)
    assert.equal(status, 1)
    assert.match(
      output,
      /node_modules\/\.bin\/node is Node v22\.1\.0, and the service needs 24: the service cannot run on this machine\. README\.md names/,
    )
  },
)

test("every package of every folder allows the Node that the service brings along, by npm's own rule", (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-engines-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const root = join(import.meta.dirname, '..')
  // npm compares with the Node that runs it.
  const npm = process.env['npm_execpath'] ?? realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())
  for (const part of ['.', 'dashboard', 'examples/shop-node', 'test/browser', 'test/clients']) {
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(root, part, name), join(folder, name))
    const words = ['ci', '--dry-run', '--offline', '--engine-strict', '--ignore-scripts', '--no-audit', '--no-update-notifier']
    const { status, stderr } = spawnSync(process.execPath, [npm, ...words], { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, `${part}: ${stderr}`)
    assert.doesNotMatch(stderr, /EBADENGINE/, part)
  }
})

test('Node has one version on every platform where a package brings it, and it is the version of .nvmrc', () => {
  const root = join(import.meta.dirname, '..')
  const { optionalDependencies, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
    engines: { node: string }
  }
  const versions = new Set(
    Object.entries(optionalDependencies).flatMap(([name, version]) => (name.startsWith('node-') ? [version] : [])),
  )
  const major = readFileSync(join(root, '.nvmrc'), 'utf8').trim()
  assert.deepEqual(
    [...versions].map((version) => version.split('.')[0]),
    [major],
  )
  assert.equal(engines.node, `>=${major}`)
})
