/**
 * The screens of customers' phones, each in the style of its network. Invariant: all of it works without JavaScript, and a button
 * is only under an open prompt that waits for a person.
 */
import { openPrompt, type Charge, type Prompt } from './charge.ts'
import type { AccountName } from './config.ts'
import { html, page, part, type Html } from './phone-frame.ts'
import { wordsOf } from './phone-words.ts'
import { networkOf } from './phones.ts'
import { failureWords } from './scenarios.ts'

const shillings = (amount: number): string => `TSh\u00a0${amount.toLocaleString('en-US')}`

const localForm = (phone: string): string => `0${phone.slice(3, 6)} ${phone.slice(6, 9)} ${phone.slice(9)}`

const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Dar_es_Salaam', hour: '2-digit', minute: '2-digit' })
const exactClock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Dar_es_Salaam', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Dar_es_Salaam', dateStyle: 'short' })

const accountTag = (account: AccountName): Html =>
  html`<span class="${account.endsWith('live') ? 'tag live' : 'tag'}">${account.toUpperCase()}</span>`

type Ringing = { charge: Charge; prompt: Prompt }

/** The newest open prompts, newest first. */
export function ringingOf(charges: readonly Charge[], now: number): Ringing[] {
  return charges
    .flatMap((charge) => {
      const prompt = openPrompt(charge, now)
      return prompt ? [{ charge, prompt }] : []
    })
    .toSorted((a, b) => b.prompt.openedAt - a.prompt.openedAt)
}

/** A phone and its charges. `scenario` describes the number's automatic behaviour, null when it waits for a person. */
export type Phone = { number: string; charges: readonly Charge[]; scenario: Pick<ScenarioNote, 'about' | 'sw'> | null }

type Surroundings = {
  merchantName: string
  /** The newest charges of all phones. */
  recent: readonly Charge[]
  notes: readonly ScenarioNote[]
  now: number
}

export type ScenarioNote = { suffix: string; about: string; sw: string }

/** Several phones side by side, and a field for any other. `problem` is shown under the field. */
export function phoneWall(
  phones: readonly Phone[],
  field: { typed: string; problem: string | null },
  around: Surroundings,
): string {
  const { typed, problem } = field
  const waiting = phones.findIndex((phone) => phone.scenario === null && ringingOf(phone.charges, around.now).length > 0)
  const top = html`<div>
      <h1>Simu za wateja</h1>
      <p>Simu za wateja, zinazoigizwa na kiigaji cha mtoa huduma. Hakuna pesa halisi.</p>
      <p lang="en">Customers’ phones, played by the provider simulator. No real money moves.</p>
    </div>
    <form class="pick" method="get" action="/phone">
      <div>
        <label for="number">Fungua simu nyingine</label>
        <input
          class="tel"
          id="number"
          name="number"
          type="tel"
          inputmode="tel"
          autocomplete="off"
          required
          maxlength="20"
          placeholder="0712 345 678"
          value="${typed}"
        />
      </div>
      <button type="submit">Fungua</button>
      ${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
    </form>`
  return page('Simu za wateja', waiting < 0 ? 5 : 20, {
    top,
    phones: phones.map((phone, index) => phoneHtml(phone, around, { isAlone: false, takesFocus: index === waiting })),
    below: belowHtml(around, null),
  })
}

export function phoneScreen(phone: Phone, around: Surroundings): string {
  const ringing = ringingOf(phone.charges, around.now)
  const newest = ringing[0]
  const more =
    ringing.length > 1
      ? html`<p>Maombi mengine yaliyo wazi kwenye namba hii, yatakayofuata hili: ${ringing.length - 1}.
          <span lang="en">(More open prompts on this number, shown after this one.)</span></p>`
      : null
  const seconds = newest && phone.scenario === null ? Math.max(1, Math.ceil((newest.prompt.closesAt - around.now) / 1000)) : 3
  return page(`Simu ${localForm(phone.number)}`, seconds, {
    top: html`<div><h1>Simu ya mteja</h1></div>
      <p><a href="/phone">Simu zote <span lang="en">(All phones)</span></a></p>`,
    phones: [phoneHtml(phone, around, { isAlone: true, takesFocus: true })],
    below: belowHtml(around, more),
  })
}

