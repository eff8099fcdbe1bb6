/** The only statements on `breaks`. */
import type { BreakKind } from '../../domain/break.ts'
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { isFoundAgain, type Break, type Finding, type ResolutionParameters, type Resolution } from './break.ts'

/**
 * Opens a break; false when one of its subject and kind is already open. A difference that comparisons find again is not opened again if
 * operators have last decided about the same evidence that our books are right. `id` is a money id of the subject's home.
 */
export async function openBreak(db: Runner, finding: Finding, id: string): Promise<boolean> {
  const {
    home,
    environment,
    kind,
    paymentId = null,
    payoutId = null,
    provider = null,
    reference = null,
    payerPhone = null,
  } = finding
  return db.any(sql`
    insert into breaks (home, id, environment, kind, payment_id, payout_id, provider, provider_reference, details, payer_phone)
    select ${home}::smallint, ${id}::uuid, ${environment}::text, ${kind}::text, ${paymentId}::uuid, ${payoutId}::uuid, ${provider}::text, ${reference}::text,
      ${JSON.stringify(finding.details)}::jsonb || case when last.resolution is null then '{}' else jsonb_build_object('decided_before', last.resolution) end, ${payerPhone}::text
    from (values (1)) as one (row)
    left join lateral (
      select b.kind, b.details - 'decided_before' as details, b.resolution from breaks b
      where ${isFoundAgain(kind) || payoutId !== null}::boolean and b.resolved_at is not null
        and (b.home = ${home}::smallint and b.payout_id = ${payoutId}::uuid
          or b.provider = ${provider}::text and b.environment = ${environment}::text and b.provider_reference = ${reference}::text)
      order by b.kind = ${kind}::text desc, b.resolved_at desc, b.id desc limit 1
    ) last on true
    where ${finding.evenIfDecided === true || !isFoundAgain(kind)}::boolean or last.kind is distinct from ${kind}::text or last.details <> ${JSON.stringify(finding.details)}::jsonb
      -- A question decides nothing. After the books have followed, the same evidence means that a later booking differs from it.
      or last.resolution in ('ask_again', 'follow_provider')
    on conflict do nothing
    returning id`)
}

/**
 * A common table expression that opens breaks about fees of charges, for the statement that settles. `findings` is a query with the columns
 * `home, id, environment, payment_id, provider, reference, details`; `fee_breaks (payment_id)` are the new breaks. Evidence on which
 * operators have decided is not opened again.
 */
export const openFeeBreaks = (findings: Sql): Sql => sql`
  fee_breaks as (
    insert into breaks (home, id, environment, kind, payment_id, provider, provider_reference, details)
    select f.home, f.id, f.environment, 'fee_differs', f.payment_id, f.provider, f.reference, f.details
    from (${findings}) f
    where not exists (
      select from breaks b
      where b.home = f.home and b.payment_id = f.payment_id and b.kind = 'fee_differs'
        and b.details - 'expected_fee' = f.details - 'expected_fee')
    on conflict do nothing
    returning payment_id
  )`

/** A doubtful fee of a charge. Amounts in TZS; `expectedFee` is null when no fee was expected. */
export type FeeFinding = {
  home: number
  environment: Environment
  paymentId: string
  provider: string
  reference: string | null
  amount: number
  fee: number
  expectedFee: number | null
}

/**
 * Opens the break of one fee; false when one is open, or operators have decided on the same evidence. `id` is a money id of the payment's
 * home.
 */
export async function openFeeBreak(db: Runner, finding: FeeFinding, id: string): Promise<boolean> {
  const { home, environment, paymentId, provider, reference, amount, fee, expectedFee } = finding
  const details = { fee, amount, ...(expectedFee !== null && { expected_fee: expectedFee }) }
  return db.any(sql`
    with ${openFeeBreaks(sql`
      select ${home}::smallint as home, ${id}::uuid as id, ${environment}::text as environment, ${paymentId}::uuid as payment_id,
        ${provider}::text as provider, ${reference}::text as reference, ${JSON.stringify(details)}::jsonb as details`)}
    select from fee_breaks`)
}

