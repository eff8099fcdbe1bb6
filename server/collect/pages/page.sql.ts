/** The statements on payment_pages and payment_page_slugs. Every read of a merchant's page takes its owner. */
import type { MerchantKind } from '../../domain/merchant.ts'
import type { ClosedState, PageKind, PageType } from '../../domain/page.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { merchantNameForPayers } from '../../accounts/identity/merchant.sql.ts'
import { seenBy } from '../../accounts/members/access.sql.ts'
import { sql, unplanned, type Runner, type Sql, type Tx } from '../../platform/db/db.ts'
import { holdsFolded } from '../../platform/db/holds-text.sql.ts'
import type { ListRange } from '../../platform/http/page.ts'
import { settingFields, type PageSettings, type PaymentPage } from './page.ts'
import { columnNames, columnValues, recordset } from '../../platform/db/recordset.ts'

const settingColumns = columnNames(settingFields)

const columns = sql`g.home, g.id, g.merchant_id, g.environment, g.type, g.kind, g.slug, ${settingColumns}, g.currency, g.paid_count,
  g.paid_total, g.merchant_reference, g.created_at, g.updated_at, g.suspended_at, g.suspension_reason`

/**
 * What keeps the slug of an erased page taken: a digest, because a slug may name a person. No slug of a page begins with a hyphen. The
 * digest has no key: a key that is replaced would free the slugs. Who guesses a slug learns only that an erased account had it, as everyone
 * does who asks for that slug; the row does not lead to the account.
 */
const keptSlug = (slug: Sql): Sql => sql`'-' || left(encode(sha256(${slug}::bytea), 'hex'), 58)`

/** Takes a slug for a page that the same transaction inserts; false if it is taken, or was the slug of an erased page. */
export async function takeSlug(tx: Tx, owner: Owner, page: { id: string; slug: string }): Promise<boolean> {
  const isFree = await tx.any(sql`
    insert into payment_page_slugs (slug, home, page_id) values (${page.slug}, ${owner.merchant.home}, ${page.id})
    on conflict (slug) do nothing
    returning slug`)
  // A statement of its own: it sees an erasure for which the first one has waited.
  const wasErased = sql`exists (select from payment_page_slugs where slug = ${keptSlug(sql`${page.slug}::text`)})`
  return isFree && !(await tx.any(sql`delete from payment_page_slugs where slug = ${page.slug} and ${wasErased} returning slug`))
}

/** Inserts the page; its slug has been taken. */
export async function insertPage(
  tx: Tx,
  owner: Owner,
  page: { id: string; type: PageType; kind: PageKind; slug: string; merchantReference?: string | null } & PageSettings,
): Promise<PaymentPage> {
  return tx.one<PaymentPage>(sql`
    insert into payment_pages as g (home, id, merchant_id, environment, type, slug, merchant_reference, kind, ${settingColumns})
    values (${owner.merchant.home}, ${page.id}, ${owner.merchant.id}, ${owner.environment}, ${page.type}, ${page.slug},
      ${page.merchantReference ?? null}, ${page.kind}, ${columnValues(settingFields, page)})
    returning ${columns}`)
}

/** One page of this owner by id or slug, on request locked for a change. Never a hidden page. */
export async function findPage(
  db: Runner,
  owner: Owner,
  by: { id: string } | { slug: string },
  lock: 'read' | 'change' = 'read',
): Promise<PaymentPage | undefined> {
  return db.maybeOne<PaymentPage>(sql`
    select ${columns} from payment_pages g
    where g.home = ${owner.merchant.home} and g.merchant_id = ${owner.merchant.id} and g.environment = ${owner.environment}
      and ${'id' in by ? sql`g.id = ${by.id}` : sql`g.id = (select s.page_id from payment_page_slugs s where s.slug = ${by.slug})`}
      and not g.is_hidden
    ${lock === 'change' ? sql`for no key update` : sql``}`)
}

