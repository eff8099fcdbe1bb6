/**
 * Changes the role of a member, and removes one. Invariant: a business keeps an owner, who is its person; after the answer, no transaction
 * of a removed member commits; and whatever waits for approval still finds enough people who may approve.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import { enqueueMail } from '../../base/mail/mail.ts'
import type { Deed } from '../../base/audit/audit.sql.ts'
import { memberRoles, type MemberRole } from '../../domain/member.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { setPersonOfMerchant } from '../identity/merchant.sql.ts'
import type { Merchant, RenewReview } from '../identity/merchant.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, must } from '../../platform/refusal.ts'
import { confirmAccess } from './access.ts'
import { requireVerifiedPerson } from './accept-invitation.ts'
import { mayApprove, replaceThem, replaceYourself, requireEnoughApprovers } from './approval-rule.ts'
import { dropVotesOf, withdrawRoleRequest } from './approval.sql.ts'
import { askForRole, type RoleRequestDeps } from './ask-role.ts'
import { confirmManager, permissionFor } from './invite-member.ts'
import { leftBehindNotice, listLeftBehind } from './left-behind.ts'
import { tellOwners } from './mail-owners.ts'
import { memberNotice, ownRoleMail } from './member-mails.ts'
import { endInvitationsBy, findMember, findOtherOwner, markRemoved, setRole } from './member.sql.ts'
import type { Member } from './member.ts'
import { lockBoth, waitWithPower, type PowerWaitDeps } from './new-power.ts'
import { isAllowed } from './permissions.ts'

type Deps = {
  db: Db
  sealer: Sealer
  renewReview: RenewReview
  /** Asks, in the transaction, about what a person has given who may do less now. `role`: undefined after a removal. */
  onRightsLost(tx: Tx, lost: { userId: string; merchantId: string; role: MemberRole | undefined }): Promise<void>
}

export type RemoveMemberDeps = Deps & {
  /** Removes, in the transaction of the removal, what other folders keep for the member in this merchant. */
  onMemberRemoved(tx: Tx, left: { userId: string; merchantId: string }): Promise<void>
}

/** An owner stops being one: another owner becomes the person of the business if they were. */
async function handOver(
  deps: Pick<Deps, 'renewReview'>,
  tx: Tx,
  merchant: Merchant,
  userId: string,
  origin: Origin,
): Promise<void> {
  const other = await findOtherOwner(tx, merchant.id, userId)
  if (other === undefined)
    throw invalidState(
      'A business needs an owner. Make another member an owner first.',
      'Biashara lazima iwe na mmiliki. Mfanye mwanachama mwingine kuwa mmiliki kwanza.',
    )
  if (merchant.userId !== userId) return
  await setPersonOfMerchant(tx, merchant.id, other)
  await deps.renewReview(tx, merchant.id, origin)
}

export type GiveRoleDeps = Pick<Deps, 'sealer' | 'onRightsLost' | 'renewReview'> & PowerWaitDeps

/** Gives a member or an invitation another role, which others have approved where they must; the caller has locked both. */
export async function giveRole(
  deps: GiveRoleDeps,
  tx: Tx,
  merchant: Merchant,
  member: Member,
  role: MemberRole,
  origin: Origin,
): Promise<void> {
  const { id, userId, role: before } = member
  if (userId !== null) {
    if (role === 'owner') await requireVerifiedPerson(tx, userId)
    if (before === 'owner') await handOver(deps, tx, merchant, userId, origin)
  }
  await setRole(tx, id, role)
  if (userId !== null) {
    await waitWithPower(deps, tx, id, before, role)
    // An invitation ends with the right to make it.
    const lost = memberRoles.filter((one) => !isAllowed(role, permissionFor(one), 'live'))
    await endInvitationsBy(tx, merchant.id, userId, lost)
    if (!mayApprove(role)) await dropVotesOf(tx, merchant, userId)
    if (mayApprove(before) && !mayApprove(role)) await requireEnoughApprovers(tx, merchant, { way: replaceThem })
  }
  if (userId !== null) {
    const change = role === 'owner' ? 'owner_added' : before === 'owner' ? 'owner_removed' : 'member_role_changed'
    await tellOwners(deps, tx, merchant.id, memberNotice(change, role, merchant.displayName))
    // The owners are read after the change: a person who is no owner any more is told by this mail.
    await enqueueMail(deps, tx, ownRoleMail(member, role, merchant.displayName))
    await deps.onRightsLost(tx, { userId, merchantId: merchant.id, role })
  }
  await appendAudit(tx, origin, {
    action: 'member.role_changed',
    object: toWire('mem', id),
    merchantId: merchant.id,
    before: { role: before },
    after: { role },
  })
}

