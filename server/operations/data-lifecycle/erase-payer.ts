/**
 * Erases the person who paid from a phone, or was paid to it. Invariant: no person is erased while one of their payments or payouts is
 * open, or money from them that matches no payment waits for a decision: it may have to go back to the phone. The amounts that merchants
 * were paid, and the times, stay unchanged.
 */
import { appendAudit, byCommandLine } from '../../base/audit/audit.ts'
import { pseudonymizePayerPhone } from '../../money/breaks/break.sql.ts'
import { eraseAnswersNaming } from '../../accounts/idempotency/answer.sql.ts'
import { deleteMailsTo } from '../../base/mail/mail.sql.ts'
import { eraseReasonsAbout } from '../../accounts/members/approval.sql.ts'
import { emailsOfPayer, lockPaymentsOf, pseudonymisePayer } from '../../collect/payments/erase-payer.sql.ts'
import { closePage, eraseTextsOf } from '../../collect/pages/page.sql.ts'
import { eraseCustomer, markCancelled } from '../../collect/payment-requests/payment-request.sql.ts'
import { emailsOfCases, eraseCasesOf } from '../../collect/support-cases/support-case.sql.ts'
import { pruneMessagesNaming } from '../../money/providers/inbox.sql.ts'
import { pseudonymizeCustomer } from '../../collect/customers/customer.sql.ts'
import { chargeOrders } from '../../collect/payments/order-mac.sql.ts'
import { deleteRecipientsOf } from '../../pay-out/recipients/recipient.sql.ts'
import { eraseRowsTo, lockBatchesTo } from '../../pay-out/payout-batches/batch.sql.ts'
import { lockPayoutsTo, pseudonymiseRecipient } from '../../pay-out/payouts/erase-recipient.sql.ts'
import { payoutOrders } from '../../pay-out/payouts/order-mac.sql.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { newId } from '../../platform/ids.ts'
import { renewMacs } from '../../platform/db/order-table.sql.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { invalidCommand, Refusal } from '../../platform/refusal.ts'
import { lateHours, newPseudonym } from './erase-account.ts'
import { insertErasure } from './person.sql.ts'

const receiptKinds = ['receipt', 'test_receipt']

/** The longest time that messages of providers are kept. */
const messageDays = 365

const unknownNumber =
  'There are no payments from this number, no payouts to it, no payment requests for it, no saved recipients, no support cases with it, and no messages of providers about it.'

export type ErasedPayer = { pseudonym: string; payments: number; payouts: number; messages: number }

async function recordErasure(tx: Tx, pseudonym: string, after: { payments: number; payouts: number }): Promise<void> {
  await insertErasure(tx, { id: newId(), userId: null, pseudonym, heldYears: null })
  await appendAudit(tx, byCommandLine, { action: 'person.erased', object: pseudonym, after })
}

/** `phoneNumber` in E.164. Refuses an unknown number: 404. An erasure that was stopped before its end is completed by a repeat. */
export async function erasePayer({ db, recordMac }: { db: Db; recordMac: RecordMac }, phoneNumber: string): Promise<ErasedPayer> {
  const pseudonym = newPseudonym()
  const erased = await db.tx(async (tx) => {
    await lockBatchesTo(tx, phoneNumber)
    // Before the locks: what begins from here on is refused below.
    const [charges, orders] = [await chargeOrders.readOf(tx, phoneNumber), await payoutOrders.readOf(tx, phoneNumber)]
    const open = await lockPaymentsOf(tx, phoneNumber, lateHours)
    const openPayouts = await lockPayoutsTo(tx, phoneNumber)
    const breaks = await pseudonymizePayerPhone(tx, phoneNumber, pseudonym)
    const reasons = [
      open.unfinished > 0 && `${open.unfinished} payments from it have not ended`,
      open.inDoubt > 0 && `${open.inDoubt} payments from it have open breaks`,
      open.mayStillSucceed > 0 &&
        `${open.mayStillSucceed} payments from it failed within the last ${lateHours} hours and may still succeed`,
      openPayouts > 0 && `${openPayouts} payouts to it have not ended`,
      breaks.open > 0 && `${breaks.open} open breaks are about money from it that matches no payment`,
    ].filter((reason) => reason !== false)
    if (reasons.length > 0) throw invalidCommand(`This payer cannot be erased yet: ${reasons.join('; ')}.`)
    const emails = await emailsOfPayer(tx, phoneNumber)
    await deleteMailsTo(tx, emails, receiptKinds)
    await deleteMailsTo(tx, await emailsOfCases(tx, phoneNumber), ['support_case'])
    await eraseAnswersNaming(tx, [phoneNumber, ...emails])
    // Before the payments lose the phone that finds the requests which it paid.
    const requests = await eraseCustomer(tx, phoneNumber)
    await eraseTextsOf(tx, requests)
    // Nothing is left of what it asked for: a payment from now on would name no order.
    for (const request of requests.filter(({ isOpen }) => isOpen)) {
      await closePage(tx, request)
      await markCancelled(tx, request)
    }
    const cases = await eraseCasesOf(tx, phoneNumber)
    const customers = await pseudonymizeCustomer(tx, phoneNumber, pseudonym)
    const payments = await pseudonymisePayer(tx, phoneNumber, pseudonym)
    await eraseReasonsAbout(tx, phoneNumber)
    // Before the payouts: those of a batch that was approved meanwhile are seen below.
    const rows = await eraseRowsTo(tx, phoneNumber, pseudonym)
    const payouts = await pseudonymiseRecipient(tx, phoneNumber, pseudonym)
    const recipients = await deleteRecipientsOf(tx, phoneNumber)
    const isKnown = payments + payouts + requests.length + recipients + rows + cases + customers + breaks.all > 0
    const [erasedCharges, erasedOrders] = [await chargeOrders.readOf(tx, pseudonym), await payoutOrders.readOf(tx, pseudonym)]
    // It was stored after the locks were taken, so it may be on its way.
    const found = await pseudonymizePayerPhone(tx, phoneNumber, pseudonym)
    if (erasedCharges.length > charges.length || erasedOrders.length > orders.length || found.all > 0)
      throw invalidCommand(
        'A payment from this phone or a payout to it has begun a moment ago, or money from it was found. Repeat the command.',
      )
    await renewMacs(tx, recordMac, chargeOrders, charges, erasedCharges)
    await renewMacs(tx, recordMac, payoutOrders, orders, erasedOrders)
    if (isKnown) await recordErasure(tx, pseudonym, { payments, payouts })
    return { isKnown, payments, payouts }
  })
  const { payments, payouts } = erased
  let isRecorded = erased.isKnown
  // Messages that name no payment of ours, or a payout, are found by the number itself. One day at a time keeps each statement short.
  let messages = 0
  for (let day = 0; day < messageDays; day += 1) {
    const removed = await db.tx(async (tx) => {
      const count = await pruneMessagesNaming(tx, phoneNumber.replace(/^\+255/, ''), { fromDays: day + 1, toDays: day })
      if (count > 0 && !isRecorded) await recordErasure(tx, pseudonym, { payments, payouts })
      return count
    })
    messages += removed
    isRecorded ||= removed > 0
  }
  if (!isRecorded) throw new Refusal(404, 'not_found', unknownNumber)
  return { pseudonym, messages, payments, payouts }
}
