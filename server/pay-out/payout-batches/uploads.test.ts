/** Files and items that become drafts, row by row, and what is refused as a whole. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { test } from 'node:test'
import { isRefusal } from '../../../test/refusals.ts'
import { sql } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { decideBatch } from './approve-batch.ts'
import { eventually, share, startTestApp, type TestApp } from '../../../test/app.ts'
import { providersOf } from '../../../test/fixtures/payouts.ts'
import {
  approve,
  ended,
  fileOf,
  header,
  itemsOf,
  readBatch,
  richStudent,
  rowOf,
  uploadCsv,
  uploadItems,
  withFees,
} from '../../../test/fixtures/batches.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads into answers freely
type Json = any

const payingApp = share((ending) => startTestApp(ending, { worker: true }))
const sharedApp = share((ending) => startTestApp(ending))

/** Uploads a file and returns its rows. */
async function rowsFrom(app: TestApp, key: string, file: string | Uint8Array): Promise<Json[]> {
  const made = await uploadCsv(app, key, file)
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return itemsOf(app, key, made.body.data.id)
}

const problemsOf = (rows: Json[]): [number, string | null, string, string | null][] =>
  rows.flatMap(({ line, errors }) => errors.map(({ column, code, value }: Json) => [line, column, code, value]))

test('a file may use comma, semicolon or tab, a byte order mark, quotes, and names in English or Swahili in any order', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const files = [
    'amount,phone_number,recipient_name,narration,reference\n10000,0754123789,Asha,Rent,R-1\n',
    '\ufeffAMOUNT;Phone;Name;Narration;Reference\r\n10000;0754 123 789;"Asha";Rent;R-1\r\n',
    'Jina\tSimu\tKiasi\tKumbukumbu\tMaelezo\nAsha\t255754123789\t10,000\tR-1\tRent',
    '\n"recipient name","amount","phone number",narration,reference\n\n"Asha","10 000","+255 754-123-789","Rent","R-1"\n,,,,\n',
    'namba,jina,kiasi,maelezo,kumbukumbu\n00255754123789, Asha ,10\u00a0000,Rent,R-1',
  ]
  for (const file of files) {
    const [row, ...more] = await rowsFrom(app, key, file)
    assert.deepEqual(
      [row.status, row.amount, row.phone_number, row.recipient_name, row.narration, row.reference, more.length],
      ['ready', 10_000, '+255754123789', 'Asha', 'Rent', 'R-1', 0],
      file,
    )
  }
})

test('files as spreadsheet programs write them are read: separator lines, titles, units, line numbers, empty columns, UTF-16, old types [R10]', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const plain = `${header},narration,reference\n10000,0754123789,Asha,Rent,R-1\n`
  const files: (string | Buffer)[] = [
    'sep=;\r\namount;phone;name;narration;reference\r\n10000;0754123789;Asha;Rent;R-1\r\n',
    '"sep=,"\namount,phone,name,narration,reference,\n10000.00,0754123789,Asha,Rent,R-1,\n',
    Buffer.from(`\ufeff${plain}`, 'utf16le'),
    Buffer.from(`\ufeff${plain.replaceAll(',', '\t')}`, 'utf16le').swap16(),
    'Mishahara; Machi, 2026, UDSM\n\n;;;;;\nS/N;Jina la mpokeaji;Phone No.;Amount (TZS);Maelezo;Ref\n1;Asha;0754123789;TSh 10,000/=;Rent;R-1\n',
    `Shule ya Mbezi,,,,,,\n"Ijumaa, 27/11/2026",,,,,,\nNo.,KIASI (TSH),Namba ya simu,Full name *,Narration,Reference,\n1,"10,000",0754123789,Asha,Rent,R-1,\n`,
    'amount|phone|name|narration|reference\n10000|0754123789|Asha|Rent|R-1\n',
  ]
  for (const file of files) {
    const [row, ...more] = await rowsFrom(app, key, file)
    assert.deepEqual(
      [row.status, row.amount, row.phone_number, row.recipient_name, row.narration, row.reference, more.length],
      ['ready', 10_000, '+255754123789', 'Asha', 'Rent', 'R-1', 0],
      String(file),
    )
  }
  for (const type of ['application/vnd.ms-excel', 'application/csv', 'text/csv; charset=utf-8', 'text/tab-separated-values']) {
    const made = await uploadCsv(app, key, plain, { headers: { 'content-type': type } })
    assert.deepEqual([made.status, made.body.data?.rows, made.body.data?.rows_invalid], [201, 1, 0], type)
  }
  const workbook = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4, 20, 0]), Buffer.alloc(500, 1)])
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  isRefusal(await uploadCsv(app, key, workbook, { headers: { 'content-type': type } }), 400, 'file_type_unsupported')
  // The lines are counted as an editor shows them, and a cell without a column is never dropped.
  const titled = await rowsFrom(app, key, `Orodha\n\n${header},\n10000,0754123789,Asha,\n10000,0754123788,Juma,Rent\n`)
  assert.deepEqual(
    titled.map(({ line, errors }) => [line, errors.map(({ code }: Json) => code)]),
    [
      [4, []],
      [5, ['too_many_cells']],
    ],
  )
})

