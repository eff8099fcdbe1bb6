/** Reading the code that people say aloud. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginningsOf, isMistyped } from './short-code.ts'

test('a whole code is checked by its last symbol, however it is typed', () => {
  for (const typed of ['7K3M-9QXA-7', '7k3m9qxa7', ' 7K3M 9QXA 7 ', '7-K3M-9qx-a7']) {
    assert.equal(isMistyped(typed), false, typed)
    assert.deepEqual(beginningsOf(typed), { part: '7K3M9QXA7', whole: ['7K3M-9QXA-7'], end: [] }, typed)
  }
  // One wrong symbol at any place, and two neighbours in the wrong order, change the check value.
  for (const typed of ['7K3M-9QXB-7', '8K3M-9QXA-7', 'K73M-9QXA-7', '7K3M-9QXA-8']) assert.equal(isMistyped(typed), true, typed)
  assert.deepEqual(beginningsOf('I0O1l2oL0')?.part, '100112010')
})

test('what cannot be a part of a code is none', () => {
  for (const typed of ['', '7K3M', '7K3M-9QXA-7B', 'HURUMA', '7K3M.9', 'pay_06g2v1d1']) {
    assert.equal(beginningsOf(typed), undefined, typed)
    assert.equal(isMistyped(typed), false, typed)
  }
})

test('a part of five symbols or more is found at every place of a code', () => {
  const code = '7K3M-9QXA-7'
  const plain = code.replaceAll('-', '')
  for (let length = 5; length <= 9; length += 1) {
    for (let place = 0; place + length <= 9; place += 1) {
      const { whole, end, part } = beginningsOf(plain.slice(place, place + length).toLowerCase())!
      assert.equal(part, plain.slice(place, place + length))
      const isFound = whole.some((one) => code.startsWith(one)) || end.some((one) => code.slice(3).startsWith(one))
      assert.ok(isFound, `${length} symbols from place ${place}`)
      assert.ok(whole.length + end.length <= 67)
    }
  }
})
