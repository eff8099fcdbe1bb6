/** How a file becomes rows: what is read in each cell, what stands around the rows, and what is refused. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { batchRows, readCsv } from './read-csv.ts'

const read = (...chunks: (string | Buffer)[]) => readCsv(Readable.from(chunks.map((chunk) => Buffer.from(chunk as string))))
const byteByByte = (file: Buffer) => read(...Array.from(file, (byte) => Buffer.from([byte])))
const header = 'amount,phone_number,recipient_name'
const row = '10000,0754123789,Asha'
const asha = { amount: '10000', phone_number: '0754123789', recipient_name: 'Asha' }

test('a row has the cells of its columns, without the marks of a spreadsheet and without columns that are not asked for', async () => {
  const [first, second, ...more] = await read(`No.,${header},\n1,'10000,'0754123789,Asha,\n2,${row},more\n`)
  assert.deepEqual([first!.line, first!.typed, first!.hasMore, more], [2, asha, false, []])
  assert.deepEqual([second!.line, second!.typed, second!.hasMore], [3, asha, true])
})

test('a file is read in whatever pieces it arrives', async () => {
  const text = `${header}\n${row}`
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  for (const file of [Buffer.from(text), utf16, Buffer.from(utf16).swap16()]) {
    const rows = await byteByByte(file)
    assert.deepEqual(
      rows.map(({ typed }) => typed),
      [asha],
    )
  }
  // The last two digits arrive alone.
  const [last] = await read('phone_number,recipient_name,amount\n0754123789,Asha,100', '00')
  assert.equal(last!.typed.amount, '10000')
  const workbook = Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 1, 1])
  await assert.rejects(byteByByte(workbook), { code: 'file_type_unsupported' })
  await assert.rejects(read('<'.repeat(9)), { code: 'file_type_unsupported', message: /^This is a web page, / })
})

test('rows that a person removed are left out of our own files, and only of those', async () => {
  const named = async (file: string) => (await read(file)).map(({ typed }) => typed.recipient_name)
  const rows = '\nremoved,,10000,0754123789,Asha\nready,,10000,0754123789,Juma'
  assert.deepEqual(await named(`status,payout_id,${header}${rows}`), ['Juma'])
  assert.deepEqual(await named(`status,narration,${header}${rows}`.replace('narration', 'reference')), ['Asha', 'Juma'])
})

test('a header that cannot be used is refused with all that is wrong with it', async () => {
  const problemsOf = async (file: string): Promise<string> => {
    const error = await read(file).then(
      () => assert.fail('it was read'),
      (refusal: Error & { code: string }) => refusal,
    )
    assert.equal(error.code, 'csv_header_invalid')
    return /\((.*)\)\.$/.exec(error.message)![1]!
  }
  assert.equal(await problemsOf('amount,name\n10000,Asha'), 'missing: phone_number')
  assert.equal(await problemsOf('amount,phone,simu,name\n1,2,3,4'), 'twice: phone_number')
  assert.equal(await problemsOf('amount,phone,name,salary\n1,2,3,4'), 'unknown: "salary"')
  assert.equal(await problemsOf('amount,kiasi,salary'), 'missing: phone_number, recipient_name; twice: amount; unknown: "salary"')
  assert.equal(await problemsOf('x'), 'missing: amount, phone_number, recipient_name; unknown: "x"')
  const titles = (count: number): string => Array.from({ length: count }, (_, line) => `Mishahara ${line}\n`).join('')
  assert.equal((await read(`${titles(19)}${header}\n${row}`)).length, 1)
  assert.match(await problemsOf(`${titles(20)}${header}\n${row}`), /^missing: /)
})

test('a file is refused when it has more than a batch may have, or a NUL', async () => {
  assert.equal((await read(`${header}\n`, `${row}\n`.repeat(batchRows))).length, batchRows)
  await assert.rejects(read(`${header}\n`, `${row}\n`.repeat(batchRows + 1)), { code: 'batch_too_large' })
  await assert.rejects(read(`${header}\n`, '\n'.repeat(8 * 1_048_576)), { code: 'payload_too_large' })
  await assert.rejects(read(`${header}\n10000,0754123789,As\0ha`), { code: 'file_encoding_unsupported' })
})
