/**
 * `npm run storm -- --runs 20 --payments 2000 --payouts 500 --least 20 [--seed 1] [--kills]`: the storm of test/faults/storm.test.ts at length.
 * It prints each seed, how often every fault fired and which breaks are left, and fails when a fault fired fewer than `--least` times.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    payments: { type: 'string', default: '2000' },
    payouts: { type: 'string', default: '500' },
    least: { type: 'string', default: '20' },
    seed: { type: 'string' },
    kills: { type: 'boolean', default: false },
  },
})

const { status } = spawnSync(
  'node',
  [
    '--test',
    '--test-reporter=spec',
    '--test-timeout=900000',
    '--test-global-setup=test/global-setup.ts',
    'test/faults/storm.test.ts',
  ],
  {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'inherit',
    env: {
      ...process.env,
      STORM_RUNS: values.runs,
      STORM_PAYMENTS: values.payments,
      STORM_PAYOUTS: values.payouts,
      STORM_LEAST: values.least,
      STORM_KILLS: String(values.kills),
      ...(values.seed !== undefined && { STORM_SEED: values.seed }),
    },
  },
)
process.exit(status ?? 1)
