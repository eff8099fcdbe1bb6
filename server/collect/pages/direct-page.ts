/** The hidden page of the payments that an owner's servers make: one for each wallet, made at the first such payment. */
import type { Config } from '../../config/config.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { violates, type Db } from '../../platform/db/db.ts'
import { must } from '../../platform/refusal.ts'
import { defaultSettings, hiddenSlugLength, randomSlug } from './page.ts'
import { findDirectPage, type OpenPage } from './page.sql.ts'
import { insertNewPage } from './save-page.ts'

const settings = { ...defaultSettings('payment'), title: 'Direct payments', allowCustomAmount: true }

/** Finds or makes the page. Makes no rule about who may take payments: the checkout asks the state of the page. */
export async function ensureDirectPage(deps: { db: Db; config: Pick<Config, 'cell'> }, owner: Owner): Promise<OpenPage> {
  const found = await findDirectPage(deps.db, owner)
  if (found) return found
  try {
    await deps.db.tx(async (tx) => {
      const slug = randomSlug(deps.config.cell.name, hiddenSlugLength)
      await insertNewPage(deps, tx, owner, { type: 'payment', kind: 'direct', slug, ...settings })
    })
  } catch (error) {
    // A concurrent request has just made it.
    if (!violates(error, 'payment_pages_one_direct')) throw error
  }
  return must(await findDirectPage(deps.db, owner), 'the page is there once one request has made it')
}
