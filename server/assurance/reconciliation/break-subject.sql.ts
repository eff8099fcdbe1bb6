/** The facts about a break's payment or payout that a decision needs. */
import type { ChargeState } from '../../domain/payment.ts'
import {
  isOfPayment,
  transfersOfPayment,
  transfersWithAccounts,
  type TransferWithAccounts,
} from '../../money/ledger/transfer.sql.ts'
import type { Payment } from '../../collect/payments/payment.ts'
import { joinMember } from '../../accounts/members/access.sql.ts'
import { joinNames, namesOfPayment, type PaymentNames } from '../../collect/payments/payment-names.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Network } from '../../domain/network.ts'

type SubjectKey = { home: number; paymentId: string | null; payoutId: string | null }

/** Whether a person is a member of the merchant that owns the money; false for an unknown record. */
export async function isBehind(db: Runner, userId: string, key: SubjectKey): Promise<boolean> {
  return db.any(sql`
    select 1 from payments p ${joinMember(userId, sql`p.merchant_id`)} where p.home = ${key.home} and p.id = ${key.paymentId}
    union all
    select 1 from payouts p ${joinMember(userId, sql`p.merchant_id`)} where p.home = ${key.home} and p.id = ${key.payoutId}`)
}

/** Whether the payment or payout has ended. An unknown record counts as ended. */
export async function hasEnded(db: Runner, key: SubjectKey): Promise<boolean> {
  const [row] = await db.rows<{ isOpen: boolean }>(sql`
    select true as is_open from payments where home = ${key.home} and id = ${key.paymentId} and status in ('pending', 'processing')
    union all
    select true from payouts where home = ${key.home} and id = ${key.payoutId} and status in ('pending', 'processing')`)
  return row === undefined
}

/** The open break about an unknown record, else the one that was resolved last. Locked until the transaction ends. */
export async function lockLastOfRecord(
  tx: Tx,
  record: { home: number; environment: string; provider: string; reference: string; kind: string },
): Promise<{ home: number; id: string; isOpen: boolean; details: Record<string, unknown> } | undefined> {
  return tx.maybeOne<{ home: number; id: string; isOpen: boolean; details: Record<string, unknown> }>(sql`
    select home, id, resolved_at is null as is_open, details from breaks
    where home = ${record.home} and provider = ${record.provider} and environment = ${record.environment}
      and provider_reference = ${record.reference} and kind = ${record.kind} and payment_id is null and payout_id is null
    order by resolved_at desc nulls first, id desc limit 1
    for update`)
}

export type ChargeFacts = Omit<Payment, 'amountReceived' | 'currency' | 'payerLanguage'> &
  PaymentNames & {
    provider: string
    refundedAmount: number
    held: boolean
    isPastExpiry: boolean
    ageSeconds: number
    chargeState: ChargeState
    providerReference: string | null
    attempts: number
    /** How often the payer asked for the prompt again, and when last. */
    pushes: number
    pushedAt: Date | null
    cancelRequestedAt: Date | null
    nextAttemptAt: Date | null
    /** The time of the last answer, message or action. */
    lastHeardAt: Date
    paymentRequestId: string | null
    openBreaks: string[]
  }

const facts = sql`
  select p.home, p.id, p.environment, ${namesOfPayment}, c.provider, p.status, p.amount, p.refunded_amount, p.network, p.short_code, p.network_receipt, p.held, p.late, p.failure_code,
    p.created_at, p.expires_at, p.completed_at, p.expires_at <= clock_now() as is_past_expiry,
    extract(epoch from clock_now() - p.created_at)::double precision as age_seconds,
    c.state as charge_state, c.provider_reference, c.attempts, c.pushes, c.pushed_at, p.cancel_requested_at, c.next_attempt_at, c.updated_at as last_heard_at,
    case when g.kind = 'request' then g.id end as payment_request_id,
    (select coalesce(array_agg(b.kind order by b.kind), '{}') from breaks b
      where b.home = p.home and b.payment_id = p.id and b.resolved_at is null) as open_breaks
  from payments p ${joinNames}
  join provider_charges c on c.home = p.home and c.payment_id = p.id`

export async function findChargeFacts(db: Runner, key: { home: number; id: string }): Promise<ChargeFacts | undefined> {
  return db.maybeOne<ChargeFacts>(sql`${facts} where p.home = ${key.home} and p.id = ${key.id}`)
}