export async function hasOpenBreak(db: Runner, about: { home: number; payoutId: string; kind: BreakKind }): Promise<boolean> {
  return db.any(sql`
    select from breaks
    where home = ${about.home} and payout_id = ${about.payoutId} and kind = ${about.kind} and resolved_at is null`)
}

/**
 * The provider's record that names this payout of ours and matched no payout when it was found. Records with a decision of operators come
 * first.
 */
export async function findLostRecord(
  db: Runner,
  payout: { provider: string; environment: Environment; ourReference: string },
): Promise<{ providerReference: string; isDecided: boolean } | undefined> {
  return db.maybeOne<{ providerReference: string; isDecided: boolean }>(sql`
    select provider_reference, resolved_at is not null and resolved_by <> 'system' as is_decided from breaks
    where kind = 'unknown_at_provider' and details ->> 'our_reference_there' = ${payout.ourReference}
      and provider = ${payout.provider} and environment = ${payout.environment}
    order by is_decided desc, resolved_at desc nulls first limit 1`)
}

/**
 * Whether operators ended this payout as not paid because the money of its record had already left by their earlier decision: its
 * recipient has the money. `payout` is a row of `payouts`.
 */
export const isPaidByDecision = (payout: Sql): Sql => sql`exists (
  select from breaks b
  where b.home = ${payout}.home and b.payout_id = ${payout}.id and b.resolution = 'payout_not_paid'
    and (b.details ->> 'reason' = 'lost_record_decided' or b.details ->> 'decided_before' in ('debit_wallet', 'write_off')))`

/** `left_to_network`: another currency, which only the network itself can return. */
export type HeldMoney = 'under_review' | 'returned' | 'left_to_network'

/**
 * Where the money is that arrived for a payment without a credit, a row of `payments`: money of another amount, or a second charge. Null:
 * none is known. The many reads of open payments without such money look at no break.
 */
export const heldMoneyOf = (
  payment: Sql,
): Sql => sql`case when ${payment}.held or ${payment}.status in ('failed', 'voided', 'expired') then (
  select case when b.resolved_at is null then 'under_review' when b.details -> 'booked' = '0' then 'left_to_network' else 'returned' end
  from breaks b
  where b.home = ${payment}.home and b.payment_id = ${payment}.id
    -- A second charge has an amount once it is proven.
    and (b.kind = 'amount_differs' and ${payment}.held or b.kind = 'reference_conflict' and b.details ?| '{amount,returned_with}')
    and (b.resolved_at is null or b.resolution in ('return_to_payer', 'refund_second_charge') or b.details ? 'returned_with')
  order by b.resolved_at desc nulls first limit 1) end`

/** Resolves an open break; false when it is no longer open. */
export async function resolveBreak(
  db: Runner,
  key: { home: number; id: string },
  how: { resolution: Resolution; by: string },
): Promise<boolean> {
  return db.any(sql`
    update breaks set resolution = ${how.resolution}, resolved_by = ${how.by}, resolved_at = clock_now()
    where home = ${key.home} and id = ${key.id} and resolved_at is null
    returning id`)
}

const columns = sql`home, id, environment, kind, payment_id, payout_id, provider, provider_reference, details, payer_phone, opened_at, proposal, proposal_note,
  proposal_parameters, proposed_by, proposed_at, resolution, resolved_by, resolved_at,
  (select p.amount from payments p where p.home = breaks.home and p.id = breaks.payment_id
    union all select o.amount from payouts o where o.home = breaks.home and o.id = breaks.payout_id) as ordered_amount,
  (select coalesce(sum(case when c.kind = 'unallocated' then t.amount when d.kind = 'unallocated' then -t.amount end), 0)::bigint
    from ledger_transfers t
    join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id
    join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id
    where t.home = breaks.home and t.break_id = breaks.id) as unallocated,
  -- The last system payout that returns its money.
  (select jsonb_build_object('id', p.id, 'status', p.status) from payouts p
    where p.home = breaks.home and p.break_id = breaks.id order by p.created_at desc, p.id desc limit 1) as last_return`

