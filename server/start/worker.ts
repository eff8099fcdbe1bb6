/** The worker process: one line for each job. Any number of workers may run; rows that one has taken, another leaves alone. */
import type { RunKind } from '../domain/reconciliation.ts'
import { logAuditHead } from '../base/audit/audit.ts'
import { followClock } from '../operations/clock/follow-clock.ts'
import type { Dependencies } from './dependencies.ts'
import { closeDay } from '../assurance/invariants/close-days.ts'
import { createHeadWriter } from '../assurance/invariants/heads.ts'
import { walkBooks } from '../assurance/invariants/walk-books.ts'
import { watchBooks } from '../assurance/invariants/watch-books.ts'
import { startMails } from '../base/mail/send-mails.ts'
import { watchNetworks } from '../money/controls/watch-networks.ts'
import { sumDay } from '../views/merchant-account/sum-days.ts'
import { checkCharges } from '../collect/payments/check-charges.ts'
import { answerPaidSince, askProviders } from '../collect/support-cases/ask-providers.ts'
import { recheckEnded } from '../collect/payments/recheck-ended.ts'
import { countPaid } from '../collect/payments/pace.sql.ts'
import { countBehind } from '../collect/customers/count-customers.ts'
import { sweepInbox } from '../assurance/provider-webhooks/receive-message.ts'
import { watchMessages } from '../assurance/provider-webhooks/watch-messages.ts'
import { endUnapproved } from '../pay-out/approvals/end-unapproved.ts'
import { askTotals } from '../accounts/members/ask-totals.ts'
import { checkPayouts } from '../pay-out/payouts/send-payout.ts'
import { createBatchSender } from '../pay-out/payouts/send-batch-payouts.ts'
import { finishBatches } from '../pay-out/payout-batches/finish-batches.sql.ts'
import { quoteFees } from '../pay-out/payout-batches/quote-fees.ts'
import { steadyClock } from '../platform/clock.ts'
import { startLoop, type Loop } from '../platform/process/loop.ts'
import { createReconciler } from '../assurance/reconciliation/reconcile.ts'
import { stepEveryMs } from '../assurance/reconciliation/run.ts'
import { repayReceivables } from '../money/ledger/repay-receivables.ts'
import { notifyOfBatches, notifyOfPayments, notifyOfPayouts } from '../views/notifications/notify-owners.ts'
import { mailStatements } from '../views/notifications/mail-statements.ts'
import { sweepReceipts } from '../views/notifications/sweep-receipts.ts'
import { pruneExpiredRows } from '../operations/data-lifecycle/prune-expired-rows.ts'
import { startDeliveries } from '../merchants/webhooks/deliver-webhooks.ts'
import { disableFailing } from '../merchants/webhooks/disable-failing.ts'
import { createEventSweep } from '../merchants/webhooks/sweep-events.ts'
import { watchBacklog } from '../merchants/webhooks/watch-backlog.ts'

export type Worker = {
  /** Finishes the work in flight. A delivery that still runs after `withinMs` is left to its lease. */
  stop(withinMs?: number): Promise<void>
}

const chargesAtOnce = 50
const rechecksAtOnce = 10
const casesAtOnce = 20
const repaidAtOnce = 50
const payoutsAtOnce = 20
const unapprovedAtOnce = 50
const askedAtOnce = 50
const batchPayoutsAtOnce = 10
const quotedBatchesAtOnce = 1
const finishedBatchesAtOnce = 20
const messagesAtOnce = 100
const paidAtOnce = 1_000
const payoutNoticesAtOnce = 50
const receiptsAtOnce = 200
const statementsAtOnce = 50
const customerCountsAtOnce = 5
const networksPauseSeconds = 10

