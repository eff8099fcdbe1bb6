/**
 * Money that left at a provider by an unknown order, one that this service did not send. Invariant: as soon as it is known to have left, it
 * lies in `unallocated`, once for each break, until two operators have decided who pays for it.
 */
import { findLeft, findUnallocated, lockBreak, openBreak, resolveBreak, updateEvidence } from '../../money/breaks/break.sql.ts'
import { isAboutMoneyBack, type Break, type Finding, type ResolutionParameters } from '../../money/breaks/break.ts'
import { findMerchant, findMerchantByWire } from '../../accounts/identity/merchant.sql.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import { lockAccounts, lockSystemAccounts, openWallet } from '../../money/ledger/account.sql.ts'
import { findUnallocatedPaid, postMovement, postSteps, type Posting, type Step } from '../../money/ledger/transfer.sql.ts'
import { passToBreak, releaseFoundMoney, type RecordFinding } from '../../collect/payments/found-money.ts'
import { findOrderedPayout } from '../../pay-out/payouts/payout.sql.ts'
import type { Tx } from '../../platform/db/db.ts'
import { fromWire, homeOfId, newMoneyId } from '../../platform/ids.ts'
import { assert, invalidState } from '../../platform/refusal.ts'
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
 * Books to `unallocated`, with a break, the part of a record that is not booked yet; a negative part has come back. Earlier decisions on the
 * record stay as they are. `empty`: the open break of the record, which was opened before its money moved. `nothing`: all of it is booked.
 */
async function bookRest(
  tx: Tx,
  finding: RecordFinding,
  left: number,
  cause: Cause,
  empty?: { home: number; id: string },
): Promise<'nothing' | 'booked' | 'new_break'> {
  const { home, environment } = finding
  const booked = await findLeft(tx, finding)
  const difference = left - booked
  if (difference === 0) return 'nothing'
  const id = empty?.id ?? newMoneyId(home)
  if (!(await passToBreak(tx, finding, id))) return 'nothing'
  const details = { ...finding.details, ...(booked !== 0 && left !== 0 && { difference }) }
  if (empty) await updateEvidence(tx, empty, { ...finding, details })
  else assert(await openBreak(tx, { ...finding, details, evenIfDecided: true }, id), 'the record has no other open break')
  await openWallet(tx, { merchantId: null, home, environment })
  const step: Step =
    difference > 0
      ? { kind: 'unallocated_paid', debit: 'unallocated', credit: 'provider_clearing', amount: difference }
      : { kind: 'unallocated_found', debit: 'provider_clearing', credit: 'unallocated', amount: -difference }
  await post(tx, { home, environment, id }, cause, step)
  return empty ? 'booked' : 'new_break'
}

/** The record has changed before a decision: what its open break has booked is balanced, and earlier decisions are valid again. */
async function withdraw(tx: Tx, finding: RecordFinding, open: { home: number; id: string }, cause: Cause): Promise<void> {
  await releaseFoundMoney(tx, { ...open, environment: finding.environment }, cause)
  await resolveByCorrection(tx, open, finding)
}

/**
 * Opens the break of an unknown order and books the money that left. Returns true when the break is new. The record is compared with what
 * is booked for it, so it is judged again when it changes, also after a decision. `left`: null for a record that does not say what left.
 */
export async function reportUnknownPayout(tx: Tx, finding: RecordFinding, left: number | null, cause: Cause): Promise<boolean> {
  const last = await lockLastOfRecord(tx, finding)
  if (left === null) {
    // A record without an amount adds nothing to a known success, also after operators have decided on it.
    if (last?.isOpen || last?.details['status_there'] === 'completed') return false
    return openBreak(tx, finding, newMoneyId(finding.home))
  }
  if ((await findLeft(tx, finding)) === left) return false
  const open = last?.isOpen ? last : undefined
  const isEmpty = open !== undefined && (await findUnallocated(tx, open)).amount === 0
  if (open && !isEmpty) await withdraw(tx, finding, open, cause)
  return (await bookRest(tx, finding, left, cause, isEmpty ? open : undefined)) === 'new_break'
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
  if (amount <= 0)
    throw invalidState(
      'The provider has not confirmed yet that this money was paid.',
      'Mtoa huduma bado hajathibitisha kuwa pesa hii ililipwa.',
    )
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
  const last = await lockLastOfRecord(tx, finding)
  if (!last) return 'nothing'
  // What came back after a decision is booked, and its break waits.
  const isFalse = last.isOpen && ((await findLeft(tx, finding)) !== 0 || !isAboutMoneyBack(last))
  if (isFalse) await withdraw(tx, finding, last, cause)
  if ((await bookRest(tx, finding, 0, cause)) === 'new_break') return 'new_break'
  return isFalse ? 'released' : 'nothing'
}

/**
 * Keeps an order that names a payout which a restored database has lost, and that moved no money. Operators have nothing to decide, so its
 * break is resolved at once. When the payout's key is requested again, the payout is bound to this order and no second order is sent.
 */
export async function rememberLost(tx: Tx, finding: RecordFinding): Promise<void> {
  const key = { home: finding.home, id: newMoneyId(finding.home) }
  if (await openBreak(tx, finding, key.id)) await resolveBreak(tx, key, { resolution: 'already_settled', by: 'system' })
}