test('the result file of a batch and the export of payouts come back as a batch, with the texts and numbers that they had [R10]', async () => {
  const app = await payingApp()
  const { key, token } = await richStudent(app)
  const csv = { headers: { accept: 'text/csv' } }
  // The payouts of these numbers fail, so that the rows are offered again.
  const lines = ['10000,+255754001089,Asha,-5% ya Machi;-2,+255', "12000,+255754002089,Ng'ombe,,", '9000,0754003789,Juma,,']
  const made = await uploadCsv(app, key, [`${header},narration,reference`, ...lines].join('\n'))
  const { id } = await withFees(app, key, made.body.data.id)
  await app.call('PATCH', `/v1/payout-batches/${id}/items/3`, { key, body: { removed: true } })
  assert.equal((await approve(app, token, id)).status, 200)
  await ended(app, key, id)
  const paths = ['', '?csv_language=en', '?csv_language=sw'].flatMap((query) => [
    `/v1/payout-batches/${id}/items${query}`,
    `/v1/payouts${query}`,
  ])
  const files = await Promise.all(paths.map(async (path) => String((await app.call('GET', path, { key, ...csv })).body)))
  for (const file of files) assert.ok(file.includes("'+255754001089"), file)
  const expected = [
    ['ready', 10_000, '+255754001089', 'Asha', '-5% ya Machi;-2', '+255'],
    ['ready', 12_000, '+255754002089', "Ng'ombe", null, null],
  ]
  for (const file of files) {
    const rows = await rowsFrom(app, key, file)
    assert.deepEqual(
      rows
        .map(({ status, amount, phone_number, recipient_name, narration, reference }) => [
          status,
          amount,
          phone_number,
          recipient_name,
          narration,
          reference,
        ])
        .toSorted((one, other) => one[1] - other[1]),
      expected,
      file,
    )
  }
})

test('a result file or an export sent again pays no completed row twice: it is left out with a reason, and what failed is offered again [R10, R11]', async () => {
  const app = await payingApp()
  const { key, token } = await richStudent(app)
  const lines = [rowOf(11), rowOf(12, '089'), rowOf(13, '309')]
  const made = await uploadCsv(app, key, [header, ...lines].join('\n'))
  const { id } = await withFees(app, key, made.body.data.id)
  assert.equal((await approve(app, token, id)).status, 200)
  await ended(app, key, id)
  await eventually('the third row came back', async () => (await readBatch(app, key, id)).progress.failed === 2)
  const paths = ['', '?csv_language=en', '?csv_language=sw'].flatMap((query) => [
    `/v1/payout-batches/${id}/items${query}`,
    `/v1/payouts${query}`,
  ])
  const files = await Promise.all(
    paths.map(async (path) => String((await app.call('GET', path, { key, headers: { accept: 'text/csv' } })).body)),
  )
  const paid = (await itemsOf(app, key, id))[0].payout_id
  const seen = (rows: Json[]) =>
    Object.fromEntries(
      rows.map(({ phone_number, status, errors }) => [phone_number, [status, ...errors.map(({ code }: Json) => code)]]),
    )
  for (const file of files) {
    const again = (await uploadCsv(app, key, file)).body.data
    assert.deepEqual([again.rows, again.rows_left_out, again.rows_invalid, again.total], [2, 1, 0, 20_000], file)
    assert.deepEqual(seen(await itemsOf(app, key, again.id)), {
      '+255754011789': ['removed', 'already_paid'],
      '+255754012089': ['ready'],
      '+255754013309': ['ready'],
    })
  }
  // What the payout is now counts, and not what the file says of it.
  const [result] = files as [string]
  const edited = (await uploadCsv(app, key, result.replace(',completed,', ',failed,'))).body.data
  const [row] = await itemsOf(app, key, edited.id, '&status=removed')
  assert.deepEqual(
    row.errors.map(({ column, code, value }: Json) => [column, code, value]),
    [[null, 'already_paid', paid]],
  )
  assert.match(row.errors[0].message, /was paid already, as po_.* put it back to pay it again/)
  // On purpose.
  const back = await app.call('PATCH', `/v1/payout-batches/${edited.id}/items/${row.row}`, { key, body: {} })
  assert.deepEqual([back.body.data.status, back.body.data.errors], ['ready', []])
  const draft = await readBatch(app, key, edited.id)
  assert.deepEqual([draft.rows, draft.rows_left_out, draft.total], [3, 0, 30_000])

  // What was left out is still counted when the rest is paid.
  const rest = (await uploadCsv(app, key, result)).body.data
  await withFees(app, key, rest.id)
  assert.equal((await approve(app, token, rest.id)).status, 200)
  assert.equal((await ended(app, key, rest.id)).rows_left_out, 1)

  // Of a payout that the wallet does not have, the file is believed: in doubt nothing is paid.
  const stranger = await richStudent(app)
  const rowsOfStranger = async (file: string) => seen(await rowsFrom(app, stranger.key, file))['+255754011789']
  assert.deepEqual(await rowsOfStranger(result), ['removed', 'already_paid'])
  assert.deepEqual(await rowsOfStranger(result.replace(',completed,', ',processing,')), ['removed', 'payout_under_way'])
  assert.deepEqual(await rowsOfStranger(result.replace(',completed,', ',cancelled,')), ['ready'])
  // A column of that name in a file of the merchant says nothing about our payouts.
  assert.deepEqual(await rowsOfStranger(`status,${header}\ncompleted,${rowOf(11)}\n`), ['ready'])
})

