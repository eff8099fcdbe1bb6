/**
 * The screens of a payment for its payer: one for each state. Invariant: the text that no money was taken appears only for a
 * failed or voided payment for which no money is known, because then the provider has proved it, and for a payment that was never sent.
 */
import { nameForPayers } from '../../../domain/merchant.ts'
import type { PaymentStatus } from '../../../domain/payment.ts'
import { noPromptSteps, payerGuide, type PayerGuide } from '../../../money/controls/payer-guide.ts'
import { failures, type Failure } from '../../../domain/failure.ts'
import { needsConfirmation } from '../../../collect/payments/payment.ts'
import { maxPushes, type PaymentView } from '../../../collect/payments/payment.sql.ts'
import { maskPhone } from '../../../domain/phone.ts'
import type { PaidRefund } from '../../../pay-out/payouts/payout.sql.ts'
import { toWire } from '../../../platform/ids.ts'
import { networkNames, networks } from '../../../domain/network.ts'
import { clockTime, dateTime, money } from './format.ts'
import type { ShownBrand } from './brand-look.ts'
import { cleanNames } from './clean-text.ts'
import { html, type Html, type Insertable } from './html.ts'
import { extraStyles } from './look.ts'
import { messagesOf, type Language } from './messages.ts'
import { promptPictureHtml, type Prompt } from './prompt-picture.ts'
import { merchantHtml, screenHtml } from './screen.ts'

type OpenPhase = 'waiting' | 'confirming'
export type Phase = 'unconfirmed' | OpenPhase | 'completed' | 'taken_back' | 'failed' | 'voided' | 'expired' | 'returned'

const phaseOfStatus: Record<PaymentStatus, Phase> = {
  pending: 'waiting',
  processing: 'confirming',
  completed: 'completed',
  failed: 'failed',
  voided: 'voided',
  expired: 'expired',
}

/**
 * The screen for a payment. A prompt past its time without a result is unknown, not waiting and not over; nor is a payment over, whatever its
 * status, while money that arrived for it is under review.
 */
export function phaseOf(
  payment: Pick<PaymentView, 'status' | 'expiresAt' | 'isUnconfirmed' | 'heldMoney' | 'isTakenBack'>,
  nowMs: number,
): Phase {
  if (payment.heldMoney !== null) return payment.heldMoney === 'under_review' ? 'confirming' : 'returned'
  if (isUndone(payment)) return 'taken_back'
  // A payment that was never sent is over when its time ends: no answer can still arrive.
  if (needsConfirmation(payment)) return payment.expiresAt.getTime() <= nowMs ? 'expired' : 'unconfirmed'
  if (payment.status === 'pending' && payment.expiresAt.getTime() <= nowMs) return 'confirming'
  return phaseOfStatus[payment.status]
}

/** Completed, and later the network showed that it was not paid: the merchant does not have the money. */
export const isUndone = ({ status, isTakenBack }: Pick<PaymentView, 'status' | 'isTakenBack'>): boolean =>
  status === 'completed' && isTakenBack

/** Where the money is that arrived and does not match a payment; undefined: none is known. */
export function heldText({ heldMoney }: Pick<PaymentView, 'heldMoney'>, language: Language): string | undefined {
  const t = messagesOf[language]
  return heldMoney === null
    ? undefined
    : { under_review: t.moneyHeld, returned: t.moneyReturned, left_to_network: t.moneyLeft }[heldMoney]
}

export const isOpenPhase = (phase: Phase): boolean => phase === 'unconfirmed' || phase === 'waiting' || phase === 'confirming'

/** After this time the page says that the answer is late. The script polls at its fast rate for the same time. */
const slowAfterMs = 180_000
/** After this time the page says how long it has been, and that nothing is proven yet. */
const longAfterMs = 600_000

