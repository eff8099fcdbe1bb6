/**
 * What a stranger may have left in an account that they registered with the address of another. Invariant: after the owner of the address
 * has proved it, the stranger can neither act for the account nor learn what happens in it.
 */
import type { Origin } from '../../base/audit/audit.ts'
import { memberRoles } from '../../domain/member.ts'
import { lockAppsOf } from '../../accounts/developers/app.sql.ts'
import { endApp } from '../../accounts/developers/delete-app.ts'
import { lockMerchantsOfUser } from '../../accounts/identity/merchant.sql.ts'
import { deletePreferencesOf } from '../../accounts/identity/notification.sql.ts'
import { endInvitationsBy } from '../../accounts/members/member.sql.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Tx } from '../../platform/db/db.ts'
import { wasEverVerified } from './person.sql.ts'

/**
 * Ends the apps of the account, with their keys and webhooks, its open invitations, and its choice of mails. Ends nothing, and returns
 * false, for a person who was ever verified: reviewers know who that is, and the account may have money.
 */
export async function endLeftovers(deps: { sealer: Sealer }, tx: Tx, userId: string, origin: Origin): Promise<boolean> {
  const merchants = await lockMerchantsOfUser(tx, userId)
  if (await wasEverVerified(tx, userId)) return false
  for (const { id } of merchants) await endInvitationsBy(tx, id, userId, memberRoles)
  for (const app of await lockAppsOf(tx, userId, userId)) await endApp(deps, tx, app, origin)
  await deletePreferencesOf(tx, userId)
  return true
}
