/** A person who asks for a copy of the data, and then for its erasure: docs/operations/personal-data.md. */
import assert from 'node:assert/strict'
import type { Step } from '../steps.ts'

export const personSteps: Step[] = [
  {
    title: 'a copy of the data of a merchant and of a payer',
    async run({ block, machine }) {
      await block('personal-data.md / A copy of the data / 1')
      assert.equal(await machine.run('stat -c %a:%U /var/lib/malipo/asha.json'), '600:malipo\n')
      assert.match(machine.read('/var/lib/malipo/asha.json'), /Neema Joseph/)
      assert.match(machine.read('/var/lib/malipo/payer.json'), /Juma/)
    },
  },
  {
    title: 'both are erased, and the books stay right',
    async run({ block, machine, call, facts }) {
      assert.match(await block('personal-data.md / An erasure / 1'), /keep-held-records/)
      await block('personal-data.md / An erasure / 2')
      await block('personal-data.md / An erasure / 3')
      const { email, password } = facts.shop
      assert.equal((await call('POST', '/v1/auth/login', { body: { identifier: email, password } })).status, 401)
      assert.match(await machine.run('malipo-ops verify'), /Everything that must be true of the money is true/)
      await block('personal-data.md / Retention / 1')
    },
  },
]
