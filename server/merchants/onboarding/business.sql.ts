/** The only statements on `businesses`. A business is read with its merchant's status and with the status of its representative. */
import type { MemberRole } from '../../domain/member.ts'
import { joinMember } from '../../accounts/members/access.sql.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { ListRange } from '../../platform/http/page.ts'
import type { Search } from './search-people.ts'
import type { DuplicateBusiness } from './review.ts'
import type { Business, BusinessFacts } from './business.ts'

const columns = sql`
  b.id, b.legal_name, b.trading_name, b.business_type, b.registration_number, b.tax_identification_number, b.country, b.address,
  b.city, b.region, b.website, b.phone, b.email, b.representative_role, b.representative_student_id, b.created_at, b.updated_at,
  m.verification_status as status, m.suspended_at, m.suspension_reason, m.user_id as representative_user_id, p.verification_status as representative_kyc_status`

// A person's own merchant has the person's id.
const tables = sql`businesses b join merchants m on m.id = b.id join merchants p on p.id = m.user_id`

export async function insertBusiness(
  tx: Tx,
  business: BusinessFacts & { id: string; representativeStudentId: string | null },
): Promise<void> {
  await tx.rows(sql`
    insert into businesses (id, legal_name, trading_name, business_type, registration_number, tax_identification_number, country,
      address, city, region, website, phone, email, representative_role, representative_student_id)
    values (${business.id}, ${business.legalName}, ${business.tradingName}, ${business.businessType},
      ${business.registrationNumber}, ${business.taxIdentificationNumber}, ${business.country}, ${business.address},
      ${business.city}, ${business.region}, ${business.website}, ${business.phone}, ${business.email},
      ${business.representativeRole}, ${business.representativeStudentId})`)
}

export async function updateBusiness(tx: Tx, id: string, facts: BusinessFacts): Promise<void> {
  await tx.rows(sql`
    update businesses set legal_name = ${facts.legalName}, trading_name = ${facts.tradingName},
      business_type = ${facts.businessType}, registration_number = ${facts.registrationNumber},
      tax_identification_number = ${facts.taxIdentificationNumber}, country = ${facts.country}, address = ${facts.address},
      city = ${facts.city}, region = ${facts.region}, website = ${facts.website}, phone = ${facts.phone}, email = ${facts.email},
      representative_role = ${facts.representativeRole}, updated_at = clock_now()
    where id = ${id}`)
}

/** Any business: the caller has already checked that it may be read. */
export async function findBusiness(runner: Runner, id: string): Promise<Business | undefined> {
  const [business] = await runner.rows<Business>(sql`select ${columns} from ${tables} where b.id = ${id}`)
  return business
}

/** The businesses in which a user has one of these roles, newest first, one more than the limit. */
export async function listOfMember(runner: Runner, userId: string, roles: MemberRole[], range: ListRange): Promise<Business[]> {
  const { after, createdFrom = null, createdTo = null, limit } = range
  return runner.rows<Business>(sql`
    select ${columns} from ${tables} ${joinMember(userId, sql`b.id`)}
    where x.role = any(${roles}::text[])
      and (${createdFrom}::timestamptz is null or b.created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or b.created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (b.created_at, b.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by b.created_at desc, b.id desc
    limit ${limit + 1}`)
}

export type WantedCases = { status: string | null; stage: string | null; search: Search }

/** All businesses for reviewers, newest first, one more than the limit. `search` is part of a name, number or address, or a whole id. */
export async function listCases(runner: Runner, wanted: WantedCases, range: ListRange): Promise<Business[]> {
  const { after, createdFrom = null, createdTo = null, limit } = range
  const { pattern, id } = wanted.search
  return runner.rows<Business>(sql`
    select ${columns} from ${tables} join users u on u.id = m.user_id left join verifications v on v.merchant_id = b.id
    where (${wanted.status}::text is null or m.verification_status = ${wanted.status}::text)
      and (${wanted.stage}::text is null or coalesce(v.stage, 'draft') = ${wanted.stage}::text)
      and (${pattern}::text is null or b.legal_name ilike ${pattern}::text or b.trading_name ilike ${pattern}::text
        or b.registration_number ilike ${pattern}::text or b.tax_identification_number ilike ${pattern}::text
        or b.email ilike ${pattern}::text or b.phone ilike ${pattern}::text or u.email ilike ${pattern}::text
        or b.id = ${id}::uuid or m.user_id = ${id}::uuid)
      and (${createdFrom}::timestamptz is null or b.created_at >= ${createdFrom}::timestamptz)
      and (${createdTo}::timestamptz is null or b.created_at < ${createdTo}::timestamptz)
      ${after ? sql`and (b.created_at, b.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql``}
    order by b.created_at desc, b.id desc
    limit ${limit + 1}`)
}

/** Other businesses that share a number with this one, or have the same file; the most shared values come first. */
export async function findDuplicates(runner: Runner, id: string, withSameFile: string[]): Promise<DuplicateBusiness[]> {
  return runner.rows<DuplicateBusiness>(sql`
    with candidates as (
      select o.id, 'registration_number' as same from businesses b join businesses o on o.registration_number = b.registration_number
      where b.id = ${id} and b.registration_number <> ''
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
