/** Processes that die at each step of a payout or a refund: it is sent once, and its money is reserved or gone, never both. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFleet } from '../fleet.ts'
import { eventually } from '../app.ts'
import { askToPay, readBooks } from './shop.ts'
import type { Step } from './start-with-faults.ts'

const payoutSteps: [Step, string][] = [
  ['before P1', 'before anything is stored: no payout, and the same request makes one'],
  ['after P1', 'after the money was set aside, before that was answered: the same request finds it, and it is sent once'],
  ['before P2', 'after the money was set aside, before it is sent: it stays set aside, and is sent once, by another process'],
  ['after P2', 'after sending, before recording: nothing is sent under another key, and the sent payout is found again'],
  ['after P3', 'after recording: nothing is left to do'],
]

const runs = payoutSteps.flatMap(([step, sentence]) => [
  { step, sentence, isRefund: false },
  { step, sentence: `${sentence} (a refund)`, isRefund: true },
])

for (const { step, sentence, isRefund } of runs) {
  test(`kill -9 ${sentence} [F34, F35]`, async (t) => {
    const fleet = await startFleet(t)
    const { app } = fleet
    const student = await app.student()
    const { key } = await app.key(student)
    const page = await app.page(student, { amount: 100_000 })
    const ready = await fleet.api()
    const paid = await askToPay(ready.url, page.slug, 'funds')
    assert.equal(paid.status, 201)
    const [path, body] = isRefund
      ? [`/v1/payments/${paid.reference}/refunds`, { amount: 20_000 }]
      : ['/v1/payouts', { amount: 20_000, phone_number: '+255754000123', recipient_name: 'Asha Mushi' }]
    await eventually('there is something to pay out', async () => (await readBooks(app)).completed === 1)
    const dying = await fleet.api(step)
    const ask = async (url: string) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': 'rent-11' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      })
      return { status: response.status, body: (await response.json()) as any }
    }
    const asking = ask(dying.url).catch(() => undefined)
    await dying.reached.catch(async (error: unknown) =>
      assert.fail(`${String(error)} It answered ${JSON.stringify(await asking)}.`),
    )
    await dying.kill()
    const first = await asking
    const isStored = step !== 'before P1'
    const isAnswered = isStored && step !== 'after P1'
    assert.equal(first?.status, isAnswered ? 201 : undefined)
    const stored = (await app.owner.pool.query('select id, amount + fee as total from payouts')).rows
    assert.equal(stored.length, isStored ? 1 : 0)
    const balance = async () => (await app.call('GET', '/v1/balance', { key })).body.data
    assert.equal((await balance()).available, 100_000 - Number(stored[0]?.total ?? 0))
    const refunded = async () =>
      Number((await app.owner.pool.query('select refunded_amount from payments')).rows[0].refunded_amount)
    assert.equal(await refunded(), isRefund && isStored ? 20_000 : 0)
    // After the send, the provider may have reported its end already.
    if (!step.startsWith('after P') || step === 'after P1')
      assert.equal((await balance()).reserved, Number(stored[0]?.total ?? 0))
    const retried = await ask(ready.url)
    assert.equal(retried.status, isStored ? 200 : 201)
    const { id, total_debited: total } = retried.body.data
    await fleet.worker()
    await eventually('the payout is completed', async () => {
      const { body } = await app.call('GET', `/v1/${isRefund ? 'refunds' : 'payouts'}/${id}`, { key })
      return body.data.status === 'completed'
    })
    const again = await ask(ready.url)
    assert.deepEqual([again.status, again.body.data.id], [200, id])
    const { payouts } = await app.truth()
    assert.deepEqual(
      payouts.map(({ status }: { status: string }) => status),
      ['completed'],
    )
    assert.deepEqual([(await balance()).available, (await balance()).reserved], [100_000 - total, 0])
    assert.equal(await refunded(), isRefund ? 20_000 : 0)
  })
}
