/**
 * Ledger transfers: the only writer of ledger_transfers. Invariant: each transfer moves one amount from one account to another, is never
 * changed, and takes the next place (seq) in both accounts, without a gap.
 */
import type { LineDirection, WantedDirection } from '../../domain/wallet.ts'
import type { AccountKind, TransferKind } from '../../domain/ledger.ts'
import type { Environment } from '../../domain/environment.ts'
import { isHeldByMerchant, systemHolder } from './account.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { recordset } from '../../platform/db/recordset.ts'
import { newMoneyId } from '../../platform/ids.ts'

/**
 * The time of a transfer: now, but never within a closed day. After a failover, or when a clock is corrected, a server's clock may be
 * behind the one that closed the day; a closed day accepts no more transfers.
 */
const ledgerNow = sql`greatest(clock_now(), (select (max(day) + 1)::timestamp - interval '3 hours' from closed_days) at time zone 'UTC')`

/**
 * Common table expressions that post transfers, to be included in the statement that causes them. `postings` is a query with the columns
 * `ord, home, environment, transfer_id, movement_id, kind, debit_kind, debit_holder, credit_kind, credit_holder, amount, payment_id,
 * page_id, payout_id, break_id, actor, request_id`. They end with the CTE `posted`. Accounts are locked in the order of (home, environment, kind,
 * holder). A missing account makes the insert fail on its not-null columns, so a posting can never be dropped without an error.
 */
export const postTransfers = (postings: Sql): Sql => sql`
  postings as (${postings}),
  posting_entries as materialized (
    select p.ord, p.transfer_id, p.home, p.environment, e.side, e.kind, e.holder, e.delta
    from postings p
    cross join lateral (values
      ('debit', p.debit_kind, p.debit_holder, -p.amount),
      ('credit', p.credit_kind, p.credit_holder, p.amount)
    ) e (side, kind, holder, delta)
  ),
  posting_accounts as materialized (
    select a.home, a.id, a.environment, a.kind, a.holder, a.balance, a.last_seq
    from (select distinct home, environment, kind, holder from posting_entries order by home, environment, kind, holder) e
    -- One at a time, so that they are locked in the order of their keys, and found by them however many accounts there are.
    cross join lateral (
      select a.home, a.id, a.environment, a.kind, a.holder, a.balance, a.last_seq
      from ledger_accounts a
      where a.home = e.home and a.environment = e.environment and a.kind = e.kind and a.holder = e.holder
      for no key update
    ) a
  ),
  posting_sides as (
    select e.ord, e.transfer_id, e.side, e.delta, a.home, a.id, a.balance, a.last_seq
    from posting_entries e
    join posting_accounts a on a.home = e.home and a.environment = e.environment and a.kind = e.kind and a.holder = e.holder
  ),
  posting_places as (
    select transfer_id, side, id as account_id,
      last_seq + row_number() over account as seq,
      (balance + sum(delta) over account)::bigint as balance_after
    from posting_sides
    window account as (partition by home, id order by ord, transfer_id rows unbounded preceding)
  ),
  posted_accounts as (
    update ledger_accounts a
    set balance = a.balance + d.delta, last_seq = a.last_seq + d.transfers
    from (select home, id, sum(delta)::bigint as delta, count(*) as transfers from posting_sides group by home, id) d
    where a.home = d.home and a.id = d.id
  ),
  posted as (
    insert into ledger_transfers (home, id, movement_id, environment, kind, debit_account_id, credit_account_id, amount,
      debit_seq, credit_seq, debit_balance_after, credit_balance_after, payment_id, page_id, payout_id, break_id, actor, request_id, created_at)
    select p.home, p.transfer_id, p.movement_id, p.environment, p.kind, d.account_id, c.account_id, p.amount,
      d.seq, c.seq, d.balance_after, c.balance_after, p.payment_id, p.page_id, p.payout_id, p.break_id, p.actor, p.request_id, ${ledgerNow}
    from postings p
    left join posting_places d on d.transfer_id = p.transfer_id and d.side = 'debit'
    left join posting_places c on c.transfer_id = p.transfer_id and c.side = 'credit'
  )`

