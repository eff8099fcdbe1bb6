/** The database of one cell is killed under load: the other cell does not notice. What the proxy costs is printed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../app.ts'
import { startOwnDatabase } from '../faults/own-database.ts'
import { startFleet } from '../fleet.ts'
import { noProxy, prepareProxy } from './proxy.ts'

const requestsOfRound = 1_500
const atOnce = 8
const rounds = 3

type Asked = { url: string; headers?: Record<string, string> }

/** Sends the requests in turn, some at once, and returns the time of the slowest one of a hundred in ms. Each must be answered with 200. */
async function round(asked: readonly Asked[]): Promise<number> {
  const times: number[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < requestsOfRound) {
        const { url, headers = {} } = asked[next++ % asked.length]!
        const startedAt = performance.now()
        const response = await fetch(url, { headers })
        const text = await response.text()
        times.push(performance.now() - startedAt)
        assert.equal(response.status, 200, text)
      }
    }),
  )
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let count = 0; count < rounds; count += 1) values.push(await measure())
  return values.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!
}

test(
  'the database of one cell is killed: the other answers every request, its p99 at most doubles, and the proxy takes at most 50 µs a request',
  { skip: noProxy },
  async (t) => {
    const proxy = await prepareProxy(t)
    const own = await startOwnDatabase({ fsync: false })
    const cellOf = (place: number, homes: string) => ({
      ...proxy.settingsOf(place),
      CELL: `k${place + 1}`,
      CELL_HOMES: homes,
      RATE_LIMITS: 'off',
    })
    const [one, two] = [await startFleet(t, cellOf(0, '0-127'), { database: own }), await startFleet(t, cellOf(1, '128-255'))]
    const apis = [await one.api(), await two.api()]
    const addressOf = (url: string): string => new URL(url).host
    await proxy.start(
      apis.map((api, place) => ({
        name: `k${place + 1}`,
        homes: ['0-127', '128-255'][place]!,
        api: addressOf(api.url),
        checkout: addressOf(api.checkoutUrl),
      })),
    )
    const student = await two.app.student()
    const { key } = await two.app.key(student)
    const page = await two.app.page(student)
    const { reference } = (await two.app.checkout(page.slug)).body.data
    await two.app.settled(reference)
    // One address for both cells, asked as by programs and payers.
    const { api } = one.app.config.urls
    const asked: Asked[] = [
      { url: `${api}/v1/payments/${reference}/status` },
      { url: `${api}/v1/balance`, headers: { 'x-api-key': key } },
      { url: `${api}/v1/pay/${page.slug}` },
      { url: `${api}/v1/me`, headers: { authorization: `Bearer ${student.token}` } },
    ]
    await round(asked)
    const usedBefore = proxy.cpuSeconds()
    const before = await medianOf(() => round(asked))
    await own.crash()
    const unreadable = await fetch(`${api}/v1/networks`)
    assert.ok(unreadable.status === 200 || unreadable.status === 503, String(unreadable.status))
    const after = await medianOf(() => round(asked))
    const microseconds = ((proxy.cpuSeconds() - usedBefore) * 1e6) / (2 * rounds * requestsOfRound)
    console.log(
      `# p99 of the other cell: ${before.toFixed(1)} ms before, ${after.toFixed(1)} ms after the kill; proxy: ${microseconds.toFixed(0)} µs of processor a request`,
    )
    assert.ok(after <= 2 * before, `${after} ms after, ${before} ms before`)
    assert.ok(microseconds <= 50, `${microseconds} µs`)

    const paid = (await two.app.checkout(page.slug)).body.data.reference
    assert.equal((await two.app.settled(paid)).status, 'completed')
    // The books of the first cell are checked at the end.
    await own.start()
    await eventually(
      'the first cell is back',
      async () => (await fetch(`${one.app.config.urls.api}/readyz`)).status === 200,
      60_000,
    )
  },
)
