/** Finds a person, and reads all their data, table by table as stored. The only statements on `erasures`. */
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'

export type Account = { id: string; email: string; phoneNumber: string | null }

export async function findAccountByEmail(db: Runner, email: string): Promise<Account | undefined> {
  return db.maybeOne<Account>(sql`select id, email, phone_number from users where email = ${email}`)
}

/** Whether an account has this number: an account is separate from the payments of its phone. */
export async function hasAccount(db: Runner, phoneNumber: string): Promise<boolean> {
  return (await db.rows(sql`select 1 from users where phone_number = ${phoneNumber}`)).length > 0
}

type Row = Record<string, unknown>

const merchantsOf = (userId: string): Sql => sql`(select id from merchants where user_id = ${userId})`

/** The rows of a table `t` that belong to the person, as they are stored. */
const rowsOf = (table: Sql, where: Sql, order?: Sql): Sql =>
  sql`select to_jsonb(t) as row from ${table} t where ${where}${order ? sql` order by ${order}` : sql``}`

const ofMerchants = (userId: string): Sql => sql`t.merchant_id in ${merchantsOf(userId)}`

/** The same of a table that is spread by homes. */
const rowsByHome = (table: Sql, userId: string, order: Sql): Sql => sql`
    select to_jsonb(t) as row from merchants m join ${table} t on t.home = m.home and t.merchant_id = m.id
    where m.user_id = ${userId} order by ${order}`

/** The data of an account. Payers of its pages are other people: their names belong to them and are left out. */
const ofAccount: Record<string, (who: Account) => Sql> = {
  users: ({ id }) => rowsOf(sql`users`, sql`t.id = ${id}`),
  merchants: ({ id }) => rowsOf(sql`merchants`, sql`t.user_id = ${id}`, sql`t.created_at`),
  businesses: ({ id }) => rowsOf(sql`businesses`, sql`t.id in ${merchantsOf(id)}`, sql`t.created_at`),
  members: ({ id, email }) => rowsOf(sql`members`, sql`t.user_id = ${id} or t.email = ${email}`, sql`t.created_at`),
  identity_papers: ({ id }) => rowsOf(sql`identity_papers`, sql`t.user_id = ${id}`),
  documents: ({ id }) => rowsOf(sql`documents`, ofMerchants(id), sql`t.id`),
  verifications: ({ id }) => rowsOf(sql`verifications`, ofMerchants(id)),
  verification_history: ({ id }) => rowsOf(sql`verification_history`, ofMerchants(id), sql`t.at, t.version`),
  sessions: ({ id }) => rowsOf(sql`sessions`, sql`t.user_id = ${id}`, sql`t.created_at`),
  sign_in_challenges: ({ id }) => rowsOf(sql`sign_in_challenges`, sql`t.user_id = ${id}`),
  mailed_tokens: ({ id }) => rowsOf(sql`mailed_tokens`, sql`t.user_id = ${id}`, sql`t.created_at`),
  second_factors: ({ id }) => rowsOf(sql`second_factors`, sql`t.user_id = ${id}`),
  apps: ({ id }) => rowsOf(sql`apps`, ofMerchants(id), sql`t.created_at`),
  api_keys: ({ id }) => rowsOf(sql`api_keys`, ofMerchants(id), sql`t.created_at`),
  webhook_endpoints: ({ id }) => rowsOf(sql`webhook_endpoints`, ofMerchants(id), sql`t.created_at`),
  merchant_brands: ({ id }) => rowsOf(sql`merchant_brands`, ofMerchants(id)),
  statement_schedules: ({ id }) => rowsOf(sql`statement_schedules`, sql`t.user_id = ${id}`),
  saved_filters: ({ id }) => rowsOf(sql`saved_filters`, sql`t.user_id = ${id}`, sql`t.created_at`),
  support_contacts: ({ id }) => rowsOf(sql`support_contacts`, ofMerchants(id)),
  redirect_hosts: ({ id }) => rowsOf(sql`redirect_hosts`, ofMerchants(id), sql`t.created_at`),
  payment_pages: ({ id }) => rowsByHome(sql`payment_pages`, id, sql`t.created_at`),
  payouts: ({ id }) => rowsByHome(sql`payouts`, id, sql`t.created_at`),
  recipients: ({ id }) => rowsByHome(sql`recipients`, id, sql`t.created_at`),
  payout_batches: ({ id }) => rowsByHome(sql`payout_batches`, id, sql`t.created_at, t.id`),
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
  mails: ({ email }) => rowsOf(sql`mails`, sql`lower(t.recipient) = ${email}`, sql`t.created_at`),
}

