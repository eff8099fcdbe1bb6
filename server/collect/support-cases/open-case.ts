/**
 * A payer opens a case about one payment, and may disagree with its answer. Invariants: it is limited by payment, phone, network and mail
 * address before anything is stored, and the answer is the same whether or not the number is known anywhere.
 */
import type { FastifyReply } from 'fastify'
import type { PayerLanguage } from '../../domain/language.ts'
import { isMailAddress, mailboxOf } from '../../base/mail/mail.ts'
import { truthInBooks } from '../payments/ask-charge.ts'
import { findKnownCharge } from '../payments/ask-charge.sql.ts'
import type { PaymentView } from '../payments/payment.sql.ts'
import { lettersOf } from '../payments/receipt-parts.ts'
import type { Db } from '../../platform/db/db.ts'
import { networkOf, type Limit } from '../../platform/http/limits.ts'
import { homeOfId, newMoneyId } from '../../platform/ids.ts'
import { assert, invalidState } from '../../platform/refusal.ts'
import { mailChange, type CaseMailDeps } from './ask-providers.ts'
import { escalateByPayer, findCaseOfNumber, insertCase, lockCase } from './support-case.sql.ts'
import { publicCaseOf, type Claim, type SupportCase } from './support-case.ts'

export type OpenCaseDeps = CaseMailDeps & {
  db: Db
  limits: Record<'supportCase' | 'supportCasePhone' | 'supportCaseMail' | 'supportCaseAddress', Limit>
}

/** `isPayer`: from the browser that started the payment. */
type Opened = {
  isPayer: boolean
  smsNumber: string
  claim: Claim
  payerLanguage: PayerLanguage
  requestId: string
  address: string
}

/** The id of the case: a new one, or the one in which this number was reported before. Refuses with 429 above the limits. */
export async function openCase(
  { db, limits }: OpenCaseDeps,
  payment: PaymentView,
  { smsNumber, claim, payerLanguage, requestId, address, isPayer }: Opened,
  reply: FastifyReply | null,
): Promise<string> {
  assert(claim.email === null || isMailAddress(claim.email), 'the address of a case is one bare address')
  const { home, id: paymentId, merchantId, environment } = payment
  const hasProof = isPayer || (payment.networkReceipt !== null && lettersOf(payment.networkReceipt) === smsNumber)
  // Counted apart: reports without proof use up nothing of those with it.
  const counted = (who: string): string => (hasProof ? `${who} with proof` : who)
  await limits.supportCaseAddress.take(counted(networkOf(address)), reply)
  const names = { home, id: newMoneyId(home), paymentId, merchantId, environment }
  const one = { ...names, smsNumber, claim, payerLanguage, requestId, hasProof }
  // A repeat leads to the same case, and uses up nothing.
  if ((await findCaseOfNumber(db, one)) === undefined) {
    await limits.supportCase.take(counted(paymentId), reply)
    // A stranger can start a payment with the payer's number, and seldom from the payer's network.
    const phone = `${payment.phoneNumber} ${environment}`
    await limits.supportCasePhone.take(counted(hasProof ? `${phone} ${networkOf(address)}` : phone), reply)
    if (claim.email !== null) await limits.supportCaseMail.take(counted(mailboxOf(claim.email)), reply)
  }
  return insertCase(db, one)
}

/** The payer says that the money is still missing: operators get the case. Refuses a case that the payer does not see as answered: 409 `invalid_state`. */
export async function disagree(deps: CaseMailDeps & { db: Db }, id: string): Promise<void> {
  await deps.db.tx(async (tx) => {
    const key = { home: homeOfId(id), id }
    const before = await lockCase(tx, key)
    // Who was told that the money was received has nothing to disagree with, until that credit is taken back; a page that is open may still
    // show the answer before.
    const charge = (await findKnownCharge(tx, { home: before.home, id: before.paymentId }))!
    const isPaid = truthInBooks(charge)?.kind === 'received' || (before.finding === 'received' && !charge.isTakenBack)
    if (isPaid || publicCaseOf(before).state !== 'answered')
      throw invalidState('This case has no answer to disagree with.', 'Kesi hii haina jibu la kupinga.')
    await escalateByPayer(tx, key)
    const finding = before.finding === 'received' ? null : before.finding
    const after: SupportCase = { ...before, state: 'with_operators', finding, escalatedBecause: 'payer_disagrees' }
    await mailChange(deps, tx, before, after)
  })
}
