/**
 * The only path from a provider's message to a payment, for every source: its answer to our call, its webhook, our poll. Invariant: a
 * payment is credited at most once, and only for a proven success with the same amount, currency and reference.
 */
import type { Finding } from '../../money/breaks/break.ts'
import { openBreak } from '../../money/breaks/break.sql.ts'
import { reportFoundMoney } from './found-money.ts'
import { settleFound } from './settle-found.ts'
import { createBatch } from '../../platform/db/batch.ts'
import { databaseErrorCode, uniqueViolation, type Db } from '../../platform/db/db.ts'
import { newMoneyId, toWire } from '../../platform/ids.ts'
import { createIsolatingBatch } from '../../platform/db/isolating-batch.ts'
import { retryWhileLocked } from '../../platform/db/lock-retry.ts'
import type { Log } from '../../platform/process/log.ts'
import { notify, type News, webhooksDue } from '../../platform/db/notify.sql.ts'
import type { ChargeSnapshot } from '../../money/providers/provider.ts'
import type { PromptSeconds } from './end-checks.sql.ts'
import { findRecordOwner, freeEarlierCharge } from './record-owner.sql.ts'
import { holdDifferingMoney, reportUnconfirmed, settleInboxOf } from './hold-money.sql.ts'
import { applySettlements, type Settled } from './settle.sql.ts'
import { namesAnother, type Settlement } from './settlement.ts'

export type Settle = (item: Settlement) => Promise<Settled>

/** The provider's reference of the charge, if what was learned names it. */
function referenceOf({ learned }: Settlement): string | null {
  if (learned.kind === 'provider_record') return learned.snapshot.reference
  return learned.kind === 'outcome_unknown' ? learned.reference : null
}

/** A success with an amount in TZS. */
function paidTzs({ status, reference, currency, amount, fee }: ChargeSnapshot) {
  return status === 'completed' && currency === 'TZS' && amount !== null && amount > 0 ? { reference, amount, fee } : undefined
}

function conflictOf(item: Settlement): Finding {
  const { home, paymentId, environment, provider } = item
  const reference = referenceOf(item)
  return {
    home,
    paymentId,
    environment,
    kind: 'reference_conflict',
    provider,
    reference,
    details: { provider, reference, environment },
  }
}

/** 22 characters per payment: the key that waiting requests listen for. */
export function waitingKey(paymentId: string): string {
  return Buffer.from(paymentId.replaceAll('-', ''), 'hex').toString('base64url')
}

/** Amounts in TZS. */
export function logFeeWaits(
  log: Log,
  { paymentId, fee, amount }: { paymentId: string; fee: number | null; amount: number | null },
): void {
  const fields = { payment_id: toWire('pay', paymentId), fee, amount }
  log.error('payment.fee_differs', new Error('fee_differs'), fields)
}

// 256 keys and their commas stay under the 8,000 bytes that a notification may carry.
const maxBatch = 256

/**
 * Batches in flight at the same time, with the homes divided among them. The payments, pages and accounts of two homes are never the same
 * rows, so no batch waits for rows of another batch, and a delayed batch delays no other. Two batches that take payments in order of
 * arrival are slower than one, because each waits for the other's clearing accounts.
 */
export const settleLanes = 2

/**
 * The settlements in progress above which homes are divided. A batch has the fixed cost of about twenty settlements: one of 64 costs the
 * database 0.3 ms a settlement, two of 32 cost 0.48 (docs/decisions/0018).
 */
const worthDividing = 128

/**
 * How long a settlement is retried while another transaction locks a row that it needs. After that, the sweep finds its message again.
 */
const lockPatienceMs = 10_000

/** `promptSeconds`: without it, no question follows the end of a prompt. */
type SettleDeps = { db: Db; log: Log; promptSeconds?: PromptSeconds }

/**
 * A success under a reference that none of our payments has is a second charge: its money arrived, and no merchant was credited for it. So
 * is a success of the payment's own charge after other money has completed the payment.
 */
async function reportConflict(db: Db, item: Settlement): Promise<void> {
  const { learned, provider, environment, actor, requestId } = item
  // A webhook alone does not prove how much arrived.
  const isProof = item.confirmAbove === undefined && learned.kind === 'provider_record' && !namesAnother(item, learned.snapshot)
  const paid = isProof ? paidTzs(learned.snapshot) : undefined
  const record = paid && { provider, environment, reference: paid.reference }
  if (record) await freeEarlierCharge(db, record, item)
  const owner = record && (await findRecordOwner(db, record))
  if (paid && (owner === undefined || owner.breakId !== null)) {
    const { reference, amount, fee } = paid
    const finding = { ...conflictOf(item), provider, reference, details: { provider, reference, environment, amount } }
    await reportFoundMoney(db, finding, { amount, fee }, { actor, requestId })
  } else await openBreak(db, conflictOf(item), newMoneyId(item.home))
}