export function startWorker(deps: Dependencies): Worker {
  const { log, meters, db } = deps
  /** Runs `work` every `pauseMs`, and again at once after it has answered true. */
  const every = (pauseMs: number, name: string, work: () => Promise<unknown>): Loop =>
    startLoop({ name, pauseMs, log, meters, round: async () => (await work()) === true })
  /** Processes up to `size` items every `pauseMs`, and again at once after a full batch. */
  const batches = (pauseMs: number, name: string, size: number, work: (size: number) => Promise<number>): Loop =>
    startLoop({ name, pauseMs, log, meters, round: async () => (await work(size)) === size })
  const reconciler = createReconciler(deps)
  // One step, then a pause: this limits the rate of queries to a provider.
  const reconcile = (kind: RunKind): Loop =>
    every(stepEveryMs, `reconciliation/${kind}`, async () => void (await reconciler.step(kind)))
  const batchSender = createBatchSender(deps, { clock: steadyClock, isSent: false })
  const batchChecker = createBatchSender(deps, { clock: steadyClock, isSent: true })
  const networksPauseMs = networksPauseSeconds * 1000

  const jobs = [
    every(300_000, 'audit/log-head', () => logAuditHead(deps)),
    every(5_000, 'clock/follow-clock', () => followClock(deps)),
    every(networksPauseMs, 'controls/watch-networks', () => watchNetworks(deps, networksPauseSeconds - 1)),
    batches(1_000, 'payments/check-charges', chargesAtOnce, (size) => checkCharges(deps, size)),
    batches(2_000, 'payments/recheck-ended', rechecksAtOnce, (size) => recheckEnded(deps, size)),
    batches(1_000, 'support-cases/ask-providers', casesAtOnce, (size) => askProviders(deps, size)),
    batches(2_000, 'support-cases/answer-paid-since', casesAtOnce, (size) => answerPaidSince(deps, size)),
    batches(2_000, 'notifications/sweep-receipts', receiptsAtOnce, (size) => sweepReceipts(deps, size)),
    batches(1_000, 'payouts/check-payouts', payoutsAtOnce, (size) => checkPayouts(deps, size)),
    batches(2_000, 'approvals/end-unapproved', unapprovedAtOnce, (size) => endUnapproved(deps, size)),
    batches(600_000, 'members/ask-totals', askedAtOnce, (size) => askTotals(deps, size)),
    batches(1_000, 'payouts/send-batch-payouts', batchPayoutsAtOnce, (size) => batchSender.round(size)),
    batches(1_000, 'payouts/check-batch-payouts', batchPayoutsAtOnce, (size) => batchChecker.round(size)),
    batches(1_000, 'payout-batches/quote-fees', quotedBatchesAtOnce, (size) => quoteFees(deps, size)),
    batches(1_000, 'payout-batches/finish-batches', finishedBatchesAtOnce, (size) => finishBatches(deps, size)),
    batches(1_000, 'ledger/repay-receivables', repaidAtOnce, (size) => repayReceivables(deps, size)),
    batches(2_000, 'provider-webhooks/sweep-inbox', messagesAtOnce, (size) => sweepInbox(deps, size)),
    batches(5_000, 'payments/count-paid', paidAtOnce, (size) => countPaid(db, size)),
    batches(5_000, 'customers/count-behind', customerCountsAtOnce, (size) => countBehind(deps, size)),
    every(10_000, 'notifications/notify-of-payments', () => notifyOfPayments(deps)),
    batches(5_000, 'notifications/notify-of-payouts', payoutNoticesAtOnce, (size) => notifyOfPayouts(deps, size)),
    batches(5_000, 'notifications/notify-of-batches', payoutNoticesAtOnce, (size) => notifyOfBatches(deps, size)),
    // Not more at once: receipts share the way out of bulk mail.
    every(5_000, 'notifications/mail-statements', async () => void (await mailStatements(deps, statementsAtOnce))),
    every(300_000, 'invariants/watch-books', async () => void (await watchBooks(deps))),
    // Reads for half of the time at most.
    every(5_000, 'invariants/walk-books', async () => void (await walkBooks(deps, { budgetMs: 5_000 }))),
    every(300_000, 'invariants/write-head', createHeadWriter(deps)),
    every(60_000, 'data-lifecycle/keep-periods', () => pruneExpiredRows(deps)),
    every(600_000, 'invariants/close-days', () => closeDay(deps)),
    every(60_000, 'merchant-account/sum-days', () => sumDay(deps)),
    every(15_000, 'reconciliation/plan', () => reconciler.plan()),
    reconcile('recent'),
    reconcile('late'),
    reconcile('daily'),
    reconcile('weekly'),
    reconcile('balance'),
    every(60_000, 'webhooks/disable-failing', () => disableFailing(deps)),
    every(60_000, 'provider-webhooks/watch-messages', () => watchMessages(deps)),
    every(30_000, 'webhooks/watch-backlog', () => watchBacklog(deps)),
    every(600_000, 'webhooks/sweep-events', createEventSweep(deps)),
  ]
  const mails = startMails(deps)
  const deliveries = startDeliveries(deps)
  deps.notifications.on('webhooks_due', () => deliveries.wake())
  deps.notifications.on('mails_due', () => mails.wake())
  return {
    async stop(withinMs) {
      await Promise.all([...jobs.map((job) => job.stop()), mails.stop(), deliveries.stop(withinMs)])
    },
  }
}
