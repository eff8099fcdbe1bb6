/** Tests every resolution of breaks about charges, known and unknown. */
import { openBreak } from '../../money/breaks/break.sql.ts'
import { newMoneyId } from '../../platform/ids.ts'
import { testResolutions, type Arranged, type Payment, type Row, type Stage } from '../../../test/fixtures/every-resolution.ts'

/** The provider received another amount than was requested. */
async function differing(stage: Stage): Promise<void> {
  const payment = await stage.charge()
  await stage.moveCharge(payment, 'complete', 9_900)
  await stage.ask(payment)
}

/** The outcome of a charge cannot be learned; `knows`: the provider has sent a reference, so the charge can be queried. */
async function unknownCharge(stage: Stage, knows = false): Promise<Payment> {
  const { app } = stage
  const payment = await stage.charge()
  const { home, paymentId, there } = payment
  if (!knows) {
    await app.owner.pool.query('delete from provider_references where reference = $1', [there])
    await app.owner.pool.query(
      `update provider_charges set state = 'unknown', provider_reference = null where provider_reference = $1`,
      [there],
    )
  }
  await app.owner.pool.query('update provider_charges set next_attempt_at = null where payment_id = $1', [paymentId])
  const finding = { home, paymentId, environment: 'test', kind: 'charge_unknown', provider: 'snippe' } as const
  await openBreak(app.db, { ...finding, details: { state: 'unknown' } }, newMoneyId(home))
  return payment
}

/** The payer was charged twice for one payment. `status` is the status of the second charge, whose reference is returned. */
async function chargedTwice(stage: Stage, status: 'completed' | 'pending'): Promise<string> {
  const payment = await stage.charge()
  await stage.moveCharge(payment, 'complete')
  await stage.ask(payment)
  const second = await stage.seed({ amount: 10_000, status, metadata: { malipo_payment: payment.reference } })
  await stage.compare()
  return second
}

/** Credited in our books, while the provider's record shows `failed`, or another amount. */
async function wronglyCredited(stage: Stage, amountThere?: number): Promise<Payment> {
  const payment = await stage.charge()
  await stage.settleCredit(payment, {})
  if (amountThere === undefined) await stage.moveCharge(payment, 'fail')
  else await stage.moveCharge(payment, 'complete', amountThere)
  return payment
}

/** The provider shows that the charge was paid after all. */
async function paidLater(stage: Stage, payment: Payment): Promise<'follow_provider'> {
  stage.hidden.delete(payment.there)
  await stage.moveCharge(payment, 'complete')
  return 'follow_provider'
}

/** An unknown charge. Returns its reference. */
async function found(stage: Stage, status: 'completed' | 'pending' = 'completed'): Promise<string> {
  const there = await stage.seed({ amount: 7_000, status, phone: '255754000123' })
  await stage.compare()
  return there
}

const returned = (stage: Stage): Arranged => ({ afterwards: stage.payAll })

