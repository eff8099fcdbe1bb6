/** Asks the owners of rules that are older than the limit of the day whether they want one. Invariant: by one mail, whatever restarts. */
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { takeUnasked } from './approval-rule.sql.ts'
import { mailOwners } from './mail-owners.ts'

const question = {
  kind: 'approval_total_asked',
  subject: 'Kikomo cha siku cha pesa zinazotoka · A limit of the day for money that leaves',
  sw: 'Kanuni yako ya idhini haina kikomo cha siku, kwa hiyo mtu anaweza kutuma kiasi kidogo mara nyingi bila idhini. Fungua Idhini kwenye dashibodi, kisha weka kikomo au thibitisha kuwa hukihitaji.',
  en: 'Your approval rule has no limit of the day, so many small payouts to different people can leave without approval. Open Approvals in the dashboard, and set a limit or confirm that you need none.',
  reason: null,
}

/** Returns how many it asked, at most `limit`. */
export async function askTotals(deps: { db: Db; sealer: Sealer }, limit: number): Promise<number> {
  return deps.db.tx(async (tx) => {
    const unasked = await takeUnasked(tx, limit)
    for (const { merchantId } of unasked) await mailOwners(deps, tx, merchantId, question)
    return unasked.length
  })
}
