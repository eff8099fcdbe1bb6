/** Finds a person, and reads all their data, table by table as stored. The only statements on `erasures`. */
import type { Role } from '../../domain/account.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'

export type Account = { id: string; email: string; phoneNumber: string | null; role: Role }

export async function findAccountByEmail(db: Runner, email: string): Promise<Account | undefined> {
  return db.maybeOne<Account>(sql`select id, email, phone_number, role from users where email = ${email}`)
}

/** Whether an account has this number: an account is separate from the payments of its phone. */
export async function hasAccount(db: Runner, phoneNumber: string): Promise<boolean> {
  return (await db.rows(sql`select 1 from users where phone_number = ${phoneNumber}`)).length > 0
}

type Row = Record<string, unknown>

const merchantsOf = (userId: string): Sql => sql`(select id from merchants where user_id = ${userId})`

/** The data of an account. Payers of its pages are other people: their names belong to them and are left out. */
const ofAccount: Record<string, (who: Account) => Sql> = {
  users: ({ id }) => sql`select to_jsonb(t) as row from users t where t.id = ${id}`,
  merchants: ({ id }) => sql`select to_jsonb(t) as row from merchants t where t.user_id = ${id} order by t.created_at`,
  businesses: ({ id }) => sql`select to_jsonb(t) as row from businesses t where t.id in ${merchantsOf(id)} order by t.created_at`,
  members: ({ id, email }) => sql`
    select to_jsonb(t) as row from members t where t.user_id = ${id} or t.email = ${email} order by t.created_at`,
  identity_papers: ({ id }) => sql`select to_jsonb(t) as row from identity_papers t where t.user_id = ${id}`,
  documents: ({ id }) => sql`select to_jsonb(t) as row from documents t where t.merchant_id in ${merchantsOf(id)} order by t.id`,
  verifications: ({ id }) => sql`select to_jsonb(t) as row from verifications t where t.merchant_id in ${merchantsOf(id)}`,
  verification_history: ({ id }) => sql`
    select to_jsonb(t) as row from verification_history t where t.merchant_id in ${merchantsOf(id)} order by t.at, t.version`,
  sessions: ({ id }) => sql`select to_jsonb(t) as row from sessions t where t.user_id = ${id} order by t.created_at`,
  sign_in_challenges: ({ id }) => sql`select to_jsonb(t) as row from sign_in_challenges t where t.user_id = ${id}`,
  mailed_tokens: ({ id }) => sql`select to_jsonb(t) as row from mailed_tokens t where t.user_id = ${id} order by t.created_at`,
  second_factors: ({ id }) => sql`select to_jsonb(t) as row from second_factors t where t.user_id = ${id}`,
  apps: ({ id }) => sql`select to_jsonb(t) as row from apps t where t.merchant_id in ${merchantsOf(id)} order by t.created_at`,
  api_keys: ({ id }) =>
    sql`select to_jsonb(t) as row from api_keys t where t.merchant_id in ${merchantsOf(id)} order by t.created_at`,
  webhook_endpoints: ({ id }) => sql`
    select to_jsonb(t) as row from webhook_endpoints t where t.merchant_id in ${merchantsOf(id)} order by t.created_at`,
  merchant_brands: ({ id }) => sql`
    select to_jsonb(t) as row from merchant_brands t where t.merchant_id in ${merchantsOf(id)}`,
  statement_schedules: ({ id }) => sql`select to_jsonb(t) as row from statement_schedules t where t.user_id = ${id}`,
  saved_filters: ({ id }) => sql`select to_jsonb(t) as row from saved_filters t where t.user_id = ${id} order by t.created_at`,
  support_contacts: ({ id }) => sql`
    select to_jsonb(t) as row from support_contacts t where t.merchant_id in ${merchantsOf(id)}`,
  redirect_hosts: ({ id }) => sql`
    select to_jsonb(t) as row from redirect_hosts t where t.merchant_id in ${merchantsOf(id)} order by t.created_at`,
  payment_pages: ({ id }) => sql`
    select to_jsonb(t) as row from merchants m join payment_pages t on t.home = m.home and t.merchant_id = m.id
    where m.user_id = ${id} order by t.created_at`,
  payouts: ({ id }) => sql`
    select to_jsonb(t) as row from merchants m join payouts t on t.home = m.home and t.merchant_id = m.id
    where m.user_id = ${id} order by t.created_at`,
  recipients: ({ id }) => sql`
    select to_jsonb(t) as row from merchants m join recipients t on t.home = m.home and t.merchant_id = m.id
    where m.user_id = ${id} order by t.created_at`,
  payout_batches: ({ id }) => sql`
    select to_jsonb(t) as row from merchants m join payout_batches t on t.home = m.home and t.merchant_id = m.id
    where m.user_id = ${id} order by t.created_at, t.id`,
  payout_batch_rows: ({ id }) => sql`
    select to_jsonb(t) as row from merchants m
    join payout_batches b on b.home = m.home and b.merchant_id = m.id
    join payout_batch_rows t on t.home = b.home and t.batch_id = b.id
    where m.user_id = ${id} order by b.created_at, t.batch_id, t.row_number`,
  payout_batch_changes: ({ id }) => sql`
    select to_jsonb(t) as row from merchants m
    join payout_batches b on b.home = m.home and b.merchant_id = m.id
    join payout_batch_changes t on t.home = b.home and t.batch_id = b.id
    where m.user_id = ${id} order by b.created_at, t.batch_id, t.version`,
  mails: ({ email }) => sql`select to_jsonb(t) as row from mails t where lower(t.recipient) = ${email} order by t.created_at`,
}

