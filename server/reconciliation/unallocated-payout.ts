/**
 * Money that left at a provider by an unknown order, one that this service did not send. Invariant: as soon as it is known to have left, it
 * lies in `unallocated`, once for each break, until two operators have decided who pays for it.
 */
import { findLeft, lockBreak, openBreak, resolveBreak, updateEvidence } from '../breaks/break.sql.ts'
import { isAboutMoneyBack, type Break, type Finding, type ResolutionParameters } from '../breaks/break.ts'
import { findMerchant, findMerchantByWire } from '../identity/merchant.sql.ts'
import type { Merchant } from '../identity/merchant.ts'
import { lockAccounts, lockSystemAccounts, openWallet } from '../ledger/account.sql.ts'
import { findUnallocatedPaid, postMovement, postSteps, type Posting, type Step } from '../ledger/transfer.sql.ts'
import { releaseFoundMoney, type RecordFinding } from '../payments/found-money.ts'
import { findOrderedPayout } from '../payouts/payout.sql.ts'
import type { Tx } from '../platform/db/db.ts'
import { fromWire, homeOfId, newMoneyId } from '../platform/ids.ts'
import { invalidState } from '../platform/refusal.ts'
import { lockLastOfRecord } from './break-subject.sql.ts'

type Cause = { actor: string; requestId: string }

const post = (tx: Tx, { home, environment, id: breakId }: Pick<Break, 'home' | 'environment' | 'id'>, cause: Cause, step: Step) =>
  postSteps(tx, { home, environment, breakId, merchantId: null, ...cause }, [step])

/** The provider has corrected a record before a decision: the booking of its break is balanced, and there is nothing left to decide. */
async function resolveByCorrection(tx: Tx, one: { home: number; id: string }, finding: Finding): Promise<void> {
  // Stores the new evidence, so that the old evidence opens a break again if the provider returns to it.
  await updateEvidence(tx, one, finding)
  await resolveBreak(tx, one, { resolution: 'provider_was_wrong', by: 'system' })
}

/**
 * Opens the break of an unknown order and books the money that left. Returns true when the break is new. A record that was in flight when
 * its break opened is booked when it has completed.
 */
export async function reportUnknownPayout(tx: Tx, finding: RecordFinding, left: number | null, cause: Cause): Promise<boolean> {
  const { home, environment } = finding
  if (left === null) {
    const known = await lockLastOfRecord(tx, finding)
    // A record without an amount adds nothing to a known success, also after operators have decided on it.
    if (known?.isOpen || known?.details['status_there'] === 'completed') return false
  }
  const isNew = await openBreak(tx, finding, newMoneyId(home))
  if (left === null) return isNew
  const last = await lockLastOfRecord(tx, finding)
  if (!last?.isOpen) return isNew
  if (isAboutMoneyBack(last)) {
    // The money left again before operators decided where it belongs: their earlier decision stays valid.
    await releaseFoundMoney(tx, { ...last, environment }, cause)
    await resolveByCorrection(tx, last, finding)
    return isNew
  }
  if ((await findUnallocatedPaid(tx, { home, breakId: last.id })) !== 0) return isNew
  // A record is recognised by the evidence on which operators decide, so the latest evidence is stored.
  if (!isNew) await updateEvidence(tx, last, finding)
  await openWallet(tx, { merchantId: null, home, environment })
  await post(tx, { ...last, environment }, cause, {
    kind: 'unallocated_paid',
    debit: 'unallocated',
    credit: 'provider_clearing',
    amount: left,
  })
  return isNew
}

/** The merchant whose wallet pays, as the proposal names it; undefined when it names none, or one outside the break's environment. */
export async function findPayingMerchant(
  tx: Tx,
  one: Pick<Break, 'environment'>,
  parameters: ResolutionParameters | null,
): Promise<Merchant | undefined> {
  const { payout_id: payoutId, merchant_id: merchantId } = parameters ?? {}
  if (merchantId !== undefined) return payoutId === undefined ? findMerchantByWire(tx, merchantId) : undefined
  const id = payoutId === undefined ? undefined : fromWire('po', payoutId)
  const payout = id === undefined ? undefined : await findOrderedPayout(tx, { home: homeOfId(id), id })
  if (!payout || payout.merchantId === null || payout.environment !== one.environment) return undefined
  return findMerchant(tx, payout.merchantId)
}

