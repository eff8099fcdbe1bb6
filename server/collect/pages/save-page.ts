/** Creates and changes payment pages. A page is written only for a verified merchant, and only when its settings break no rule together. */
import type { ChangedBy } from '../../accounts/developers/owner-auth.ts'
import type { PageKind, PageType } from '../../domain/page.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { requireGoodStanding, type Owner } from '../../accounts/identity/merchant.ts'
import { openWallet } from '../../money/ledger/account.sql.ts'
import type { Db, Runner, Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { brokenFields, invalidFields, orNotFound, Refusal } from '../../platform/refusal.ts'
import { brokenRules, cellOfSlug, defaultSettings, randomSlug, type PageSettings, type PaymentPage } from './page.ts'
import { needsProof } from './redirect-host.ts'
import { findWebsite, listHosts } from './redirect-host.sql.ts'
import { hostOfReturnUrl, isReturnUrl } from './return-url.ts'
import { findPage, insertPage, takeSlug, updatePage } from './page.sql.ts'

export type SavePageDeps = { db: Db; config: Pick<Config, 'testWritesBeforeVerification' | 'mode' | 'pages' | 'cell'> }

/** `before` is the current address of the page: an address that was accepted under older rules stays. */
function refuseBroken({ config }: SavePageDeps, type: PageType, settings: PageSettings, before: string | null): void {
  const { redirectUrl } = settings
  if (redirectUrl !== null && redirectUrl !== before && !isReturnUrl(redirectUrl, config.mode)) {
    const message =
      'Use an https URL with a host name, without user name, spaces or control characters. No part of the host name may mix letters of several scripts.'
    throw invalidFields([{ field: 'redirect_url', code: 'invalid', message }])
  }
  const [first, ...others] = brokenRules(type, settings)
  if (first) throw brokenFields([first, ...others])
}

/**
 * Refuses an address at a host for which we have no evidence that it belongs to the merchant: neither proved nor the website of its
 * business. A page keeps its current host.
 */
async function refuseUnprovenHost(
  db: Runner,
  { config }: SavePageDeps,
  owner: Owner,
  redirectUrl: string | null,
  before: string | null,
): Promise<void> {
  if (redirectUrl === null || !needsProof(config.pages, owner.environment)) return
  const host = hostOfReturnUrl(redirectUrl, config.mode)
  if (before !== null && host === hostOfReturnUrl(before, config.mode)) return
  const { merchant } = owner
  const website = merchant.kind === 'business' ? await findWebsite(db, merchant.id) : undefined
  if (website && host === hostOfReturnUrl(website, config.mode)) return
  if ((await listHosts(db, owner)).some((one) => one.host === host && one.provedAt !== null)) return
  const message = 'Register this host first and prove that it is yours: POST /v1/merchant/redirect-hosts.'
  throw invalidFields([{ field: 'redirect_url', code: 'host_not_registered', message }])
}

/** Refuses settings of a new page that break a rule. */
export async function refuseBadSettings(deps: SavePageDeps, owner: Owner, type: PageType, settings: PageSettings): Promise<void> {
  refuseBroken(deps, type, settings, null)
  await refuseUnprovenHost(deps.db, deps, owner, settings.redirectUrl, null)
}

const slugTaken = (): Refusal =>
  new Refusal(409, 'slug_taken', 'This slug is taken. Choose another, or leave it out.', { param: 'slug' })

/** In a cell a chosen slug begins with its name, as a random one does: another cell could give the same slug to another merchant. */
function refuseSlugOfOtherCells(cell: string, slug: string): void {
  if (cell === '' || cellOfSlug(slug) === cell) return
  throw invalidFields([{ field: 'slug', code: 'invalid', message: `Begin it with ${cell}-, as in ${cell}-${slug}.` }])
}

/** Creates a page, and opens the owner's wallet if this is its first. A slug of the merchant's own that is taken: 409 `slug_taken`. */
export async function createPage(
  deps: SavePageDeps,
  owner: Owner,
  wanted: { type: PageType; slug?: string; kind?: PageKind } & Partial<PageSettings>,
  { confirm, person }: ChangedBy,
): Promise<PaymentPage> {
  const { type, slug, kind = 'page', ...given } = wanted
  if (slug !== undefined) refuseSlugOfOtherCells(deps.config.cell.name, slug)
  // The page for tests of a webhook is the service's own.
  if (kind === 'page') requireGoodStanding(owner, deps.config)
  const settings: PageSettings = { ...defaultSettings(type), ...given }
  await refuseBadSettings(deps, owner, type, settings)
  return deps.db.tx(async (tx) => {
    await confirm?.(tx)
    const page = await insertNewPage(deps, tx, owner, { type, kind, slug, ...settings })
    await auditPage(tx, owner, page, person, { action: 'payment_page.created', after: { environment: owner.environment } })
    return page
  })
}

async function auditPage(
  tx: Tx,
  { merchant }: Owner,
  page: PaymentPage,
  person: Origin | null,
  what: { action: string; after: Record<string, string | string[]> },
): Promise<void> {
  if (person) await appendAudit(tx, person, { ...what, object: toWire('page', page.id), merchantId: merchant.id })
}

/** The part of `createPage` inside the transaction: the caller has checked the settings and that the owner may create a page. */
export async function insertNewPage(
  { config }: { config: Pick<Config, 'cell'> },
  tx: Tx,
  owner: Owner,
  page: { type: PageType; kind: PageKind; slug?: string | undefined; merchantReference?: string | null } & PageSettings,
): Promise<PaymentPage> {
  const { merchant, environment } = owner
  await openWallet(tx, { merchantId: merchant.id, home: merchant.home, environment })
  const id = newMoneyId(merchant.home)
  for (;;) {
    const slug = page.slug ?? randomSlug(config.cell.name)
    if (await takeSlug(tx, owner, { id, slug })) {
      const made = await insertPage(tx, owner, { ...page, id, slug })
      if (made.expiresAt === null || made.expiresAt > made.createdAt) return made
      const message = 'The time is over. Choose a time in the future, or leave it out.'
      throw invalidFields([{ field: 'expires_at', code: 'invalid', message }])
    }
    // A random slug that is taken is drawn again; a slug of the merchant's own must be changed by the merchant.
    if (page.slug !== undefined) throw slugTaken()
  }
}

/** Changes some settings of a page of this owner. `person`: who does it by sign-in, for the audit log, which has no values: titles can name people. */
export async function changePage(
  deps: SavePageDeps,
  owner: Owner,
  by: { id: string } | { slug: string },
  changes: Partial<PageSettings>,
  { confirm, person }: ChangedBy,
): Promise<PaymentPage> {
  return deps.db.tx(async (tx) => {
    await confirm?.(tx)
    const page = orNotFound(await findPage(tx, owner, by, 'change'))
    const settings: PageSettings = { ...page, ...changes }
    refuseBroken(deps, page.type, settings, page.redirectUrl)
    await refuseUnprovenHost(tx, deps, owner, settings.redirectUrl, page.redirectUrl)
    const changed = await updatePage(tx, owner, page.id, settings)
    const after = { environment: owner.environment, settings: Object.keys(changes) }
    await auditPage(tx, owner, changed, person, { action: 'payment_page.changed', after })
    return changed
  })
}
