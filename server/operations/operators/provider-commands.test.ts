/** `providers check` against the simulator, with right and wrong keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSimulator } from '../../../simulator/start.ts'
import { freePorts, simulatorConfig, testSettings } from '../../../test/app.ts'
import { loadConfig } from '../../config/config.ts'
import { openProviders } from '../../start/dependencies.ts'
import { providerCommands } from './provider-commands.ts'

test('providers check says which provider answers, which one refuses our keys, and starts nothing', async (t) => {
  const [port, nothing] = await freePorts(2)
  const url = `http://127.0.0.1:${port}`
  const settings = testSettings('postgresql://malipo@localhost/malipo', { api: 3000, checkout: 3001, storage: 3002 }, url)
  const simulator = await startSimulator(simulatorConfig(settings, { port: port! }))
  t.after(() => simulator.close())
  const wrong = {
    SNIPPE_LIVE_API_KEY: 'snp_of_someone_else',
    CLICKPESA_LIVE_API_KEY: 'of-someone-else',
    CLICKPESA_TEST_BASE_URL: `http://127.0.0.1:${nothing}`,
  }
  const providers = openProviders(loadConfig({ ...settings, ...wrong }, {}))
  t.after(() => Object.values(providers).forEach(({ byName }) => byName.forEach((provider) => void provider.close())))
  const lines: string[] = []
  await providerCommands['providers check']!.run({ providers: async () => providers, print: (line) => lines.push(line) }, [])
  assert.equal(process.exitCode, 1)
  process.exitCode = undefined
  const found = lines.map((line) => line.replaceAll(/ \(.*?\)/g, '').trim())
  const refuses = 'refuses our keys or the address of this machine'
  assert.deepEqual(found, [
    `live snippe charges: ${refuses}`,
    `live snippe payouts: ${refuses}`,
    `live clickpesa charges: ${refuses}`,
    `live clickpesa payouts: ${refuses}`,
    'test snippe charges: answers',
    'test snippe payouts: answers',
    'test clickpesa charges: gives no usable answer',
    'test clickpesa payouts: gives no usable answer',
  ])
  assert.match(lines[0]!, /\(unauthorized\)$/)
  assert.match(lines[2]!, /\(not in use for new ones\)$/)
  const { charges, payouts } = (await (await fetch(`${url}/__truth`)).json()) as { charges: unknown[]; payouts: unknown[] }
  assert.deepEqual([charges, payouts], [[], []])
})
