/**
 * Resolves a break: one operator proposes, another confirms. Invariant: no operator decides alone or on their own money, and the action
 * equals the proposal, in one transaction with its entry in the audit log.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import {
  findBreak,
  findUnallocated,
  lockBreak,
  recordProposal,
  resolveBreak as recordResolution,
} from '../../money/breaks/break.sql.ts'
import {
  parametersOf,
  resolutionsFor,
  returnsMoney,
  type Break,
  type ResolutionParameters,
  type Resolution,
} from '../../money/breaks/break.ts'
import { confirmOperator } from '../../accounts/identity/authenticate.ts'
import { isMember } from '../../accounts/members/access.sql.ts'
import { checkSoon } from '../../collect/payments/payment.sql.ts'
import { creditReceived } from '../../collect/payments/credit-received.sql.ts'
import { findRecordOwner, lockRecord } from '../../collect/payments/record-owner.sql.ts'
import { findHeldMoney, voidHeldPayment } from '../../collect/payments/release-held.sql.ts'
import { applySettlements } from '../../collect/payments/settle.sql.ts'
import { waitingKey } from '../../collect/payments/settle.ts'
import { newSettlement } from '../../collect/payments/settlement.ts'
import { acceptReportsAgain } from '../../pay-out/payouts/payout.sql.ts'
import {
  queryPayoutAgain,
  countAsNotPaid,
  countAsPaid,
  countAsPaidAfterAll,
  countAsReturned,
  writeOffPaid,
} from '../../pay-out/payouts/resolve-payout.ts'
import {
  prepareReturn,
  refuseSmallReturn,
  requestReturn,
  findReturnable,
  type PreparedReturn,
  type ReturnDeps,
} from '../../pay-out/payouts/return-to-payer.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { assert, invalidFields, invalidState, must, Refusal } from '../../platform/refusal.ts'
import { bookFee } from './book-fee.ts'
import { findChargeFacts, isBehind, hasEnded } from './break-subject.sql.ts'
import { findPayerOf } from './find-payer.ts'
import { followProvider } from './follow-provider.ts'
import { findProvenAmount } from './prove-held.ts'
import { creditFoundMoney, findCreditable } from './resolve-found-money.ts'
import { debitForUnallocated, findPayingMerchant, writeOffUnallocated } from './unallocated-payout.ts'

type Deps = ReturnDeps & { db: Db }
export type Operator = { userId: string; sessionId: string; origin: Origin }

const ownMoney = new Refusal(403, 'self_approval_forbidden', 'This is about your own money. Another operator must decide.')

/** Locks a break that can still be decided, for an operator with permission. */
export async function openFor(tx: Tx, key: { home: number; id: string }, operator: Operator): Promise<Break> {
  await confirmOperator(tx, operator)
  const found = await lockBreak(tx, key)
  if (found.resolvedAt !== null) throw invalidState('This break is already resolved.', 'Tofauti hii imeshatatuliwa.')
  const { lastReturn } = found
  if (lastReturn?.status === 'pending' || lastReturn?.status === 'processing') {
    throw invalidState(
      'The money is being returned to the payer. Wait until that payout has ended.',
      'Pesa inarudishwa kwa mlipaji. Subiri hadi urejeshaji huo umalizike.',
    )
  }
  if (await isBehind(tx, operator.userId, found)) {
    throw ownMoney
  }
  await lockOwnRecord(tx, found)
  return found
}

/**
 * Locks the record that a break is about. Refuses with 409 a break whose money in `unallocated` is of a record that now belongs to a
 * payment, a payout or another break: that one has booked it.
 */
async function lockOwnRecord(tx: Tx, one: Break): Promise<void> {
  const { home, provider, environment, providerReference: reference, paymentId, payoutId } = one
  // A balance is no record that anything could own.
  if (one.kind === 'balance_differs') return
  const isUnknown = paymentId === null && payoutId === null
  // The other record of a conflict belongs to the object that has booked it.
  const isOwn = one.kind !== 'reference_conflict' && one.kind !== 'payout_reference_conflict'
  const record = { provider, environment, reference: isOwn ? reference : null }
  const owner = await lockRecord(tx, record, { home, paymentId, payoutId, ...(isUnknown && { breakId: one.id }) })
  if (isUnknown && owner?.breakId !== one.id) {
    throw invalidState(
      'This record is already booked elsewhere. The next reconciliation run closes this break.',
      'Rekodi hii imeshawekwa vitabuni mahali pengine. Ulinganisho unaofuata utaifunga tofauti hii.',
    )
  }
}

