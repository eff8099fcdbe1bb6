/** Ends what no one can approve any more: it was not approved in time, or the person who requested it was removed. */
import type { Db } from '../platform/db/db.ts'
import type { Log } from '../platform/process/log.ts'
import { endApproval, listEnded, lockApproval, type ApprovalRequest } from '../members/approval.sql.ts'
import { requestingRoles } from '../members/decide-approval.ts'
import { outcomeOfEnd } from '../members/end-approval.ts'
import { endUnapprovedBatch } from '../payout-batches/approve-batch.ts'
import { endUnapprovedPayout } from '../payouts/approve-payout.ts'

type Deps = { db: Db; log: Log }

/** A change of the rule that no one approved leaves the rule as it is. */
async function endRuleChange({ db }: Deps, request: ApprovalRequest): Promise<void> {
  await db.tx(async (tx) => {
    const now = await lockApproval(tx, request, requestingRoles(request, true))
    const ended = now && outcomeOfEnd(now)
    if (ended) await endApproval(tx, request, ended.status)
  })
}

/** Returns how many it found, at most `limit`. One that fails does not stop the others. */
export async function endUnapproved(deps: Deps, limit: number): Promise<number> {
  const money = await listEnded(deps.db, ['payout', 'refund'], requestingRoles({ environment: 'live' }, false), limit)
  const batches = await listEnded(deps.db, ['payout_batch'], requestingRoles({ environment: 'live' }, false), limit)
  const changes = await listEnded(deps.db, ['rule_change'], requestingRoles({ environment: 'live' }, true), limit)
  const work = [
    ...money.map((request) => () => endUnapprovedPayout(deps, request)),
    ...batches.map((request) => () => endUnapprovedBatch(deps, request)),
    ...changes.map((request) => () => endRuleChange(deps, request)),
  ]
  for (const end of work) await end().catch((error: unknown) => deps.log.error('approval.end_failed', error))
  return Math.min(work.length, limit)
}
