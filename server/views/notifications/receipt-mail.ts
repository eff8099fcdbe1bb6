/**
 * A payer's receipt of a payment or a refund as a mail, as text and as a page, in the language of the checkout. Invariant: it shows no more of the payer than the
 * receipt that every visitor with its link may open, and repeats no part of the merchant's text that could be followed or dialled.
 */
import { shillings } from '../../domain/currency.ts'
import { cleanNames } from '../web/checkout/clean-text.ts'
import { dateTime } from '../web/checkout/format.ts'
import { writtenPhone, type OperatorContact } from '../web/checkout/support-lines.ts'
import { html } from '../web/checkout/html.ts'
import type { NewMail } from '../../base/mail/mail.ts'
import { maskPhone } from '../../domain/phone.ts'
import { toWire } from '../../platform/ids.ts'
import { networkNames } from '../../domain/network.ts'
import { messagesOf } from './receipt-messages.ts'
import type { PaidPayment } from './receipt.sql.ts'

const subjectNameLength = 100

/** A name that fits into a header line. */
function inSubject(name: string): string {
  const characters = Array.from(name)
  return characters.length <= subjectNameLength ? characters.join('') : `${characters.slice(0, subjectNameLength - 1).join('')}…`
}

type Fact = [label: string, value: string]

/** No line ends within an amount or a phone number. */
const wholeNumbers = (text: string): string => text.replaceAll(/(?<=TSh|\d) (?=\d)/g, '\u00a0')

/** Where the payer finds help. Without the merchant's own contact, only the operators'. */
function helpOf(payment: PaidPayment, merchantName: string, operators: OperatorContact): Fact[] {
  const t = messagesOf[payment.payerLanguage]
  const { supportPhone, supportWhatsapp, supportEmail } = payment
  const ofMerchant = [
    supportPhone && writtenPhone(supportPhone),
    supportWhatsapp && `WhatsApp ${writtenPhone(supportWhatsapp)}`,
    supportEmail,
  ].filter((part) => part !== null)
  const ofOperators = [operators.phone && writtenPhone(operators.phone), operators.email].filter((part) => part !== null)
  return [
    ...(ofMerchant.length === 0 ? [] : [[t.helpFrom(merchantName), ofMerchant.join(', ')] satisfies Fact]),
    [t.helpWithPayment, ofOperators.join(', ')],
  ]
}

export function receiptMail(
  payment: PaidPayment & { customerEmail: string },
  checkoutUrl: string,
  operators: OperatorContact,
): NewMail {
  const { payerLanguage: language, environment, completedAt } = payment
  const t = messagesOf[language]
  const { merchantName, pageTitle } = cleanNames(payment, language)
  const isTest = environment === 'test'
  const reference = toWire('pay', payment.paymentId)
  const link = `${checkoutUrl}/r/${reference}`
  const paid = shillings(payment.amountReceived ?? payment.amount)
  const network = payment.network === null ? '' : ` (${networkNames[payment.network]})`
  const time = `${dateTime(completedAt, language)} (${t.eastAfricaTime})`
  const paidFacts: Fact[] = [
    [t.amount, paid],
    ...(payment.amountReceived === null ? [] : [[t.amountAsked, shillings(payment.amount)] satisfies Fact]),
    [t.payTo, merchantName],
    [t.paidFor, pageTitle],
    [t.paidFrom, `${maskPhone(payment.phoneNumber)}${network}`],
    [t.paidAt, time],
    ...(payment.networkReceipt === null ? [] : [[t.networkReceipt, payment.networkReceipt] satisfies Fact]),
    [t.shortCode, payment.shortCode],
    [t.reference, reference],
  ]
  const refunded = shillings(payment.refundAmount ?? 0)
  const refundFacts = (refundId: string): Fact[] => [
    [t.amount, refunded],
    [t.refundedBy, merchantName],
    [t.refundOf, `${pageTitle} (${paid})`],
    payment.refundMethod === 'outside' ? [t.refundedHow, t.refundedOutside] : [t.refundedTo, maskPhone(payment.phoneNumber)],
    [t.paidAt, time],
    [t.shortCode, payment.shortCode],
    [t.reference, reference],
    [t.refund, toWire('rf', refundId)],
  ]
  const { title, amount, facts, subject } =
    payment.refundId === null
      ? { title: t.title, amount: paid, facts: paidFacts, subject: t.subject(paid, inSubject(merchantName)) }
      : {
          title: t.refundTitle,
          amount: refunded,
          facts: refundFacts(payment.refundId),
          subject: t.refundSubject(refunded, inSubject(merchantName)),
        }
  const help = helpOf(payment, merchantName, operators)
  const text = [
    ...(isTest ? [t.test] : []),
    title,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    `${t.open}:\n${link}`,
    `${t.help}\n${help.map(([label, value]) => `${label}: ${value}`).join('\n')}`,
    t.pinSafety,
    `${t.whyYou}\n\nMalipo`,
  ].join('\n\n')
  // Old mail programs support attributes and few styles: one column, no image, and nothing to load.
  const page = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
      </head>
      <body style="margin:0;padding:16px;font-family:sans-serif;font-size:16px;line-height:1.5">
        <div style="max-width:480px;margin:0 auto">
          ${isTest && html`<p style="border-left:5px solid #8a6100;padding-left:12px"><b>${t.test}</b></p>`}
          <h1 style="font-size:20px;margin:0 0 8px">${title}</h1>
          <p style="font-size:28px;margin:0 0 16px"><b>${amount}</b></p>
          ${facts.slice(1).map(([label, value]) => html`<p style="margin:0 0 12px">${label}<br /><b>${wholeNumbers(value)}</b></p>`)}
          <p style="margin:16px 0"><a href="${link}">${t.open}</a></p>
          ${help.map(([label, value]) => html`<p style="margin:0 0 12px">${label}<br /><b>${wholeNumbers(value)}</b></p>`)}
          <p style="margin:16px 0">${t.pinSafety}</p>
          <p style="margin:16px 0;font-size:14px">${t.whyYou}</p>
          <p style="margin:0">Malipo</p>
        </div>
      </body>
    </html>`
  return {
    to: payment.customerEmail,
    kind: isTest ? 'test_receipt' : 'receipt',
    subject: isTest ? `TEST. ${subject}` : subject,
    text: `${text}\n`,
    html: page.text,
    isBulk: true,
  }
}
