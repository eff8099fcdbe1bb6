/**
 * Mails the payers' receipts, in a job separate from the statement that settles. Invariant: one receipt for one completed payment or refund, however
 * often its success is reported, however late, and also when a worker dies: its mail and its record are one transaction.
 */
import type { Environment } from '../../domain/environment.ts'
import type { Config } from '../../config/config.ts'
import { enqueueMails, isMailAddress, type NewMail } from '../../base/mail/mail.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { receiptMail } from './receipt-mail.ts'
import {
  countReceipts,
  countReceiptsOfPages,
  countTestReceipts,
  findWithoutReceipt,
  claimSweep,
  insertReceipts,
  moveSweep,
  type PaidPayment,
  type Receipt,
  type ReceiptOutcome,
} from './receipt.sql.ts'

export type SweepReceiptsDeps = { db: Db; sealer: Sealer; log: Log; config: Pick<Config, 'urls' | 'support'> }

// The time of an event is the start of the statement that stores it, so the sweep passes only times older than any running statement.
const settlingMs = 300_000
/** Where the database's clock was set back, the events from before seem to be in the future. */
const aheadMs = 3_600_000
/**
 * Test payments are free for everyone, with any address; real ones cost 500 TZS each. A payer who pays more often than this still has each
 * receipt on the page of the payment.
 */
const [testReceiptsPerHour, receiptsPerDay] = [10, 6]
/** The most receipts for payers of one page in an hour: more would be a mass mailing. */
const receiptsOfPagePerHour = 500

type Counted = { name: string; count: number }[]

/** Takes one of the quota of a name; false when it is used up. */
function quotaOf(quota: number, counted: Counted): (name: string) => boolean {
  const sent = new Map(counted.map(({ name, count }) => [name, count]))
  return (name) => {
    const count = sent.get(name) ?? 0
    if (count >= quota) return false
    sent.set(name, count + 1)
    return true
  }
}

type Addressed = PaidPayment & { customerEmail: string }

/** Whether the payer gave an address that mail can be sent to. */
function isAddressed(payment: PaidPayment): payment is Addressed {
  return payment.customerEmail !== null && isMailAddress(payment.customerEmail)
}

const addressOf = ({ customerEmail }: Addressed): string => customerEmail.toLowerCase()

/** Whether the payer of a payment may get one more receipt, which is then counted. */
async function createQuotas(tx: Tx, payments: Addressed[]): Promise<(payment: Addressed) => boolean> {
  const addressesOf = (environment: Environment): string[] => [
    ...new Set(payments.filter((payment) => payment.environment === environment).map(addressOf)),
  ]
  const count = async (names: string[], read: (tx: Tx, names: string[]) => Promise<Counted>): Promise<Counted> =>
    names.length === 0 ? [] : read(tx, names)
  const ofAddress = {
    test: quotaOf(testReceiptsPerHour, await count(addressesOf('test'), countTestReceipts)),
    live: quotaOf(receiptsPerDay, await count(addressesOf('live'), countReceipts)),
  }
  const pageIds = [...new Set(payments.map(({ pageId }) => pageId))]
  const ofPage = quotaOf(receiptsOfPagePerHour, await count(pageIds, countReceiptsOfPages))
  return (payment) => ofAddress[payment.environment](addressOf(payment)) && ofPage(payment.pageId)
}

/** Enqueues the receipts of up to `limit` completed payments and refunds. Returns how many it looked at. */
export async function sweepReceipts(deps: SweepReceiptsDeps, limit: number): Promise<number> {
  const receipts = await deps.db.tx(async (tx): Promise<Receipt[]> => {
    const sweep = await claimSweep(tx)
    if (!sweep) return []
    const nowMs = sweep.now.getTime()
    const mayBeDoneMs = nowMs - settlingMs
    const sweptMs = sweep.sweptUntil.getTime()
    // A later mark was written before the database's clock was set back: payments of the repeated time have no receipt yet.
    const payments = await findWithoutReceipt(tx, { fromMs: Math.min(sweptMs, mayBeDoneMs), toMs: nowMs + aheadMs, limit })
    const isWithinQuotas = await createQuotas(tx, payments.filter(isAddressed))
    const mails: NewMail[] = []
    const made = payments.map((payment): Receipt => {
      const { home, eventId, pageId } = payment
      const unsent = (outcome: ReceiptOutcome): Receipt => ({ home, eventId, pageId, outcome })
      // A live payment began while its merchant was verified: its payer gets the receipt whatever became of the merchant.
      const isUnknown = payment.environment === 'test' && !payment.isMerchantVerified
      if (payment.isWebhookTest || isUnknown) return unsent('not_wanted')
      if (!isAddressed(payment)) return unsent('no_address')
      if (!isWithinQuotas(payment)) return unsent('too_many')
      mails.push(receiptMail(payment, deps.config.urls.checkout, deps.config.support))
      return { home, eventId, pageId, outcome: 'mailed' }
    })
    if (mails.length > 0) await enqueueMails(deps, tx, mails)
    if (made.length > 0) await insertReceipts(tx, made)
    const isFar = sweptMs > mayBeDoneMs || sweptMs < mayBeDoneMs - settlingMs / 5
    if (made.length < limit && isFar) await moveSweep(tx, new Date(mayBeDoneMs))
    return made
  })
  const mailed = receipts.filter(({ outcome }) => outcome === 'mailed').length
  if (receipts.length > 0) deps.log.info('receipts.created', { count: receipts.length, mailed })
  return receipts.length
}
