/**
 * The ledger of a payout. On request, amount and fee go from the wallet to its reserve; on completion, they leave the reserve for the
 * provider; a return is one line of the wallet. Invariant: each step is posted once, and the reserve holds exactly the payouts in flight.
 */
import type { TransferKind } from '../../domain/ledger.ts'
import { openWallet } from '../../money/ledger/account.sql.ts'
import { findPayoutCorrection, postAllSteps, postSteps, type Movement, type Step } from '../../money/ledger/transfer.sql.ts'
import type { Tx } from '../../platform/db/db.ts'
import { assert } from '../../platform/refusal.ts'
import type { Payout } from './payout.ts'
import { correctRefunded, giveBackRefund } from '../../collect/payments/refund-source.sql.ts'
import { completeReturn, failReturn, reverseReturn } from './return-to-payer.ts'

export type Money = Pick<
  Payout,
  'home' | 'id' | 'merchantId' | 'purpose' | 'method' | 'breakId' | 'refundOf' | 'environment' | 'amount' | 'fee' | 'requestedBy'
>
/** `breakId`: the break whose resolution moves the money; in that case the same step may have been posted before. */
export type Cause = { actor: string; requestId: string; breakId?: string }

const step = (kind: TransferKind, debit: Step['debit'], credit: Step['credit'], amount: number): Step => ({
  kind,
  debit,
  credit,
  amount,
})

/** The kinds of the lines in the merchant's wallet. */
const linesOf = ({ purpose }: Money) =>
  purpose === 'refund'
    ? ({ amount: 'refund', fee: 'refund_fee', back: 'refund_reversal', again: 'refund_again' } as const)
    : ({ amount: 'payout', fee: 'payout_fee', back: 'payout_reversal', again: 'payout_again' } as const)

const backSteps = (payout: Money): Step[] => [
  step(linesOf(payout).back, 'payouts_reserved', 'wallet', payout.amount + payout.fee),
]

/** `more` TZS than are booked were paid, of which the wallet lacks `owed`; negative: less. A return to a payer is at our expense. */
function correctionSteps({ merchantId }: Money, more: number, owed = 0): Step[] {
  const payer = merchantId === null ? 'loss' : 'wallet'
  return [
    step('payout_raised', payer, 'provider_clearing', more - owed),
    step('payout_raised_owed', 'receivable', 'provider_clearing', owed),
    step('payout_lowered', 'provider_clearing', payer, -more),
  ]
}

/**
 * Amount and fee return from the reserve to the wallet; the payment of a refund may be refunded again. `corrected`: what operators had
 * added. A refund outside the wallet has reserved nothing.
 */
async function backToWallet(tx: Tx, payout: Money, cause: Cause, before: Step[] = [], corrected = 0): Promise<void> {
  const { home, refundOf: paymentId, amount } = payout
  if (paymentId !== null) await giveBackRefund(tx, { home, paymentId, amount: amount + corrected })
  if (payout.method === 'outside') return
  await post(tx, payout, cause, [...before, ...backSteps(payout), ...correctionSteps(payout, -corrected)])
}

const movementOf = ({ home, environment, merchantId, id: payoutId }: Money, cause: Cause): Movement => ({
  home,
  environment,
  merchantId,
  payoutId,
  ...cause,
})

async function post(tx: Tx, payout: Money, cause: Cause, steps: Step[]): Promise<void> {
  await postSteps(tx, movementOf(payout, cause), steps)
}

const reserveSteps = (payout: Money): Step[] => [
  step(linesOf(payout).amount, 'wallet', 'payouts_reserved', payout.amount),
  step(linesOf(payout).fee, 'wallet', 'payouts_reserved', payout.fee),
]

/** Reserves amount and fee. A wallet without enough money violates `wallet_not_overdrawn`, and the whole transaction is rolled back. */
export async function reserve(tx: Tx, payout: Money, cause: Cause): Promise<void> {
  // A wallet that was opened before payouts existed has no reserve yet.
  assert(payout.merchantId, 'a wallet has a merchant')
  await openWallet(tx, { ...payout, merchantId: payout.merchantId })
  await post(tx, payout, cause, reserveSteps(payout))
}

/** Payouts in one statement of the ledger. */
const postedAtOnce = 1_000

async function postAll(tx: Tx, payouts: readonly Money[], cause: Cause, stepsOf: (payout: Money) => Step[]): Promise<void> {
  for (let first = 0; first < payouts.length; first += postedAtOnce) {
    const some = payouts.slice(first, first + postedAtOnce)
    await postAllSteps(
      tx,
      some.map((payout) => ({ of: movementOf(payout, cause), steps: stepsOf(payout) })),
    )
  }
}

