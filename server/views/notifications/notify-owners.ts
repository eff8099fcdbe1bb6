/**
 * Mails owners about their money, if they want it. Invariant: the notification is recorded in the transaction that writes the mail, so each
 * is sent once; and no payment waits for it.
 */
import type { ApprovalFailure } from '../../domain/approval.ts'
import { shillings } from '../../domain/currency.ts'
import { dateTime } from '../web/checkout/format.ts'
import { setPaymentsNotified, lockPaymentReader, wantsNotification } from '../../accounts/identity/notification.sql.ts'
import { findMerchant } from '../../accounts/identity/merchant.sql.ts'
import { listOwners } from '../../accounts/members/access.sql.ts'
import { enqueueMail, type NewMail } from '../../base/mail/mail.ts'
import { maskPhone } from '../../domain/phone.ts'
import { claimUnnotifiedBatches, type EndedBatch } from '../../pay-out/payout-batches/batch.sql.ts'
import type { Payout } from '../../pay-out/payouts/payout.ts'
import { claimUnnotifiedPayouts } from '../../pay-out/payouts/payout.sql.ts'
import { isUnavailable, waitedTooLong, type Db, type Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import type { Log } from '../../platform/process/log.ts'
import { must } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { listReceivedPayments, type ReceivedPayment } from './notice.sql.ts'

type NotifyDeps = { db: Db; sealer: Sealer; log: Log }

/** The minimum time between two mails about payments to one person. */
const paymentsPauseSeconds = 60
/** An event is assumed to be visible this long after its time: a cluster was without a commit for up to 66 seconds (docs/cluster.md). */
const settleSeconds = 90
const shownPayments = 30

/** Each of the three names in a line: the longest ones of thirty payments would not fit into a mail. */
const shownCharacters = 40

function shortened(name: string): string {
  const characters = Array.from(name)
  return characters.length <= shownCharacters ? name : `${characters.slice(0, shownCharacters - 1).join('')}…`
}

function receivedMail(to: string, name: string, payments: ReceivedPayment[]): NewMail {
  const shown = payments.slice(0, shownPayments)
  const sum = shillings(payments.reduce((total, { amount }) => total + amount, 0))
  const lines = shown.map(
    ({ amount, customerName, phoneNumber, pageTitle, merchantName, paymentId, completedAt }) =>
      `${shillings(amount)} · ${customerName === null ? maskPhone(phoneNumber) : shortened(customerName)} · ${shortened(pageTitle)} (${shortened(merchantName)}) · ${dateTime(completedAt, 'sw')} · ${toWire('pay', paymentId)}`,
  )
  const isMore = payments.length > shownPayments
  return {
    to,
    kind: 'payment_received',
    isBulk: true,
    subject: isMore ? 'Malipo mengi yamepokelewa · Many payments received' : `Umepokea ${sum} · You received ${sum}`,
    text: [
      `Habari ${name},`,
      'Malipo haya yamefika kwenye salio lako. · These payments have reached your balance.',
      lines.join('\n'),
      ...(isMore ? ['Mengine yako kwenye dashibodi. · There are more in the dashboard.'] : []),
      'Malipo',
    ].join('\n\n'),
  }
}

/**
 * Writes the mails about one subject, as a part of a joined transaction. If they cannot be written, an alert takes their place: the subject
 * that has waited for the longest time is always the next one, and would hold up the mails to all others.
 */
async function writeAlone(deps: NotifyDeps, about: Record<string, string>, write: (tx: Tx) => Promise<void>): Promise<void> {
  try {
    await deps.db.tx(write)
  } catch (error) {
    // Without the database no mail can be written, which says nothing about these. A statement that takes too long may be about these.
    if (isUnavailable(error) && !waitedTooLong(error)) throw error
    deps.log.error('notification.mail_failed', error, { alert: true, ...about })
  }
}

/** Notifies one person of the payments since the last mail. Returns false when no person is due. */
export function notifyOfPayments(deps: NotifyDeps): Promise<boolean> {
  return deps.db.joinedTx(async (tx) => {
    const reader = await lockPaymentReader(tx, paymentsPauseSeconds, settleSeconds)
    if (!reader) return false
    const { userId, email, fullName, from, to } = reader
    await writeAlone(deps, { user_id: toWire('usr', userId) }, async (part) => {
      const payments = await listReceivedPayments(part, { userId, from, to, limit: shownPayments + 1 })
      if (payments.length > 0) await enqueueMail(deps, part, receivedMail(email, fullName, payments))
    })
    await setPaymentsNotified(tx, userId, to)
    return true
  })
}

type End = { subject: (amount: string) => string; sw: string; en: string }

type Ended = 'completed' | 'failed' | 'reversed'

const payoutEnds: Record<Ended, End> = {
  completed: {
    subject: (amount) => `${amount} zimefika · ${amount} arrived`,
    sw: 'Fedha zimefika kwa mpokeaji.',
    en: 'The money has reached the recipient.',
  },
  failed: {
    subject: (amount) => `Utoaji wa ${amount} umeshindikana · Your payout of ${amount} failed`,
    sw: 'Fedha hazikufika, na zimerudi kwenye salio lako pamoja na makato.',
    en: 'The money did not arrive; it is back in your balance together with the fee.',
  },
  reversed: {
    subject: (amount) => `${amount} zimerudishwa · ${amount} came back`,
    sw: 'Mtandao umerudisha fedha; zimerudi kwenye salio lako pamoja na makato.',
    en: 'The network brought the money back; it is in your balance again together with the fee.',
  },
}

const refundEnds: Record<Ended, End> = {
  completed: {
    subject: (amount) => `Mlipaji amerudishiwa ${amount} · ${amount} refunded`,
    sw: 'Fedha zimefika kwenye simu iliyolipa.',
    en: 'The refund has reached the phone that paid.',
  },
  failed: {
    subject: (amount) => `Kumrudishia mlipaji ${amount} kumeshindikana · Your refund of ${amount} failed`,
    sw: 'Mlipaji hakurudishiwa. Fedha zimerudi kwenye pochi yako pamoja na makato.',
    en: 'The payer was not refunded. The money is back in your wallet together with the fee.',
  },
  reversed: {
    subject: (amount) => `${amount} za kumrudishia mlipaji zimerudi · Your refund of ${amount} came back`,
    sw: 'Mtandao umerudisha fedha. Zimerudi kwenye pochi yako pamoja na makato.',
    en: 'The network returned the money. It is back in your wallet together with the fee.',
  },
}

const outsideEnd: End = {
  subject: (amount) => `Marejesho ya ${amount} yamerekodiwa · A return of ${amount} was recorded`,
  sw: 'Imerekodiwa kwamba wewe mwenyewe ulimrudishia mlipaji fedha (returned by the merchant). Salio lako halikubadilika. Kama si wewe, badilisha nenosiri lako.',
  en: 'It was recorded that the payer was given the money back outside the wallet: returned by the merchant. Your balance did not change. If you did not expect this, ask your members.',
}

function payoutMail(owner: { email: string; fullName: string }, merchantName: string, payout: Payout): NewMail {
  const { id, refundOf } = payout
  const status = payout.status as Ended
  const { kind, end, ids } =
    refundOf === null
      ? { kind: 'payout', end: payoutEnds[status], ids: toWire('po', id) }
      : {
          kind: 'refund',
          end: payout.method === 'outside' ? outsideEnd : refundEnds[status],
          ids: `${toWire('rf', id)} · ${toWire('pay', refundOf)}`,
        }
  const amount = shillings(payout.amount)
  return {
    to: owner.email,
    kind: `${kind}_${status}`,
    subject: end.subject(amount),
    text: [
      `Habari ${owner.fullName},`,
      end.sw,
      end.en,
      `${amount} · ${payout.recipientName} · ${maskPhone(payout.phoneNumber)}\n${merchantName} · ${ids}`,
      'Malipo',
    ].join('\n\n'),
  }
}

/** Mails each owner of a merchant that wants mails about payouts. */
function mailPayoutOwners(
  deps: NotifyDeps,
  { merchantId }: { merchantId: string },
  mailFor: (owner: { email: string; fullName: string }, merchantName: string) => NewMail,
): Promise<void> {
  return writeAlone(deps, { merchant_id: merchantId }, async (tx) => {
    const merchant = must(await findMerchant(tx, merchantId), 'a payout has a merchant')
    for (const owner of await listOwners(tx, merchantId)) {
      if (await wantsNotification(tx, owner.userId, 'payoutFinished')) {
        await enqueueMail(deps, tx, mailFor(owner, merchant.displayName))
      }
    }
  })
}

/** Notifies the owners of finished payouts and refunds. Returns their number, at most `limit`. */
export function notifyOfPayouts(deps: NotifyDeps, limit: number): Promise<number> {
  return deps.db.joinedTx(async (tx) => {
    const payouts = await claimUnnotifiedPayouts(tx, limit)
    for (const payout of payouts) {
      // Test payouts move no real money.
      if (payout.environment !== 'live') continue
      await mailPayoutOwners(deps, payout, (owner, merchantName) => payoutMail(owner, merchantName, payout))
    }
    return payouts.length
  })
}

const notApproved: Record<ApprovalFailure, Omit<End, 'subject'> & { subject: string }> = {
  approval_refused: {
    subject: 'Orodha ya malipo imekataliwa · Payout batch refused',
    sw: 'Orodha ya malipo imekataliwa: hakuna kilicholipwa.',
    en: 'A payout batch was refused: none of it was paid.',
  },
  approval_expired: {
    subject: 'Orodha ya malipo haikuidhinishwa · Payout batch not approved',
    sw: 'Orodha ya malipo haikuidhinishwa kwa wakati: hakuna kilicholipwa.',
    en: 'A payout batch was not approved in time: none of it was paid.',
  },
}

function batchMail(owner: { email: string; fullName: string }, merchantName: string, batch: EndedBatch): NewMail {
  const { completed, failed, cancelled, approvalFailure } = batch
  const paid = shillings(batch.paidAmount)
  const isBack = failed + cancelled > 0
  const { subject, sw, en } =
    approvalFailure === null
      ? {
          subject: `Orodha ya malipo imekwisha: ${paid} zimefika · Payout batch ended: ${paid} arrived`,
          sw: `Malipo yote ya orodha yamekwisha: ${completed} yamefika, ${failed} yameshindikana, ${cancelled} yameghairiwa.${isBack ? ' Fedha ambazo hazikufika zimerudi kwenye pochi yako pamoja na makato.' : ''}`,
          en: `All payouts of a batch have ended: ${completed} arrived, ${failed} failed, ${cancelled} were cancelled.${isBack ? ' What did not arrive is back in your wallet together with the fees.' : ''}`,
        }
      : notApproved[approvalFailure]
  return {
    to: owner.email,
    kind: 'payout_batch_ended',
    subject,
    text: [
      `Habari ${owner.fullName},`,
      sw,
      en,
      `${approvalFailure === null ? paid : shillings(batch.total)} · ${merchantName} · ${toWire('pb', batch.id)}`,
      'Malipo',
    ].join('\n\n'),
  }
}

/** Notifies the owners of ended batches. Returns their number, at most `limit`. */
export function notifyOfBatches(deps: NotifyDeps, limit: number): Promise<number> {
  return deps.db.joinedTx(async (tx) => {
    const batches = await claimUnnotifiedBatches(tx, limit)
    for (const batch of batches) {
      if (batch.environment !== 'live') continue
      await mailPayoutOwners(deps, batch, (owner, merchantName) => batchMail(owner, merchantName, batch))
    }
    return batches.length
  })
}