const rows: Row[] = [
  { kind: 'amount_differs', resolution: 'credit_payment', arrange: differing },
  {
    kind: 'amount_differs',
    resolution: 'return_to_payer',
    async arrange(stage) {
      await differing(stage)
      return returned(stage)
    },
  },
  {
    kind: 'charge_unknown',
    resolution: 'ask_again',
    async arrange(stage) {
      await stage.moveCharge(await unknownCharge(stage, true), 'complete')
    },
  },
  {
    kind: 'charge_unknown',
    resolution: 'ask_again',
    where: 'the provider has sent no reference',
    refusedBut: 'not_charged',
    async arrange(stage) {
      await stage.moveCharge(await unknownCharge(stage), 'fail')
    },
  },
  {
    kind: 'charge_unknown',
    resolution: 'not_charged',
    where: 'it is charged all the same, later',
    async arrange(stage) {
      const payment = await unknownCharge(stage)
      await stage.moveCharge(payment, 'fail')
      return { later: () => stage.moveCharge(payment, 'complete') }
    },
  },
  {
    kind: 'charge_unknown',
    resolution: 'already_settled',
    async arrange(stage) {
      const payment = await unknownCharge(stage, true)
      await stage.moveCharge(payment, 'complete')
      await stage.ask(payment)
    },
  },
  {
    kind: 'charge_unknown',
    resolution: 'already_settled',
    where: 'it is still in flight',
    refusedBut: 'not_charged',
    async arrange(stage) {
      await stage.moveCharge(await unknownCharge(stage), 'fail')
    },
  },
  {
    kind: 'reference_conflict',
    resolution: 'refund_second_charge',
    async arrange(stage) {
      await chargedTwice(stage, 'completed')
      return returned(stage)
    },
  },
  {
    kind: 'reference_conflict',
    resolution: 'keep_unallocated',
    async arrange(stage) {
      await chargedTwice(stage, 'completed')
    },
  },
  {
    kind: 'reference_conflict',
    resolution: 'already_settled',
    where: 'its money lies in unallocated',
    refusedBut: 'keep_unallocated',
    async arrange(stage) {
      await chargedTwice(stage, 'completed')
    },
  },
  {
    kind: 'settled_differs',
    resolution: 'follow_provider',
    where: 'it was not paid, and is, later',
    async arrange(stage) {
      const payment = await wronglyCredited(stage)
      await stage.compare()
      return { later: () => paidLater(stage, payment) }
    },
  },
  ...[9_000, 11_000].map((amount): Row => ({
    kind: 'settled_differs',
    resolution: 'follow_provider',
    where: `${amount} were paid in place of 10000`,
    async arrange(stage) {
      await wronglyCredited(stage, amount)
      await stage.compare()
    },
  })),
  {
    kind: 'settled_differs',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      const payment = await wronglyCredited(stage)
      await stage.compare()
      await stage.moveCharge(payment, 'complete')
    },
  },
  {
    kind: 'reference_conflict',
    resolution: 'already_settled',
    where: 'the second charge came to nothing',
    async arrange(stage) {
      await stage.moveCharge({ there: await chargedTwice(stage, 'pending') }, 'fail')
    },
  },
  {
    kind: 'unknown_at_provider',
    resolution: 'already_settled',
    where: 'the charge came to nothing',
    async arrange(stage) {
      await stage.moveCharge({ there: await found(stage, 'pending') }, 'fail')
    },
  },
  {
    kind: 'missing_at_provider',
    resolution: 'follow_provider',
    where: 'it is shown as paid, later',
    async arrange(stage) {
      const payment = await wronglyCredited(stage)
      stage.hidden.add(payment.there)
      await stage.compare()
      return { later: () => paidLater(stage, payment) }
    },
  },
  ...(['provider_was_wrong', 'already_settled'] as const).map((resolution): Row => ({
    kind: 'missing_at_provider',
    resolution,
    async arrange(stage) {
      const payment = await stage.charge()
      await stage.moveCharge(payment, 'complete')
      await stage.ask(payment)
      stage.hidden.add(payment.there)
      await stage.compare()
      stage.hidden.delete(payment.there)
    },
  })),
  {
    kind: 'unknown_at_provider',
    resolution: 'credit_to_payment',
    async arrange(stage) {
      const payment = await stage.charge()
      await stage.moveCharge(payment, 'fail')
      await stage.ask(payment)
      await found(stage)
      return { parameters: { payment_reference: payment.reference } }
    },
  },
  { kind: 'unknown_at_provider', resolution: 'keep_unallocated', arrange: async (stage) => void (await found(stage)) },
  {
    kind: 'unknown_at_provider',
    resolution: 'return_to_payer',
    async arrange(stage) {
      await found(stage)
      return returned(stage)
    },
  },
  {
    kind: 'unknown_at_provider',
    resolution: 'already_settled',
    where: 'its money lies in unallocated',
    refusedBut: 'keep_unallocated',
    async arrange(stage) {
      await found(stage)
    },
  },
  {
    kind: 'fee_differs',
    resolution: 'provider_was_wrong',
    async arrange(stage) {
      const payment = await stage.charge()
      await stage.settleCredit(payment, { fee: 10_001 })
      await stage.moveCharge(payment, 'complete')
    },
  },
  {
    kind: 'fee_differs',
    resolution: 'book_fee',
    async arrange(stage) {
      const payment = await stage.charge()
      await stage.moveCharge(payment, 'complete')
      const [{ fees }] = (await stage.app.truth(`?our_reference=${payment.reference}`)).charges
      await stage.settleCredit(payment, { fee: fees, expectedFee: fees * 2 })
    },
  },
]

testResolutions('charge', rows)
