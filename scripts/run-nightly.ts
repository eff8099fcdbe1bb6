/**
 * `npm run nightly [-- --only <text>]`: what takes too long for each change, or needs what a bare machine lacks. All parts run (with
 * `--only` those whose command contains the text), and a table at the end says which failed.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { readOptions } from './read-options.ts'

/** The parts, each with the reason why it is not in `.ci/run`. */
const parts: { command: string; why: string }[] = [
  { command: 'npm run test:browser', why: '35 minutes; `.ci/run` has the first look at each face and a sample' },
  {
    command: 'npm run test:long',
    why: '25 minutes; `.ci/run` has three minutes of them, drawn by the commit',
  },
  {
    command: 'npm run test:faults',
    why: '20 minutes; `.ci/run` has those about lost and doubled money, and draws of the others',
  },
  { command: 'npm run mutants -- --jobs 2', why: 'hours; `.ci/run` has a sample' },
  { command: 'npm run game-day -- --minutes 10', why: 'a real quarter of an hour of faults' },
  { command: 'npm run year -- --days 400', why: '20 minutes; `.ci/run` has 60 days' },
  { command: 'npm run orders', why: 'every order of each pair; `.ci/run` plays each pair for six seconds' },
  { command: 'npm run model -- --runs 20', why: '10 minutes; `.ci/run` has one run' },
  { command: 'npm run test:only -- kills', why: 'a hundred kills of the senders of a batch; `.ci/run` has thirty' },
  { command: 'npm run test:only -- dispatchers', why: 'a hundred kills of senders of webhooks; `.ci/run` has thirty' },
  { command: 'npm run test:fuzz -- --requests 500', why: '20 minutes; `.ci/run` has 15 requests of each kind' },
  { command: 'npm run test:clients', why: 'needs Python, Java and PHP' },
  { command: 'npm run test:only -- test/release', why: 'two minutes of packing that few changes touch' },
  { command: 'npm run test:only -- test/bench', why: 'five minutes alone, of files that few changes touch' },
  { command: 'npm run test:only -- test/browser/till-day', why: 'a day at the till in a browser' },
  { command: 'npm run test:image', why: 'needs podman or buildah' },
  { command: 'npm run test:operator', why: 'needs root on a Debian with PostgreSQL' },
  {
    command: 'npm run test:cluster -- --to 10',
    why: 'needs root on a Debian with Patroni, etcd and HAProxy; says which is missing',
  },
  {
    command: 'npm run test:cells',
    why: 'measures a killed cell; `.ci/run` has the work of two cells, where HAProxy is installed',
  },
  { command: 'npm run bench', why: 'needs a quiet machine' },
]

const { values: options } = readOptions({ options: { only: { type: 'string', default: '' } } })

const results = parts
  .filter(({ command }) => command.includes(options.only))
  .map(({ command, why }) => {
    process.stdout.write(`\n## ${command}\n## not in .ci/run: ${why}\n`)
    const startedAt = performance.now()
    const { status } = spawnSync(command, { cwd: join(import.meta.dirname, '..'), stdio: 'inherit', shell: true })
    return { command, isPassed: status === 0, seconds: (performance.now() - startedAt) / 1000 }
  })

process.stdout.write('\n')
for (const { command, isPassed, seconds } of results)
  process.stdout.write(`${isPassed ? '✔' : '✖'} ${command.padEnd(44)} ${seconds.toFixed(0).padStart(6)} s\n`)
process.exit(results.length > 0 && results.every(({ isPassed }) => isPassed) ? 0 : 1)
