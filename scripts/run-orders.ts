/** `npm run orders -- [--pair settle-cancel [--order 1x3,2x1]] [--seconds 60]`: all orders of all pairs, of one, or one order again; at most so long for each pair (test/orders/README.md). */
import { explore, replay } from '../test/orders/explore.ts'
import { pairs } from '../test/orders/pairs.ts'
import { startWorld } from '../test/orders/world.ts'
import { globalSetup, globalTeardown } from '../test/global-setup.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions({ options: { pair: { type: 'string' }, order: { type: 'string' }, seconds: { type: 'string' } } })
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const chosen = pairs.filter(({ name }) => values.pair === undefined || name === values.pair)
const ends: (() => unknown)[] = []
let wrong = chosen.length === 0 ? 1 : 0

await globalSetup()
try {
  const world = await startWorld({ after: (end) => void ends.push(end) })
  for (const pair of chosen) {
    if (values.order !== undefined) {
      const { found, trace } = await replay(world, pair, values.order)
      print([...trace, found ? `wrong: ${found.says}` : 'right'].join('\n'))
      wrong += found ? 1 : 0
      continue
    }
    const until = values.seconds === undefined ? Infinity : performance.now() + Number(values.seconds) * 1000
    const { orders, of, seconds, found } = await explore(world, pair, String(Date.now()), until)
    print(
      `${pair.name}: ${orders} of ${of} orders in ${seconds.toFixed(0)} s, ${(orders / seconds).toFixed(0)} a second, ${found.length} wrong`,
    )
    for (const { order, says } of found) print(`npm run orders -- --pair ${pair.name} --order ${order}\n  ${says}`)
    wrong += found.length
  }
} finally {
  // The end of the world checks every promise about its money.
  for (const end of ends) await end()
  await globalTeardown()
}
process.exit(wrong > 0 ? 1 : 0)
