/** The worker process: one line for each job. Any number of workers may run; rows that one has taken, another leaves alone. */
import { logAuditHead } from './audit/log-head.ts'
import { followClock } from './clock/follow-clock.ts'
import type { Dependencies } from './dependencies.ts'
import { closeDay } from './invariants/close-days.ts'
import { writeHead } from './invariants/heads.ts'
import { walkBooks } from './invariants/walk-books.ts'
import { watchBooks } from './invariants/watch-books.ts'
import { mailsAtOnce } from './mail/mailer.ts'
import { sendMails } from './mail/send-mails.ts'
import { watchNetworks } from './controls/watch-networks.ts'
import { checkCharges } from './payments/check-charges.ts'
import { recheckEnded } from './payments/recheck-ended.ts'
import { countPaid } from './payments/pace.sql.ts'
import { sweepInbox } from './provider-webhooks/receive-message.ts'
import { watchMessages } from './provider-webhooks/watch-messages.ts'
import { checkPayouts } from './payouts/send-payout.ts'
import { startLoop } from './platform/process/loop.ts'
import { createReconciler } from './reconciliation/reconcile.ts'
import { stepEveryMs, type RunKind } from './reconciliation/run.ts'
import { repayReceivables } from './ledger/repay-receivables.ts'
import { notifyOfPayments, notifyOfPayouts } from './notifications/notify-owners.ts'
import { sweepReceipts } from './notifications/sweep-receipts.ts'
import { keepPeriods } from './data-lifecycle/keep-periods.ts'
import { startDeliveries } from './webhooks/deliver-webhooks.ts'
import { disableFailing } from './webhooks/disable-failing.ts'
import { createEventSweep } from './webhooks/sweep-events.ts'
import { watchBacklog } from './webhooks/watch-backlog.ts'

export type Worker = {
  /** Finishes what is in hand; a delivery that still hangs after `withinMs` is left to its lease. */
  stop(withinMs?: number): Promise<void>
}

const chargesAtOnce = 50
const rechecksAtOnce = 10
const repaidAtOnce = 50
const payoutsAtOnce = 20
const messagesAtOnce = 100
const paidAtOnce = 1_000
const payoutsToldAtOnce = 50
const receiptsAtOnce = 200
const networksPauseSeconds = 10

export function startWorker(deps: Dependencies): Worker {
  const { log } = deps
  const mails = startLoop({
    name: 'mail/send-mails',
    pauseMs: 5_000,
    log,
    round: async () => (await sendMails(deps, mailsAtOnce)) === mailsAtOnce,
  })
  const reconciler = createReconciler(deps)
  // One step, then a pause: so fast is a provider asked for its books, and no faster.
  const reconcile = (kind: RunKind) =>
    startLoop({
      name: `reconciliation/${kind}`,
      pauseMs: stepEveryMs,
      log,
      async round() {
        await reconciler.step(kind)
        return false
      },
    })
  const jobs = [
    mails,
    startLoop({
      name: 'audit/log-head',
      pauseMs: 300_000,
      log,
      async round() {
        await logAuditHead(deps)
        return false
      },
    }),
    startLoop({
      name: 'clock/follow-clock',
      pauseMs: 5_000,
      log,
      async round() {
        await followClock(deps)
        return false
      },
    }),
    startLoop({
      name: 'controls/watch-networks',
      pauseMs: networksPauseSeconds * 1000,
      log,
      async round() {
        await watchNetworks(deps, networksPauseSeconds - 1)
        return false
      },
    }),
    startLoop({
      name: 'payments/check-charges',
      pauseMs: 1_000,
      log,
      round: async () => (await checkCharges(deps, chargesAtOnce)) === chargesAtOnce,
    }),
    startLoop({
      name: 'payments/recheck-ended',
      pauseMs: 2_000,
      log,
      round: async () => (await recheckEnded(deps, rechecksAtOnce)) === rechecksAtOnce,
    }),
    startLoop({
      name: 'notifications/sweep-receipts',
      pauseMs: 2_000,
      log,
      round: async () => (await sweepReceipts(deps, receiptsAtOnce)) === receiptsAtOnce,
    }),
    startLoop({
      name: 'payouts/check-payouts',
      pauseMs: 1_000,
      log,
      round: async () => (await checkPayouts(deps, payoutsAtOnce)) === payoutsAtOnce,
    }),
    startLoop({
      name: 'ledger/repay-receivables',
      pauseMs: 1_000,
      log,
      round: async () => (await repayReceivables(deps, repaidAtOnce)) === repaidAtOnce,
    }),
    startLoop({
      name: 'provider-webhooks/sweep-inbox',
      pauseMs: 2_000,
      log,
      round: async () => (await sweepInbox(deps, messagesAtOnce)) === messagesAtOnce,
    }),
    startLoop({
      name: 'payments/count-paid',
      pauseMs: 5_000,
      log,
      round: async () => (await countPaid(deps.db, paidAtOnce)) === paidAtOnce,
    }),
    startLoop({ name: 'notifications/notify-of-payments', pauseMs: 10_000, log, round: () => notifyOfPayments(deps) }),
    startLoop({
      name: 'notifications/notify-of-payouts',
      pauseMs: 5_000,
      log,
      round: async () => (await notifyOfPayouts(deps, payoutsToldAtOnce)) === payoutsToldAtOnce,
    }),
    startLoop({
      name: 'invariants/watch-books',
      pauseMs: 300_000,
      log,
      async round() {
        await watchBooks(deps)
        return false
      },
    }),
    startLoop({
      name: 'invariants/walk-books',
      // Reads for half of the time at most.
      pauseMs: 5_000,
      log,
      async round() {
        await walkBooks(deps, { budgetMs: 5_000 })
        return false
      },
    }),
    startLoop({
      name: 'invariants/write-head',
      pauseMs: 300_000,
      log,
      async round() {
        await writeHead(deps)
        return false
      },
    }),
    startLoop({ name: 'data-lifecycle/keep-periods', pauseMs: 60_000, log, round: () => keepPeriods(deps) }),
    startLoop({ name: 'invariants/close-days', pauseMs: 600_000, log, round: () => closeDay(deps) }),
    startLoop({
      name: 'reconciliation/plan',
      pauseMs: 15_000,
      log,
      async round() {
        await reconciler.plan()
        return false
      },
    }),
    reconcile('recent'),
    reconcile('late'),
    reconcile('daily'),
    startLoop({
      name: 'webhooks/disable-failing',
      pauseMs: 60_000,
      log,
      async round() {
        await disableFailing(deps)
        return false
      },
    }),
    startLoop({
      name: 'provider-webhooks/watch-messages',
      pauseMs: 60_000,
      log,
      async round() {
        await watchMessages(deps)
        return false
      },
    }),
    startLoop({
      name: 'webhooks/watch-backlog',
      pauseMs: 30_000,
      log,
      async round() {
        await watchBacklog(deps)
        return false
      },
    }),
    startLoop({ name: 'webhooks/sweep-events', pauseMs: 600_000, log, round: createEventSweep(deps) }),
  ]
  const deliveries = startDeliveries(deps)
  deps.notifications.on('webhooks_due', () => deliveries.wake())
  deps.notifications.on('mails_due', () => mails.wake())
  return {
    async stop(withinMs) {
      await Promise.all([...jobs.map((job) => job.stop()), deliveries.stop(withinMs)])
    },
  }
}
