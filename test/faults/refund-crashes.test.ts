/**
 * Fifty refunds of one payment at once, while processes are killed at the steps of a payout: the payer never gets more than was paid, and
 * the provider's truth equals the books to the shilling.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromWire, toWire } from '../../server/platform/ids.ts'
import { eventually } from '../app.ts'
import { startFleet, type Fleet, type Member } from '../fleet.ts'
import { askToPay, readBooks } from './shop.ts'
import type { Step } from './start-with-faults.ts'

const requests = 50
const amount = 5_000
const fee = 1_500
const paid = 100_000
const funds = 400_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Keeps an api or worker alive in a place: it dies at each of these steps in turn, and at the end a sound one takes over. */
function place(fleet: Fleet, role: 'api' | 'worker', steps: Step[]) {
  let member: Member | undefined
  let [kills, isOver] = [0, false]
  async function run(): Promise<void> {
    for (const step of steps) {
      if (isOver) break
      member = await fleet[role](step)
      // A step that does not come, because the others have done all the work, is no reason to live on.
      await Promise.race([member.reached.catch(() => undefined), sleep(3_000)])
      await member.kill()
      kills += 1
    }
    member = await fleet[role]()
  }
  const done = run()
  return { url: () => member?.url, kills: () => kills, end: () => ((isOver = true), done) }
}

/** Repeats one request under its key, at any api, until it is made or refused. */
async function insist(urls: () => string[], path: string, key: string, index: number): Promise<{ id?: string; tries: number }> {
  const deadline = performance.now() + 120_000
  for (let tries = 1; ; tries += 1) {
    assert.ok(performance.now() < deadline, `refund ${index} is not answered`)
    const all = urls()
    const response = await fetch(`${all[(index + tries) % Math.max(1, all.length)]}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': `refund-${index}` },
      body: JSON.stringify({ amount }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined)
    const body = (await response?.json().catch(() => undefined)) as any
    if (body?.data) return { id: body.data.id, tries }
    const code = body?.error?.code
    if (code === 'refund_exceeds_payment') return { tries }
    assert.ok([undefined, 'overloaded', 'provider_unavailable', 'idempotency_in_progress'].includes(code), `answered ${code}`)
    await sleep(300)
  }
}

for (const [suffix, what] of [
  ['199', 'arrive, though the provider loses its answers'],
  ['419', 'fail'],
] as const) {
  test(`fifty refunds at once under kills that ${what}: never more than the payment, and the books are the provider’s`, async (t) => {
    const fleet = await startFleet(t, { RATE_LIMITS: 'off' })
    const { app } = fleet
    const student = await app.student()
    const { key } = await app.key(student)
    const ready = await fleet.api()
    const wallet = await app.page(student, { amount: funds })
    await askToPay(ready.url, wallet.slug, 'funds')
    const page = await app.page(student, { amount: paid })
    const { reference } = await askToPay(ready.url, page.slug, 'order', `0754123${suffix}`)
    await eventually('both are paid', async () => (await readBooks(app)).completed === 2)
    await ready.kill()

    const places = [
      place(fleet, 'api', ['after P1', 'before P2', 'after P2', 'before P3', 'after P3']),
      place(fleet, 'api', ['before P1', 'after P2', 'after P1', 'before P2', 'before P3']),
      place(fleet, 'worker', ['before P2', 'after P2', 'before P3', 'after P3']),
    ]
    const urls = (): string[] => places.slice(0, 2).flatMap((one) => one.url() ?? [])
    const answers = await Promise.all(
      Array.from({ length: requests }, (_, index) => insist(urls, `/v1/payments/${reference}/refunds`, key, index)),
    )
    await Promise.all(places.map((one) => one.end()))
    const read = async () => {
      const { rows } = await app.owner.pool.query<{ id: string; status: string; amount: number }>(
        'select id, status, amount::integer as amount from payouts order by id',
      )
      return rows
    }
    await eventually(
      'every refund has ended',
      async () => {
        await app.owner.pool.query(
          'update provider_payouts set next_attempt_at = clock_now() where next_attempt_at > clock_now()',
        )
        return (await read()).every(({ status }) => ['completed', 'failed'].includes(status))
      },
      60_000,
    )

    const books = await read()
    const completed = books.filter(({ status }) => status === 'completed')
    const made = answers.flatMap(({ id }) => id ?? [])
    assert.deepEqual(new Set(made.map((id) => fromWire('rf', id))), new Set(books.map(({ id }) => id)))
    assert.equal(new Set(made).size, made.length)
    const truth = (await app.truth()).payouts as { status: string; amount: number; metadata: { malipo_payout: string } }[]
    assert.deepEqual(
      truth.map(({ status, metadata }) => `${metadata.malipo_payout} ${status}`).toSorted(),
      books.map(({ id, status }) => `${toWire('po', id)} ${status}`).toSorted(),
    )
    const left = truth.filter(({ status }) => status === 'completed').reduce((sum, one) => sum + one.amount, 0)
    assert.ok(left <= paid, `${left} were sent back, ${paid} were paid`)
    if (suffix === '419') assert.ok(left === 0 && made.length >= paid / amount)
    else assert.equal(left, paid, 'nobody was refused while something was left')
    const { rows } = await app.owner.pool.query('select refunded_amount::integer as refunded from payments where id = $1', [
      fromWire('pay', reference!),
    ])
    assert.equal(rows[0].refunded, left)
    const { data } = (await app.call('GET', '/v1/balance', { key })).body
    assert.deepEqual([data.available, data.reserved], [funds + paid - left - completed.length * fee, 0])
    const kills = places.reduce((sum, one) => sum + one.kills(), 0)
    assert.ok(kills >= 3, `${kills} kills`)
    const tries = answers.reduce((sum, one) => sum + one.tries, 0)
    process.stdout.write(
      `refunds under kills: ${JSON.stringify({ what, requests, tries, kills, made: made.length, sentTo: truth.length, sentBack: left, paid })}\n`,
    )
  })
}