export type PaymentScreen = {
  payment: PaymentView
  language: Language
  nowMs: number
  /** The page owner's message to payers who have paid. */
  successMessage: string | null
  statusUrl: string
  /** The name that the phone shows in the prompt, and how long the prompt stays on its screen. */
  prompt: Prompt
  /** The host of receipts, for the share link. */
  checkoutUrl: string
  /** Whether a browser without script reloads the waiting page automatically. */
  refreshes: boolean
  /** This browser started the payment, so it may resend and cancel. */
  isPayer: boolean
  /** The page owner's address for payers who have paid. */
  returnUrl: string | undefined
  /** What the payer was given back. */
  refunds?: PaidRefund[]
  /** A merchant's server made the payment: there is no page to pay on again. */
  isDirect?: boolean
  /** Why the last button that was pressed did nothing. */
  problem?: string | undefined
  confirmation?: Confirmation
  help?: Html
  brand?: ShownBrand
}

/** Data for a payment that waits for its payer's confirmation. */
export type Confirmation = {
  /** Proves that the button was pressed on our page. */
  proof: string
}

/** After this many seconds, the page of a completed payment redirects to the merchant, with or without script. */
const returnAfterSeconds = 10
/** A payer who opens the page later than this wants to read it. */
const returnsWithinMs = 900_000

/** Whether the page redirects automatically: only in the browser that has just paid, and unless the payer wants to stay. */
function redirectsAutomatically({ payment, nowMs, isPayer, returnUrl, refreshes }: PaymentScreen): boolean {
  const { completedAt } = payment
  return (
    returnUrl !== undefined && isPayer && refreshes && completedAt !== null && nowMs - completedAt.getTime() < returnsWithinMs
  )
}

export function paymentPath(payment: Pick<PaymentView, 'id' | 'pageSlug'>, language: Language): string {
  return `/pay/${payment.pageSlug}/${toWire('pay', payment.id)}?lang=${language}`
}

export function receiptPath(payment: Pick<PaymentView, 'id'>, language: Language): string {
  return `/r/${toWire('pay', payment.id)}?lang=${language}`
}

/** The form again, with the values of this payment; only the browser that entered them sees them. */
function againPath(payment: Pick<PaymentView, 'id' | 'pageSlug'>, language: Language): string {
  return `/pay/${payment.pageSlug}/${toWire('pay', payment.id)}/again?lang=${language}`
}

