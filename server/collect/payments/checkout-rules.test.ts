import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount, readCurrency } from './checkout-rules.ts'

const fixed = { amount: 1500, allowCustomAmount: false, minAmount: 500, maxAmount: null }
const custom = { amount: null, allowCustomAmount: true, minAmount: 1000, maxAmount: 50_000 }
const suggested = { ...custom, amount: 5000 }

const codeOf = (page: typeof fixed | typeof custom | typeof suggested, sent: unknown) => {
  const reading = readAmount(page, sent)
  return reading.kind === 'amount' ? reading.amount : reading.error.code
}

test('a page with a fixed amount needs no amount and refuses another amount', () => {
  assert.equal(codeOf(fixed, undefined), 1500)
  assert.equal(codeOf(fixed, null), 1500)
  assert.equal(codeOf(fixed, 1500), 1500)
  assert.equal(codeOf(fixed, 1501), 'amount_mismatch')
  assert.equal(codeOf(fixed, 499), 'amount_too_small')
})

test('a suggested amount is not used when the payer sends no amount', () => {
  assert.equal(codeOf(suggested, undefined), 'amount_required')
  assert.equal(codeOf(suggested, null), 'amount_required')
  assert.equal(codeOf(suggested, 7000), 7000)
})

test('the limits of the page apply, or the ceiling when the page has no limit', () => {
  assert.equal(codeOf(custom, 999), 'amount_too_small')
  assert.equal(codeOf(custom, 50_001), 'amount_too_large')
  assert.equal(codeOf({ ...custom, maxAmount: null as unknown as number }, 10_000_001), 'amount_too_large')
  assert.equal(codeOf(custom, 0), 'amount_too_small')
  assert.equal(codeOf(custom, -1), 'amount_too_small')
})

test('only whole numbers are accepted as amounts', () => {
  for (const sent of ['1000', 1000.5, Number.NaN, true, [], {}, Number.MAX_SAFE_INTEGER + 1])
    assert.equal(codeOf(custom, sent), 'amount_invalid', JSON.stringify(sent))
})

test('the currency is TZS or omitted', () => {
  for (const sent of [undefined, null, 'TZS']) assert.equal(readCurrency(sent).kind, 'currency', JSON.stringify(sent))
  for (const sent of ['USD', 'tzs', '', 5]) assert.equal(readCurrency(sent).kind, 'broken', JSON.stringify(sent))
})
