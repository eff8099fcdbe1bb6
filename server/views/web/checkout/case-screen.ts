/**
 * The pages of a payer who says that money was taken: the form, and the case with its answer. Invariant: they show nothing about any other
 * payment, and say that money was received or not taken only with the proof of the case.
 */
import { nameForPayers } from '../../../domain/merchant.ts'
import type { PaymentView } from '../../../collect/payments/payment.sql.ts'
import { toWire } from '../../../platform/ids.ts'
import { byLanguage } from '../../../domain/texts.ts'
import { publicCaseOf, type SupportCase } from '../../../collect/support-cases/support-case.ts'
import { dateTime, money } from './format.ts'
import { html, type Html } from './html.ts'
import { anyLimits, messagesOf, type Language } from './messages.ts'
import { heldText, paymentPath, receiptPath } from './payment-screen.ts'
import { screenHtml } from './screen.ts'

export const caseFields = ['sms_number', 'email', 'amount', 'phone', 'time', 'words'] as const
export type CaseField = (typeof caseFields)[number]
/** The exact input, so that it can be shown again. */
export type TypedCase = Record<CaseField, string>
export type CaseProblem = Exclude<CaseField, never>

const textsOf = byLanguage({
  formTitle: ['Was money taken from your phone?', 'Pesa imekatwa kwenye simu yako?'],
  intro: [
    'We ask the mobile network about this payment, and show you its answer here. Most answers take less than a minute. Do not pay again before that.',
    'Tunauliza mtandao wa simu kuhusu malipo haya, na tunakuonyesha jibu lake hapa. Majibu mengi huchukua chini ya dakika moja. Usilipe tena kabla ya hapo.',
  ],
  number: ['Number in the network’s message', 'Namba iliyo kwenye ujumbe wa mtandao'],
  numberHint: [
    'It is in the SMS that says that money left, for example S46121174212. You can also paste the whole message.',
    'Iko kwenye SMS inayosema pesa imetoka, mfano S46121174212. Unaweza pia kubandika ujumbe wote.',
  ],
  email: ['E-mail for the answer (optional)', 'Barua pepe ya kupokea jibu (si lazima)'],
  emailHint: ['Without it, the answer is only on the next page.', 'Bila hiyo, jibu litakuwa kwenye ukurasa unaofuata tu.'],
  more: ['Tell us more (optional)', 'Tuambie zaidi (si lazima)'],
  amount: ['Amount that left, in TSh', 'Kiasi kilichotoka, kwa TSh'],
  phone: ['Phone that paid', 'Simu iliyolipa'],
  time: ['When, as in the message', 'Wakati, kama ulivyo kwenye ujumbe'],
  words: ['Anything else', 'Jambo lingine'],
  send: ['Ask the network', 'Uliza mtandao'],
  never: ['Never give anyone your PIN. We do not ask for it.', 'Usimpe mtu yeyote namba yako ya siri (PIN). Sisi hatuiombi.'],
  privacy: ['We use this only to answer you.', 'Tunatumia taarifa hizi kukujibu tu.'],
  problems: {
    sms_number: [
      'Enter the number in the network’s message. It has at least six letters or digits.',
      'Weka namba iliyo kwenye ujumbe wa mtandao. Ina herufi au tarakimu sita au zaidi.',
    ],
    email: ['This is not an e-mail address, such as asha@example.com.', 'Hii si barua pepe, mfano asha@example.com.'],
    amount: ['Enter the amount in digits, for example 5000.', 'Weka kiasi kwa tarakimu, mfano 5000.'],
    phone: [
      'This is not a phone number in Tanzania, for example 0754\u00a0123\u00a0456.',
      'Hii si namba ya simu ya Tanzania, mfano 0754\u00a0123\u00a0456.',
    ],
    time: ['Write the time in one line of at most 60 characters.', 'Andika wakati kwa mstari mmoja, herufi zisizozidi 60.'],
    words: ['Write at most 300 characters in one line.', 'Andika herufi zisizozidi 300 kwa mstari mmoja.'],
  },
  correct: ['Please correct:', 'Tafadhali rekebisha:'],
  caseTitle: ['Your report', 'Ripoti yako'],
  asking: ['We are asking the network', 'Tunauliza mtandao'],
  askingText: [
    'This page shows the answer by itself, usually within a minute. You may close it and open it again later. Do not pay again.',
    'Ukurasa huu utaonyesha jibu wenyewe, kwa kawaida ndani ya dakika moja. Unaweza kuufunga na kuufungua baadaye. Usilipe tena.',
  ],
  received: ['Your payment was received', 'Malipo yako yamepokelewa'],
  receivedText: (merchant: string) => [
    `${merchant} has the money. You do not need to pay again.`,
    `${merchant} amepata pesa. Huhitaji kulipa tena.`,
  ],
  receiptNumber: ['Network receipt number', 'Namba ya risiti ya mtandao'],
  openReceipt: ['Open the receipt', 'Fungua risiti'],
  noMoney: ['The network says that no money was taken', 'Mtandao unasema hakuna pesa iliyokatwa'],
  noMoneyText: (time: string) => [
    `This is what the network’s records say about this payment. Known since ${time}.`,
    `Hivi ndivyo kumbukumbu za mtandao zinavyosema kuhusu malipo haya. Imejulikana tangu ${time}.`,
  ],
  noMoneyElse: [
    'Compare it with your balance. If the money has really left, tell us: people will check it with the network.',
    'Linganisha na salio lako. Kama pesa imetoka kweli, tuambie: watu watakagua na mtandao.',
  ],
  disagree: ['The money has left my phone', 'Pesa imetoka kwenye simu yangu'],
  withTeam: ['Our team has your case', 'Timu yetu ina suala lako'],
  withTeamText: [
    'The network’s answer was no proof, so people are checking it. They have your number and all answers of the network. Do not pay again before you have our answer.',
    'Jibu la mtandao halikuwa uthibitisho, hivyo watu wanalikagua. Wana namba yako na majibu yote ya mtandao. Usilipe tena kabla ya kupata jibu letu.',
  ],
  numberDiffers: [
    'The number that you gave is not the one of this payment. Our team checks whether money was taken twice.',
    'Namba uliyotoa si ya malipo haya. Timu yetu inakagua kama pesa imekatwa mara mbili.',
  ],
  disagreed: [
    'The network says that no money was taken for this payment. You told us otherwise, so our team is checking it.',
    'Mtandao unasema hakuna pesa iliyokatwa kwa malipo haya. Umetuambia tofauti, hivyo timu yetu inalikagua.',
  ],
  closed: ['Our team has answered', 'Timu yetu imejibu'],
  decisions: {
    received: ['The payment was received.', 'Malipo yamepokelewa.'],
    no_money: ['No money was taken for this payment.', 'Hakuna pesa iliyokatwa kwa malipo haya.'],
    other: ['Our team has looked at your case.', 'Timu yetu imeangalia suala lako.'],
  },
  ends: (tail: string) => [`Number of your message: ending in ${tail}`, `Namba ya ujumbe wako: inaishia na ${tail}`],
  reference: ['Reference of your report', 'Kumbukumbu ya ripoti yako'],
  reportedAt: ['Reported', 'Imeripotiwa'],
  back: ['Back to the payment', 'Rudi kwenye malipo'],
  eat: ['East Africa Time', 'saa za Afrika Mashariki'],
})

