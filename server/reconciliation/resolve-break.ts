/**
 * Resolves a break: one operator proposes, another one does it. Invariant: nobody decides alone or on their own money, and what is done
 * is what was proposed, in one transaction with its entry in the audit log.
 */
import { appendAudit, type Origin } from '../audit/audit.ts'
import { holdBreak, recordProposal, resolveBreak as recordResolution } from '../breaks/break.sql.ts'
import { resolutionsOf, type Break, type Resolution } from '../breaks/break.ts'
import { checkSoon } from '../payments/payment.sql.ts'
import { releaseHeldMoney } from '../payments/release-held.sql.ts'
import { applySettlements } from '../payments/settle.sql.ts'
import { blankSettlement, waitingKey } from '../payments/settle.ts'
import { hearPayoutAgain } from '../payouts/payout.sql.ts'
import { askPayoutAgain, countAsNotPaid, countAsPaid, countAsReturned } from '../payouts/resolve-payout.ts'
import type { Db, Tx } from '../platform/db.ts'
import { newMoneyId, toWire } from '../platform/ids.ts'
import { assert, invalidFields, Refusal } from '../platform/refusal.ts'
import { findChargeFacts, findPersonBehind, hasEnded } from './break-subject.sql.ts'

type Deps = { db: Db }
export type Operator = { userId: string; origin: Origin }

/** A break that can still be decided on, by somebody who may. */
async function openFor(tx: Tx, key: { home: number; id: string }, operator: Operator): Promise<Break> {
  const found = await holdBreak(tx, key)
  if (found.resolvedAt !== null) throw new Refusal(409, 'invalid_state', 'This break is resolved.')
  if ((await findPersonBehind(tx, found)) === operator.userId) {
    throw new Refusal(403, 'self_approval_forbidden', 'This is about your own money: another operator has to decide.')
  }
  return found
}

/** Proposes what is to be done about a break; it takes the place of an earlier proposal. */
export async function proposeResolution(
  { db }: Deps,
  key: { home: number; id: string },
  proposal: { resolution: Resolution; note: string },
  operator: Operator,
): Promise<Break> {
  return db.tx(async (tx) => {
    const found = await openFor(tx, key, operator)
    const possible = resolutionsOf[found.kind]
    if (!possible.includes(proposal.resolution)) {
      throw invalidFields([
        { field: 'resolution', code: 'invalid', message: `A break of this kind is resolved by: ${possible.join(', ')}.` },
      ])
    }
    const proposed = await recordProposal(tx, key, { ...proposal, by: operator.origin.actor })
    await appendAudit(tx, operator.origin, {
      action: 'break.resolution_proposed',
      object: toWire('brk', key.id),
      before: { proposal: found.proposal, proposed_by: found.proposedBy },
      after: { proposal: proposal.resolution, note: proposal.note },
    })
    return proposed
  })
}

const notNow = (message: string): Refusal => new Refusal(409, 'invalid_state', message)

async function release(tx: Tx, one: Break, to: 'wallet' | 'payer', { actor, requestId }: Origin): Promise<void> {
  const { home, paymentId } = one
  assert(paymentId, 'money that differs has a payment')
  const ids = { movementId: newMoneyId(home), transferId: newMoneyId(home) }
  const isReleased = await releaseHeldMoney(tx, { home, paymentId, to, ...ids, actor, requestId }, waitingKey(paymentId))
  if (!isReleased) throw notNow('This payment is not held any more.')
}

async function askAgain(tx: Tx, { home, paymentId, payoutId }: Break): Promise<void> {
  if (payoutId !== null) return askPayoutAgain(tx, { home, id: payoutId })
  if (await hasEnded(tx, { home, paymentId, payoutId })) throw notNow('It has come to an end: nothing is left to ask.')
  assert(paymentId, 'an unknown charge has a payment')
  const charge = await findChargeFacts(tx, { home, id: paymentId })
  if (!charge?.providerReference) throw notNow('The provider has told us no reference to ask by.')
  return checkSoon(tx, { home, paymentId })
}

async function failUncharged(tx: Tx, one: Break, { actor, requestId }: Origin): Promise<void> {
  const { home, paymentId, environment } = one
  assert(paymentId, 'an unknown charge has a payment')
  const charge = await findChargeFacts(tx, { home, id: paymentId })
  assert(charge, 'a payment has a charge')
  const source = { home, paymentId, environment, provider: charge.provider, actor, requestId }
  const failed = { toStatus: 'failed', failureCode: 'provider_error', chargeState: 'rejected' } as const
  const [settled] = await applySettlements(tx, [{ ...blankSettlement(source), ...failed }], waitingKey(paymentId))
  if (settled?.verdict !== 'applied') throw notNow('This payment cannot fail any more.')
}

function payoutOf({ home, payoutId }: Break): { home: number; id: string } {
  assert(payoutId, 'a break of a payout names it')
  return { home, id: payoutId }
}

async function carryOut(tx: Tx, one: Break, resolution: Resolution, origin: Origin): Promise<void> {
  switch (resolution) {
    case 'credit_payment':
      return release(tx, one, 'wallet', origin)
    case 'return_to_payer':
      return release(tx, one, 'payer', origin)
    case 'ask_again':
      return askAgain(tx, one)
    case 'not_charged':
      return failUncharged(tx, one, origin)
    case 'payout_paid':
      return countAsPaid(tx, payoutOf(one), origin)
    case 'payout_not_paid':
      return countAsNotPaid(tx, payoutOf(one), origin)
    case 'payout_returned':
      return countAsReturned(tx, payoutOf(one), origin)
    case 'already_settled':
      if (!(await hasEnded(tx, one))) throw notNow('It is still under way: wait for its end, or choose another resolution.')
      return one.payoutId === null ? undefined : hearPayoutAgain(tx, payoutOf(one))
  }
}

/**
 * Does what another operator has proposed. `seen` is the proposal that was looked at: one that has changed since is refused with 409
 * `proposal_changed`, one's own with 403 `self_approval_forbidden`.
 */
export async function confirmResolution(
  { db }: Deps,
  key: { home: number; id: string },
  seen: { resolution: Resolution; proposedAt: string },
  operator: Operator,
): Promise<void> {
  const { origin } = operator
  await db.tx(async (tx) => {
    const found = await openFor(tx, key, operator)
    const { proposal, proposalNote, proposedBy, proposedAt } = found
    if (proposal === null || proposedAt === null) throw notNow('Nothing is proposed for this break.')
    if (proposal !== seen.resolution || proposedAt.toISOString() !== seen.proposedAt) {
      throw new Refusal(409, 'proposal_changed', 'Something else is proposed by now: look at the break again.')
    }
    if (proposedBy === origin.actor) {
      throw new Refusal(403, 'self_approval_forbidden', 'What you have proposed, another operator has to confirm.')
    }
    await carryOut(tx, found, proposal, origin)
    await recordResolution(tx, key, { resolution: proposal, by: origin.actor })
    await appendAudit(tx, origin, {
      action: 'break.resolved',
      object: toWire('brk', key.id),
      before: { proposal, note: proposalNote, proposed_by: proposedBy },
      after: { resolution: proposal },
    })
  })
}
