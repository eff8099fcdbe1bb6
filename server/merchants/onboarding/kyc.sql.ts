/** The only statements on `identity_papers`, and the list of persons under review. */
import type { VerificationStatus } from '../../domain/verification.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { holdsFolded } from '../../platform/db/holds-text.sql.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import { assert } from '../../platform/refusal.ts'
import type { IdentityPapers, Person } from './kyc.ts'
import type { DuplicateBusiness, DuplicatePerson } from './review.ts'
import type { Search } from './search-people.ts'
import { recordset } from '../../platform/db/recordset.ts'

export type NewPapers = {
  userId: string
  sealedNationalId: string
  nationalIdHash: Buffer
  nationalIdLast4: string
  dateOfBirth: string
}

export async function savePapers(tx: Tx, papers: NewPapers): Promise<void> {
  await tx.rows(sql`
    insert into identity_papers (user_id, sealed_national_id, national_id_hash, national_id_last4, date_of_birth)
    values (${papers.userId}, ${papers.sealedNationalId}, ${papers.nationalIdHash}, ${papers.nationalIdLast4}, ${papers.dateOfBirth})
    on conflict (user_id) do update set sealed_national_id = excluded.sealed_national_id,
      national_id_hash = excluded.national_id_hash, national_id_last4 = excluded.national_id_last4,
      date_of_birth = excluded.date_of_birth, updated_at = clock_now()`)
}

/** Keeps the stored number, and returns its last characters. */
export async function changeBirthday(tx: Tx, userId: string, dateOfBirth: string): Promise<string> {
  const [papers] = await tx.rows<{ nationalIdLast4: string }>(sql`
    update identity_papers set date_of_birth = ${dateOfBirth}, updated_at = clock_now()
    where user_id = ${userId} returning national_id_last4`)
  assert(papers, 'papers are never taken away')
  return papers.nationalIdLast4
}

type PapersRow = IdentityPapers & { userId: string }

export async function findPapers(runner: Runner, userIds: string[]): Promise<PapersRow[]> {
  return runner.rows<PapersRow>(sql`
    select user_id, national_id_last4, to_char(date_of_birth, 'YYYY-MM-DD') as date_of_birth
    from identity_papers where user_id = any(${userIds}::uuid[])`)
}

export async function findSealedNationalId(runner: Runner, userId: string): Promise<string | undefined> {
  return runner.maybeValue<string>(sql`
    select sealed_national_id from identity_papers where user_id = ${userId}`)
}

/** The sealed numbers of the next persons in order, and the hashes for their comparison. */
export async function readMarks(
  db: Runner,
  after: string,
  limit: number,
): Promise<Pick<NewPapers, 'userId' | 'sealedNationalId' | 'nationalIdHash'>[]> {
  return db.rows(sql`
    select user_id, sealed_national_id, national_id_hash from identity_papers
    where user_id > ${after}::uuid order by user_id limit ${limit}`)
}

const markColumns = { userId: 'uuid', nationalIdHash: 'bytea', renewed: 'bytea' } as const

/** Replaces hashes that have not changed since they were read. */
export async function replaceMarks(
  db: Runner,
  changes: { userId: string; nationalIdHash: Buffer; renewed: Buffer }[],
): Promise<number> {
  return db.rowCount(sql`
    update identity_papers p set national_id_hash = c.renewed
    from ${recordset(changes, 'c', markColumns)}
    where p.user_id = c.user_id and p.national_id_hash = c.national_id_hash
    returning 1 as one`)
}

export async function findSamePerson(runner: Runner, userId: string): Promise<string[]> {
  return runner.values<string>(sql`
    select other.user_id from identity_papers mine join identity_papers other on other.national_id_hash = mine.national_id_hash
    where mine.user_id = ${userId} and other.user_id <> mine.user_id
    limit 20`)
}

/**
 * Other persons who share data with a case, those who share most first: for a person's own case the national identity number, for
 * a business its phone, for both a file. `userId` is the owner of the case.
 */
export async function findDuplicatePeople(
  runner: Runner,
  wanted: { userId: string; isPerson: boolean; phoneNumber: string | null; withSameFile: string[] },
): Promise<DuplicatePerson[]> {
  const { userId, isPerson, phoneNumber, withSameFile } = wanted
  return runner.rows<DuplicatePerson>(sql`
    with candidates as (
      select other.user_id as id, 'national_id' as same from identity_papers mine
      join identity_papers other on other.national_id_hash = mine.national_id_hash
      where ${isPerson}::boolean and mine.user_id = ${userId}
      union
      select u.id, 'phone' from users u where u.phone_number = ${phoneNumber}::text
      union
      select u.id, 'document' from users u where u.id = any(${withSameFile}::uuid[])
    )
    select u.id, u.full_name, array_agg(c.same order by c.same) as same
    from candidates c join users u on u.id = c.id
    where u.id <> ${userId}
    group by u.id, u.full_name
    order by count(*) desc, u.id desc
    limit 20`)
}

/** Businesses of other persons that share a person's phone, or a file. */
export async function findDuplicateBusinesses(
  runner: Runner,
  wanted: { userId: string; withSameFile: string[] },
): Promise<DuplicateBusiness[]> {
  const { userId, withSameFile } = wanted
  return runner.rows(sql`
    with candidates as (
      select b.id, 'phone' as same from users u join businesses b on b.phone = u.phone_number where u.id = ${userId}
      union
      select b.id, 'document' from businesses b where b.id = any(${withSameFile}::uuid[])
    )
    select b.id, b.legal_name, array_agg(c.same order by c.same) as same
    from candidates c join businesses b on b.id = c.id join merchants m on m.id = b.id
    where m.user_id <> ${userId}
    group by b.id, b.legal_name
    order by count(*) desc, b.id desc
    limit 20`)
}

/** Today's date in East Africa, as YYYY-MM-DD. */
export async function readToday(runner: Runner): Promise<string> {
  return runner.value<string>(sql`
    select to_char(clock_now() at time zone 'Africa/Dar_es_Salaam', 'YYYY-MM-DD') as today`)
}

/** Persons with their review, newest account first, one more than the limit. */
export async function listPersons(
  runner: Runner,
  wanted: { status: VerificationStatus | null; stage: string | null; search: Search },
  range: ListRange,
): Promise<Person[]> {
  const { text, pattern, id } = wanted.search
  return runner.rows<Person>(sql`
    select u.id, u.full_name, u.email, u.student_id, u.institution, u.created_at
    from users u join merchants m on m.id = u.id left join verifications v on v.merchant_id = u.id
    where (${wanted.status}::text is null or m.verification_status = ${wanted.status}::text)
      and (${wanted.stage}::text is null or coalesce(v.stage, 'draft') = ${wanted.stage}::text)
      and (${pattern}::text is null or ${holdsFolded(sql`u.full_name`, text)} or u.email ilike ${pattern}::text
        or u.student_id ilike ${pattern}::text or u.phone_number ilike ${pattern}::text or u.id = ${id}::uuid)
      ${newestFirst(range, sql`u`)}`)
}