test('a row that failed is not offered again once another payout has repeated it, and a file of the test environment says nothing about live money', async (t) => {
  const app = await startTestApp(t, { settings: { PAYOUT_APPROVAL_ABOVE: '1' } })
  const student = await richStudent(app)
  const { key } = student
  const ask = async (): Promise<string> => {
    const body = { amount: 10_000, phone_number: '+255754011789', recipient_name: 'Asha Mushi', merchant_reference: 'W-1' }
    const made = await app.call('POST', '/v1/payouts', { key, body, headers: { 'idempotency-key': randomUUID() } })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.data.id
  }
  const cancel = async (id: string) => assert.equal((await app.call('POST', `/v1/payouts/${id}/cancel`, { key })).status, 200)
  const first = await ask()
  const waiting = String((await app.call('GET', '/v1/payouts', { key, headers: { accept: 'text/csv' } })).body)
  await cancel(first)
  const cancelled = String((await app.call('GET', '/v1/payouts', { key, headers: { accept: 'text/csv' } })).body)
  const fateOf = async (file: string, by = key) =>
    (await rowsFrom(app, by, file)).map(({ status, errors }) => [
      status,
      ...errors.map(({ code, value }: Json) => `${code} ${value}`),
    ])
  for (const file of [waiting, cancelled]) assert.deepEqual(await fateOf(file), [['ready']])
  const second = await ask()
  for (const file of [waiting, cancelled]) assert.deepEqual(await fateOf(file), [['removed', `payout_under_way ${second}`]])
  const live = (await app.key(student, 'live')).key
  assert.deepEqual(await fateOf(waiting, live), [['ready']])
  await cancel(second)
  assert.deepEqual(await fateOf(cancelled), [['ready']])
})

