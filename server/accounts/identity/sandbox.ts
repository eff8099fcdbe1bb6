/** What a new merchant can test with at once: a test app with its key, and a test page. Invariant: the key is shown once. */
import { z } from 'zod'
import type { Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'

export type Sandbox = { appId: string; key: string; pageSlug: string }

/** Creates the sandbox in the transaction that registers its merchant; apps and pages belong to folders above this one. */
export type CreateSandbox = (tx: Tx, merchantId: string, request: Pick<Origin, 'requestId' | 'ip'>) => Promise<Sandbox>

export const sandboxSchema = z
  .object({
    app_id: z.string().meta({ description: 'A test app.', example: 'app_01jz8e6c9kf0x9v4m2n7q5t3ab' }),
    key: z.string().meta({ description: 'A test key of this app with every scope. It is shown only once: store it safely.' }),
    page_slug: z.string().meta({ description: 'A test page that takes any amount from TSh 500.', example: '7k3m9x2p' }),
    page_url: z.string().meta({ description: 'The page on which payers pay.' }),
  })
  .meta({ id: 'Sandbox' })

export function sandboxToJson(
  { appId, key, pageSlug }: Sandbox,
  urls: Pick<Config['urls'], 'checkout'>,
): z.infer<typeof sandboxSchema> {
  return { app_id: toWire('app', appId), key, page_slug: pageSlug, page_url: `${urls.checkout}/pay/${pageSlug}` }
}