function phoneHtml(
  { number, charges, scenario }: Phone,
  { merchantName, now }: Surroundings,
  place: { isAlone: boolean; takesFocus: boolean },
): Html {
  const newest = ringingOf(charges, now)[0]
  const network = networkOf(number)
  const words = wordsOf(network)
  const written = localForm(number)
  const heading = html`<h2 class="number">${place.isAlone ? written : html`<a href="/phone/${number}">${written}</a>`}</h2>`
  const messages = charges.flatMap((charge) => message(charge, merchantName, now) ?? [])
  const below = newest
    ? html`<div class="veil">${heading}${dialog(number, newest, scenario, merchantName, place)}</div>`
    : messages.length === 0
      ? html`${heading}
          <p class="empty">Hakuna ombi la malipo. Ukilipa kwa namba hii, ombi litaonekana hapa.</p>`
      : html`${heading}
          <ul class="sms">
            ${messages}
          </ul>`
  const state = [
    newest?.charge.reference,
    newest?.prompt.openedAt,
    newest?.charge.wrongPins,
    ...charges.map((charge) => `${charge.status}${openPrompt(charge, now) ? '*' : ''}`),
  ].join(' ')
  return part(
    {
      id: `p${number}`,
      className: ['phone', network ?? '', newest ? '' : 'still'].join(' ').trim(),
      label: `${words.wallet} ${written}`,
      state,
    },
    html`<div class="screen">
      <div class="bar"><span>${words.wallet}</span><span>${clock.format(now)}</span></div>
      ${below}
    </div>`,
  )
}

const padKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

function dialog(
  number: string,
  { charge, prompt }: Ringing,
  scenario: Phone['scenario'],
  merchantName: string,
  place: { isAlone: boolean; takesFocus: boolean },
): Html {
  const words = wordsOf(networkOf(number))
  const { before, between, reference, after } = words.asked
  const about = html`<h3>${words.wallet} ${accountTag(charge.account)}</h3>
    <p>
      ${before} <b class="one">${shillings(charge.amount)}</b> ${between} <b>${merchantName}</b> ${after}<br />${reference}
      ${charge.externalReference}
    </p>`
  if (scenario !== null) {
    return html`<div class="ussd">
      ${about}
      <p class="note">
        Namba hii inajibu yenyewe: ${scenario.sw}. <span lang="en">(It plays: ${scenario.about}.)</span>
      </p>
    </div>`
  }
  const left = 3 - charge.wrongPins
  const wrong =
    charge.wrongPins === 0
      ? null
      : html`<p class="wrong" role="alert">Namba ya siri si sahihi. Majaribio yaliyobaki: ${left}.</p>`
  const pushes = charge.prompts.length - 1
  const again = pushes === 0 ? null : html`<p class="note">Ombi hili limetumwa tena mara ${pushes}.</p>`
  const key = (digit: string): Html => html`<button type="button" data-key="${digit}">${digit}</button>`
  return html`<form class="ussd" method="post" action="/phone/${number}" autocomplete="off">
    ${about}${again}${wrong}
    <input type="hidden" name="reference" value="${charge.reference}" />
    ${place.isAlone ? null : html`<input type="hidden" name="from" value="wall" />`}
    <label for="pin${number}">${words.pin}</label>
    <input
      id="pin${number}"
      name="pin"
      type="password"
      inputmode="numeric"
      maxlength="4"
      autocomplete="off"
      ${place.takesFocus ? html`autofocus` : null}
    />
    <div class="keys">
      <button name="action" value="pin">${words.send}</button
      ><button class="second" name="action" value="cancel">${words.cancel}</button>
    </div>
    <div class="pad" role="group" aria-label="Tarakimu">
      ${padKeys.map(key)}<span></span>${key('0')}<button type="button" class="wide" data-key="">Futa</button>
    </div>
    <div class="play">
      <button name="action" value="insufficient">Salio halitoshi</button
      ><button name="action" value="timeout">Usijibu</button>
    </div>
    <p class="note">Ombi litapotea ${exactClock.format(prompt.closesAt)} <span data-closes="${prompt.closesAt}"></span></p>
  </form>`
}

const failureInSwahili: Record<string, string> = {
  [failureWords.insufficientFunds]: 'salio lako halitoshi',
  [failureWords.wrongPin]: 'namba ya siri si sahihi',
  [failureWords.cancelled]: 'umeghairi ombi',
  [failureWords.timeout]: 'muda wa kuweka namba ya siri umeisha',
  [failureWords.payerNotFound]: 'namba hii haijasajiliwa',
  [failureWords.limit]: 'umevuka kiwango cha muamala',
}

