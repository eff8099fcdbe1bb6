import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { readConfig } from './config.ts'
import { startSimulator } from './start.ts'
import { clientOf, orderFor, startReceiver, testConfig, until } from './test-simulator.ts'
import type { Client } from './test-simulator.ts'

const program = join(import.meta.dirname, 'main.ts')

async function dataDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'simulator-'))
  t.after(async () => await rm(dir, { recursive: true, force: true }))
  return dir
}

const environment = (dir: string, more: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  SIMULATOR_PORT: '0',
  SIMULATOR_DATA_DIR: dir,
  SIMULATOR_ALLOW_HTTP_WEBHOOKS: 'true',
  SIMULATOR_DELAY_MS: '20',
  ...more,
})

/** The program as a child with an IPC channel, once it has reported that it is ready. */
async function startProgram(t: TestContext, env: Record<string, string>): Promise<{ child: ChildProcess; client: Client }> {
  const child = fork(program, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  t.after(() => child.kill('SIGKILL'))
  const [message] = (await once(child, 'message')) as [{ ready: boolean; port: number }]
  assert.equal(message.ready, true)
  return { child, client: clientOf(`http://127.0.0.1:${message.port}`, testConfig()) }
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

test('the books survive kill -9: charges, balances, keys and future tasks', async (t) => {
  const dir = await dataDir(t)
  const receiver = await startReceiver(t)
  const first = await startProgram(t, environment(dir))
  const headers = { 'idempotency-key': 'one-key' }
  const paid = await first.client.create(orderFor(receiver.url, { phone_number: '255712345789' }), headers)
  await first.client.chargeWhen(paid.reference, 'the delivery', (charge) => charge.webhooks[0]?.state === 'delivered')
  await first.client.control('POST', '/hold', { webhooks: true })
  const undelivered = await first.client.create(orderFor(receiver.url, { phone_number: '255712345789' }))
  await first.client.chargeWhen(undelivered.reference, 'the success', (charge) => charge.status === 'completed')
  await first.client.control('PATCH', '/switches', { delayMs: 200 })
  const unplayed = await first.client.create(orderFor(receiver.url, { phone_number: '255712345049' }))
  const before = await first.client.truth()
  await kill(first.child, 'SIGKILL')

  const { client } = await startProgram(t, environment(dir))
  const after = await client.truth(`?reference=${paid.reference}`)
  assert.deepEqual(after.charges, before.charges.slice(0, 1))
  assert.deepEqual(after.accounts, before.accounts)
  const replay = await client.create(orderFor(receiver.url, { phone_number: '255712345789' }), headers)
  assert.equal(replay.answer.text, paid.answer.text)
  await client.chargeWhen(undelivered.reference, 'the held delivery', (charge) => charge.webhooks[0]?.state === 'delivered')
  await client.chargeWhen(unplayed.reference, 'the step', (charge) => charge.webhooks[0]?.state === 'delivered')
  assert.equal(receiver.received.length, 3)
  const fresh = await client.create(orderFor(receiver.url))
  assert.ok(![paid.reference, undelivered.reference, unplayed.reference].includes(fresh.reference))
})

test('an orderly stop leaves a retry for the next start', async (t) => {
  const config = testConfig({ dataDir: await dataDir(t), webhookDelaysMs: [0, 100] })
  const receiver = await startReceiver(t)
  receiver.answerWith(() => 500)
  const first = await startSimulator(config)
  const { reference } = await clientOf(first.url, config).create(orderFor(receiver.url, { phone_number: '255712345789' }))
  await until('the first attempt', () => receiver.received.length === 1)
  await first.close()
  receiver.answerWith(() => 200)
  const second = await startSimulator(config)
  t.after(() => second.close())
  const client = clientOf(second.url, config)
  const charge = await client.chargeWhen(reference, 'the delivery', (now) => now.webhooks[0]?.state === 'delivered')
  assert.equal(charge.webhooks[0]?.attempts.at(-1)?.status, 200)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends the program within two seconds although an answer is held`, async (t) => {
    const { child, client } = await startProgram(t, environment(await dataDir(t)))
    await client.control('POST', '/hold')
    const held = client.create(orderFor('https://example.com/hook')).catch(() => 'cut')
    await until('the create at the gate', async () => (await client.control('GET', '/holds')).text.includes('"waiting":1'))
    const startedAt = Date.now()
    await kill(child, signal)
    assert.ok(Date.now() - startedAt < 2_000)
    assert.equal(child.exitCode, 0)
    await held
  })
}

test('the program ends when its parent is gone', async (t) => {
  const { child } = await startProgram(t, environment(await dataDir(t)))
  const exited = once(child, 'exit')
  const startedAt = Date.now()
  child.disconnect()
  await exited
  assert.ok(Date.now() - startedAt < 2_000)
})

async function failure(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await once(child, 'close')
  return { code: child.exitCode, output }
}

test('a taken port is an error that names it', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const { code, output } = await failure(environment(await dataDir(t), { SIMULATOR_PORT: String(address.port) }))
  assert.equal(code, 1)
  assert.match(output, new RegExp(`Port ${address.port} is in use by another program\\. .*SIMULATOR_PORT`))
})

test('a second simulator on the same books is refused', async (t) => {
  const dir = await dataDir(t)
  await startProgram(t, environment(dir))
  const { code, output } = await failure(environment(dir))
  assert.equal(code, 1)
  assert.match(output, /is another simulator running on this folder/)
})

test('a bad environment is refused by the name of its key', () => {
  assert.throws(() => readConfig({ SIMULATOR_PORT: 'many' }), /SIMULATOR_PORT/)
  assert.throws(() => readConfig({ SIMULATOR_WEBHOOK_DELAYS_MS: '1;2' }), /SIMULATOR_WEBHOOK_DELAYS_MS/)
  assert.throws(() => readConfig({ SNIPPE_TEST_API_KEY: 'same-key', SNIPPE_LIVE_API_KEY: 'same-key' }), /must differ/)
  assert.equal(readConfig({ SIMULATOR_PORT: '' }).port, 3003)
})

test('the same seed and calls give the same references and event ids', async (t) => {
  const names = async (seed: string): Promise<string[]> => {
    const config = testConfig({ seed })
    const simulator = await startSimulator(config)
    t.after(() => simulator.close())
    const client = clientOf(simulator.url, config)
    const { reference } = await client.create(orderFor('https://example.invalid/hook'))
    await client.control('POST', `/charges/${reference}/answer`, { action: 'pin' })
    return [reference, (await client.charge(reference)).webhooks[0]?.event_id ?? '']
  }
  assert.deepEqual(await names('one'), await names('one'))
  assert.notDeepEqual(await names('one'), await names('two'))
})

test('books of another version are refused with an explanation of what to do', async (t) => {
  const dir = await dataDir(t)
  const old = new DatabaseSync(join(dir, 'books.sqlite'))
  old.exec('create table charges (reference text)')
  old.close()
  await assert.rejects(startSimulator(testConfig({ dataDir: dir })), /are of another version: remove that folder/)
})

const inProduction = {
  NODE_ENV: 'production',
  SNIPPE_TEST_API_KEY: 'snp_of_the_operator',
  SNIPPE_TEST_WEBHOOK_SECRETS: 'new-secret,old-secret',
}

test('in production it plays the test environment alone, with given keys and without controls', async (t) => {
  assert.throws(() => readConfig({ ...inProduction, SNIPPE_LIVE_API_KEY: 'snp_live_key' }), /leave out SNIPPE_LIVE_API_KEY/)
  assert.throws(() => readConfig({ NODE_ENV: 'production' }), /needs SNIPPE_TEST_API_KEY and SNIPPE_TEST_WEBHOOK_SECRETS/)
  const config = readConfig({ ...environment(await dataDir(t)), ...inProduction })
  assert.deepEqual(config.accounts.test, { apiKey: 'snp_of_the_operator', webhookSecret: 'new-secret' })
  const { accounts, clickPesa } = readConfig({})
  for (const name of ['clickpesa-test', 'clickpesa-live'] as const) {
    assert.notEqual(config.clickPesa[name].apiKey, clickPesa[name].apiKey)
    assert.notEqual(config.clickPesa[name].checksumKey, clickPesa[name].checksumKey)
  }
  const simulator = await startSimulator(config)
  t.after(() => simulator.close())
  const statusOf = async (path: string, apiKey: string) =>
    (await fetch(simulator.url + path, { headers: { authorization: `Bearer ${apiKey}` } })).status
  assert.equal(await statusOf('/v1/payments', 'snp_of_the_operator'), 200)
  for (const known of [accounts.live.apiKey, accounts.test.apiKey]) assert.equal(await statusOf('/v1/payments', known), 401)
  for (const path of ['/__control/switches', '/__truth']) assert.equal(await statusOf(path, 'snp_of_the_operator'), 404, path)
})

test('webhooks go to SIMULATOR_DELIVER_TO, with the path of their address', async (t) => {
  const receiver = await startReceiver(t)
  const config = testConfig({ deliverTo: new URL(receiver.url).origin })
  const simulator = await startSimulator(config)
  t.after(() => simulator.close())
  const order = orderFor('https://api.malipo.invalid/hook?of=test', { phone_number: '255712345789' })
  await clientOf(simulator.url, config).create(order)
  await until('the webhook', () => receiver.received.length === 1)
  assert.equal(receiver.received[0]!.headers.host, new URL(receiver.url).host)
})
