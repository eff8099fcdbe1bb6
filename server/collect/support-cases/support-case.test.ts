/** The rules of support cases: what follows from an answer of the provider, when a case is asked about again, and what its payer sees. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conclude, publicCaseOf, type Conclusion } from './support-case.ts'

type Asked = Parameters<typeof conclude>[0]
type Learned = Parameters<typeof conclude>[1]

const fresh: Asked = { smsNumber: 'S46121174212', state: 'asking', questions: 1, ageSeconds: 2 }
const nothing = { networkReceipt: null, isOfAnother: false }
const after = (learned: Partial<Learned> & Pick<Learned, 'truth'>, one: Partial<Asked> = {}): Conclusion =>
  conclude({ ...fresh, ...one }, { ...nothing, ...learned })
const operators = (because: string, finding: string | null, nextSeconds: number | null = null) => ({
  kind: 'with_operators',
  because,
  finding,
  nextSeconds,
})

test('a payment that was received answers the case, unless the number is that of other money', () => {
  const truth = { kind: 'received' } as const
  const answered = { kind: 'answered', finding: 'received' }
  assert.deepEqual(after({ truth, networkReceipt: 's4612-1174212' }), answered)
  assert.deepEqual(after({ truth }), answered, 'the receipt is not known')
  assert.deepEqual(after({ truth, networkReceipt: 'S1' }, { smsNumber: null }), answered, 'the number was erased')
  assert.deepEqual(after({ truth, networkReceipt: 'S1' }), operators('number_differs', 'received'))
  assert.deepEqual(after({ truth, isOfAnother: true }), operators('number_of_another', 'received'))
})

test('a failure with proof answers the case, unless the number is that of another payment; held money needs a person', () => {
  const truth = { kind: 'no_money' } as const
  assert.deepEqual(after({ truth }), { kind: 'answered', finding: 'no_money' })
  assert.deepEqual(after({ truth, isOfAnother: true }), operators('number_of_another', 'no_money'))
  assert.deepEqual(after({ truth: { kind: 'held' } }), operators('money_held', null))
})

test('without proof the machine asks once more while the payer waits, and operators get the case within a minute', () => {
  const again = { kind: 'ask_again', nextSeconds: 20 }
  for (const [kind, because] of [
    ['open', 'still_open'],
    ['not_found', 'not_found'],
    ['no_answer', 'no_answer'],
  ] as const) {
    assert.deepEqual(after({ truth: { kind } }), again, kind)
    assert.deepEqual(after({ truth: { kind } }, { questions: 2 }), operators(because, null, 300), kind)
    assert.deepEqual(after({ truth: { kind } }, { ageSeconds: 35 }), again, kind)
    assert.deepEqual(after({ truth: { kind } }, { ageSeconds: 36 }), operators(because, null, 300), kind)
  }
  assert.deepEqual(after({ truth: { kind: 'not_proven' } }), operators('not_proven', null, 300))
})

test('a question for which the budget has no place is asked later, and does not hold the payer longer than a minute', () => {
  const held = (afterMs: number, one: Partial<Asked> = {}) => after({ truth: { kind: 'no_answer', afterMs } }, one)
  const postponed = (nextSeconds: number) => ({ kind: 'postponed', nextSeconds })
  assert.deepEqual(held(3_000), postponed(3))
  assert.deepEqual(held(200), postponed(1))
  assert.deepEqual(held(40_000), postponed(5))
  assert.deepEqual(held(3_000, { ageSeconds: 52 }), postponed(3))
  assert.deepEqual(held(3_000, { ageSeconds: 53 }), operators('no_answer', null, 300))
  assert.deepEqual(held(400_000, { ageSeconds: 53 }), operators('no_answer', null, 400))
  // The provider was asked, and may be asked again.
  assert.deepEqual(held(0), { kind: 'ask_again', nextSeconds: 20 })
  assert.deepEqual(held(3_000, { state: 'with_operators' }), postponed(5))
  assert.deepEqual(held(40_000, { state: 'with_operators' }), postponed(40))
})

test('while operators have a case it is asked about more and more seldom, and at last no more', () => {
  const truth = { kind: 'open' } as const
  const next = (questions: number) => after({ truth }, { state: 'with_operators', questions, ageSeconds: 100 })
  assert.deepEqual(
    [2, 3, 8, 9].map(next),
    [300, 900, 43_200, null].map((seconds) => operators('still_open', null, seconds)),
  )
})

test('the payer of a number of another payment sees an answer like any other, until operators write something', () => {
  const seen = (state: 'with_operators' | 'closed', because: 'number_of_another' | 'number_differs', message: string | null) =>
    publicCaseOf({ state, finding: 'no_money', escalatedBecause: because, decisionMessage: message }).state
  assert.equal(seen('with_operators', 'number_of_another', null), 'answered')
  assert.equal(seen('closed', 'number_of_another', null), 'answered')
  assert.equal(seen('closed', 'number_of_another', 'Mtandao umerudisha pesa.'), 'closed')
  assert.equal(seen('with_operators', 'number_differs', null), 'with_operators')
  assert.equal(seen('closed', 'number_differs', null), 'closed')
})
