/**
 * `npm run year -- [--days 400] [--seed N] [--start 2027-12-30]`: the whole service lives that many days in minutes (test/year/README.md).
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { liveYear } from '../test/year/run.ts'

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '400' },
    seed: { type: 'string', default: String(randomInt(1, 2 ** 31)) },
    start: { type: 'string', default: '2027-12-30' },
  },
})

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const [days, seed, start] = [Number(values.days), Number(values.seed), new Date(`${values.start}T00:00:00Z`)]
print(`npm run year -- --days ${days} --seed ${seed} --start ${values.start}`)
const wrong = await liveYear({ days, seed, start, print })
process.exit(wrong.length > 0 ? 1 : 0)