export async function updatePage(tx: Tx, owner: Owner, id: string, page: PageSettings): Promise<PaymentPage> {
  return tx.one<PaymentPage>(sql`
    update payment_pages g
    set (${settingColumns}) = row(${columnValues(settingFields, page)}), updated_at = clock_now()
    where g.home = ${owner.merchant.home} and g.merchant_id = ${owner.merchant.id} and g.environment = ${owner.environment} and g.id = ${id}
    returning ${columns}`)
}

export async function listPages(db: Runner, owner: Owner, range: ListRange): Promise<PaymentPage[]> {
  const { after = null, createdFrom = null, createdTo = null } = range
  return db.rows<PaymentPage>(sql`
    select ${columns} from payment_pages g
    where g.home = ${owner.merchant.home} and g.merchant_id = ${owner.merchant.id} and g.environment = ${owner.environment}
      and not g.is_hidden and (${after?.createdAt ?? null}::timestamptz is null or (g.created_at, g.id) < (${after?.createdAt ?? null}::timestamptz, ${after?.id ?? null}::uuid))
      and (${createdFrom}::timestamptz is null or g.created_at >= ${createdFrom})
      and (${createdTo}::timestamptz is null or g.created_at < ${createdTo})
    order by g.created_at desc, g.id desc limit ${range.limit + 1}`)
}

/** Whether an owner has ever made a page in this environment; the page of the sandbox is as old as the account, and made by the service. */
export async function hasPages(db: Runner, { merchant, environment }: Owner): Promise<boolean> {
  return db.value<boolean>(sql`
    select exists (
      select from payment_pages g join merchants m on m.id = g.merchant_id
      where g.home = ${merchant.home} and g.merchant_id = ${merchant.id} and g.environment = ${environment}
        and not g.is_hidden and g.kind = 'page' and g.created_at > m.created_at
    ) as has_pages`)
}

const webhookTests = ({ merchant }: Owner): Sql =>
  sql`payment_pages where home = ${merchant.home} and merchant_id = ${merchant.id} and kind = 'webhook_tests'`

/** Whether a payment on this page is a taking: a payment that tests a webhook is not. True for a page that is null. */
export const isTaking = (owner: Owner, pageId: Sql): Sql =>
  sql`coalesce(${pageId} <> (select id from ${webhookTests(owner)}), true)`

export async function findWebhookTestSlug(db: Runner, owner: Owner): Promise<string | undefined> {
  return db.maybeValue<string>(sql`select slug from ${webhookTests(owner)}`)
}

/**
 * The newest pages with a text in their title or slug. Searches only the newest `among`, so that the cost is limited for a merchant that
 * makes a page for each invoice.
 */
export async function findPagesByText(
  db: Runner,
  owner: Owner,
  wanted: { text: string; among: number; limit: number },
): Promise<PaymentPage[]> {
  const { text, among, limit } = wanted
  return db.rows<PaymentPage>(sql`
    with g as materialized (
      select * from payment_pages p
      where p.home = ${owner.merchant.home} and p.merchant_id = ${owner.merchant.id} and p.environment = ${owner.environment} and not p.is_hidden
      order by p.created_at desc, p.id desc
      limit ${among}
    )
    select ${columns} from g
    where ${holdsFolded(sql`g.title`, text)} or strpos(g.slug, lower(${text})) > 0
    order by g.created_at desc, g.id desc
    limit ${limit}`)
}

/** Closes the page of a payment request. The caller holds its lock. */
export async function closePage(tx: Tx, key: { home: number; id: string }): Promise<void> {
  await tx.rows(sql`
    update payment_pages set active = false, updated_at = clock_now() where home = ${key.home} and id = ${key.id}`)
}

/** Any page, without a check of its owner. For operators. */
export async function findAnyPage(db: Runner, key: { home: number; id: string }): Promise<PaymentPage | undefined> {
  return db.maybeOne<PaymentPage>(sql`
    select ${columns} from payment_pages g where g.home = ${key.home} and g.id = ${key.id}`)
}

