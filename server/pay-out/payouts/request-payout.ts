/**
 * Requests a payout or a refund for a merchant: one per idempotency key. Its money is reserved in the transaction that stores it, with the exact
 * order for the provider. Invariant: a request that is sent again under the same key finds its payout and moves nothing.
 */
import { shillings } from '../../domain/currency.ts'
import { hashOf } from '../../platform/crypto/hash-of.ts'
import type { Config } from '../../config/config.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { readWallet } from '../../money/ledger/account.sql.ts'
import { askApproval, type Requester } from '../../accounts/members/ask-approval.ts'
import { shown, type Sight } from '../../accounts/members/sight.ts'
import type { PayoutPurpose, PayoutWarning } from '../../domain/payout.ts'
import type { Pair } from '../../domain/texts.ts'
import { violates, type Db, type Runner, type Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { invalidFields, Refusal, type FieldError } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { currentTrace, addToTrace } from '../../platform/process/trace.ts'
import { quotePayout } from '../../money/providers/fee.ts'
import { ceilingPayout, leastOf, type Providers } from '../../money/providers/provider.ts'
import type { Switches } from '../../money/controls/read-switches.ts'
import { namesDiffer } from '../recipients/compare-names.ts'
import { readRecipient } from '../recipients/read-recipient.ts'
import { lastPaidNames } from '../recipients/recipient.sql.ts'
import { auditByPerson } from './audit-payout.ts'
import { orderOf } from './compose-order.ts'
import { neededApproval, type NeededApproval } from './exceeded-sum.ts'
import { readHold, type PayoutHold } from './hold.sql.ts'
import { payoutIdOf, refusedQuoteText, type Payout } from './payout.ts'
import { completeOutside } from './complete-outside.ts'
import { findByIdempotencyKey, findPayout, insertPayout, noteDouble, type NewPayout } from './payout.sql.ts'
import { mailWaitingPayout } from './payout-wait.ts'
import { reserve } from './post-payout.ts'

export type RequestPayoutDeps = {
  db: Db
  log: Log
  config: Pick<Config, 'urls' | 'cell' | 'payouts'>
  providers: Providers
  switches: Pick<Switches, 'payoutsHaltedReason'>
  recordMac: RecordMac
  sealer: Sealer
}

export type PayoutRequest = {
  amount: number
  phoneNumber: string
  recipientName: string
  narration: string | null
  reference: string | null
  metadata: Record<string, string>
  idempotencyKey: string
}

/** Who requests, for which wallet, and what holds for them. `admit` and `confirm` refuse by throwing. */
export type PayoutCaller = {
  owner: Owner
  by: Requester
  /** How long the payout waits if its recipient was never paid. */
  newRecipientWaitSeconds: number
  /** Runs before anything new is created. */
  admit(): Promise<void>
  /** Runs first in the transaction that reserves the money: checks that the caller may still pay. */
  confirm(tx: Tx): Promise<void>
  /** What a refusal may show. */
  sight: Sight
}

/** What is requested, after all rules that do not depend on the wallet. */
export type WantedOrder = Pick<
  NewPayout,
  | 'id'
  | 'purpose'
  | 'method'
  | 'refundOf'
  | 'reason'
  | 'batchId'
  | 'batchRow'
  | 'amount'
  | 'phoneNumber'
  | 'network'
  | 'recipientName'
  | 'narration'
  | 'reference'
  | 'metadata'
  | 'warnings'
> & {
  /** Runs in the transaction, after the order is stored and before its money is reserved; refuses by throwing. */
  take?(tx: Tx): Promise<void>
}

/** A request: the hash of its key, and of the body that it was first sent with. */
export type RequestedOrder = {
  idempotencyHash: Buffer
  requestHash: Buffer
  /** Applies the rules that do not depend on the wallet; refuses by throwing. */
  prepare(): Promise<WantedOrder>
}

export type RequestedPayout = { payout: Payout; isReplay: boolean }

const keyReused = new Refusal(
  422,
  'idempotency_key_reused',
  'This idempotency key was used for a different request. Use a new key for a new one.',
  { param: 'idempotency_key' },
)

const sorted = (record: Record<string, string>): [string, string][] =>
  Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))

export function amountErrors(amount: number, least: number): FieldError[] {
  if (amount < least) return [{ field: 'amount', code: 'amount_too_small', message: `The minimum is ${shillings(least)}.` }]
  if (amount > ceilingPayout)
    return [{ field: 'amount', code: 'amount_too_large', message: `The maximum is ${shillings(ceilingPayout)}.` }]
  return []
}