export function reportPath(payment: Pick<PaymentView, 'id'>, language: Language): string {
  return `/c/new/${toWire('pay', payment.id)}?lang=${language}`
}

export function casePath(caseId: string, language: Language): string {
  return `/c/${toWire('case', caseId)}?lang=${language}`
}

/** A report that was refused. `tooOften`: for no fault of its fields. */
export type RefusedCase = {
  typed: TypedCase
  problems: CaseProblem[]
  tooOften?: { waitSeconds?: number | undefined } | undefined
}

export type CaseForm = RefusedCase & { payment: PaymentView; language: Language; help: Html }

function paymentLine(payment: PaymentView, language: Language): Html {
  return html`<p class="sum">${money(payment.amount)}</p>
    <p class="for"><b>${nameForPayers(payment.merchantName, language)}</b> · ${payment.pageTitle}</p>`
}

/** The form in which a payer reports that money was taken for this payment. */
export function caseFormHtml({ payment, language, typed, problems, tooOften, help }: CaseForm): Html {
  const t = textsOf[language]
  const input = (name: CaseField, label: string, { hint, more = html`` }: { hint?: string; more?: Html } = {}): Html => {
    const isWrong = problems.includes(name)
    const described = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isWrong ? [`${name}-err`] : [])].join(' ')
    return html`<label for="${name}">${label}</label>
      ${hint !== undefined && html`<small class="hint" id="${name}-hint">${hint}</small>`}
      ${isWrong && html`<span class="err" id="${name}-err">${t.problems[name]}</span>`}
      <input id="${name}" name="${name}" value="${typed[name]}" ${described !== '' && html`aria-describedby="${described}"`} ${isWrong && html`aria-invalid="true"`} ${more} />`
  }
  const isMoreOpen = (['amount', 'phone', 'time', 'words'] as const).some((name) => typed[name] !== '')
  return screenHtml({
    language,
    title: t.formTitle,
    isTest: payment.environment === 'test',
    script: null,
    body: html`${
      tooOften &&
      html`<div class="bad" role="alert" tabindex="-1" id="news">
        <p>${messagesOf[language].errors({ ...anyLimits, ...tooOften }).rate_limited}</p>
      </div>`
    }${
      problems.length > 0 &&
      html`<div class="bad" role="alert" tabindex="-1" id="news">
        <p>${t.correct}</p>
        <ul>
          ${problems.map((name) => html`<li><a href="#${name}">${t.problems[name]}</a></li>`)}
        </ul>
      </div>`
    }
      <div class="card">
        <h1>${t.formTitle}</h1>
        ${paymentLine(payment, language)}
        <p>${t.intro}</p>
        <form method="post" action="/c/new/${toWire('pay', payment.id)}">
          <input type="hidden" name="lang" value="${language}" />
          ${input('sms_number', t.number, { hint: t.numberHint, more: html`required autocomplete="off" autocapitalize="characters" maxlength="600"` })}
          ${input('email', t.email, { hint: t.emailHint, more: html`type="email" autocomplete="email" maxlength="254"` })}
          <details ${isMoreOpen && html`open`}>
            <summary>${t.more}</summary>
            ${input('amount', t.amount, { more: html`inputmode="numeric" maxlength="20"` })}
            ${input('phone', t.phone, { more: html`type="tel" autocomplete="tel" maxlength="30"` })}
            ${input('time', t.time, { more: html`maxlength="60"` })}
            ${input('words', t.words, { more: html`maxlength="300"` })}
          </details>
          <button>${t.send}</button>
        </form>
        <p><small>${t.privacy} ${t.never}</small></p>
      </div>
      <a class="button second" href="${paymentPath(payment, language)}">${t.back}</a>
      ${help}`,
  })
}

