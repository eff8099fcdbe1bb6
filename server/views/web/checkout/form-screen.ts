/** The form: the payment, the merchant, and the three or four fields for the payer. */
import { nameForPayers } from '../../../domain/merchant.ts'
import { ceilingAmount } from '../../../collect/pages/page.ts'
import { troubleOf, troubleTexts } from '../../../money/controls/payer-guide.ts'
import type { NetworkView } from '../../../money/controls/read-networks.ts'
import type { OpenPage } from '../../../collect/pages/page.sql.ts'
import { networkPrefixes, prefixesWithoutNetwork } from '../../../domain/phone.ts'
import type { PayerError } from '../../../collect/payments/checkout-rules.ts'
import type { ShownBrand } from './brand-look.ts'
import { customFieldsHtml, customProblemsHtml, type CustomTyped } from './custom-fields.ts'
import { money } from './format.ts'
import { html, type Html } from './html.ts'
import { extraStyles, scripts, type Extra } from './look.ts'
import { anyLimits, messagesOf, type AmountLimits, type Language } from './messages.ts'
import type { FieldName, Problem, Typed } from './payment-form.ts'
import { merchantHtml, screenHtml } from './screen.ts'

/** The fields of a page that the form needs, for a saved page or a preview. */
export type FormPage = Pick<
  OpenPage,
  | 'slug'
  | 'title'
  | 'description'
  | 'amount'
  | 'allowCustomAmount'
  | 'minAmount'
  | 'maxAmount'
  | 'environment'
  | 'merchantName'
  | 'merchantKind'
  | 'merchantStatus'
  | 'customFields'
>

export type FormView = {
  page: FormPage
  language: Language
  idempotencyKey: string
  /** Empty on the first view. */
  typed?: Typed
  problems?: Problem[]
  /** The same for the page's own fields. */
  custom?: CustomTyped
  customProblems?: PayerError[]
  /** The current status of the networks. */
  networks: NetworkView[]
  /** The notice about earlier payments of this browser on this page. */
  notice?: { text: string; href: string; label: string }
  /** Earlier payments that the notice reports as paid. */
  seen?: string[]
  query?: string
  help?: Html
  brand?: ShownBrand
}

/** In sentences no line ends within an amount. */
const unbroken = (amount: number): string => money(amount).replace(' ', '\u00a0')

function limitsOf(page: FormPage): AmountLimits {
  return {
    least: unbroken(page.minAmount),
    most: unbroken(page.maxAmount ?? ceilingAmount),
    fixed: unbroken(page.amount ?? page.minAmount),
  }
}

/** A notice about network problems before the payer enters a number; nothing while all networks work. */
function networksHtml(networks: NetworkView[], language: Language): Html | undefined {
  if (networks.every(({ isSwitchedOff }) => isSwitchedOff))
    return html`<div class="test" role="status"><p>${messagesOf[language].networksAllOff}</p></div>`
  const said = (['off', 'down', 'degraded'] as const).flatMap((trouble) => {
    const names = networks.filter((network) => troubleOf(network) === trouble).map(({ name }) => name)
    return names.length === 0 ? [] : [[names.join(', '), troubleTexts[trouble][language]]]
  })
  if (said.length === 0) return undefined
  return html`<div class="test" role="status">
    ${said.map(([names, sentence]) => html`<p><b>${names}:</b> ${sentence}</p>`)}
  </div>`
}

/** The network of the number: a guess that the script shows while the number is typed, and that the payer can change. */
function networkHtml(networks: NetworkView[], chosen: string, language: Language): Html {
  const t = messagesOf[language]
  const options = networks.map(({ network, name, isSwitchedOff }) => {
    const prefixes = networkPrefixes.find((one) => one.network === network)?.prefixes ?? []
    const label = isSwitchedOff ? `${name} (${t.networkNotReachable})` : name
    return html`<option value="${network}" data-p="${prefixes.join(' ')}" ${network === chosen && html` selected`}>${label}</option>`
  })
  return html`<p class="slot" role="status"><span class="err" id="other" data-p="${prefixesWithoutNetwork.join(' ')}" hidden>${t.errors(anyLimits).network_unsupported}</span></p>
    <p class="line">
      <label for="network">${t.network}</label
      ><select id="network" name="network" data-from="${t.networkGuessed}">
        <option value="">${t.networkGuess}</option>
        ${options}
      </select>
    </p>`
}

