/**
 * Requests a payout for a merchant: one per idempotency key. Its money is reserved in the transaction that stores it, with the exact
 * order for the provider. Invariant: a request that is sent again under the same key finds its payout and moves nothing.
 */
import type { Network } from '../domain/network.ts'
import { createHash } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Owner } from '../identity/merchant.ts'
import { readWallet } from '../ledger/account.sql.ts'
import { readPhone } from '../domain/phone.ts'
import { violates, type Db, type Tx } from '../platform/db/db.ts'
import { toWire } from '../platform/ids.ts'
import type { Log } from '../platform/process/log.ts'
import type { RecordMac } from '../platform/crypto/record-mac.ts'
import { invalidFields, Refusal, type FieldError } from '../platform/refusal.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import { currentTrace, noteAbout } from '../platform/process/trace.ts'
import type { Providers } from '../providers/provider.ts'
import type { Switches } from '../controls/read-switches.ts'
import { readHold, type PayoutHold } from './hold.sql.ts'
import { payoutOrderMac } from './order-mac.ts'
import { ceilingPayout, leastOf, payoutIdOf, type Payout } from './payout.ts'
import { findByIdempotencyKey, insertPayout, type NewPayout } from './payout.sql.ts'
import { mailWaitingPayout } from './payout-wait.ts'
import { reserve } from './post-payout.ts'

export type RequestPayoutDeps = {
  db: Db
  log: Log
  config: Pick<Config, 'urls' | 'payouts'>
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

/** Both refuse by throwing. */
export type PayoutGates = {
  /** Runs before anything new is created. */
  admit(): Promise<void>
  /** Runs first in the transaction that reserves the money: checks that the caller may still pay. */
  confirm(tx: Tx): Promise<void>
}

/** The terms for this caller. `newRecipientWaitSeconds`: how long the payout waits if its recipient was never paid. */
export type PayoutTerms = { newRecipientWaitSeconds: number }

export type RequestedPayout = { payout: Payout; isReplay: boolean }

const keyReused = new Refusal(
  422,
  'idempotency_key_reused',
  'This idempotency key was used for a different payout. Use a new key for a new payout.',
  { param: 'idempotency_key' },
)

function hashOf(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

const sorted = (record: Record<string, string>): [string, string][] =>
  Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1))

function amountErrors(amount: number, least: number): FieldError[] {
  if (amount < least) return [{ field: 'amount', code: 'amount_too_small', message: `The minimum payout is TZS ${least}.` }]
  if (amount > ceilingPayout)
    return [{ field: 'amount', code: 'amount_too_large', message: `The maximum payout is TZS ${ceilingPayout}.` }]
  return []
}

type Recipient = { e164: string; network: Network | null; errors: FieldError[] }

function readRecipient(typed: string): Recipient {
  const phone = readPhone(typed)
  const field = 'phone_number'
  switch (phone.kind) {
    case 'mobile':
      return { ...phone, errors: [] }
    case 'unsupported': {
      const message = `Payouts to ${phone.networkName} numbers are not supported.`
      return { e164: phone.e164, network: null, errors: [{ field, code: 'network_unsupported', message }] }
    }
    case 'invalid': {
      const message = 'This is not a Tanzanian mobile number. Use one such as +255754123456.'
      return { e164: typed, network: null, errors: [{ field, code: 'phone_invalid', message }] }
    }
  }
}

/** The provider's fee for a payout. Refuses with 503 `provider_unavailable` if the provider does not quote one, and nothing is stored. */
export async function quoteFee(
  deps: Pick<RequestPayoutDeps, 'log' | 'providers'>,
  owner: Owner,
  amount: number,
  phoneNumber?: string,
): Promise<number> {
  const quote = await deps.providers[owner.environment].payouts.quotePayout(amount, phoneNumber)
  if (quote.kind === 'quoted') return quote.fee
  deps.log.warn('payout.quote_failed', { reason: quote.reason, environment: owner.environment })
  throw new Refusal(
    503,
    'provider_unavailable',
    'Payouts are not possible at the moment. Nothing was debited. Try again shortly.',
    {
      retryAfterSeconds: 30,
    },
  )
}

/** Refuses with 400 an amount that no payout can have. */
export function refuseBadAmount(deps: Pick<RequestPayoutDeps, 'providers'>, owner: Owner, amount: number): void {
  const errors = amountErrors(amount, leastOf(deps.providers[owner.environment].payouts))
  if (errors.length > 0) throw invalidFields(errors, errors[0]!.code, errors[0]!.message)
}

const holdTexts: Record<PayoutHold['reason'], string> = {
  books_under_review: 'Contact support.',
  payout_under_review: 'The provider sent contradictory answers about an earlier payout. Payouts continue when this is resolved.',
  amount_owed:
    'An earlier payout was returned to the wallet but then paid anyway. The next payments repay what the account owes.',
}

async function refuseOnHold(db: Db, owner: Owner): Promise<void> {
  const hold = await readHold(db, owner)
  if (!hold) return
  const message = `Payouts of this account are on hold. Nothing was debited. ${holdTexts[hold.reason]}`
  throw new Refusal(409, 'payouts_on_hold', message, { details: hold })
}

/** The refusal for a wallet that cannot pay the amount and the fee. */
async function insufficientBalance(db: Db, { merchant, environment }: Owner, amount: number, fee: number): Promise<Refusal> {
  const wallet = await readWallet(db, { merchantId: merchant.id, home: merchant.home, environment })
  return new Refusal(
    402,
    'insufficient_balance',
    `The wallet has TZS ${wallet.balance}, but this payout needs TZS ${amount + fee} including the fee.`,
    { details: { available: wallet.balance, required: amount + fee, fee } },
  )
}