/** What the owner should check about a payout to this number (E.164) under this name: the wallet last paid it under another one. */
export async function nameWarnings(db: Runner, owner: Owner, phoneNumber: string, name: string): Promise<PayoutWarning[]> {
  const last = (await lastPaidNames(db, owner, [phoneNumber])).get(phoneNumber)
  return last !== undefined && namesDiffer(last, name) ? ['recipient_name_differs'] : []
}

const refundByHand: Pair = [' Give the money back yourself, and record it.', ' Irudishe mwenyewe, kisha uiandike hapa.']

/**
 * The provider's fee for a payout. Refuses with 503 `provider_unavailable` if the provider does not quote one, with 400 if it refuses the
 * payout itself; nothing is stored. `onEmptyFloat`: runs before the refusal if our own account with the provider has too little money.
 */
export async function quoteFee(
  deps: Pick<RequestPayoutDeps, 'log' | 'providers'>,
  owner: Owner,
  amount: number,
  { phoneNumber, purpose }: { phoneNumber?: string | undefined; purpose: PayoutPurpose },
  onEmptyFloat?: () => Promise<void>,
): Promise<number> {
  const { environment } = owner
  const quote = await quotePayout(deps.log, deps.providers[environment].payouts, amount, phoneNumber)
  if (quote.kind === 'quoted') return quote.fee
  if (quote.kind === 'refused' && !quote.isOurFloat) {
    const [why, whySw] = refusedQuoteText(quote.failure)
    // The phone that paid cannot be changed.
    const [way, waySw] = purpose === 'refund' ? refundByHand : ['', '']
    const said = { message: `${why} Nothing was debited.${way}`, messageSw: `${whySw} Hakuna kilichokatwa.${waySw}` }
    const field = 'phone_number'
    throw new Refusal(400, 'validation_error', said.message, {
      ...(purpose !== 'refund' && { param: field, errors: [{ field, code: quote.failure, ...said }] }),
      messageSw: said.messageSw,
      evidence: { reason: quote.failure },
    })
  }
  if (quote.kind === 'refused') await onEmptyFloat?.()
  deps.log.warn('payout.quote_failed', { reason: quote.kind === 'refused' ? 'float_empty' : quote.reason, environment })
  throw new Refusal(
    503,
    'provider_unavailable',
    'The provider does not answer with its fee, so no payout can start. Nothing was debited. Try again in a minute.',
    { retryAfterSeconds: 30 },
  )
}

/** Refuses with 400 an amount that no payout can have. */
export function refuseBadAmount(deps: Pick<RequestPayoutDeps, 'providers'>, owner: Owner, amount: number): void {
  const errors = amountErrors(amount, leastOf(deps.providers[owner.environment].payouts))
  if (errors.length > 0) throw invalidFields(errors, errors[0]!.code, errors[0]!.message)
}

const holdTexts: Record<PayoutHold['reason'], Pair> = {
  books_under_review: [
    'Our operators are checking the account. Contact support.',
    'Wasimamizi wetu wanaikagua akaunti. Wasiliana na msaada.',
  ],
  payout_under_review: [
    'The provider sent contradictory answers about an earlier payout. Payouts continue when this is resolved.',
    'Mtoa huduma anajipinga kuhusu pesa zilizotumwa awali. Kutuma pesa kutaendelea hilo likimalizika.',
  ],
  amount_owed: [
    'The account owes money: the next payments repay it, then payouts continue.',
    'Akaunti ina deni: malipo yajayo yatalilipa, kisha kutuma pesa kutaendelea.',
  ],
}

async function refuseOnHold(db: Db, owner: Owner): Promise<void> {
  const hold = await readHold(db, owner)
  if (!hold) return
  const { reason, owed } = hold
  const [why, whySw] = holdTexts[reason]
  throw new Refusal(409, 'payouts_on_hold', `Payouts of this account are on hold. Nothing was debited. ${why}`, {
    details: { reason, owed },
    messageSw: `Kutuma pesa kwa akaunti hii kumesimamishwa. Hakuna kilichokatwa. ${whySw}`,
  })
}

/** The refusal for a wallet that cannot pay the amount and the fee. */
export async function insufficientBalance(
  db: Runner,
  { merchant, environment }: Owner,
  amount: number,
  fee: number,
  sight: Sight,
): Promise<Refusal> {
  const wallet = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  const [available, required] = [shown(sight, 'insufficient_balance.available', wallet.balance), amount + fee]
  const has = available === null ? 'has too little' : `has ${shillings(available)}`
  return new Refusal(402, 'insufficient_balance', `The wallet ${has}: ${shillings(required)} including the fee are needed.`, {
    details: { available, required, fee },
  })
}

