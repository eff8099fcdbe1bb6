/** The pages of the addresses that payers open, read together: the addresses of one moment are one statement. */
import { blockedAfterMs, createBatch } from '../../platform/db/batch.ts'
import type { Runner } from '../../platform/db/db.ts'
import { slugShape } from './page.ts'
import { findOpenPages, type OpenPage } from './page.sql.ts'

export type PageReader = {
  readPage(slug: string): Promise<OpenPage | undefined>
  /** The same, and also the page of payments that a server makes, which no payer can open. */
  readPageOfPayment(slug: string): Promise<OpenPage | undefined>
}

export function createPageReader(db: Runner): PageReader {
  const readPages = createBatch({ run: (slugs: string[]) => findOpenPages(db, slugs), shedAfterMs: blockedAfterMs })
  // A text that cannot be a slug never reaches a statement that other requests share.
  const readPageOfPayment = async (slug: string): Promise<OpenPage | undefined> =>
    slugShape.test(slug) ? readPages(slug) : undefined
  return {
    async readPage(slug) {
      const page = await readPageOfPayment(slug)
      return page?.kind === 'direct' ? undefined : page
    },
    readPageOfPayment,
  }
}