/** Reserves the money of many payouts of one wallet, as `reserve` does. It locks the wallet until the transaction ends. */
export async function reserveAll(tx: Tx, payouts: readonly Money[], cause: Cause): Promise<void> {
  const [first] = payouts
  assert(first?.merchantId, 'a wallet has a merchant')
  await openWallet(tx, { ...first, merchantId: first.merchantId })
  await postAll(tx, payouts, cause, reserveSteps)
}

/** Nothing of these payouts of merchants was paid: all of their money returns to the wallet. */
export async function returnAllReserved(tx: Tx, payouts: readonly Money[], cause: Cause): Promise<void> {
  await postAll(tx, payouts, cause, backSteps)
}

/** The provider has paid: the reserved money leaves. `providerFee`: the fee that it took, in TZS; null: the fee that it had quoted. */
export async function payOut(tx: Tx, payout: Money, cause: Cause, providerFee: number | null): Promise<void> {
  if (payout.purpose === 'return_to_payer') return completeReturn(tx, payout, cause, providerFee ?? payout.fee)
  await post(tx, payout, cause, [
    step('payout_settled', 'payouts_reserved', 'provider_clearing', payout.amount),
    step('payout_fee_settled', 'payouts_reserved', 'provider_fees', payout.fee),
    step('payout_provider_fee', 'provider_fees', 'provider_clearing', providerFee ?? payout.fee),
  ])
}

/** Nothing was paid: the reserved money returns to the wallet. */
export async function returnReserved(tx: Tx, payout: Money, cause: Cause): Promise<void> {
  if (payout.purpose === 'return_to_payer') return failReturn(tx, payout, cause)
  await backToWallet(tx, payout, cause)
}

/** Paid money came back, with the provider's fee. `providerFee`: the fee that it had taken. */
export async function returnPaid(tx: Tx, payout: Money, cause: Cause, providerFee: number): Promise<void> {
  const corrected = await findPayoutCorrection(tx, payout)
  if (payout.purpose === 'return_to_payer') {
    await reverseReturn(tx, payout, cause, providerFee)
    return post(tx, payout, cause, correctionSteps(payout, -corrected))
  }
  const steps = [
    step('payout_returned', 'provider_clearing', 'payouts_reserved', payout.amount),
    step('payout_provider_fee_returned', 'provider_clearing', 'provider_fees', providerFee),
    step('payout_fee_returned', 'provider_fees', 'payouts_reserved', payout.fee),
  ]
  await backToWallet(tx, payout, cause, steps, corrected)
}

/** The provider paid `more` TZS than are booked; negative: less. The wallet lacks `owed` of them. */
export async function correctPaid(tx: Tx, payout: Money, cause: Cause, more: number, owed: number): Promise<void> {
  await post(tx, payout, cause, correctionSteps(payout, more, owed))
}

/**
 * The provider paid a payout whose money had been returned: it is debited again and leaves. `fromWallet` TZS come from the wallet, the
 * rest is owed.
 */
export async function payOutAgain(
  tx: Tx,
  payout: Money,
  cause: Cause,
  money: { fromWallet: number; providerFee: number },
): Promise<void> {
  const { home, refundOf: paymentId, amount } = payout
  if (paymentId !== null) await correctRefunded(tx, { home, paymentId, amount })
  await post(tx, payout, cause, [
    step(linesOf(payout).again, 'wallet', 'payouts_reserved', money.fromWallet),
    step('payout_again_owed', 'receivable', 'payouts_reserved', payout.amount + payout.fee - money.fromWallet),
  ])
  await payOut(tx, payout, cause, money.providerFee)
}

/**
 * The provider paid a payout whose money had been returned, and the merchant does not pay for it. `paid`: TZS that left at the provider.
 */
export async function writeOff(tx: Tx, payout: Money, cause: Cause, paid: { amount: number; fee: number }): Promise<void> {
  await post(tx, payout, cause, [
    step('payout_written_off', 'loss', 'provider_clearing', paid.amount),
    step('payout_fee_written_off', 'loss', 'provider_clearing', paid.fee),
  ])
}

/** Written-off money came back to our account at the provider. */
export async function returnWrittenOff(tx: Tx, payout: Money, cause: Cause, amount: number): Promise<void> {
  await post(tx, payout, cause, [step('payout_write_off_returned', 'provider_clearing', 'loss', amount)])
}
