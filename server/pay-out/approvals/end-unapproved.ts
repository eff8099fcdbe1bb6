/** Ends what no one can approve any more: it was not approved in time, or the person who requested it was removed. */
import { lockMerchant } from '../../accounts/identity/merchant.sql.ts'
import type { Db } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { must } from '../../platform/refusal.ts'
import { endApproval, listEnded, lockApproval, type ApprovalRequest } from '../../accounts/members/approval.sql.ts'
import { requestingRoles } from '../../accounts/members/decide-approval.ts'
import { outcomeOfEnd } from '../../accounts/members/end-approval.ts'
import { endInvitationAs } from '../../accounts/members/member.sql.ts'
import { endUnapprovedBatch } from '../payout-batches/approve-batch.ts'
import { endUnapprovedPayout } from '../payouts/approve-payout.ts'
import { canEnd } from '../payouts/payout.sql.ts'

type Deps = { db: Db; log: Log }

const live = { environment: 'live' } as const

/** A change of the rule that no one approved leaves the rule as it is, and a role that of the member; an invitation ends. */
async function endPowerRequest({ db }: Deps, request: ApprovalRequest): Promise<void> {
  await db.tx(async (tx) => {
    if (request.memberId) await lockMerchant(tx, request.merchantId)
    const now = must(await lockApproval(tx, request, requestingRoles(request, request.kind)), 'what was requested stays')
    const ended = outcomeOfEnd(now)
    // Someone has decided, or another process has ended it, since it was listed.
    if (!ended) return
    await endApproval(tx, request, ended.status)
    if (now.memberId) await endInvitationAs(tx, now.memberId, now.newRole!)
  })
}

/** Returns how many are done, at most `limit`: those that have to wait, or fail, are tried again after the pause, and do not stop the others. */
export async function endUnapproved(deps: Deps, limit: number): Promise<number> {
  const money = await listEnded(deps.db, ['payout', 'refund'], requestingRoles(live, 'payout'), limit, canEnd)
  const batches = await listEnded(deps.db, ['payout_batch'], requestingRoles(live, 'payout_batch'), limit)
  const changes = await listEnded(deps.db, ['rule_change'], requestingRoles(live, 'rule_change'), limit)
  const roles = await listEnded(deps.db, ['member_role'], requestingRoles(live, 'member_role'), limit)
  const work = [
    ...money.map((request) => () => endUnapprovedPayout(deps, request)),
    ...batches.map((request) => () => endUnapprovedBatch(deps, request)),
    ...[...changes, ...roles].map((request) => () => endPowerRequest(deps, request)),
  ]
  let done = 0
  for (const end of work) {
    try {
      if ((await end()) !== false) done += 1
    } catch (error) {
      deps.log.error('approval.end_failed', error)
    }
  }
  return Math.min(done, limit)
}