/** The same, locked until the transaction ends. */
export async function lockAnyPage(tx: Tx, key: { home: number; id: string }): Promise<PaymentPage | undefined> {
  return tx.maybeOne<PaymentPage>(sql`
    select ${columns} from payment_pages g where g.home = ${key.home} and g.id = ${key.id} for no key update`)
}

/** Suspends a page, or unsuspends it if the reason is null. The caller holds its lock. */
export async function setPageSuspension(tx: Tx, key: { home: number; id: string }, reason: string | null): Promise<PaymentPage> {
  return tx.one<PaymentPage>(sql`
    update payment_pages g set suspension_reason = ${reason}::text, updated_at = clock_now(),
      suspended_at = case when ${reason}::text is not null then coalesce(g.suspended_at, clock_now()) end
    where g.home = ${key.home} and g.id = ${key.id}
    returning ${columns}`)
}

/** Whether a page `g` takes a limited number of payments. */
const isLimited = sql`g.max_payments is not null`

/**
 * The state of a page `g` that is full. Compares only columns of its row: while a statement waits for the row, it does not see what others
 * store in other rows.
 */
const fullState = sql`case when g.paid_count + g.held_count >= g.max_payments then case g.kind when 'request' then 'busy' else 'sold_out' end end`

/** Why a limited page `g` that looked open has no place. A request that was cancelled a moment ago has none; other pages close for the next reader. */
export const noPlace = sql`case when g.kind = 'request' and not g.active then 'busy' else ${fullState} end as no_place`

/** A page with the data that a checkout needs, found by the slug in a payer's address bar. */
export type OpenPage = PaymentPage & {
  isPastExpiry: boolean
  isLimited: boolean
  fullState: ClosedState | null
  /** The page, or its merchant: then the payments that its servers make in test go on, because a developer repairs with them. */
  isSuspended: boolean
  /** Null: no reviewer has seen it, and payers read another one. */
  merchantName: string | null
  merchantKind: MerchantKind
  merchantStatus: string
}

const openColumns = sql`${columns}, coalesce(g.expires_at <= clock_now(), false) as is_past_expiry, ${isLimited} as is_limited, ${fullState} as full_state, ${merchantNameForPayers(sql`g.environment`)},
  m.kind as merchant_kind, m.verification_status as merchant_status,
  g.suspended_at is not null or (m.suspended_at is not null and (g.environment = 'live' or g.kind in ('page', 'request'))) as is_suspended`

/** Pages by slug, in the order of the input; undefined for an unknown slug. */
export async function findOpenPages(db: Runner, slugs: string[]): Promise<(OpenPage | undefined)[]> {
  const rows = await db.rows<OpenPage & { asked: string }>(sql`
    select s.slug as asked, ${openColumns}
    from payment_page_slugs s
    join payment_pages g on g.home = s.home and g.id = s.page_id
    join merchants m on m.id = g.merchant_id
    where s.slug = any(${unplanned(slugs, 'text')})`)
  // A suspended page does not show the owner's own text about why it is closed.
  const bySlug = new Map(rows.map((row) => [row.asked, row.isSuspended ? { ...row, inactiveMessage: null } : row]))
  return slugs.map((slug) => bySlug.get(slug))
}

/** The page of an owner's payment request, if the caller sees that request. */
export async function findRequestPage(db: Runner, owner: Owner, id: string): Promise<OpenPage | undefined> {
  return db.maybeOne<OpenPage>(sql`
    select ${openColumns}
    from payment_pages g
    join merchants m on m.id = g.merchant_id
    where g.home = ${owner.merchant.home} and g.merchant_id = ${owner.merchant.id} and g.environment = ${owner.environment}
      and g.id = ${id} and g.is_hidden and g.kind = 'request' ${seenBy(owner, sql`g.created_at`)}`)
}

