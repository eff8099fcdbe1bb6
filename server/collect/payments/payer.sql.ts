/** The payer's actions on an open payment: the claim of one more prompt, and the request to cancel. */
import type { ChargeState, PaymentStatus } from '../../domain/payment.ts'
import type { ClosedState } from '../../domain/page.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import type { CustomValue } from '../../domain/custom-field.ts'
import { takePlace } from '../pages/page.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { promptLifeIn, type PromptSeconds } from './end-checks.sql.ts'
import { promptAgainAt, maxPushes } from './payment.sql.ts'

type Key = { home: number; id: string }

export type OpenCharge = {
  home: number
  paymentId: string
  pageId: string
  environment: Environment
  status: PaymentStatus
  network: Network | null
  /** E.164. */
  phoneNumber: string
  idempotencyHash: Buffer
  isCancelRequested: boolean
  requestId: string
  provider: string
  providerReference: string | null
  pushes: number
  pushedAt: Date | null
  /** Seconds until the prompt may be sent again; zero or less: it may be sent now. */
  waitSeconds: number
  /** Seconds until our own expiry of this payment. */
  secondsLeft: number
}

export async function findOpenCharge(db: Runner, { home, id }: Key): Promise<OpenCharge | undefined> {
  return db.maybeOne<OpenCharge>(sql`
    select p.home, p.id as payment_id, p.page_id, p.environment, p.status, p.network, p.phone_number, p.idempotency_hash,
      p.cancel_requested_at is not null as is_cancel_requested, p.request_id, c.provider, c.provider_reference, c.pushes, c.pushed_at,
      extract(epoch from ${promptAgainAt} - clock_now())::double precision as wait_seconds,
      extract(epoch from p.expires_at - clock_now())::double precision as seconds_left
    from payments p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    where p.home = ${home} and p.id = ${id}`)
}

/**
 * Claims one of the remaining prompts; of many concurrent requests, one gets it. Runs before the call, because the call may not return.
 * The provider is asked about it no later than the end of this prompt.
 */
export async function claimPush(db: Runner, { home, id }: Key, promptSeconds: PromptSeconds): Promise<boolean> {
  return db.any(sql`
    update provider_charges c
    set pushes = c.pushes + 1, pushed_at = clock_now(),
      next_attempt_at = least(c.next_attempt_at, clock_now() + make_interval(secs => ${promptLifeIn(sql`p.network`, promptSeconds)}))
    from payments p
    where p.home = ${home} and p.id = ${id} and c.home = p.home and c.payment_id = p.id
      and p.status = 'pending' and p.cancel_requested_at is null and p.expires_at > clock_now()
      and c.provider_reference is not null and c.pushes < ${maxPushes} and ${promptAgainAt} <= clock_now()
    returning c.pushes`)
}

/** Gives a claimed prompt back that was certainly not sent; `before`: the charge before its claim. */
export async function returnPush(db: Runner, { home, id }: Key, before: Pick<OpenCharge, 'pushes' | 'pushedAt'>): Promise<void> {
  await db.rows(sql`
    update provider_charges set pushes = ${before.pushes}, pushed_at = ${before.pushedAt}
    where home = ${home} and payment_id = ${id} and pushes = ${before.pushes + 1}`)
}

export type LockedForCancel = {
  status: PaymentStatus
  environment: Environment
  provider: string
  providerReference: string | null
  chargeState: ChargeState
  /** A restore of the database affects it, so its state may be older than its sending. */
  isInRestoreDoubt: boolean
}

/** The payment with its charge, locked in the same order as in settling, so that neither can be sent or settled meanwhile. */
export async function lockForCancel(tx: Tx, { home, id }: Key): Promise<LockedForCancel | undefined> {
  return tx.maybeOne<LockedForCancel>(sql`
    select p.status, p.environment, c.provider, c.provider_reference, c.state as charge_state,
      exists (select from restores where ended_at is null or noted_at >= p.created_at) as is_in_restore_doubt
    from payments p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    where p.home = ${home} and p.id = ${id}
    for no key update of p, c`)
}

