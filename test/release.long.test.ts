/** `npm version` and `npm run release` in a copy of the repository: one number everywhere, notes, packages and hashes. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'

const root = join(import.meta.dirname, '..')

function copyOfRepository(t: TestContext) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'malipo-release-test-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const copy = join(folder, 'malipo')
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of tracked.split('\0').filter(Boolean)) cpSync(join(root, file), join(copy, file))
  cpSync(join(root, 'dashboard/dist'), join(copy, 'dashboard/dist'), { recursive: true })
  for (const modules of ['node_modules', 'dashboard/node_modules']) {
    if (existsSync(join(root, modules))) symlinkSync(join(root, modules), join(copy, modules))
  }
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Asha',
    GIT_AUTHOR_EMAIL: 'asha@example.com',
    GIT_COMMITTER_NAME: 'Asha',
    GIT_COMMITTER_EMAIL: 'asha@example.com',
    npm_config_yes: 'true',
  }
  const run = (command: string, ...args: string[]): string => execFileSync(command, args, { cwd: copy, env, encoding: 'utf8' })
  const tries = (...args: string[]) => spawnSync('npm', args, { cwd: copy, env, encoding: 'utf8' })
  run('git', 'init', '-q')
  // A link to the packages is not a folder for the ignore rule.
  writeFileSync(join(copy, '.git/info/exclude'), 'node_modules\n')
  run('git', 'add', '--all')
  run('git', 'commit', '-q', '-m', 'Begin')
  return { folder, copy, run, tries, read: (file: string): string => readFileSync(join(copy, file), 'utf8') }
}

test('a version has one number, its notes and a tag; its release can be checked, unpacked and is the same when built again', (t) => {
  const { folder, run, tries, read } = copyOfRepository(t)
  const early = tries('run', '-s', 'release')
  assert.deepEqual(
    [early.status, early.stderr],
    [1, 'This commit is not v0.1.0: make a version with npm version patch, minor or major.\n'],
  )

  run('npm', 'version', '7.8.9', '--silent')
  assert.equal(run('git', 'tag').trim(), 'v7.8.9')
  assert.equal(run('git', 'status', '--porcelain'), '')
  for (const file of ['package.json', 'sdk/package.json', 'cli/package.json', 'dashboard/package.json']) {
    assert.equal(JSON.parse(read(file)).version, '7.8.9', file)
  }
  for (const file of ['package-lock.json', 'dashboard/package-lock.json']) {
    assert.deepEqual([JSON.parse(read(file)).version, JSON.parse(read(file)).packages[''].version], ['7.8.9', '7.8.9'], file)
  }
  assert.equal(JSON.parse(read('cli/package.json')).dependencies['@malipo/sdk'], '7.8.9')
  assert.match(read('CHANGELOG.md'), /^## Unreleased\n\n## 7\.8\.9, \d{4}-\d\d-\d\d\n\nThe first release/m)

  const again = tries('version', '7.9.0', '--silent')
  assert.notEqual(again.status, 0)
  assert.match(again.stderr, /CHANGELOG\.md has nothing under "Unreleased"/)
  run('git', 'checkout', '-q', '--', '.')

  const built = join(folder, 'built')
  run('npm', 'run', '-s', 'release', '--', built)
  const files = execFileSync('sh', ['-c', 'sha256sum --check SHA256SUMS'], { cwd: built, encoding: 'utf8' })
  const expected = [
    'NOTES.md',
    'dashboards.cdx.json',
    'malipo-7.8.9.tar.gz',
    'malipo-cli-7.8.9.tgz',
    'malipo-sdk-7.8.9.tgz',
    'service.cdx.json',
  ]
  assert.deepEqual(
    files.trim().split('\n'),
    expected.map((file) => `${file}: OK`),
  )
  const notes = readFileSync(join(built, 'NOTES.md'), 'utf8')
  assert.match(notes, /^The first release/)
  assert.doesNotMatch(notes, /^## /m)

  const listed = execFileSync('tar', ['-tf', 'malipo-7.8.9.tar.gz'], { cwd: built, encoding: 'utf8' }).split('\n')
  for (const file of ['server/start/main.ts', 'ops/systemd/malipo-api.service', 'dashboard/dist/merchant.html', 'CHANGELOG.md'])
    assert.ok(listed.includes(`malipo-7.8.9/${file}`), file)
  assert.ok(!listed.some((file) => file.includes('node_modules') || dirname(file).endsWith('/.git')))

  const second = join(folder, 'second')
  run('npm', 'run', '-s', 'release', '--', second)
  const sumOf = (at: string): string => /(\S+) {2}malipo-7\.8\.9\.tar\.gz/.exec(readFileSync(join(at, 'SHA256SUMS'), 'utf8'))![1]!
  assert.equal(sumOf(second), sumOf(built))
  assert.match(tries('run', '-s', 'release', '--', built).stderr, /is not empty/)
})
