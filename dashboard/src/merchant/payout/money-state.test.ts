/** What the screen of a payout says about its money. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { PayoutWithTimeline } from '../../api/operations.ts'
import { returnOf, reviewTextsOf } from './money-state.ts'

// What the language of the page is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } })
const texts = (await import(join(import.meta.dirname, 'texts.ts'))) as { payoutTexts: { say(key: string): string } }
const { say } = texts.payoutTexts

type Status = PayoutWithTimeline['status']
type Reason = NonNullable<PayoutWithTimeline['under_review']>['reason']

const review = (status: Status, reason: Reason): string =>
  reviewTextsOf({ status, under_review: { since: '2026-11-24T09:00:00Z', reason } })
    .map((key) => say(key))
    .join(' ')

test('the money of a payout under review is set aside only while the payout is in flight', () => {
  assert.match(review('processing', 'payout_unknown'), /its money stays set aside/)
  for (const [status, reason] of [
    ['completed', 'fee_differs'],
    ['completed', 'payout_amount_differs'],
    ['failed', 'payout_contradicts'],
    ['reversed', 'payout_contradicts'],
  ] as const) {
    assert.doesNotMatch(review(status, reason), /set aside/, `${status} ${reason}`)
    assert.match(review(status, reason), /Two of our operators will decide/)
  }
  assert.match(review('failed', 'payout_contradicts'), /New payouts wait until then/)
  assert.doesNotMatch(review('completed', 'fee_differs'), /New payouts/)
})

const line = (kind: string, amount: number) => ({ type: 'transaction', kind, amount, balance_after: amount })
const returned = (status: Status, ...timeline: object[]): number | undefined =>
  returnOf({ status, timeline: timeline as PayoutWithTimeline['timeline'] })?.amount

test('a payout that was paid after its money had returned is not shown as returned', () => {
  const [paid, back, again] = [line('payout', 20_000), line('payout_reversal', 21_500), line('payout_again', 21_500)]
  assert.equal(returned('completed', paid), undefined)
  for (const status of ['failed', 'reversed', 'cancelled'] as const) assert.equal(returned(status, paid, back), 21_500)
  assert.equal(returned('completed', paid, back, again), undefined)
  // It was paid with less than ordered, and then returned.
  assert.equal(returned('reversed', paid, back, again, line('payout_reversal', 20_500)), 20_500)
})
