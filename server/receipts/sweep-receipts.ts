/**
 * Mails the payers' receipts, beside the statement that settles and not in it. Invariant: one receipt for one completed payment, however
 * often its success is told, however late it comes and whichever worker dies: its mail and the note of it are one transaction.
 */
import type { Config } from '../config.ts'
import { enqueueMails, isMailAddress, type NewMail } from '../mail/mail.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import type { Sealer } from '../platform/secrets.ts'
import { receiptMail } from './receipt-mail.ts'
import {
  countTestReceipts,
  findWithoutReceipt,
  holdSweep,
  insertReceipts,
  moveSweep,
  type PaidPayment,
  type Receipt,
} from './receipt.sql.ts'

export type SweepReceiptsDeps = { db: Db; sealer: Sealer; clock: Clock; log: Log; config: Pick<Config, 'urls'> }

// The time of an event is that at which the statement began that stores it: only what is older than any such statement is left behind.
const settlingMs = 300_000
/** The clock of another process may run ahead of this one's. */
const aheadMs = 3_600_000
/** Anybody can make test payments, in the name of any address, for nothing. */
const testReceiptsPerHour = 10

/** Counts up to the hourly number of test receipts for each address; false when it is reached. */
async function createTestQuota(tx: Tx, payments: PaidPayment[]): Promise<(address: string) => boolean> {
  const addresses = payments
    .filter(({ environment }) => environment === 'test')
    .map(({ customerEmail }) => customerEmail.toLowerCase())
  const sent = new Map(
    addresses.length === 0
      ? []
      : (await countTestReceipts(tx, [...new Set(addresses)])).map(({ address, count }) => [address, count] as const),
  )
  return (address) => {
    const count = sent.get(address.toLowerCase()) ?? 0
    if (count >= testReceiptsPerHour) return false
    sent.set(address.toLowerCase(), count + 1)
    return true
  }
}

/** Enqueues the receipts of up to `limit` completed payments; answers how many it looked at. */
export async function sweepReceipts(deps: SweepReceiptsDeps, limit: number): Promise<number> {
  const nowMs = deps.clock.now()
  const receipts = await deps.db.tx(async (tx): Promise<Receipt[]> => {
    const sweptUntil = await holdSweep(tx)
    if (!sweptUntil) return []
    const payments = await findWithoutReceipt(tx, { fromMs: sweptUntil.getTime(), toMs: nowMs + aheadMs, limit })
    const withinQuota = await createTestQuota(tx, payments)
    const mails: NewMail[] = []
    const made = payments.map((payment): Receipt => {
      const { home, eventId } = payment
      if (payment.isWebhookTest) return { home, eventId, outcome: 'not_wanted' }
      if (!isMailAddress(payment.customerEmail)) return { home, eventId, outcome: 'no_address' }
      if (payment.environment === 'test' && !withinQuota(payment.customerEmail)) return { home, eventId, outcome: 'too_many' }
      mails.push(receiptMail(payment, deps.config.urls.checkout))
      return { home, eventId, outcome: 'mailed' }
    })
    if (mails.length > 0) await enqueueMails(deps, tx, mails)
    if (made.length > 0) await insertReceipts(tx, made)
    const behindMs = nowMs - settlingMs - sweptUntil.getTime()
    if (made.length < limit && behindMs > settlingMs / 5) await moveSweep(tx, new Date(nowMs - settlingMs))
    return made
  })
  const mailed = receipts.filter(({ outcome }) => outcome === 'mailed').length
  if (receipts.length > 0) deps.log.info('receipts were made', { count: receipts.length, mailed })
  return receipts.length
}
