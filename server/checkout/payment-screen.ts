/**
 * What a payer sees of a payment: one screen for each truth about it. Invariant: that no money was taken is said of a failed or voided
 * payment only, because only then has the provider proved it.
 */
import { failures } from '../payments/failure.ts'
import type { PaymentStatus } from '../payments/payment.ts'
import { pushesAtMost, type PaymentView } from '../payments/payment.sql.ts'
import { maskPhone } from '../payments/phone.ts'
import { toWire } from '../platform/ids.ts'
import { networkNames } from '../switches/switch.ts'
import { dateTime, money } from './format.ts'
import { html, type Html, type Insertable } from './html.ts'
import { messagesOf, type Language } from './messages.ts'
import { screenHtml } from './screen.ts'

export type Phase = 'waiting' | 'confirming' | 'completed' | 'failed' | 'voided' | 'expired'

const phaseOfStatus: Record<PaymentStatus, Phase> = {
  pending: 'waiting',
  processing: 'confirming',
  completed: 'completed',
  failed: 'failed',
  voided: 'voided',
  expired: 'expired',
}

/** Which screen tells the truth. A request whose time is over but which nobody has answered for is unknown, not waiting and not over. */
export function phaseOf(payment: Pick<PaymentView, 'status' | 'expiresAt'>, nowMs: number): Phase {
  if (payment.status === 'pending' && payment.expiresAt.getTime() <= nowMs) return 'confirming'
  return phaseOfStatus[payment.status]
}

/** After this long the page says that the answer is late. As long as the script polls at its fast pace. */
const slowAfterMs = 180_000

export type PaymentScreen = {
  payment: PaymentView
  language: Language
  nowMs: number
  /** What the page's owner says to those who have paid. */
  successMessage: string | null
  statusUrl: string
  /** Whether a browser without script loads the waiting page anew by itself. */
  refreshes: boolean
  /** The browser is the one that started the payment, so it may resend and cancel. */
  isPayer: boolean
}

export function paymentPath(payment: Pick<PaymentView, 'id' | 'pageSlug'>, language: Language): string {
  return `/pay/${payment.pageSlug}/${toWire('pay', payment.id)}?lang=${language}`
}

export function receiptPath(payment: Pick<PaymentView, 'id'>, language: Language): string {
  return `/r/${toWire('pay', payment.id)}?lang=${language}`
}

/** The facts of a payment, for receipts and for whoever asks about one. */
function factsHtml(payment: PaymentView, language: Language): Html {
  const t = messagesOf[language]
  const network = payment.network === null ? '' : ` (${networkNames[payment.network]})`
  return html`<dl>
    <dt>${t.payTo}</dt>
    <dd>${payment.merchantName}</dd>
    <dt>${t.paidFor}</dt>
    <dd>${payment.pageTitle}</dd>
    ${
      payment.completedAt !== null &&
      html`<dt>${t.paidFrom}</dt>
        <dd>${maskPhone(payment.phoneNumber)}${network}</dd>
        <dt>${t.paidAt}</dt>
        <dd>${dateTime(payment.completedAt, language)} <small>(${t.eastAfricaTime})</small></dd>`
    }
    <dt>${t.reference}</dt>
    <dd class="ref">${toWire('pay', payment.id)}</dd>
  </dl>`
}

// Drawn by the style: the character for it is missing on many cheap phones.
const tick = html`<span class="tick"></span>`

function headHtml(kind: 'ok' | 'no' | 'hm', sign: Insertable, title: string, payment: PaymentView): Html {
  return html`<span class="mark ${kind}" aria-hidden="true">${sign}</span>
    <h1>${title}</h1>
    <p class="sum">${money(payment.amount)}</p>`
}

const amountsAndNames = /(TSh [\d,]+|M-Pesa|0\d{3} ••• \d{3})/

/** A sentence whose amounts, numbers and names stand out and never end up on two lines. */
function unbroken(sentence: string): Html[] {
  return sentence
    .split(amountsAndNames)
    .map((part, index) => (index % 2 === 1 ? html`<b class="one">${part}</b>` : html`${part}`))
}

function waitingTitle(payment: PaymentView, phase: 'waiting' | 'confirming', language: Language): string {
  const t = messagesOf[language]
  if (payment.isCancelRequested) return t.cancellingTitle
  return phase === 'waiting' ? t.waitTitle : t.confirmingTitle
}

/** One button that works without script. */
function actionHtml(screen: PaymentScreen, name: 'resend' | 'cancel', label: string, attributes: Html = html``): Html {
  const { payment, language } = screen
  return html`<form method="post" action="/pay/${payment.pageSlug}/${toWire('pay', payment.id)}/${name}">
    <input type="hidden" name="lang" value="${language}" /><button class="second" ${attributes}>${label}</button>
  </form>`
}

/** The prompt again: a button now, or from when there will be one. The script counts down and frees it; without script the reload does. */
function resendHtml(screen: PaymentScreen): Html | undefined {
  const { payment, language, nowMs, isPayer } = screen
  const t = messagesOf[language]
  if (!isPayer) return undefined
  if (payment.pushes >= pushesAtMost) return html`<p><small>${t.resendSpent}</small></p>`
  if (payment.resendAt === null) return undefined
  const seconds = payment.canResend ? 0 : Math.max(1, Math.ceil((payment.resendAt.getTime() - nowMs) / 1000))
  return html`${actionHtml(screen, 'resend', t.resend, seconds > 0 ? html`id="again" data-in="${String(seconds)}" disabled` : undefined)}${
    seconds > 0 && html`<p><small id="soon">${t.resendIn(seconds)}</small></p>`
  }`
}