/** The page of the payments that an owner's servers make; undefined before the first one. */
export async function findDirectPage(db: Runner, { merchant, environment }: Owner): Promise<OpenPage | undefined> {
  return db.maybeOne<OpenPage>(sql`
    select ${openColumns}
    from payment_pages g
    join merchants m on m.id = g.merchant_id
    where g.home = ${merchant.home} and g.merchant_id = ${merchant.id} and g.environment = ${environment} and g.kind = 'direct'`)
}

/**
 * Common table expressions that count payments on their pages, for the statement that settles them. `changes` is a query with the columns
 * `home, page_id, paid, total, released`. A statement that reads `counting_pages` before other rows locks the pages before them. Pages are locked in (home, id) order.
 */
export const countPayments = (changes: Sql): Sql => sql`
  page_changes as (${changes}),
  counting_pages as materialized (
    select g.home, g.id
    from (select home, page_id from page_changes where paid > 0 or released > 0 order by home, page_id) n
    cross join lateral (select g.home, g.id from payment_pages g where g.home = n.home and g.id = n.page_id for no key update) g
  ),
  counted_pages as (
    update payment_pages g
    set paid_count = g.paid_count + n.paid, paid_total = g.paid_total + n.total, held_count = g.held_count - n.released
    from page_changes n
    -- Looking at the locked pages first keeps the order of locks; joining them would be a second, slower way to the same rows.
    where g.home = n.home and g.id = n.page_id and (n.paid > 0 or n.released > 0) and (select count(*) from counting_pages) > 0
  )`

/**
 * Reserves a place for a payment that is about to be sent, or says why there is none. A page without a limit needs no reservation. The
 * caller has locked the payment.
 */
export async function takePlace(tx: Tx, page: { home: number; id: string }): Promise<'taken' | 'unlimited' | ClosedState> {
  const [limited] = await tx.rows<{ noPlace: ClosedState | null }>(sql`
    with limited as materialized (
      select home, id, ${noPlace} from payment_pages g where home = ${page.home} and id = ${page.id} and ${isLimited} for no key update
    ),
    taken as (
      update payment_pages g set held_count = g.held_count + 1 from limited l where l.no_place is null and g.home = l.home and g.id = l.id
    )
    select no_place from limited`)
  if (!limited) return 'unlimited'
  return limited.noPlace ?? 'taken'
}

const keyColumns = { home: 'smallint', id: 'uuid' } as const

const erasedTexts = sql`title = 'Erased', description = null, inactive_message = null, redirect_url = null, success_message = null,
  metadata = '{}', merchant_reference = null, updated_at = clock_now()`

/** Erases what the merchant wrote about an order, which may name the customer. */
export async function eraseTextsOf(tx: Tx, pages: { home: number; id: string }[]): Promise<void> {
  await tx.rows(sql`
    update payment_pages g set ${erasedTexts} from ${recordset(pages, 'm', keyColumns)} where g.home = m.home and g.id = m.id`)
}

/** Closes the pages of these merchants and erases their texts. Printed addresses then lead nowhere, and stay taken. */
export async function erasePages(tx: Tx, merchants: { home: number; id: string }[]): Promise<void> {
  await tx.rows(sql`
    with erased as (
      update payment_pages g set ${erasedTexts}, custom_fields = '[]', active = false,
        slug = 'erased-' || substr(md5(gen_random_uuid()::text), 1, 24),
        suspension_reason = case when g.suspended_at is not null then 'Erased.' end
      from ${recordset(merchants, 'm', keyColumns)}
      where g.home = m.home and g.merchant_id = m.id
      returning g.home, g.id, g.slug
    ),
    kept as (
      insert into payment_page_slugs (slug, home, page_id)
      select ${keptSlug(sql`s.slug`)}, 0, '00000000-0000-0000-0000-000000000000'
      from erased e join payment_page_slugs s on s.home = e.home and s.page_id = e.id
    )
    update payment_page_slugs s set slug = e.slug from erased e where s.home = e.home and s.page_id = e.id`)
}
