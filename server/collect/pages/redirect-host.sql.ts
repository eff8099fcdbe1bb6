/** The statements on redirect_hosts, and those that find pages with links to unregistered hosts. */
import type { Owner } from '../../accounts/identity/merchant.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import type { RedirectHost } from './redirect-host.ts'

const columns = sql`host, token, proved_by, proved_at, created_at`

const ofOwner = ({ merchant, environment }: Owner) => sql`merchant_id = ${merchant.id} and environment = ${environment}`

export async function listHosts(db: Runner, owner: Owner): Promise<RedirectHost[]> {
  return db.rows<RedirectHost>(sql`select ${columns} from redirect_hosts where ${ofOwner(owner)} order by host`)
}

/** The website of a business, from its verification or its application; null if it has none. */
export async function findWebsite(db: Runner, businessId: string): Promise<string | null> {
  const [row] = await db.rows<{ website: string | null }>(sql`select website from businesses where id = ${businessId}`)
  return row?.website ?? null
}

/** Adds a host, or leaves an existing one unchanged. */
export async function insertHost(db: Runner, owner: Owner, host: { host: string; token: string }): Promise<RedirectHost> {
  await db.rows(sql`
    insert into redirect_hosts (merchant_id, environment, host, token)
    values (${owner.merchant.id}, ${owner.environment}, ${host.host}, ${host.token}) on conflict do nothing`)
  return db.one<RedirectHost>(sql`select ${columns} from redirect_hosts where ${ofOwner(owner)} and host = ${host.host}`)
}

/** Undefined if the host was removed or proved in the meantime. */
export async function markProved(
  tx: Tx,
  owner: Owner,
  { host, token }: RedirectHost,
  provedBy: RedirectHost['provedBy'],
): Promise<RedirectHost | undefined> {
  return tx.maybeOne<RedirectHost>(sql`
    update redirect_hosts set proved_by = ${provedBy}, proved_at = clock_now()
    where ${ofOwner(owner)} and host = ${host} and token = ${token} and proved_at is null
    returning ${columns}`)
}

export async function deleteHost(tx: Tx, owner: Owner, host: string): Promise<boolean> {
  return tx.any(sql`delete from redirect_hosts where ${ofOwner(owner)} and host = ${host} returning host`)
}

export async function deleteHostsOf(tx: Tx, merchantIds: string[]): Promise<void> {
  await tx.rows(sql`delete from redirect_hosts where merchant_id = any(${merchantIds}::uuid[])`)
}

export type StrayPage = { slug: string; merchantId: string; merchantName: string; host: string }

/** Live pages that send payers to a host that their merchant has neither proved nor named as the website of its business. */
export async function listStrayPages(db: Runner, limit: number): Promise<StrayPage[]> {
  return db.rows<StrayPage>(sql`
    select g.slug, m.id as merchant_id, m.display_name as merchant_name, u.host
    from payment_pages g
    join merchants m on m.id = g.merchant_id
    left join businesses b on b.id = m.id
    cross join lateral (select lower(substring(g.redirect_url from '^https?://([^/?#]+)')) as host) u
    where g.environment = 'live' and g.redirect_url is not null and g.active
      and u.host is distinct from lower(substring(b.website from '^https?://([^/?#]+)'))
      and not exists (
        select from redirect_hosts h
        where h.merchant_id = g.merchant_id and h.environment = 'live' and h.host = u.host and h.proved_at is not null)
    order by m.id, g.slug limit ${limit}`)
}