/** The payout as it is stored, with the exact order to send for it. */
function composeOrder(
  deps: RequestPayoutDeps,
  owner: Owner,
  request: PayoutRequest,
  accepted: {
    recipient: Recipient
    fee: number
    idempotencyHash: Buffer
    requestHash: Buffer
    by: { actor: string; requestId: string }
    terms: PayoutTerms
  },
): NewPayout {
  const { merchant, environment } = owner
  const { recipient, fee, idempotencyHash, requestHash, by, terms } = accepted
  const { amount, recipientName, narration, reference, metadata } = request
  const { urls, payouts } = deps.config
  const provider = deps.providers[environment].payouts
  const id = payoutIdOf(owner, request.idempotencyKey)
  // No part of the order depends on time or randomness. After a restore the same request must give the same bytes. If a setting that is
  // part of them (the callback address) has changed since, the provider refuses the key, and the outcome is unknown, never a second
  // payout.
  const order = provider.composePayout({
    reference: toWire('po', id),
    amount,
    phoneNumber: recipient.e164,
    recipientName,
    narration,
    callbackUrl: `${urls.providerCallback}/v1/providers/${provider.name}/${environment}/webhook`,
  })
  const bound = {
    home: merchant.home,
    id,
    merchantId: merchant.id,
    environment,
    amount,
    fee,
    phoneNumber: recipient.e164,
    recipientName,
    provider: provider.name,
  }
  return {
    ...bound,
    purpose: 'merchant',
    breakId: null,
    network: recipient.network,
    narration,
    reference,
    metadata,
    approval: payouts.approvalAbove !== undefined && amount > payouts.approvalAbove ? 'required' : 'none',
    requestedBy: by.actor,
    requestId: by.requestId,
    traceId: currentTrace()?.traceId ?? null,
    ...terms,
    idempotencyHash,
    requestHash,
    providerKey: order.idempotencyKey,
    providerBody: order.body,
    orderMac: payoutOrderMac(deps.recordMac, { ...bound, idempotencyKey: order.idempotencyKey, requestBody: order.body }),
  }
}

/**
 * Reserves the money and stores the payout; the caller sends it. Refuses, in this order: the key with 422, the rules with 400, payouts of
 * the merchant that are on hold with 409, halted payouts and an unavailable provider with 503, an empty wallet with 402. A repeat of a
 * known request is answered without calling `gates`.
 */
export async function requestPayout(
  deps: RequestPayoutDeps,
  owner: Owner,
  request: PayoutRequest,
  by: { actor: string; requestId: string },
  gates: PayoutGates,
  terms: PayoutTerms,
): Promise<RequestedPayout> {
  const { merchant, environment } = owner
  const recipient = readRecipient(request.phoneNumber)
  const { amount, recipientName, narration, reference, metadata } = request
  const idempotencyHash = hashOf([request.idempotencyKey])
  const requestHash = hashOf([amount, recipient.e164, recipientName, narration, reference, sorted(metadata)])

  async function replay(): Promise<RequestedPayout | undefined> {
    const made = await findByIdempotencyKey(deps.db, owner, idempotencyHash)
    if (!made) return undefined
    noteAbout(toWire('po', made.id))
    const { requestHash: madeHash, ...payout } = made
    if (!madeHash.equals(requestHash)) throw keyReused
    return { payout, isReplay: true }
  }

  const made = await replay()
  if (made) return made
  await gates.admit()

  const provider = deps.providers[environment].payouts
  const errors = [...amountErrors(amount, leastOf(provider)), ...recipient.errors]
  if (errors.length > 0) throw invalidFields(errors, errors[0]!.code, errors[0]!.message)
  await refuseOnHold(deps.db, owner)
  // While a network is down, its payouts wait; while all payouts are halted, no payout can start.
  if ((await deps.switches.payoutsHaltedReason(environment)) !== null) {
    throw new Refusal(
      503,
      'provider_unavailable',
      'Payouts are switched off at the moment. Nothing was debited. Try again later.',
      {
        retryAfterSeconds: 60,
      },
    )
  }
  // No transaction is open during the call to the provider.
  const fee = await quoteFee(deps, owner, amount, recipient.e164)

  const hashes = { idempotencyHash, requestHash }
  const order = composeOrder(deps, owner, request, { recipient, fee, ...hashes, by, terms })
  try {
    const payout = await deps.db.tx(async (tx) => {
      await gates.confirm(tx)
      const stored = await insertPayout(tx, order)
      if (stored) await reserve(tx, stored, by)
      if (stored?.waitsUntil) await mailWaitingPayout(deps, tx, { ...stored, waitsUntil: stored.waitsUntil }, merchant)
      return stored
    })
    if (payout) {
      noteAbout(toWire('po', payout.id))
      return { payout, isReplay: false }
    }
  } catch (error) {
    if (!violates(error, 'wallet_not_overdrawn')) throw error
    throw await insufficientBalance(deps.db, owner, amount, fee)
  }
  // Another request with this key was faster.
  const winner = await replay()
  if (winner) return winner
  throw new Refusal(409, 'idempotency_in_progress', 'A request with this key is in progress. Try again shortly.', {
    retryAfterSeconds: 1,
  })
}
