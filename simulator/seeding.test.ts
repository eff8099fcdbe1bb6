import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestSimulator } from './test-simulator.ts'
import type { Call, TestSimulator } from './test-simulator.ts'

const seeded = (answer: Call): { made: number; references: string[] } => JSON.parse(answer.text)

const page = async (simulator: TestSimulator, offset: number) => {
  const { data } = (await simulator.call('GET', `/v1/payments?limit=100&offset=${offset}`)).body
  return data as { total: number; items: { reference: string; metadata: Record<string, unknown>; status: string }[] }
}

test('a hundred thousand open charges are seeded at once, and a page costs the same at any position', async (t) => {
  const simulator = await startTestSimulator(t)
  const count = 100_000
  const { made, references } = seeded(
    await simulator.control('POST', '/seed', { count, metadata: { malipo_payment: 'pay_{n}' } }),
  )
  assert.equal(made, count)
  assert.equal(new Set(references).size, count)
  const newest = await page(simulator, 0)
  assert.equal(newest.total, count)
  assert.equal(newest.items.length, 100)
  assert.deepEqual(newest.items[0]?.metadata, { malipo_payment: 'pay_100000' })
  assert.equal(newest.items[0].reference, references.at(-1))
  const oldest = await page(simulator, count - 100)
  assert.deepEqual(oldest.items.at(-1)?.metadata, { malipo_payment: 'pay_1' })
  const spent = async (offset: number): Promise<number> => {
    const startedAt = performance.now()
    for (let asked = 0; asked < 20; asked++) await page(simulator, offset)
    return performance.now() - startedAt
  }
  await spent(0)
  const [front, back] = [await spent(0), await spent(count - 100)]
  // Walking to an offset costs some hundred times more at the end; this limit allows for a busy machine.
  assert.ok(back < front * 10 + 100, `${front} ms in front, ${back} ms at the end`)
  const totals = JSON.parse((await simulator.call('GET', '/__truth/totals')).text)
  assert.deepEqual(totals.test.charges, { pending: { count, amount: count * 5_000, fees: count * 99 } })
  await simulator.control('POST', `/charges/${references[0]}/answer`, { action: 'complete' })
  assert.equal((await simulator.charge(references[0] ?? '')).status, 'completed')
})

test('charges can also be seeded one by one, in any state, with their money', async (t) => {
  const simulator = await startTestSimulator(t)
  const orders = [
    { metadata: { malipo_payment: 'pay_a' }, status: 'completed', amount: 10_000 },
    { metadata: { malipo_payment: 'pay_b' }, status: 'failed' },
    { metadata: { malipo_payment: 'pay_c' }, idempotency_key: 'c-1', phone: '255754345678' },
  ]
  const { references } = seeded(await simulator.control('POST', '/seed', { account: 'live', orders, age_ms: 1_000 }))
  const { charges, accounts } = await simulator.truth('?account=live')
  assert.deepEqual(
    charges.map(({ reference, status }) => [reference, status]),
    [
      [references[0], 'completed'],
      [references[1], 'failed'],
      [references[2], 'pending'],
    ],
  )
  assert.equal(accounts.live.balance, accounts.live.expected_balance)
  assert.ok(accounts.live.balance > simulator.config.openingBalanceTzs)
})

test('seeded charges expire like created ones', async (t) => {
  const simulator = await startTestSimulator(t)
  const { references } = seeded(
    await simulator.control('POST', '/seed', { count: 1, age_ms: 86_400_000, webhook_url: simulator.receiver.url }),
  )
  await simulator.chargeWhen(references[0] ?? '', 'the expiry', (charge) => charge.webhooks[0]?.state === 'delivered')
})

test('pages stay complete while new charges come in', async (t) => {
  const simulator = await startTestSimulator(t)
  await simulator.control('POST', '/seed', { count: 250 })
  await simulator.create(simulator.order())
  const pages = [await page(simulator, 0), await page(simulator, 100), await page(simulator, 200), await page(simulator, 300)]
  assert.deepEqual(
    pages.map(({ items }) => items.length),
    [100, 100, 51, 0],
  )
  assert.equal(new Set(pages.flatMap(({ items }) => items.map(({ reference }) => reference))).size, 251)
})
