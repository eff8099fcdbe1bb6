/**
 * Corrects our books to what the provider has shown of a payment or payout: a credit is taken back or corrected, and so is what was paid out.
 * Invariant: the wallet pays as much as it has and the merchant owes the rest; the payment or payout is completed.
 */
import type { Break } from '../../money/breaks/break.ts'
import { lockAccounts, openWallet } from '../../money/ledger/account.sql.ts'
import { postSteps, type Step } from '../../money/ledger/transfer.sql.ts'
import { findCredited, markReversed } from '../../collect/payments/credit-received.sql.ts'
import { countAsPaidThere } from '../../pay-out/payouts/resolve-payout.ts'
import type { Tx } from '../../platform/db/db.ts'
import { assert, invalidState } from '../../platform/refusal.ts'

/** TZS that the provider shows; 0 for a charge that was not paid, or is unknown there. Refuses a record that cannot be followed. */
function paidThere({ kind, details }: Break): number {
  if (kind === 'missing_at_provider') return 0
  const { status_there: status = details['status'], amount_there: amount = details['amount'] } = details
  const { currency_there: currency = details['currency'] } = details
  if (status === 'failed' || status === 'voided' || status === 'expired') return 0
  if (status !== 'completed')
    throw invalidState(
      'The provider does not show that this was paid, so its record cannot be followed.',
      'Mtoa huduma haonyeshi kuwa hii ililipwa, kwa hiyo rekodi yake haiwezi kufuatwa.',
    )
  if (currency !== 'TZS' || typeof amount !== 'number')
    throw invalidState(
      'The provider’s record has no amount in TZS, so it cannot be followed.',
      'Rekodi ya mtoa huduma haina kiasi cha TZS, kwa hiyo haiwezi kufuatwa.',
    )
  return amount
}

/** Refuses with 409 a payment or payout that already equals the provider's record, after all earlier decisions. */
export async function followProvider(tx: Tx, one: Break, cause: { actor: string; requestId: string }): Promise<void> {
  const { home, environment, paymentId, payoutId, id: breakId } = one
  const amountThere = paidThere(one)
  if (payoutId !== null) return countAsPaidThere(tx, { home, id: payoutId }, amountThere, { ...cause, breakId })
  assert(paymentId, 'a settled charge has a payment')
  const payment = await findCredited(tx, { home, paymentId })
  if (payment?.status !== 'completed')
    throw invalidState(
      'This payment is not credited, so nothing can be corrected.',
      'Pesa ya malipo haya haijaingia kwenye pochi, kwa hiyo hakuna cha kusahihisha.',
    )
  const { merchantId, pageId, fee, feeReturned, creditReversedAt } = payment
  const owner = { home, environment, merchantId }
  await openWallet(tx, owner)
  const { wallet } = await lockAccounts(tx, owner)
  const difference = payment.credited - amountThere
  if (difference === 0)
    throw invalidState(
      'The credit already matches the provider’s record.',
      'Kiasi kilichoingia tayari kinalingana na rekodi ya mtoa huduma.',
    )
  const fromWallet = Math.max(0, Math.min(wallet, difference))
  const steps: Step[] = [
    { kind: 'credit_added', debit: 'provider_clearing', credit: 'wallet', amount: -difference },
    { kind: 'credit_reversed', debit: 'wallet', credit: 'provider_clearing', amount: fromWallet },
    { kind: 'credit_reversed_owed', debit: 'receivable', credit: 'provider_clearing', amount: difference - fromWallet },
    // A charge that was not paid has no fee.
    { kind: 'provider_fee_returned', debit: 'provider_clearing', credit: 'provider_fees', amount: amountThere === 0 ? fee : 0 },
    {
      kind: 'provider_fee_again',
      debit: 'provider_fees',
      credit: 'provider_clearing',
      amount: amountThere === 0 ? 0 : feeReturned,
    },
  ]
  await postSteps(tx, { ...cause, home, environment, merchantId, paymentId, pageId, breakId }, steps)
  const isReversed = amountThere === 0
  if (isReversed !== (creditReversedAt !== null)) await markReversed(tx, { home, paymentId }, isReversed)
}
