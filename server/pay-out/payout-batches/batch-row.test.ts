/** How a row is read: each cell, and what an item of a JSON body may be. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cellsOfItem, readRow, shown, type RowSource } from './batch-row.ts'

const good = { amount: 10_000, phone_number: '0754123789', recipient_name: 'Asha' }

const errorsOf = (change: Record<string, unknown>, source: RowSource = 'json') =>
  readRow({ ...good, ...(source === 'file' && { amount: '10000' }), ...change }, source, 500).errors.map(
    ({ column, code, value }) => `${column} ${code} ${value}`,
  )

test('a row with the right cells has no errors, and each wrong one is named with what was sent', () => {
  assert.deepEqual(readRow({ ...good, narration: ' ', reference: null }, 'json', 500), {
    amount: 10_000,
    phoneNumber: '+255754123789',
    network: 'mpesa',
    recipientName: 'Asha',
    narration: null,
    reference: null,
    errors: [],
  })
  assert.deepEqual(errorsOf({ amount: '10,000' }, 'file'), [])
  assert.deepEqual(errorsOf({ amount: '10000' }), ['amount amount_invalid 10000'])
  assert.deepEqual(errorsOf({ amount: 100 }), ['amount amount_too_small 100'])
  assert.deepEqual(errorsOf({ amount: 10.5 }), ['amount amount_invalid 10.5'])
  assert.deepEqual(errorsOf({ amount: Number('1e999') }), ['amount amount_invalid null'])
  for (const none of [null, undefined, '', ' ']) {
    assert.deepEqual(errorsOf({ amount: none }), [`amount amount_required ${none ?? null}`])
    assert.deepEqual(errorsOf({ phone_number: none }), [`phone_number required ${none ?? null}`])
    assert.deepEqual(errorsOf({ recipient_name: none }), ['recipient_name required null'])
  }
  assert.deepEqual(errorsOf({ phone_number: 754_123_789 }), ['phone_number phone_invalid 754123789'])
  assert.deepEqual(errorsOf({ phone_number: `0754123789${' '.repeat(60)}` }), [
    `phone_number phone_invalid 0754123789${' '.repeat(60)}`,
  ])
  assert.deepEqual(errorsOf({ phone_number: '12' }), ['phone_number phone_invalid 12'])
  for (const number of ['75412345.0', '754123456.0', '25575412345.0', '2.55754E+11'])
    assert.deepEqual(errorsOf({ phone_number: number }, 'file'), [`phone_number phone_invalid ${number}`])
  assert.deepEqual(errorsOf({ recipient_name: 7 }), ['recipient_name invalid 7'])
  assert.deepEqual(errorsOf({ narration: '=1+1' }), ['narration formula_not_allowed =1+1'])
})

test('an item may name its reference in two ways, which must agree, and has no other fields', () => {
  const of = (item: unknown) => {
    const { typed, errors } = cellsOfItem(item)
    return [typed.reference ?? null, errors.map(({ column, code, value }) => `${column} ${code} ${value}`)]
  }
  assert.deepEqual(of({ ...good, reference: 'R-1' }), ['R-1', []])
  assert.deepEqual(of({ ...good, merchant_reference: 'R-1' }), ['R-1', []])
  assert.deepEqual(of({ ...good, merchant_reference: 'R-1', reference: 'R-1' }), ['R-1', []])
  assert.deepEqual(of({ ...good, merchant_reference: 'R-1', reference: null }), ['R-1', []])
  assert.deepEqual(of({ ...good, merchant_reference: null, reference: 'R-2' }), ['R-2', []])
  assert.deepEqual(of({ ...good, merchant_reference: 'R-1', reference: 'R-2' }), ['R-1', ['reference invalid R-1']])
  assert.deepEqual(of({ ...good, colour: 'red' }), [null, ['colour unknown_field red']])
  for (const item of [7, null, [good], 'x']) assert.deepEqual(of(item), [null, [`null invalid ${shown(item)}`]])
})
