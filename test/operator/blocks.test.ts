/** Every command block of the operations pages is run by `npm run test:operator`, or has a reason why not. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { plans } from './blocks.ts'
import { commandBlocks } from './pages.ts'

const blocks = commandBlocks(join(import.meta.dirname, '../..'))

test('every command block of the operations pages has a plan, and every plan a block', () => {
  const names = blocks.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  assert.deepEqual(Object.keys(plans).toSorted(), names.toSorted())
})

test('what the operator replaces stands in the block', () => {
  for (const { name, text } of blocks) {
    const plan = plans[name]!
    if ('skipped' in plan) continue
    for (const example of Object.keys(plan.replace ?? {})) assert.ok(text.includes(example), `${name}: ${example}`)
  }
})
