/** What the screen of a payment says while operators look at it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { MerchantPayment } from '../../api/operations.ts'
import { reviewTextsOf } from './review-texts.ts'

// What the language of the page is read from.
Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } })
const texts = (await import(join(import.meta.dirname, 'texts.ts'))) as { paymentTexts: { say(key: string): string } }
const { say } = texts.paymentTexts

type Reason = NonNullable<MerchantPayment['under_review']>['reason']

const said = (status: MerchantPayment['status'], reason: Reason): string =>
  reviewTextsOf({ status, under_review: { since: '2026-11-24T09:00:00Z', reason } })
    .map((key) => say(key))
    .join(' ')

test('another amount is not called arrived money: only a message may name it', () => {
  const text = said('processing', 'amount_differs')
  assert.match(text, /names another amount .* Nothing is credited to your wallet until this is resolved/)
  assert.doesNotMatch(text, /arrived|safe/)
})

test('a payment that was credited meanwhile is not called uncredited', () => {
  for (const reason of ['amount_differs', 'settled_differs'] as const) {
    assert.match(said('completed', reason), /The network and our books differ/)
    assert.doesNotMatch(said('completed', reason), /credited/)
  }
})
