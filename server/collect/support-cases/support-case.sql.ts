/** The statements on support_cases, support_case_answers and support_case_transitions. */
import type { CaseAnswerKind, CaseDecision, CaseFinding, CaseReason, CaseState, LateState } from '../../domain/support-case.ts'
import type { Environment } from '../../domain/environment.ts'
import type { PayerLanguage } from '../../domain/language.ts'
import { moved } from '../../platform/db/clock-mark.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { notFound } from '../../platform/refusal.ts'
import type { Claim, SupportCase } from './support-case.ts'

export type CaseKey = { home: number; id: string }

const columns = sql`c.home, c.id, c.payment_id, c.merchant_id, c.environment, c.state, c.sms_number, c.claimed_amount, c.claimed_phone, c.claimed_time, c.words,
  c.email, c.payer_language, c.finding, c.proven_at, c.escalated_because, c.escalated_at, c.number_owner_id, c.questions, c.decision, c.decision_note,
  c.decision_message, c.decided_by, c.decided_at, c.has_proof, c.created_at`

export type NewCase = CaseKey & {
  paymentId: string
  merchantId: string
  environment: Environment
  smsNumber: string
  claim: Claim
  payerLanguage: PayerLanguage
  requestId: string
  hasProof: boolean
}

/** The id of the case of this number: a new one, or the first that reported it for this payment, with the proof of either. */
export async function insertCase(db: Runner, one: NewCase): Promise<string> {
  const { home, id, paymentId, merchantId, environment, smsNumber, claim, payerLanguage, requestId, hasProof } = one
  return db.value<string>(sql`
    insert into support_cases as c (home, id, payment_id, merchant_id, environment, sms_number, claimed_amount, claimed_phone, claimed_time, words, email,
      payer_language, request_id, has_proof)
    values (${home}, ${id}, ${paymentId}, ${merchantId}, ${environment}, ${smsNumber}, ${claim.amount}, ${claim.phone}, ${claim.time}, ${claim.words},
      ${claim.email}, ${payerLanguage}, ${requestId}, ${hasProof})
    on conflict (home, payment_id, sms_number) do update
    set has_proof = c.has_proof or excluded.has_proof, updated_at = case when excluded.has_proof > c.has_proof then clock_now() else c.updated_at end
    returning id`)
}

export async function findCaseOfNumber(
  db: Runner,
  { home, paymentId, smsNumber }: Pick<NewCase, 'home' | 'paymentId' | 'smsNumber'>,
): Promise<string | undefined> {
  return db.maybeValue<string>(sql`
    select id from support_cases where home = ${home} and payment_id = ${paymentId} and sms_number = ${smsNumber}`)
}

export async function findCase(db: Runner, { home, id }: CaseKey): Promise<SupportCase | undefined> {
  return db.maybeOne<SupportCase>(sql`select ${columns} from support_cases c where c.home = ${home} and c.id = ${id}`)
}

/** The same; its row is locked until the transaction ends. Refuses an unknown case with 404. */
export async function lockCase(tx: Tx, { home, id }: CaseKey): Promise<SupportCase> {
  const [row] = await tx.rows<SupportCase>(
    sql`select ${columns} from support_cases c where c.home = ${home} and c.id = ${id} for no key update`,
  )
  if (!row) throw notFound()
  return row
}

/** The cases of a payment, newest first. */
export async function listCasesOf(
  db: Runner,
  payment: { home: number; paymentId: string },
  limit: number,
): Promise<SupportCase[]> {
  return db.rows<SupportCase>(sql`
    select ${columns} from support_cases c
    where c.home = ${payment.home} and c.payment_id = ${payment.paymentId}
    order by c.id desc limit ${limit}`)
}

export type DueCase = SupportCase & { ageSeconds: number }

/** Claims the cases that are due for a question: those whose payer waits for the machine first, then the longest due. */
export async function claimDueCases(db: Runner, limit: number, leaseSeconds: number): Promise<DueCase[]> {
  return db.rows<DueCase>(sql`
    with due as (
      select home, id from support_cases
      where next_attempt_at <= clock_now()
      order by state = 'with_operators', next_attempt_at limit ${limit}
      for update skip locked
    )
    update support_cases c
    set state = case when c.state = 'open' then 'asking' else c.state end, questions = c.questions + 1,
      next_attempt_at = clock_now() + make_interval(secs => ${leaseSeconds})
    from due
    where c.home = due.home and c.id = due.id
    returning ${columns}, extract(epoch from clock_now() - c.created_at)::double precision as age_seconds`)
}

