import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gainOf, isWorse, orderOf, spreadOf } from '../bench/ratios.ts'

test('rounds of two commits run A B, B A, A B', () => {
  const order = [0, 1, 2, 3].flatMap((round) => orderOf(round, ['A', 'B']))
  assert.equal(order.join(' '), 'A B B A A B B A')
})

test('a spread is the median with the lowest and the highest ratio', () => {
  assert.deepEqual(spreadOf([1.2, 0.9, 1]), { median: 1, low: 0.9, high: 1.2, rounds: 3 })
})

test('a line is worse only if its whole spread is below 0.97, in five rounds at least', () => {
  assert.equal(isWorse(spreadOf([0.5, 0.7, 0.8, 0.9, 0.96])), true)
  assert.equal(isWorse(spreadOf([0.5, 0.7, 0.8, 0.9, 0.97])), false)
  assert.equal(isWorse(spreadOf([0.9, 0.91, 0.9, 0.9, 1.1])), false)
  assert.equal(isWorse(spreadOf([0.5, 0.5, 0.5, 0.5])), false)
})

test('a commit with twice the rate or half the time is twice as good', () => {
  assert.equal(gainOf(200, 100, 'higher'), 2)
  assert.equal(gainOf(50, 100, 'lower'), 2)
})