/**
 * The transfers of a payment by which its money arrived, was moved to suspense or left again: each part uses a separate index, because
 * there is no index on the payment alone.
 */
export const transfersOfPayment = (home: Sql, paymentId: Sql): Sql => sql`
  select id, kind, amount, debit_account_id, credit_account_id from ledger_transfers
  where home = ${home} and payment_id = ${paymentId} and kind in ('payment', 'suspense', 'provider_fee')
  union all
  select id, kind, amount, debit_account_id, credit_account_id from ledger_transfers
  where home = ${home} and payment_id = ${paymentId} and kind in ('suspense_release', 'suspense_return')
  union all
  select t.id, t.kind, t.amount, t.debit_account_id, t.credit_account_id
  from breaks b
  join ledger_transfers t on t.home = b.home and t.break_id = b.id
  where b.home = ${home} and b.payment_id = ${paymentId} and t.payment_id = b.payment_id
    -- A fee that operators have booked is selected above.
    and t.kind not in ('payment', 'suspense', 'provider_fee', 'suspense_release', 'suspense_return')`

/** Whether a transfer `t` is one of a payment. */
export const isOfPayment = (payment: { home: number; id: string }): Sql =>
  sql`t.home = ${payment.home} and t.id in (select id from (${transfersOfPayment(sql`${payment.home}::smallint`, sql`${payment.id}::uuid`)}) o)`

/**
 * What decisions of operators have added to the credit of a payment (`credit`) and to its provider's fee (`fee`), in TZS; negative for what
 * they took back.
 */
export const correctedCredit = (home: Sql, paymentId: Sql): Sql => sql`
  select coalesce(sum(case
      when t.kind = 'credit_added' then t.amount
      when t.kind in ('credit_reversed', 'credit_reversed_owed') then -t.amount end), 0)::bigint as credit,
    coalesce(sum(case t.kind when 'provider_fee_again' then t.amount when 'provider_fee_returned' then -t.amount end), 0)::bigint as fee
  from breaks b
  join ledger_transfers t on t.home = b.home and t.break_id = b.id and t.payment_id = b.payment_id
  where b.home = ${home} and b.payment_id = ${paymentId}`

/**
 * One transfer: its accounts and amount. Accounts for which `isHeldByMerchant` is true are held by the merchant, the others by the
 * system.
 */
export type Posting = {
  home: number
  environment: Environment
  transferId: string
  movementId: string
  kind: TransferKind
  debit: AccountKind
  credit: AccountKind
  /** Null if both accounts are the system's. */
  merchantId: string | null
  /** TZS. */
  amount: number
  paymentId?: string
  pageId?: string | null
  payoutId?: string
  /** Of the same home. */
  breakId?: string
  actor: string
  requestId: string
}

/** One step: the amount, and the accounts it moves from and to. */
export type Step = Pick<Posting, 'kind' | 'debit' | 'credit' | 'amount'>

/** What the steps of one movement share. */
export type Movement = Omit<Posting, keyof Step | 'transferId' | 'movementId'>

function postingsOf(of: Movement, steps: readonly Step[]): Posting[] {
  const movementId = newMoneyId(of.home)
  const moving = steps.filter(({ amount }) => amount > 0)
  return moving.map((step) => ({ ...of, ...step, movementId, transferId: newMoneyId(of.home) }))
}

/** Posts the steps of one movement in order and omits steps with amount 0. Its accounts must exist. */
export async function postSteps(tx: Tx, of: Movement, steps: readonly Step[]): Promise<void> {
  await postMovement(tx, postingsOf(of, steps))
}

