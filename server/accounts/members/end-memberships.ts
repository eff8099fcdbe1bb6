/** Ends the memberships of a person who is being erased. Invariant: a business that has another owner goes on with that owner as its person. */
import type { AuditEntry, Origin } from '../../base/audit/audit.ts'
import { memberRoles } from '../../domain/member.ts'
import { setPersonOfMerchant } from '../identity/merchant.sql.ts'
import type { Merchant, RenewReview } from '../identity/merchant.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidCommand } from '../../platform/refusal.ts'
import { mayApprove, requireEnoughApprovers } from './approval-rule.ts'
import { withdrawRoleRequest } from './approval.sql.ts'
import { tellOwners } from './mail-owners.ts'
import { memberNotice } from './member-mails.ts'
import { endInvitationsBy, findOtherOwner, listMembershipsOf, markRemoved, removeOthers } from './member.sql.ts'

/** The merchants that are the person's alone, and the entries for the end of the transaction about those that they have left. */
export type EndedMemberships = { own: Merchant[]; entries: AuditEntry[] }

/**
 * `locked`: the merchants of `lockMerchantsOfMember`; the caller has locked the person, too. The members of a business without another owner
 * leave it with its person. Refuses with 409 `approvers_missing` while an approval rule needs the person.
 */
export async function endMemberships(
  deps: { sealer: Sealer; renewReview: RenewReview },
  tx: Tx,
  locked: readonly Merchant[],
  userId: string,
  origin: Origin,
): Promise<EndedMemberships> {
  const [own, entries]: [Merchant[], AuditEntry[]] = [[], []]
  for (const { id, merchantId, role } of await listMembershipsOf(tx, userId)) {
    const merchant = locked.find((one) => one.id === merchantId)
    if (!merchant) throw invalidCommand('The person has joined a business a moment ago. Repeat the command.')
    const isPerson = merchant.userId === userId
    const other = isPerson ? await findOtherOwner(tx, merchantId, userId) : undefined
    if (isPerson && other === undefined) {
      own.push(merchant)
      continue
    }
    if (other !== undefined) {
      await setPersonOfMerchant(tx, merchantId, other)
      await deps.renewReview(tx, merchantId, origin)
    }
    await markRemoved(tx, id, null)
    await withdrawRoleRequest(tx, merchant, id)
    await endInvitationsBy(tx, merchantId, userId, memberRoles)
    if (mayApprove(role))
      await requireEnoughApprovers(tx, merchant, {
        way: [
          `Before the erasure, an owner of ${merchant.displayName} invites another approver: docs/runbooks/approver-gone.md.`,
          `Kabla ya kufuta, mmiliki wa ${merchant.displayName} amwalike mwidhinishaji mwingine.`,
        ],
      })
    const change = role === 'owner' ? 'owner_removed' : 'member_removed'
    await tellOwners(deps, tx, merchantId, memberNotice(change, role, merchant.displayName))
    entries.push({ action: 'member.removed', object: toWire('mem', id), merchantId, before: { role } })
  }
  await removeOthers(
    tx,
    own.map(({ id }) => id),
    userId,
  )
  return { own, entries }
}