/** Whether operators must approve a payout of this amount (TZS), after the members of its business. What stays outside is none of theirs. */
export function operatorsApproval(
  { config }: { config: Pick<Config, 'payouts'> },
  { amount, method }: Pick<Payout, 'amount' | 'method'>,
): Pick<Payout, 'approval' | 'approvalBy'> {
  const { approvalAbove } = config.payouts
  const isNeeded = approvalAbove !== undefined && amount > approvalAbove && method === 'provider'
  return isNeeded ? { approval: 'required', approvalBy: 'operators' } : { approval: 'none', approvalBy: null }
}

const noOrder = { provider: null, providerKey: null, providerBody: null, orderMac: null, approvalMac: null }

/** The payout as it is stored, with the exact order to send for it. */
export function composeOrder(
  deps: Pick<RequestPayoutDeps, 'config' | 'providers' | 'recordMac'>,
  { merchant, environment }: Owner,
  wanted: WantedOrder,
  accepted: Pick<NewPayout, 'fee' | 'idempotencyHash' | 'requestHash' | 'requestedBy' | 'requestId' | 'newRecipientWaitSeconds'>,
): NewPayout {
  const bound = { ...wanted, ...accepted, home: merchant.home, merchantId: merchant.id, environment }
  return {
    ...bound,
    ...(wanted.method === 'outside' ? noOrder : orderOf(deps, bound)),
    breakId: null,
    ...operatorsApproval(deps, wanted),
    traceId: currentTrace()?.traceId ?? null,
  }
}

/** Asks the members of the business to approve a payout or refund that this transaction has stored. */
async function askMembers(
  deps: RequestPayoutDeps,
  tx: Tx,
  owner: Owner,
  { id, purpose, amount }: Payout,
  needed: NeededApproval,
  by: Requester,
): Promise<void> {
  const subject =
    purpose === 'refund'
      ? { kind: 'refund' as const, wireId: toWire('rf', id) }
      : { kind: 'payout' as const, wireId: toWire('po', id) }
  await askApproval(deps, tx, owner, { id, ...subject, amount, ...needed }, by)
}

/** Refuses while the payouts of the merchant are on hold (409), or all payouts are switched off (503). */
export async function refuseStopped(deps: RequestPayoutDeps, owner: Owner): Promise<void> {
  await refuseOnHold(deps.db, owner)
  // While a network is down, its payouts wait; while all payouts are halted, no payout can start.
  if ((await deps.switches.payoutsHaltedReason(owner.environment)) === null) return
  throw new Refusal(
    503,
    'provider_unavailable',
    'Payouts are switched off at the moment. Nothing was debited. Try again later.',
    {
      retryAfterSeconds: 60,
    },
  )
}

/** The payout that was made under the key of a request; undefined: none was. Refuses with 422 another request under the key. */
async function findOrdered(
  { db }: RequestPayoutDeps,
  owner: Owner,
  { idempotencyHash, requestHash }: RequestedOrder,
): Promise<RequestedPayout | undefined> {
  const made = await findByIdempotencyKey(db, owner, idempotencyHash)
  if (!made) return undefined
  addToTrace(toWire('po', made.id))
  const { requestHash: madeHash, ...payout } = made
  if (!madeHash.equals(requestHash)) throw keyReused
  return { payout, isReplay: true }
}

/** Stores an order and reserves its money; undefined if the key is in use. Refuses with 402 an empty wallet. */
async function storeOrder(
  deps: RequestPayoutDeps,
  { owner, by, confirm, sight }: PayoutCaller,
  wanted: WantedOrder,
  order: NewPayout,
): Promise<Payout | undefined> {
  try {
    return await deps.db.tx(async (tx) => {
      await confirm(tx)
      const needed = await neededApproval(tx, owner, [wanted])
      const stored = await insertPayout(tx, {
        ...order,
        ...(needed && { approval: 'required' as const, approvalBy: 'members' as const }),
      })
      if (!stored) return undefined
      await wanted.take?.(tx)
      if (stored.method === 'provider') await reserve(tx, stored, by)
      const warnings = await noteDouble(tx, owner, stored)
      if (stored.waitsUntil) await mailWaitingPayout(deps, tx, { ...stored, waitsUntil: stored.waitsUntil }, owner.merchant.id)
      if (needed) await askMembers(deps, tx, owner, stored, needed, by)
      else if (by.isPerson) await auditByPerson(tx, by, stored, 'requested')
      if (stored.method === 'provider' || needed) return { ...stored, warnings }
      await completeOutside(tx, stored)
      return (await findPayout(tx, owner, stored.id, 'refund'))!
    })
  } catch (error) {
    if (!violates(error, 'wallet_not_overdrawn')) throw error
    throw await insufficientBalance(deps.db, owner, wanted.amount, order.fee, sight)
  }
}

