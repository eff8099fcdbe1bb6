/**
 * System payouts that return the money of a break to the phone that paid, at our expense. They use the same steps as every payout: claim,
 * call and record, under a provider key that is derived from the break. Invariant: the money is reserved from its account, goes back
 * there when the payout fails or comes back, and its break is resolved only when the payout has completed.
 */
import { shillings } from '../../domain/currency.ts'
import type { AccountKind } from '../../domain/ledger.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import { createHash } from 'node:crypto'
import { appendAudit, bySystem } from '../../base/audit/audit.ts'
import { findUnallocated, lockBreak, reopenBreak, resolveBreak } from '../../money/breaks/break.sql.ts'
import type { Break } from '../../money/breaks/break.ts'
import { openWallet } from '../../money/ledger/account.sql.ts'
import { postSteps, type Step } from '../../money/ledger/transfer.sql.ts'
import { findHeldMoney, voidHeldPayment } from '../../collect/payments/release-held.sql.ts'
import { waitingKey } from '../../collect/payments/settle.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import { derivedMoneyId, toWire } from '../../platform/ids.ts'
import { assert, invalidState, Refusal } from '../../platform/refusal.ts'
import type { Log } from '../../platform/process/log.ts'
import { currentTrace } from '../../platform/process/trace.ts'
import { quotePayout } from '../../money/providers/fee.ts'
import { leastOf, type Providers } from '../../money/providers/provider.ts'
import { orderOf, type ComposeDeps } from './compose-order.ts'
import { refusedQuoteText, type Payout } from './payout.ts'
import { countReturns, insertPayout, type NewPayout } from './payout.sql.ts'

type Cause = { actor: string; requestId: string }

/** The recipient of the returned money. */
export type Payer = { phoneNumber: string; name: string; network: Network | null }

/** The account and the amount of a break's money, in TZS. */
export async function findReturnable(db: Runner, one: Break): Promise<{ origin: AccountKind; amount: number }> {
  const { home, paymentId, kind } = one
  if (kind === 'amount_differs') {
    assert(paymentId, 'money that differs has a payment')
    return { origin: 'suspense', amount: await findHeldMoney(db, { home, paymentId }) }
  }
  return { origin: 'unallocated', amount: (await findUnallocated(db, one)).amount }
}

export function refuseSmallReturn(deps: { providers: Providers }, environment: Environment, amount: number): void {
  const least = leastOf(deps.providers[environment].payouts)
  if (amount >= least) return
  throw invalidState(
    `The minimum payout of the provider is ${shillings(least)}, and this is ${shillings(amount)}. Credit it, or leave it in its account.`,
    `Kiasi cha chini cha kutuma kwa mtoa huduma ni ${shillings(least)}, na hiki ni ${shillings(amount)}. Kiweke kwenye pochi, au kiache kwenye akaunti yake.`,
  )
}

export type ReturnDeps = ComposeDeps & { db: Runner; log: Log }

export type PreparedReturn = Omit<NewPayout, 'requestedBy' | 'requestId'>

/**
 * Prepares the order for the provider, with its quoted fee; nothing is stored, and no transaction may be open. Refuses with 409 an amount
 * below the provider's minimum or a payout that it refuses, with 503 `provider_unavailable` if it does not quote its fee.
 */
export async function prepareReturn(deps: ReturnDeps, one: Break, payer: Payer): Promise<PreparedReturn> {
  const { home, environment, id: breakId } = one
  const { amount } = await findReturnable(deps.db, one)
  refuseSmallReturn(deps, environment, amount)
  const provider = deps.providers[environment].payouts
  const quote = await quotePayout(deps.log, provider, amount, payer.phoneNumber)
  if (quote.kind === 'refused') {
    const [text, textSw] = refusedQuoteText(quote.failure)
    if (!quote.isOurFloat) throw invalidState(`${text} No money was moved.`, `${textSw} Hakuna pesa iliyosogezwa.`)
    deps.log.error('payout.float_empty', new Error('float_empty'), { environment, break_id: toWire('brk', breakId), alert: true })
  }
  if (quote.kind !== 'quoted') {
    throw new Refusal(
      503,
      'provider_unavailable',
      'The provider did not return the fee of this payout. No money was moved. Try again shortly.',
      {
        retryAfterSeconds: 30,
      },
    )
  }
  const attempt = await countReturns(deps.db, { home, breakId })
  // After a restore to an earlier moment the same return has the same id, which the provider knows.
  const id = derivedMoneyId(home, ['return', breakId, String(attempt)])
  const hash = createHash('sha256').update(`${breakId}:${attempt}`).digest()
  const ordered = {
    home,
    id,
    merchantId: null,
    environment,
    amount,
    fee: quote.fee,
    phoneNumber: payer.phoneNumber,
    recipientName: payer.name,
    narration: 'Refund',
  }
  return {
    ...ordered,
    ...orderOf(deps, ordered),
    purpose: 'return_to_payer',
    method: 'provider',
    breakId,
    refundOf: null,
    reason: null,
    batchId: null,
    batchRow: null,
    network: payer.network,
    reference: null,
    metadata: {},
    warnings: [],
    approval: 'none',
    approvalBy: null,
    newRecipientWaitSeconds: 0,
    traceId: currentTrace()?.traceId ?? null,
    idempotencyHash: hash,
    requestHash: hash,
  }
}

