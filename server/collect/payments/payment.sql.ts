/** The only access to payments and provider_charges, except for the one statement that settles (settle.sql.ts). */
import { merchantNameForPayers } from '../../accounts/identity/merchant.sql.ts'
import type { ChargeState, PaymentStatus } from '../../domain/payment.ts'
import type { PayerLanguage } from '../../domain/language.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'
import type { ClosedState } from '../../domain/page.ts'
import { earlier, moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { noPlace } from '../pages/page.sql.ts'
import { heldMoneyOf, type HeldMoney } from '../../money/breaks/break.sql.ts'
import { isComparing, restoreDoubt, type RestoreDoubt } from '../../money/controls/restore.sql.ts'
import type { MerchantFields, Payment } from './payment.ts'

export type NewPayment = {
  home: number
  id: string
  merchantId: string
  environment: Environment
  pageId: string
  /** The page sells a limited number of places, so this payment needs one. */
  needsPlace: boolean
  amount: number
  phoneNumber: string
  network: Network | null
  customerName: string | null
  customerEmail: string | null
  /** As JSON; null: none were given. */
  customFields?: string | null
  merchantReference: string | null
  /** As JSON. */
  metadata: string
  description: string | null
  payerLanguage: PayerLanguage
  idempotencyHash: Buffer
  requestHash: Buffer
  expirySeconds: number
  claimLeaseSeconds: number
  /** How long it waits for the payer's confirmation; null: it is sent now. */
  confirmSeconds?: number | null
  requestId: string
  traceId?: string
  provider: string
  providerKey: string
  providerBody: string
  orderMac: string
}

/** When nothing was inserted: why the page has no place left, or null if the key is in use. */
export type InsertedPayment = { expiresAt: Date; shortCode: string } | ClosedState | null

const newPaymentColumns = {
  home: 'smallint',
  id: 'uuid',
  merchantId: 'uuid',
  environment: 'text',
  pageId: 'uuid',
  needsPlace: 'boolean',
  amount: 'bigint',
  phoneNumber: 'text',
  network: 'text',
  customerName: 'text',
  customerEmail: 'text',
  customFields: 'text',
  merchantReference: 'text',
  metadata: 'text',
  description: 'text',
  payerLanguage: 'text',
  idempotencyHash: 'bytea',
  requestHash: 'bytea',
  expirySeconds: 'double precision',
  claimLeaseSeconds: 'double precision',
  requestId: 'text',
  provider: 'text',
  providerKey: 'text',
  providerBody: 'text',
  orderMac: 'text',
  traceId: 'uuid',
  confirmSeconds: 'double precision',
} as const

/**
 * Claims: stores payments with the exact request that will be sent for each. Items of one limited page must not share a batch, because
 * the remaining places are counted before the batch. Waits `lockTimeoutMs` for a locked page; undefined: uses the timeout of its
 * connection.
 */
export async function insertPayments(db: Runner, items: NewPayment[], lockTimeoutMs?: number): Promise<InsertedPayment[]> {
  const rows = await db.rows<{ expiresAt: Date | null; shortCode: string | null; noPlace: ClosedState | null }>(sql`
    with timeout as materialized (
      select set_config('lock_timeout', coalesce(${lockTimeoutMs ?? null}::text, current_setting('lock_timeout')), true)
    ),
    input as (
      select i.*
      -- Read first: the timeout is set before anything is locked.
      from timeout, ${recordset(items, 'i', newPaymentColumns, 'ord')}
    ),
    limited as materialized (
      select g.home, g.id, ${noPlace}
      from payment_pages g
      where (g.home, g.id) in (select home, page_id from input where needs_place)
      order by g.home, g.id
      for no key update
    ),
    inserted as (
      insert into payments (home, id, merchant_id, environment, page_id, amount, phone_number, network, customer_name, customer_email, custom_fields,
        merchant_reference, metadata, description, payer_language, idempotency_hash, request_hash, holds_place, expires_at, request_id, trace_id, created_at, updated_at)
      select i.home, i.id, i.merchant_id, i.environment, i.page_id, i.amount, i.phone_number, i.network, i.customer_name, i.customer_email, i.custom_fields::jsonb,
        i.merchant_reference, i.metadata::jsonb, i.description, i.payer_language, i.idempotency_hash, i.request_hash, i.needs_place, clock_now() + make_interval(secs => i.expiry_seconds),
        i.request_id, i.trace_id, clock_now(), clock_now()
      from input i
      left join limited l on i.needs_place and l.home = i.home and l.id = i.page_id
      where l.no_place is null
      -- One order for all processes: two that store the same keys then wait for each other without a deadlock.
      order by i.home, i.page_id, i.idempotency_hash
      on conflict on constraint payments_one_per_idempotency_key do nothing
      returning home, id, page_id, holds_place, expires_at, short_code
    ),
    claimed as (
      insert into provider_charges (home, payment_id, provider, state, idempotency_key, request_body, order_mac, next_attempt_at, confirm_by, claimed_at,
        updated_at)
      select i.home, i.id, i.provider, case when i.confirm_seconds is null then 'claimed' else 'deferred' end, i.provider_key, i.provider_body, i.order_mac,
        clock_now() + make_interval(secs => coalesce(i.confirm_seconds, i.claim_lease_seconds)), clock_now() + make_interval(secs => i.confirm_seconds),
        clock_now(), clock_now()
      from input i
      join inserted n on n.home = i.home and n.id = i.id
    ),
    held as (
      update payment_pages g
      set held_count = g.held_count + n.places
      from (select home, page_id, count(*)::integer as places from inserted where holds_place group by home, page_id) n
      where g.home = n.home and g.id = n.page_id
    )
    select n.expires_at, n.short_code, l.no_place
    from input i
    left join inserted n on n.home = i.home and n.id = i.id
    left join limited l on i.needs_place and l.home = i.home and l.id = i.page_id
    order by i.ord`)
  return rows.map(({ expiresAt, shortCode, noPlace: why }) =>
    expiresAt === null || shortCode === null ? why : { expiresAt, shortCode },
  )
}

/** The number of the network's receipt of a payment `p`. Null after erasure, which stores the payer's pseudonym in its place. */
export const shownReceipt = sql`nullif(p.network_receipt, p.phone_number) as network_receipt`

const paymentColumns = sql`p.home, p.id, p.merchant_id, p.environment, p.page_id, p.status, p.amount, p.amount_received, p.currency, p.phone_number, p.network,
  p.payer_language, p.failure_code, p.late, p.expires_at, p.completed_at, p.created_at, p.short_code, ${shownReceipt}`

/** Whether the payer of a charge `c` was asked to confirm it and has not done so: it was never sent. */
const isUnconfirmed = sql`c.confirm_by is not null as is_unconfirmed`

/** The payment of a payer's key on a page, with the hash of the body that created it. */
export async function findByIdempotencyKey(
  db: Runner,
  page: { home: number; id: string },
  idempotencyHash: Buffer,
): Promise<(Payment & { requestHash: Buffer; isUnconfirmed: boolean }) | undefined> {
  return db.maybeOne<Payment & { requestHash: Buffer; isUnconfirmed: boolean }>(sql`
    select ${paymentColumns}, p.request_hash, ${isUnconfirmed}
    from payments p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    where p.home = ${page.home} and p.page_id = ${page.id} and p.idempotency_hash = ${idempotencyHash}`)
}

/** The pause between two prompts, and the maximum number of resends (provider_charges_pushes_at_most_3). */
export const pushPauseSeconds = 60
export const maxPushes = 3

/** The earliest time for the next prompt of a charge `c`, by the pause alone. */
export const promptAgainAt = sql`greatest(c.claimed_at, c.pushed_at) + make_interval(secs => ${pushPauseSeconds})`

export type PaymentView = Payment & {
  /** What the payer pays for: the payment's own description, else the title of its page. */
  pageTitle: string
  pageSlug: string
  /** Null: no reviewer has seen it, and payers read another one. */
  merchantName: string | null
  provider: string
  /** TZS of its refunds that have not failed. */
  refundedAmount: number
  /** Its credit was taken back: the network showed that it was not paid. */
  isTakenBack: boolean
  /** Where the money is that arrived and does not match it; null: none is known, or it was credited. */
  heldMoney: HeldMoney | null
  /** The payer has cancelled; the payment is voided unless it still succeeds. */
  isCancelRequested: boolean
  /** The payer has not confirmed it, so it was never sent; while it is pending, it may still be sent. */
  isUnconfirmed: boolean
  /** How many times the prompt was sent again. */
  pushes: number
  /** When the provider was last asked for a prompt; null while it is not known to have the charge. */
  promptedAt: Date | null
  /** The prompt may be sent again now. */
  canResend: boolean
  /** Until its expiry; below zero after it. */
  secondsLeft: number
  /** The earliest time for it; null if it may not be sent again at all. */
  resendAt: Date | null
}

const keyColumns = { home: 'smallint', id: 'uuid' } as const

/** The public view of payments, in the order of the keys. */
export async function findPaymentViews(db: Runner, keys: { home: number; id: string }[]): Promise<(PaymentView | undefined)[]> {
  const rows = await db.rows<PaymentView>(sql`
    select ${paymentColumns}, coalesce(p.description, g.title) as page_title, g.slug as page_slug, ${merchantNameForPayers(sql`p.environment`)}, c.provider, c.pushes, ${isUnconfirmed},
      case when c.provider_reference is not null then greatest(c.claimed_at, c.pushed_at) end as prompted_at, p.refunded_amount, p.credit_reversed_at is not null as is_taken_back, ${heldMoneyOf(sql`p`)} as held_money, p.cancel_requested_at is not null as is_cancel_requested, a.resend_at, coalesce(a.resend_at <= clock_now(), false) as can_resend,
        extract(epoch from p.expires_at - clock_now())::double precision as seconds_left
    from ${recordset(keys, 'k', keyColumns)}
    join payments p on p.home = k.home and p.id = k.id
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    cross join lateral (
      select case
        when p.status = 'pending' and p.cancel_requested_at is null and p.expires_at > clock_now() and c.provider_reference is not null
          and c.pushes < ${maxPushes} and ${promptAgainAt} < p.expires_at
        then ${promptAgainAt} end as resend_at
    ) a
    join payment_pages g on g.home = p.home and g.id = p.page_id
    join merchants m on m.id = p.merchant_id`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return keys.map((key) => byId.get(key.id))
}

export type PaymentLabel = {
  id: string
  /** Null where the payment was not made on a page that its owner sees. */
  pageId: string | null
  network: Network | null
  customerName: string | null
  phoneNumber: string
  shortCode: string
  networkReceipt: string | null
} & Pick<MerchantFields, 'merchantReference' | 'metadata'>

/** The labels of payments in a merchant's list of transactions. */
export async function findPaymentLabels(
  db: Runner,
  merchant: { home: number; id: string },
  ids: string[],
): Promise<Map<string, PaymentLabel>> {
  const rows = await db.rows<PaymentLabel>(sql`
    select p.id, case when not g.is_hidden then g.id end as page_id, p.network, p.customer_name, p.phone_number,
      p.short_code, ${shownReceipt}, p.merchant_reference, p.metadata
    from unnest(${ids}::uuid[]) as k (id)
    -- One by one by primary key: with the merchant in the condition, the planner uses an index of the merchant and reads its whole history.
    cross join lateral (select * from payments where home = ${merchant.home} and id = k.id offset 0) p
    join payment_pages g on g.home = p.home and g.id = p.page_id
    where p.merchant_id = ${merchant.id}`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** A charge that is due for a query to its provider. */
export type DueCharge = {
  home: number
  paymentId: string
  merchantId: string
  pageId: string
  environment: Environment
  provider: string
  state: ChargeState
  idempotencyKey: string
  requestBody: string
  providerReference: string | null
  /** Queries so far, including this one. */
  attempts: number
  /** It was never sent, because its payer has not confirmed it. */
  isUnconfirmed: boolean
  status: PaymentStatus
  held: boolean
  isPastExpiry: boolean
  /** Until its expiry. */
  secondsLeft: number
  isCancelRequested: boolean
  restoreDoubt: RestoreDoubt | null
  /** Since its checkout, or since its payer confirmed it. */
  ageSeconds: number
  requestId: string
  traceId: string | null
}

/** When the expiry period of a payment `p` started: at its checkout, or when its payer confirmed it. */
const startedAt = (expirySeconds: number): Sql =>
  sql`greatest(p.created_at, p.expires_at - make_interval(secs => ${expirySeconds}::double precision))`

/**
 * Claims charges that are due; another worker claims none of them before the lease ends. A charge that will now be sent is marked
 * `claimed` before it is sent: if this process crashes during the call, the charge must not look as if it was certainly never sent. The
 * result has the state from before the claim.
 */
export async function claimDueCharges(
  db: Runner,
  limit: number,
  seconds: { lease: number; unsentRetry: number; expiry: number },
): Promise<DueCharge[]> {
  return db.rows<DueCharge>(sql`
    with due as (
      select home, payment_id, state from provider_charges
      where next_attempt_at <= clock_now()
      order by next_attempt_at limit ${limit}
      for update skip locked
    ),
    claimed as (
      update provider_charges c
      set next_attempt_at = clock_now() + make_interval(secs => ${seconds.lease}), attempts = c.attempts + 1,
        claimed_at = case when due.state in ('unsent', 'deferred') then clock_now() else c.claimed_at end,
        state = case
          -- A charge that the payer cancelled before it was sent is never sent.
          when p.cancel_requested_at is not null then c.state
          -- A charge that the payer has not confirmed is not sent.
          when c.confirm_by is not null then c.state
          -- While a restore is being compared with the providers, no charge is sent for the first time.
          when ${isComparing} then c.state
          when due.state = 'unsent' and ${startedAt(seconds.expiry)} > clock_now() - make_interval(secs => ${seconds.unsentRetry}) then 'claimed'
          when due.state = 'deferred' and p.expires_at > clock_now() then 'claimed'
          else c.state end
      from due
      join payments p on p.home = due.home and p.id = due.payment_id
      where c.home = due.home and c.payment_id = due.payment_id
      returning c.home, c.payment_id, c.provider, due.state, c.idempotency_key, c.request_body, c.provider_reference, c.attempts, c.confirm_by is not null as is_unconfirmed
    )
    select t.home, t.payment_id, p.merchant_id, p.page_id, p.environment, t.provider, t.state, t.idempotency_key, t.request_body, t.provider_reference, t.attempts, t.is_unconfirmed,
      p.status, p.held, p.expires_at <= clock_now() as is_past_expiry,
      greatest(extract(epoch from p.expires_at - clock_now()), 0)::double precision as seconds_left, p.cancel_requested_at is not null as is_cancel_requested,
      ${restoreDoubt('charges', { createdAt: sql`p.created_at`, environment: sql`p.environment`, provider: sql`t.provider` })} as restore_doubt,
      greatest(extract(epoch from clock_now() - ${startedAt(seconds.expiry)}), 0)::double precision as age_seconds, p.request_id, p.trace_id
    from claimed t
    join payments p on p.home = t.home and p.id = t.payment_id`)
}

/**
 * Claims a charge that may have been sent before, to send it again. Returns false if it was sent within `quietSeconds`, if its payer
 * has cancelled, or if more was learned about it since. Two workers cannot both claim it, and the claim makes the other worker wait the same time again.
 */
export async function claimAgain(
  db: Runner,
  payment: { home: number; paymentId: string },
  quietSeconds: number,
): Promise<boolean> {
  return db.any(sql`
    update provider_charges set claimed_at = clock_now(), updated_at = clock_now()
    where home = ${payment.home} and payment_id = ${payment.paymentId} and state in ('claimed', 'unknown')
      and provider_reference is null and claimed_at <= clock_now() - make_interval(secs => ${quietSeconds})
      and not exists (select from payments p where p.home = ${payment.home} and p.id = ${payment.paymentId} and p.cancel_requested_at is not null)
    returning payment_id`)
}

/** A charge whose payment ended without a credit, claimed by this process until its lease ends. */
export type EndedCharge = {
  home: number
  paymentId: string
  environment: Environment
  provider: string
  providerReference: string | null
  held: boolean
  /** Since its end. */
  endedSeconds: number
  requestId: string
  traceId: string | null
}

/**
 * Claims ended charges that are due for a query. The charges that ended last come first: a late success is most likely soon after the
 * end.
 */
export async function claimRechecks(db: Runner, limit: number, leaseSeconds: number): Promise<EndedCharge[]> {
  return db.rows<EndedCharge>(sql`
    with due as (
      select home, payment_id from provider_charges
      where recheck_at <= clock_now()
      order by ended_at desc limit ${limit}
      for update skip locked
    ),
    claimed as (
      update provider_charges c set recheck_at = clock_now() + make_interval(secs => ${leaseSeconds})
      from due
      where c.home = due.home and c.payment_id = due.payment_id
      returning c.home, c.payment_id, c.provider, c.provider_reference, c.ended_at
    )
    select t.home, t.payment_id, p.environment, t.provider, t.provider_reference, p.held, p.request_id, p.trace_id,
      extract(epoch from clock_now() - t.ended_at)::double precision as ended_seconds
    from claimed t
    join payments p on p.home = t.home and p.id = t.payment_id`)
}

/**
 * Sets when an ended charge is queried next, in seconds after its end; null: no more queries. Does nothing if it was credited meanwhile.
 */
export async function scheduleRecheck(
  db: Runner,
  charge: { home: number; paymentId: string },
  atSeconds: number | null,
): Promise<void> {
  await db.rows(sql`
    update provider_charges
    set recheck_at = ended_at + make_interval(secs => ${atSeconds}::double precision),
      ended_at = case when ${atSeconds}::double precision is not null then ended_at end
    where home = ${charge.home} and payment_id = ${charge.paymentId} and ended_at is not null`)
}

/** Stops queries about a charge; operators handle it from now on. */
export async function stopChecking(db: Runner, payment: { home: number; paymentId: string }): Promise<void> {
  await db.rows(
    sql`update provider_charges set next_attempt_at = null where home = ${payment.home} and payment_id = ${payment.paymentId}`,
  )
}

/** Makes a charge due now: a message arrived that must be confirmed by a query. */
export async function checkSoon(db: Runner, payment: { home: number; paymentId: string }): Promise<void> {
  await db.rows(sql`
    update provider_charges set next_attempt_at = clock_now()
    where home = ${payment.home} and payment_id = ${payment.paymentId} and provider_reference is not null`)
}

/** A credited payment, locked until the transaction ends, and whether a fee is booked for it; undefined if it is not credited. */
export async function lockCreditedPayment(
  tx: Tx,
  key: { home: number; paymentId: string },
): Promise<{ pageId: string; hasFee: boolean } | undefined> {
  const [payment] = await tx.rows<{ pageId: string; status: PaymentStatus }>(sql`
    select page_id, status from payments where home = ${key.home} and id = ${key.paymentId} for no key update`)
  if (payment?.status !== 'completed') return undefined
  // Read after the lock: a fee that was booked while we waited for the lock counts.
  const fees = await tx.rows(sql`
    select from ledger_transfers where home = ${key.home} and payment_id = ${key.paymentId} and kind = 'provider_fee'`)
  return { pageId: payment.pageId, hasFee: fees.length > 0 }
}

/** The payment that a provider's reference belongs to. */
export async function findReference(
  db: Runner,
  key: { provider: string; environment: Environment; reference: string },
): Promise<{ home: number; paymentId: string } | undefined> {
  return db.maybeOne<{ home: number; paymentId: string }>(sql`
    select home, payment_id from provider_references
    where provider = ${key.provider} and environment = ${key.environment} and reference = ${key.reference} and payment_id is not null`)
}

/** Locks a payment until the transaction ends. */
export async function lockPayment(tx: Tx, key: { home: number; paymentId: string }): Promise<void> {
  await tx.rows(sql`select from payments where home = ${key.home} and id = ${key.paymentId} for no key update`)
}

/** Moves the times of charges that are still queried, together with a clock that was set back by this many seconds. */
export async function moveChargeTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update provider_charges
    set next_attempt_at = ${moved(sql`next_attempt_at`, seconds)}, claimed_at = ${earlier(sql`claimed_at`, seconds)},
      pushed_at = ${earlier(sql`pushed_at`, seconds)}
    where next_attempt_at is not null`)
  await tx.rows(sql`
    update provider_charges
    set recheck_at = ${moved(sql`recheck_at`, seconds)}, ended_at = ${earlier(sql`ended_at`, seconds)}
    where recheck_at is not null`)
}
