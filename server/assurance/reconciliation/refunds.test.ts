/** A provider's list that contains refunds: each is compared as a payout is, and its payment always shows what has been refunded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../../test/app.ts'
import { rememberDatabase } from '../../../test/remember-database.ts'
import { balance, fund, providersOf, silentRefund, type SilentPayout } from '../../../test/fixtures/payouts.ts'
import { checkPayouts } from '../../pay-out/payouts/send-payout.ts'
import { toWire } from '../../platform/ids.ts'
import { wrapProviders, type PayoutSnapshot } from '../../money/providers/provider.ts'
import { decide, moveClock, reconcileRecent, reconcileToday } from '../../../test/fixtures/reconciliation.ts'

const fee = 1_500

/** A payment of 300,000 and a provider that does nothing by itself, sends no messages, and lists what the test shows. */
async function start(t: Parameters<typeof startTestApp>[0]) {
  const shown: { change<Item extends PayoutSnapshot>(item: Item): Item | undefined } = { change: (item) => item }
  const app = await startTestApp(t, {
    simulator: { delayMs: 3_600_000 },
    wrap: (deps) => ({
      ...deps,
      providers: wrapProviders(deps.providers, (provider) => ({
        ...provider,
        async listPayouts(page) {
          const listed = await provider.listPayouts(page)
          return listed.kind === 'page' ? { ...listed, items: listed.items.flatMap((item) => shown.change(item) ?? []) } : listed
        },
        async fetchPayout(key) {
          const found = await provider.fetchPayout(key)
          if (found.kind !== 'found') return found
          const snapshot = shown.change(found.snapshot)
          return snapshot ? { ...found, snapshot } : { kind: 'not_found' }
        },
      })),
    }),
  })
  await app.control('POST', '/hold', { webhooks: true })
  const student = await app.student()
  const { key } = await app.key(student)
  await fund(app, student, 300_000)
  const { rows } = await app.owner.pool.query('select id from payments')
  const reference = toWire('pay', rows[0].id)
  const operators = [await app.admin(), await app.admin()] as const
  const refundOf = ({ id }: Pick<SilentPayout, 'id'>): string => id.replace('po_', 'rf_')
  return {
    app,
    key,
    reference,
    shown,
    refund: () => silentRefund(app, key, reference),
    move: (payout: SilentPayout, action: string) => app.control('POST', `/payouts/${payout.reference}/answer`, { action }),
    async refundNow(payout: Pick<SilentPayout, 'id'>) {
      const { data } = (await app.call('GET', `/v1/refunds/${refundOf(payout)}`, { key })).body
      return [data.status, data.under_review?.reason ?? null]
    },
    async refunded(): Promise<number> {
      const { token } = await app.admin()
      return (await app.call('GET', `/v1/admin/payments/${reference}`, { token })).body.data.refunded_amount
    },
    async breaks(): Promise<{ id: string; kind: string; payout_id: string | null }[]> {
      const { token } = await app.admin()
      return (await app.call('GET', '/v1/admin/breaks?status=open', { token })).body.data
    },
    resolve: async (id: string, resolution: string, parameters?: Record<string, string>) =>
      (await decide(app, operators, id, { resolution, ...(parameters && { parameters }) })).status,
  }
}

test('refunds whose messages are lost end by the list: paid ones count once, those that failed or came back count no more', async (t) => {
  const { app, key, refund, move, refundNow, refunded, breaks } = await start(t)
  const [paid, failed, back] = [await refund(), await refund(), await refund()]
  await move(paid, 'complete')
  await move(back, 'complete')
  assert.deepEqual([await balance(app, key), await refunded()], [[300_000 - 3 * (20_000 + fee), 3 * (20_000 + fee)], 60_000])
  let run = await reconcileToday(app, 'payouts')
  assert.deepEqual([run.seen, run.repaired, run.breaks], [3, 2, 0])
  await move(failed, 'fail')
  await move(back, 'reverse')
  run = await reconcileToday(app, 'payouts')
  assert.deepEqual([run.seen, run.repaired, run.breaks], [3, 2, 0])
  assert.deepEqual(
    [await refundNow(paid), await refundNow(failed), await refundNow(back)],
    [
      ['completed', null],
      ['failed', null],
      ['failed', null],
    ],
  )
  assert.deepEqual([await balance(app, key), await refunded()], [[300_000 - 20_000 - fee, 0], 20_000])
  assert.deepEqual(await breaks(), [])
  const again = await reconcileToday(app, 'payouts')
  assert.deepEqual([again.repaired, again.breaks], [0, 0])
})

test('a refund of which nothing was heard for six minutes is queried by the run of every five minutes, once', async (t) => {
  const { app, key, refund, move, refundNow, refunded } = await start(t)
  const silent = await refund()
  await move(silent, 'complete')
  await moveClock(app, '6 minutes')
  for (let time = 0; time < 2; time += 1) {
    await reconcileRecent(app)
    assert.deepEqual([await refundNow(silent), await refunded()], [['completed', null], 20_000])
    assert.deepEqual(await balance(app, key), [300_000 - 20_000 - fee, 0])
  }
})

