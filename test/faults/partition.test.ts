/** The connection between the service and its database is blocked, in both directions or in one, and then works again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { askToPay, assertPaidOnce, insistToPay, payAll, readBooks, waiting, type Asked } from './shop.ts'
import { startDatabaseProxy, type Way } from './tcp-proxy.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The delays of the provider between its attempts to send a message. */
const simulator = { webhookDelaysMs: [0, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000, 16_000, 16_000] }

const lines: [name: string, ways: Way[], seconds: number][] = [
  ['is cut off from its database for a minute', ['to_server', 'to_client'], 60],
  ['can send to its database but receives nothing', ['to_client'], 15],
  ['receives from its database but cannot send', ['to_server'], 15],
]

for (const [name, ways, seconds] of lines) {
  test(`a service that ${name}: not ready, alive, accepts nothing that is not stored, and completes everything later [F28]`, async (t) => {
    const fleet = await startFleet(t, { RATE_LIMITS: 'off' }, { simulator })
    const { app } = fleet
    const line = await startDatabaseProxy(t, app.config.database.url)
    const settings = { DATABASE_URL: line.url }
    const [api, worker] = [await fleet.api({ settings }), await fleet.worker({ settings })]
    const page = await app.page(await app.student())
    const before = (await insistToPay(() => api.url, page.slug, 'before', waiting)).at(-1)!
    assert.equal(before.status, 201)

    line.partition(...ways)
    const partedAt = performance.now()
    const answers: Asked[] = []
    const asking = Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        await sleep(index * 200)
        answers.push(await askToPay(api.url, page.slug, `while-${index}`))
      }),
    )
    assert.equal(await payAll(app), 1, 'the payer pays meanwhile, and the provider cannot report it')
    await eventually('it is not ready', async () => (await fetch(`${api.url}/readyz`)).status === 503, 5_000)
    const looks: number[] = []
    while (performance.now() - partedAt < seconds * 1000) {
      const startedAt = performance.now()
      assert.equal((await fetch(`${api.url}/livez`)).status, 200)
      looks.push(performance.now() - startedAt)
      assert.equal((await fetch(`${api.url}/readyz`)).status, 503)
      await sleep(500)
    }
    await asking
    // No request is accepted, and none waits longer than twice the statement timeout.
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [503])
    assert.ok(Math.max(...answers.map(({ ms }) => ms)) < 25_000, `${Math.max(...answers.map(({ ms }) => ms))} ms`)
    const quick = answers.filter(({ ms }) => ms < 1_000).length
    assert.ok(quick >= 10, `${quick} of ${answers.length} were answered at once`)
    if (ways.includes('to_server')) assert.equal((await readBooks(app)).payments, 1)
    assert.ok(Math.max(...looks) < 2_000)

    line.heal()
    const healedAt = performance.now()
    await eventually('it is ready', async () => (await fetch(`${api.url}/readyz`)).status === 200, 20_000)
    const after = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => (await insistToPay(() => api.url, page.slug, `while-${index}`)).at(-1)!),
    )
    assert.equal(new Set(after.map(({ reference }) => reference)).size, 30)
    await eventually(
      'all are paid, and the one from before is credited',
      async () => {
        const books = await readBooks(app)
        return books.payments === 31 && books.completed === 31
      },
      60_000,
    )
    process.stdout.write(`healed and drained in ${Math.round(performance.now() - healedAt)} ms\n`)
    await assertPaidOnce(app, 31)
    assert.equal(await worker.stop(), 0)
    assert.equal(await api.stop(), 0)
  })
}

test('a slow connection, and one that is cut repeatedly: a refused client retries, and pays once [F28]', async (t) => {
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' }, { simulator })
  const { app } = fleet
  const line = await startDatabaseProxy(t, app.config.database.url)
  const settings = { DATABASE_URL: line.url }
  const api = await fleet.api({ settings })
  await fleet.worker({ settings })
  const page = await app.page(await app.student())
  line.slowDown(40)
  let isOver = false
  const cutting = (async () => {
    for (let turn = 0; turn < 12 && !isOver; turn += 1) {
      await sleep(700)
      line.cut()
      await sleep(100)
      line.heal()
    }
  })()
  await Promise.all(
    Array.from({ length: 6 }, async (_, payer) => {
      for (let count = 0; count < 8; count += 1) await insistToPay(() => api.url, page.slug, `${payer}-${count}`)
    }),
  )
  isOver = true
  await cutting
  line.slowDown(0)
  await eventually('all are paid', async () => (await readBooks(app)).completed === 48, 60_000)
  await assertPaidOnce(app, 48)
})
