/** Transactions as CSV: the content of the file, and protection against formulas in cells. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { share, startTestApp } from '../../../test/app.ts'
import { csvLines, wantsCsv } from '../../platform/http/csv.ts'
import { seedHistory } from '../../../test/fixtures/history.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { findPayments } from '../../collect/payments/list-payments.ts'
import type { Refusal } from '../../platform/refusal.ts'

const workingApp = share((ending) => startTestApp(ending, { worker: true }))

const csv = { accept: 'text/csv' }

test('a cell that a spreadsheet would calculate gets an apostrophe, a number does not', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '＝']) {
    const [cell] = csvLines([[`${start}1+1`]])
      .replace(/^"/, '')
      .split('\n')
    assert.ok(cell!.startsWith("'"), JSON.stringify(cell))
  }
  // A spreadsheet that is set to another separator ends the cell there.
  const split = {
    ';=1': ";'=1",
    'x;=1': "x;'=1",
    'x; "=1': 'x; "\'=1',
    'x|+1': "x|'+1",
    'x\t@a': "x\t'@a",
    'x\n-1': "x\n'-1",
    'x；＝1': "x；'＝1",
  }
  for (const [text, plain] of Object.entries({ ...split, ' =1': " '=1", '\u200b=1': "\u200b'=1", '"=1': '"\'=1', '−1': "'−1" })) {
    assert.equal(
      csvLines([[text]])
        .trimEnd()
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"'),
      plain,
    )
  }
  for (const text of ['Chai - 2', 'a=b', 'asha@udsm.ac.tz', 'Tsh 5; 6', '{"a":"-1"}'])
    assert.ok(!csvLines([[text]]).includes("'"), text)
  assert.equal(csvLines([[-5, 'a,b', 'say "so"', null, 'Neema – Ñ']]), '-5,"a,b","say ""so""",,Neema – Ñ\r\n')
})

test('CSV is sent only to a caller that asks for it by name', () => {
  const wants = (accept?: string) => wantsCsv({ headers: { accept } })
  for (const accept of ['text/csv', 'TEXT/CSV; q=0.9', 'text/csv, application/json', 'text/csv, */*;q=0.1'])
    assert.ok(wants(accept), accept)
  for (const accept of [undefined, '', '*/*', 'text/*', 'text/csv;q=0', 'application/json, text/csv;q=0.5', 'text/csvx'])
    assert.ok(!wants(accept), accept)
})

test('the file holds the filtered list, newest first, and no transactions of other owners', async () => {
  const app = await workingApp()
  const student = await app.student()
  const stranger = await app.student({ home: 7 })
  const { key } = await app.key(student)
  const page = await app.page(student, { amount: undefined, allow_custom_amount: true })
  const pay = async (fields: Record<string, unknown>) => {
    const { body } = await app.checkout(page.slug, fields)
    await app.settled(body.data.reference)
    return body.data.reference as string
  }
  const first = await pay({ amount: 700, customer_name: '=HYPERLINK("http://x")' })
  await pay({ amount: 900, customer_name: 'Asha, Binti' })
  const { body: listed } = await app.call('GET', '/v1/transactions', { key })

  const answer = await app.call('GET', '/v1/transactions?limit=1', { key, headers: csv })
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="transactions-start-\d{4}-\d{2}-\d{2}\.csv"$/)
  const [newest, oldest] = listed.data
  assert.equal(
    answer.body,
    [
      'id,type,direction,amount,currency,balance_after,reference,payment_page_id,payout_id,network,customer_name,customer_phone_masked,description,created_at,refund_id,short_code,network_receipt,merchant_reference,metadata,recipient_name',
      `${newest.id},payment,credit,900,TZS,1600,${newest.reference},${page.id},,mpesa,"Asha, Binti",0754 ••• 789,,${newest.created_at},,${newest.short_code},${newest.network_receipt},,{},`,
      `${oldest.id},payment,credit,700,TZS,700,${first},${page.id},,mpesa,"'=HYPERLINK(""http://x"")",0754 ••• 789,,${oldest.created_at},,${oldest.short_code},${oldest.network_receipt},,{},`,
      '',
    ].join('\r\n'),
  )

  const lines = async (query: string, apiKey = key) => {
    const { body } = await app.call('GET', `/v1/transactions?${query}`, { key: apiKey, headers: csv })
    return (body as string).split('\r\n').length - 2
  }
  assert.equal(await lines('min_amount=900'), 1)
  assert.equal(await lines('direction=debit'), 0)
  const [other, live] = [await app.key(stranger), await app.key(student, 'live')]
  assert.deepEqual([await lines('', other.key), await lines('', live.key)], [0, 0])

  const month = 'created_from=2026-01-01T00:00:00%2B03:00&created_to=2026-02-01T00:00:00%2B03:00'
  const named = await app.call('GET', `/v1/transactions?${month}`, { key, headers: csv })
  assert.equal(named.headers.get('content-disposition'), 'attachment; filename="transactions-2026-01-01-2026-01-31.csv"')
  const forged = await app.call('GET', '/v1/transactions?cursor=x.y', { key, headers: csv })
  assert.deepEqual([forged.status, forged.body.error.code], [400, 'cursor_invalid'])
  const head = await app.call('HEAD', '/v1/transactions', { key, headers: csv })
  assert.deepEqual([head.status, head.body], [200, ''])
})

