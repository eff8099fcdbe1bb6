/**
 * `npm run model -- --runs 20 [--seed 1] [--seconds 20]`: the model test of test/faults/model.test.ts for one seed after the other, which
 * it prints; `--seed` with `--runs 1` repeats one of them.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string' },
  },
})

const { status } = spawnSync(
  'node',
  [
    '--test',
    '--test-reporter=spec',
    '--test-timeout=300000',
    '--test-global-setup=test/global-setup.ts',
    'test/faults/model.test.ts',
  ],
  {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'inherit',
    env: {
      ...process.env,
      NODE_ENV: 'test',
      MODEL_RUNS: values.runs,
      MODEL_SECONDS: values.seconds,
      ...(values.seed !== undefined && { MODEL_SEED: values.seed }),
    },
  },
)
process.exit(status ?? 1)