test('a refund that the list has with another amount, lacks, or has twice is a break that names it, and its payment shows the truth', async (t) => {
  const { app, key, refund, move, refundNow, refunded, breaks, resolve, shown } = await start(t)
  const [other, lost, doubled] = [await refund(), await refund(), await refund()]
  for (const one of [lost, doubled, other]) await move(one, 'complete')
  shown.change = (item) => (item.reference === other.reference ? { ...item, amount: 19_000 } : item)
  await reconcileToday(app, 'payouts')
  assert.deepEqual(
    (await breaks()).map(({ kind, payout_id }) => [kind, payout_id]),
    [['payout_amount_differs', other.id]],
  )
  assert.deepEqual(await refundNow(other), ['processing', 'payout_amount_differs'])
  assert.deepEqual(
    [await refundNow(lost), await refundNow(doubled)],
    [
      ['completed', null],
      ['completed', null],
    ],
  )
  assert.deepEqual([await balance(app, key), await refunded()], [[300_000 - 3 * (20_000 + fee), 20_000 + fee], 60_000])
  shown.change = (item) => item
  const [differs] = await breaks()
  assert.equal(await resolve(differs!.id, 'payout_paid'), 409, 'it was never said to be paid with its own amount')
  assert.equal(await resolve(differs!.id, 'ask_again'), 200)
  await checkPayouts(app.deps, 10)
  assert.deepEqual([await refundNow(other), await refunded()], [['completed', null], 60_000])

  // Neither the list nor an answer knows it any more: it stays refunded until two operators decide.
  shown.change = (item) => (item.reference === lost.reference ? undefined : item)
  await reconcileToday(app, 'payouts')
  const [missing, ...none] = await breaks()
  assert.deepEqual([missing!.kind, missing!.payout_id, none], ['missing_at_provider', lost.id, []])
  assert.deepEqual([await refundNow(lost), await refunded()], [['completed', 'missing_at_provider'], 60_000])
  await move(lost, 'reverse')
  assert.equal(await resolve(missing!.id, 'payout_returned'), 200)
  assert.deepEqual([await refundNow(lost), await refunded()], [['failed', null], 40_000])
  assert.deepEqual(await balance(app, key), [300_000 - 2 * (20_000 + fee), 0])
  shown.change = (item) => item

  // A second order with the id of a refund: its money has left too, but it is no refund of ours.
  const response = await fetch(`${app.simulatorUrl}/v1/payouts/send`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.settings['SNIPPE_TEST_API_KEY']}`,
      'content-type': 'application/json',
      'idempotency-key': 'second',
    },
    body: JSON.stringify({
      amount: 20_000,
      channel: 'mobile',
      recipient_phone: '255754000123',
      recipient_name: 'X',
      narration: 'x',
      metadata: { malipo_payout: doubled.id },
    }),
  })
  const { reference } = ((await response.json()) as { data: { reference: string } }).data
  await app.control('POST', `/payouts/${reference}/answer`, { action: 'complete' })
  await reconcileToday(app, 'payouts')
  const [second, ...more] = await breaks()
  assert.deepEqual([second!.kind, second!.payout_id, more], ['unknown_at_provider', null, []])
  assert.deepEqual([await refundNow(doubled), await refunded()], [['completed', null], 40_000])
  assert.deepEqual(await balance(app, key), [300_000 - 2 * (20_000 + fee), 0])
  assert.equal(await resolve(second!.id, 'write_off'), 200)
  assert.equal((await reconcileToday(app, 'payouts')).repaired, 0)
  assert.deepEqual([await breaks(), await refunded()], [[], 40_000])
})

test('a refund that a restored database has lost is found in the list, and the same request is that refund, sent once', async (t) => {
  const { app, key, reference, refunded, breaks } = await start(t)
  const putBack = await rememberDatabase(app)
  const ask = async () =>
    app.call('POST', `/v1/payments/${reference}/refunds`, { key, headers: { 'idempotency-key': 'K' }, body: { amount: 20_000 } })
  const first = (await ask()).body.data
  await app.deps.backgroundDone()
  const [sent] = await providersOf(app)
  await app.control('POST', `/payouts/${sent.reference}/answer`, { action: 'complete' })
  await putBack()
  assert.equal(await refunded(), 0)
  await reconcileToday(app, 'payouts')
  assert.deepEqual(
    (await breaks()).map(({ kind }) => kind),
    ['unknown_at_provider'],
  )
  const again = await ask()
  assert.deepEqual([again.status, again.body.data.id], [201, first.id])
  await app.deps.backgroundDone()
  await app.owner.pool.query('update provider_payouts set next_attempt_at = clock_now() where next_attempt_at is not null')
  await checkPayouts(app.deps, 10)
  await reconcileToday(app, 'payouts')
  assert.equal((await app.call('GET', `/v1/refunds/${first.id}`, { key })).body.data.status, 'completed')
  assert.deepEqual([await balance(app, key), await refunded()], [[300_000 - 20_000 - fee, 0], 20_000])
  assert.equal((await providersOf(app)).length, 1)
  assert.deepEqual(await breaks(), [])
})