/**
 * Refuses with 404 an unknown member, with 403 `insufficient_role`, with 409 the last owner and `approvers_missing`. A role that others must
 * approve is not given yet: the member has `pending_role`.
 */
export async function changeRole(
  deps: Deps & PowerWaitDeps & RoleRequestDeps,
  { id: merchantId }: Pick<Merchant, 'id'>,
  id: string,
  role: MemberRole,
  who: WhoActs,
  origin: Origin,
): Promise<Member> {
  return deps.db.tx(async (tx) => {
    const { merchant, member } = await lockBoth(tx, merchantId, id)
    await confirmManager(tx, who, merchant, role, member.role)
    await withdrawRoleRequest(tx, merchant, id)
    if (member.role !== role && !(await askForRole(deps, tx, merchant, member, role, who, origin)))
      await giveRole(deps, tx, merchant, member, role, origin)
    return must(await findMember(tx, merchantId, id), 'a member does not vanish')
  })
}

/**
 * Removes a member or cancels an invitation; a person may leave by themselves. Their invitations end, and what else they have made is
 * returned. Refuses as `changeRole` does.
 */
export async function removeMember(
  deps: RemoveMemberDeps,
  { id: merchantId }: Pick<Merchant, 'id'>,
  id: string,
  who: WhoActs,
  origin: Origin,
): Promise<{ member: Member; invitationsEnded: number; leftBehind: Deed[] }> {
  return deps.db.tx(async (tx) => {
    const { merchant, member } = await lockBoth(tx, merchantId, id)
    const isLeaving = member.userId === who.userId
    if (isLeaving) await confirmAccess(tx, who, { merchant, environment: 'live' }, 'profile.read')
    else await confirmManager(tx, who, merchant, member.role)
    if (member.userId !== null && member.role === 'owner') await handOver(deps, tx, merchant, member.userId, origin)
    await markRemoved(tx, id, who.userId)
    await withdrawRoleRequest(tx, merchant, id)
    let [invitationsEnded, leftBehind]: [number, Deed[]] = [0, []]
    if (member.userId !== null) {
      invitationsEnded = await endInvitationsBy(tx, merchantId, member.userId, memberRoles)
      leftBehind = await listLeftBehind(tx, merchantId, member.userId)
      await dropVotesOf(tx, merchant, member.userId)
      // While an approver is disabled there are too few already: other members can still be removed.
      if (mayApprove(member.role)) await requireEnoughApprovers(tx, merchant, { way: isLeaving ? replaceYourself : replaceThem })
      await deps.onMemberRemoved(tx, { userId: member.userId, merchantId })
      await deps.onRightsLost(tx, { userId: member.userId, merchantId, role: undefined })
    }
    if (member.userId !== null) {
      const change = member.role === 'owner' ? 'owner_removed' : 'member_removed'
      await tellOwners(deps, tx, merchantId, memberNotice(change, member.role, merchant.displayName))
      await enqueueMail(deps, tx, ownRoleMail(member, undefined, merchant.displayName))
      if (leftBehind.length > 0) await tellOwners(deps, tx, merchantId, leftBehindNotice(leftBehind))
    }
    await appendAudit(tx, origin, {
      action: member.userId === null ? 'member.invitation_cancelled' : isLeaving ? 'member.left' : 'member.removed',
      object: toWire('mem', id),
      merchantId,
      before: { role: member.role },
      ...(invitationsEnded > 0 && { after: { invitations_ended: invitationsEnded } }),
    })
    return { member: { ...member, status: 'removed' }, invitationsEnded, leftBehind }
  })
}