/** The data of the person who pays from a phone, or is paid to it. */
const ofPhone: Record<string, (phoneNumber: string) => Sql> = {
  payments: (phone) => sql`select to_jsonb(t) as row from payments t where t.phone_number = ${phone} order by t.created_at`,
  customers: (phone) => sql`select to_jsonb(t) as row from customers t where t.phone_number = ${phone} order by t.id`,
  payment_requests: (phone) =>
    sql`select to_jsonb(t) as row from payment_requests t where t.customer_phone = ${phone} order by t.id`,
  support_cases: (phone) => sql`
    select to_jsonb(c) as row from support_cases c where c.claimed_phone = ${phone}
    union all
    select to_jsonb(c) as row from payments p join support_cases c on c.home = p.home and c.payment_id = p.id
    where p.phone_number = ${phone} and c.claimed_phone is distinct from ${phone}`,
  support_case_answers: (phone) => sql`
    select to_jsonb(a) as row from payments p join support_cases c on c.home = p.home and c.payment_id = p.id
    join support_case_answers a on a.home = c.home and a.case_id = c.id
    where p.phone_number = ${phone} order by a.answered_at`,
  payouts: (phone) => sql`select to_jsonb(t) as row from payouts t where t.phone_number = ${phone} order by t.created_at`,
  approval_requests: (phone) => sql`
    select to_jsonb(r) as row from payouts p join approval_requests r on r.home = p.home and r.id = p.id
    where p.phone_number = ${phone} order by r.created_at`,
  recipients: (phone) => sql`select to_jsonb(t) as row from recipients t where t.phone_number = ${phone} order by t.created_at`,
  payout_batch_rows: (phone) => sql`
    select to_jsonb(t) as row from payout_batch_rows t where t.phone_number = ${phone} order by t.batch_id, t.row_number`,
  payout_batch_changes: (phone) => sql`
    select to_jsonb(t) as row from payout_batch_changes t where t.phone_number = ${phone} order by t.batch_id, t.version`,
  mails: (phone) => sql`
    select to_jsonb(t) as row from mails t
    where t.kind in ('receipt', 'test_receipt')
      and lower(t.recipient) in (select lower(customer_email) from payments where phone_number = ${phone})
    order by t.created_at`,
}

async function readAll<Who>(db: Runner, reads: Record<string, (who: Who) => Sql>, who: Who): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>()
  for (const [table, read] of Object.entries(reads)) {
    const rows = await db.rows<{ row: Row }>(read(who))
    found.set(
      table,
      rows.map(({ row }) => row),
    )
  }
  return found
}