type Returning = Pick<Payout, 'home' | 'id' | 'environment' | 'amount' | 'breakId' | 'requestedBy'>

async function post(
  tx: Tx,
  { home, id: payoutId, environment }: Returning,
  one: Break,
  cause: Cause,
  steps: Step[],
): Promise<void> {
  // Money in suspense belongs to a payment.
  const subject = one.kind === 'amount_differs' ? { paymentId: one.paymentId! } : {}
  await postSteps(tx, { ...cause, home, environment, merchantId: null, payoutId, breakId: one.id, ...subject }, steps)
}

/**
 * Stores the order and reserves its money, within the transaction that has locked the break. Refuses with 409 if the break has changed
 * since.
 */
export async function requestReturn(tx: Tx, one: Break, prepared: PreparedReturn, cause: Cause): Promise<void> {
  const { origin, amount } = await findReturnable(tx, one)
  if (amount !== prepared.amount || prepared.breakId !== one.id) {
    throw invalidState(
      'The money was moved in the meantime. Read the break again.',
      'Pesa imehamishwa wakati huohuo. Isome tofauti upya.',
    )
  }
  await openWallet(tx, { home: one.home, environment: one.environment, merchantId: null })
  const payout = await insertPayout(tx, { ...prepared, requestedBy: cause.actor, requestId: cause.requestId })
  assert(payout, 'a return has a new id')
  await post(tx, payout, one, cause, [{ kind: 'return_reserved', debit: origin, credit: 'returns_reserved', amount }])
}

async function lockedBreak(tx: Tx, { home, breakId }: Returning): Promise<Break> {
  assert(breakId, 'a return has a break')
  return lockBreak(tx, { home, id: breakId })
}

const originOf = (one: Break): AccountKind => (one.kind === 'amount_differs' ? 'suspense' : 'unallocated')

async function auditBreak(tx: Tx, payout: Returning, one: Break, cause: Cause, action: string): Promise<void> {
  await appendAudit(
    tx,
    { ...bySystem, requestId: cause.requestId },
    {
      action,
      object: toWire('brk', one.id),
      before: { proposal: one.proposal, resolution: one.resolution },
      after: { payout: toWire('po', payout.id) },
    },
  )
}

/** The payer has the money: it leaves, and the break is resolved. `providerFee` in TZS, paid by us. */
export async function completeReturn(tx: Tx, payout: Returning, cause: Cause, providerFee: number): Promise<void> {
  const one = await lockedBreak(tx, payout)
  await post(tx, payout, one, cause, [
    { kind: 'return_settled', debit: 'returns_reserved', credit: 'provider_clearing', amount: payout.amount },
    { kind: 'return_fee', debit: 'provider_fees', credit: 'provider_clearing', amount: providerFee },
  ])
  if (one.kind === 'amount_differs') {
    const payment = { home: one.home, paymentId: one.paymentId! }
    await voidHeldPayment(tx, payment, waitingKey(payment.paymentId))
  }
  assert(one.proposal, 'a return was proposed')
  await resolveBreak(tx, one, { resolution: one.proposal, by: payout.requestedBy })
  await auditBreak(tx, payout, one, cause, 'break.resolved')
}

/** Nothing was paid: the money goes back to its account, and the break needs a new proposal. */
export async function failReturn(tx: Tx, payout: Returning, cause: Cause): Promise<void> {
  const one = await lockedBreak(tx, payout)
  await post(tx, payout, one, cause, [
    { kind: 'return_given_back', debit: 'returns_reserved', credit: originOf(one), amount: payout.amount },
  ])
  await reopenBreak(tx, one)
  await auditBreak(tx, payout, one, cause, 'break.return_failed')
}

/** The network returned it after it was paid; the break is open again. */
export async function reverseReturn(tx: Tx, payout: Returning, cause: Cause, providerFee: number): Promise<void> {
  const one = await lockedBreak(tx, payout)
  await post(tx, payout, one, cause, [
    { kind: 'return_brought_back', debit: 'provider_clearing', credit: originOf(one), amount: payout.amount },
    { kind: 'return_fee_brought_back', debit: 'provider_clearing', credit: 'provider_fees', amount: providerFee },
  ])
  await reopenBreak(tx, one)
  await auditBreak(tx, payout, one, cause, 'break.return_failed')
}
