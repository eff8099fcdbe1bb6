/** What a person or a business can test with from its registration: one test app with one key, and one open test page. */
import { bySystem, type Origin } from '../../base/audit/audit.ts'
import { insertNewApp } from '../../accounts/developers/create-app.ts'
import { insertNewKey, type CreateKeyDeps } from '../../accounts/developers/create-key.ts'
import { scopes } from '../../domain/scope.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import type { Sandbox } from '../../accounts/identity/sandbox.ts'
import type { Tx } from '../../platform/db/db.ts'
import { must } from '../../platform/refusal.ts'
import { defaultSettings } from './page.ts'
import { insertNewPage } from './save-page.ts'

/**
 * Creates the sandbox of a new person or business in the transaction that registers it. The service does it, not the person: writing a
 * page needs a verification, which a new merchant does not have.
 */
export async function createSandbox(
  deps: CreateKeyDeps,
  tx: Tx,
  merchantId: string,
  { requestId, ip }: Pick<Origin, 'requestId' | 'ip'>,
): Promise<Sandbox> {
  const environment = 'test'
  const origin = { ...bySystem, requestId, ip }
  const merchant = must(await findMerchant(tx, merchantId), 'a sandbox is created in the transaction that inserts its merchant')
  const { userId } = merchant
  const title = 'Malipo ya majaribio / Test payment'
  const page = { ...defaultSettings('payment'), type: 'payment', kind: 'page', title, allowCustomAmount: true } as const
  const { slug } = await insertNewPage(deps, tx, { merchant, environment }, page)
  const app = await insertNewApp(tx, userId, { name: 'Test app', description: null, environment, merchantId }, origin)
  const wanted = { keyName: 'Test key', scopes: [...scopes], allowedIps: [], expiresAt: null }
  const maker = { userId, hasSecondFactor: false, accountWaitSeconds: 0, origin }
  const { value } = await insertNewKey(deps, tx, app, wanted, maker)
  return { appId: app.id, key: value, pageSlug: slug }
}
