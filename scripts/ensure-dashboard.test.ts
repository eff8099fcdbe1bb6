/** The build check in small separate checkouts, with a stub for the build that records its calls. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'

const vite = `
  const { mkdirSync, writeFileSync, appendFileSync } = require('node:fs')
  const out = process.argv[process.argv.indexOf('--outDir') + 1]
  appendFileSync('node_modules/asked', 'x')
  mkdirSync(out)
  writeFileSync(out + '/merchant.html', process.env.NODE_ENV)
  process.exitCode = Number(process.env.BUILD_ENDS ?? 0)`

type Checkout = {
  folder: string
  run(environment?: Record<string, string>): { status: number | null; output: string; builds: number }
}

function checkout(t: TestContext): Checkout {
  const root = mkdtempSync(join(tmpdir(), 'malipo-build-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  const folder = join(root, 'dashboard')
  for (const path of ['scripts', 'docs/guides', 'dashboard/src', 'dashboard/node_modules/vite/bin'])
    mkdirSync(join(root, path), { recursive: true })
  cpSync(join(import.meta.dirname, 'ensure-dashboard.mjs'), join(root, 'scripts/ensure-dashboard.mjs'))
  writeFileSync(join(root, 'scripts/ensure-installed.mjs'), 'process.exitCode = Number(process.env.INSTALL_ENDS ?? 0)')
  writeFileSync(join(folder, 'package.json'), '{}')
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(join(folder, 'src/main.tsx'), 'one')
  mkdirSync(join(root, 'docs/sw'), { recursive: true })
  for (const page of ['guides/webhooks.md', 'quick-start.md', 'sw/quick-start.md']) writeFileSync(join(root, 'docs', page), 'one')
  writeFileSync(join(folder, 'node_modules/vite/bin/vite.js'), vite)
  return {
    folder,
    run(environment = {}) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/ensure-dashboard.mjs')], {
        // From another folder: the script finds its own folder.
        cwd: dirname(root),
        env: environment,
        encoding: 'utf8',
      })
      const asked = join(folder, 'node_modules/asked')
      return { status, output: stdout + stderr, builds: existsSync(asked) ? readFileSync(asked, 'utf8').length : 0 }
    },
  }
}

test('it builds once, and again when a source or a package has changed, and ignores other files', (t) => {
  const { folder, run } = checkout(t)
  const first = run({ NODE_ENV: 'test' })
  assert.deepEqual([first.status, first.builds], [0, 1])
  assert.match(first.output, /^Building the dashboards\. This usually takes ten seconds\.\nBuilt the dashboards in \d+ s\.\n$/)
  assert.equal(readFileSync(join(folder, 'dist/merchant.html'), 'utf8'), 'production')
  assert.deepEqual(run(), { status: 0, output: '', builds: 1 })
  writeFileSync(join(folder, 'README.md'), 'words')
  writeFileSync(join(folder, '.editor'), 'rubbish')
  assert.equal(run().builds, 1)
  for (const [builds, path, text] of [
    [2, 'src/main.tsx', 'two'],
    [3, 'package-lock.json', '{"other":1}'],
    [4, 'src/more.ts', 'new'],
    [5, '../docs/guides/webhooks.md', 'two'],
    [6, '../docs/sw/quick-start.md', 'two'],
  ] as const) {
    writeFileSync(join(folder, path), text)
    const { builds: made, output } = run()
    assert.equal(made, builds, path)
    assert.match(output, /^Building the dashboards, because their sources have changed\./)
    assert.equal(run().builds, builds, path)
  }
  rmSync(join(folder, 'dist/.stamp'))
  assert.equal(run().builds, 7)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('.dist')),
    [],
  )
})

test('a failed build says what to do, keeps the existing build, and is tried again', (t) => {
  const { folder, run } = checkout(t)
  run()
  writeFileSync(join(folder, 'src/main.tsx'), 'broken')
  const failed = run({ BUILD_ENDS: '1' })
  assert.equal(failed.status, 1)
  assert.match(failed.output, /could not be built \(exit code 1\).*correct it.*delete dashboard\/node_modules.*start again/s)
  assert.ok(existsSync(join(folder, 'dist/merchant.html')))
  assert.equal(run().status, 0)
  writeFileSync(join(folder, 'src/main.tsx'), 'again')
  const uninstalled = run({ INSTALL_ENDS: '1' })
  assert.equal(uninstalled.status, 1)
  // The installation has said why.
  assert.equal(uninstalled.output, '')
})

test('a release that contains only the build needs none', (t) => {
  const { folder, run } = checkout(t)
  run()
  for (const name of ['src', 'package.json', 'package-lock.json']) rmSync(join(folder, name), { recursive: true })
  assert.deepEqual(run(), { status: 0, output: '', builds: 1 })
})
