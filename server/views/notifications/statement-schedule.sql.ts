/** The statements on statement_schedules and mailed_statements. The calendar of the mails is here, so that it is counted in one place. */
import type { Environment } from '../../domain/environment.ts'
import type { PayerLanguage } from '../../domain/language.ts'
import type { StatementFrequency } from '../../domain/statement-mail.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'

/** The wallet of a schedule, and its reader. */
export type ScheduleKey = { userId: string; merchantId: string; environment: Environment }

export type Schedule = {
  frequency: StatementFrequency
  language: PayerLanguage
  /** The day in East Africa on whose morning the next mail is written. */
  nextOn: string
}

/** The last day in East Africa whose morning has come: mails are written from 07:00 on. */
const morning = sql`((clock_now() - interval '7 hours') at time zone 'Africa/Dar_es_Salaam')::date`

/** The end of the last period that is over on a day; excluded from the period. */
const endOf = (frequency: Sql, day: Sql): Sql => sql`
  (case ${frequency} when 'daily' then ${day} when 'weekly' then date_trunc('week', ${day}::timestamp)::date
    else date_trunc('month', ${day}::timestamp)::date end)`

/** The start of the period with this end. */
const startOf = (frequency: Sql, end: Sql): Sql => sql`
  (case ${frequency} when 'daily' then ${end} - 1 when 'weekly' then ${end} - 7 else (${end} - interval '1 month')::date end)`

/** The first day after this one on which a period is over. */
const nextOf = (frequency: Sql, day: Sql): Sql => sql`
  (case ${frequency} when 'daily' then ${day} + 1 when 'weekly' then date_trunc('week', ${day}::timestamp)::date + 7
    else (date_trunc('month', ${day}::timestamp) + interval '1 month')::date end)`

const isOf = ({ userId, merchantId, environment }: ScheduleKey): Sql =>
  sql`s.user_id = ${userId} and s.merchant_id = ${merchantId} and s.environment = ${environment}`

export async function findSchedule(db: Runner, key: ScheduleKey): Promise<Schedule | undefined> {
  return db.maybeOne<Schedule>(sql`
    select s.frequency, s.language, to_char(s.next_on, 'YYYY-MM-DD') as next_on from statement_schedules s where ${isOf(key)}`)
}

/** The first mail is for the first period that ends from now on. A change of the language keeps the next day. */
export async function saveSchedule(tx: Tx, key: ScheduleKey, wanted: Pick<Schedule, 'frequency' | 'language'>): Promise<void> {
  await tx.rows(sql`
    insert into statement_schedules as s (user_id, merchant_id, environment, frequency, language, next_on)
    values (${key.userId}, ${key.merchantId}, ${key.environment}, ${wanted.frequency}, ${wanted.language},
      ${nextOf(sql`${wanted.frequency}::text`, morning)})
    on conflict (user_id, merchant_id, environment) do update set language = excluded.language, frequency = excluded.frequency,
      next_on = case when s.frequency = excluded.frequency then s.next_on else excluded.next_on end, failed_at = null`)
}

export async function deleteSchedule(tx: Tx, key: ScheduleKey): Promise<void> {
  await tx.rows(sql`delete from statement_schedules s where ${isOf(key)}`)
}

/** A failed one is tried again after ten minutes, also when the clock was set back meanwhile. */
export async function listDueSchedules(db: Runner, limit: number): Promise<ScheduleKey[]> {
  return db.rows<ScheduleKey>(sql`
    select s.user_id, s.merchant_id, s.environment from statement_schedules s
    where s.next_on <= ${morning}
      and (s.failed_at is null or s.failed_at not between clock_now() - interval '10 minutes' and clock_now())
    order by s.next_on, s.user_id, s.merchant_id, s.environment
    limit ${limit}`)
}

/** A due schedule with the last period that is over. */
export type DueSchedule = Pick<Schedule, 'frequency' | 'language'> & {
  email: string
  fullName: string
  isDisabled: boolean
  /** In East Africa Time; the last day is included. */
  firstDay: string
  lastDay: string
  start: Date
  end: Date
  /** The first and the last day before the period that were not mailed; null: none, or this is the first mail. */
  missedFrom: string | null
  missedTo: string | null
}

