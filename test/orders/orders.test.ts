/** A sample of the orders of every pair; `npm run orders` plays all of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share } from '../app.ts'
import { explore } from './explore.ts'
import { pairs } from './pairs.ts'
import { startWorld } from './world.ts'

const world = share((ending) => startWorld(ending))
/** Each run draws other orders. What it finds is an order, which can be played again without the seed. */
const seed = String(Date.now())
const perPairMs = 700

for (const pair of pairs) {
  test(`${pair.name}: every order does what a serial one does`, async () => {
    const { found, orders, of, seconds } = await explore(await world(), pair, seed, performance.now() + perPairMs)
    process.stdout.write(`# ${pair.name}: ${orders} of ${of} orders, ${(orders / seconds).toFixed(0)} a second\n`)
    assert.deepEqual(
      found.map(({ order, says }) => `npm run orders -- --pair ${pair.name} --order ${order}\n${says}`),
      [],
    )
  })
}