/** The page of a case without an answer is loaded again after this time, with or without script. A case is asked about for a minute. */
const askedAgainSeconds = 5

export type CaseScreen = { payment: PaymentView; one: SupportCase; language: Language; help: Html }

/** What is known about the money now: the books are newer than the answer of the case. */
function findingNow({ payment, one }: CaseScreen): SupportCase['finding'] {
  if (payment.isTakenBack) return one.finding === 'received' ? null : one.finding
  return payment.status === 'completed' ? 'received' : one.finding
}

function receivedHtml({ payment, language }: CaseScreen): Html {
  const t = textsOf[language]
  return html`<p>${t.receivedText(nameForPayers(payment.merchantName, language))}</p>
    <dl>
      <div>
        <dt>${messagesOf[language].shortCode}</dt>
        <dd>${payment.shortCode}</dd>
      </div>
      ${
        payment.networkReceipt !== null &&
        html`<div>
          <dt>${t.receiptNumber}</dt>
          <dd>${payment.networkReceipt}</dd>
        </div>`
      }
    </dl>
    <a class="button" href="${receiptPath(payment, language)}">${t.openReceipt}</a>`
}

/** The case was answered with a credit that was taken back since. */
function takenBackHtml({ payment, language }: CaseScreen): Html {
  const t = messagesOf[language]
  return html`<h1>${t.takenBackTitle}</h1>
    <p>${t.takenBackText(nameForPayers(payment.merchantName, language))}</p>`
}

