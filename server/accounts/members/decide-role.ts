/** The decision about a new approver, admin or owner. Invariant: the requester may still give the role when it takes effect. */
import type { Origin } from '../../base/audit/audit.ts'
import type { Owner } from '../identity/merchant.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalidState, must } from '../../platform/refusal.ts'
import { findMembership } from './access.sql.ts'
import { findApproval } from './approval.sql.ts'
import { giveRole, type GiveRoleDeps } from './change-member.ts'
import { decideApproval, type ApprovalDecision, type Decided } from './decide-approval.ts'
import { permissionFor } from './invite-member.ts'
import { endInvitationAs } from './member.sql.ts'
import { lockBoth } from './new-power.ts'
import { isAllowed } from './permissions.ts'

/** Gives the role after the last approval. A refused invitation ends. */
export async function decideRole(
  deps: GiveRoleDeps & { db: Db },
  owner: Owner,
  { id, wireId }: { id: string; wireId: string },
  decision: ApprovalDecision,
  origin: Origin,
): Promise<Decided> {
  const memberId = must((await findApproval(deps.db, owner, id, []))?.memberId, 'what waits was found before, and names a member')
  return deps.db.tx(async (tx) => {
    const { merchant, member } = await lockBoth(tx, owner.merchant.id, memberId)
    return decideApproval(tx, owner, { id, wireId, kind: 'member_role' }, decision, origin, async (outcome, request) => {
      const role = request.newRole!
      if (outcome === 'refused') await endInvitationAs(tx, memberId, role)
      if (outcome !== 'approved') return
      const requester = await findMembership(tx, request.requestedByUser, merchant.id)
      if (!requester || !isAllowed(requester.role, permissionFor(role, member.role), 'live')) {
        throw invalidState(
          'The person who requested this role may no longer give it.',
          'Aliyeomba jukumu hili haruhusiwi tena kulitoa.',
        )
      }
      if (member.role !== role) await giveRole(deps, tx, merchant, member, role, origin)
    })
  })
}