/** Our account with the provider has too little money: operators must add some, unless the wallet itself cannot pay (402). */
async function alertEmptyFloat(
  { db, log }: RequestPayoutDeps,
  { owner, by, sight }: PayoutCaller,
  amount: number,
): Promise<void> {
  const { merchant, environment } = owner
  const { balance } = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  if (balance < amount) throw await insufficientBalance(db, owner, amount, 0, sight)
  log.error('payout.float_empty', new Error('float_empty'), { environment, request_id: by.requestId, alert: true })
}

/**
 * Reserves the money and stores the order once for its key; the caller sends it. A refund outside moves no money: no hold, switch, fee or
 * wait concerns it. Refuses, in this order: the key with 422, the rules of `prepare`, payouts of the merchant that are on hold with 409,
 * halted payouts and an unavailable provider with 503, a payout that the provider refuses with 400, an empty wallet with 402. A repeat of a
 * known request is answered without asking the caller or `prepare`.
 */
export async function orderOnce(
  deps: RequestPayoutDeps,
  caller: PayoutCaller,
  request: RequestedOrder,
): Promise<RequestedPayout> {
  const { owner, by, newRecipientWaitSeconds } = caller
  const { idempotencyHash, requestHash } = request
  const made = await findOrdered(deps, owner, request)
  if (made) return made
  await caller.admit()
  const wanted = await request.prepare().catch(async (refusal: unknown) => {
    // Another request with this key may have taken what was left of the payment just now.
    const winner = await findOrdered(deps, owner, request)
    if (winner) return winner
    throw refusal
  })
  if ('isReplay' in wanted) return wanted
  const isOutside = wanted.method === 'outside'
  if (!isOutside) await refuseStopped(deps, owner)
  // No transaction is open during the call to the provider.
  const fee = isOutside
    ? 0
    : await quoteFee(deps, owner, wanted.amount, wanted, () => alertEmptyFloat(deps, caller, wanted.amount))
  const { actor: requestedBy, requestId } = by
  const wait = { newRecipientWaitSeconds: isOutside ? 0 : newRecipientWaitSeconds }
  const accepted = { fee, idempotencyHash, requestHash, requestedBy, requestId, ...wait }
  const payout = await storeOrder(deps, caller, wanted, composeOrder(deps, owner, wanted, accepted))
  if (payout) {
    addToTrace(toWire('po', payout.id))
    return { payout, isReplay: false }
  }
  // Another request with this key was faster.
  const winner = await findOrdered(deps, owner, request)
  if (winner) return winner
  throw new Refusal(409, 'idempotency_in_progress', 'A request with this key is in progress. Try again shortly.', {
    retryAfterSeconds: 1,
  })
}

/** Requests a payout: `orderOnce` with the rules of a payout, which refuse with 400. */
export async function requestPayout(
  deps: RequestPayoutDeps,
  caller: PayoutCaller,
  request: PayoutRequest,
): Promise<RequestedPayout> {
  const { owner } = caller
  const recipient = readRecipient(request.phoneNumber)
  const { amount, recipientName, narration, reference, metadata, idempotencyKey } = request
  return orderOnce(deps, caller, {
    idempotencyHash: hashOf([idempotencyKey]),
    requestHash: hashOf([amount, recipient.e164, recipientName, narration, reference, sorted(metadata)]),
    async prepare() {
      const errors = [...amountErrors(amount, leastOf(deps.providers[owner.environment].payouts)), ...recipient.errors]
      if (errors.length > 0) throw invalidFields(errors, errors[0]!.code, errors[0]!.message)
      return {
        id: payoutIdOf(owner, idempotencyKey),
        purpose: 'merchant',
        method: 'provider',
        refundOf: null,
        reason: null,
        batchId: null,
        batchRow: null,
        amount,
        phoneNumber: recipient.e164,
        network: recipient.network,
        recipientName,
        narration,
        reference,
        metadata,
        warnings: await nameWarnings(deps.db, owner, recipient.e164, recipientName),
      }
    },
  })
}