/** TZS in `unallocated` for a break. Refuses with 409 while the provider has not confirmed that the money left. */
async function unallocatedOf(tx: Tx, { home, id }: Break): Promise<number> {
  const amount = await findUnallocatedPaid(tx, { home, breakId: id })
  if (amount <= 0) throw invalidState('The provider has not confirmed yet that this money was paid.')
  return amount
}

export async function writeOffUnallocated(tx: Tx, one: Break, cause: Cause): Promise<void> {
  const { home, environment } = one
  const amount = await unallocatedOf(tx, one)
  await openWallet(tx, { merchantId: null, home, environment })
  await post(tx, one, cause, { kind: 'unallocated_written_off', debit: 'loss', credit: 'unallocated', amount })
}

/** The merchant's wallet pays as much as it has, and the merchant owes the rest. The merchant's home may differ from the break's. */
export async function debitForUnallocated(tx: Tx, one: Break, payer: Merchant, cause: Cause): Promise<void> {
  const { environment } = one
  const amount = await unallocatedOf(tx, one)
  const owner = { merchantId: payer.id, home: payer.home, environment }
  await openWallet(tx, owner)
  // Accounts are locked in the order of their homes, as transfers lock them.
  if (one.home < payer.home) await lockSystemAccounts(tx, one)
  const { wallet } = await lockAccounts(tx, owner)
  const fromWallet = Math.min(wallet, amount)
  const movementId = newMoneyId(one.home)
  const shared = { environment, movementId, merchantId: payer.id, ...cause }
  const of = (home: number, part: Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount' | 'breakId'>): Posting[] =>
    part.amount === 0 ? [] : [{ ...shared, ...part, home, transferId: newMoneyId(home) }]
  const breakId = one.home === payer.home ? one.id : undefined
  await postMovement(tx, [
    ...of(one.home, { kind: 'unallocated_debited', debit: 'provider_clearing', credit: 'unallocated', amount, breakId: one.id }),
    ...of(payer.home, { kind: 'break_debited', debit: 'wallet', credit: 'provider_clearing', amount: fromWallet, breakId }),
    ...of(payer.home, {
      kind: 'break_debited_owed',
      debit: 'receivable',
      credit: 'provider_clearing',
      amount: amount - fromWallet,
      breakId,
    }),
  ])
}

/** The order was ours after all and is booked as its payout: its money leaves `unallocated`. Does nothing when there is none. */
export async function releaseUnallocatedPayout(tx: Tx, key: { home: number; id: string }, cause: Cause): Promise<void> {
  // Locked first: several runs may end at the same time and find the same break.
  const one = await lockBreak(tx, key)
  const amount = await findUnallocatedPaid(tx, { home: key.home, breakId: key.id })
  if (one.resolvedAt !== null || amount <= 0) return
  await post(tx, one, cause, { kind: 'unallocated_debited', debit: 'provider_clearing', credit: 'unallocated', amount })
}

/**
 * The provider reversed an unknown order, or never carried it out. Before a decision of operators, this ends their break. After a decision,
 * the money is booked to `unallocated` under a separate break. `nothing`: no money had left, or it is already booked as returned. Safe in
 * parallel: the second process waits for the lock on the break and then sees the new evidence, and a record has one open break at a time.
 */
export async function reportBroughtBack(
  tx: Tx,
  finding: RecordFinding,
  cause: Cause,
): Promise<'nothing' | 'released' | 'new_break'> {
  const { home, environment } = finding
  const last = await lockLastOfRecord(tx, finding)
  if (!last || isAboutMoneyBack(last)) return 'nothing'
  if (last.isOpen) {
    await releaseUnallocatedPayout(tx, last, cause)
    await resolveByCorrection(tx, last, finding)
    return 'released'
  }
  const amount = await findLeft(tx, finding)
  const id = newMoneyId(home)
  if (amount === 0 || !(await openBreak(tx, finding, id))) return 'nothing'
  await openWallet(tx, { merchantId: null, home, environment })
  await post(tx, { home, environment, id }, cause, {
    kind: 'unallocated_found',
    debit: 'provider_clearing',
    credit: 'unallocated',
    amount,
  })
  return 'new_break'
}

/**
 * Keeps an order that names a payout which a restored database has lost, and that moved no money. Operators have nothing to decide, so its
 * break is resolved at once. When the payout's key is requested again, the payout is bound to this order and no second order is sent.
 */
export async function rememberLost(tx: Tx, finding: RecordFinding): Promise<void> {
  const key = { home: finding.home, id: newMoneyId(finding.home) }
  if (await openBreak(tx, finding, key.id)) await resolveBreak(tx, key, { resolution: 'already_settled', by: 'system' })
}
