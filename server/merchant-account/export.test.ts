/** Transactions as CSV: the content of the file, and protection against formulas in cells. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestApp } from '../../test/app.ts'
import { csvLines, wantsCsv } from '../platform/http/csv.ts'

const csv = { accept: 'text/csv' }

test('a cell that a spreadsheet would calculate gets an apostrophe, a number does not', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '＝']) {
    const [cell] = csvLines([[`${start}1+1`]])
      .replace(/^"/, '')
      .split('\n')
    assert.ok(cell!.startsWith("'"), JSON.stringify(cell))
  }
  assert.equal(csvLines([[-5, 'a,b', 'say "so"', null, 'Neema – Ñ']]), '-5,"a,b","say ""so""",,Neema – Ñ\r\n')
})

test('CSV is sent only to a caller that asks for it by name', () => {
  const wants = (accept?: string) => wantsCsv({ headers: { accept } })
  for (const accept of ['text/csv', 'TEXT/CSV; q=0.9', 'text/csv, application/json', 'text/csv, */*;q=0.1'])
    assert.ok(wants(accept), accept)
  for (const accept of [undefined, '', '*/*', 'text/*', 'text/csv;q=0', 'application/json, text/csv;q=0.5', 'text/csvx'])
    assert.ok(!wants(accept), accept)
})

test('the file holds the filtered list, newest first, and no transactions of other owners', async (t) => {
  const app = await startTestApp(t, { worker: true })
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
      'id,type,direction,amount,currency,balance_after,reference,payment_page_id,payout_id,network,customer_name,customer_phone_masked,description,created_at,refund_id',
      `${newest.id},payment,credit,900,TZS,1600,${newest.reference},${page.id},,mpesa,"Asha, Binti",0754 ••• 789,,${newest.created_at},`,
      `${oldest.id},payment,credit,700,TZS,700,${first},${page.id},,mpesa,"'=HYPERLINK(""http://x"")",0754 ••• 789,,${oldest.created_at},`,
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