export const readAccount = (db: Runner, account: Account): Promise<Map<string, Row[]>> => readAll(db, ofAccount, account)

export const readPhone = (db: Runner, phoneNumber: string): Promise<Map<string, Row[]>> => readAll(db, ofPhone, phoneNumber)

/** The actions of a user, from the audit log: when, what and from where. */
export async function readActionsOf(db: Runner, wireId: string): Promise<Row[]> {
  return db.values<Row>(sql`
    select to_jsonb(t) as row from audit_log t where t.actor = ${wireId} order by t.seq`)
}

/** What keeps an account open. Amounts in TZS, of live wallets only: test money does not count. */
export type OpenMoney = {
  inWallets: number
  unfinishedPayments: number
  mayStillSucceed: number
  unfinishedPayouts: number
  openBreaks: number
}

export async function findOpenMoney(tx: Tx, userId: string, lateHours: number): Promise<OpenMoney> {
  return tx.one<OpenMoney>(sql`
    with mine as materialized (select home, id from merchants where user_id = ${userId}),
    recent as materialized (
      select p.home, p.id, p.status, p.held, p.created_at from mine m
      join payments p on p.home = m.home and p.merchant_id = m.id and p.environment = 'live'
      where p.status in ('pending', 'processing') or p.held or p.created_at > clock_now() - make_interval(hours => ${lateHours}::integer)
    )
    select
      (select coalesce(sum(a.balance), 0)::bigint from mine m
        join ledger_accounts a on a.home = m.home and a.holder = m.id and a.environment = 'live'
        where a.kind in ('wallet', 'payouts_reserved')) as in_wallets,
      (select count(*) from recent where status in ('pending', 'processing') or held) as unfinished_payments,
      (select count(*) from recent where status in ('failed', 'voided', 'expired')) as may_still_succeed,
      (select count(*) from mine m join payouts p on p.home = m.home and p.merchant_id = m.id
        where p.environment = 'live' and (p.status in ('pending', 'processing') or p.held)) as unfinished_payouts,
      (select count(*) from mine m join breaks b on b.home = m.home and b.environment = 'live' and b.resolved_at is null
        where exists (select from payments p where p.home = b.home and p.id = b.payment_id and p.merchant_id = m.id)
          or exists (select from payouts p where p.home = b.home and p.id = b.payout_id and p.merchant_id = m.id)) as open_breaks`)
}

/** Whether a person behind this account was ever verified: then there are records that the law requires us to keep. */
export async function wasEverVerified(db: Runner, userId: string): Promise<boolean> {
  return db.any(sql`
    select 1 from verification_history
    where merchant_id in ${merchantsOf(userId)} and action = 'verified' limit 1`)
}

/** Records an erasure. Returns the date until which records are held. */
export async function insertErasure(
  tx: Tx,
  erasure: { id: string; userId: string | null; pseudonym: string; heldYears: number | null },
): Promise<Date | null> {
  return tx.value<Date | null>(sql`
    insert into erasures (id, user_id, pseudonym, held_until)
    values (${erasure.id}, ${erasure.userId}, ${erasure.pseudonym},
      clock_now() + make_interval(years => ${erasure.heldYears}::integer))
    returning held_until`)
}

/** The end of a hold that starts now. */
export async function retentionEnds(db: Runner, years: number): Promise<Date> {
  return db.value<Date>(sql`select clock_now() + make_interval(years => ${years}::integer) as ends`)
}

export type HeldErasure = { id: string; userId: string; pseudonym: string }

export async function findEndedHolds(db: Runner, limit: number): Promise<HeldErasure[]> {
  return db.rows<HeldErasure>(sql`
    select id, user_id, pseudonym from erasures
    where held_until <= clock_now() and held_erased_at is null
    order by held_until limit ${limit}`)
}

export async function markHeldErased(tx: Tx, id: string): Promise<void> {
  await tx.rows(sql`update erasures set held_erased_at = clock_now() where id = ${id}`)
}