test('a file for people has headings and words in their language, times in East Africa Time, and a mark for spreadsheets', async () => {
  const app = await workingApp()
  const student = await app.student()
  const { key } = await app.key(student)
  const page = await app.page(student, { title: 'Ada ya Ñandú' })
  const { body } = await app.checkout(page.slug, { customer_name: '=Asha' })
  await app.settled(body.data.reference)
  const fetchText = async (path: string): Promise<{ name: string; lines: string[] }> => {
    const answer = await fetch(`${app.config.urls.api}${path}`, { headers: { 'x-api-key': key, ...csv } })
    assert.equal(answer.status, 200)
    // The mark is dropped from the text by `text()`.
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
    return { name: answer.headers.get('content-disposition')!, lines: bytes.toString('utf8').slice(1).trimEnd().split('\r\n') }
  }
  const { data } = (await app.call('GET', `/v1/payments/${body.data.reference}`, { key })).body
  const eat = (time: string) => new Date(Date.parse(time) + 3 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')
  const payments = await fetchText('/v1/payments?csv_language=sw')
  assert.equal(
    payments.lines[0],
    'Muda (EAT),Hali,Kiasi (TZS),Kilichopokelewa (TZS),Kilichorejeshwa (TZS),Mlipaji,Simu ya mlipaji,Barua pepe ya mlipaji,Mtandao,Ukurasa,Maelezo ya muamala,Kumbukumbu yako,Kumbukumbu,Msimbo mfupi,Risiti ya mtandao,Majibu ya mlipaji,Yalikamilika (EAT)',
  )
  assert.ok(payments.lines[1]!.startsWith(`${eat(data.created_at)},Yamekamilika,${data.amount},`), payments.lines[1])
  assert.ok(payments.lines[1]!.includes(`,'=Asha,0754 ••• 789,`) && payments.lines[1]!.includes(',M-Pesa,Ada ya Ñandú,'))
  assert.match(payments.name, /"payments-test-start-\d{4}-\d{2}-\d{2}\.csv"/)
  const lines = await fetchText('/v1/transactions?csv_language=en&created_from=2026-01-01T00:00:00%2B03:00')
  assert.ok(lines.lines[0]!.startsWith('Time (EAT),Kind,In or out,Amount (TZS),Balance (TZS),Payer,'), lines.lines[0])
  assert.match(lines.lines[1]!, /^\d{4}-\d{2}-\d{2} \d{2}:\d{2},Payment,In,\d+,\d+,'=Asha,/)
  assert.match(lines.name, /"transactions-2026-01-01-\d{4}-\d{2}-\d{2}\.csv"/)
  const unknown = await app.call('GET', '/v1/payments?csv_language=fr', { key, headers: csv })
  assert.deepEqual([unknown.status, unknown.body.error.code], [400, 'validation_error'])
})

test('lines carry the codes and the merchant’s own data, in every form, and are found by them and by parts of them', async () => {
  const app = await workingApp()
  const [student, stranger] = [await app.student(), await app.student()]
  const [{ key }, other] = [await app.key(student), await app.key(stranger)]
  const post = async (path: string, idempotencyKey: string, body: object) => {
    const answer = await app.call('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body.data
  }
  const pay = async (merchant_reference: string) => {
    const order = { amount: 40_000, phone_number: '0754123789', description: 'Order', merchant_reference }
    const { reference } = await post('/v1/payments', merchant_reference, { ...order, metadata: { till: merchant_reference } })
    await app.settled(reference)
    return reference as string
  }
  const first = await pay('INV-1001')
  const second = await pay('INV-2002')
  await post(`/v1/payments/${first}/refunds`, 'r1', { amount: 6_000, merchant_reference: 'RET-1' })
  const to = { amount: 5_000, phone_number: '0754123123', recipient_name: 'Asha', reference: 'PAY-1', metadata: { run: '7' } }
  await post('/v1/payouts', 'p1', to)

  const lines = async (query: string, apiKey = key): Promise<any[]> => {
    const { status, body } = await app.call('GET', `/v1/transactions?direction=all&${query}`, { key: apiKey })
    assert.equal(status, 200, JSON.stringify(body))
    return body.data
  }
  const all = await lines('')
  const payment = (await app.call('GET', `/v1/payments/${first}`, { key })).body.data
  const codes = { short_code: payment.short_code, network_receipt: payment.network_receipt }
  const ofFirst = { ...codes, merchant_reference: 'INV-1001', metadata: { till: 'INV-1001' } }
  const ofPayout = { short_code: null, network_receipt: null, merchant_reference: 'PAY-1', metadata: { run: '7' } }
  const expected = new Map<string, object>([
    ['refund', ofFirst],
    ['payout', ofPayout],
  ])
  assert.match(payment.network_receipt, /^S\d+$/)
  for (const { type, reference, short_code, network_receipt, merchant_reference, metadata } of all) {
    const wanted = reference === first ? ofFirst : expected.get(type)
    if (wanted) assert.deepEqual({ short_code, network_receipt, merchant_reference, metadata }, wanted, type)
  }
  assert.ok(all.some(({ type }) => type === 'refund') && all.some(({ type }) => type === 'payout'))

  const ofBoth = all.filter(({ reference }) => reference === first)
  const searches = [
    first,
    payment.short_code,
    payment.short_code.toLowerCase().replaceAll('-', ''),
    payment.short_code.replaceAll('-', '').slice(2, 8),
    payment.network_receipt,
    'INV-1001',
    'nv-10',
  ]
  for (const q of searches) {
    assert.deepEqual(await lines(`q=${encodeURIComponent(q)}`), ofBoth, q)
    assert.deepEqual(await lines(`q=${encodeURIComponent(q)}&reference=${second}`), [], q)
    if (q !== 'nv-10') assert.deepEqual(await lines(`q=${encodeURIComponent(q)}`, other.key), [], q)
  }
  assert.deepEqual(
    await lines('q=inv-&type=payment'),
    all.filter(({ type }) => type === 'payment'),
  )
  assert.deepEqual(await lines('q=nothing'), [])

  const file = String((await app.call('GET', '/v1/transactions?direction=all&q=INV-1001', { key, headers: csv })).body)
  const own = `${payment.short_code},${payment.network_receipt},INV-1001,"{""till"":""INV-1001""}"`
  const rows = file.trimEnd().split('\r\n').slice(1)
  assert.deepEqual([rows.length, rows.every((row) => row.endsWith(`,${own},`))], [ofBoth.length, true])
  const month = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
  const statement = await app.call('GET', `/v1/merchant/statement?environment=test&month=${month}`, {
    token: student.token,
    headers: csv,
  })
  assert.equal(String(statement.body).split(own).length - 1, ofBoth.length)
})

test('a search that finds more payments than its lines can show is refused, so that a file of money is never cut', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, { count: 101, amount: 500, firstAt: '2025-01-01T00:00:00.000Z', everySeconds: 60 })
  const { key } = await app.key(student)
  const ask = (q: string) => app.call('GET', `/v1/transactions?q=${q}`, { key, headers: csv })
  const refused = await ask('payer')
  assert.deepEqual([refused.status, refused.body.error.param, refused.body.error.errors[0].code], [400, 'q', 'invalid'])
  assert.equal(
    String((await ask('payer%2010')).body)
      .trimEnd()
      .split('\r\n').length,
    1 + 3,
  )

  // Payment 10 is among the newest 95, payment 1 is not.
  const { rows } = await app.owner.pool.query('select home, id from merchants')
  const owner = { merchant: rows[0], environment: 'test' } as Owner
  assert.equal((await findPayments(app.db, owner, 'payer 10', 200)).length, 3)
  await assert.rejects(findPayments(app.db, owner, 'payer 10', 95), (refusal: Refusal) => {
    assert.match(refusal.detail.errors![0]!.message, /newest 95 payments only.*whole code, order number or phone number/)
    return refusal.httpStatus === 400
  })
  await assert.rejects(findPayments(app.db, owner, 'PAY-ZZZZ', 50), (refusal: Refusal) => refusal.httpStatus === 400)
  const { rows: oldest } = await app.owner.pool.query('select id, short_code from payments order by created_at limit 1')
  assert.deepEqual(await findPayments(app.db, owner, oldest[0].short_code, 50), [oldest[0].id])
})
