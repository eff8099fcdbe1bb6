/** Tests every resolution of breaks about payouts and about unknown orders. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBreak } from '../../money/breaks/break.sql.ts'
import type { Resolution } from '../../money/breaks/break.ts'
import { says, type SilentPayout } from '../../../test/fixtures/payouts.ts'
import { settlePayout } from '../../pay-out/payouts/settle-payout.ts'
import { newMoneyId } from '../../platform/ids.ts'
import type { PayoutSnapshot } from '../../money/providers/provider.ts'
import {
  assertBooksAreTrue,
  openBreaks,
  resolveOnly,
  startStage,
  testResolutions,
  type Row,
  type Stage,
} from '../../../test/fixtures/every-resolution.ts'
import { reportBroughtBack } from './unallocated-payout.ts'

/** A payout in flight with a wrong answer. */
async function wrongAnswer(stage: Stage, changes: Partial<PayoutSnapshot>, status: 'completed' | 'failed' = 'completed') {
  const payout = await stage.payout()
  await stage.receive(payout, status, changes)
  return payout
}

async function paidPayout(stage: Stage): Promise<SilentPayout> {
  const payout = await stage.payout()
  await stage.movePayout(payout.reference, 'complete')
  await stage.receive(payout, 'completed')
  return payout
}

async function unknownPayout(stage: Stage): Promise<SilentPayout> {
  const payout = await stage.payout()
  const { home, id: payoutId } = payout.at
  const finding = { home, payoutId, environment: 'test', kind: 'payout_unknown', provider: 'snippe' } as const
  await openBreak(stage.app.db, { ...finding, details: { state: 'unknown' } }, newMoneyId(home))
  return payout
}

async function givenBack(stage: Stage): Promise<SilentPayout> {
  const payout = await stage.payout()
  await stage.movePayout(payout.reference, 'fail')
  await stage.receive(payout, 'failed')
  return payout
}

/** Paid by the provider for an order that this service did not send. */
async function unknownOrder(stage: Stage): Promise<string> {
  const reference = await stage.sendUnknownOrder()
  await stage.movePayout(reference, 'complete')
  await stage.compare()
  return reference
}

async function bringBack(stage: Stage, reference: string): Promise<Resolution> {
  await stage.movePayout(reference, 'reverse')
  return 'keep_unallocated'
}