test('no file is an error of ours: garbage and damaged files of every kind are drafts or named refusals', async () => {
  const app = await sharedApp()
  // The generator of Park and Miller: the same files in every run.
  let state = 42
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  const pick = <Item>(from: readonly Item[]): Item => from[Math.floor(random() * from.length)]!
  const pieces = [
    'sep=;',
    'sep=',
    '"',
    '""',
    "'",
    ',',
    ';',
    '\t',
    '|',
    '\n',
    '\r\n',
    '\r',
    '\ufeff',
    '\0',
    '\u2028',
    '=',
    '%PDF-',
    'PK\u0003\u0004',
    '<',
    'amount',
    'Phone No.',
    'jina',
    header,
    `${header}\n`,
    rowOf(1),
    "'+255754000123",
    '__proto__',
    'constructor',
    '\ud800',
    'ﷺ',
    '\t'.repeat(900),
  ]
  const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => Math.floor(random() * 256)))
  const damaged = (file: Buffer): Buffer => {
    const place = Math.floor(random() * file.length)
    return Buffer.concat([
      file.subarray(0, place),
      bytes(Math.floor(random() * 4)),
      file.subarray(place + Math.floor(random() * 4)),
    ])
  }
  const text = () => Array.from({ length: 1 + Math.floor(random() * 30) }, () => pick(pieces)).join(pick(['', '', ',', '\n']))
  const kinds = [
    () => bytes(Math.floor(random() * 300)),
    () => Buffer.from(text()),
    () => Buffer.from(`\ufeff${text()}`, 'utf16le'),
    () => damaged(Buffer.from(fileOf(3))),
    () => damaged(Buffer.from(`\ufeff${fileOf(3)}`, 'utf16le').swap16()),
    () => Buffer.from(`${header}\n${text()}`),
  ]
  const codes = new Set<string>()
  // oxlint-disable no-await-in-loop -- one after the other, so that a failure names its file
  let key = ''
  for (let run = 0; run < 240; run += 1) {
    // A wallet may make only so many drafts in a minute.
    if (run % 40 === 0) ({ key } = await richStudent(app))
    const file = kinds[run % kinds.length]!()
    const answer = await uploadCsv(app, key, file)
    assert.ok([201, 400].includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)} ${file.toString('base64')}`)
    codes.add(answer.status === 201 ? 'draft' : answer.body.error.code)
  }
  for (const code of ['draft', 'batch_empty', 'csv_header_invalid', 'csv_invalid', 'file_encoding_unsupported']) {
    assert.ok(codes.has(code), `${code} was not reached: ${[...codes].join(', ')}`)
  }
})

test('a row with an error names its line, column, code and the value that was sent, and refuses no other row', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const file = [
    'amount,phone_number,recipient_name,narration',
    '10000,0754123789,Asha,',
    '10000.50,0754123789,Asha,',
    '1e4,0754123789,Asha,',
    '"10,00",0754123789,Asha,',
    '010000,0754123789,Asha,',
    '-10000,0754123789,Asha,',
    ',0754123789,Asha,',
    '100,0754123789,Asha,',
    '99000000,0754123789,Asha,',
    '10000,12345,Asha,',
    '10000,2.55754E+11,Asha,',
    '10000,0732123789,Asha,',
    '10000,0754123789,,',
    '10000,0754123789,"two',
    'lines",',
    '10000,0754123789,Asha,Rent,more',
    `10000,0754123789,${'x'.repeat(500)},`,
    '10000,0754123788,Juma,',
  ].join('\n')
  const rows = await rowsFrom(app, key, file)
  assert.deepEqual(problemsOf(rows), [
    [3, 'amount', 'amount_invalid', '10000.50'],
    [4, 'amount', 'amount_invalid', '1e4'],
    [5, 'amount', 'amount_invalid', '10,00'],
    [6, 'amount', 'amount_invalid', '010000'],
    [7, 'amount', 'amount_invalid', '-10000'],
    [8, 'amount', 'amount_required', ''],
    [9, 'amount', 'amount_too_small', '100'],
    [10, 'amount', 'amount_too_large', '99000000'],
    [11, 'phone_number', 'phone_invalid', '12345'],
    [12, 'phone_number', 'phone_invalid', '2.55754E+11'],
    [13, 'phone_number', 'network_unsupported', '0732123789'],
    [14, 'recipient_name', 'required', null],
    [15, 'recipient_name', 'invalid', 'two\nlines'],
    [17, null, 'too_many_cells', null],
    [18, 'recipient_name', 'invalid', 'x'.repeat(100)],
  ])
  assert.deepEqual(
    rows.filter(({ status }) => status === 'ready').map(({ row, line }) => [row, line]),
    [
      [1, 2],
      [17, 19],
    ],
  )
  const { data } = (await app.call('GET', '/v1/payout-batches', { key })).body
  assert.deepEqual([data[0].rows, data[0].rows_invalid, data[0].total], [17, 15, 20_000])
})

test('items of JSON are checked one by one in the same way', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const good = { amount: 10_000, phone_number: '0754123789', recipient_name: 'Asha' }
  const rawBody = JSON.stringify({
    title: 'Mishahara',
    items: [good, { ...good, amount: '10000' }, { ...good, colour: 'red' }, 7, null, { ...good, recipient_name: '=1+1' }, {}],
  }).replace(/\]\}$/, ',{"amount":1e4,"phone_number":"0754123789","recipient_name":"Asha"}]}')
  const made = await app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    rawBody,
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.equal(made.body.data.title, 'Mishahara')
  const rows = await itemsOf(app, key, made.body.data.id)
  assert.deepEqual(
    rows.map(({ errors }) => errors.map(({ column, code }: Json) => `${column} ${code}`)),
    [
      [],
      ['amount amount_invalid'],
      ['colour unknown_field'],
      ['null invalid', 'amount amount_required', 'phone_number required', 'recipient_name required'],
      ['null invalid', 'amount amount_required', 'phone_number required', 'recipient_name required'],
      ['recipient_name formula_not_allowed'],
      ['amount amount_required', 'phone_number required', 'recipient_name required'],
      ['amount amount_invalid'],
    ],
  )
  isRefusal(await uploadItems(app, key, []), 400, 'batch_empty')
  isRefusal(await uploadItems(app, key, [good], { colour: 'red' }), 400, 'validation_error')
  isRefusal(
    await uploadItems(
      app,
      key,
      Array.from({ length: 10_001 }, () => good),
    ),
    400,
    'batch_too_large',
  )
})

/** Sends the start of a body and then 64 KiB at a time, as long as the answer has not come; returns it and the bytes sent. */
function sendEndless(
  app: TestApp,
  key: string,
  start: string,
  mebibytes: number,
): Promise<{ status: number; body: Json; sent: number }> {
  const url = new URL('/v1/payout-batches', app.config.urls.api)
  const chunk = 'a'.repeat(65_536)
  return new Promise((resolve, reject) => {
    let sent = 0
    const sending = request(url, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
    })
    sending.on('error', reject)
    sending.on('response', (response) => {
      let text = ''
      response.on('data', (part) => (text += part))
      response.on('end', () => {
        sending.destroy()
        resolve({ status: response.statusCode!, body: JSON.parse(text), sent })
      })
    })
    const send = (): void => {
      if (sending.destroyed || sent >= mebibytes * 1_048_576) return void sending.end()
      sent += chunk.length
      sending.write(chunk, send)
    }
    sending.write(start, send)
  })
}

test('formula cells, a line of 10 MB, NUL, amounts of 1e9, wrong encodings and archives are named errors, and nothing is paid [A97]', async () => {
  const app = await sharedApp()
  const { key, token } = await richStudent(app)

  const formulas = ['=cmd|calc!A0', '@SUM(1)', '+cmd', '-cmd', '= 1', '"=HYPERLINK(""http://evil"")"']
  const file = [`${header},narration,reference`, ...formulas.map((cell) => `10000,0754123789,${cell},${cell},${cell}`)].join('\n')
  const drafted = await uploadCsv(app, key, file)
  assert.equal(drafted.body.data.rows_invalid, formulas.length)
  for (const { errors } of await itemsOf(app, key, drafted.body.data.id)) {
    assert.deepEqual(
      errors.map(({ column, code }: Json) => `${column} ${code}`),
      ['recipient_name formula_not_allowed', 'narration formula_not_allowed', 'reference formula_not_allowed'],
    )
  }
  const formulaAmounts = await rowsFrom(app, key, `${header}\n=10000,0754123789,Asha\n10000,=0754123789,Asha`)
  assert.deepEqual(problemsOf(formulaAmounts), [
    [2, 'amount', 'amount_invalid', '=10000'],
    [3, 'phone_number', 'phone_invalid', '=0754123789'],
  ])
  isRefusal(await approve(app, token, drafted.body.data.id), 409, 'invalid_state')

  const long = await sendEndless(app, key, `${header}\n10000,0754123789,`, 10)
  assert.deepEqual([long.status, long.body.error.code], [400, 'csv_line_too_long'])
  assert.deepEqual(long.body.error.details, { line: 2 })
  const longHeader = await sendEndless(app, key, 'amount,', 10)
  assert.deepEqual([longHeader.status, longHeader.body.error.code], [400, 'csv_line_too_long'])

  isRefusal(await uploadCsv(app, key, `${header}\n10000,0754123789,As\0ha`), 400, 'file_encoding_unsupported')

  const huge = await rowsFrom(
    app,
    key,
    `${header}\n1e9,0754123789,Asha\n1000000000,0754123789,Asha\n"1,000,000,000",0754123789,Asha`,
  )
  assert.deepEqual(problemsOf(huge), [
    [2, 'amount', 'amount_invalid', '1e9'],
    [3, 'amount', 'amount_too_large', '1000000000'],
    [4, 'amount', 'amount_too_large', '1,000,000,000'],
  ])

  const text = `${header}\n10000,0754123789,Ásha`
  const wrongBytes = [
    Buffer.from(text, 'utf16le'),
    Buffer.concat([Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from([0x41])]),
    Buffer.from(`\ufeff${text}\0`, 'utf16le').swap16(),
    Buffer.from(text, 'latin1'),
    Buffer.concat([Buffer.from(text), Buffer.from([0xc3])]),
  ]
  for (const bytes of wrongBytes) isRefusal(await uploadCsv(app, key, bytes), 400, 'file_encoding_unsupported')

  const archives = [
    Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4, 20, 0]), Buffer.alloc(500, 1)]),
    Buffer.concat([Buffer.from([0xd0, 0xcf, 0x11, 0xe0]), Buffer.alloc(500, 1)]),
    Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.alloc(500, 1)]),
    Buffer.from('%PDF-1.7\n'),
    Buffer.from('<html><table><tr><td>amount</td></tr></table>'),
  ]
  for (const bytes of archives) isRefusal(await uploadCsv(app, key, bytes), 400, 'file_type_unsupported')

  assert.deepEqual(await providersOf(app), [])
  const { rows } = await app.owner.pool.query('select count(*)::integer as count from payouts')
  assert.deepEqual(rows, [{ count: 0 }])
})

test('a header must name every column that is needed, once, and no other', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const cases: [string, Json][] = [
    ['amount,name\n10000,Asha', { missing: ['phone_number'], twice: [], unknown: [] }],
    ['amount,phone,simu,name\n1,2,3,4', { missing: [], twice: ['phone_number'], unknown: [] }],
    ['amount,phone,name,salary\n1,2,3,4', { missing: [], twice: [], unknown: ['salary'] }],
    ['', { missing: ['amount', 'phone_number', 'recipient_name'], twice: [], unknown: [] }],
  ]
  for (const [file, details] of cases) {
    const answer = await uploadCsv(app, key, file === '' ? '\n' : file)
    isRefusal(answer, 400, 'csv_header_invalid')
    assert.deepEqual(answer.body.error.details, details)
  }
  isRefusal(await uploadCsv(app, key, `${header}\n`), 400, 'batch_empty')
  const broken = await uploadCsv(app, key, `${header}\n10000,0754123789,"Asha\n10000,0754123789,Juma`)
  isRefusal(broken, 400, 'csv_invalid')
  isRefusal(await uploadCsv(app, key, fileOf(10_001)), 400, 'batch_too_large')
})

