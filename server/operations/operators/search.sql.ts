/** The operators' search over all slices: read only, and each statement uses an index, never a scan. */
import type { PaymentStatus } from '../../domain/payment.ts'
import type { PayoutStatus } from '../../domain/payout.ts'
import type { VerificationStatus } from '../../domain/verification.ts'
import type { Environment } from '../../domain/environment.ts'
import { foldText } from '../../domain/typed.ts'
import type { Merchant } from '../../accounts/identity/merchant.ts'
import type { SupportCase } from '../../collect/support-cases/support-case.ts'
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'

export type FoundMerchant = {
  id: string
  kind: Merchant['kind']
  name: string
  email: string
  status: VerificationStatus
  isSuspended: boolean
  createdAt: Date
}

const merchantColumns = sql`m.id, m.kind, coalesce(b.legal_name, u.full_name) as name, coalesce(b.email, u.email) as email,
  m.verification_status as status, m.suspended_at is not null as is_suspended, m.created_at`
const merchantTables = sql`merchants m join users u on u.id = m.user_id left join businesses b on b.id = m.id`

/** A `like` pattern for texts with this exact beginning. */
function beginning(text: string): string {
  return `${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** Each way in which a text may name a person or a business; whole numbers match exactly, other texts by their beginning. */
function merchantIdsOf(text: string, phoneNumber: string | null): Sql {
  const pattern = beginning(text)
  const namePattern = beginning(foldText(text))
  const some = sql`limit 20`
  return sql`
    (select id from users where email like ${pattern}::text ${some}) union
    (select id from users where fold_text(full_name) like ${namePattern}::text ${some}) union
    (select id from users where phone_number = ${phoneNumber}::text) union
    (select id from businesses where lower(email) like ${pattern}::text ${some}) union
    (select id from businesses where fold_text(legal_name) like ${namePattern}::text ${some}) union
    (select id from merchants where fold_text(display_name) like ${namePattern}::text ${some}) union
    (select id from businesses where registration_number = ${text}::text and registration_number <> '' ${some}) union
    (select id from businesses where tax_identification_number = ${text}::text ${some}) union
    (select id from businesses where phone = ${phoneNumber}::text ${some})`
}

export async function findMerchants(
  db: Runner,
  wanted: { text: string; phoneNumber: string | null; limit: number },
): Promise<FoundMerchant[]> {
  return db.rows<FoundMerchant>(sql`
    select ${merchantColumns} from ${merchantTables}
    where m.id in (${merchantIdsOf(wanted.text, wanted.phoneNumber)})
    order by m.created_at desc, m.id desc
    limit ${wanted.limit}`)
}

export async function findMerchantsById(db: Runner, ids: string[]): Promise<FoundMerchant[]> {
  return db.rows<FoundMerchant>(sql`select ${merchantColumns} from ${merchantTables} where m.id = any(${ids}::uuid[])`)
}

export type FoundMoney = {
  id: string
  environment: Environment
  status: PaymentStatus | PayoutStatus
  amount: number
  phoneNumber: string
  /** Null: the payer gave none. */
  name: string | null
  /** Null: a payout of the service itself, which returns money to a payer. */
  merchantId: string | null
  createdAt: Date
}

const paymentColumns = sql`p.id, p.environment, p.status, p.amount, p.phone_number, p.customer_name as name, p.merchant_id, p.created_at`
const payoutColumns = sql`p.id, p.environment, p.status, p.amount, p.phone_number, p.recipient_name as name, p.merchant_id, p.created_at`

export async function findPaymentById(db: Runner, key: { home: number; id: string }): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(sql`select ${paymentColumns} from payments p where p.home = ${key.home} and p.id = ${key.id}`)
}

export async function findPayoutById(db: Runner, key: { home: number; id: string }): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(
    sql`select ${payoutColumns} from payouts p where p.home = ${key.home} and p.id = ${key.id} and p.method = 'provider'`,
  )
}

/** The payment of a refund outside the wallet, which operators read there: it has no order. */
export async function findPaymentOfOutsideRefund(db: Runner, key: { home: number; id: string }): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(sql`
    select ${paymentColumns} from payouts o join payments p on p.home = o.home and p.id = o.refund_of
    where o.home = ${key.home} and o.id = ${key.id} and o.method = 'outside'`)
}

/** The newest payments of a complete phone number. */
export async function findPaymentsByPhone(db: Runner, phoneNumber: string, limit: number): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(sql`
    select ${paymentColumns} from payments p where p.phone_number = ${phoneNumber}
    order by p.created_at desc, p.id desc limit ${limit}`)
}

/** Common names have many payments: the cost of a beginning stays bounded. */
const searchedPerName = 1_000
const lastCharacter = '\u{10FFFF}'

/** The newest payments whose payer gave exactly this name, then others with this beginning, among those that come first in the index. */
export async function findPaymentsByPayerName(db: Runner, name: string, limit: number): Promise<FoundMoney[]> {
  const folded = foldText(name)
  const named = sql`payments p where p.customer_name is not null and`
  return db.rows<FoundMoney>(sql`
    with found as (
      (select p.home, p.id, true as is_exact from ${named} fold_text(p.customer_name) = ${folded}::text
        order by p.created_at desc, p.id desc limit ${limit})
      union all
      -- A range of bytes, which a plan for any text can read from the index.
      (select p.home, p.id, false from ${named} fold_text(p.customer_name) ~>=~ ${folded}::text
        and fold_text(p.customer_name) ~<~ ${`${folded}${lastCharacter}`}::text limit ${searchedPerName})
    )
    select ${paymentColumns}
    from (select home, id, bool_or(is_exact) as is_exact from found group by home, id) f
    join payments p on p.home = f.home and p.id = f.id
    order by f.is_exact desc, p.created_at desc, p.id desc limit ${limit}`)
}

export async function findPayoutsByPhone(db: Runner, phoneNumber: string, limit: number): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(sql`
    select ${payoutColumns} from payouts p where p.phone_number = ${phoneNumber} and p.method = 'provider'
    order by p.created_at desc, p.id desc limit ${limit}`)
}

/** Merchants count their orders alike: the cost of a number such as 1001 stays bounded. */
const searchedPerReference = 1_000

/** The newest payments with an order number of a merchant, among those that were stored first in the index. */
export async function findPaymentsByMerchantReference(
  db: Runner,
  merchantReference: string,
  limit: number,
): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(sql`
    select ${paymentColumns}
    from (select * from payments where merchant_reference = ${merchantReference} limit ${searchedPerReference}) p
    order by p.created_at desc, p.id desc limit ${limit}`)
}

/** Payments by the provider's reference; the names of the providers make the index usable. */
export async function findPaymentsByProviderReference(db: Runner, providers: string[], reference: string): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(sql`
    select ${paymentColumns}
    from provider_references r join payments p on p.home = r.home and p.id = r.payment_id
    where r.provider = any(${providers}::text[]) and r.environment in ('test', 'live') and r.reference = ${reference}
    limit 10`)
}

export async function findPayoutsByProviderReference(db: Runner, providers: string[], reference: string): Promise<FoundMoney[]> {
  return db.rows<FoundMoney>(sql`
    select ${payoutColumns}
    from provider_payouts r join payouts p on p.home = r.home and p.id = r.payout_id
    where r.provider = any(${providers}::text[]) and r.environment in ('test', 'live') and r.provider_reference = ${reference}
    limit 10`)
}

export type FoundPage = {
  id: string
  environment: Environment
  title: string
  slug: string
  isSuspended: boolean
  active: boolean
  merchantId: string
  createdAt: Date
}

export async function findPages(db: Runner, by: { home: number; id: string } | { slug: string }): Promise<FoundPage[]> {
  const where =
    'slug' in by
      ? sql`(g.home, g.id) = (select s.home, s.page_id from payment_page_slugs s where s.slug = ${by.slug})`
      : sql`g.home = ${by.home} and g.id = ${by.id}`
  return db.rows<FoundPage>(sql`
    select g.id, g.environment, g.title, g.slug, g.suspended_at is not null as is_suspended, g.active, g.merchant_id, g.created_at
    from payment_pages g where ${where} and not g.is_hidden`)
}

export type FoundCase = Pick<SupportCase, 'id' | 'environment' | 'smsNumber' | 'state' | 'paymentId' | 'merchantId' | 'createdAt'>

const caseColumns = sql`c.id, c.environment, c.sms_number, c.state, c.payment_id, c.merchant_id, c.created_at`

export async function findCaseById(db: Runner, key: { home: number; id: string }): Promise<FoundCase[]> {
  return db.rows<FoundCase>(sql`select ${caseColumns} from support_cases c where c.home = ${key.home} and c.id = ${key.id}`)
}

/** The newest cases in which payers gave this number as the one in their SMS; `letters`: as `lettersOf` returns it. */
export async function findCasesByNumber(db: Runner, letters: string, limit: number): Promise<FoundCase[]> {
  return db.rows<FoundCase>(sql`
    select ${caseColumns} from support_cases c where c.sms_number = ${letters}
    order by c.created_at desc, c.id desc limit ${limit}`)
}

/** The newest cases whose payers say that they paid from this number. */
export async function findCasesByPhone(db: Runner, phoneNumber: string, limit: number): Promise<FoundCase[]> {
  return db.rows<FoundCase>(sql`
    select ${caseColumns} from support_cases c where c.claimed_phone = ${phoneNumber}
    order by c.created_at desc, c.id desc limit ${limit}`)
}

/** The owner of an app, key, transaction, event or break. */
export async function findOwnerOfApp(db: Runner, id: string): Promise<string | undefined> {
  return db.maybeValue<string>(sql`select merchant_id from apps where id = ${id}`)
}

export async function findOwnerOfKey(db: Runner, id: string): Promise<string | undefined> {
  return db.maybeValue<string>(sql`select merchant_id from api_keys where id = ${id}`)
}

export type SubjectKind = 'transfer' | 'event' | 'break'

/** The payment or payout of a transfer, an event or a break. */
export async function findSubject(
  db: Runner,
  of: SubjectKind,
  key: { home: number; id: string },
): Promise<{ paymentId: string | null; payoutId: string | null } | undefined> {
  const from = {
    transfer: sql`select payment_id, payout_id from ledger_transfers`,
    event: sql`select payment_id, payout_id from events`,
    break: sql`select payment_id, payout_id from breaks`,
  }[of]
  return db.maybeOne<{ paymentId: string | null; payoutId: string | null }>(
    sql`${from} where home = ${key.home} and id = ${key.id}`,
  )
}
