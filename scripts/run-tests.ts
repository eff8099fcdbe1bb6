/**
 * `npm test`: the checks, then every test on one embedded database server. `--only <text>` takes the test files whose path contains it,
 * `--browser` those that drive a browser, `--checks` none.
 */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const valueOf = (flag: string): string | undefined => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined)

function run(title: string, command: string, args: string[]): void {
  const startedAt = performance.now()
  process.stdout.write(`# ${title}\n`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } })
  if (status !== 0) {
    process.stdout.write(`# ${title}: failed\n`)
    process.exit(status ?? 1)
  }
  process.stdout.write(`# ${title}: passed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`)
}

const only = valueOf('--only')
if (only === undefined && !words.includes('--browser')) {
  run('types', 'tsc', ['-p', '.'])
  run('style', 'oxlint', ['--type-aware', '--deny-warnings'])
  run('format', 'oxfmt', ['--check', '.'])
  run('dead code', 'knip', [])
}
if (words.includes('--checks')) process.exit(0)

// The browser has packages of its own, which only these tests install.
const isBrowser = words.includes('--browser')
const files = globSync(
  isBrowser
    ? ['test/browser/*.test.ts']
    : [
        'server/**/*.test.ts',
        'simulator/**/*.test.ts',
        'scripts/**/*.test.ts',
        'test/*.test.ts',
        'test/faults/*.test.ts',
        'test/browser/*.test.ts',
      ],
  { cwd: root },
)
  .filter((file) => only === undefined || file.includes(only))
  .sort()
if (files.length === 0) {
  process.stdout.write(`No test file contains ${JSON.stringify(only)}.\n`)
  process.exit(1)
}
if (files.some((file) => file.startsWith('test/browser/')))
  run('browser', 'node', ['scripts/ensure-installed.mjs', 'test/browser'])
run('tests', 'node', [
  '--test',
  '--test-reporter=spec',
  '--test-concurrency=2',
  '--test-timeout=300000',
  '--test-global-setup=test/global-setup.ts',
  ...files,
])