/** Locks the schedule. Undefined if it is not due any more: another worker was first, or the person has stopped it. */
export async function lockDueSchedule(tx: Tx, key: ScheduleKey): Promise<DueSchedule | undefined> {
  return tx.maybeOne<DueSchedule>(sql`
    with due as materialized (
      select s.user_id, s.frequency, s.language, s.mailed_until, ${endOf(sql`s.frequency`, morning)} as last from statement_schedules s
      where ${isOf(key)} and s.next_on <= ${morning}
      for no key update
    ),
    period as (select d.*, ${startOf(sql`d.frequency`, sql`d.last`)} as first from due d)
    select p.frequency, p.language, u.email, u.full_name, u.disabled_at is not null as is_disabled,
      to_char(p.first, 'YYYY-MM-DD') as first_day, to_char(p.last - 1, 'YYYY-MM-DD') as last_day,
      p.first::timestamp at time zone 'Africa/Dar_es_Salaam' as start, p.last::timestamp at time zone 'Africa/Dar_es_Salaam' as "end",
      case when p.mailed_until < p.first then to_char(p.mailed_until, 'YYYY-MM-DD') end as missed_from,
      case when p.mailed_until < p.first then to_char(p.first - 1, 'YYYY-MM-DD') end as missed_to
    from period p join users u on u.id = p.user_id`)
}

/** False if the period was already mailed: then no second mail may be written. */
export async function claimPeriod(tx: Tx, key: ScheduleKey, due: DueSchedule): Promise<boolean> {
  return tx.any(sql`
    insert into mailed_statements (user_id, merchant_id, environment, frequency, first_day, last_day)
    values (${key.userId}, ${key.merchantId}, ${key.environment}, ${due.frequency}, ${due.firstDay}::date, ${due.lastDay}::date)
    on conflict (user_id, merchant_id, environment, frequency, first_day) do nothing
    returning user_id`)
}

/** The schedule waits for the end of the next period. */
export async function advanceSchedule(tx: Tx, key: ScheduleKey, due: DueSchedule, isMailed: boolean): Promise<void> {
  await tx.rows(sql`
    update statement_schedules s
    set next_on = ${nextOf(sql`s.frequency`, morning)}, failed_at = null,
      mailed_until = case when ${isMailed} then greatest(s.mailed_until, ${due.lastDay}::date + 1) else s.mailed_until end
    where ${isOf(key)}`)
}

export async function markFailed(db: Runner, key: ScheduleKey): Promise<void> {
  await db.rows(sql`update statement_schedules s set failed_at = clock_now() where ${isOf(key)}`)
}

/** Erasure of a person: of what they asked for, and of what others asked for about their own wallets. */
export async function deleteStatementMailsOf(tx: Tx, userId: string, merchantIds: string[]): Promise<void> {
  const isTheirs = sql`s.user_id = ${userId} or s.merchant_id = any(${merchantIds}::uuid[])`
  await tx.rows(sql`delete from statement_schedules s where ${isTheirs}`)
  await tx.rows(sql`delete from mailed_statements s where ${isTheirs}`)
}

/** Removes the record of mails that were written more than `olderThanDays` ago, at most `limit`. Returns their number. */
export async function pruneMailedStatements(db: Runner, olderThanDays: number, limit: number): Promise<number> {
  return db.rowCount(sql`
    delete from mailed_statements s
    where (s.user_id, s.merchant_id, s.environment, s.frequency, s.first_day) in (
      select m.user_id, m.merchant_id, m.environment, m.frequency, m.first_day from mailed_statements m
      where m.mailed_at < clock_now() - make_interval(days => ${olderThanDays}::integer)
      order by m.mailed_at limit ${limit}
      for update skip locked)
    returning s.user_id`)
}

/** After a clock was set back, a schedule that waits beyond the current period is due now. A period that was mailed is not mailed again. */
export async function moveStatementDays(tx: Tx): Promise<void> {
  await tx.rows(sql`
    update statement_schedules s set next_on = ${endOf(sql`s.frequency`, morning)}
    where s.next_on > ${nextOf(sql`s.frequency`, morning)}`)
}