function message(charge: Charge, merchantName: string, now: number): Html | null {
  const what = `malipo ya ${shillings(charge.amount)} kwa ${merchantName}`
  const sms = (tone: string, text: string, at: number): Html =>
    html`<li class="${tone}">
      ${text}<time datetime="${new Date(at).toISOString()}">${day.format(at)} ${clock.format(at)}</time>
    </li>`
  switch (charge.status) {
    case 'completed': {
      const at = charge.completedAt ?? charge.createdAt
      const paid = {
        amount: shillings(charge.amount),
        merchant: merchantName,
        reference: charge.externalReference,
        day: day.format(at),
        time: clock.format(at),
      }
      return sms('good', wordsOf(networkOf(charge.promptPhone)).paid(paid), at)
    }
    case 'failed': {
      const why = failureInSwahili[charge.failureReason ?? ''] ?? 'kuna hitilafu, jaribu tena'
      return sms('bad', `Imeshindikana: ${what}. Sababu: ${why}. Hujakatwa fedha.`, charge.failedAt ?? charge.createdAt)
    }
    case 'voided':
      return sms('bad', `Yamefutwa: ${what}.`, charge.createdAt)
    case 'expired':
      return sms('bad', `Muda umeisha: ${what}. Hujakatwa fedha.`, charge.expiresAt)
    case 'pending':
      if (openPrompt(charge, now)) return null
      return sms(
        'open',
        `Ombi limefungwa bila jibu: ${what}. Hujakatwa fedha. Unaweza kuomba litumwe tena.`,
        charge.prompts.at(-1)?.openedAt ?? charge.createdAt,
      )
  }
}

type Outcome = { tone: 'good' | 'bad' | 'open'; sw: string; en: string }

/** The outcome of a prompt, for viewers of the demo. */
function became(charge: Charge, now: number): Outcome {
  switch (charge.status) {
    case 'completed':
      return { tone: 'good', sw: 'yamelipwa', en: 'paid' }
    case 'pending':
      return openPrompt(charge, now)
        ? { tone: 'open', sw: 'yanasubiri jibu', en: 'waits for an answer' }
        : { tone: 'open', sw: 'ombi limefungwa bila jibu', en: 'no answer yet, prompt closed' }
    case 'failed': {
      const reason = charge.failureReason ?? ''
      const why = failureInSwahili[reason] ?? 'hakuna sababu iliyotajwa'
      return { tone: 'bad', sw: `yameshindikana: ${why}`, en: `failed: ${reason || 'no reason given'}` }
    }
    case 'voided':
      return { tone: 'bad', sw: 'yameghairiwa', en: 'voided' }
    case 'expired':
      return { tone: 'bad', sw: 'muda umeisha', en: 'expired' }
  }
}

function belowHtml({ recent, notes, now }: Surroundings, more: Html | null): Html {
  const rows = recent.map((charge) => {
    const { tone, sw, en } = became(charge, now)
    const at = charge.prompts.at(-1)?.openedAt ?? charge.createdAt
    return html`<li>
      <time datetime="${new Date(at).toISOString()}">${exactClock.format(at)}</time>
      <a href="/phone/${charge.promptPhone}">${localForm(charge.promptPhone)}</a>
      <span class="one">${shillings(charge.amount)}</span> ${accountTag(charge.account)}
      <span class="became ${tone}">${sw} <span lang="en">(${en})</span></span>
    </li>`
  })
  const state = recent.map((charge) => `${charge.reference}.${charge.prompts.length}.${became(charge, now).en}`).join(' ')
  const list =
    rows.length === 0
      ? html`<p>Bado hakuna: lipa kwenye ukurasa wa malipo kwa moja ya namba hizi.</p>
          <p lang="en">None yet: pay on a payment page with one of these numbers.</p>`
      : html`<ul class="rows">
          ${rows}
        </ul>`
  return html`${part(
    { id: 'recent', className: 'recent', label: 'Maombi ya karibuni', state },
    html`<h2>Maombi ya karibuni <span lang="en">(Recent prompts)</span></h2>
        ${more}${list}`,
  )}
    <section aria-label="Jinsi ya kujaribu">
      <h2>Jinsi ya kujaribu</h2>
      <p>
        Tarakimu zozote nne ni namba ya siri sahihi. <b>0000</b> si sahihi; ukikosea mara ya tatu malipo yanashindikana. “Salio
        halitoshi” inajibu kama pochi isiyo na pesa ya kutosha, “Usijibu” inaliacha ombi lifungwe bila jibu.
      </p>
      <details>
        <summary>Namba zinazojibu zenyewe</summary>
        <p>Tarakimu tatu za mwisho zinaamua. Kila namba nyingine inakusubiri hapa.</p>
        <ul>
          ${notes.map((note) => html`<li><b>${note.suffix}</b> ${note.sw}</li>`)}
        </ul>
      </details>
    </section>
    <section lang="en" aria-label="How to play">
      <h2>How to play</h2>
      <p>
        Any four digits are the right PIN. <b>0000</b> is a wrong one; the third wrong PIN fails the payment. “Salio halitoshi” answers as
        a wallet with too little in it, “Usijibu” lets the prompt close without an answer.
      </p>
      <details>
        <summary>Numbers that answer by themselves</summary>
        <p>The last three digits decide. Every other number waits for you here.</p>
        <ul>
          ${notes.map((note) => html`<li><b>${note.suffix}</b> ${note.about}</li>`)}
        </ul>
      </details>
    </section>`
}