/** A question that was not asked, because no budget was left: it does not count. */
export async function postponeQuestion(db: Runner, one: CaseKey & { questions: number }, seconds: number): Promise<void> {
  await db.rows(sql`
    update support_cases set questions = questions - 1, next_attempt_at = clock_now() + make_interval(secs => ${seconds})
    where home = ${one.home} and id = ${one.id} and questions = ${one.questions} and next_attempt_at is not null`)
}

/** `questions`: as it was claimed. A later claim may have learned more. */
export type CaseMove = CaseKey & {
  questions: number
  toState: CaseState
  finding: CaseFinding | null
  because: CaseReason | null
  numberOwnerId: string | null
  nextSeconds: number | null
  /** The payer's number is that of the payment's receipt. */
  isProven: boolean
}

/** Applies what a question taught; false when another process has, or when the state does not allow the move. */
export async function moveCase(tx: Tx, move: CaseMove): Promise<boolean> {
  return tx.any(sql`
    update support_cases c
    set state = ${move.toState}, has_proof = c.has_proof or ${move.isProven}, finding = coalesce(${move.finding}::text, c.finding),
      proven_at = case when ${move.finding}::text is null then c.proven_at when c.finding is distinct from ${move.finding}::text then clock_now() else c.proven_at end,
      escalated_because = coalesce(${move.because}::text, c.escalated_because),
      escalated_at = case when ${move.toState} = 'with_operators' then coalesce(c.escalated_at, clock_now()) else c.escalated_at end,
      number_owner_id = coalesce(${move.numberOwnerId}::uuid, c.number_owner_id),
      next_attempt_at = clock_now() + make_interval(secs => ${move.nextSeconds}::double precision),
      first_outcome_at = case when ${move.toState} = 'asking' then c.first_outcome_at else coalesce(c.first_outcome_at, clock_now()) end,
      updated_at = clock_now()
    where c.home = ${move.home} and c.id = ${move.id} and c.questions = ${move.questions}
      and (c.state = ${move.toState} or exists (
        select from support_case_transitions t where t.from_state = c.state and t.to_state = ${move.toState}))
    returning c.id`)
}

/**
 * The payer of a locked case disagrees with the answer that they see: operators get it, also one that they have closed without a word. The
 * answer that money was received is no longer true then; without it, a credit that comes back is found.
 */
export async function escalateByPayer(tx: Tx, key: CaseKey): Promise<void> {
  await tx.rows(sql`
    update support_cases c
    set state = 'with_operators', escalated_because = 'payer_disagrees', next_attempt_at = null, updated_at = clock_now(),
      finding = nullif(c.finding, 'received'), proven_at = case when c.finding <> 'received' then c.proven_at end,
      escalated_at = case c.state when 'with_operators' then c.escalated_at else clock_now() end,
      decision = null, decision_note = null, decision_message = null, decided_by = null, decided_at = null
    where c.home = ${key.home} and c.id = ${key.id}`)
}

/** Closes a locked case. */
export async function closeCase(
  tx: Tx,
  key: CaseKey,
  decision: { decision: CaseDecision; note: string; message: string | null; by: string },
): Promise<void> {
  await tx.rows(sql`
    update support_cases c
    set state = 'closed', decision = ${decision.decision}, decision_note = ${decision.note}, decision_message = ${decision.message},
      decided_by = ${decision.by}, decided_at = clock_now(), next_attempt_at = null, updated_at = clock_now()
    where c.home = ${key.home} and c.id = ${key.id}`)
}

export type CaseAnswer = {
  answer: CaseAnswerKind
  reason: string | null
  provider: string
  providerReference: string | null
  providerStatus: string | null
  /** TZS. */
  amount: number | null
  networkReceipt: string | null
}

