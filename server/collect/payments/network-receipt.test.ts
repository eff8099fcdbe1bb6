/** The number in the network's message to the payer: where it is learned, that the first one stays, and who sees it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, share, startTestApp, type TestApp } from '../../../test/app.ts'
import { reconcileToday } from '../../../test/fixtures/reconciliation.ts'
import { providerNames } from '../../domain/provider.ts'
import { erasePayer } from '../../operations/data-lifecycle/erase-payer.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { fromWire, homeOfId, toWire } from '../../platform/ids.ts'
import type { ChargeSnapshot } from '../../money/providers/provider.ts'
import { eventBody } from '../../merchants/webhooks/event.ts'
import { listEvents } from '../../merchants/webhooks/event.sql.ts'
import { findByCode } from './find-by-code.ts'
import { openShop, sentPayments } from '../../../test/fixtures/payments.ts'
import { settlementOf } from './settlement.ts'

const sharedApp = share((ending) => startTestApp(ending))

const paid = (providerKey: string, changes: Partial<ChargeSnapshot> = {}): ChargeSnapshot => ({
  reference: `ref-${providerKey}`,
  ourReference: null,
  status: 'completed',
  amount: 1500,
  currency: 'TZS',
  fee: 27,
  network: 'airtel',
  failure: null,
  expiresAt: null,
  ...changes,
})

type Stored = { status: string; receipt: string | null; parts: string[] | null }

async function stored(app: TestApp, id: string): Promise<Stored> {
  const { rows } = await app.owner.pool.query<Stored>(
    `select p.status, p.network_receipt as receipt, r.parts
     from payments p left join payment_receipts r on r.home = p.home and r.payment_id = p.id where p.id = $1`,
    [id],
  )
  return rows[0]!
}

/** A payment that the provider has, and a way to settle it with what the provider says. */
async function open(app: TestApp) {
  const [payment] = await sentPayments(app, await openShop(app), 1)
  const { id, home, providerKey, merchantId } = payment!
  const tell = async (changes: Partial<ChargeSnapshot>, source: { actor?: string; confirmAbove?: number } = {}) => {
    const from = { home, paymentId: id, environment: 'test', provider: 'snippe', actor: 'test', requestId: 'req_test' } as const
    return (await app.deps.settle(settlementOf({ ...from, ...source }, paid(providerKey, changes), 20))).verdict
  }
  return { id, home, merchantId, tell, read: () => stored(app, id) }
}

test('the receipt comes with the news that credits, in the message, in an answer and late', async () => {
  const app = await sharedApp()
  for (const before of [[], ['failed'], ['processing']] as const) {
    const { tell, read, merchantId } = await open(app)
    for (const status of before) await tell({ status, failure: { code: 'wrong_pin', text: null } })
    assert.equal(await tell({ networkReceipt: 'S46121174212' }), 'applied')
    const { status, receipt, parts } = await read()
    assert.deepEqual([status, receipt], ['completed', 'S46121174212'])
    assert.deepEqual(parts, ['S46', '461', '612', '121', '211', '117', '174', '742', '421', '212', `test ${merchantId}`])
  }
})

test('a credit without a receipt gets it from a later answer; silence never removes it, and another number never replaces it', async (t) => {
  const lines: string[] = []
  const app = await startTestApp(t, { logLevel: 'warn', logTo: (line) => lines.push(line) })
  const { id, tell, read } = await open(app)
  assert.equal(await tell({}), 'applied')
  assert.deepEqual(await read(), { status: 'completed', receipt: null, parts: null })
  assert.equal(await tell({ networkReceipt: 'mp-2501.A7' }), 'unchanged')
  assert.equal((await read()).receipt, 'mp-2501.A7')
  assert.deepEqual((await read()).parts!.slice(0, 3), ['MP2', 'P25', '250'])
  assert.equal(await tell({}), 'unchanged')
  assert.equal(await tell({ networkReceipt: 'mp-2501.A7' }), 'unchanged')
  assert.equal(lines.filter((line) => line.includes('payment.receipt_differs')).length, 0)
  assert.equal(await tell({ networkReceipt: 'S99999999999' }), 'unchanged')
  assert.equal((await read()).receipt, 'mp-2501.A7')
  const [line] = lines.filter((one) => one.includes('payment.receipt_differs'))
  assert.ok(line)
  assert.ok(line.includes(toWire('pay', id)))
  assert.ok(!line.includes('S99999999999') && !line.includes('mp-2501'), 'a receipt is personal data and stays out of the log')
})