const rows: Row[] = [
  {
    kind: 'payout_amount_differs',
    resolution: 'ask_again',
    async arrange(stage) {
      const { reference } = await wrongAnswer(stage, { amount: 19_000 })
      await stage.movePayout(reference, 'complete')
    },
  },
  {
    kind: 'payout_amount_differs',
    resolution: 'payout_paid',
    where: 'the provider names another amount',
    refusedBut: 'payout_not_paid',
    async arrange(stage) {
      const { reference } = await wrongAnswer(stage, { amount: 19_000 })
      await stage.movePayout(reference, 'fail')
    },
  },
  {
    kind: 'payout_amount_differs',
    resolution: 'payout_paid',
    async arrange(stage) {
      const { reference } = await wrongAnswer(stage, { currency: 'USD' })
      await stage.movePayout(reference, 'complete')
    },
  },
  {
    kind: 'payout_amount_differs',
    resolution: 'payout_not_paid',
    where: 'it is paid after all, later',
    async arrange(stage) {
      const { reference } = await wrongAnswer(stage, { amount: 19_000 })
      await stage.movePayout(reference, 'fail')
      return {
        async later() {
          await stage.movePayout(reference, 'pay_after_all')
          return 'payout_paid_after_all'
        },
      }
    },
  },
  {
    kind: 'payout_amount_differs',
    resolution: 'provider_was_wrong',
    where: 'it is still in flight',
    refusedBut: 'payout_paid',
    async arrange(stage) {
      const { reference } = await wrongAnswer(stage, { currency: 'USD' })
      await stage.movePayout(reference, 'complete')
    },
  },
  {
    kind: 'payout_amount_differs',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      await stage.receive(await paidPayout(stage), 'completed', { amount: 19_000 })
    },
  },
  {
    kind: 'payout_amount_differs',
    resolution: 'follow_provider',
    where: 'it is shown whole, later',
    async arrange(stage) {
      const { reference } = await wrongAnswer(stage, { amount: 19_000 })
      await stage.movePayout(reference, 'complete')
      return {
        async afterwards() {
          await stage.compare()
          assert.equal(await resolveOnly(stage, 'follow_provider'), '200')
        },
      }
    },
  },
  {
    kind: 'payout_unknown',
    resolution: 'ask_again',
    async arrange(stage) {
      await stage.movePayout((await unknownPayout(stage)).reference, 'complete')
    },
  },
  {
    kind: 'payout_unknown',
    resolution: 'payout_paid',
    where: 'it is brought back, later',
    async arrange(stage) {
      const { reference } = await unknownPayout(stage)
      await stage.movePayout(reference, 'complete')
      return { later: () => stage.movePayout(reference, 'reverse') }
    },
  },
  {
    kind: 'payout_unknown',
    resolution: 'payout_not_paid',
    where: 'it is paid after all, later, and the merchant does not pay for it',
    async arrange(stage) {
      const { reference } = await unknownPayout(stage)
      await stage.movePayout(reference, 'fail')
      return {
        async later() {
          await stage.movePayout(reference, 'pay_after_all')
          return 'write_off'
        },
      }
    },
  },
  {
    kind: 'payout_unknown',
    resolution: 'already_settled',
    where: 'it is still in flight',
    refusedBut: 'payout_paid',
    async arrange(stage) {
      await stage.movePayout((await unknownPayout(stage)).reference, 'complete')
    },
  },
  {
    kind: 'payout_unknown',
    resolution: 'already_settled',
    async arrange(stage) {
      const payout = await unknownPayout(stage)
      await stage.movePayout(payout.reference, 'complete')
      await stage.receive(payout, 'completed')
    },
  },
  {
    kind: 'payout_contradicts',
    resolution: 'payout_paid_after_all',
    where: 'it is brought back, later',
    async arrange(stage) {
      const payout = await givenBack(stage)
      await stage.movePayout(payout.reference, 'pay_after_all')
      await stage.compare()
      return {
        async later() {
          await stage.movePayout(payout.reference, 'reverse')
          return 'payout_returned'
        },
      }
    },
  },
  {
    kind: 'payout_contradicts',
    resolution: 'write_off',
    where: 'it is brought back, later',
    async arrange(stage) {
      const payout = await givenBack(stage)
      await stage.movePayout(payout.reference, 'pay_after_all')
      await stage.compare()
      return {
        async later() {
          await stage.movePayout(payout.reference, 'reverse')
          return 'payout_returned'
        },
      }
    },
  },
  {
    kind: 'payout_contradicts',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      await stage.receive(await givenBack(stage), 'completed')
    },
  },
  {
    kind: 'payout_contradicts',
    resolution: 'payout_returned',
    async arrange(stage) {
      const payout = await paidPayout(stage)
      await stage.movePayout(payout.reference, 'reverse')
      await stage.receive(payout, 'failed')
    },
  },
  {
    kind: 'payout_contradicts',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      await stage.receive(await paidPayout(stage), 'failed')
    },
  },
  ...(['ask_again', 'payout_paid'] as const).map((resolution): Row => ({
    kind: 'payout_reference_conflict',
    resolution,
    async arrange(stage) {
      const payout = await stage.payout()
      const other = says('other-reference', 'completed')
      await settlePayout(stage.app.deps, payout.at, payout.source, other)
      await stage.movePayout(payout.reference, 'complete')
    },
  })),
  {
    kind: 'payout_reference_conflict',
    resolution: 'payout_not_paid',
    async arrange(stage) {
      const payout = await stage.payout()
      await settlePayout(stage.app.deps, payout.at, payout.source, says('other-reference', 'completed'))
      await stage.movePayout(payout.reference, 'fail')
    },
  },
  {
    kind: 'payout_reference_conflict',
    resolution: 'provider_was_wrong',
    where: 'it is still in flight',
    refusedBut: 'ask_again',
    async arrange(stage) {
      const payout = await stage.payout()
      await settlePayout(stage.app.deps, payout.at, payout.source, says('other-reference', 'completed'))
      await stage.movePayout(payout.reference, 'complete')
    },
  },
  {
    kind: 'payout_reference_conflict',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      const payout = await paidPayout(stage)
      await settlePayout(stage.app.deps, payout.at, payout.source, says('other-reference', 'completed'))
    },
  },
  {
    kind: 'missing_at_provider',
    resolution: 'payout_returned',
    async arrange(stage) {
      const { reference } = await paidPayout(stage)
      await stage.movePayout(reference, 'reverse')
      stage.hidden.add(reference)
      await stage.compare()
    },
  },
  {
    kind: 'missing_at_provider',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      const { reference } = await paidPayout(stage)
      stage.hidden.add(reference)
      await stage.compare()
      stage.hidden.delete(reference)
    },
  },
  {
    kind: 'unknown_at_provider',
    resolution: 'debit_wallet',
    where: 'it is brought back, later',
    async arrange(stage) {
      const reference = await unknownOrder(stage)
      return { parameters: { merchant_id: stage.payer.merchantId }, later: () => bringBack(stage, reference) }
    },
  },
  {
    kind: 'unknown_at_provider',
    resolution: 'write_off',
    where: 'it is brought back, later',
    async arrange(stage) {
      const reference = await unknownOrder(stage)
      return { later: () => bringBack(stage, reference) }
    },
  },
  {
    kind: 'fee_differs',
    resolution: 'book_fee',
    async arrange(stage) {
      stage.quote.fee = 1_000
      await paidPayout(stage)
      delete stage.quote.fee
    },
  },
  {
    kind: 'fee_differs',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      const payout = await stage.payout()
      await stage.movePayout(payout.reference, 'complete')
      await stage.receive(payout, 'completed', { fee: 3_000 })
    },
  },
]

