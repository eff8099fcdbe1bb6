/** All records about one payment or payout, over the tables of other slices: read only, found by its key. */
import type { PageKind } from '../../domain/page.ts'
import type { MerchantKind } from '../../domain/merchant.ts'
import type { Environment } from '../../domain/environment.ts'
import type { PayoutPurpose } from '../../domain/payout.ts'
import { isOfPayment, transfersWithAccounts, type TransferWithAccounts } from '../../money/ledger/transfer.sql.ts'
import { shownReceipt } from '../../collect/payments/payment.sql.ts'
import { sql, type Runner } from '../../platform/db/db.ts'

type Key = { home: number; id: string }

export type HistoryKind = 'payment' | 'payout'

/** What both histories begin with. */
type Facts = {
  environment: Environment
  status: string
  amount: number
  network: string | null
  phoneNumber: string
  held: boolean
  failureCode: string | null
  failureText: string | null
  requestId: string
  traceId: string | null
  createdAt: Date
  completedAt: Date | null
  updatedAt: Date
  providerReference: string | null
  nextAttemptAt: Date | null
}

export type PaymentFacts = Facts & {
  merchantId: string
  merchantKind: MerchantKind
  provider: string
  attempts: number
  customerEmail: string | null
  pageId: string
  pageKind: PageKind
  late: boolean
  expiresAt: Date
  cancelRequestedAt: Date | null
  shortCode: string
  networkReceipt: string | null
  chargeState: string
  pushes: number
  pushedAt: Date | null
  claimedAt: Date
}

export async function findPaymentFacts(db: Runner, { home, id }: Key): Promise<PaymentFacts | undefined> {
  return db.maybeOne<PaymentFacts>(sql`
    select p.environment, p.status, p.amount, p.network, p.phone_number, p.customer_email, p.page_id, g.kind as page_kind, p.merchant_id, m.kind as merchant_kind,
      p.held, p.late, p.failure_code, p.failure_text, p.request_id, p.trace_id, p.created_at, p.expires_at, p.completed_at, p.updated_at,
      p.cancel_requested_at, p.short_code, ${shownReceipt}, c.provider, c.provider_reference, c.state as charge_state, c.attempts, c.pushes, c.pushed_at, c.claimed_at,
      c.next_attempt_at
    from payments p
    join provider_charges c on c.home = p.home and c.payment_id = p.id
    join merchants m on m.id = p.merchant_id
    join payment_pages g on g.home = p.home and g.id = p.page_id
    where p.home = ${home} and p.id = ${id}`)
}

export type InboxEntry = {
  provider: string
  eventId: string
  body: string
  state: string
  attempts: number
  deaths: number
  requestId: string
  receivedAt: Date
  settledAt: Date | null
}

/** The provider's messages that were applied to a payment, unchanged. */
export async function listInbox(db: Runner, { home, id }: Key, limit: number): Promise<InboxEntry[]> {
  return db.rows<InboxEntry>(sql`
    select provider, event_id, body, state, attempts, deaths, request_id, received_at, settled_at from provider_inbox
    where home = ${home} and payment_id = ${id}
    order by received_at, event_id limit ${limit}`)
}

/** Every transfer for a payment or a payout, with its debited and credited accounts. */
export async function listTransfers(db: Runner, about: HistoryKind, key: Key): Promise<TransferWithAccounts[]> {
  return db.rows<TransferWithAccounts>(sql`
    ${transfersWithAccounts}
    where ${about === 'payment' ? isOfPayment(key) : sql`t.home = ${key.home} and t.payout_id = ${key.id}`}
    order by t.created_at, t.kind, t.id`)
}

export type DeliveryEntry = {
  id: string
  appId: string
  trigger: string
  status: string
  attempts: number
  postponements: number
  nextAttemptAt: Date | null
  createdAt: Date
  finishedAt: Date | null
}

export async function listDeliveries(db: Runner, event: { home: number; eventId: string }): Promise<DeliveryEntry[]> {
  return db.rows<DeliveryEntry>(sql`
    select id, app_id, trigger, status, attempts, postponements, next_attempt_at, created_at, finished_at
    from webhook_deliveries
    where home = ${event.home} and event_id = ${event.eventId} and (trigger = 'automatic' or trigger = 'manual')
    order by created_at, id limit 100`)
}

export type BreakEntry = {
  id: string
  kind: string
  openedAt: Date
  proposal: string | null
  proposedBy: string | null
  proposedAt: Date | null
  resolution: string | null
  resolvedBy: string | null
  resolvedAt: Date | null
}

export async function listBreaks(db: Runner, about: HistoryKind, { home, id }: Key): Promise<BreakEntry[]> {
  return db.rows<BreakEntry>(sql`
    select id, kind, opened_at, proposal, proposed_by, proposed_at, resolution, resolved_by, resolved_at from breaks
    where home = ${home} and ${about === 'payment' ? sql`payment_id = ${id}` : sql`payout_id = ${id}`}
    order by id`)
}

export type AuditEntry = { at: Date; actor: string; action: string; object: string; requestId: string }

/** Recorded actions on any of these objects, by their public ids. */
export async function listActs(db: Runner, objects: string[]): Promise<AuditEntry[]> {
  return db.rows<AuditEntry>(sql`
    select at, actor, action, object, request_id from audit_log where object = any(${objects}::text[]) order by seq limit 200`)
}

export type PayoutFacts = Facts & {
  purpose: PayoutPurpose
  breakId: string | null
  /** Null, and the next: a return to a payer. */
  merchantId: string | null
  merchantKind: MerchantKind | null
  fee: number
  approval: string
  requestedBy: string
  reversedAt: Date | null
  /** Null, and the next two: a refund outside has no order. */
  provider: string | null
  orderState: string | null
  attempts: number | null
  firstSentAt: Date | null
}

export async function findPayoutFacts(db: Runner, { home, id }: Key): Promise<PayoutFacts | undefined> {
  return db.maybeOne<PayoutFacts>(sql`
    select p.environment, p.status, p.purpose, p.break_id, p.amount, p.fee, p.network, p.phone_number, p.merchant_id, m.kind as merchant_kind, p.approval, p.held,
      p.failure_code, p.failure_text, p.requested_by, p.request_id, p.trace_id, p.created_at, p.updated_at, p.completed_at, p.reversed_at,
      c.provider, c.provider_reference, c.state as order_state, c.attempts, c.first_sent_at, c.next_attempt_at
    from payouts p
    left join provider_payouts c on c.home = p.home and c.payout_id = p.id
    left join merchants m on m.id = p.merchant_id
    where p.home = ${home} and p.id = ${id}`)
}