/** As above, for many movements with one statement. */
export async function postAllSteps(tx: Tx, movements: readonly { of: Movement; steps: readonly Step[] }[]): Promise<void> {
  await postMovement(
    tx,
    movements.flatMap(({ of, steps }) => postingsOf(of, steps)),
  )
}

const postingColumns = {
  home: 'smallint',
  environment: 'text',
  transferId: 'uuid',
  movementId: 'uuid',
  kind: 'text',
  debitKind: 'text',
  debitHolder: 'uuid',
  creditKind: 'text',
  creditHolder: 'uuid',
  amount: 'bigint',
  paymentId: 'uuid',
  pageId: 'uuid',
  payoutId: 'uuid',
  breakId: 'uuid',
  actor: 'text',
  requestId: 'text',
} as const

/** Posts transfers in order, within the transaction that causes them. Their accounts must exist. */
export async function postMovement(tx: Tx, items: Posting[]): Promise<void> {
  const holder = (item: Posting, kind: AccountKind): string | null => (isHeldByMerchant(kind) ? item.merchantId : systemHolder)
  const rows = items.map((item) => ({
    ...item,
    debitKind: item.debit,
    debitHolder: holder(item, item.debit),
    creditKind: item.credit,
    creditHolder: holder(item, item.credit),
  }))
  await tx.rows(sql`
    with ${postTransfers(sql`select i.* from ${recordset(rows, 'i', postingColumns, 'ord')}`)}
    select 1 as done`)
}

/** The provider's booked fee for a payout, in TZS. */
export async function findPayoutFeeTaken(db: Runner, payout: { home: number; id: string }): Promise<number> {
  return db.value<number>(sql`
    select coalesce(sum(case when kind in ('payout_provider_fee', 'return_fee') then amount else -amount end), 0)::bigint as amount
    from ledger_transfers
    where home = ${payout.home} and payout_id = ${payout.id}
      and kind in ('payout_provider_fee', 'return_fee', 'payout_provider_fee_returned', 'return_fee_brought_back')`)
}

/** TZS by which decisions of operators have raised what a payout paid; negative for less. */
export const correctedPayout = (home: Sql, payoutId: Sql): Sql => sql`
  select coalesce(sum(case kind when 'payout_lowered' then -amount else amount end), 0)::bigint as corrected from ledger_transfers
  where home = ${home} and payout_id = ${payoutId} and kind in ('payout_raised', 'payout_raised_owed', 'payout_lowered')`

export async function findPayoutCorrection(db: Runner, { home, id }: { home: number; id: string }): Promise<number> {
  return db.value<number>(correctedPayout(sql`${home}::smallint`, sql`${id}::uuid`))
}

/** TZS of a payout that were written off and did not come back. */
export async function findWrittenOff(db: Runner, payout: { home: number; id: string }): Promise<number> {
  return db.value<number>(sql`
    select coalesce(sum(case when kind = 'payout_write_off_returned' then -amount else amount end), 0)::bigint as amount
    from ledger_transfers
    where home = ${payout.home} and payout_id = ${payout.id}
      and kind in ('payout_written_off', 'payout_fee_written_off', 'payout_write_off_returned')`)
}

/** TZS of a payout that were last written off, without the provider's fee; undefined if none were. */
export async function findWrittenOffAmount(db: Runner, payout: { home: number; id: string }): Promise<number | undefined> {
  return db.maybeValue<number>(sql`
    select amount from ledger_transfers
    where home = ${payout.home} and payout_id = ${payout.id} and kind = 'payout_written_off'
    order by id desc limit 1`)
}

/** TZS that left without an owner and that a break has not allocated yet. */
export async function findUnallocatedPaid(db: Runner, key: { home: number; breakId: string }): Promise<number> {
  return db.value<number>(sql`
    select coalesce(sum(case when kind = 'unallocated_paid' then amount else -amount end), 0)::bigint as amount
    from ledger_transfers
    where home = ${key.home} and break_id = ${key.breakId}
      and kind in ('unallocated_paid', 'unallocated_debited', 'unallocated_written_off')`)
}

