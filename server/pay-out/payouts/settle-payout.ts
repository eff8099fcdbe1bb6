/**
 * The only path from a provider's message to a payout, for every source: its answer to our call, its webhook, our query, an operator's
 * query. Invariant: the money leaves the reserve once, for a proven success of the same amount and reference, or goes back once.
 */
import type { PayoutFailureCode, PayoutOrderState, PayoutStatus, UnsentOrderState } from '../../domain/payout.ts'
import type { Environment } from '../../domain/environment.ts'
import { findPayoutCorrection, findPayoutFeeTaken, findWrittenOffAmount } from '../../money/ledger/transfer.sql.ts'
import { violates, type Db, type Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { isFeeDoubtful } from '../../money/providers/fee.ts'
import type { PayoutSnapshot, ProviderPayoutStatus } from '../../money/providers/provider.ts'
import { hasOpenBreak, openBreak, openOrAddEvidence } from '../../money/breaks/break.sql.ts'
import { giveUpRecord, lockBreakOfRecord } from '../../collect/payments/found-money.ts'
import { findRecordOwner } from '../../collect/payments/record-owner.sql.ts'
import { settleInboxMessage } from '../../money/providers/inbox.sql.ts'
import { confirmSeconds, isInFlight, returnsToWallet, payoutTransitions } from './payout.ts'
import { lockPayout, startConfirming, updatePayout, type OrderedPayout } from './payout.sql.ts'
import { returnReserved, payOut, returnPaid } from './post-payout.ts'

/** The source of the update, and its message if there was one. */
export type PayoutSource = {
  provider: string
  actor: string
  requestId: string
  inboxEventId?: string
  /** It arrived without a query to the provider: money is not returned for such a report alone. */
  isReport?: boolean
}

/** New information about a payout. */
export type PayoutUpdate =
  | { kind: 'snapshot'; snapshot: PayoutSnapshot; nextAttemptSeconds: number | null }
  /** Proven: this order was never executed and never will be. `attempts`: the count from the claim before the call. */
  | { kind: 'never_sent'; attempts: number; failure: PayoutFailureCode; text: string | null }
  /** Proven: the last call started nothing; it is tried again. `attempts` as above. */
  | { kind: 'not_yet'; attempts: number; state: UnsentOrderState; nextAttemptSeconds: number | null }
  /** The outcome of the last call is unknown. */
  | { kind: 'unknown'; nextAttemptSeconds: number | null }

export type PayoutVerdict =
  | 'applied'
  | 'unchanged'
  /** An old message after the end. */
  | 'ignored'
  /** The provider reports that nothing was paid, or that it came back: it is queried first. */
  | 'to_confirm'
  /** A success without an amount: it proves nothing, and is queried again. */
  | 'unproven'
  /** It differs from our books: a break was opened. */
  | 'set_aside'
  | 'unknown_payout'

export type SettledPayout = { verdict: PayoutVerdict; status: PayoutStatus | null }

export type SettlePayoutDeps = { db: Db; log: Log }

/** After `asBooked`. */
type BookedSnapshot = PayoutSnapshot & { status: Exclude<ProviderPayoutStatus, 'returned'> }
type BookedUpdate = Exclude<PayoutUpdate, { kind: 'snapshot' }> | (PayoutUpdate & { kind: 'snapshot'; snapshot: BookedSnapshot })

const statusOfSnapshot: Record<BookedSnapshot['status'], PayoutStatus | null> = {
  // The provider has it: it was sent.
  pending: 'processing',
  processing: 'processing',
  completed: 'completed',
  failed: 'failed',
  reversed: 'reversed',
  unrecognised: null,
}

/** Transitions that add a step we received no message about. */
const stepsTo: Partial<Record<PayoutStatus, Partial<Record<PayoutStatus, PayoutStatus[]>>>> = {
  pending: { reversed: ['completed', 'reversed'] },
  processing: { reversed: ['completed', 'reversed'] },
}

/** Undefined if the provider's message alone moves nothing. */
function pathOf({ status: from, lateSuccess }: OrderedPayout, to: PayoutStatus): PayoutStatus[] | undefined {
  // Only operators can move a payout out of an end that returned the money, or back again after that.
  if (returnsToWallet.has(from) || lateSuccess !== null) return undefined
  if (payoutTransitions[from].includes(to)) return [to]
  return stepsTo[from]?.[to]
}

/** The status of the provider's record according to our books: a written-off payout was paid there. */
const bookedStatus = ({ status, lateSuccess }: OrderedPayout): PayoutStatus =>
  lateSuccess === 'written_off' ? 'completed' : status

/** Money that came back was paid before if our books say so; otherwise the payout has failed, and its money was only reserved. */
function asBooked(payout: OrderedPayout, snapshot: PayoutSnapshot): BookedSnapshot {
  const { status } = snapshot
  if (status !== 'returned') return { ...snapshot, status }
  const wasPaid = bookedStatus(payout) === 'completed' || payout.status === 'reversed'
  return wasPaid ? { ...snapshot, status: 'reversed', failure: null } : { ...snapshot, status: 'failed' }
}

/** TZS that left by our books. `amountHere` is what our books show as paid, or would show. */
const bookedOf = (payout: OrderedPayout, amountHere: number): number => (bookedStatus(payout) === 'completed' ? amountHere : 0)

type Difference = { kind: 'payout_amount_differs' | 'payout_contradicts' | 'payout_reference_conflict'; says: string }

/** The difference between a snapshot and the payout; undefined if they agree. */
function differenceOf(payout: OrderedPayout, snapshot: BookedSnapshot, amountHere: number): Difference | undefined {
  const { reference, ourReference, amount, currency } = snapshot
  const namesAnother = ourReference !== null && ourReference !== toWire('po', payout.id)
  if (namesAnother || (payout.providerReference !== null && payout.providerReference !== reference)) {
    return { kind: 'payout_reference_conflict', says: reference }
  }
  const to = statusOfSnapshot[snapshot.status]
  // "Pending" after the end is an old message; an end that contradicts ours means that the money is not where our books have it.
  const stands = bookedStatus(payout)
  const isEnd = to === 'completed' || to === 'failed' || to === 'reversed'
  const isSame = to === stands || (isEnd && returnsToWallet.has(to) && returnsToWallet.has(stands))
  if (isEnd && !isSame && pathOf(payout, to) === undefined) return { kind: 'payout_contradicts', says: snapshot.status }
  if (isOtherMoney(snapshot, amountHere)) {
    // What was written off is decided again like the success itself.
    const kind = payout.lateSuccess === 'written_off' ? 'payout_contradicts' : 'payout_amount_differs'
    return { kind, says: `${amount} ${currency}` }
  }
  return undefined
}

/** It reports that money left, or came back, in another amount or currency than ours. */
function isOtherMoney({ status, amount, currency }: BookedSnapshot, amountHere: number): boolean {
  const isOther = (amount !== null && amount !== amountHere) || (currency !== null && currency !== 'TZS')
  return isOther && (status === 'completed' || status === 'reversed')
}

/** Returns false if operators have already decided on the same evidence: then nothing waits for them. */
async function setAside(
  tx: Tx,
  payout: OrderedPayout,
  source: PayoutSource,
  snapshot: BookedSnapshot,
  { kind }: Difference,
  amountHere: number,
): Promise<boolean> {
  const { status, amount, currency, reference } = snapshot
  const booked = bookedOf(payout, amountHere)
  const difference = amount === null ? null : amount - amountHere
  const finding = {
    home: payout.home,
    environment: payout.environment,
    kind,
    payoutId: payout.id,
    provider: source.provider,
    reference,
    details: { our_status: payout.status, our_amount: payout.amount, status, amount, currency, booked, difference },
  }
  const isNew = await openOrAddEvidence(tx, finding, newMoneyId(payout.home))
  if (!isNew && !(await hasOpenBreak(tx, { home: payout.home, payoutId: payout.id, kind }))) return false
  // A message with another amount is still about this payout; a message with another reference may not be.
  const providerReference = kind === 'payout_reference_conflict' ? payout.providerReference : snapshot.reference
  await updatePayout(tx, payout, {
    status: payout.status,
    held: true,
    network: payout.network,
    failureCode: payout.failureCode,
    failureText: null,
    state: providerReference === null ? payout.state : 'accepted',
    providerReference,
    nextAttemptSeconds: null,
  })
  return true
}

/** Opens a break if the provider reports another fee than it had quoted; until operators decide, the quote is booked. */
async function watchFee(
  tx: Tx,
  { log }: Pick<SettlePayoutDeps, 'log'>,
  payout: OrderedPayout,
  source: PayoutSource,
  { reference, fee }: BookedSnapshot,
): Promise<void> {
  const details = { fee, quoted_fee: payout.fee, amount: payout.amount }
  const { home, environment, id: payoutId } = payout
  const finding = { home, environment, kind: 'fee_differs', payoutId, provider: source.provider, reference, details } as const
  if (!(await openBreak(tx, finding, newMoneyId(home)))) return
  log.error('payout.fee_differs', new Error('fee_differs'), {
    payout_id: toWire('po', payoutId),
    ...details,
  })
}

/**
 * Whether a report must be confirmed, because it returns money, contradicts an earlier return, or names another amount: anyone with the
 * signing key could write it. It names the known reference, so that the provider can be queried.
 */
function mustBeConfirmed(
  payout: OrderedPayout,
  { isReport = false }: PayoutSource,
  snapshot: BookedSnapshot,
  amountHere: number,
): boolean {
  const to = statusOfSnapshot[snapshot.status]
  if (!isReport || to === null) return false
  if (payout.providerReference !== null && payout.providerReference !== snapshot.reference) return false
  if (snapshot.ourReference !== null && snapshot.ourReference !== toWire('po', payout.id)) return false
  if (isOtherMoney(snapshot, amountHere)) return true
  if (to === bookedStatus(payout)) return false
  return returnsToWallet.has(to) ? !returnsToWallet.has(payout.status) : to === 'completed' && payout.status === 'reversed'
}

/**
 * Nothing moves; the provider has it, and is queried at once, about a payout that has ended also later. Another amount is a break until its
 * own answer is known.
 */
async function queryFirst(
  tx: Tx,
  payout: OrderedPayout,
  { provider }: PayoutSource,
  snapshot: BookedSnapshot,
  amountHere: number,
): Promise<void> {
  const { reference, network } = snapshot
  if (isOtherMoney(snapshot, amountHere)) {
    const { home, environment, id: payoutId } = payout
    const details = {
      our_status: payout.status,
      our_amount: payout.amount,
      message_status: snapshot.status,
      message_amount: snapshot.amount,
      message_currency: snapshot.currency,
      status: null,
      amount: null,
      currency: null,
      booked: bookedOf(payout, amountHere),
      difference: null,
    }
    const finding = { home, environment, kind: 'payout_amount_differs', payoutId, provider, reference, details } as const
    await openBreak(tx, finding, newMoneyId(home))
  }
  await updatePayout(tx, payout, {
    status: payout.status === 'pending' ? 'processing' : payout.status,
    held: false,
    network: network ?? payout.network,
    failureCode: payout.failureCode,
    failureText: null,
    state: 'accepted',
    providerReference: reference,
    ...(isInFlight(payout.status) && { nextAttemptSeconds: 0 }),
  })
  if (isInFlight(payout.status)) return
  await startConfirming(tx, payout, { first: confirmSeconds[0], last: confirmSeconds.at(-1)! })
}

/** A success is booked only for the amount that it names. */
function isUnproven(payout: OrderedPayout, { status, amount }: BookedSnapshot): boolean {
  return status === 'completed' && amount === null && pathOf(payout, 'completed') !== undefined
}

const unprovenAgainSeconds = 60

/** Nothing moves; the provider has it, so it can be queried for the paid amount. */
async function bindUnproven(tx: Tx, payout: OrderedPayout, { reference, network }: BookedSnapshot): Promise<void> {
  await updatePayout(tx, payout, {
    status: payout.status === 'pending' ? 'processing' : payout.status,
    held: false,
    network: network ?? payout.network,
    failureCode: null,
    failureText: null,
    state: 'accepted',
    providerReference: reference,
    nextAttemptSeconds: unprovenAgainSeconds,
  })
}

type Learned = {
  status: PayoutStatus | null
  state: PayoutOrderState
  reference: string | null
  snapshot: BookedSnapshot | null
  failureCode: PayoutFailureCode | null
  failureText: string | null
  nextAttemptSeconds: number | null
}

function learnedFrom(payout: OrderedPayout, update: BookedUpdate): Learned {
  const blank = {
    status: null,
    reference: payout.providerReference,
    snapshot: null,
    failureCode: null,
    failureText: null,
  } as const
  switch (update.kind) {
    case 'snapshot': {
      const { snapshot } = update
      const status = statusOfSnapshot[snapshot.status]
      const isOpen = status === null || status === 'processing'
      return {
        status,
        state: 'accepted',
        reference: snapshot.reference,
        snapshot,
        failureCode: status === 'failed' ? (snapshot.failure?.code ?? 'provider_error') : null,
        failureText: snapshot.failure?.text?.slice(0, 500) ?? null,
        nextAttemptSeconds: isOpen ? update.nextAttemptSeconds : null,
      }
    }
    case 'never_sent':
      return {
        ...blank,
        status: 'failed',
        state: 'rejected',
        failureCode: update.failure,
        failureText: update.text?.slice(0, 500) ?? null,
        nextAttemptSeconds: null,
      }
    case 'not_yet':
      return { ...blank, state: update.state, nextAttemptSeconds: update.nextAttemptSeconds }
    case 'unknown':
      return { ...blank, status: 'processing', state: 'unknown', nextAttemptSeconds: update.nextAttemptSeconds }
  }
}

/** TZS that our books show as paid, after all decisions of operators, or would show. */
async function findAmountHere(tx: Tx, payout: OrderedPayout): Promise<number> {
  if (payout.status === 'completed') return payout.amount + (await findPayoutCorrection(tx, payout))
  return (payout.lateSuccess === 'written_off' ? await findWrittenOffAmount(tx, payout) : undefined) ?? payout.amount
}

async function applyTo(
  deps: Pick<SettlePayoutDeps, 'log'>,
  tx: Tx,
  payout: OrderedPayout,
  source: PayoutSource,
  told: PayoutUpdate,
): Promise<SettledPayout> {
  const update = told.kind === 'snapshot' ? { ...told, snapshot: asBooked(payout, told.snapshot) } : told
  const same: SettledPayout = { verdict: 'unchanged', status: payout.status }
  // A payout that waits for operators moves only by their decision: the provider has already reported two different results.
  if (payout.held) return { verdict: 'ignored', status: payout.status }
  // The result of our call is outdated if a provider's message has arrived meanwhile.
  if (update.kind !== 'snapshot' && (payout.providerReference !== null || payout.status === 'cancelled')) return same
  // A later claim may have sent the order: this call started nothing, but that proves nothing about the later one.
  if ((update.kind === 'never_sent' || update.kind === 'not_yet') && update.attempts !== payout.attempts) return same
  const amountHere = await findAmountHere(tx, payout)
  if (update.kind === 'snapshot' && mustBeConfirmed(payout, source, update.snapshot, amountHere)) {
    await queryFirst(tx, payout, source, update.snapshot, amountHere)
    return { verdict: 'to_confirm', status: payout.status }
  }
  if (update.kind === 'snapshot') {
    const difference = differenceOf(payout, update.snapshot, amountHere)
    if (difference) {
      const waits = await setAside(tx, payout, source, update.snapshot, difference, amountHere)
      return { verdict: waits ? 'set_aside' : 'ignored', status: payout.status }
    }
  }
  if (update.kind === 'snapshot' && isUnproven(payout, update.snapshot)) {
    await bindUnproven(tx, payout, update.snapshot)
    return { verdict: 'unproven', status: payout.status }
  }
  const learned = learnedFrom(payout, update)
  const path = learned.status === null || learned.status === payout.status ? [] : pathOf(payout, learned.status)
  if (path === undefined) return { verdict: 'ignored', status: payout.status }
  const cause = { actor: source.actor, requestId: source.requestId }
  const { snapshot } = learned
  const fee = snapshot?.fee ?? null
  const isFeeOff = fee !== null && isFeeDoubtful(payout.amount, fee, payout.fee)
  if (snapshot && isFeeOff && snapshot.status === 'completed') await watchFee(tx, deps, payout, source, snapshot)
  for (const status of path) {
    if (status === 'completed') await payOut(tx, payout, cause, isFeeOff ? null : fee)
    if (status === 'failed') await returnReserved(tx, payout, cause)
    if (status === 'reversed') await returnPaid(tx, payout, cause, await findPayoutFeeTaken(tx, payout))
  }
  const change = {
    held: payout.held,
    network: learned.snapshot?.network ?? payout.network,
    failureCode: learned.failureCode,
    failureText: learned.failureText,
    state: learned.reference === null ? learned.state : ('accepted' as const),
    providerReference: learned.reference,
    nextAttemptSeconds: learned.nextAttemptSeconds,
  }
  const steps = path.length === 0 ? [payout.status] : path
  // Nothing was learned about a payout that has ended: a report may still wait for another answer.
  const isSame = path.length === 0 && !isInFlight(payout.status)
  for (const status of steps) {
    const failureCode = status === 'failed' ? (learned.failureCode ?? payout.failureCode) : null
    const nextAttemptSeconds = isSame ? undefined : change.nextAttemptSeconds
    await updatePayout(tx, payout, { ...change, status, failureCode, nextAttemptSeconds })
  }
  return { verdict: path.length === 0 ? 'unchanged' : 'applied', status: steps.at(-1)! }
}

async function settleInboxOf(
  tx: Tx,
  { home, environment }: { home: number; environment: Environment },
  { provider, inboxEventId: eventId }: PayoutSource,
): Promise<void> {
  if (eventId !== undefined) await settleInboxMessage(tx, { provider, environment, eventId }, { home, paymentId: null })
}

/**
 * The record has another owner. A break that has only found its money gives it up for the payout. Otherwise the record cannot be booked
 * again, and operators decide about the payout.
 */
async function settleTaken(
  deps: SettlePayoutDeps,
  key: { home: number; id: string; environment: Environment },
  source: PayoutSource,
  update: PayoutUpdate & { kind: 'snapshot' },
): Promise<SettledPayout> {
  const { snapshot } = update
  const record = { provider: source.provider, environment: key.environment, reference: snapshot.reference }
  return deps.db.tx(async (tx) => {
    const found = await lockBreakOfRecord(tx, record)
    const payout = await lockPayout(tx, key)
    if (!payout) return { verdict: 'unknown_payout', status: null }
    await settleInboxOf(tx, key, source)
    const isGivenUp = found !== undefined && (await giveUpRecord(tx, record, found, source))
    // The first message of the record may have bound it to this payout while this one waited.
    const owner = found ? undefined : await findRecordOwner(tx, record)
    const isOwn = !found && (owner === undefined || owner.payoutId === payout.id)
    if (isGivenUp || isOwn) return applyTo(deps, tx, payout, source, update)
    const difference = { kind: 'payout_reference_conflict', says: snapshot.reference } as const
    await setAside(tx, payout, source, asBooked(payout, snapshot), difference, payout.amount)
    return { verdict: 'set_aside', status: payout.status }
  })
}

/** Applies all of an update to one payout, or nothing. */
export async function settlePayout(
  deps: SettlePayoutDeps,
  key: { home: number; id: string; environment: Environment },
  source: PayoutSource,
  update: PayoutUpdate,
): Promise<SettledPayout> {
  const settle = (): Promise<SettledPayout> =>
    deps.db.tx(async (tx) => {
      const payout = await lockPayout(tx, key)
      if (!payout || payout.environment !== key.environment || payout.provider !== source.provider) {
        return { verdict: 'unknown_payout', status: null }
      }
      const settled = await applyTo(deps, tx, payout, source, update)
      await settleInboxOf(tx, key, source)
      return settled
    })
  const settled = await settle().catch(async (error: unknown) => {
    const isTaken = violates(error, 'provider_payouts_one_per_reference') || violates(error, 'provider_references_pkey')
    if (!isTaken || update.kind !== 'snapshot') throw error
    return settleTaken(deps, key, source, update)
  })
  const fields = { payout_id: toWire('po', key.id), verdict: settled.verdict, actor: source.actor, request_id: source.requestId }
  if (settled.verdict === 'set_aside') {
    deps.log.error('payout.report_differs', new Error('payout_differs'), fields)
  }
  if (settled.verdict === 'ignored' || settled.verdict === 'unproven' || settled.verdict === 'unknown_payout') {
    deps.log.warn('payout.message_ignored', fields)
  }
  return settled
}