/** Newest first. Returns one more row than the limit. */
export async function listBreaks(
  db: Runner,
  wanted: {
    environment: Environment | null
    kind: BreakKind | null
    isOpen: boolean | null
    /** True: breaks with a proposal of one operator; false: those without. */
    isProposed: boolean | null
    provider: string | null
    openedFrom: string | null
    openedTo: string | null
    beforeId: string | null
    limit: number
  },
): Promise<Break[]> {
  const { environment, kind, isOpen, isProposed, provider, openedFrom, openedTo, beforeId, limit } = wanted
  return db.rows<Break>(sql`
    select ${columns} from breaks
    where (${environment}::text is null or environment = ${environment}::text) and (${kind}::text is null or kind = ${kind}::text)
      and (${isOpen}::boolean is null or (resolved_at is null) = ${isOpen}::boolean)
      and (${isProposed}::boolean is null or (proposal is not null) = ${isProposed}::boolean)
      and (${provider}::text is null or provider = ${provider}::text)
      and (${openedFrom}::timestamptz is null or opened_at >= ${openedFrom}::timestamptz)
      and (${openedTo}::timestamptz is null or opened_at < ${openedTo}::timestamptz)
      and (${beforeId}::uuid is null or id < ${beforeId}::uuid)
    order by id desc
    limit ${limit + 1}`)
}

/** All breaks of a payment, oldest first. */
export async function listBreaksOf(db: Runner, payment: { home: number; paymentId: string }): Promise<Break[]> {
  return db.rows<Break>(
    sql`select ${columns} from breaks where home = ${payment.home} and payment_id = ${payment.paymentId} order by id`,
  )
}

export async function findBreak(db: Runner, key: { home: number; id: string }): Promise<Break | undefined> {
  return db.maybeOne<Break>(sql`select ${columns} from breaks where home = ${key.home} and id = ${key.id}`)
}

/** Locks a break until the transaction ends, so that two decisions run one after the other. */
export async function lockBreak(tx: Tx, key: { home: number; id: string }): Promise<Break> {
  await tx.rows(sql`select from breaks where home = ${key.home} and id = ${key.id} for update`)
  // Read after the lock: a return that was ordered while we waited for the lock counts.
  return (await findBreak(tx, key))!
}

/** Locks these breaks until the transaction ends. */
export async function lockBreaks(tx: Tx, keys: readonly { home: number; id: string }[]): Promise<void> {
  await tx.rows(sql`
    select from breaks
    where (home, id) in (
      select * from unnest(${keys.map(({ home }) => home)}::smallint[], ${keys.map(({ id }) => id)}::uuid[]))
    order by home, id
    for update`)
}

/** Replaces the earlier proposal. */
export async function recordProposal(
  tx: Tx,
  key: { home: number; id: string },
  proposal: { resolution: Resolution; note: string; parameters: ResolutionParameters | null; by: string },
): Promise<Break> {
  return tx.one<Break>(sql`
    update breaks set proposal = ${proposal.resolution}, proposal_note = ${proposal.note},
      proposal_parameters = ${proposal.parameters && JSON.stringify(proposal.parameters)}::jsonb, proposed_by = ${proposal.by},
      proposed_at = clock_now()
    where home = ${key.home} and id = ${key.id}
    returning ${columns}`)
}

const withoutProposal = sql`proposal = null, proposal_note = null, proposal_parameters = null, proposed_by = null, proposed_at = null`

/** Reopens a break whose resolution failed: it needs a new proposal. */
export async function reopenBreak(tx: Tx, key: { home: number; id: string }): Promise<void> {
  await tx.rows(sql`
    update breaks set ${withoutProposal}, resolution = null, resolved_by = null, resolved_at = null
    where home = ${key.home} and id = ${key.id}`)
}

/** Replaces the evidence: a proposal that did not see it ends. */
export async function updateEvidence(tx: Tx, key: { home: number; id: string }, { details, payerPhone }: Finding): Promise<void> {
  await tx.rows(sql`
    update breaks set details = ${JSON.stringify(details)}::jsonb, payer_phone = ${payerPhone ?? null}::text, ${withoutProposal}
    where home = ${key.home} and id = ${key.id}`)
}

