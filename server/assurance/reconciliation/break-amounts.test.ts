/** Tests the amounts of breaks that operators read, for each form of evidence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breakKinds, type BreakKind } from '../../domain/break.ts'
import { amountsOf } from './break-amounts.ts'

const of = (kind: BreakKind, details: Record<string, unknown>, orderedAmount: number | null = null, unallocated = 0) => {
  const { expected, reported, reportedBy, booked, difference } = amountsOf({ kind, details, orderedAmount, unallocated })
  return [expected, reported, reportedBy, booked, difference]
}

test('an answer with another amount is compared with the order, and a message only until the provider answers', () => {
  const answered = { ordered: 1_500, amount: 1_400, currency: 'TZS', booked: 1_400, difference: -100 }
  assert.deepEqual(of('amount_differs', answered), [1_500, 1_400, 'provider', 1_400, -100])
  const said = { ordered: 1_500, message_amount: 9_000, message_currency: 'TZS', amount: null, currency: null, booked: 0 }
  assert.deepEqual(of('amount_differs', said), [1_500, 9_000, 'message', 0, 7_500])
  assert.deepEqual(of('payout_amount_differs', { our_amount: 5_000, amount: 6_000, currency: 'TZS', booked: 5_000 }), [
    5_000,
    6_000,
    'provider',
    5_000,
    1_000,
  ])
})

test('an amount in another currency is no amount in TZS', () => {
  assert.deepEqual(of('amount_differs', { ordered: 1_500, amount: 12, currency: 'USD', booked: 0 }), [
    1_500,
    null,
    'provider',
    0,
    null,
  ])
})

test('a record of the provider is compared with our books', () => {
  const both = {
    status_there: 'completed',
    amount_there: 900,
    currency_there: 'TZS',
    status_here: 'completed',
    amount_here: 1_000,
  }
  assert.deepEqual(of('settled_differs', both), [1_000, 900, 'provider', 1_000, -100])
  assert.deepEqual(of('settled_differs', { ...both, status_there: 'failed' }), [1_000, 0, 'provider', 1_000, -1_000])
  assert.deepEqual(of('missing_at_provider', { status_here: 'completed', amount_here: 700 }), [700, 0, 'provider', 700, -700])
  const unknown = { status_there: 'completed', amount_there: 7_000, currency_there: 'TZS', status_here: null, amount_here: null }
  assert.deepEqual(of('unknown_at_provider', unknown, null, 7_000), [0, 7_000, 'provider', 7_000, 7_000])
  assert.deepEqual(of('unknown_at_provider', { ...unknown, subject: 'payout' }, null, -7_000), [
    0,
    7_000,
    'provider',
    7_000,
    7_000,
  ])
})

test('a fee is compared with the quote, which is booked, or with the usual fee, which is not', () => {
  assert.deepEqual(of('fee_differs', { fee: 1_500, quoted_fee: 1_000, amount: 9_000 }), [1_000, 1_500, 'provider', 1_000, 500])
  assert.deepEqual(of('fee_differs', { fee: 1_500, expected_fee: 27, amount: 1_500 }), [27, 1_500, 'provider', 0, 1_473])
})

test('a balance has its own difference', () => {
  const balance = { reported: 900, expected_low: 1_000, expected_high: 1_200, difference: -100 }
  assert.deepEqual(of('balance_differs', balance), [null, 900, 'provider', null, -100])
})

test('without evidence nothing is guessed: only the order is known', () => {
  for (const kind of breakKinds) {
    const [, reported, , , difference] = of(kind, {}, 1_500)
    assert.equal(difference === null || kind === 'missing_at_provider', true, kind)
    assert.equal(reported === null || kind === 'missing_at_provider', true, kind)
  }
  assert.deepEqual(of('charge_unknown', { state: 'unknown' }, 1_500), [1_500, null, null, null, null])
})