/** A longer description would push the button off a small screen, so it opens when the payer wants it. */
const longDescription = 60

function descriptionHtml(description: string, language: Language): Html {
  const text = html`<p class="text">${description}</p>`
  if (description.length <= longDescription && !description.includes('\n')) return text
  return html`<details>
    <summary>${messagesOf[language].about}</summary>
    ${text}
  </details>`
}

/** Offers the number and name that this phone remembers, if its payer asked for that. They stay in the browser: only the script fills it. */
function knownHtml(language: Language): Html {
  const t = messagesOf[language]
  return html`<p id="known" hidden>
    <button type="button" class="second" id="use" data-text="${t.rememberUse}"></button
    ><button type="button" class="second quiet" id="forget">${t.rememberForget}</button>
  </p>`
}

/** Amounts that people often give. */
const usualAmounts = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
const quickAmounts = 4

/** Buttons that fill in the amount; they need the script. */
function quickHtml({ minAmount, maxAmount }: FormPage, language: Language): Html | undefined {
  const amounts = usualAmounts
    .filter((amount) => amount >= minAmount && amount <= (maxAmount ?? ceilingAmount))
    .slice(0, quickAmounts)
  if (amounts.length < 2) return undefined
  return html`<p id="quick" role="group" aria-label="${messagesOf[language].quickAmounts}" hidden>
    ${amounts.map((amount) => html`<button type="button" class="second">${amount.toLocaleString('en')}</button>`)}
  </p>`
}

/** What this form needs beyond the usual one. */
export function extraOf({
  page,
  problems = [],
  customProblems = [],
}: Pick<FormView, 'problems' | 'customProblems'> & { page: FormPage }): Extra | undefined {
  if (page.allowCustomAmount || page.amount === null) return 'amount'
  return problems.length + customProblems.length > 0 ? 'errors' : undefined
}

