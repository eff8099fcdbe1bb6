/**
 * Detects that the database's clock was set back, as after a failover to a server that is behind, and moves leases and schedules
 * back with it. Without this, work would wait until the old time is reached again, and the age of sent requests would be
 * underestimated.
 */
import { moveCaseTimes } from '../../collect/support-cases/support-case.sql.ts'
import { moveUploadTimes } from '../../merchants/documents/document.sql.ts'
import { moveNotifiedTime } from '../../accounts/identity/notification.sql.ts'
import { moveCursorTimes } from '../../assurance/invariants/check-cursor.sql.ts'
import { removeFutureSpans } from '../../assurance/invariants/sealed-span.sql.ts'
import { moveApprovalTimes } from '../../accounts/members/approval.sql.ts'
import { moveMailTimes } from '../../base/mail/mail.sql.ts'
import { moveNetworkTimes } from '../../money/controls/network.sql.ts'
import { moveMessageTimes } from '../../money/providers/inbox.sql.ts'
import { moveChargeTimes } from '../../collect/payments/payment.sql.ts'
import { moveBatchTimes } from '../../pay-out/payout-batches/batch.sql.ts'
import { movePayoutTimes } from '../../pay-out/payouts/payout.sql.ts'
import { advanceMark, lockMark, setMark, stepSeconds } from '../../platform/db/clock-mark.sql.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { moveStatementDays } from '../../views/notifications/statement-schedule.sql.ts'
import { moveRunTimes } from '../../assurance/reconciliation/run.sql.ts'
import { moveTurnTimes } from '../data-lifecycle/turn.sql.ts'
import { moveDeliveryTimes } from '../../merchants/webhooks/delivery.sql.ts'

const markEverySeconds = 4

/** Times that could delay or repeat money come first. */
const moves: readonly ((tx: Tx, seconds: number) => Promise<void>)[] = [
  movePayoutTimes,
  moveBatchTimes,
  moveChargeTimes,
  moveMessageTimes,
  moveDeliveryTimes,
  moveRunTimes,
  moveApprovalTimes,
  moveMailTimes,
  moveUploadTimes,
  moveNetworkTimes,
  moveNotifiedTime,
  moveStatementDays,
  moveTurnTimes,
  moveCursorTimes,
  removeFutureSpans,
  moveCaseTimes,
]

/**
 * One check. All times move in one transaction with the mark, so that each moves once; if it fails, the next check moves them by
 * the remaining difference.
 */
export async function followClock({ db, log }: { db: Db; log: Log }): Promise<void> {
  if (await advanceMark(db, markEverySeconds)) return
  const seconds = await db.tx(async (tx) => {
    const behind = await lockMark(tx)
    // Another worker was first.
    if (behind <= stepSeconds) return 0
    for (const move of moves) await move(tx, behind)
    await setMark(tx)
    return behind
  })
  if (seconds > 0) {
    log.error('clock.set_back', new Error('clock_set_back'), { alert: true, seconds: Math.round(seconds) })
  }
}