/** Charges with an unknown outcome. What waits for its payer's confirmation was certainly not sent. */
const unknownCharges = sql`
  select home, payment_id from provider_charges
  where next_attempt_at is not null and state in ('claimed', 'unsent', 'deferred', 'unknown') and confirm_by is null
  union
  select home, payment_id from breaks where resolved_at is null and kind = 'charge_unknown'`

/** What has just been sent is not unknown yet. */
export const unknownAfterSeconds = 60

export type UnknownPayments = {
  environment: Environment
  count: number
  amount: number
  oldestSeconds: number | null
  /** Of those that have no case yet. */
  oldestWithoutCaseSeconds: number | null
}

/** Charges with an unknown outcome, by environment: the same as `listStuckCharges` with `outcome` unknown. */
export async function countUnknownPayments(db: Runner): Promise<UnknownPayments[]> {
  return db.rows<UnknownPayments>(sql`
    select e.environment, count(p.id) as count, coalesce(sum(p.amount), 0)::bigint as amount,
      extract(epoch from clock_now() - min(p.created_at))::double precision as oldest_seconds,
      extract(epoch from clock_now() - min(p.created_at) filter (where not p.has_case))::double precision as oldest_without_case_seconds
    from (values ('live'), ('test')) as e (environment)
    left join (
      select p.id, p.environment, p.amount, p.created_at, exists (
        select from breaks b where b.home = p.home and b.payment_id = p.id and b.resolved_at is null and b.kind = 'charge_unknown') as has_case
      from (${unknownCharges}) c join payments p on p.home = c.home and p.id = c.payment_id
      where p.status in ('pending', 'processing')
        and p.created_at <= clock_now() - make_interval(secs => ${unknownAfterSeconds}::double precision)
    ) p on p.environment = e.environment
    group by e.environment order by e.environment`)
}

/** Payments that have not ended, oldest first. Returns one more row than the limit. They wait for a query, or have a break. */
export async function listStuckCharges(
  db: Runner,
  wanted: {
    environment: string | null
    network: string | null
    olderThanSeconds: number
    isOutcomeUnknown: boolean
    afterId: string | null
    limit: number
  },
): Promise<ChargeFacts[]> {
  const { environment, network, isOutcomeUnknown, afterId, limit } = wanted
  const olderThanSeconds = isOutcomeUnknown ? Math.max(wanted.olderThanSeconds, unknownAfterSeconds) : wanted.olderThanSeconds
  const unfinished = sql`
    select home, payment_id from provider_charges where next_attempt_at is not null
    union
    select home, payment_id from breaks where resolved_at is null and payment_id is not null`
  return db.rows<ChargeFacts>(sql`
    ${facts}
    where (p.home, p.id) in (
        ${isOutcomeUnknown ? unknownCharges : unfinished})
      and p.status in ('pending', 'processing')
      and p.created_at <= clock_now() - make_interval(secs => ${olderThanSeconds}::double precision)
      and (${environment}::text is null or p.environment = ${environment}::text)
      and (${network}::text is null or p.network = ${network}::text)
      and (${afterId}::uuid is null or p.id > ${afterId}::uuid)
    order by p.id
    limit ${limit + 1}`)
}

/** All transfers of a payment, with the accounts between which the money moved. */
export async function listTransfersOf(db: Runner, payment: { home: number; id: string }): Promise<TransferWithAccounts[]> {
  return db.rows<TransferWithAccounts>(sql`
    ${transfersWithAccounts}
    where ${isOfPayment(payment)}
    order by t.id`)
}

/** All transfers of a break and of its payment or payout. */
export async function listTransfersAround(db: Runner, one: SubjectKey & { id: string }): Promise<TransferWithAccounts[]> {
  return db.rows<TransferWithAccounts>(sql`
    ${transfersWithAccounts}
    where t.home = ${one.home} and t.id in (
      select id from ledger_transfers where home = ${one.home} and break_id = ${one.id}
      union all
      select id from ledger_transfers where home = ${one.home} and payout_id = ${one.payoutId}::uuid
      union all
      select id from (${transfersOfPayment(sql`${one.home}::smallint`, sql`${one.paymentId}::uuid`)}) x)
    order by t.id`)
}

/** The payer, who paid or was asked to pay. */
export async function findPayer(
  db: Runner,
  key: { home: number; paymentId: string },
): Promise<{ phoneNumber: string; name: string | null; network: Network | null } | undefined> {
  return db.maybeOne<{ phoneNumber: string; name: string | null; network: Network | null }>(sql`
    select phone_number, customer_name as name, network from payments where home = ${key.home} and id = ${key.paymentId}`)
}
