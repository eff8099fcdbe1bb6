/**
 * `npm run game-day -- [--minutes 10]`: the service under load loses its provider (for so many minutes), then its database, its worker, its
 * disk and one merchant's endpoint (for a fifth of that each); it prints what the metrics, the alerts and the operators' overview showed.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })

const { status } = spawnSync(
  'node',
  ['--test', '--test-reporter=spec', '--test-global-setup=test/global-setup.ts', 'test/faults/game-day.test.ts'],
  { cwd: join(import.meta.dirname, '..'), stdio: 'inherit', env: { ...process.env, GAME_DAY_MINUTES: values.minutes } },
)
process.exit(status ?? 1)
