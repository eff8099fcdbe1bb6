/** Amounts that people type or paste, in the dashboards and on the command line, which cannot import the service's reader. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount } from '../cli/src/amount.ts'
import { figuresOf, wholeAmountOf } from '../dashboard/src/ui/figures-of.ts'
import { amountTyped } from '../server/domain/typed.ts'

test('a pasted amount is read as it was meant, and one that can be read in two ways is not read', () => {
  for (const text of [
    '50000',
    '50,000',
    '50,000/=',
    'TSh 50,000',
    'TSh. 50,000.00',
    'TSh.50,000',
    '50000.00',
    '50\u00a0000',
    '50000.0',
  ])
    assert.equal(figuresOf(text), '50000', text)
  for (const text of ['50.000', '50.000,00', '50000.50', '0.5']) assert.equal(figuresOf(text), '', text)
  // Typing in the field removes a digit of a group.
  assert.equal(figuresOf('1,00'), '100')
})

test('a corrected cell of a batch is read as the service reads a file', () => {
  const read = '50000|50,000|50,000/=|TSh 50,000|tshs. 50,000.00|TZS50000|50\u00a0000|50000.0|50 000 TZS|0|5000'
  const unread = '|50.000|50.000,00|5,00|50000.50|0754123456|-5000|5e3|50,00,000|12.5k|x'
  for (const text of `${read}|${unread}`.split('|')) assert.equal(wholeAmountOf(text) ?? null, amountTyped(text), text)
})

test('the command line reads a typed amount as the service does', () => {
  const texts =
    '50000|50,000|50,000/=|50,000/–|TSh 50,000|tshs. 50,000.00|TZS50000|50\u00a0000|５０，０００|\u202a50,000\u202c|50000.0|50 000 TZS|0|5000'
  for (const text of texts.split('|')) {
    assert.notEqual(readAmount(text), null, text)
    assert.equal(readAmount(text), amountTyped(text), text)
  }
  for (const text of ['', '50.000', '50.000,00', '5,00', '50000.50', '0754123456', '-5000', '5e3', '50,00,000', 'x'])
    assert.deepEqual([readAmount(text), amountTyped(text)], [null, null], text)
})
