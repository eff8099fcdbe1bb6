import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReadAgain, isConcerned } from './follow.ts'
import type { Hint } from './read-events.ts'

const of = (hint: Partial<Hint>): Hint => ({ business_id: null, environment: 'test', subjects: ['payments'], ...hint })
const list = (query: object) => ['GET /v1/merchant/payments', null, { limit: 20, ...query }]

test('a hint concerns the lists of its wallet, its environment and its subject', () => {
  assert.ok(isConcerned(list({ environment: 'test' }), of({})))
  assert.ok(isConcerned(list({ environment: 'test' }), of({ environment: null })))
  assert.ok(!isConcerned(list({ environment: 'live' }), of({})))
  assert.ok(!isConcerned(list({ environment: 'test', business_id: 'biz_1' }), of({})))
  assert.ok(isConcerned(list({ environment: 'test', business_id: 'biz_1' }), of({ business_id: 'biz_1' })))
  assert.ok(!isConcerned(list({ environment: 'test', business_id: 'biz_2' }), of({ business_id: 'biz_1' })))
  assert.ok(!isConcerned(list({ environment: 'test' }), of({ subjects: ['webhooks'] })))
})

test('a report of a payer concerns the cases and the payment that they are about, and no list of payments', () => {
  const cases = of({ subjects: ['cases'] })
  assert.ok(isConcerned(['GET /v1/admin/support-cases', null, { state: 'with_operators' }], cases))
  assert.ok(isConcerned(['GET /v1/admin/support-cases/{case_id}', { case_id: 'case_1' }, null], cases))
  const ofPayment = ['GET /v1/merchant/payments/{reference}/support-cases', { reference: 'pay_1' }, { environment: 'test' }]
  assert.ok(isConcerned(ofPayment, cases))
  assert.ok(!isConcerned(list({ environment: 'test' }), cases))
})

test('a read that is not in the list follows every hint of its wallet', () => {
  const unknown = ['GET /v1/merchant/something-new', null, { environment: 'test' }]
  assert.ok(isConcerned(unknown, of({ subjects: ['webhooks'] })))
  assert.ok(!isConcerned(unknown, of({ environment: 'live' })))
})

test('a change of one’s own membership concerns every wallet; one’s sessions concern the list of them', () => {
  const members = ['GET /v1/businesses/{business_id}/members', { business_id: 'biz_1' }, null]
  assert.ok(isConcerned(members, of({ subjects: ['memberships'], environment: null })))
  assert.ok(isConcerned(['GET /v1/auth/sessions', null, null], of({ subjects: ['sessions'], environment: null })))
  assert.ok(!isConcerned(['GET /v1/auth/sessions', null, null], of({})))
})

test('hints for operators name no wallet', () => {
  const stuck = ['GET /v1/admin/payments', null, { environment: 'live', limit: 20 }]
  assert.ok(isConcerned(stuck, of({ environment: null })))
  assert.ok(!isConcerned(stuck, of({ environment: null, subjects: ['switches'] })))
})

test('a hint during a read causes one more, however many there are; reads never overlap', async () => {
  const readAgain = createReadAgain()
  let [started, open] = [0, 0]
  let finish: () => void = () => undefined
  const query = {
    id: 'payments',
    isReading: () => open > 0,
    hasFailed: () => false,
    read: () => {
      started += 1
      open += 1
      assert.equal(open, 1)
      return new Promise<void>((resolve) => {
        finish = () => {
          open -= 1
          resolve()
        }
      })
    },
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  readAgain(query)
  assert.equal(started, 1)
  for (let hint = 0; hint < 50; hint += 1) readAgain(query)
  finish()
  await turn()
  assert.equal(started, 1)
  // The next one follows after a moment, and shows all fifty changes.
  while (started < 2) await new Promise((resolve) => setTimeout(resolve, 20))
  finish()
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.equal(started, 2)
})

test('a read that failed is repeated until it succeeds, and not once its screen is gone', async () => {
  const readAgain = createReadAgain()
  let [reads, failures] = [0, 2]
  const query = {
    id: 'balance',
    isReading: () => false,
    hasFailed: () => reads <= failures,
    read: async () => void (reads += 1),
  }
  const started = performance.now()
  readAgain(query)
  while (reads < 3) await new Promise((resolve) => setTimeout(resolve, 20))
  // The pauses grow: one second, then two.
  assert.ok(performance.now() - started > 2_500)
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.equal(reads, 3)
})