/** The data of the person who pays from a phone, or is paid to it. */
const ofPhone: Record<string, (phoneNumber: string) => Sql> = {
  payments: (phone) => rowsOf(sql`payments`, sql`t.phone_number = ${phone}`, sql`t.created_at`),
  customers: (phone) => rowsOf(sql`customers`, sql`t.phone_number = ${phone}`, sql`t.id`),
  // A request that it paid may name its customer without a phone; another phone is another person.
  payment_requests: (phone) => sql`
    select to_jsonb(q) as row from payment_requests q where q.customer_phone = ${phone}
    union
    select to_jsonb(q) as row from payments p join payment_requests q on q.home = p.home and q.id = p.page_id
    where p.phone_number = ${phone} and p.status = 'completed' and q.customer_phone is null`,
  support_cases: (phone) => sql`
    select to_jsonb(c) as row from support_cases c where c.claimed_phone = ${phone}
    union all
    select case when c.claimed_phone is null then to_jsonb(c)
      -- Another person reported it: what they wrote is theirs.
      else jsonb_build_object('id', c.id, 'state', c.state, 'finding', c.finding, 'created_at', c.created_at) end as row
    from payments p join support_cases c on c.home = p.home and c.payment_id = p.id
    where p.phone_number = ${phone} and c.claimed_phone is distinct from ${phone}`,
  support_case_answers: (phone) => sql`
    select to_jsonb(a) as row from payments p join support_cases c on c.home = p.home and c.payment_id = p.id
    join support_case_answers a on a.home = c.home and a.case_id = c.id
    where p.phone_number = ${phone} order by a.answered_at`,
  payouts: (phone) => rowsOf(sql`payouts`, sql`t.phone_number = ${phone}`, sql`t.created_at`),
  approval_requests: (phone) => sql`
    select to_jsonb(r) as row from payouts p join approval_requests r on r.home = p.home and r.id = p.id
    where p.phone_number = ${phone} order by r.created_at`,
  recipients: (phone) => rowsOf(sql`recipients`, sql`t.phone_number = ${phone}`, sql`t.created_at`),
  payout_batch_rows: (phone) => rowsOf(sql`payout_batch_rows`, sql`t.phone_number = ${phone}`, sql`t.batch_id, t.row_number`),
  payout_batch_changes: (phone) => rowsOf(sql`payout_batch_changes`, sql`t.phone_number = ${phone}`, sql`t.batch_id, t.version`),
  mails: (phone) => sql`
    select to_jsonb(t) as row from mails t
    where t.kind in ('receipt', 'test_receipt')
      and lower(t.recipient) in (select lower(customer_email) from payments where phone_number = ${phone})
    order by t.created_at`,
}

async function readAll<Who>(db: Runner, reads: Record<string, (who: Who) => Sql>, who: Who): Promise<Map<string, Row[]>> {
  const found = new Map<string, Row[]>()
  for (const [table, read] of Object.entries(reads)) found.set(table, await db.values<Row>(read(who)))
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
  /** What its businesses and the person owe us. */
  owed: number
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
      (select coalesce(-sum(a.balance), 0)::bigint from mine m
        join ledger_accounts a on a.home = m.home and a.holder = m.id and a.environment = 'live'
        where a.kind = 'receivable') as owed,
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