export async function recordAnswer(tx: Tx, key: CaseKey, place: number, one: CaseAnswer): Promise<void> {
  await tx.rows(sql`
    insert into support_case_answers (home, case_id, place, answer, reason, provider, provider_reference, provider_status, amount, network_receipt)
    values (${key.home}, ${key.id}, ${place}, ${one.answer}, ${one.reason}, ${one.provider}, ${one.providerReference}, ${one.providerStatus}, ${one.amount},
      ${one.networkReceipt})
    on conflict (home, case_id, place) do nothing`)
}

/** What the provider answered about a case, oldest first. */
export async function listAnswers(db: Runner, key: CaseKey): Promise<(CaseAnswer & { answeredAt: Date })[]> {
  return db.rows<CaseAnswer & { answeredAt: Date }>(sql`
    select answer, reason, provider, provider_reference, provider_status, amount, network_receipt, answered_at
    from support_case_answers where home = ${key.home} and case_id = ${key.id} order by place`)
}

/** A case at whose payment was looked; `isPaid`: credited since its last answer. */
export type LookedAt = SupportCase & { networkReceipt: string | null; isPaid: boolean }

const shortestLookSeconds = 2
const longestLookSeconds = 24 * 3600

/**
 * Looks at the payments of the cases that are due for it, and locks these cases. The next look follows after a twentieth of the age of
 * the case, at most a day: a credit that is hours late is found within minutes, and old cases cost little.
 */
export async function lockPaidSince(tx: Tx, limit: number): Promise<LookedAt[]> {
  return tx.rows<LookedAt>(sql`
    with due as (
      select home, id, payment_id from support_cases
      where finding is distinct from 'received' and state <> 'closed' and coalesce(next_look_at, created_at) <= clock_now()
      order by coalesce(next_look_at, created_at) limit ${limit}
      for no key update skip locked
    )
    update support_cases c
    set next_look_at = clock_now() + least(greatest((clock_now() - c.created_at) / 20, make_interval(secs => ${shortestLookSeconds})),
      make_interval(secs => ${longestLookSeconds}))
    from due
    join payments p on p.home = due.home and p.id = due.payment_id
    where c.home = due.home and c.id = due.id
    returning ${columns}, p.network_receipt,
      (c.state in ('answered', 'with_operators') and p.status = 'completed' and p.credit_reversed_at is null) as is_paid`)
}

/** Records that the payment of a case was credited after its answer. */
export async function recordLateSuccess(
  tx: Tx,
  key: CaseKey,
  { toState, because }: { toState: LateState; because: CaseReason | null },
): Promise<void> {
  await tx.rows(sql`
    update support_cases
    set state = ${toState}, finding = 'received', proven_at = clock_now(), updated_at = clock_now(),
      escalated_because = coalesce(${because}::text, escalated_because),
      escalated_at = case when ${toState} = 'with_operators' then coalesce(escalated_at, clock_now()) else escalated_at end,
      next_attempt_at = case when ${toState} = 'answered' then null else next_attempt_at end
    where home = ${key.home} and id = ${key.id}`)
}

export type WantedCases = {
  state: CaseState | null
  environment: Environment | null
  because: CaseReason | null
  /** Only the cases in the group of this one. */
  like: CaseKey | null
  beforeId: string | null
  limit: number
}

/** What neither the books nor a provider have proven: many such reports are one row. */
const unprovenReasons: readonly CaseReason[] = ['still_open', 'not_found', 'not_proven', 'no_answer']
const isUnproven = sql`not c.has_proof and c.escalated_because = any(${unprovenReasons}::text[])`
const likeness = sql`c.merchant_id, c.environment, c.escalated_because`
/** What the waiting cases of one row have in common. A case with proof is a row of its own. */
const rowOfCase = sql`case when ${isUnproven} then null else c.id end, ${likeness}`

/**
 * Newest first. Returns one more row than the limit. Of the cases that wait without proof for one merchant and reason, the oldest one
 * stands for all, and `alike` is their number: a flood of reports hides no case with proof, and none that waits for long.
 */
