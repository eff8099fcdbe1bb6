/**
 * A provider's balance beside our books: what operators recorded, what clearing says, and what is in flight. The only statements on
 * `provider_movements`, `provider_positions` and `provider_balances`.
 */
import type { MovementKind } from '../../domain/reconciliation.ts'
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner } from '../../platform/db/db.ts'
import { longestWait } from '../../platform/db/longest-wait.sql.ts'
import { recordset } from '../../platform/db/recordset.ts'

export type ProviderAccount = { environment: Environment; provider: string }

const accountColumns = { environment: 'text', provider: 'text' } as const

export type Movement = ProviderAccount & {
  id: string
  kind: MovementKind
  /** TZS; negative for money that left. */
  amount: number
  reference: string
  note: string
  recordedBy: string
}

export type RecordedMovement = Movement & { recordedAt: Date }

const movementColumns = sql`id, provider, environment, kind, amount, reference, note, recorded_by, recorded_at`

/** Undefined when its reference, or an opening balance, is recorded already. */
export async function insertMovement(db: Runner, one: Movement): Promise<RecordedMovement | undefined> {
  return db.maybeOne<RecordedMovement>(sql`
    insert into provider_movements (id, provider, environment, kind, amount, reference, note, recorded_by)
    values (${one.id}, ${one.provider}, ${one.environment}, ${one.kind}, ${one.amount}, ${one.reference}, ${one.note}, ${one.recordedBy})
    on conflict do nothing
    returning ${movementColumns}`)
}

export async function findMovement(
  db: Runner,
  { provider, environment, reference }: ProviderAccount & { reference: string },
): Promise<RecordedMovement | undefined> {
  return db.maybeOne<RecordedMovement>(sql`
    select ${movementColumns} from provider_movements
    where provider = ${provider} and environment = ${environment} and reference = ${reference}`)
}

/** Newest first. */
export async function listMovements(db: Runner, limit: number): Promise<RecordedMovement[]> {
  return db.rows<RecordedMovement>(sql`
    select ${movementColumns} from provider_movements order by recorded_at desc, id desc limit ${limit}`)
}

/** Whether the opening balance of each account is missing: without it, no balance is compared. */
export async function listOpenings(
  db: Runner,
  accounts: ProviderAccount[],
): Promise<(ProviderAccount & { isMissing: boolean })[]> {
  return db.rows(sql`
    select a.environment, a.provider, not exists (
      select from provider_movements m where m.provider = a.provider and m.environment = a.environment and m.kind = 'opening') as is_missing
    from ${recordset(accounts, 'a', accountColumns)}`)
}

/**
 * What each home's transfers leave with the provider, up to its newest transfer, or up to some transfers behind its position. A clearing
 * account serves all providers of an environment: a transfer belongs to the provider of its payment, payout or break. `unnamed`: charges
 * whose fee is not booked in the same movement; a fee that was booked later takes its charge away.
 */
