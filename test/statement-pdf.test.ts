/** The statement of a month on paper: it equals the statement, each line links to its cause, and a very long month is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { ended, header, richStudent, running } from './fixtures/batches.ts'
import { seedHistory } from './fixtures/history.ts'
import { startTestApp, type Student, type TestApp } from './app.ts'

type Paper = { pages: string[][]; links: string[]; bytes: number }

async function fetchPaper(app: TestApp, { token }: Student, month: string): Promise<Paper & { name: string }> {
  const response = await fetch(`${app.config.urls.api}/v1/merchant/statement?environment=test&month=${month}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/pdf' },
  })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/pdf')
  const bytes = new Uint8Array(await response.arrayBuffer())
  const size = bytes.length
  const document = await getDocument({ data: bytes, useSystemFonts: true, verbosity: 0 }).promise
  const paper: Paper = { pages: [], links: [], bytes: size }
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    paper.pages.push(items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item.str] : [])))
    const annotations = (await page.getAnnotations()) as { url?: string }[]
    paper.links.push(...annotations.flatMap(({ url }) => url ?? []))
  }
  await document.cleanup()
  return { ...paper, name: response.headers.get('content-disposition')! }
}

test('a month on paper equals the statement, and each line links to its cause', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, {
    count: 120,
    amount: 1000,
    firstAt: '2026-01-31T21:00:00.000Z',
    everySeconds: 3600,
    customerName: `case n when 2 then 'Zoë 😀 Mushi' else 'Payer ' || n end`,
  })
  await app.owner.pool.query(
    `update payments set merchant_reference = 'ORDER-1001', metadata = '{"till":"7"}' where phone_number = '+255754000003'`,
  )
  const paper = await fetchPaper(app, student, '2026-02')
  assert.match(paper.name, /filename="statement-2026-02\.pdf"/)
  const text = paper.pages.flat().join('\n')
  const { data } = (await app.call('GET', '/v1/merchant/statement?environment=test&month=2026-02', { token: student.token })).body
  assert.equal(data.transaction_count, 120)
  for (const part of [
    'Salio la kuanzia · Opening balance',
    'TSh 0',
    'TSh 120,000',
    'Malipo · Payment (120)',
    'TEST: this is no real money',
    '2026-02',
    'Zoë ? Mushi',
    'ORDER-1001',
  ])
    assert.ok(text.includes(part), part)
  assert.ok(!text.includes('TSh -0'))
  assert.equal(text.match(/pay_[0-9a-z]{26}/g)!.length, 120)
  assert.equal(text.match(/^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z*~$=]/gm)!.length, 120)
  assert.ok(!text.includes('till'))
  assert.equal(text.match(/\+1,000/g)!.length, 120)
  assert.ok(paper.pages.length >= 2 && paper.pages.every((lines) => lines.some((line) => line.startsWith('Ukurasa · Page'))))
  const { data: newest } = (await app.call('GET', '/v1/merchant/transactions?environment=test&limit=1', { token: student.token }))
    .body
  assert.equal(paper.links.length, 120)
  assert.equal(paper.links[0], `${app.config.urls.api}/dashboard/me/test/payments/${newest[0].reference}`)

  const empty = await fetchPaper(app, student, '2026-01')
  assert.deepEqual([empty.pages.length, empty.links], [1, []])
})

test('names in letters of other languages are printed, Arabic ones from the right, and a payout names its recipient [R13]', async (t) => {
  const app = await startTestApp(t, { worker: true })
  const student = await richStudent(app)
  const month = new Date(Date.now() + 3 * 3_600_000).toISOString().slice(0, 7)
  const before = await fetchPaper(app, student, month)
  const names = ['Ngʼombe Ngʻombe', 'Łukasz Żak', 'محمد علي', 'Asha محمد', 'محمد Asha ٢٠٢٦', '漢 Mushi']
  const rows = names.map((name, place) => `10000,+255754${String(place).padStart(3, '0')}789,${name},Mshahara`)
  await ended(app, student.key, (await running(app, student, [`${header},narration`, ...rows].join('\n'))).id)
  const paper = await fetchPaper(app, student, month)
  const text = paper.pages.flat().map((line) => line.replaceAll('\u00a0', ' '))
  // As they stand on the paper, from the left; within an Arabic run, as they are read.
  for (const printed of ['Ngʼombe Ngʼombe', 'Łukasz Żak', 'محمد علي', '? Mushi']) {
    assert.ok(text.includes(printed), `${printed} in ${text.join('\n')}`)
  }
  assert.ok(text.some((line) => line.includes('Asha') && line.includes('محمد') && !line.includes('2026')))
  assert.ok(text.some((line) => line.includes('2026') && line.includes('محمد')))
  assert.ok(paper.bytes - before.bytes < 60_000, `${paper.bytes - before.bytes} bytes more`)
  const { data } = (
    await app.call('GET', '/v1/merchant/transactions?environment=test&type=payout&direction=all', { token: student.token })
  ).body
  assert.deepEqual(data.map((line: { recipient_name: string }) => line.recipient_name).toSorted(), names.toSorted())
})

test('a month with too many lines to print is refused, and a caller who may not read it gets no paper', async (t) => {
  const app = await startTestApp(t)
  const student = await app.student()
  const page = await app.page(student)
  await seedHistory(app, page.id, { count: 10_001, amount: 500, firstAt: '2026-02-01T00:00:00.000Z', everySeconds: 60 })
  const ask = (headers: Record<string, string>, query = 'month=2026-02', token = student.token) =>
    app.call('GET', `/v1/merchant/statement?environment=test&${query}`, { token, headers })
  const refused = await ask({ accept: 'application/pdf' })
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'statement_too_long'])
  assert.equal((await ask({ accept: 'text/csv' })).status, 200)
  const stranger = await app.student()
  const business = await ask(
    { accept: 'application/pdf' },
    'month=2026-02&business_id=biz_01jz8e6c9kf0x9v4m2n7q5t3ab',
    stranger.token,
  )
  assert.equal(business.status, 404)
})