test('a file of more than 8 MiB is refused while it arrives', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const line = `10000,0754123789,${'x'.repeat(110)},${'y'.repeat(130)},${'z'.repeat(90)}\n`
  const file = `${header},narration,reference\n${line.repeat(30_000)}`
  assert.ok(file.length > 8 * 1_048_576)
  isRefusal(await uploadCsv(app, key, file), 400, 'batch_too_large')
  const padded = `${header}\n${'\n'.repeat(9 * 1_048_576)}`
  isRefusal(await uploadCsv(app, key, padded), 413, 'payload_too_large')
  const json = JSON.stringify({ items: ['x'.repeat(8 * 1_048_576)] })
  const answer = await app.call('POST', '/v1/payout-batches', {
    key,
    headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    rawBody: json,
  })
  isRefusal(answer, 413, 'payload_too_large')
  assert.match(answer.body.error.message, /8 MiB/)
})

test('one key makes one batch: a repeat finds it, and another file under the key is refused', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const file = fileOf(20)
  const send = (body: string, query = '') => uploadCsv(app, key, body, { key: 'salaries', query })
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(file, '?title=Machi')))
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  const again = await send(file, '?title=Machi')
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed'), again.body.data.title], [200, 'true', 'Machi'])
  isRefusal(await send(fileOf(21), '?title=Machi'), 422, 'idempotency_key_reused')
  isRefusal(await send(file, '?title=Aprili'), 422, 'idempotency_key_reused')
  const without = await app.call('POST', '/v1/payout-batches', { key, headers: { 'content-type': 'text/csv' }, rawBody: file })
  isRefusal(without, 400, 'idempotency_key_required')
  // The same rows as JSON, with the phone written in another way.
  const items = Array.from({ length: 20 }, (_, index) => {
    const [amount, phone, name] = rowOf(index + 1).split(',')
    return { amount: Number(amount), phone_number: phone!.replace('+255', '0'), recipient_name: name }
  })
  const replayed = await uploadItems(app, key, items, { title: 'Machi' }, 'salaries')
  assert.equal(replayed.status, 200)
  // In another wallet the key is free.
  assert.equal((await uploadCsv(app, (await richStudent(app)).key, file, { key: 'salaries' })).status, 201)
})