export function formHtml(view: FormView): Html {
  const { page, language, idempotencyKey, typed, problems = [], networks, notice, seen = [], query } = view
  const { custom = {}, customProblems = [] } = view
  const t = messagesOf[language]
  const limits = limitsOf(page)
  const errors = t.errors({ ...limits, waitSeconds: problems.find(({ waitSeconds }) => waitSeconds !== undefined)?.waitSeconds })
  const isTest = page.environment === 'test'
  const fixedAmount = page.allowCustomAmount ? null : page.amount

  const field = (name: FieldName, label: string, hint: string | undefined, attributes: Html, value: string): Html => {
    const problem = problems.find((one) => one.field === name)
    const described = [hint !== undefined && `${name}-hint`, problem && `${name}-error`].filter(Boolean).join(' ')
    return html`<label for="${name}">${label}</label>${
      hint !== undefined && html` <small id="${name}-hint">${hint}</small>`
    }${problem && html`<span class="err" id="${name}-error">${errors[problem.code]}</span>`}<input
        id="${name}"
        name="${name}"
        value="${value}"
        ${attributes}${described !== '' && html` aria-describedby="${described}"`}${problem && html` aria-invalid="true"`}
      />`
  }

  const isWrong = problems.length + customProblems.length > 0
  const earlier = notice && html`<p>${notice.text} <a class="dial" href="${notice.href}">${notice.label}</a></p>`
  const summary =
    isWrong &&
    html`<div class="bad" id="news" role="alert" tabindex="-1" autofocus data-mark="${t.errorTitle}">
      <h2>${t.errorSummary}</h2>
      <ul>
        ${problems.map(({ field: name, code }) =>
          name === null || (name === 'amount' && fixedAmount !== null)
            ? html`<li><a href="#send">${errors[code]}</a></li>`
            : html`<li><a href="#${name}">${errors[code]}</a></li>`,
        )}${customProblemsHtml(customProblems, language)}
      </ul>
      ${earlier}
    </div>`
  // One notice above the form: what is wrong now, with what was paid before; else that alone; else the state of the networks.
  const ofNetworks = networksHtml(networks, language)
  const above = summary || (earlier && html`<div class="note">${earlier}</div>`) || ofNetworks
  const besideNetwork = above === ofNetworks ? undefined : ofNetworks

  const amount =
    fixedAmount === null
      ? field(
          'amount',
          t.amount,
          t.amountHint(limits),
          html`required inputmode="numeric" autocomplete="off" maxlength="20" data-least="${page.minAmount}" data-most="${page.maxAmount ?? ceilingAmount}"`,
          typed?.amount ?? page.amount?.toLocaleString('en') ?? '',
        )
      : // The price that the payer saw returns with the form: a price that has changed meanwhile is refused, never charged unseen.
        html`<input type="hidden" name="amount" value="${fixedAmount}" />`

  const payLabel = fixedAmount === null ? t.pay : t.payAmount(money(fixedAmount))
  const body = html`${above}
    <div class="card top">
      ${merchantHtml({ name: nameForPayers(page.merchantName, language), isVerified: page.merchantKind === 'business' && page.merchantStatus === 'verified', brand: view.brand }, language)}
      <h1>${page.title}</h1>
      ${fixedAmount !== null && html`<p class="sum">${money(fixedAmount)}</p>`}${page.description && descriptionHtml(page.description, language)}
    </div>
    <form id="pay" method="post" action="/pay/${page.slug}" novalidate>
      <input type="hidden" name="idempotency_key" value="${idempotencyKey}" /><input
        type="hidden"
        name="lang"
        value="${language}"
      />${seen.length > 0 && html`<input type="hidden" name="seen" value="${seen.join('.')}" />`}${amount}${fixedAmount === null && quickHtml(page, language)}${knownHtml(language)}${field(
        'phone_number',
        t.phone,
        t.phoneHint,
        html`required type="tel" inputmode="tel" autocomplete="tel" maxlength="40"`,
        typed?.phone_number ?? '',
      )}${networkHtml(networks, typed?.network ?? '', language)}${besideNetwork}${field(
        'customer_name',
        t.name,
        undefined,
        html`required autocomplete="name" maxlength="120"`,
        typed?.customer_name ?? '',
      )}${customFieldsHtml(page.customFields, { typed: custom, errors: customProblems, language })}<details ${(typed?.customer_email ?? '') !== '' && html` open`}>
        <summary>${t.optional}</summary>
        ${field(
          'customer_email',
          t.email,
          undefined,
          html`type="email" inputmode="email" autocomplete="email" maxlength="254"`,
          typed?.customer_email ?? '',
        )}
        <label class="keep" hidden><input type="checkbox" id="keep" />${t.remember}</label>
      </details>
      <button id="send" class="own" data-busy="${t.sending}">${payLabel}</button>
      <p><small>${t.nextStep}</small></p>
      <p>
        <small>${t.consent}</small> <a class="dial" href="/privacy?lang=${language}" target="_blank" rel="noopener">${t.consentLink}</a>
      </p>
    </form>`

  const title = `${isWrong ? t.errorTitle : ''}${page.title}`
  const { help, brand } = view
  const extra = extraOf(view)
  const head = extra === 'amount' ? extraStyles.amount : undefined
  const more = extra && scripts.correct
  return screenHtml({ language, title, isTest, testNumbers: t.testNumbers, query, head, script: 'form', more, body, help, brand })
}