export type WalletLine = {
  transferId: string
  seq: number
  kind: TransferKind
  direction: LineDirection
  amount: number
  balanceAfter: number
  paymentId: string | null
  payoutId: string | null
  createdAt: Date
}

export type WalletLineFilter = {
  direction: WantedDirection
  /** Only lines before this seq: the end of the previous page. */
  beforeSeq: number | null
  afterSeq: number | null
  /** Kinds of transfer; null: any. */
  kinds: WalletLine['kind'][] | null
  createdFrom: string | null
  createdTo: string | null
  minAmount: number | null
  maxAmount: number | null
  /** Only lines of these payments, of their refunds, and these corrections of their credit; null: any. */
  payments: { ids: string[]; refundIds: string[]; correctionIds: string[] } | null
  pageId: string | null
  payoutId: string | null
}

/** The newest lines of one account, by seq; each side is read by its own index and the two are merged. */
export async function listWalletLines(
  db: Runner,
  account: { home: number; accountId: string },
  filter: WalletLineFilter,
  limit: number,
): Promise<WalletLine[]> {
  // An unknown kind, and a search that has found no payment, need no query.
  if (filter.kinds?.length === 0 || filter.payments?.ids.length === 0) return []
  const before = filter.beforeSeq ?? Number.MAX_SAFE_INTEGER
  const after = filter.afterSeq ?? 0
  const lines = (side: LineDirection) =>
    side === 'credit'
      ? sql`
      select id as transfer_id, credit_seq as seq, kind, 'credit' as direction, amount, credit_balance_after as balance_after, payment_id, payout_id, created_at
      from ledger_transfers
      where home = ${account.home} and credit_account_id = ${account.accountId} and credit_seq < ${before} and credit_seq > ${after}
        and ${filter.direction} <> 'debit' and ${conditions(filter)}
      order by credit_seq desc limit ${limit}`
      : sql`
      select id as transfer_id, debit_seq as seq, kind, 'debit' as direction, amount, debit_balance_after as balance_after, payment_id, payout_id, created_at
      from ledger_transfers
      where home = ${account.home} and debit_account_id = ${account.accountId} and debit_seq < ${before} and debit_seq > ${after}
        and ${filter.direction} <> 'credit' and ${conditions(filter)}
      order by debit_seq desc limit ${limit}`
  return db.rows<WalletLine>(sql`(${lines('credit')}) union all (${lines('debit')}) order by seq desc limit ${limit}`)
}

/** Transfers as lines of either of their accounts, `a`. */
const walletLines = sql`
  select t.id as transfer_id, t.kind, t.amount, t.payment_id, t.payout_id, t.created_at,
    case when t.credit_account_id = a.id then 'credit' else 'debit' end as direction,
    case when t.credit_account_id = a.id then t.credit_seq else t.debit_seq end as seq,
    case when t.credit_account_id = a.id then t.credit_balance_after else t.debit_balance_after end as balance_after
  from ledger_transfers t
  join ledger_accounts a on a.home = t.home and a.id in (t.credit_account_id, t.debit_account_id)`

/**
 * The lines of a merchant's wallet that belong to one payment, in their order: its credit, and what decisions of operators have added or
 * taken back. Each part uses a separate index. The provider's fee, and what the merchant owes, have no line in the wallet.
 */
export async function listPaymentLines(
  db: Runner,
  payment: { home: number; paymentId: string; merchantId: string },
): Promise<WalletLine[]> {
  const { home, paymentId, merchantId } = payment
  return db.rows<WalletLine>(sql`
    ${walletLines}
    where t.home = ${home} and t.payment_id = ${paymentId} and t.kind = 'payment' and a.kind = 'wallet' and a.holder = ${merchantId}
    union all
    ${walletLines}
    where t.home = ${home} and t.payment_id = ${paymentId} and t.kind = 'suspense_release' and a.kind = 'wallet' and a.holder = ${merchantId}
    union all
    ${walletLines}
    join breaks b on b.home = t.home and b.id = t.break_id and b.payment_id = t.payment_id
    where b.home = ${home} and b.payment_id = ${paymentId} and t.kind in ('credit_added', 'credit_reversed')
      and a.kind = 'wallet' and a.holder = ${merchantId}
    order by seq`)
}

