/** The installation check in small separate checkouts, with a stub for npm that records its calls. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'

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

const onOtherPlatforms = ['node_modules/native-there', 'node_modules/only-there']

function without(...paths: string[]): Record<string, Entry> {
  return Object.fromEntries(Object.entries(lock).filter(([path]) => path !== '' && !paths.includes(path)))
}

type Checkout = {
  install(packages: Record<string, Entry>): void
  run(environment?: Record<string, string>): { status: number | null; output: string; asked: string | undefined }
  folder: string
}

function checkout(t: TestContext): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-install-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'scripts'))
  cpSync(join(import.meta.dirname, 'ensure-installed.mjs'), join(folder, 'scripts/ensure-installed.mjs'))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: lock }))
  const npm = join(folder, 'npm-cli.js')
  writeFileSync(
    npm,
    `require('node:fs').writeFileSync('asked', process.argv.slice(2).join(' ')); process.exitCode = Number(process.env.NPM_ENDS ?? 0)`,
  )
  return {
    folder,
    install(packages) {
      for (const path of Object.keys(packages)) {
        mkdirSync(join(folder, path), { recursive: true })
        writeFileSync(join(folder, path, 'package.json'), '{}')
      }
      writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
    },
    run(environment = {}) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts/ensure-installed.mjs')], {
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

test('a fresh checkout installs with npm ci and says so in one line', (t) => {
  assert.deepEqual(checkout(t).run(), {
    status: 0,
    output: 'Installing the packages of package-lock.json, because nothing is installed yet ...\n',
    asked: 'ci --no-audit --no-fund --loglevel=error',
  })
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
    assert.equal(run().output, `Installing the packages of package-lock.json, because ${reason} ...\n`)
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
  assert.equal(run().asked, 'ci --no-audit --no-fund --loglevel=error')
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
    assert.equal(asked, 'ci --no-audit --no-fund --loglevel=error')
    assert.equal(status, 1)
    assert.match(
      output,
      /Node v22\.1\.0 is too old, the service needs 24, and no package of it fits this machine: install Node 24/,
    )
  },
)
