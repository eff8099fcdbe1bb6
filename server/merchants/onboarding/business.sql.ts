/** The only statements on `businesses`. A business is read with its merchant's status and with the status of its representative. */
import type { MemberRole } from '../../domain/member.ts'
import { joinMember } from '../../accounts/members/access.sql.ts'
import { sql, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { holdsFolded } from '../../platform/db/holds-text.sql.ts'
import { newestFirst } from '../../platform/http/list-range.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { Search } from './search-people.ts'
import type { DuplicateBusiness } from './review.ts'
import type { Business, BusinessFacts } from './business.ts'

const columns = sql`
  b.id, b.legal_name, b.trading_name, b.business_type, b.registration_number, b.tax_identification_number, b.country, b.address,
  b.city, b.region, b.website, b.phone, b.email, b.representative_role, b.representative_student_id, b.created_at, b.updated_at,
  m.verification_status as status, m.suspended_at, m.suspension_reason, m.user_id as representative_user_id, p.verification_status as representative_kyc_status,
  u.full_name as representative_name`

// A person's own merchant has the person's id.
const tables = sql`businesses b join merchants m on m.id = b.id join merchants p on p.id = m.user_id join users u on u.id = m.user_id`

/** The columns of the facts, and their values in the same order. */
const factColumns = sql`legal_name, trading_name, business_type, registration_number, tax_identification_number, country, address, city, region,
  website, phone, email, representative_role`

function factValues(facts: BusinessFacts): Sql {
  return sql`${facts.legalName}, ${facts.tradingName}, ${facts.businessType}, ${facts.registrationNumber},
    ${facts.taxIdentificationNumber}, ${facts.country}, ${facts.address}, ${facts.city}, ${facts.region}, ${facts.website},
    ${facts.phone}, ${facts.email}, ${facts.representativeRole}`
}

export async function insertBusiness(
  tx: Tx,
  business: BusinessFacts & { id: string; representativeStudentId: string | null },
): Promise<void> {
  await tx.rows(sql`
    insert into businesses (id, representative_student_id, ${factColumns})
    values (${business.id}, ${business.representativeStudentId}, ${factValues(business)})`)
}

export async function updateBusiness(tx: Tx, id: string, facts: BusinessFacts): Promise<void> {
  await tx.rows(sql`
    update businesses set (${factColumns}) = row(${factValues(facts)}), updated_at = clock_now() where id = ${id}`)
}

/** Any business: the caller has already checked that it may be read. */
export async function findBusiness(runner: Runner, id: string): Promise<Business | undefined> {
  return runner.maybeOne<Business>(sql`select ${columns} from ${tables} where b.id = ${id}`)
}

/** The businesses in which a user has one of these roles, newest first, one more than the limit. */
export async function listOfMember(runner: Runner, userId: string, roles: MemberRole[], range: ListRange): Promise<Business[]> {
  return runner.rows<Business>(sql`
    select ${columns} from ${tables} ${joinMember(userId, sql`b.id`)}
    where x.role = any(${roles}::text[])
      ${newestFirst(range, sql`b`)}`)
}

export type WantedCases = { status: string | null; stage: string | null; search: Search }

/** All businesses for reviewers, newest first, one more than the limit. `search` is part of a name, number or address, or a whole id. */
export async function listCases(runner: Runner, wanted: WantedCases, range: ListRange): Promise<Business[]> {
  const { text, pattern, id } = wanted.search
  return runner.rows<Business>(sql`
    select ${columns} from ${tables} left join verifications v on v.merchant_id = b.id
    where (${wanted.status}::text is null or m.verification_status = ${wanted.status}::text)
      and (${wanted.stage}::text is null or coalesce(v.stage, 'draft') = ${wanted.stage}::text)
      and (${pattern}::text is null or ${holdsFolded(sql`b.legal_name`, text)} or ${holdsFolded(sql`b.trading_name`, text)}
        or b.registration_number ilike ${pattern}::text or b.tax_identification_number ilike ${pattern}::text
        or b.email ilike ${pattern}::text or b.phone ilike ${pattern}::text or u.email ilike ${pattern}::text
        or b.id = ${id}::uuid or m.user_id = ${id}::uuid)
      ${newestFirst(range, sql`b`)}`)
}

/** Other businesses that share a number with this one, or have the same file; the most shared values come first. */
export async function findDuplicates(runner: Runner, id: string, withSameFile: string[]): Promise<DuplicateBusiness[]> {
  return runner.rows<DuplicateBusiness>(sql`
    with candidates as (
      select o.id, 'registration_number' as same from businesses b join businesses o on o.registration_number = b.registration_number
      where b.id = ${id} and o.registration_number <> ''
      union
      select o.id, 'tax_identification_number' from businesses b
      join businesses o on o.tax_identification_number = b.tax_identification_number
      where b.id = ${id}
      union
      select o.id, 'phone' from businesses b join businesses o on o.phone = b.phone where b.id = ${id}
      union
      select o.id, 'document' from businesses o where o.id = any(${withSameFile}::uuid[])
    )
    select o.id, o.legal_name, array_agg(c.same order by c.same) as same
    from candidates c join businesses o on o.id = c.id
    where o.id <> ${id}
    group by o.id, o.legal_name
    order by count(*) desc, o.id desc
    limit 20`)
}

/** Replaces the names and contact data of these businesses with a pseudonym. Country, type and region stay: they identify no person. */
export async function pseudonymiseBusinesses(tx: Tx, ids: string[], pseudonym: string): Promise<void> {
  await tx.rows(sql`
    update businesses set legal_name = ${pseudonym}, trading_name = null, registration_number = ${pseudonym}, tax_identification_number = null,
      address = ${pseudonym}, city = ${pseudonym}, website = null, phone = ${pseudonym}, email = ${`${pseudonym}@erased.invalid`},
      representative_role = ${pseudonym}, representative_student_id = null, updated_at = clock_now()
    where id = any(${ids}::uuid[])`)
}
