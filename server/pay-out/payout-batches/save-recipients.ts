/** Saves the recipients of a batch in its wallet. Invariant: a recipient that was saved before keeps its name. */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { orNotFound } from '../../platform/refusal.ts'
import { insertUnknown } from '../recipients/recipient.sql.ts'
import { listRecipientsOf, lockBatch } from './batch.sql.ts'

/** Recipients in one statement. */
const savedAtOnce = 1_000

/** Returns how many are new. Rows with errors and removed rows are left out. Refuses an unknown batch with 404. */
export async function saveRecipients(
  deps: { db: Db },
  owner: Owner,
  id: string,
  { origin, confirm }: { origin: Origin; confirm(tx: Tx): Promise<unknown> },
): Promise<number> {
  return deps.db.tx(async (tx) => {
    await confirm(tx)
    const batch = orNotFound(await lockBatch(tx, owner, id))
    const recipients = await listRecipientsOf(tx, batch)
    let saved = 0
    for (let start = 0; start < recipients.length; start += savedAtOnce) {
      const some = recipients.slice(start, start + savedAtOnce)
      const made = some.map((recipient) => ({ id: newMoneyId(owner.merchant.home), ...recipient }))
      saved += await insertUnknown(tx, owner, made, origin.actor)
    }
    const { merchantId, environment } = batch
    const action = 'payout_batch.recipients_saved'
    await appendAudit(tx, origin, { action, object: toWire('pb', id), merchantId, after: { environment, saved } })
    return saved
  })
}