/** The ids of the transfers by which decisions of operators have added to the credit of these payments or taken it back. */
export async function listCorrectionIds(db: Runner, payments: { home: number; ids: string[] }): Promise<string[]> {
  return db.values<string>(sql`
    select t.id from breaks b
    join ledger_transfers t on t.home = b.home and t.break_id = b.id and t.payment_id = b.payment_id
    where b.home = ${payments.home} and b.payment_id = any(${payments.ids}::uuid[]) and t.kind in ('credit_added', 'credit_reversed')`)
}

/** TZS by which decisions of operators have raised the credit of a payment; negative for less, also if the merchant owes it. */
export async function findCreditCorrection(db: Runner, payment: { home: number; paymentId: string }): Promise<number> {
  return db.value<number>(sql`
    select c.credit from (${correctedCredit(sql`${payment.home}::smallint`, sql`${payment.paymentId}::uuid`)}) c`)
}

/** The lines of a merchant's wallet that belong to one payout, in their order. */
export async function listPayoutLines(
  db: Runner,
  payout: { home: number; payoutId: string; merchantId: string },
): Promise<WalletLine[]> {
  return db.rows<WalletLine>(sql`
    ${walletLines}
    -- The other steps of a payout are between accounts that are not the merchant's.
    where t.home = ${payout.home} and t.payout_id = ${payout.payoutId} and t.kind in (
        'payout', 'payout_fee', 'payout_reversal', 'payout_again', 'payout_raised', 'payout_lowered', 'refund', 'refund_fee', 'refund_reversal', 'refund_again')
      and a.kind = 'wallet' and a.holder = ${payout.merchantId}
    order by seq`)
}

/** One line of an owner's wallet by the id of its transfer. */
export async function findWalletLine(
  db: Runner,
  owner: { merchant: { id: string; home: number }; environment: Environment },
  transferId: string,
): Promise<WalletLine | undefined> {
  return db.maybeOne<WalletLine>(sql`
    ${walletLines}
    where t.home = ${owner.merchant.home} and t.id = ${transferId}
      and a.kind = 'wallet' and a.holder = ${owner.merchant.id} and a.environment = ${owner.environment}`)
}

/**
 * How many lines an account had before a moment: the seq of the last of them. Times follow the seq except for the fraction of a second
 * that a line waited for its account, so a binary search finds the border in any history; a repeated search finds the same border.
 */
export async function seqBefore(db: Runner, account: { home: number; accountId: string }, moment: Date): Promise<number> {
  const [row] = await db.rows<{ seq: number }>(sql`
    with recursive
    account as (select home, id, last_seq from ledger_accounts where home = ${account.home} and id = ${account.accountId}),
    walk as (
      select 0::bigint as seq, (1::bigint << 40) as step
      union all
      select
        case when w.seq + w.step <= a.last_seq and coalesce(
          (select t.created_at from ledger_transfers t where t.home = a.home and t.credit_account_id = a.id and t.credit_seq = w.seq + w.step),
          (select t.created_at from ledger_transfers t where t.home = a.home and t.debit_account_id = a.id and t.debit_seq = w.seq + w.step)
        ) < ${moment}::timestamptz then w.seq + w.step else w.seq end,
        w.step >> 1
      from walk w cross join account a
      where w.step > 0
    )
    select seq from walk where step = 0`)
  return row?.seq ?? 0
}

