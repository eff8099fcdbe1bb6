/** What the signed-in owner reads beyond what a key can read: payments with their history, monthly statements, search. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { merchantOfUser } from '../server/accounts/identity/merchant.sql.ts'
import type { Merchant } from '../server/accounts/identity/merchant.ts'
import { findPagesByText } from '../server/collect/pages/page.sql.ts'
import { listOwnerPayments } from '../server/collect/payments/owner-payment.sql.ts'
import { settlementOf } from '../server/collect/payments/settlement.ts'
import type { Db, Runner } from '../server/platform/db/db.ts'
import { fromWire, homeOfId } from '../server/platform/ids.ts'
import { listTransactions, type TransactionFilter } from '../server/views/merchant-account/list-transactions.ts'
import { seedHistory } from './fixtures/history.ts'
import { registerBusiness } from './onboarding.ts'
import { rowsRead } from './rows-read.ts'
import { eventually, share, startTestApp, type Student, type TestApp } from './app.ts'
import { createTestDatabase } from './databases.ts'

const sharedApp = share(async (ending) =>
  startTestApp(ending, { database: await createTestDatabase({ plansAsInProduction: true }) }),
)

type Entry = { type: string; at: string; status?: string; [field: string]: unknown }

const read = async (app: TestApp, student: Student, path: string) => {
  const { status, body } = await app.call('GET', path, { token: student.token })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const personalMerchant = async (app: TestApp, { userId }: Student): Promise<Merchant> =>
  (await merchantOfUser(app.db, fromWire('usr', userId)!))!

async function receiver(t: TestContext, answers: number[]): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(answers.shift() ?? 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

test('the history of a payment shows the provider’s messages, the credit to the wallet, and who was notified', async (t) => {
  const app = await startTestApp(t, { worker: true, settings: { WEBHOOK_RETRY_DELAYS_SECONDS: '0.2,1,1,1' } })
  const student = await app.student()
  const { appId } = await app.key(student)
  const url = await receiver(t, [500])
  await app.call('POST', `/developers/apps/${appId}/webhook`, { token: student.token, body: { url } })
  const page = await app.page(student)
  const { reference } = (await app.checkout(page.slug)).body.data
  const path = `/v1/merchant/payments/${reference}?environment=test`
  const payment = await eventually('the webhook is delivered at the second attempt', async () => {
    const { data } = await read(app, student, path)
    return data.timeline.filter(({ type }: Entry) => type === 'webhook_attempt').length === 2 && data
  })
  const { timeline, ...facts } = payment
  assert.deepEqual(
    { ...facts, created_at: '', expires_at: '', completed_at: '', network_receipt: '', short_code: '' },
    {
      reference,
      status: 'completed',
      amount: 1500,
      currency: 'TZS',
      payment_page_id: page.id,
      payment_page: { id: page.id, title: 'Chai', slug: page.slug },
      payment_request_id: null,
      customer: { name: 'Juma Hamisi', email: 'juma@example.com', phone_masked: '0754 ••• 789' },
      network: 'mpesa',
      description: null,
      merchant_reference: null,
      metadata: {},
      custom_fields: [],
      failure: null,
      late: false,
      amount_received: null,
      credit_reversed_at: null,
      refunded_amount: 0,
      refund_status: 'none',
      under_review: null,
      hold: null,
      environment: 'test',
      created_at: '',
      expires_at: '',
      completed_at: '',
      network_receipt: '',
      short_code: '',
      fee: 0,
      net: 1500,
      refundable: 1500,
      // Below the minimum of the simulated provider.
      refundable_now: 0,
    },
  )
  assert.deepEqual(
    timeline.map(({ type, status, outcome, response_status, amount, balance_after }: Entry) =>
      [type, status ?? outcome, response_status ?? amount, balance_after].filter((part) => part !== undefined),
    ),
    [
      ['status', 'pending'],
      ['provider_message', 'completed'],
      ['status', 'completed'],
      ['transaction', 1500, 1500],
      ['event'],
      ['webhook_attempt', 'failed', 500],
      ['webhook_attempt', 'succeeded', 200],
    ],
  )
  const times = timeline.map(({ at }: Entry) => at)
  assert.deepEqual(times, times.toSorted())
  assert.equal(timeline.at(-1).app_id, appId)
  const { data: lines } = await read(app, student, '/v1/merchant/transactions?environment=test')
  assert.equal(timeline.find(({ type }: Entry) => type === 'transaction').transaction_id, lines[0].id)
  const { data: events } = await read(app, student, '/v1/merchant/events?type=payment.completed&environment=test')
  assert.equal(timeline.find(({ type }: Entry) => type === 'event').event_id, events[0].id)
  // The full number, the provider's fee and its own words are not shown here.
  assert.doesNotMatch(JSON.stringify(payment), /754123789|provider_fee|failure_reason/)
})

test('a failure, a late success and money under review each show in the history', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  const pay = async (suffix: string, isThere: (data: { status: string; late: boolean; under_review: boolean }) => boolean) => {
    const { reference } = (await app.checkout(page.slug, { phone_number: `+255754123${suffix}` })).body.data
    return eventually(`…${suffix} comes to its end`, async () => {
      const { data } = await read(app, student, `/v1/merchant/payments/${reference}?environment=test`)
      return isThere(data) && data
    })
  }
  const statesOf = ({ timeline }: { timeline: Entry[] }): unknown[] =>
    timeline.filter(({ type }) => type === 'provider_message').map(({ status, failure_code }) => [status, failure_code])
  const failed = await pay('049', ({ status }) => status === 'failed')
  assert.deepEqual([failed.failure.code, failed.failure.retryable], ['insufficient_funds', true])
  assert.deepEqual(statesOf(failed), [['failed', 'insufficient_funds']])
  assert.deepEqual([failed.timeline.at(-2).status, failed.timeline.at(-1).event_type], ['failed', 'payment.failed'])
  const late = await pay('169', ({ late: isLate }) => isLate)
  assert.deepEqual([late.status, statesOf(late).map((pair) => (pair as string[])[0])], ['completed', ['failed', 'completed']])
  const eventsOf = ({ timeline }: { timeline: Entry[] }) =>
    timeline.flatMap(({ type, event_type }) => (type === 'event' ? [event_type] : []))
  assert.deepEqual(eventsOf(late), ['payment.failed', 'payment.completed'])
  const open = await pay('000', () => true)
  const id = fromWire('pay', open.reference)!
  const source = {
    home: homeOfId(id),
    paymentId: id,
    environment: 'test' as const,
    provider: 'snippe',
    actor: 'test',
    requestId: 'r',
  }
  const { rows } = await app.owner.pool.query('select provider_reference from provider_charges where payment_id = $1', [id])
  const snapshot = {
    reference: rows[0].provider_reference,
    ourReference: null,
    status: 'completed' as const,
    amount: 1501,
    currency: 'TZS',
    fee: null,
    network: null,
    failure: null,
    expiresAt: null,
  }
  await app.deps.settle(settlementOf(source, snapshot, 60))
  const { data: held } = await read(app, student, `/v1/merchant/payments/${open.reference}?environment=test`)
  assert.deepEqual([held.status, held.under_review.reason], ['processing', 'amount_differs'])
  assert.ok(Date.parse(held.under_review.since) <= Date.now())
  assert.deepEqual(held.hold, { reason: 'under_review', since: held.under_review.since, until: null, who_can_act: 'operators' })
  assert.equal(
    held.timeline.some(({ type }: Entry) => type === 'transaction'),
    false,
  )
})

test('payments are listed newest first, by page and filter, and only to their owner', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const [chai, tea] = [await app.page(student), await app.page(student, { amount: 9000 })]
  const references: string[] = []
  for (const [slug, suffix] of [
    [chai.slug, '789'],
    [tea.slug, '789'],
    [chai.slug, '049'],
    [chai.slug, '789'],
  ]) {
    const { reference } = (await app.checkout(slug, { phone_number: `+255754123${suffix}` })).body.data
    await app.settled(reference)
    references.unshift(reference)
  }
  const list = async (query: string, who = student) => {
    const { data } = await read(app, who, `/v1/merchant/payments?environment=test&${query}`)
    return data.map(({ reference }: { reference: string }) => references.indexOf(reference))
  }
  assert.deepEqual(await list(''), [0, 1, 2, 3])
  assert.deepEqual(await list('status=failed'), [1])
  assert.deepEqual(await list(`payment_page_id=${tea.id}`), [2])
  assert.deepEqual(await list('min_amount=2000'), [2])
  assert.deepEqual(await list('max_amount=2000&status=completed'), [0, 3])
  assert.deepEqual(await list('', stranger), [])
  const first = await read(app, student, '/v1/merchant/payments?environment=test&limit=3')
  assert.deepEqual([first.data.length, first.has_more], [3, true])
  assert.deepEqual(await list(`cursor=${first.next_cursor}`), [3])
  for (const [who, environment] of [
    [stranger, 'test'],
    [student, 'live'],
  ] as const) {
    const path = `/v1/merchant/payments?environment=${environment}&cursor=${first.next_cursor}`
    assert.equal((await app.call('GET', path, { token: who.token })).body.error.code, 'cursor_invalid', path)
  }
  assert.deepEqual((await read(app, student, '/v1/merchant/payments')).data, [])

  for (const [query, field] of [
    ['status=paid', 'status'],
    ['payment_page_id=page_1', 'payment_page_id'],
    ['min_amount=1.5', 'min_amount'],
    ['colour=red', 'colour'],
  ]) {
    const { status, body } = await app.call('GET', `/v1/merchant/payments?${query}`, { token: student.token })
    assert.deepEqual([status, body.error.param], [400, field])
  }
  for (const path of [references[0], 'pay_nonsense', chai.id]) {
    const { status } = await app.call('GET', `/v1/merchant/payments/${path}?environment=test`, { token: stranger.token })
    assert.equal(status, 404, path)
  }
  assert.equal((await app.call('GET', `/v1/merchant/payments/${references[0]}`, { token: student.token })).status, 404)
})

test('a month opens with the closing balance of the previous one, and its lines add up', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  // One a day from 1 January 2026, 00:00 in Dar es Salaam, which is still 2025 in London.
  await seedHistory(app, page.id, { count: 100, amount: 1000, firstAt: '2025-12-31T21:00:00.000Z', everySeconds: 86_400 })
  const statement = async (month: string) =>
    (await read(app, student, `/v1/merchant/statement?environment=test&month=${month}`)).data
  const shown = async (month: string) => {
    const { opening_balance, closing_balance, total_credits, total_debits, transaction_count } = await statement(month)
    assert.equal(opening_balance + total_credits - total_debits, closing_balance)
    return [opening_balance, closing_balance, transaction_count]
  }
  assert.deepEqual(await shown('2025-12'), [0, 0, 0])
  assert.deepEqual(await shown('2026-01'), [0, 31_000, 31])
  assert.deepEqual(await shown('2026-02'), [31_000, 59_000, 28])
  assert.deepEqual(await shown('2026-03'), [59_000, 90_000, 31])
  assert.deepEqual(await shown('2026-04'), [90_000, 100_000, 10])
  assert.deepEqual(await shown('2026-05'), [100_000, 100_000, 0])
  const { from, to, is_final, totals, currency, month } = await statement('2026-02')
  assert.deepEqual(
    { from, to, is_final, totals, currency, month },
    {
      from: '2026-01-31T21:00:00.000Z',
      to: '2026-02-28T21:00:00.000Z',
      is_final: true,
      totals: [{ type: 'payment', direction: 'credit', count: 28, amount: 28_000 }],
      currency: 'TZS',
      month: '2026-02',
    },
  )
  const csv = await app.call('GET', '/v1/merchant/statement?environment=test&month=2026-02', {
    token: student.token,
    headers: { accept: 'text/csv' },
  })
  assert.match(csv.headers.get('content-disposition')!, /filename="statement-2026-02\.csv"/)
  const lines = String(csv.body).trim().split('\r\n')
  assert.equal(lines.length, 29)
  assert.ok(lines[1]!.includes('2026-02-27T21:00:00.000Z') && lines[28]!.includes('2026-01-31T21:00:00.000Z'))

  // Work in flight at midnight may still commit, so the statement is final a minute later.
  for (const [now, isFinal] of [
    ['2026-03-31T21:00:59.999Z', false],
    ['2026-03-31T21:01:00.000Z', true],
  ] as const) {
    await app.owner.pool.query(
      `create or replace function clock_now() returns timestamptz language sql stable as $$ select timestamptz '${now}' $$`,
    )
    assert.equal((await statement('2026-03')).is_final, isFinal, now)
  }
  await app.owner.pool.query(
    'create or replace function clock_now() returns timestamptz language sql stable as $$ select now() $$',
  )

  // The current month: the present balance of the wallet.
  await app.settled((await app.checkout(page.slug)).body.data.reference)
  const now = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
  const running = await statement(now)
  assert.deepEqual([running.is_final, running.closing_balance], [false, 101_500])
  const stranger = await app.student()
  assert.equal((await read(app, stranger, '/v1/merchant/statement?environment=test&month=2026-02')).data.closing_balance, 0)
  for (const wrong of ['2099-01', '2026-13', '2026', 'februari']) {
    const { status, body } = await app.call('GET', `/v1/merchant/statement?month=${wrong}`, { token: student.token })
    assert.deepEqual([status, body.error.param], [400, 'month'], wrong)
  }
})

test('a list for a period starts at that period, however much came later', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, { count: 20_000, amount: 500, firstAt: '2026-01-01T00:00:00.000Z', everySeconds: 600 })
  const query = 'environment=test&created_from=2026-01-02T00:00:00.000Z&created_to=2026-01-02T01:00:00.000Z&limit=4'
  const { data, has_more, next_cursor } = await read(app, student, `/v1/merchant/transactions?${query}`)
  assert.deepEqual(
    data.map(({ created_at }: { created_at: string }) => created_at.slice(11, 16)),
    ['00:50', '00:40', '00:30', '00:20'],
  )
  assert.equal(has_more, true)
  const rest = await read(app, student, `/v1/merchant/transactions?${query}&cursor=${next_cursor}`)
  assert.deepEqual(
    rest.data.map(({ created_at }: { created_at: string }) => created_at.slice(11, 16)),
    ['00:10', '00:00'],
  )

  const owner = { merchant: await personalMerchant(app, student), environment: 'test' as const }
  const transactions = (filter: Partial<TransactionFilter>) =>
    rowsRead(app, 'ledger_transfers', (db) =>
      listTransactions({ db: db as Db, cursors: app.deps.cursors }, owner, { direction: 'all', limit: 4, ...filter }),
    )
  const dates = { createdFrom: '2026-01-02T00:00:00.000Z', createdTo: '2026-01-02T01:00:00.000Z' }
  const oldest = (await read(app, student, `/v1/merchant/transactions?${query}&cursor=${next_cursor}`)).data.at(-1)
  const found = await read(app, student, `/v1/merchant/transactions?environment=test&reference=${oldest.reference}`)
  assert.deepEqual(found.data, [oldest])
  const payments = (db: Runner, range = {}) => listOwnerPayments(db, owner, {}, { limit: 20, among: 100_000, ...range })
  // PostgreSQL replans a statement for its first few values only; later it may use one plan for all values.
  for (let turn = 0; turn < 8; turn += 1) await payments(app.db)
  for (const [name, rows] of [
    ['transactions of a time', await transactions(dates)],
    ['the transaction of a payment', await transactions({ paymentIds: [fromWire('pay', oldest.reference)!] })],
    ['payments of a time', await rowsRead(app, 'payments', (db) => payments(db, { createdTo: dates.createdTo }))],
  ] as const) {
    assert.ok(rows > 0 && rows < 500, `${name}: ${rows} rows of 20,000 were read`)
  }
})

test('a line that waited for its account is in the list of its time', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, { count: 20, amount: 500, firstAt: '2026-01-01T00:00:00.000Z', everySeconds: 10 })
  await app.owner.pool.query(`update ledger_transfers set created_at = '2026-01-01T00:01:45.000Z' where credit_seq = 9`)
  const query = 'environment=test&created_from=2026-01-01T00:01:41.000Z&created_to=2026-01-01T00:02:00.000Z'
  const { data } = await read(app, student, `/v1/merchant/transactions?${query}`)
  assert.deepEqual(
    data.map(({ created_at }: { created_at: string }) => created_at.slice(14, 19)),
    ['01:50', '01:45'],
  )
})

test('search reads only the newest pages and payments', async () => {
  const app = await sharedApp()
  const student = await app.student()
  const page = await app.page(student, { title: 'Ankara za zamani' })
  await app.page(student, { title: 'Ankara mpya' })
  const owner = { merchant: await personalMerchant(app, student), environment: 'test' as const }
  const search = async (text: string, among: number) =>
    (await findPagesByText(app.db, owner, { text, among, limit: 10 })).map(({ title }) => title)
  assert.deepEqual(await search('ZAMANI', 2), ['Ankara za zamani'])
  assert.deepEqual(await search('zamani', 1), [])
  await Promise.all(['Neema', 'Asha'].map((customer_name) => app.checkout(page.slug, { customer_name })))
  const ofCustomer = async (text: string, among: number) =>
    (await listOwnerPayments(app.db, owner, { search: { text } }, { among, limit: 10 })).payments
  const newest = (await listOwnerPayments(app.db, owner, {}, { among: 10, limit: 10 })).payments.map(
    ({ customerName }) => customerName,
  )
  assert.equal((await ofCustomer(newest[0]!, 1)).length, 1)
  assert.equal((await ofCustomer(newest[1]!, 1)).length, 0)
})

test('search finds by id, number, name, e-mail, title and slug, and only objects of the owner', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student({ home: 7 }), await app.student({ home: 7 })]
  const page = await app.page(student, { title: 'Mkutano wa Vijana', slug: `mkutano-${Date.now()}` })
  const { reference } = (await app.checkout(page.slug, { customer_name: 'Neema O’Brien', customer_email: 'neema@example.com' }))
    .body.data
  await app.settled(reference)
  const [line] = (await read(app, student, '/v1/merchant/transactions?environment=test')).data
  const [event] = (await read(app, student, '/v1/merchant/events?type=payment.completed&environment=test')).data
  const find = async (q: string, who = student) =>
    (await read(app, who, `/v1/merchant/search?environment=test&q=${encodeURIComponent(q)}`)).data.map(
      ({ type, id, reference: of }: Record<string, string>) => `${type} ${id} ${of}`,
    )
  const payment = `payment ${reference} ${reference}`
  const ofPage = `payment_page ${page.id} null`
  const found: [string, string[]][] = [
    [reference, [payment]],
    [page.id, [ofPage]],
    [line.id, [`transaction ${line.id} ${reference}`]],
    [event.id, [`event ${event.id} ${reference}`]],
    ['0754 123 789', [payment]],
    ['+255754123789', [payment]],
    ['neema o', [payment]],
    ['NEEMA@', [payment]],
    ['vijana', [ofPage]],
    [page.slug, [ofPage]],
    ['  mkutano ', [ofPage]],
    ['0754 123 780', []],
    ['%', []],
    ["' or 1=1 --", []],
    ['pay_01jz8e6c9kf0x9v4m2n7q5t3ab', []],
  ]
  for (const [q, results] of found) {
    if (q.length > 1) assert.deepEqual(await find(q), results, q)
    if (q.length > 1) assert.deepEqual(await find(q, stranger), [], q)
  }
  for (const id of [reference, page.id, line.id, event.id]) {
    assert.deepEqual((await read(app, student, `/v1/merchant/search?environment=live&q=${id}`)).data, [], id)
  }
  for (const q of ['', ' a ', 'x'.repeat(201), 'ab\0c']) {
    const { status, body } = await app.call('GET', `/v1/merchant/search?q=${encodeURIComponent(q)}`, { token: student.token })
    assert.deepEqual([status, body.error.param], [400, 'q'], q)
  }
})

test('a business is read by who represents it, and by no one else', async () => {
  const app = await sharedApp()
  const [student, stranger] = [await app.student(), await app.student()]
  const business = await registerBusiness(app, student)
  for (const path of ['payments?', 'statement?month=2026-01&', 'search?q=ab&']) {
    const at = `/v1/merchant/${path}business_id=${business.id}`
    assert.equal((await app.call('GET', at, { token: student.token })).status, 200, path)
    assert.equal((await app.call('GET', at, { token: stranger.token })).status, 404, path)
    assert.equal((await app.call('GET', at)).status, 401, path)
  }
})
