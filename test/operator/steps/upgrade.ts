/** An upgrade across a migration and the way back, while payers pay: docs/operations/upgrades.md. */
import assert from 'node:assert/strict'
import { migrations } from '../../faults/next-version.ts'
import { startLoad } from '../load.ts'
import type { Operator } from '../operator.ts'
import type { Step } from '../steps.ts'

/** Runs the blocks while payers pay; afterwards every payment has been completed and credited, once. */
async function underLoad(operator: Operator, names: string[]): Promise<string> {
  const { block, call, facts, until } = operator
  const balance = async (): Promise<number> => (await call('GET', '/v1/balance', { key: facts.shop.key })).body.data.total
  const before = await balance()
  const load = startLoad(operator)
  for (const name of names) await block(name)
  await until('the API is ready', async () => (await call('GET', '/readyz')).status === 200)
  const { references, repeats } = await load.end()
  await until('every payment is credited', async () => (await balance()) === before + references.length * 2500, 120_000)
  assert.equal(new Set(references).size, references.length)
  return `${references.length} payments meanwhile, ${repeats} requests repeated, each payment credited once`
}

export const upgradeSteps: Step[] = [
  {
    title: 'an upgrade across a migration, while payers pay',
    async run(operator) {
      const { machine } = operator
      machine.write('/root/malipo/migrations/9000-channel.sql', migrations.expand)
      const remark = await underLoad(
        operator,
        [1, 2].map((number) => `upgrades.md / Upgrading without downtime / ${number}`),
      )
      assert.ok(machine.exists('/opt/malipo/migrations/9000-channel.sql'))
      return remark
    },
  },
  {
    title: 'back to the old version on the new schema, while payers pay',
    async run(operator) {
      const remark = await underLoad(operator, ['upgrades.md / Going back / 1'])
      assert.ok(!operator.machine.exists('/opt/malipo/migrations/9000-channel.sql'))
      return remark
    },
  },
]