test('a repeat finds its batch also when no new one may be made', async (t) => {
  const app = await startTestApp(t, { settings: { RATE_LIMIT_QUOTAS: 'payout=1/600' } })
  const { key } = await app.key(await app.student())
  const send = (name: string) => uploadCsv(app, key, fileOf(2), { key: name })
  assert.equal((await send('salaries')).status, 201)
  isRefusal(await send('others'), 429, 'rate_limited')
  const again = await send('salaries')
  assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [200, 'true'])
})

test('rows with one phone and one amount, and a file that was sent before, are warnings', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const file = [header, rowOf(1), rowOf(2), rowOf(1), rowOf(1, '789', 12_000), rowOf(1)].join('\n')
  const made = await uploadCsv(app, key, file)
  assert.equal(made.body.data.rows_with_warnings, 2)
  const rows = await itemsOf(app, key, made.body.data.id)
  assert.deepEqual(
    rows.map(({ warnings }) => warnings.map(({ code }: Json) => code)),
    [[], [], ['duplicate_row'], [], ['duplicate_row']],
  )
  assert.match(rows[4].warnings[0].message, /^Row 1 /)
  const twin = await uploadCsv(app, key, file)
  assert.deepEqual(
    twin.body.data.warnings.map(({ code, batch_id }: Json) => [code, batch_id]),
    [['same_file', made.body.data.id]],
  )
  assert.deepEqual((await readBatch(app, key, made.body.data.id)).warnings, [])
})

