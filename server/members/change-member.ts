/**
 * Changes the role of a member, and removes one. Invariant: a business keeps an owner, who is its person; after the answer, no transaction
 * of a removed member commits; and whatever waits for approval still finds enough people who may approve.
 */
import { appendAudit, type Origin } from '../audit/audit.ts'
import type { MemberRole } from '../domain/member.ts'
import type { WhoActs } from '../identity/authenticate.ts'
import { lockMerchant, setPersonOfMerchant } from '../identity/merchant.sql.ts'
import type { Merchant } from '../identity/merchant.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import type { Db, Tx } from '../platform/db/db.ts'
import { toWire } from '../platform/ids.ts'
import { assert, invalidState, notFound } from '../platform/refusal.ts'
import { confirmAccess } from './access.ts'
import { requireVerifiedPerson } from './accept-invitation.ts'
import { requireEnoughApprovers } from './approval-rule.ts'
import { dropVotesOf } from './approval.sql.ts'
import { confirmManager } from './invite-member.ts'
import { mailOwners } from './mail-owners.ts'
import { memberChangeMail } from './member-mails.ts'
import { findMember, findOtherOwner, lockMember, markRemoved, setRole } from './member.sql.ts'
import type { Member } from './member.ts'
import { isAllowed } from './permissions.ts'

type Deps = { db: Db; sealer: Sealer }

export type RemoveMemberDeps = Deps & {
  /** Removes, in the transaction of the removal, what other folders keep for the member in this merchant. */
  onMemberRemoved(tx: Tx, left: { userId: string; merchantId: string }): Promise<void>
}

/** The merchant, locked against other changes of its members, and the member. Refuses an unknown one with 404. */
async function lockBoth(tx: Tx, merchantId: string, id: string): Promise<{ merchant: Merchant; member: Member }> {
  const merchant = await lockMerchant(tx, merchantId)
  const member = await lockMember(tx, merchantId, id)
  if (!merchant || !member) throw notFound()
  return { merchant, member }
}

/** An owner stops being one: another owner becomes the person of the business if they were. */
async function handOver(tx: Tx, merchant: Merchant, userId: string): Promise<void> {
  const other = await findOtherOwner(tx, merchant.id, userId)
  if (other === undefined) throw invalidState('A business needs an owner. Make another member an owner first.')
  if (merchant.userId === userId) await setPersonOfMerchant(tx, merchant.id, other)
}

/** Refuses with 404 an unknown member, with 403 `insufficient_role`, with 409 the last owner and `approvers_missing`. */
export async function changeRole(
  deps: Deps,
  { id: merchantId }: Pick<Merchant, 'id'>,
  id: string,
  role: MemberRole,
  who: WhoActs,
  origin: Origin,
): Promise<Member> {
  return deps.db.tx(async (tx) => {
    const { merchant, member } = await lockBoth(tx, merchantId, id)
    await confirmManager(tx, who, merchant, role, member.role)
    if (member.role === role) return member
    if (member.userId !== null) {
      if (role === 'owner') await requireVerifiedPerson(tx, member.userId)
      if (member.role === 'owner') await handOver(tx, merchant, member.userId)
    }
    await setRole(tx, id, role)
    if (member.userId !== null && !isAllowed(role, 'payouts.approve', 'live')) await dropVotesOf(tx, merchant, member.userId)
    await requireEnoughApprovers(tx, merchant)
    if (member.userId !== null) {
      const change = role === 'owner' ? 'owner_added' : member.role === 'owner' ? 'owner_removed' : 'member_role_changed'
      await mailOwners(deps, tx, merchantId, memberChangeMail(change, role, merchant.displayName))
    }
    const changed = await findMember(tx, merchantId, id)
    assert(changed, 'a member does not vanish')
    await appendAudit(tx, origin, {
      action: 'member.role_changed',
      object: toWire('mem', id),
      merchantId,
      before: { role: member.role },
      after: { role },
    })
    return changed
  })
}

/** Removes a member or cancels an invitation; a person may leave by themselves. Refuses as `changeRole` does. */
export async function removeMember(
  deps: RemoveMemberDeps,
  { id: merchantId }: Pick<Merchant, 'id'>,
  id: string,
  who: WhoActs,
  origin: Origin,
): Promise<Member> {
  return deps.db.tx(async (tx) => {
    const { merchant, member } = await lockBoth(tx, merchantId, id)
    const isLeaving = member.userId === who.userId
    if (isLeaving) await confirmAccess(tx, who, { merchant, environment: 'live' }, 'profile.read')
    else await confirmManager(tx, who, merchant, member.role)
    if (member.userId !== null && member.role === 'owner') await handOver(tx, merchant, member.userId)
    await markRemoved(tx, id, who.userId)
    if (member.userId !== null) {
      await dropVotesOf(tx, merchant, member.userId)
      await deps.onMemberRemoved(tx, { userId: member.userId, merchantId })
    }
    await requireEnoughApprovers(tx, merchant)
    if (member.userId !== null) {
      const change = member.role === 'owner' ? 'owner_removed' : 'member_removed'
      await mailOwners(deps, tx, merchantId, memberChangeMail(change, member.role, merchant.displayName))
    }
    await appendAudit(tx, origin, {
      action: member.userId === null ? 'member.invitation_cancelled' : isLeaving ? 'member.left' : 'member.removed',
      object: toWire('mem', id),
      merchantId,
      before: { role: member.role },
    })
    return { ...member, status: 'removed' }
  })
}