export async function lockOpenBreak(tx: Tx, finding: Finding): Promise<Break | undefined> {
  const { home, environment, kind, paymentId = null, payoutId = null, provider = null, reference = null } = finding
  const [open] = await tx.rows<{ home: number; id: string }>(sql`
    select home, id from breaks
    where home = ${home} and kind = ${kind} and environment = ${environment} and resolved_at is null
      and payment_id is not distinct from ${paymentId}::uuid and payout_id is not distinct from ${payoutId}::uuid
      and (payment_id = ${paymentId}::uuid or payout_id = ${payoutId}::uuid
        or (payment_id is null and payout_id is null and provider = ${provider}::text and provider_reference = ${reference}::text))
    for update`)
  return open && findBreak(tx, open)
}

/**
 * Opens a break, or locks the open one of its subject and kind: it is new if it has this id. Undefined if operators have decided on the
 * same evidence.
 */
export async function openOrLock(tx: Tx, finding: Finding, id: string): Promise<Break | undefined> {
  await openBreak(tx, finding, id)
  const open = await lockOpenBreak(tx, finding)
  if (open) return open
  // The open one may have been closed while this waited for its lock.
  await openBreak(tx, finding, id)
  return lockOpenBreak(tx, finding)
}

/** Opens a break, or adds this evidence to the open one of its subject and kind. Returns whether it is new. */
export async function openOrAddEvidence(tx: Tx, finding: Finding, id: string): Promise<boolean> {
  const open = await openOrLock(tx, finding, id)
  if (!open || open.id === id) return open !== undefined
  await updateEvidence(tx, open, { ...finding, details: { ...(open.details as Finding['details']), ...finding.details } })
  return false
}

type OfRecord = { home: number; provider: string; environment: Environment; reference: string }

/**
 * What is booked for an unknown record over all its breaks, in TZS: what left, with the provider's fee, negative for what arrived, and the
 * fee of what arrived. A wallet that was debited for it has paid what left `unallocated`.
 */
export async function findBooked(db: Runner, record: OfRecord): Promise<{ left: number; fee: number }> {
  return db.one<{ left: number; fee: number }>(sql`
    select coalesce(sum(case
        when t.kind in ('unallocated_paid', 'unallocated_credited') then t.amount
        when t.kind = 'unallocated_found' or t.kind = 'unallocated_debited' and b.resolution is distinct from 'debit_wallet' then -t.amount
      end), 0)::bigint as left,
      coalesce(sum(case t.kind when 'provider_fee' then t.amount when 'provider_fee_returned' then -t.amount end), 0)::bigint as fee
    from breaks b
    join ledger_transfers t on t.home = b.home and t.break_id = b.id
    where b.home = ${record.home} and b.provider = ${record.provider} and b.environment = ${record.environment} and b.provider_reference = ${record.reference}`)
}

export const findLeft = async (db: Runner, record: OfRecord): Promise<number> => (await findBooked(db, record)).left

/** The money of a break that lies in `unallocated`, and the provider's fee that was booked with it, in TZS. */
export async function findUnallocated(db: Runner, key: { home: number; id: string }): Promise<{ amount: number; fee: number }> {
  return db.one<{ amount: number; fee: number }>(sql`
    select coalesce(sum(case when c.kind = 'unallocated' then t.amount when d.kind = 'unallocated' then -t.amount else 0 end), 0)::bigint as amount,
      coalesce(sum(case t.kind when 'provider_fee' then t.amount when 'provider_fee_returned' then -t.amount else 0 end), 0)::bigint as fee
    from ledger_transfers t
    join ledger_accounts d on d.home = t.home and d.id = t.debit_account_id
    join ledger_accounts c on c.home = t.home and c.id = t.credit_account_id
    where t.home = ${key.home} and t.break_id = ${key.id}`)
}

/** Replaces the phone that paid unknown money with a pseudonym. Returns the number of breaks, and how many of them are open. */
export async function pseudonymizePayerPhone(
  tx: Tx,
  phoneNumber: string,
  pseudonym: string,
): Promise<{ all: number; open: number }> {
  return tx.one<{ all: number; open: number }>(sql`
    with erased as (
      update breaks set payer_phone = ${pseudonym} where home = 0 and payer_phone = ${phoneNumber}
      returning resolved_at
    )
    select count(*) as all, count(*) filter (where resolved_at is null) as open from erased`)
}