test('an event carries the receipt as soon as it is known, and no longer once the payer is erased', async () => {
  const app = await sharedApp()
  const { id, home, merchantId, tell } = await open(app)
  assert.equal(await tell({}), 'applied')
  const read = async () => {
    const owner = { merchant: { id: merchantId, home }, environment: 'test' } as unknown as Owner
    const [event] = await listEvents(app.db, owner, {}, { limit: 1 })
    const { data } = JSON.parse(eventBody(event!))
    return [data.reference, data.network_receipt]
  }
  const reference = toWire('pay', id)
  assert.deepEqual(await read(), [reference, null])
  await tell({ networkReceipt: 'S46121174212' })
  assert.deepEqual(await read(), [reference, 'S46121174212'])
  const { rows } = await app.owner.pool.query<{ phone: string }>('select phone_number as phone from payments where id = $1', [id])
  await erasePayer(app.deps, rows[0]!.phone)
  assert.deepEqual(await read(), [reference, null])
})

const receipts = ['S11111111111', 'S22222222222', 'S33333333333', 'S44444444444'] as const

/** Every kind of news of a success that does not credit, and what leads to it. */
const kept: {
  verdict: string
  before?: Partial<ChargeSnapshot>[]
  news?: Partial<ChargeSnapshot>
  isMessage: boolean
  status: string
}[] = [
  { verdict: 'to_confirm', isMessage: true, status: 'pending' },
  { verdict: 'to_confirm', before: [{ status: 'expired' }], isMessage: true, status: 'expired' },
  { verdict: 'amount_to_confirm', news: { amount: 1501 }, isMessage: true, status: 'processing' },
  { verdict: 'amount_to_confirm', news: { currency: 'USD' }, isMessage: true, status: 'processing' },
  { verdict: 'unproven', news: { amount: null }, isMessage: true, status: 'pending' },
  { verdict: 'amount_differs', news: { amount: 1501 }, isMessage: false, status: 'processing' },
  { verdict: 'held', before: [{ amount: 1501 }], isMessage: true, status: 'processing' },
  { verdict: 'contradicts', before: [{}], news: { amount: 1501 }, isMessage: true, status: 'completed' },
]

for (const { verdict, before = [], news = {}, isMessage, status } of kept) {
  test(`the receipt of any authentic success is kept and found: ${verdict} of ${JSON.stringify([...before, news])}`, async (t) => {
    const app = await startTestApp(t)
    const { id, merchantId, tell, read } = await open(app)
    for (const change of before) await tell(change)
    const source = isMessage ? { confirmAbove: 1000 } : {}
    assert.equal(await tell({ ...news, networkReceipt: receipts[0] }, source), verdict)
    const found = await read()
    assert.deepEqual([found.status, found.receipt, found.parts?.at(-1)], [status, receipts[0], `test ${merchantId}`])
    assert.deepEqual(
      (await findByCode(app.db, receipts[0], { limit: 5 })).map((one) => one.id),
      [id],
    )
    // Another number of a message that must be confirmed never replaces it.
    await tell({ ...news, networkReceipt: receipts[1] }, { confirmAbove: 1000 })
    assert.equal((await read()).receipt, receipts[0])
  })
}

test('the answer that credits replaces the receipt of a message that was not confirmed, also where it is searched', async () => {
  const app = await sharedApp()
  for (const answer of [{}, { amount: 1501 }]) {
    const { id, tell, read } = await open(app)
    await tell({ status: 'processing', networkReceipt: receipts[0] })
    assert.deepEqual(await read(), { status: 'processing', receipt: null, parts: null })
    assert.equal(await tell({ networkReceipt: receipts[1], amount: 1600 }, { confirmAbove: 1000 }), 'amount_to_confirm')
    await tell({ ...answer, networkReceipt: receipts[2] })
    assert.equal((await read()).receipt, receipts[2])
    const find = async (receipt: string) => (await findByCode(app.db, receipt, { limit: 9 })).map((one) => one.id)
    assert.deepEqual([await find(receipts[1]), (await find(receipts[2])).includes(id)], [[], true])
    await tell({ ...answer, networkReceipt: receipts[3] })
    assert.equal((await read()).receipt, receipts[2])
  }
})

