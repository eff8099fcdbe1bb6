/**
 * `npm run test:soak`: the service under half of its full load, for half an hour (`--minutes`). Its memory does not grow, no queue
 * grows, and the slowest hundredth waits no longer at the end than at the beginning.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { median, percentile } from '../../bench/ratios.ts'
import { askToPay, assertPaidOnce, readBooks, startReceiver } from '../faults/shop.ts'
import { startFleet, type Member } from '../fleet.ts'
import { eventually } from '../app.ts'

const minutes = Number(process.env['MALIPO_SOAK_MINUTES'] ?? '30')
const calibrationMs = 20_000
const payersAtFullLoad = 32
const sampleMs = 10_000
const merchants = 5
/** This many payers at once means that requests queue up. */
const payersAtMost = 500

type Queues = { messages: number; deliveries: number; charges: number; unfinished: number }
type Sample = { atMs: number; live: number[]; resident: number[]; queues: Queues }
type Paid = { atMs: number; checkoutMs: number; completedMs: number }

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('under half load for a long time: memory, queues and the slowest hundredth stay the same', async (t) => {
  const fleet = await startFleet(t, { RATE_LIMITS: 'off' })
  const { app } = fleet
  const api = await fleet.api()
  const members: Member[] = [api, await fleet.worker()]
  const ended: (number | null)[] = []
  for (const { gone } of members) void gone.then((code) => ended.push(code))
  const shop = await startReceiver(t)
  const shops: { slug: string; key: string }[] = []
  for (let count = 0; count < merchants; count += 1) {
    const student = await app.student()
    const { slug } = await app.page(student)
    const { appId, key } = await app.key(student)
    const webhook = { token: student.token, body: { url: shop.url } }
    assert.equal((await app.call('POST', `/developers/apps/${appId}/webhook`, webhook)).status, 201)
    shops.push({ slug, key })
  }

  const startedAt = performance.now()
  const now = () => performance.now() - startedAt
  const refused = new Map<string, number>()
  const refuse = (what: string) => refused.set(what, (refused.get(what) ?? 0) + 1)
  let asked = 0

  /** One payer from the form to the answer, and sometimes the merchant who reads it. */
  async function pay(): Promise<Paid | undefined> {
    const turn = asked++
    const { slug, key } = shops[turn % shops.length]!
    const begunAt = performance.now()
    const answer = await askToPay(api.url, slug, `soak-${turn}`)
    if (answer.status !== 201) {
      refuse(`checkout ${answer.status} ${answer.code}`)
      return undefined
    }
    for (;;) {
      const response = await fetch(`${api.url}/v1/payments/${answer.reference}/status?wait=20`)
      const { data } = (await response.json()) as { data?: { status: string } }
      if (data?.status === 'completed') break
      if (response.status !== 200 || (data!.status !== 'pending' && data!.status !== 'processing')) {
        refuse(`status ${response.status} ${data?.status}`)
        return undefined
      }
    }
    const completedMs = performance.now() - begunAt
    if (turn % 5 === 0) {
      for (const path of ['/v1/balance', '/v1/transactions?limit=50']) {
        const response = await fetch(`${api.url}${path}`, { headers: { 'x-api-key': key } })
        await response.arrayBuffer()
        if (response.status !== 200) refuse(`${path} ${response.status}`)
      }
    }
    return { atMs: now(), checkoutMs: answer.ms, completedMs }
  }

  async function readQueues(): Promise<Queues> {
    const { rows } = await app.owner.pool.query<Queues>(`
      select (select count(*) from provider_inbox where state = 'received')::integer as messages,
        (select count(*) from webhook_deliveries where status = 'pending')::integer as deliveries,
        (select count(*) from provider_charges where next_attempt_at < now())::integer as charges,
        (select count(*) from payments where status in ('pending', 'processing'))::integer as unfinished`)
    return rows[0]!
  }

  // The full load: payers who begin the next payment as soon as the last one is done.
  let full = 0
  const calibrationEnd = now() + calibrationMs
  await Promise.all(
    Array.from({ length: payersAtFullLoad }, async () => {
      while (now() < calibrationEnd) if (await pay()) full += 1
    }),
  )
  const perSecond = (full / calibrationMs) * 1000 * 0.5
  assert.ok(perSecond > 1, `${full} payments in ${calibrationMs} ms`)

  const beginsAt = now()
  const endsAt = beginsAt + minutes * 60_000
  const paid: Paid[] = []
  const samples: Sample[] = []
  let payers = 0
  let piledUp = 0
  const paying: Promise<unknown>[] = []
  const sampling = (async () => {
    for (let next = beginsAt + sampleMs; next < endsAt; next += sampleMs) {
      await sleep(Math.max(0, next - now()))
      const [live, resident, queues] = [[] as number[], [] as number[], await readQueues()]
      for (const member of members) {
        resident.push(await member.residentMb())
        live.push(await member.liveMb())
      }
      samples.push({ atMs: now(), live, resident, queues })
    }
  })()
  async function payOnce(): Promise<void> {
    const done = await pay()
    payers -= 1
    if (done) paid.push(done)
  }
  // New payers arrive whether or not the others are done.
  for (let count = 0; now() < endsAt; count += 1) {
    await sleep(Math.max(0, beginsAt + (count / perSecond) * 1000 - now()))
    if (payers >= payersAtMost) {
      piledUp += 1
      continue
    }
    payers += 1
    paying.push(payOnce())
  }
  await Promise.all([...paying, sampling])

  // The first quarter warms up: caches fill, code is compiled, connections are made.
  const span = endsAt - beginsAt
  const part = <Item extends { atMs: number }>(items: Item[], from: number, to: number): Item[] =>
    items.filter(({ atMs }) => atMs >= beginsAt + span * from && atMs < beginsAt + span * to)
  const early = <Item extends { atMs: number }>(items: Item[]) => part(items, 0.25, 0.5)
  const late = <Item extends { atMs: number }>(items: Item[]) => part(items, 0.75, 1.01)
  const slowest = (some: Paid[], what: 'checkoutMs' | 'completedMs') =>
    percentile(
      some.map((one) => one[what]),
      0.99,
    )
  const memory = (some: Sample[], what: 'live' | 'resident', member: number) =>
    median(some.map((sample) => sample[what][member]!))
  const queued = (some: Sample[], what: keyof Queues) => median(some.map(({ queues }) => queues[what]))

  t.diagnostic(
    `${perSecond.toFixed(1)} payments a second for ${minutes} minutes, half of its measured limit; ${paid.length} completed`,
  )
  for (const what of ['checkoutMs', 'completedMs'] as const) {
    t.diagnostic(
      `p99 of ${what}: ${slowest(early(paid), what).toFixed(0)} ms in the second quarter, ${slowest(late(paid), what).toFixed(0)} in the last`,
    )
  }
  for (const [member, name] of ['api', 'worker'].entries()) {
    for (const what of ['live', 'resident'] as const) {
      t.diagnostic(
        `${what} memory of the ${name}: ${memory(early(samples), what, member).toFixed(1)} MB, then ${memory(late(samples), what, member).toFixed(1)} MB`,
      )
    }
  }
  for (const what of Object.keys(samples[0]!.queues) as (keyof Queues)[]) {
    t.diagnostic(`${what} that wait: ${queued(early(samples), what)}, then ${queued(late(samples), what)}`)
  }

  assert.deepEqual([...refused], [])
  assert.equal(piledUp, 0)
  assert.deepEqual(ended, [])
  for (const what of ['live', 'resident'] as const) {
    for (const member of members.keys()) {
      const [before, after] = [memory(early(samples), what, member), memory(late(samples), what, member)]
      assert.ok(after < before * 1.1, `${what} memory went from ${before.toFixed(1)} to ${after.toFixed(1)} MB`)
    }
  }
  for (const what of Object.keys(samples[0]!.queues) as (keyof Queues)[]) {
    const [before, after] = [queued(early(samples), what), queued(late(samples), what)]
    // At this load, one second's worth of work is in flight at any time.
    assert.ok(after <= before * 1.5 + perSecond, `${what}: ${before}, then ${after}`)
  }
  for (const what of ['checkoutMs', 'completedMs'] as const) {
    const [before, after] = [slowest(early(paid), what), slowest(late(paid), what)]
    assert.ok(after <= before * 2 + 100, `p99 of ${what} went from ${before.toFixed(0)} to ${after.toFixed(0)} ms`)
  }

  const { payments } = await readBooks(app)
  await eventually('every webhook has been received', () => shop.received.size === payments, 60_000)
  await eventually('every delivery is recorded', async () => (await readQueues()).deliveries === 0, 30_000)
  await assertPaidOnce(app, payments)
})