export async function listCases(db: Runner, wanted: WantedCases): Promise<(SupportCase & { alike: number })[]> {
  const { state, environment, because, like, beforeId, limit } = wanted
  const ofGroup = sql`${isUnproven} and c.state = 'with_operators'
    and (${likeness}) = (select ${likeness} from support_cases c where c.home = ${like?.home} and c.id = ${like?.id} and ${isUnproven})`
  const found = sql`from support_cases c
    where (${state}::text is null or c.state = ${state}::text) and (${environment}::text is null or c.environment = ${environment}::text)
      and (${because}::text is null or c.escalated_because = ${because}::text) and ${like ? ofGroup : sql`true`}`
  const isGrouped = state === 'with_operators' && like === null
  const grouped = sql`(
    select c.*, count(*) over g as alike, first_value(c.id) over (g order by c.id) as oldest_id ${found} and c.state = 'with_operators'
    window g as (partition by ${rowOfCase})) c
    where c.id = c.oldest_id`
  return db.rows<SupportCase & { alike: number }>(sql`
    select ${columns}, ${isGrouped ? sql`c.alike::integer` : sql`1`} as alike ${isGrouped ? sql`from ${grouped}` : found}
      and (${beforeId}::uuid is null or c.id < ${beforeId}::uuid)
    order by c.id desc
    limit ${limit + 1}`)
}

/** How many cases wait for operators, and how many rows they are in the operators' list. */
export type CaseQueue = { environment: Environment; waiting: number; rows: number; oldestSeconds: number | null }

export async function readCaseQueue(db: Runner): Promise<CaseQueue[]> {
  return db.rows<CaseQueue>(sql`
    with listed as (
      select c.environment, count(*) as alike, min(c.escalated_at) as oldest_at
      from support_cases c where c.state = 'with_operators' group by ${rowOfCase}
    )
    select e.environment, coalesce(sum(l.alike), 0)::integer as waiting, count(l.alike) as rows,
      extract(epoch from clock_now() - min(l.oldest_at))::double precision as oldest_seconds
    from (values ('live'), ('test')) as e (environment)
    left join listed l on l.environment = e.environment
    group by e.environment order by e.environment`)
}

/** Removes cases that ended more than `olderThanDays` ago, with their answers. Returns their number. */
export async function pruneCases(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    with old as (
      select home, id from support_cases
      where state in ('answered', 'closed') and updated_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by updated_at limit ${limit}
      for update skip locked
    ),
    answers as (
      delete from support_case_answers a using old where a.home = old.home and a.case_id = old.id
    )
    delete from support_cases c using old where c.home = old.home and c.id = old.id
    returning c.id`)
}

/** Removes what a person wrote or gave from the cases of payments from this phone, and from those that name it. Returns their number. */
export async function eraseCasesOf(tx: Tx, phoneNumber: string): Promise<number> {
  const rows = await tx.rows<{ home: number; id: string }>(sql`
    update support_cases c
    set sms_number = null, claimed_phone = null, claimed_time = null, claimed_amount = null, words = null, email = null, decision_message = null,
      decision_note = case when decision_note is not null then 'erased' end
    where (c.home, c.id) in (
      select x.home, x.id from support_cases x where x.claimed_phone = ${phoneNumber}
      union
      select x.home, x.id from payments p join support_cases x on x.home = p.home and x.payment_id = p.id where p.phone_number = ${phoneNumber})
    returning c.home, c.id`)
  await tx.rows(sql`
    update support_case_answers a set network_receipt = null
    from unnest(${rows.map(({ home }) => home)}::smallint[], ${rows.map(({ id }) => id)}::uuid[]) as c (home, id)
    where a.home = c.home and a.case_id = c.id`)
  return rows.length
}

/** Moves future times when the clock was set back by that many seconds. */
export async function moveCaseTimes(tx: Tx, seconds: number): Promise<void> {
  await tx.rows(sql`
    update support_cases set next_attempt_at = ${moved(sql`next_attempt_at`, seconds)}, next_look_at = ${moved(sql`next_look_at`, seconds)}
    where next_attempt_at > clock_now() or next_look_at > clock_now()`)
}

/** The addresses to which answers about payments from this phone, or to reports of it, were mailed. */
export async function emailsOfCases(tx: Tx, phoneNumber: string): Promise<string[]> {
  return tx.values<string>(sql`
    select distinct c.email from payments p join support_cases c on c.home = p.home and c.payment_id = p.id
    where p.phone_number = ${phoneNumber} and c.email is not null
    union
    select c.email from support_cases c where c.claimed_phone = ${phoneNumber} and c.email is not null`)
}