test('the receipt of an erased payer does not come back with a late credit', async (t) => {
  const app = await startTestApp(t)
  const { id, tell, read } = await open(app)
  await tell({ status: 'expired' })
  assert.equal(await tell({ networkReceipt: receipts[0] }, { confirmAbove: 1000 }), 'to_confirm')
  const old = `update payments set created_at = created_at - interval '4 days' where id = $1 returning phone_number as phone`
  const { rows } = await app.owner.pool.query<{ phone: string }>(old, [id])
  await erasePayer(app.deps, rows[0]!.phone)
  assert.equal(await tell({ networkReceipt: receipts[1] }), 'applied')
  const erased = await read()
  assert.deepEqual([erased.status, erased.parts], ['completed', null])
  assert.notEqual(erased.receipt, receipts[1])
})

test('every payment has a short code that is derived from its id, cannot be written, and is the same in every answer', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const { data } = (await app.checkout((await app.page(student)).slug)).body
  assert.match(data.short_code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]$/)
  const status = (await app.call('GET', `/v1/payments/${data.reference}/status`)).body.data
  assert.equal(status.short_code, data.short_code)
  assert.ok(!('network_receipt' in status), 'the receipt number is for the payer’s receipt page')
  const owned = (await app.call('GET', `/v1/merchant/payments/${data.reference}?environment=test`, { token: student.token })).body
    .data
  assert.equal(owned.short_code, data.short_code)
  const id = fromWire('pay', data.reference)!
  const { rows } = await app.owner.pool.query('select short_code_of($1) as code, home from payments where id = $1', [id])
  assert.deepEqual(rows, [{ code: data.short_code, home: homeOfId(id) }])
  await assert.rejects(
    app.owner.pool.query(`update payments set short_code = '0000-0000-0' where id = $1`, [id]),
    /can only be updated to DEFAULT/,
  )
})

for (const name of providerNames) {
  test(`the number in the payer’s message about a late payment is found by the merchant and in the console, with ${name} [R12]`, async (t) => {
    const app = await startTestApp(t, { settings: { CHARGE_PROVIDER_TEST: name } })
    const student = await app.student()
    const page = await app.page(student)
    // Fails, then pays; and with no message about the payment, which only the list names.
    for (const isTold of [true, false]) {
      const { reference } = (await app.checkout(page.slug, { phone_number: isTold ? '0754000169' : '0754000111' })).body.data
      const paid = async () => (await app.truth(`?our_reference=${reference}`)).charges[0]
      if (!isTold) {
        const { reference: charge } = (await app.truth('?status=pending')).charges[0]
        await app.control('POST', `/charges/${charge}/answer`, { action: 'fail' })
        assert.equal((await app.settled(reference)).status, 'failed')
        await app.control('POST', '/hold', { webhooks: true })
        await app.control('POST', `/charges/${charge}/answer`, { action: 'complete' })
        await reconcileToday(app, 'charges', 0, name)
      }
      await eventually('the payment is credited late', async () => {
        const { status, late } = (await app.call('GET', `/v1/payments/${reference}/status`)).body.data
        return status === 'completed' && late
      })
      const { rows } = await app.owner.pool.query('select id from payments where network_receipt is null')
      assert.deepEqual(rows, [], JSON.stringify(await paid()))
      const receipt = (
        await app.owner.pool.query('select network_receipt as receipt from payments where id = $1', [fromWire('pay', reference)])
      ).rows[0].receipt as string
      for (const q of [receipt, receipt.toLowerCase(), receipt.slice(-6)]) {
        const found = await app.call('GET', `/v1/merchant/search?environment=test&q=${q}`, { token: student.token })
        assert.deepEqual(
          found.body.data.map((one: { id: string }) => one.id),
          [reference],
          q,
        )
      }
      const listed = await app.call('GET', `/v1/merchant/payments?environment=test&q=${receipt}`, { token: student.token })
      assert.deepEqual(
        listed.body.data.map((one: { reference: string }) => one.reference),
        [reference],
      )
      const console = await app.call('POST', '/v1/admin/search', { token: (await app.admin()).token, body: { q: receipt } })
      assert.deepEqual(
        console.body.data.map((one: { id: string }) => one.id),
        [reference],
      )
    }
  })
}