test('rows of a draft are changed and removed until none has an error, and the sums follow', async () => {
  const app = await sharedApp()
  const { key, token } = await richStudent(app)
  const file = [`${header},reference`, `${rowOf(1)},`, '10000,12345,Asha,=R', `${rowOf(3)},x,too many`, `${rowOf(4)},`].join('\n')
  const { id } = (await uploadCsv(app, key, file)).body.data
  const correct = (row: number | string, body: Json) => app.call('PATCH', `/v1/payout-batches/${id}/items/${row}`, { key, body })
  const first = await correct(2, { phone_number: '0754002789' })
  assert.deepEqual([first.status, first.body.data.status, first.body.data.errors.length], [200, 'invalid', 1])
  const named = await correct(2, { merchant_reference: 'R-2' })
  assert.deepEqual([named.body.data.status, named.body.data.merchant_reference], ['ready', 'R-2'])
  const second = await correct(2, { reference: 'R-3' })
  assert.deepEqual([second.body.data.status, second.body.data.phone_number], ['ready', '+255754002789'])
  // The cells of a row with too many may stand in the wrong columns.
  assert.equal((await correct(3, { reference: null })).body.data.status, 'invalid')
  assert.equal(
    (await correct(3, { amount: 11_000, phone_number: '0754003789', recipient_name: 'Neema' })).body.data.status,
    'ready',
  )
  assert.equal((await correct(4, { removed: true })).body.data.status, 'removed')
  isRefusal(await correct(4, { removed: true, amount: 5 }), 400, 'validation_error')
  isRefusal(await correct(5, { amount: 10_000 }), 404, 'not_found')
  isRefusal(await correct('x', { amount: 10_000 }), 404, 'not_found')
  isRefusal(await correct(1, { colour: 'red' }), 400, 'validation_error')
  assert.equal((await correct(1, { amount: '10000' })).body.data.errors[0].code, 'amount_invalid')
  isRefusal(await approve(app, token, id), 409, 'invalid_state')
  assert.equal((await correct(1, { amount: 20_000 })).body.data.status, 'ready')
  const batch = await withFees(app, key, id)
  assert.deepEqual([batch.rows, batch.rows_invalid, batch.total], [3, 0, 41_000])
  assert.equal(batch.total_debited, batch.total + batch.fees)
  // A draft without rows is not approved.
  const empty = (await uploadCsv(app, key, fileOf(1))).body.data.id
  await app.call('PATCH', `/v1/payout-batches/${empty}/items/1`, { key, body: { removed: true } })
  const ofNothing = await approve(app, token, empty)
  isRefusal(ofNothing, 409, 'invalid_state')
  assert.match(ofNothing.body.error.message, /All rows/)
  const items = await itemsOf(app, key, id)
  assert.equal(
    items.reduce((sum, { status, fee }) => sum + (status === 'ready' ? fee : 0), 0),
    batch.fees,
  )
})