const positions = ({ provider, environment }: ProviderAccount, mostTransfers: number) => sql`
  select a.home, u.seq, a.last_seq = u.seq as is_whole, (coalesce(p.amount, 0) + coalesce(since.amount, 0))::bigint as amount,
    (coalesce(p.unnamed, 0) + coalesce(since.unnamed, 0))::bigint as unnamed,
    (coalesce(p.unnamed_count, 0) + coalesce(since.unnamed_count, 0))::bigint as unnamed_count
  from ledger_accounts a
  left join provider_positions p on p.provider = ${provider} and p.environment = a.environment and p.home = a.home
  cross join lateral (select least(a.last_seq, coalesce(p.seq, 0) + ${mostTransfers}::bigint) as seq) u
  cross join lateral (
    select sum(case when t.debit_account_id = a.id then t.amount else -t.amount end)::bigint as amount,
      sum(f.amount)::bigint as unnamed, sum(sign(f.amount))::bigint as unnamed_count
    from (
      select * from ledger_transfers where home = a.home and debit_account_id = a.id and debit_seq > coalesce(p.seq, 0) and debit_seq <= u.seq
      union all
      select * from ledger_transfers where home = a.home and credit_account_id = a.id and credit_seq > coalesce(p.seq, 0) and credit_seq <= u.seq
    ) t
    left join provider_charges c on c.home = t.home and c.payment_id = t.payment_id
    left join provider_payouts o on o.home = t.home and o.payout_id = t.payout_id
    left join breaks b on b.home = t.home and b.id = t.break_id
    left join lateral (
      select case
        when t.kind in ('payment', 'suspense') and not exists (
          select from ledger_transfers x
          where x.home = t.home and x.payment_id = t.payment_id and x.kind = 'provider_fee' and x.movement_id = t.movement_id) then t.amount
        when t.kind in ('credit_added', 'credit_reversed', 'credit_reversed_owed') and not exists (
          select from ledger_transfers x where x.home = t.home and x.payment_id = t.payment_id and x.kind = 'provider_fee')
          then case t.kind when 'credit_added' then t.amount else -t.amount end
        when t.kind in ('unallocated_found', 'unallocated_credited') and o.payout_id is null and not exists (
          select from ledger_transfers x where x.home = t.home and x.break_id = t.break_id and x.kind = 'provider_fee')
          then case t.kind when 'unallocated_found' then t.amount else -t.amount end
        when t.kind = 'provider_fee' then (
          select -x.amount from ledger_transfers x
          where x.home = t.home and x.payment_id = t.payment_id and x.kind in ('payment', 'suspense') and x.debit_account_id = a.id
            and x.movement_id <> t.movement_id)
      end as amount
    ) f on true
    where ${provider} = coalesce(c.provider, o.provider, b.provider,
      -- The break of another home shares the movement.
      (select x.provider from breaks x join ledger_transfers y on y.home = x.home and y.break_id = x.id
        where x.kind = 'unknown_at_provider' and y.movement_id = t.movement_id limit 1))
  ) since
  where a.environment = ${environment} and a.kind = 'provider_clearing'`

/** Of each home in one step: the first sum of a long history takes many steps. */
const transfersPerStep = 1_000
const allTransfers = Number.MAX_SAFE_INTEGER

/** Sums later transfers of each home, some at once, so that the cost of a step has a limit. Returns false while there are more. */
export async function advancePositions(db: Runner, account: ProviderAccount, mostTransfers = transfersPerStep): Promise<boolean> {
  return db.value<boolean>(sql`
    with next as (${positions(account, mostTransfers)}),
    kept as (
      insert into provider_positions (provider, environment, home, seq, amount, unnamed, unnamed_count)
      select ${account.provider}, ${account.environment}, n.home, n.seq, n.amount, n.unnamed, n.unnamed_count from next n
      on conflict (home, provider, environment) do update
      set seq = excluded.seq, amount = excluded.amount, unnamed = excluded.unnamed, unnamed_count = excluded.unnamed_count
      where provider_positions.seq < excluded.seq
    )
    select coalesce(bool_and(is_whole), true) as is_whole from next`)
}

/** TZS. */
export type Books = {
  booked: number
  moved: number
  hasOpening: boolean
  /** Charges that are not ended may have brought this, payouts may have taken that, and breaks may be true in either way. */
  arriving: number
  leaving: number
  disputed: number
  unnamed: number
  unnamedCount: number
  /** An opening balance or a correction was recorded since the last comparison: it may explain what was taken for fees. */
  isCorrected: boolean
}

