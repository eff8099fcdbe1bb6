/** The page that an address names, for requests from anywhere. Invariant: the time of an answer does not tell a page that exists from one that does not. */
import { networkOf, type Limit } from '../../platform/http/limits.ts'
import type { OpenPage } from './page.sql.ts'

export type PublicPageDeps = {
  readPage(slug: string): Promise<OpenPage | undefined>
  limits: Record<'unknownPage', Limit>
}

/** A network that has asked for many pages that do not exist waits first, whether this one exists or not. Refuses with 429 while too many of its requests wait. */
export async function findPublicPage(
  { readPage, limits }: PublicPageDeps,
  slug: string,
  ip: string,
): Promise<OpenPage | undefined> {
  const network = networkOf(ip)
  await limits.unknownPage.delay(network)
  const page = await readPage(slug)
  if (!page) await limits.unknownPage.note(network)
  return page
}