test('a draft is deleted by its owner alone, and is then gone with its rows', async () => {
  const app = await sharedApp()
  const [one, other] = [await richStudent(app), await richStudent(app)]
  const { id } = (await uploadCsv(app, one.key, fileOf(3))).body.data
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/items'],
    ['PATCH', '/items/1'],
    ['POST', '/submit'],
    ['POST', '/stop'],
    ['DELETE', ''],
  ] as const) {
    const body = method === 'PATCH' ? { removed: true } : undefined
    isRefusal(await app.call(method, `/v1/payout-batches/${id}${path}`, { key: other.key, body }), 404, 'not_found')
    isRefusal(await app.call(method, `/v1/payout-batches/${id}${path}`, { body }), 401, 'authentication_required')
  }
  isRefusal(await approve(app, other.token, id), 404, 'not_found')
  // Before anything is said about the form of a body.
  const decide = (token: string, verdict: string, body: Json) =>
    app.call('POST', `/v1/merchant/payout-batches/${id}/${verdict}?environment=test`, { token, body })
  isRefusal(await decide(other.token, 'approve', {}), 404, 'not_found')
  isRefusal(await app.call('GET', '/v1/payout-batches/pb_x', { key: one.key }), 404, 'not_found')
  // A draft is deleted, and not refused.
  isRefusal(await decide(one.token, 'refuse', { version: 1, reason: 'No' }), 409, 'invalid_state')
  const path = `/v1/payout-batches/${id}`
  isRefusal(await app.call('POST', `${path}/stop`, { key: one.key }), 409, 'invalid_state')
  assert.equal((await app.call('GET', path, { key: one.key })).body.data.status, 'draft')
  const gone = await app.call('DELETE', `/v1/payout-batches/${id}`, { key: one.key })
  assert.deepEqual([gone.status, gone.body.data], [200, { id }])
  isRefusal(await app.call('GET', `/v1/payout-batches/${id}`, { key: one.key }), 404, 'not_found')
  // A decision that comes after the draft has gone.
  const late = await app.db.tx((tx) => tx.rows<{ home: number; id: string }>(sql`select home, id from merchants limit 1`))
  const decision = { verdict: 'refuse', version: 1, reason: 'No', who: { userId: one.userId, sessionId: one.userId } } as never
  const by = {
    decision,
    origin: { actor: 'test', requestId: 'req_test' },
    newRecipientWaitSeconds: 0,
    confirm: async () => undefined,
  }
  const owner = { merchant: late[0], environment: 'test' } as never
  await assert.rejects(decideBatch(app.deps, owner, fromWire('pb', id)!, by as never), { code: 'not_found' })
  const { rows } = await app.owner.pool.query(
    'select count(*)::integer as count from payout_batch_rows r where not exists (select from payout_batches b where b.id = r.batch_id)',
  )
  assert.deepEqual(rows, [{ count: 0 }])
})

test('batches and their rows are listed page by page, and a foreign cursor is refused', async () => {
  const app = await sharedApp()
  const { key } = await richStudent(app)
  const ids: string[] = []
  for (let count = 1; count <= 3; count += 1) ids.unshift((await uploadCsv(app, key, fileOf(count))).body.data.id)
  const list = (query: string) => app.call('GET', `/v1/payout-batches?limit=2${query}`, { key })
  const first = (await list('')).body
  const second = (await list(`&cursor=${first.next_cursor}`)).body
  assert.deepEqual(
    [...first.data, ...second.data].map((batch: Json) => batch.id),
    ids,
  )
  assert.deepEqual([first.has_more, second.has_more], [true, false])
  assert.equal((await list('&status=running')).body.data.length, 0)
  const items = (query: string) => app.call('GET', `/v1/payout-batches/${ids[0]}/items?limit=2${query}`, { key })
  const page = (await items('')).body
  assert.deepEqual([page.data.length, page.has_more], [2, true])
  assert.deepEqual(
    (await items(`&cursor=${page.next_cursor}`)).body.data.map(({ row }: Json) => row),
    [3],
  )
  isRefusal(await items(`&cursor=${first.next_cursor}`), 400, 'cursor_invalid')
})
