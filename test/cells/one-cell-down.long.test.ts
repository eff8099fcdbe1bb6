/** The database of one cell is killed under load, and the other cell does not notice. What the proxy costs is compared with one that has no rules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../app.ts'
import { startOwnDatabase } from '../faults/own-database.ts'
import { startFleet } from '../fleet.ts'
import { noProxy, prepareProxy, startPlainProxy } from './proxy.ts'

const requestsOfRound = 1_000
const atOnce = 8
const rounds = 3

type Asked = { path: string; headers?: Record<string, string> }

/** Sends the requests in turn, some at once, and returns the time of the slowest one of a hundred in ms. Each must be answered with 200. */
async function ask(url: string, asked: readonly Asked[]): Promise<number> {
  const times: number[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < requestsOfRound) {
        const { path, headers = {} } = asked[next++ % asked.length]!
        const startedAt = performance.now()
        const response = await fetch(url + path, { headers })
        const text = await response.text()
        times.push(performance.now() - startedAt)
        assert.equal(response.status, 200, text)
      }
    }),
  )
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

test(
  'the database of one cell is killed: the other answers every request, and its p99 at most doubles',
  { skip: noProxy },
  async (t) => {
    const proxy = await prepareProxy(t)
    const own = await startOwnDatabase({ fsync: false })
    const homes = ['0-127', '128-255'] as const
    const cellOf = (place: number) => ({
      ...proxy.settingsOf(place),
      CELL: `k${place + 1}`,
      CELL_HOMES: homes[place]!,
      RATE_LIMITS: 'off',
    })
    const [one, two] = [await startFleet(t, cellOf(0), { database: own }), await startFleet(t, cellOf(1))]
    const apis = [await one.api(), await two.api()]
    const addressOf = (url: string): string => new URL(url).host
    const plain = await startPlainProxy(t, addressOf(apis[1]!.url))
    const running = await proxy.start(
      apis.map((api, place) => ({
        name: `k${place + 1}`,
        homes: homes[place]!,
        api: addressOf(api.url),
        checkout: addressOf(api.checkoutUrl),
      })),
    )
    const student = await two.app.student()
    const { key } = await two.app.key(student)
    const page = await two.app.page(student)
    const { reference } = (await two.app.checkout(page.slug)).body.data
    await two.app.settled(reference)
    const asked: Asked[] = [
      { path: `/v1/payments/${reference}/status` },
      { path: '/v1/balance', headers: { 'x-api-key': key } },
      { path: `/v1/pay/${page.slug}` },
      { path: '/v1/me', headers: { authorization: `Bearer ${student.token}` } },
    ]
    // The address of the first cell, as programs and payers ask one address for both.
    const { api: url } = one.app.config.urls
    await ask(url, asked)
    const [before, after]: [number[], number[]] = [[], []]
    const used = { cells: 0, plain: 0 }
    for (let count = 0; count < rounds; count += 1) {
      const [cellsBefore, plainBefore] = [running.cpuSeconds(), plain.cpuSeconds()]
      before.push(await ask(url, asked))
      await ask(plain.url, asked)
      used.cells += running.cpuSeconds() - cellsBefore
      used.plain += plain.cpuSeconds() - plainBefore
    }
    await own.crash()
    for (let count = 0; count < rounds; count += 1) after.push(await ask(url, asked))
    const paid = (await two.app.checkout(page.slug)).body.data.reference
    assert.equal((await two.app.settled(paid)).status, 'completed')
    // The books of the first cell are checked at the end.
    await own.start()
    await eventually('the first cell is back', async () => (await fetch(`${url}/readyz`)).status === 200, 60_000)

    const microseconds = (seconds: number): string => ((seconds * 1e6) / (rounds * requestsOfRound)).toFixed(0)
    t.diagnostic(
      `p99 of the other cell: ${median(before).toFixed(1)} ms, and ${median(after).toFixed(1)} ms after the kill; processor a request: ${microseconds(used.cells)} µs in this proxy, ${microseconds(used.plain)} µs in one without rules`,
    )
    assert.ok(median(after) <= 2 * median(before), `p99 ${median(after)} ms after, ${median(before)} ms before`)
    assert.ok(used.cells <= 2 * used.plain, `${used.cells} s of processor, ${used.plain} s without rules`)
  },
)