/** When the line of an account with this seq was written. */
export async function momentOfSeq(db: Runner, account: { home: number; accountId: string }, seq: number): Promise<Date | null> {
  return db.value<Date | null>(sql`
    select coalesce(
      (select t.created_at from ledger_transfers t where t.home = ${account.home} and t.credit_account_id = ${account.accountId} and t.credit_seq = ${seq}),
      (select t.created_at from ledger_transfers t where t.home = ${account.home} and t.debit_account_id = ${account.accountId} and t.debit_seq = ${seq})
    ) as at`)
}

/** Lines of an account after one seq and up to another, summed by kind. */
export type LineTotal = { kind: WalletLine['kind']; direction: LineDirection; count: number; amount: number }

export async function totalLines(
  db: Runner,
  account: { home: number; accountId: string },
  range: { afterSeq: number; toSeq: number },
): Promise<LineTotal[]> {
  return db.rows<LineTotal>(sql`
    select kind, 'credit' as direction, count(*) as count, sum(amount)::bigint as amount from ledger_transfers
    where home = ${account.home} and credit_account_id = ${account.accountId}
      and credit_seq > ${range.afterSeq} and credit_seq <= ${range.toSeq}
    group by kind
    union all
    select kind, 'debit', count(*), sum(amount)::bigint from ledger_transfers
    where home = ${account.home} and debit_account_id = ${account.accountId}
      and debit_seq > ${range.afterSeq} and debit_seq <= ${range.toSeq}
    group by kind`)
}

/** The balance in TZS of an account after a line; 0 before its first line. */
export async function balanceAfter(db: Runner, account: { home: number; accountId: string }, seq: number): Promise<number> {
  const [row] = await db.rows<{ balance: number }>(sql`
    select credit_balance_after as balance from ledger_transfers
    where home = ${account.home} and credit_account_id = ${account.accountId} and credit_seq = ${seq}
    union all
    select debit_balance_after from ledger_transfers
    where home = ${account.home} and debit_account_id = ${account.accountId} and debit_seq = ${seq}`)
  return row?.balance ?? 0
}

/**
 * Uses its index: otherwise a query for one payment would scan the whole account. A payment has one line of its own, besides the corrections
 * of its credit.
 */
const ofPayments = ({ ids, refundIds, correctionIds }: { ids: string[]; refundIds: string[]; correctionIds: string[] }) =>
  refundIds.length + correctionIds.length === 0
    ? sql`and payment_id = any(${ids}::uuid[]) and kind = 'payment'`
    : sql`and (payment_id = any(${ids}::uuid[]) and kind = 'payment' or payout_id = any(${refundIds}::uuid[]) or id = any(${correctionIds}::uuid[]))`

/** Uses `ledger_transfers_once_per_payout_and_break`: the condition is added only if a payout is given. */
const ofPayout = (payoutId: string) => sql`and payout_id = ${payoutId}`

function conditions(filter: WalletLineFilter) {
  return sql`(${filter.createdFrom}::timestamptz is null or created_at >= ${filter.createdFrom})
        and (${filter.createdTo}::timestamptz is null or created_at < ${filter.createdTo})
        and (${filter.minAmount}::bigint is null or amount >= ${filter.minAmount})
        and (${filter.maxAmount}::bigint is null or amount <= ${filter.maxAmount})
        and (${filter.kinds}::text[] is null or kind = any(${filter.kinds}))
        ${filter.payments === null ? sql`` : ofPayments(filter.payments)}
        ${filter.payoutId === null ? sql`` : ofPayout(filter.payoutId)}
        and (${filter.pageId}::uuid is null or page_id = ${filter.pageId})`
}

export type TransferWithAccounts = {
  id: string
  kind: TransferKind
  debit: AccountKind
  credit: AccountKind
  amount: number
  actor: string
  requestId: string
  createdAt: Date
}

/** Transfers `t` with the kinds of the accounts between which the money moved. */
export const transfersWithAccounts = sql`
  select t.id, t.kind, d.kind as debit, c.kind as credit, t.amount, t.actor, t.request_id, t.created_at
  from ledger_transfers t
  join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id
  join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id`