/** Refuses with 400 parameters that name no merchant, with 403 the operator's own money. */
async function refusePayer(tx: Tx, one: Break, parameters: ResolutionParameters, { userId }: Operator): Promise<void> {
  const payer = await findPayingMerchant(tx, one, parameters)
  if (!payer) {
    const message = 'Send exactly one of payout_id and merchant_id, to name the wallet that is debited.'
    throw invalidFields([{ field: 'parameters', code: 'invalid', message }])
  }
  if (await isMember(tx, userId, payer.id)) throw ownMoney
}

/** Refuses missing or extra parameters, and a resolution that cannot be carried out now. */
async function refuseImpossible(
  { providers }: Deps,
  tx: Tx,
  one: Break,
  proposal: { resolution: Resolution; parameters: ResolutionParameters | null },
  operator: Operator,
): Promise<void> {
  const { resolution } = proposal
  const parameters = proposal.parameters ?? {}
  if (resolution === 'debit_wallet') return refusePayer(tx, one, parameters, operator)
  const wanted = parametersOf[resolution] ?? []
  const known = Object.keys(parameters) as (keyof ResolutionParameters)[]
  const wrong = [
    ...wanted.filter((name) => parameters[name] === undefined).map((field) => ({ field, code: 'required' })),
    ...known.filter((name) => !wanted.includes(name)).map((field) => ({ field, code: 'unknown_field' })),
  ]
  if (wrong.length > 0) {
    const message = `${resolution} names: ${wanted.join(', ') || 'nothing'}.`
    throw invalidFields(wrong.map((field) => ({ ...field, message })))
  }
  if (parameters.payment_reference !== undefined) await findCreditable(tx, one, parameters.payment_reference, operator.userId)
  if (returnsMoney.has(resolution)) {
    const { amount } = await findReturnable(tx, one)
    if (amount > 0) refuseSmallReturn({ providers }, one.environment, amount)
  }
}

/** Proposes a resolution of a break. It replaces an earlier proposal. */
export async function proposeResolution(
  deps: Deps,
  key: { home: number; id: string },
  proposal: { resolution: Resolution; note: string; parameters: ResolutionParameters | null },
  operator: Operator,
): Promise<Break> {
  return deps.db.tx(async (tx) => {
    const found = await openFor(tx, key, operator)
    const possible = resolutionsFor(found)
    if (!possible.includes(proposal.resolution)) {
      throw invalidFields([
        {
          field: 'resolution',
          code: 'invalid',
          message: `Use one of the resolutions for a break of this kind: ${possible.join(', ')}.`,
        },
      ])
    }
    await refuseImpossible(deps, tx, found, proposal, operator)
    const proposed = await recordProposal(tx, key, { ...proposal, by: operator.origin.actor })
    await appendAudit(tx, operator.origin, {
      action: 'break.resolution_proposed',
      object: toWire('brk', key.id),
      before: { proposal: found.proposal, proposed_by: found.proposedBy },
      after: { proposal: proposal.resolution, note: proposal.note, ...proposal.parameters },
    })
    return proposed
  })
}

async function creditHeld(tx: Tx, one: Break, { actor, requestId }: Origin, proven: number | undefined): Promise<void> {
  const { home, paymentId } = one
  assert(paymentId, 'money that differs has a payment')
  const amount = await findHeldMoney(tx, { home, paymentId })
  if (amount === 0)
    throw invalidState(
      'No TZS are in suspense for this payment. The money can only be returned to the payer.',
      'Hakuna TZS iliyowekwa pembeni kwa malipo haya. Pesa inaweza kurudishwa kwa mlipaji tu.',
    )
  if (amount !== proven)
    throw invalidState(
      'The money was moved in the meantime. Read the break again.',
      'Pesa imehamishwa wakati huohuo. Isome tofauti upya.',
    )
  const ids = {
    movementId: newMoneyId(home),
    transferId: newMoneyId(home),
    feeTransferId: newMoneyId(home),
  }
  // The fee was booked when the money was set aside.
  const credit = { home, paymentId, amount, fee: 0, from: 'suspense', ...ids, actor, requestId } as const
  if (!(await creditReceived(tx, credit, waitingKey(paymentId))))
    throw invalidState('This payment is no longer held.', 'Pesa ya malipo haya haijawekwa pembeni tena.')
}

/** Money of another currency was never in these books: the provider itself returns it. */
async function returnForeign(tx: Tx, { home, paymentId }: Break): Promise<void> {
  assert(paymentId, 'money that differs has a payment')
  const isVoided = await voidHeldPayment(tx, { home, paymentId }, waitingKey(paymentId))
  if (!isVoided) throw invalidState('This payment is no longer held.', 'Pesa ya malipo haya haijawekwa pembeni tena.')
}