/** The facts of a payment, for receipts and support questions. A receipt names the merchant at its top, and only there. */
function factsHtml(payment: PaymentView, language: Language, { withMerchant = true } = {}): Html {
  const t = messagesOf[language]
  const network = payment.network === null ? '' : ` (${networkNames[payment.network]})`
  const fact = (name: string, value: Insertable): Html => html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`
  return html`<dl>
    ${payment.amountReceived !== null && fact(t.amountAsked, money(payment.amount))}${withMerchant && fact(payment.completedAt === null ? t.payTo : t.paidTo, nameForPayers(payment.merchantName, language))}${fact(t.paidFor, payment.pageTitle)}${
      payment.completedAt !== null &&
      html`${fact(t.paidFrom, html`${maskPhone(payment.phoneNumber)}${network}`)}${fact(
        t.paidAt,
        html`${dateTime(payment.completedAt, language)} <small>(${t.eastAfricaTime})</small>`,
      )}`
    }${payment.networkReceipt !== null && fact(t.networkReceipt(payment.network === null ? t.someNetwork : networkNames[payment.network]), payment.networkReceipt)}${fact(t.shortCode, payment.shortCode)}${fact(t.reference, html`<span class="ref">${toWire('pay', payment.id)}</span>`)}
  </dl>`
}

/** The same payment without the facts that say that it was paid. */
const unpaid = (payment: PaymentView): PaymentView => ({ ...payment, completedAt: null, amountReceived: null })

/** What the payer was given back, and when. */
function refundsHtml(refunds: PaidRefund[], language: Language): Html | undefined {
  const t = messagesOf[language]
  const [newest, ...others] = refunds
  if (newest === undefined) return undefined
  const time = ({ completedAt }: PaidRefund): Html => html`${dateTime(completedAt, language)} (${t.eastAfricaTime})`
  const note = ({ method }: PaidRefund): string => (method === 'outside' ? t.refundedOutside : t.refundedTo)
  const isOneWay = new Set(refunds.map(note)).size === 1
  return html`<div class="card">
    <dl>
      <div>
        <dt>${t.refunded}</dt>
        <dd>${money(newest.total)}${others.length === 0 && html`<br /><small>${time(newest)}</small>`}</dd>
      </div>
      ${
        others.length > 0 &&
        refunds.map(
          (refund) => html`<div>
            <dt>${time(refund)}</dt>
            <dd>${money(refund.amount)}${!isOneWay && html`<br /><small>${note(refund)}</small>`}</dd>
          </div>`,
        )
      }
    </dl>
    ${isOneWay && html`<p><small>${note(newest)}</small></p>`}
  </div>`
}

/** The ways to keep a receipt; `isMain`: they are what the page is for. A link that works without script, the phone's own menu if the script finds one, and its address. */
function shareHtml(
  payment: PaymentView,
  language: Language,
  { checkoutUrl, isMain }: { checkoutUrl: string; isMain: boolean },
): Html {
  const t = messagesOf[language]
  const url = `${checkoutUrl}${receiptPath(payment, language)}`
  const amount = money(payment.amountReceived ?? payment.amount)
  const { merchantName, pageTitle } = cleanNames(payment, language)
  const text = t.receiptText(amount, merchantName, pageTitle, payment.shortCode)
  return html`<p>${unbroken(t.receiptKeep(payment.shortCode))}</p>
    <a class="button${!isMain && ' second'}" href="https://wa.me/?text=${encodeURIComponent(`${text} ${url}`)}" rel="noopener">${t.receiptWhatsApp}</a
    ><button class="second" id="share" data-text="${text}" hidden>${t.receiptShare}</button
    ><button class="second" id="copy" data-url="${url}" data-done="${t.receiptCopied}" hidden>${t.receiptCopy}</button>`
}

// Drawn by the style: many cheap phones lack the character.
const tick = html`<span class="tick"></span>`

function headHtml(kind: 'ok' | 'no' | 'hm', sign: Insertable, title: string, payment: PaymentView): Html {
  return html`<span class="mark ${kind}" aria-hidden="true">${sign}</span>
    <h1 id="news" tabindex="-1">${title}</h1>
    <p class="sum">${money(payment.amountReceived ?? payment.amount)}</p>`
}

const amountsAndNames = new RegExp(
  `(TSh [\\d,]+|${Object.values(networkNames).join('|')}|0\\d{3} ••• \\d{3}|[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]|\\*\\d+\\*\\d+#)`,
)

/** A sentence in which amounts, numbers and names are emphasised and never broken over two lines. */
function unbroken(sentence: string): Html[] {
  return sentence
    .split(amountsAndNames)
    .map((part, index) => (index % 2 === 1 ? html`<b class="one">${part}</b>` : html`${part}`))
}

/** Milliseconds until a prompt has left the phone; 0: it has. Undefined: no prompt is known to have been sent. */
function goneInMs({ payment, prompt, nowMs }: PaymentScreen): number | undefined {
  if (payment.promptedAt === null) return undefined
  return Math.max(0, payment.promptedAt.getTime() + prompt.seconds * 1000 - nowMs)
}

function waitingTitle(screen: PaymentScreen, phase: OpenPhase): string {
  const { payment, language } = screen
  const t = messagesOf[language]
  if (payment.isCancelRequested && payment.heldMoney === null) return t.cancellingTitle
  if (phase === 'waiting' && goneInMs(screen) === 0) return t.goneTitle
  return phase === 'waiting' ? t.waitTitle : t.confirmingTitle
}

/** One button that works without script. */
function actionHtml(
  screen: PaymentScreen,
  name: 'resend' | 'cancel',
  label: string,
  look: 'second' | 'second quiet',
  attributes: Html = html``,
): Html {
  const { payment, language } = screen
  return html`<form method="post" action="/pay/${payment.pageSlug}/${toWire('pay', payment.id)}/${name}">
    <input type="hidden" name="lang" value="${language}" /><button class="${look}" ${attributes}>${label}</button>
  </form>`
}

/** The button to resend the prompt, or the time when it becomes available. The script counts down and enables it; without script a reload does. */
function resendHtml(screen: PaymentScreen): Html | undefined {
  const { payment, language, nowMs, isPayer } = screen
  const t = messagesOf[language]
  if (!isPayer) return undefined
  if (payment.pushes >= maxPushes) return html`<p><small>${t.resendSpent}</small></p>`
  if (payment.resendAt === null) return undefined
  const seconds = payment.canResend ? 0 : Math.max(1, Math.ceil((payment.resendAt.getTime() - nowMs) / 1000))
  return html`${actionHtml(screen, 'resend', t.resend, 'second', seconds > 0 ? html`id="again" data-in="${String(seconds)}" disabled` : undefined)}${
    seconds > 0 && html`<p><small id="soon">${t.resendIn(seconds)}</small></p>`
  }`
}

/** A link that dials a menu; a raw `#` would end the address. */
function dialHtml({ dialCode, dial }: PayerGuide, language: Language): Html {
  const [before, after] = dial[language].split(dialCode)
  return html`${before}<a class="dial" href="tel:${dialCode.replace('#', '%23')}">${dialCode}</a>${after}`
}

/** Help for a payer whose phone shows no prompt. */
function noPromptHtml(screen: PaymentScreen): Html {
  const { payment, language } = screen
  const t = messagesOf[language]
  // A ported number may be on any network.
  const guides = (payment.network === null ? networks : [payment.network]).map(payerGuide)
  const resend = goneInMs(screen) === 0 || isLong(screen) ? undefined : resendHtml(screen)
  return html`<details class="card">
    <summary>${t.noPrompt}</summary>
    <ul>
      ${noPromptSteps.map((step) => html`<li>${step[language]}</li>`)}${guides.map((guide) => html`<li>${dialHtml(guide, language)}</li>`)}
      <li>${t.noPromptWait}</li>
    </ul>
    ${resend && html`<div id="resend"><p id="then">${t.noPromptResend}</p>${resend}</div>`}
  </details>`
}

/** A sentence with the first occurrence of a name emphasised. */
function emphasised(sentence: string, name: string): Html {
  const at = sentence.indexOf(name)
  return html`${sentence.slice(0, at)}<b class="one">${name}</b>${sentence.slice(at + name.length)}`
}

/** When the network is asked whether the payment may end; nothing past that time. */
function askedAgain({ payment, language, nowMs }: PaymentScreen): string | undefined {
  return payment.expiresAt.getTime() > nowMs ? messagesOf[language].askedAgain(clockTime(payment.expiresAt)) : undefined
}

function isLong({ payment, nowMs }: PaymentScreen): boolean {
  return nowMs - payment.createdAt.getTime() >= longAfterMs
}

/** What the payer can do once the prompt has left the phone, in the open: not every payer looks for help. */
function goneHtml(screen: PaymentScreen): Html | undefined {
  const { payment, language, prompt, isPayer } = screen
  const inMs = goneInMs(screen)
  if (inMs === undefined) return undefined
  const t = messagesOf[language]
  const next = !isPayer || isLong(screen) ? undefined : payment.resendAt === null ? t.goneCancel : t.goneResend
  return html`<div role="status">
      <p class="note" id="gone" data-after="${Math.ceil(inMs / 1000)}" data-title="${t.goneTitle}" ${inMs > 0 && html` hidden`}>
        ${t.gone(prompt.seconds)}<br /><small>${askedAgain(screen)}</small><br />${next}
      </p>
    </div>
    <div id="here">${inMs === 0 && !isLong(screen) && resendHtml(screen)}</div>`
}

/** Three steps on the phone, in the words of the payer's network, below a picture of the prompt while it waits. */
function stepsHtml(screen: PaymentScreen): Html {
  const { payment, language, prompt } = screen
  const t = messagesOf[language]
  const guide = payment.network === null ? undefined : payerGuide(payment.network)
  const phone = maskPhone(payment.phoneNumber)
  // A problem may be that it is not known whether it was sent again.
  const isSentAgain = payment.pushes > 0 && !payment.canResend && screen.problem === undefined
  const sent = payment.promptedAt === null ? t.waitSending : t.waitSent
  const amount = money(payment.amount)
  const goneMs = goneInMs(screen)
  const isGone = goneMs === 0
  return html`${goneMs !== undefined && !isGone && promptPictureHtml(payment, prompt, { leftSeconds: Math.ceil(goneMs / 1000), language })}
    <div id="steps" ${isGone && html` hidden`}>
      <ol>
        <li>${unbroken(isSentAgain ? t.waitSentAgain(phone) : sent(phone, guide?.wallet))}</li>
        <li>${unbroken(guide ? `${guide.approve[language]} ${amount}.` : t.waitPin(amount))}</li>
        <li>${t.waitStay}</li>
      </ol>
      <p>
        <small>${guide && unbroken(guide.prompt[language])} ${prompt.name !== undefined && emphasised(t.waitName(prompt.name, nameForPayers(payment.merchantName, language)), prompt.name)}</small>
      </p>
    </div>`
}

/**
 * Marks the card of a payment whose status may still change: the script asks for it, and reloads the page when it differs. While no request
 * is known to have been sent, also after some questions: more in the first minute, because a network usually accepts it at once.
 */
function watched({ payment, statusUrl, nowMs }: PaymentScreen, { isOpen }: { isOpen: boolean }): Html {
  const questions = nowMs - payment.createdAt.getTime() < 60_000 ? 5 : 10
  return html`id="wait" data-url="${statusUrl}" data-status="${payment.status}"${isOpen && payment.promptedAt === null && html` data-unsent="${questions}"`}`
}

function offlineHtml(language: Language): Html {
  return html`<div role="status"><p class="note" id="offline" hidden>${messagesOf[language].offline}</p></div>`
}

function problemHtml({ problem }: PaymentScreen): Html | undefined {
  return problem === undefined ? undefined : html`<div class="bad" role="alert" tabindex="-1" id="news"><p>${problem}</p></div>`
}

/** An expired payment that was sent may still arrive. */
function mayArriveHtml({ payment, language }: PaymentScreen): Html {
  const t = messagesOf[language]
  return html`${offlineHtml(language)}
    <p>${t.expiredText}</p>
    <a class="button second" href="${paymentPath(payment, language)}">${t.checkAgain}</a>`
}

function waitingHtml(screen: PaymentScreen, phase: OpenPhase): Html {
  const { payment, language, nowMs, refreshes, isPayer } = screen
  const t = messagesOf[language]
  const path = paymentPath(payment, language)
  const ageMs = nowMs - payment.createdAt.getTime()
  const held = heldText(payment, language)
  const isOpen = phase === 'waiting' && !payment.isCancelRequested
  // "Do not pay again" never stands beside the button that sends the request again.
  const offersResend = isOpen && isPayer && goneInMs(screen) === 0 && payment.resendAt !== null && !isLong(screen)
  const isSlow = !isLong(screen) && !offersResend && (phase === 'confirming' || ageMs >= slowAfterMs)
  const secondsTo = (ms: number): string => String(Math.max(0, Math.ceil((ms - ageMs) / 1000)))
  return html`${isOpen && problemHtml(screen)}
    <div class="card" ${watched(screen, { isOpen })}>
      ${offlineHtml(language)}
      <h1>${waitingTitle(screen, phase)}</h1>
      <p class="sum">${money(payment.amount)}</p>
      <p class="for"><b>${nameForPayers(payment.merchantName, language)}</b> · ${payment.pageTitle}</p>
      ${isOpen && html`${goneHtml(screen)}${stepsHtml(screen)}`}
      <div role="status">
        ${
          held !== undefined
            ? html`<p class="note">${held}</p>`
            : payment.isCancelRequested
              ? html`<div class="note"><p>${t.cancelling}</p><p>${askedAgain(screen)}</p></div>`
              : html`<p class="note" id="slow" data-after="${secondsTo(slowAfterMs)}" ${!isSlow && html` hidden`}>${t.unsure}</p>
                  <p class="note" id="long" data-after="${secondsTo(longAfterMs)}" ${!isLong(screen) && html` hidden`}>${t.longUnsure}</p>`
        }
        <p class="turning"><span class="turn"></span>${t.waiting}</p>
      </div>
      <a class="button second" href="${path}">${t.checkAgain}</a
      ><noscript><a class="more" href="${path}${refreshes && '&auto=0'}">${refreshes ? t.autoOff : t.autoOn}</a></noscript>
    </div>
    ${isOpen && noPromptHtml(screen)}${isPayer && !payment.isCancelRequested && held === undefined && actionHtml(screen, 'cancel', t.cancel, 'second quiet')}
    <p class="ref">${t.reference}: ${toWire('pay', payment.id)}</p>`
}

/** No prompt is sent before this button is pressed. */
function confirmHtml(screen: PaymentScreen, { proof }: Confirmation): Html {
  const { payment, language, isPayer } = screen
  const t = messagesOf[language]
  const wallet = payment.network === null ? undefined : networkNames[payment.network]
  const amount = money(payment.amount)
  return html`${problemHtml(screen)}
    <div class="card">
      <h1>${t.confirmTitle}</h1>
      ${merchantHtml({ name: nameForPayers(payment.merchantName, language), isVerified: false, brand: screen.brand }, language)}
      <p class="sum">${amount}</p>
      <p class="for">${payment.pageTitle}</p>
      <p>${unbroken(t.confirmText(maskPhone(payment.phoneNumber), wallet))}</p>
      <form id="sure" method="post" action="/pay/${payment.pageSlug}/${toWire('pay', payment.id)}/confirm">
        <input type="hidden" name="lang" value="${language}" /><input type="hidden" name="proof" value="${proof}" /><button class="own">
          ${t.confirmButton(amount)}
        </button>
      </form>
      <p><small>${t.confirmSafe}</small></p>
    </div>
    ${isPayer && actionHtml(screen, 'cancel', t.cancel, 'second quiet')}
    <p class="ref">${t.reference}: ${toWire('pay', payment.id)}</p>`
}

/** Where to pay again, if that is not here. */
function elsewhereHtml({ payment, language }: PaymentScreen): Html {
  return html`<p>${messagesOf[language].payAtMerchant(nameForPayers(payment.merchantName, language))}</p>`
}

/** The form again after an expired payment: it may still turn out to be paid. */
function startAgainHtml(screen: PaymentScreen): Html {
  const { payment, language, isPayer, isDirect = false } = screen
  if (isDirect) return elsewhereHtml(screen)
  const path = isPayer ? againPath(payment, language) : `/pay/${payment.pageSlug}?lang=${language}`
  return html`<a class="button" href="${path}">${messagesOf[language].startAgain}</a>`
}

/** The next steps after a proven failure: the same data again, or another number first when this number cannot pay. */
function againHtml(screen: PaymentScreen, failure: Failure | undefined): Html {
  const { payment, language, isPayer, isDirect = false } = screen
  const t = messagesOf[language]
  if (isDirect) return elsewhereHtml(screen)
  if (!isPayer) return html`<a class="button" href="/pay/${payment.pageSlug}?lang=${language}">${t.tryAgain}</a>`
  const again = againPath(payment, language)
  const same = { href: again, label: t.tryAgain }
  const other = { href: `${again}&number=other`, label: t.anotherNumber }
  const [first, second] = failure?.retryable === false ? [other, same] : [same, other]
  return html`<a class="button" href="${first.href}">${first.label}</a
    ><a class="button second" href="${second.href}">${second.label}</a>`
}

/** The link back to the merchant, always usable by hand; the script counts down and follows it, without script a tag in the head does. */
function returnHtml(screen: PaymentScreen): Html | undefined {
  const { payment, language, returnUrl } = screen
  if (returnUrl === undefined) return undefined
  const t = messagesOf[language]
  const leave =
    redirectsAutomatically(screen) &&
    html`<p id="leave" data-in="${returnAfterSeconds}">
      <span id="left">${t.returningIn(returnAfterSeconds)}</span>
      <a id="stay" class="more" href="${`${paymentPath(payment, language)}&auto=0`}">${t.stay}</a>
    </p>`
  return html`<a class="button" id="return" href="${returnUrl}" rel="noopener">${t.returnTo(nameForPayers(payment.merchantName, language))}</a>${leave}`
}

/** The page of one payment in its current state. */
export function paymentHtml(screen: PaymentScreen): Html {
  const { payment, language, nowMs, successMessage, checkoutUrl, refreshes, help, brand, refunds = [] } = screen
  const t = messagesOf[language]
  const phase = phaseOf(payment, nowMs)
  const query = screen.problem === undefined ? '' : '&form=again'
  const shown = { language, isTest: payment.environment === 'test', help, brand, query }
  switch (phase) {
    case 'unconfirmed':
      return screenHtml({
        ...shown,
        title: `${screen.problem === undefined ? '' : t.errorTitle}${t.confirmTitle}`,
        body: confirmHtml(screen, screen.confirmation!),
      })
    case 'waiting':
    case 'confirming':
      return screenHtml({
        ...shown,
        title: waitingTitle(screen, phase),
        head: html`${extraStyles.wait}${refreshes && html`<noscript><meta http-equiv="refresh" content="10" /></noscript>`}`,
        body: waitingHtml(screen, phase),
      })
    case 'completed':
      return screenHtml({
        ...shown,
        title: t.doneTitle,
        head: redirectsAutomatically(screen)
          ? html`<noscript><meta http-equiv="refresh" content="${returnAfterSeconds};url=${screen.returnUrl}" /></noscript>`
          : undefined,
        body: html`<div class="card end">
            ${headHtml('ok', tick, t.doneTitle, payment)}${successMessage && html`<p class="text">${successMessage}</p>`}
          </div>
          ${returnHtml(screen)}${refundsHtml(refunds, language)}
          <div class="card">${factsHtml(payment, language)}</div>
          ${shareHtml(payment, language, { checkoutUrl, isMain: screen.returnUrl === undefined })}<a class="button second" href="${receiptPath(payment, language)}">${t.receiptOpen}</a>`,
      })
    case 'taken_back':
      return screenHtml({
        ...shown,
        title: t.takenBackTitle,
        body: html`<div class="card end">
            ${headHtml('hm', '–', t.takenBackTitle, payment)}
            <p>${t.takenBackText(nameForPayers(payment.merchantName, language))}</p>
          </div>
          ${refundsHtml(refunds, language)}
          <div class="card">${factsHtml(unpaid(payment), language)}</div>`,
      })
    case 'failed': {
      const failure = failures[payment.failureCode ?? 'provider_error']
      return screenHtml({
        ...shown,
        title: t.failedTitle,
        body: html`<div class="card end">
            ${headHtml('no', '!', t.failedTitle, payment)}
            <p class="safe">${t.noMoneyTaken} ${t.closedSafe}</p>
            <p><b>${failure.reason[language]}</b> ${failure.step[language]}</p>
          </div>
          ${againHtml(screen, failure)}
          <div class="card">${factsHtml(payment, language)}</div>`,
      })
    }
    case 'voided':
      return screenHtml({
        ...shown,
        title: t.voidedTitle,
        body: html`<div class="card end">
            ${headHtml('hm', '–', t.voidedTitle, payment)}
            <p class="safe">${t.noMoneyTaken} ${t.closedSafe}</p>
          </div>
          ${againHtml(screen, undefined)}
          <div class="card">${factsHtml(payment, language)}</div>`,
      })
    case 'returned':
      return screenHtml({
        ...shown,
        title: t.failedTitle,
        body: html`<div class="card end">
            ${headHtml('hm', '–', t.failedTitle, payment)}
            <p>${heldText(payment, language)}</p>
          </div>
          ${againHtml(screen, undefined)}
          <div class="card">${factsHtml(payment, language)}</div>`,
      })
    case 'expired':
      return screenHtml({
        ...shown,
        title: t.expiredTitle,
        body: html`<div class="card end" ${!payment.isUnconfirmed && watched(screen, { isOpen: false })}>
            ${headHtml('hm', '–', t.expiredTitle, payment)}
            ${payment.isUnconfirmed ? html`<p class="safe">${t.noMoneyTaken}</p><p>${t.unconfirmedText}</p>` : mayArriveHtml(screen)}
          </div>
          ${startAgainHtml(screen)}
          <div class="card">${factsHtml(payment, language)}</div>`,
      })
  }
}

/** The receipt of a completed payment: any person with its link may see it, so it shows no more than the public status. */
export function receiptHtml(
  payment: PaymentView,
  refunds: PaidRefund[],
  language: Language,
  checkoutUrl: string,
  { help, brand }: Pick<PaymentScreen, 'help' | 'brand'> = {},
): Html {
  const t = messagesOf[language]
  const { host } = new URL(checkoutUrl)
  if (isUndone(payment)) {
    const text = t.takenBackText(nameForPayers(payment.merchantName, language))
    const body = html`<div class="card end">
        ${headHtml('hm', '–', t.takenBackTitle, payment)}
        <p>${text}</p>
      </div>
      ${refundsHtml(refunds, language)}
      <div class="card">${factsHtml(unpaid(payment), language)}</div>`
    return screenHtml({ language, title: t.takenBackTitle, isTest: payment.environment === 'test', help, brand, body })
  }
  return screenHtml({
    language,
    title: t.receiptTitle,
    head: extraStyles.receipt,
    isTest: payment.environment === 'test',
    help,
    brand,
    body: html`${merchantHtml({ name: nameForPayers(payment.merchantName, language), isVerified: false, brand }, language, t.paidTo)}
      <div class="card end">
        <small>${t.receiptTitle}</small>
        <p class="sum">${money(payment.amountReceived ?? payment.amount)}</p>
        <h1 class="paid"><span class="tick"></span>${t.doneTitle}</h1>
      </div>
      ${refundsHtml(refunds, language)}
      <div class="card">
        ${factsHtml(payment, language, { withMerchant: false })}
      </div>
      ${shareHtml(payment, language, { checkoutUrl, isMain: true })}<button class="second" id="print" hidden>${t.receiptPrint}</button>
      <div class="card check">
        <img src="/r/${toWire('pay', payment.id)}/qr.svg" width="132" height="132" alt="${t.receiptQr}" />
        <div>
          <p><b>${t.receiptQr}</b></p>
          <p><small>${t.receiptProof(`${host}/r/`)}</small></p>
        </div>
        <p class="address">
          <small>${t.receiptAddress}</small><br /><a href="${receiptPath(payment, language)}">${host}/r/${toWire('pay', payment.id)}</a>
        </p>
      </div>`,
  })
}
