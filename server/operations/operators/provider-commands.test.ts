/** `providers check` against the simulator, with right and wrong keys, and `provider movement`. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSimulator } from '../../../simulator/start.ts'
import { freePorts, simulatorConfig, startTestApp, testSettings } from '../../../test/app.ts'
import { loadConfig } from '../../config/config.ts'
import { openProviders } from '../../start/dependencies.ts'
import { CommandError, UsageError } from '../../platform/process/commands.ts'
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
  await providerCommands['providers check']!.run(
    { open: () => assert.fail('no database is read'), providers: async () => providers, print: (line) => lines.push(line) },
    [],
  )
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

test('provider movement records money once, compares the balance, and refuses what it cannot mean', async (t) => {
  const app = await startTestApp(t)
  const lines: string[] = []
  const record = (...words: string[]) =>
    providerCommands['provider movement']!.run(
      {
        open: async () => ({ config: app.config, db: app.db }),
        providers: async () => app.deps.providers,
        print: (line) => lines.push(line),
      },
      words,
    )
  await record('live', 'clickpesa', 'opening', '0', 'start', 'Nothing lay there.')
  await record('live', 'snippe', 'withdrawal', '80000', 'FT 1', 'Settled to CRDB')
  await record('live', 'snippe', 'withdrawal', '80000', 'FT 1', 'Settled to CRDB')
  await record('live', 'snippe', 'withdrawal', '80000', ' FT\u00a01\u00a0', 'Settled to CRDB')
  await record('live', 'snippe', 'correction', '--', '-1200', 'FEES', 'Monthly fee')
  assert.deepEqual(
    lines.map((line) => line.split('.')[0]),
    [
      '0 TZS (opening) are recorded for live clickpesa',
      '-80000 TZS (withdrawal) are recorded for live snippe',
      '-80000 TZS (withdrawal) are recorded for live snippe',
      '-80000 TZS (withdrawal) are recorded for live snippe',
      '-1200 TZS (correction) are recorded for live snippe',
    ],
  )
  await assert.rejects(record('live', 'snippe', 'withdrawal', '90000', 'FT 1', 'Another'), /Another movement has this reference/)
  await assert.rejects(record('live', 'clickpesa', 'opening', '7', 'again', 'Again'), /already recorded/)
  await assert.rejects(record('live', 'snippe', 'top_up', '--', '-5', 'FT2', 'Below zero'), /above 0/)
  await assert.rejects(record('live', 'snippe', 'top_up', '5', 'x'.repeat(101), 'Too long'), /reference: At most 100 characters/)
  await assert.rejects(record('live', 'mpesa', 'top_up', '5', 'FT2', 'No such provider'), CommandError)
  for (const wrong of [
    ['prod', 'snippe', 'top_up', '5'],
    ['live', 'snippe', 'gift', '5'],
    ['live', 'snippe', 'top_up', '5.5'],
    ['live', 'snippe', 'top_up', ''],
  ])
    await assert.rejects(record(...wrong, 'FT3', 'Wrong'), UsageError, wrong.join(' '))
  const { rows: kept } = await app.owner.pool.query('select amount, recorded_by from provider_movements order by amount')
  assert.deepEqual(
    kept.map(({ amount, recorded_by: by }) => [Number(amount), by]),
    [-80_000, -1_200, 0].map((amount) => [amount, 'ops']),
  )
  const { rows: runs } = await app.owner.pool.query(
    `select provider, requested_by from reconciliation_runs where kind = 'balance' group by 1, 2 order by 1`,
  )
  assert.deepEqual(
    runs.map(({ provider }) => provider),
    ['clickpesa', 'snippe'],
  )
})