testResolutions('payout', rows)
testResolutions('refund', rows)

const openKinds = async (stage: Stage): Promise<string[]> => (await openBreaks(stage)).map(({ kind }) => kind)

/** Compares twice: a difference that was found must not be found again. */
async function assertIsOver(stage: Stage): Promise<void> {
  for (let time = 0; time < 2; time += 1) {
    await stage.compare()
    await assertBooksAreTrue(stage)
  }
}

test('an unknown payout that is reversed before operators decide ends its break by itself', async (t) => {
  const stage = await startStage(t)
  const reference = await unknownOrder(stage)
  assert.deepEqual(await openKinds(stage), ['unknown_at_provider'])
  await stage.movePayout(reference, 'reverse')
  await assertIsOver(stage)
  await stage.movePayout(reference, 'pay_after_all')
  await stage.compare()
  assert.equal(await resolveOnly(stage, 'write_off'), '200')
  await assertIsOver(stage)
})

for (const [what, isPaid] of [
  ['payout', true],
  ['payout', false],
  ['refund', true],
  ['refund', false],
] as const) {
  test(`a second order of a ${what} that has ${isPaid ? 'been paid' : 'failed'} is booked when it is paid, and not before`, async (t) => {
    const stage = await startStage(t, what)
    const payout = await (isPaid ? paidPayout(stage) : givenBack(stage))
    const second = await stage.sendUnknownOrder(payout)
    await stage.movePayout(second, 'fail')
    await assertIsOver(stage)
    await stage.movePayout(second, 'pay_after_all')
    await stage.compare()
    assert.deepEqual(await openKinds(stage), ['unknown_at_provider'])
    assert.equal(await resolveOnly(stage, 'debit_wallet', { payout_id: payout.id }), '200')
    await assertIsOver(stage)
  })
}

test('an unknown payout that is never paid ends its break by itself', async (t) => {
  const stage = await startStage(t)
  const reference = await stage.sendUnknownOrder()
  await stage.compare()
  assert.equal(await resolveOnly(stage, 'write_off'), '409 invalid_state', 'nothing has left')
  await stage.movePayout(reference, 'fail')
  await assertIsOver(stage)
})

test('an unknown payout that is reversed and paid again, before operators decide again, stays as they first decided', async (t) => {
  const stage = await startStage(t)
  const reference = await unknownOrder(stage)
  assert.equal(await resolveOnly(stage, 'write_off'), '200')
  for (let time = 0; time < 2; time += 1) {
    await bringBack(stage, reference)
    await stage.compare()
    assert.deepEqual(await openKinds(stage), ['unknown_at_provider'])
    await stage.movePayout(reference, 'pay_after_all')
    await assertIsOver(stage)
  }
  await bringBack(stage, reference)
  // Several comparisons find it at the same time.
  const details = { subject: 'payout', status_there: 'reversed' }
  const finding = { home: 0, environment: 'test', provider: 'snippe', kind: 'unknown_at_provider', reference, details } as const
  const { db } = stage.app
  const found = await Promise.all(
    [1, 2, 3].map(() => db.tx((tx) => reportBroughtBack(tx, finding, { actor: 'test', requestId: 'r' }))),
  )
  assert.deepEqual(found.toSorted(), ['new_break', 'nothing', 'nothing'])
  assert.equal(await resolveOnly(stage, 'keep_unallocated'), '200')
  await assertIsOver(stage)
})