function waitingHtml(screen: PaymentScreen, phase: 'waiting' | 'confirming'): Html {
  const { payment, language, nowMs, statusUrl, refreshes } = screen
  const t = messagesOf[language]
  const network = payment.network === null ? undefined : networkNames[payment.network]
  const path = paymentPath(payment, language)
  const isSlow = phase === 'confirming' || nowMs - payment.createdAt.getTime() >= slowAfterMs
  const steps =
    phase === 'waiting' &&
    !payment.isCancelRequested &&
    html`<ol>
      <li>${unbroken(t.waitSent(maskPhone(payment.phoneNumber), network))}</li>
      <li>${unbroken(t.waitPin(network, money(payment.amount)))}</li>
      <li>${t.waitStay}</li>
    </ol>`
  return html`<div class="card" id="wait" data-url="${statusUrl}" data-status="${payment.status}">
      <h1>${waitingTitle(payment, phase, language)}</h1>
      <p class="sum">${money(payment.amount)}</p>
      <p>${payment.merchantName} · ${payment.pageTitle}</p>
      ${steps}${payment.isCancelRequested && html`<p class="note">${t.cancelling}</p>`}
      <div role="status">
        <p><span class="turn"></span>${t.waiting}</p>
        <p class="note" id="slow" ${!isSlow && html` hidden`}>${t.unsure}</p>
        <p class="note" id="offline" hidden>${t.offline}</p>
      </div>
      <a class="button second" href="${path}">${t.checkAgain}</a
      ><noscript><a class="more" href="${path}${refreshes && '&auto=0'}">${refreshes ? t.autoOff : t.autoOn}</a></noscript>
    </div>
    ${
      phase === 'waiting' &&
      !payment.isCancelRequested &&
      html`<details>
        <summary>${t.noPrompt}</summary>
        <ul>
          ${t.noPromptSteps.map((step) => html`<li>${step}</li>`)}
        </ul>
        ${resendHtml(screen)}
      </details>`
    }${screen.isPayer && !payment.isCancelRequested && actionHtml(screen, 'cancel', t.cancel)}
    <p><small>${t.reference}: ${toWire('pay', payment.id)}</small></p>`
}

/** The page of one payment: the truth of this moment. */
export function paymentHtml(screen: PaymentScreen): Html {
  const { payment, language, nowMs, successMessage, refreshes } = screen
  const t = messagesOf[language]
  const isTest = payment.environment === 'test'
  const form = `/pay/${payment.pageSlug}?lang=${language}`
  const phase = phaseOf(payment, nowMs)
  switch (phase) {
    case 'waiting':
    case 'confirming':
      return screenHtml({
        language,
        title: waitingTitle(payment, phase, language),
        isTest,
        head: refreshes ? html`<noscript><meta http-equiv="refresh" content="10" /></noscript>` : undefined,
        body: waitingHtml(screen, phase),
      })
    case 'completed':
      return screenHtml({
        language,
        title: t.doneTitle,
        isTest,
        body: html`<div class="card" role="status">
            ${headHtml('ok', tick, t.doneTitle, payment)}${successMessage && html`<p class="text">${successMessage}</p>`}
          </div>
          <div class="card">
            ${factsHtml(payment, language)}<a class="button second" href="${receiptPath(payment, language)}">${t.receiptOpen}</a>
          </div>`,
      })
    case 'failed': {
      const failure = payment.failureCode === null ? undefined : failures[payment.failureCode]
      const reason = language === 'sw' ? failure?.messageSw : failure?.message
      return screenHtml({
        language,
        title: t.failedTitle,
        isTest,
        body: html`<div class="card" role="alert">
            ${headHtml('no', '!', t.failedTitle, payment)}
            <p><b>${t.noMoneyTaken}</b></p>
            <p>${reason ?? t.failedUnexplained}</p>
          </div>
          <p><a class="button" href="${form}">${failure?.retryable === false ? t.anotherNumber : t.tryAgain}</a></p>
          <div class="card">${factsHtml(payment, language)}</div>`,
      })
    }
    case 'voided':
      return screenHtml({
        language,
        title: t.voidedTitle,
        isTest,
        body: html`<div class="card" role="status">
            ${headHtml('hm', '–', t.voidedTitle, payment)}
            <p><b>${t.noMoneyTaken}</b></p>
          </div>
          <p><a class="button" href="${form}">${t.startAgain}</a></p>
          <div class="card">${factsHtml(payment, language)}</div>`,
      })
    case 'expired':
      return screenHtml({
        language,
        title: t.expiredTitle,
        isTest,
        body: html`<div class="card" role="status">
            ${headHtml('hm', '–', t.expiredTitle, payment)}
            <p>${t.expiredText}</p>
          </div>
          <p><a class="button" href="${form}">${t.startAgain}</a></p>
          <div class="card">${factsHtml(payment, language)}</div>`,
      })
  }
}

/** The receipt of a completed payment: anybody who holds its link may see it, so it shows no more than the public status. */
export function receiptHtml(payment: PaymentView, language: Language): Html {
  const t = messagesOf[language]
  return screenHtml({
    language,
    title: t.receiptTitle,
    isTest: payment.environment === 'test',
    body: html`<div class="card">
      <h1>${t.receiptTitle}</h1>
      <p class="sum">${money(payment.amount)}</p>
      <p><b>${t.doneTitle}</b></p>
      ${factsHtml(payment, language)}
    </div>`,
  })
}