async function queryAgain(tx: Tx, { home, paymentId, payoutId }: Break): Promise<void> {
  if (payoutId !== null) return queryPayoutAgain(tx, { home, id: payoutId })
  if (await hasEnded(tx, { home, paymentId, payoutId }))
    throw invalidState(
      'It has already ended. There is nothing left to query.',
      'Imeshamalizika. Hakuna cha kumuuliza mtoa huduma.',
    )
  assert(paymentId, 'an unknown charge has a payment')
  const charge = await findChargeFacts(tx, { home, id: paymentId })
  if (!charge?.providerReference)
    throw invalidState(
      'The provider’s reference for this charge is not known.',
      'Kumbukumbu ya mtoa huduma kwa malipo haya haijulikani.',
    )
  return checkSoon(tx, { home, paymentId })
}

async function failUncharged(tx: Tx, one: Break, { actor, requestId }: Origin): Promise<void> {
  const { home, paymentId, environment } = one
  assert(paymentId, 'an unknown charge has a payment')
  const charge = must(await findChargeFacts(tx, { home, id: paymentId }), 'a payment has a charge')
  const source = { home, paymentId, environment, provider: charge.provider, actor, requestId }
  const item = newSettlement(source, { kind: 'declared_uncharged' })
  const [settled] = await applySettlements(tx, [item], waitingKey(paymentId))
  if (settled?.verdict !== 'applied')
    throw invalidState('This payment can no longer fail.', 'Malipo haya hayawezi kuwekwa kuwa yameshindikana tena.')
}

function payoutOf({ home, payoutId }: Break): { home: number; id: string } {
  assert(payoutId, 'a break of a payout names it')
  return { home, id: payoutId }
}

/** What the provider has answered before the transaction: a return to send, or the TZS that it shows for held money. */
type Prepared = { returned?: PreparedReturn; proven?: number }

/** `under_way`: the break is resolved once the payout has completed. */
type CarriedOut = 'done' | 'under_way'

async function returnMoney(tx: Tx, one: Break, prepared: PreparedReturn | undefined, origin: Origin): Promise<CarriedOut> {
  if (prepared !== undefined) {
    await requestReturn(tx, one, prepared, origin)
    return 'under_way'
  }
  if (one.kind !== 'amount_differs')
    throw invalidState('No money of this break is in unallocated.', 'Hakuna pesa ya tofauti hii kati ya pesa zisizo na mwenyewe.')
  await returnForeign(tx, one)
  return 'done'
}

async function creditNamed(tx: Tx, one: Break, operator: Operator): Promise<void> {
  const reference = must(one.proposalParameters?.payment_reference, 'the payment was named in the proposal')
  return creditFoundMoney(tx, one, await findCreditable(tx, one, reference, operator.userId), operator.origin)
}

/** Refuses with 409 to pay out again what a decision on the provider's record has booked. */
async function refuseBookedRecord(tx: Tx, { provider, environment, providerReference, details }: Break): Promise<void> {
  const { reference_there: lost } = details
  const reference = typeof lost === 'string' ? lost : providerReference
  const owner =
    provider === null || reference === null ? undefined : await findRecordOwner(tx, { provider, environment, reference })
  if (owner === undefined || owner.breakId === null) return
  throw invalidState(
    `The provider’s record of this money is booked by the break ${toWire('brk', owner.breakId)}. Resolve this payout as not paid.`,
    `Rekodi ya mtoa huduma ya pesa hii imewekwa vitabuni na tofauti ${toWire('brk', owner.breakId)}. Amua kuwa malipo haya ya nje hayakulipwa.`,
  )
}

async function refuseUnallocated(tx: Tx, one: Break): Promise<void> {
  if ((await findUnallocated(tx, one)).amount > 0)
    throw invalidState(
      'The money is in unallocated. Decide who owns it.',
      'Pesa hii iko kati ya pesa zisizo na mwenyewe. Amua ni ya nani.',
    )
}

async function carryOut(
  tx: Tx,
  one: Break,
  resolution: Resolution,
  operator: Operator,
  { returned, proven }: Prepared,
): Promise<CarriedOut> {
  if (returnsMoney.has(resolution)) return returnMoney(tx, one, returned, operator.origin)
  await carryOutNow(tx, one, resolution, operator, proven)
  return 'done'
}

