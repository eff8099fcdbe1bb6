/** The rotation of every key: docs/operations/keys.md, with the service running. */
import assert from 'node:assert/strict'
import type { Operator } from '../operator.ts'
import type { Step } from '../steps.ts'
import { signInAsOperator } from './payment.ts'

const settings = ['SERVER_SECRET', 'JWT_SIGNING_KEYS', 'API_KEY_PEPPERS', 'ENVELOPE_KEYS', 'INTEGRITY_KEYS'] as const
const file = '/etc/malipo/malipo.env'

/** Writes settings over their former values, and restarts the processes one after the other. */
async function set({ machine, until, call }: Operator, values: ReadonlyMap<string, string>): Promise<void> {
  const lines = machine.read(file).split('\n')
  machine.write(file, lines.map((line) => values.get(line.split('=')[0]!) ?? line).join('\n'))
  for (const [unit, port] of [
    ['malipo-api', 3000],
    ['malipo-worker', 9465],
  ] as const) {
    await machine.run(`systemctl restart ${unit}`)
    await until(`${unit} is ready`, async () => (await call('GET', `http://127.0.0.1:${port}/readyz`)).status === 200)
  }
}

export const keySteps: Step[] = [
  {
    title: 'every key replaced, with the service running',
    async run(operator) {
      const { block, machine, call, facts } = operator
      const steps: Map<string, string>[] = [new Map(), new Map(), new Map()]
      for (const name of settings) {
        const shown =
          name === 'ENVELOPE_KEYS'
            ? await block('keys.md / Replace a key / 1')
            : await machine.run(`malipo-ops keys rotate ${name}`)
        const values = [...shown.matchAll(new RegExp(`^${name}=.+$`, 'gm'))].map(([line]) => line)
        assert.equal(values.length, 3, shown)
        for (const [at, value] of values.entries()) steps[at]!.set(name, value)
      }
      await set(operator, steps[0]!)
      await set(operator, steps[1]!)
      // The key in use moves to the new pepper.
      assert.equal((await call('GET', '/v1/balance', { key: facts.shop.key })).status, 200)
      await block('keys.md / Replace a key / 2')
      const status = await machine.run('malipo-ops keys status')
      assert.match(status, /ENVELOPE_KEYS\n.*in use.*\n(?: .*not needed any more\n)*INTEGRITY_KEYS/)
      // The third step waits: of a token for 16 minutes, of a session for 30 days, of a pepper until the last API key was used.
      const safe = new Map([...steps[2]!].filter(([name]) => name === 'ENVELOPE_KEYS' || name === 'INTEGRITY_KEYS'))
      await set(operator, safe)
      assert.equal((await call('GET', '/v1/balance', { key: facts.shop.key })).status, 200)
      assert.equal((await call('GET', '/v1/me', { token: facts.shop.token })).status, 200)
      await signInAsOperator(operator)
      assert.match(await machine.run('malipo-ops verify'), /Everything that must be true of the money is true/)
      return 'the third step for ENVELOPE_KEYS and INTEGRITY_KEYS; the others wait for minutes or days'
    },
  },
]
