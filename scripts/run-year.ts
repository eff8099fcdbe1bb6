/**
 * `npm run year -- [--days 400] [--seed N] [--start 2027-12-30] [--faults trouble,late,…] [--restores 12-13,20-23]`: simulates
 * that many days of the whole service in minutes (test/year/README.md). A restore `12-13` goes back, on day 13, to a moment of
 * day 12.
 */
import { randomInt } from 'node:crypto'
import { drawPlan, faultKinds, type FaultKind } from '../test/year/plan.ts'
import { liveYear } from '../test/year/run.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions({
  options: {
    days: { type: 'string', default: '400' },
    seed: { type: 'string', default: String(randomInt(1, 2 ** 31)) },
    start: { type: 'string', default: '2027-12-30' },
    faults: { type: 'string', default: faultKinds.join() },
    restores: { type: 'string' },
  },
})

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const faults = new Set(values.faults.split(',').filter((name): name is FaultKind => faultKinds.includes(name as FaultKind)))
const restores = values.restores?.split(',').map((pair) => {
  const [from, at] = pair.split('-').map(Number) as [number, number]
  return { from, at }
})
const plan = drawPlan({
  days: Number(values.days),
  seed: Number(values.seed),
  start: new Date(`${values.start}T00:00:00Z`),
  faults,
  restores,
})
const pairs = plan.restores.map(({ from, at }) => `${from}-${at}`).join()
print(
  `npm run year -- --days ${plan.days} --seed ${plan.seed} --start ${values.start} --faults ${[...faults].join()}${pairs && ` --restores ${pairs}`}`,
)
for (const [day, victim] of [...plan.crashes].toSorted(([one], [other]) => one - other))
  print(`crash of the ${victim} on day ${day}`)
const wrong = await liveYear(plan, print)
process.exit(wrong.length > 0 ? 1 : 0)