function answerHtml(screen: CaseScreen): Html {
  const { one, language } = screen
  const t = textsOf[language]
  const finding = findingNow(screen)
  if (finding === 'received') return html`<h1>${t.received}</h1>${receivedHtml(screen)}`
  const said =
    finding === null
      ? takenBackHtml(screen)
      : html`<h1>${t.noMoney}</h1>
          <p class="safe">${t.noMoneyText(`${dateTime(one.provenAt!, language)} (${t.eat})`)}</p>`
  return html`${said}
    <p>${t.noMoneyElse}</p>
    <form method="post" action="/c/${toWire('case', one.id)}/disagree">
      <input type="hidden" name="lang" value="${language}" /><button class="second">${t.disagree}</button>
    </form>`
}

function withOperatorsHtml(screen: CaseScreen): Html {
  const t = textsOf[screen.language]
  switch (findingNow(screen)) {
    case 'received':
      return html`<h1>${t.received}</h1>
        ${receivedHtml(screen)}
        ${screen.one.escalatedBecause === 'number_differs' && html`<p class="note">${t.numberDiffers}</p>`}`
    case 'no_money':
      return html`<h1>${t.withTeam}</h1>
        <p>${t.disagreed}</p>`
    case null:
      return html`<h1>${t.withTeam}</h1>
        <p>${t.withTeamText}</p>`
  }
}

function closedHtml(screen: CaseScreen): Html {
  const { one, language } = screen
  const t = textsOf[language]
  const isReceived = findingNow(screen) === 'received'
  if (one.decision === 'received' && !isReceived) return takenBackHtml(screen)
  return html`<h1>${t.closed}</h1>
    <p><b>${t.decisions[isReceived ? 'received' : one.decision!]}</b></p>
    ${one.decisionMessage !== null && html`<p class="text">${one.decisionMessage}</p>`}
    ${isReceived && receivedHtml(screen)}`
}

/** Money has arrived that does not match the payment: an earlier answer that none was taken is no longer true. */
function heldHtml({ payment, language }: CaseScreen): Html {
  const title = payment.heldMoney === 'under_review' ? textsOf[language].withTeam : messagesOf[language].failedTitle
  return html`<h1>${title}</h1>
    <p>${heldText(payment, language)}</p>`
}

/** The page of a case, for everyone with its address. It shows no name and no whole number that a payer typed. */
export function caseHtml(screen: CaseScreen): Html {
  const { payment, one, language, help } = screen
  const t = textsOf[language]
  const { state } = publicCaseOf(one)
  const isHeld = payment.heldMoney !== null && state !== 'closed'
  const isOpen = !isHeld && (state === 'open' || state === 'asking')
  const body = isHeld
    ? heldHtml(screen)
    : isOpen
      ? html`<h1>${t.asking}</h1>
          <p role="status" id="ask"><span class="turn"></span>${t.askingText}</p>`
      : state === 'answered'
        ? answerHtml(screen)
        : state === 'with_operators'
          ? withOperatorsHtml(screen)
          : closedHtml(screen)
  return screenHtml({
    language,
    title: t.caseTitle,
    isTest: payment.environment === 'test',
    script: isOpen ? 'page' : null,
    head: isOpen ? html`<noscript><meta http-equiv="refresh" content="${askedAgainSeconds}" /></noscript>` : undefined,
    body: html`<div class="card">
        <small>${t.caseTitle}</small>
        ${paymentLine(payment, language)}${body}
      </div>
      <div class="card">
        <p>
          <small
            >${one.smsNumber !== null && html`${t.ends(one.smsNumber.slice(-4))}<br />`}${t.reportedAt}:
            ${dateTime(one.createdAt, language)} (${t.eat})</small
          >
        </p>
        <p class="ref">${t.reference}: ${toWire('case', one.id)}</p>
      </div>
      <a class="button second" href="${paymentPath(payment, language)}">${t.back}</a>
      ${help}`,
  })
}