/** What the books say now, at one moment: a single statement. */
export async function readBooks(db: Runner, account: ProviderAccount): Promise<Books> {
  const { provider, environment } = account
  return db.one<Books>(sql`
    with booked as (
      select coalesce(sum(n.amount), 0)::bigint as amount, coalesce(sum(n.unnamed), 0)::bigint as unnamed,
        coalesce(sum(n.unnamed_count), 0)::bigint as unnamed_count
      from (${positions(account, allTransfers)}) n
    ),
    moved as (
      select coalesce(sum(m.amount), 0)::bigint as amount, coalesce(bool_or(m.kind = 'opening'), false) as has_opening,
        coalesce(bool_or(m.kind in ('opening', 'correction') and m.recorded_at > last.read_at)
          -- One that began before the comparison and was recorded after it has an earlier time, and is missing in its sum.
          or bool_or(m.kind in ('opening', 'correction') and m.recorded_at > last.read_at - ${longestWait})
            and sum(m.amount) filter (where m.recorded_at <= last.read_at) <> max(last.moved), false) as is_corrected
      from provider_movements m
      left join (
        select b.read_at, b.moved from provider_balances b where b.provider = ${provider} and b.environment = ${environment} order by b.read_at desc limit 1
      ) last on true
      where m.provider = ${provider} and m.environment = ${environment}
    ),
    -- A charge that was sent may have brought its amount, less a fee.
    arriving as (
      select coalesce(sum(p.amount), 0)::bigint as amount
      from provider_charges c join payments p on p.home = c.home and p.id = c.payment_id
      where c.next_attempt_at is not null and c.provider = ${provider} and p.environment = ${environment}
        and p.status in ('pending', 'processing') and not p.held
    ),
    -- A payout that was sent may have taken its amount and fee, and a failed one may have returned them.
    leaving as (
      select coalesce(sum(p.amount + p.fee), 0)::bigint as amount
      from provider_payouts c join payouts p on p.home = c.home and p.id = c.payout_id
      where c.provider = ${provider} and c.environment = ${environment} and p.status in ('pending', 'processing')
        and c.state in ('claimed', 'unknown', 'accepted')
    ),
    -- What operators have not decided may be true in either way, for at most the largest amount that it names.
    disputed as (
      select coalesce(sum(greatest(p.amount, o.amount + o.fee, (
        select max(d.value::numeric) from jsonb_each_text(b.details) d
        where jsonb_typeof(b.details -> d.key) = 'number' and d.key ~ 'amount|fee|booked|ordered|difference'))), 0)::bigint as amount
      from breaks b
      left join payments p on p.home = b.home and p.id = b.payment_id
      left join provider_charges c on c.home = b.home and c.payment_id = b.payment_id
      left join payouts o on o.home = b.home and o.id = b.payout_id
      left join provider_payouts q on q.home = b.home and q.payout_id = b.payout_id
      where b.resolved_at is null and b.environment = ${environment} and b.kind <> 'balance_differs'
        and coalesce(b.provider, c.provider, q.provider) = ${provider}
    )
    select b.amount as booked, m.amount as moved, m.has_opening, a.amount as arriving, l.amount as leaving, d.amount as disputed, b.unnamed,
      b.unnamed_count, m.is_corrected
    from booked b, moved m, arriving a, leaving l, disputed d`)
}

/** TZS. `low` and `high`: the balance may lie between them. */
export type Compared = {
  reported: number
  booked: number
  moved: number
  hasOpening: boolean
  unnamed: number
  unnamedCount: number
  feesLow: number
  feesHigh: number
  low: number
  high: number
  /** What nothing explains; below zero: money that the provider lacks. */
  difference: number
}

export type Balance = ProviderAccount & Compared & { runId: string; readAt: Date }

const balanceColumns = sql`run_id, provider, environment, read_at, reported, booked, moved, has_opening, unnamed, unnamed_count, fees_low,
  fees_high, low, high, difference`

/** Stores the result of a comparison. */
export async function insertBalance(db: Runner, runId: string, account: ProviderAccount, one: Compared): Promise<void> {
  await db.rows(sql`
    insert into provider_balances (run_id, provider, environment, reported, booked, moved, has_opening, unnamed, unnamed_count, fees_low,
      fees_high, low, high, difference)
    values (${runId}, ${account.provider}, ${account.environment}, ${one.reported}, ${one.booked}, ${one.moved}, ${one.hasOpening},
      ${one.unnamed}, ${one.unnamedCount}, ${one.feesLow}, ${one.feesHigh}, ${one.low}, ${one.high}, ${one.difference})`)
}

/** Newest first; of one account, or of all. */
export async function listBalances(db: Runner, account: ProviderAccount | null, limit: number): Promise<Balance[]> {
  return db.rows<Balance>(sql`
    select ${balanceColumns} from provider_balances
    where (${account?.provider ?? null}::text is null or provider = ${account?.provider ?? null}::text)
      and (${account?.environment ?? null}::text is null or environment = ${account?.environment ?? null}::text)
    order by read_at desc limit ${limit}`)
}