/** Records that the payer has cancelled; the first time counts, and the provider that has the charge is asked about it at once. */
export async function noteCancelRequest(tx: Tx, { home, id }: Key): Promise<void> {
  await tx.rows(sql`
    with noted as (
      update payments set cancel_requested_at = clock_now(), updated_at = clock_now()
      where home = ${home} and id = ${id} and cancel_requested_at is null
      returning home, id
    )
    update provider_charges c set next_attempt_at = clock_now()
    from noted n
    where c.home = n.home and c.payment_id = n.id and c.provider_reference is not null and c.next_attempt_at is not null`)
}

/** A charge that its payer may confirm. */
export type UnconfirmedCharge = {
  home: number
  paymentId: string
  merchantId: string
  pageId: string
  environment: Environment
  network: Network | null
  /** E.164. */
  phoneNumber: string
  idempotencyHash: Buffer
  provider: string
}

const waitsForPayer = sql`p.status = 'pending' and p.cancel_requested_at is null and p.expires_at > clock_now() and c.confirm_by is not null
  -- After a restore it may have been confirmed in the time that was lost.
  and not exists (select from restores where ended_at is null or noted_at >= p.created_at)`

/** The charge of a payment that waits for its payer's confirmation; undefined if there is no such charge, or it no longer waits. */
export async function findUnconfirmed(db: Runner, { home, id }: Key): Promise<UnconfirmedCharge | undefined> {
  return db.maybeOne<UnconfirmedCharge>(sql`
    select p.home, p.id as payment_id, p.merchant_id, p.page_id, p.environment, p.network, p.phone_number, p.idempotency_hash, c.provider
    from payments p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    where p.home = ${home} and p.id = ${id} and ${waitsForPayer}`)
}

/**
 * Claims a confirmed charge for sending; of many concurrent requests, one gets it. Its expiry starts now, and it takes its place on a
 * page with limited places: says why if none is left. A worker that claims it at the end of its wait detects this claim by `attempts`.
 */
export async function claimConfirmed(
  tx: Tx,
  { home, id }: Key,
  seconds: { lease: number; expiry: number },
): Promise<{ idempotencyKey: string; requestBody: string; attempts: number } | ClosedState | undefined> {
  const [open] = await tx.rows<{ pageId: string; holdsPlace: boolean }>(sql`
    select p.page_id, p.holds_place from payments p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    where p.home = ${home} and p.id = ${id} and ${waitsForPayer}
    for no key update of p, c`)
  if (!open) return undefined
  const place = open.holdsPlace ? 'taken' : await takePlace(tx, { home, id: open.pageId })
  if (place !== 'taken' && place !== 'unlimited') return place
  await tx.rows(sql`
    update payments
    set expires_at = clock_now() + make_interval(secs => ${seconds.expiry}), holds_place = ${place === 'taken'}, updated_at = clock_now()
    where home = ${home} and id = ${id}`)
  return tx.maybeOne<{ idempotencyKey: string; requestBody: string; attempts: number }>(sql`
    update provider_charges
    set state = 'claimed', confirm_by = null, attempts = attempts + 1, claimed_at = clock_now(), updated_at = clock_now(),
      next_attempt_at = clock_now() + make_interval(secs => ${seconds.lease})
    where home = ${home} and payment_id = ${id}
    returning idempotency_key, request_body, attempts`)
}

/** The payer's own input for a payment, shown only to that payer: no one else may learn who has paid. */
export type PayerEntries = {
  phoneNumber: string
  customerName: string | null
  customerEmail: string | null
  customFields: CustomValue[] | null
}

export async function findPayerEntries(db: Runner, { home, id }: Key): Promise<PayerEntries | undefined> {
  return db.maybeOne<PayerEntries>(sql`
    select phone_number, customer_name, customer_email, custom_fields from payments where home = ${home} and id = ${id}`)
}