function hold(db: Db, item: Settlement): Promise<boolean> {
  const ids = { breakId: newMoneyId(item.home), feeBreakId: newMoneyId(item.home) }
  return retryWhileLocked(() => db.tx((tx) => holdDifferingMoney(tx, item, ids)), lockPatienceMs)
}

/** Rare cases that need an operator are handled one at a time, after the batch has left them unchanged. */
async function setAside({ db, log }: SettleDeps, item: Settlement, settled: Settled): Promise<Settled> {
  const fields = {
    payment_id: toWire('pay', item.paymentId),
    verdict: settled.verdict,
    actor: item.actor,
    request_id: item.requestId,
  }
  switch (settled.verdict) {
    case 'amount_differs':
      log.error('payment.amount_differs', new Error('amount_differs'), fields)
      return { ...settled, feeWaits: await hold(db, item) }
    case 'reference_conflict':
      log.error('payment.reference_conflict', new Error('reference_conflict'), fields)
      await reportConflict(db, item)
      await settleInboxOf(db, item)
      return settled
    case 'found': {
      const moved = await settleFound(db, item, waitingKey(item.paymentId))
      log.warn('payment.money_was_found', { ...fields, verdict: moved.verdict, status: moved.status })
      if (moved.verdict === 'found') await settleInboxOf(db, item)
      // Operators gave the money to another payment meanwhile.
      return moved.verdict === 'reference_conflict' ? setAside({ db, log }, item, moved) : moved
    }
    case 'held':
      log.warn('payment.message_held', fields)
      await settleInboxOf(db, item)
      return settled
    case 'unproven':
    case 'unknown_payment':
      log.warn('payment.message_not_applied', fields)
      return settled
    case 'amount_to_confirm':
      log.error('payment.amount_to_confirm', new Error('amount_to_confirm'), fields)
      await retryWhileLocked(() => db.tx((tx) => reportUnconfirmed(tx, item, newMoneyId(item.home))), lockPatienceMs)
      return settled
    case 'to_confirm':
      log.info('payment.to_confirm', fields)
      return settled
    case 'contradicts':
      log.warn('payment.contradicted', fields)
      return settled
    case 'ignored':
      log.warn('payment.message_ignored', { ...fields, status: settled.status })
      return settled
    case 'applied':
      // This line connects the request that started the payment with the source of the news: a search for either finds the other.
      log.info('payment.settled', {
        ...fields,
        status: settled.status,
        request_id: settled.startedBy ?? item.requestId,
        reported_by: item.requestId,
      })
      if (settled.isLate) log.warn('payment.credited_late', fields)
      return settled
    case 'unchanged':
      return settled
  }
}

export function createSettle(deps: SettleDeps): Settle {
  const { db, log } = deps
  // Separate from the lanes: no settlement waits until its news is sent, and the news of several batches are sent together.
  const sendNews = createBatch<News, void>({
    async run(news) {
      await notify(db, news)
      return news.map(() => undefined)
    },
  })

  async function applyAndNotify(items: Settlement[]): Promise<Settled[]> {
    const settled = await applySettlements(db, items, null, deps.promptSeconds)
    const moved = items.filter((_, index) => settled[index]!.verdict === 'applied')
    const news =
      moved.length === 0
        ? []
        : [{ channel: 'payments_changed', payload: moved.map((item) => waitingKey(item.paymentId)).join(',') }]
    if (settled[0]!.hasDueDeliveries) news.push(webhooksDue)
    for (const one of news) {
      void sendNews(one).catch((error: unknown) => log.warn('payment.notification_lost', { reason: String(error) }))
    }
    return settled
  }

  const lanes = Array.from({ length: settleLanes }, () =>
    createIsolatingBatch<Settlement, Settled>({
      maxBatch,
      gathers: true,
      keyOf: (item) => item.paymentId,
      groupOf: (item) => item.home,
      patienceMs: lockPatienceMs,
      run: (items) => applyAndNotify(items),
    }),
  )
  let inProgress = 0
  async function inBatch(item: Settlement): Promise<Settled> {
    inProgress += 1
    try {
      return await lanes[inProgress > worthDividing ? item.home % settleLanes : 0]!(item)
    } finally {
      inProgress -= 1
    }
  }

  /**
   * If another statement has just taken a unique value, our whole statement is rolled back; the second attempt sees the committed rows.
   */
  async function settleSeeingOthers(item: Settlement): Promise<Settled> {
    try {
      return await inBatch(item)
    } catch (error) {
      if (databaseErrorCode(error) !== uniqueViolation) throw error
      return inBatch(item)
    }
  }

  return async (item) => {
    const settled = await setAside(deps, item, await settleSeeingOthers(item))
    const { paymentId, learned } = item
    if (settled.receiptDiffers)
      log.warn('payment.receipt_differs', { payment_id: toWire('pay', paymentId), actor: item.actor, request_id: item.requestId })
    if (settled.feeWaits && learned.kind === 'provider_record') {
      const { fee, amount } = learned.snapshot
      logFeeWaits(log, { paymentId, fee, amount })
    }
    return settled
  }
}
