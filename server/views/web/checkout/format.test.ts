import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateTime, money } from './format.ts'

test('money is grouped shillings without decimals', () => {
  assert.deepEqual([500, 25_000, 10_000_000].map(money), ['TSh 500', 'TSh 25,000', 'TSh 10,000,000'])
})

test('times are in East African time, with 24 hours, in the words of the language', () => {
  const time = new Date('2026-11-20T21:04:00Z')
  assert.equal(dateTime(time, 'sw'), '21 Novemba 2026, 00:04')
  assert.equal(dateTime(time, 'en'), '21 November 2026, 00:04')
})
