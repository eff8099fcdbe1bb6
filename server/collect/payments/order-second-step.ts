/**
 * Lets an operator decide whether checkouts of one page, one merchant, or all need a confirmation. Invariant: each order is written to
 * the audit log in the same transaction.
 */
import type { OnOff } from '../../domain/switch.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import { removeOrder, setOrder } from './pace.sql.ts'

/** `auto` withdraws the order: the pace decides again. `name`: the name of the subject in the audit log. */
export async function orderSecondStep(
  db: Db,
  { subject, name, mode, reason }: { subject: string; name: string; mode: OnOff | 'auto'; reason: string },
  origin: Origin,
): Promise<void> {
  await db.tx(async (tx) => {
    const before =
      mode === 'auto'
        ? await removeOrder(tx, subject)
        : await setOrder(tx, { subject, name, mode, reason, orderedBy: origin.actor })
    await appendAudit(tx, origin, {
      action: 'second_step.ordered',
      object: name,
      before: { mode: before ?? 'auto' },
      after: { mode, reason },
    })
  })
}