/** Books a resolution that no payout carries out. Refuses with 409 what is no longer possible. */
export async function carryOutNow(
  tx: Tx,
  one: Break,
  resolution: Resolution,
  operator: Operator,
  proven: number | undefined,
): Promise<void> {
  const { origin } = operator
  const cause = { actor: origin.actor, requestId: origin.requestId, breakId: one.id }
  switch (resolution) {
    case 'credit_payment':
      return creditHeld(tx, one, origin, proven)
    case 'credit_to_payment':
      return creditNamed(tx, one, operator)
    case 'keep_unallocated':
      if ((await findUnallocated(tx, one)).amount === 0)
        throw invalidState(
          'No money of this break is in unallocated.',
          'Hakuna pesa ya tofauti hii kati ya pesa zisizo na mwenyewe.',
        )
      return undefined
    case 'return_to_payer':
    case 'refund_second_charge':
      return assert(false, 'a return is a payout')
    case 'ask_again':
      return queryAgain(tx, one)
    case 'not_charged':
      return failUncharged(tx, one, origin)
    case 'payout_paid':
      await refuseBookedRecord(tx, one)
      return countAsPaid(tx, payoutOf(one), one.details, cause)
    case 'payout_not_paid':
      return countAsNotPaid(tx, payoutOf(one), cause)
    case 'payout_returned':
      return countAsReturned(tx, payoutOf(one), cause)
    case 'payout_paid_after_all':
      return countAsPaidAfterAll(tx, payoutOf(one), one.details, cause)
    case 'write_off':
      return one.payoutId === null ? writeOffUnallocated(tx, one, cause) : writeOffPaid(tx, payoutOf(one), one.details, cause)
    case 'debit_wallet': {
      const payer = await findPayingMerchant(tx, one, one.proposalParameters)
      if (!payer)
        throw invalidState(
          'The named payout or merchant no longer exists.',
          'Malipo ya nje au mfanyabiashara aliyetajwa hayupo tena.',
        )
      if (await isMember(tx, operator.userId, payer.id)) throw ownMoney
      return debitForUnallocated(tx, one, payer, cause)
    }
    case 'book_fee':
      return bookFee(tx, one, origin)
    case 'follow_provider':
      return followProvider(tx, one, origin)
    case 'provider_was_wrong':
    case 'already_settled':
      await refuseUnallocated(tx, one)
      if (!(await hasEnded(tx, one)))
        throw invalidState(
          'It has not ended yet. Wait until it has, or choose another resolution.',
          'Bado haijamalizika. Subiri imalizike, au chagua utatuzi mwingine.',
        )
      return one.payoutId === null ? undefined : acceptReportsAgain(tx, payoutOf(one))
  }
}

async function prepareProposed(deps: Deps, key: { home: number; id: string }): Promise<Prepared> {
  const one = await findBreak(deps.db, key)
  if (!one?.proposal || one.resolvedAt !== null) return {}
  if (one.proposal === 'credit_payment') return { proven: await findProvenAmount(deps, one) }
  if (!returnsMoney.has(one.proposal) || (await findReturnable(deps.db, one)).amount === 0) return {}
  return { returned: await prepareReturn(deps, one, await findPayerOf(deps, one)) }
}

/**
 * Confirms and carries out the proposal of another operator. `seen` is the proposal that the operator read: one that has changed since is
 * refused with 409 `proposal_changed`, the operator's own with 403 `self_approval_forbidden`.
 */
export async function confirmResolution(
  deps: Deps,
  key: { home: number; id: string },
  seen: { resolution: Resolution; proposedAt: string },
  operator: Operator,
): Promise<void> {
  const { origin } = operator
  // No transaction is open while the provider is queried: for its fee, the phone that paid, or the amount that it received.
  const prepared = await prepareProposed(deps, key)
  await deps.db.tx(async (tx) => {
    const found = await openFor(tx, key, operator)
    const { proposal, proposalNote, proposedBy, proposedAt } = found
    // Without a proposal too: it ended because of new evidence, or because its return failed.
    if (proposal !== seen.resolution || proposedAt?.toISOString() !== seen.proposedAt) {
      throw new Refusal(409, 'proposal_changed', 'The proposal has changed. Read the break again.')
    }
    if (proposedBy === origin.actor) {
      throw new Refusal(403, 'self_approval_forbidden', 'You made this proposal. Another operator must confirm it.')
    }
    const carriedOut = await carryOut(tx, found, proposal, operator, prepared)
    if (carriedOut === 'done') await recordResolution(tx, key, { resolution: proposal, by: origin.actor })
    await appendAudit(tx, origin, {
      action: carriedOut === 'done' ? 'break.resolved' : 'break.return_ordered',
      object: toWire('brk', key.id),
      before: { proposal, note: proposalNote, proposed_by: proposedBy },
      after: { resolution: proposal, ...found.proposalParameters },
    })
  })
}
