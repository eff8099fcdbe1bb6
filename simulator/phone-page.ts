/** What the customer's phone shows, worded as a Tanzanian USSD menu. Invariant: all of it works without JavaScript, and a button stands only under an open prompt that waits for a person. */
import { openPrompt } from './charge.ts'
import type { Charge, Prompt } from './charge.ts'
import type { AccountName } from './config.ts'
import { html, page } from './phone-frame.ts'
import type { Html } from './phone-frame.ts'
import { networkOf } from './phones.ts'
import type { NetworkName } from './phones.ts'
import { failureWords } from './scenarios.ts'

const walletNames: Record<NetworkName, string> = {
  mpesa: 'M-Pesa',
  airtel: 'Airtel Money',
  mixx: 'Mixx by Yas',
  halotel: 'HaloPesa',
}

const walletOf = (phone: string): string => {
  const network = networkOf(phone)
  return network === null ? 'Simu' : walletNames[network]
}

const shillings = (amount: number): string => `TSh ${amount.toLocaleString('en-US')}`

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

type ScenarioNote = { suffix: string; about: string }

/** Which phone to be: the numbers that ring now, or any other. `problem` is shown under the field. */
export function phoneList(
  ringing: readonly Ringing[],
  typed: string,
  problem: string | null,
  notes: readonly ScenarioNote[],
  now: number,
): string {
  const items = ringing.map(
    ({ charge, prompt }) =>
      html`<li>
        <a href="/phone/${prompt.phone}"
          ><b>${localForm(prompt.phone)}</b>
          <span
            >${walletOf(prompt.phone)} · ${shillings(charge.amount)} · ${exactClock.format(prompt.openedAt)}
            ${accountTag(charge.account)}</span
          ></a
        >
      </li>`,
  )
  const body = html`<div class="bar"><span>Simu ya mteja</span><span>${clock.format(now)}</span></div>
    <h1 class="number">Simu zinazoita</h1>
    ${
      items.length === 0
        ? html`<p class="empty">Hakuna ombi la malipo sasa hivi.</p>`
        : html`<ul class="ringing">
            ${items}
          </ul>`
    }
    <form class="pick" method="get" action="/phone">
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
      ${problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`}
      <div class="keys"><button type="submit">Fungua</button></div>
    </form>`
  const side = html`<p>This is the customer’s phone. It belongs to the provider simulator; no real money moves.</p>
    <h2>Numbers that answer by themselves</h2>
    <p>The last three digits decide. Every other number waits for you here.</p>
    <ul>
      ${notes.map((note) => html`<li><b>${note.suffix}</b> ${note.about}</li>`)}
    </ul>`
  const state = ringing.map(({ charge, prompt }) => `${charge.reference}.${prompt.openedAt}`).join(' ')
  return page('Simu ya mteja', 10, state, body, side)
}

/** One phone: its newest open prompt, else its messages. `scenario` says what the number does by itself, null when it waits for a person. */
export function phoneScreen(
  phone: string,
  charges: readonly Charge[],
  scenario: string | null,
  merchantName: string,
  now: number,
): string {
  const ringing = ringingOf(charges, now)
  const newest = ringing[0]
  const bar = html`<div class="bar"><span>${walletOf(phone)} · ${localForm(phone)}</span><span>${clock.format(now)}</span></div>`
  const messages = charges.flatMap((charge) => {
    const text = message(charge, merchantName, now)
    return text ? [text] : []
  })
  const screen = newest
    ? html`${bar}
        <div class="veil">${dialog(phone, newest, scenario, merchantName)}</div>`
    : html`${bar}
        <h1 class="number">${localForm(phone)}</h1>
        ${
          messages.length === 0
            ? html`<p class="empty">Hakuna ombi la malipo. Ukilipa kwa namba hii, ombi litaonekana hapa.</p>`
            : html`<ul class="sms">
                ${messages}
              </ul>`
        }`
  const more =
    ringing.length > 1 ? html`<p>${ringing.length - 1} more open prompt(s) on this number, shown after this one.</p>` : null
  const help =
    newest && scenario === null
      ? html`<p>Any four digits are the right PIN. <b>0000</b> is a wrong one; the third wrong PIN fails the payment.</p>`
      : null
  const side = html`${more}${help}
    <p><a href="/phone">Other phones</a></p>`
  const state = [
    newest?.charge.reference,
    newest?.prompt.openedAt,
    newest?.charge.wrongPins,
    ...charges.map((charge) => charge.status),
  ].join(' ')
  const refreshSeconds = newest && scenario === null ? Math.max(1, Math.ceil((newest.prompt.closesAt - now) / 1000)) : 3
  return page(`Simu ${localForm(phone)}`, refreshSeconds, state, screen, side)
}

function dialog(phone: string, { charge, prompt }: Ringing, scenario: string | null, merchantName: string): Html {
  const about = html`<h1>Thibitisha malipo</h1>
    <p class="amount">${shillings(charge.amount)}</p>
    <p>Lipa kwa <b>${merchantName}</b> ${accountTag(charge.account)}<br />Kumb. na. ${charge.externalReference}</p>`
  if (scenario !== null) {
    return html`<div class="ussd">
      ${about}
      <p class="note">Namba hii inajibu yenyewe. <span lang="en">(It plays: ${scenario}.)</span></p>
    </div>`
  }
  const left = 3 - charge.wrongPins
  const wrong =
    charge.wrongPins === 0
      ? null
      : html`<p class="wrong" role="alert">Namba ya siri si sahihi. Majaribio yaliyobaki: ${left}.</p>`
  const pushes = charge.prompts.length - 1
  const again = pushes === 0 ? null : html`<p class="note">Ombi hili limetumwa tena mara ${pushes}.</p>`
  return html`<form class="ussd" method="post" action="/phone/${phone}" autocomplete="off">
    ${about}${again}${wrong}
    <input type="hidden" name="reference" value="${charge.reference}" />
    <label for="pin">Weka namba ya siri kuthibitisha</label>
    <input id="pin" name="pin" type="password" inputmode="numeric" maxlength="4" autocomplete="off" autofocus />
    <div class="keys">
      <button name="action" value="pin">Tuma</button><button class="second" name="action" value="cancel">Ghairi</button>
    </div>
    <button class="third" name="action" value="timeout">Puuza ombi hili</button>
    <p class="note">Ombi litapotea saa ${exactClock.format(prompt.closesAt)} <span data-closes="${prompt.closesAt}"></span></p>
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
    case 'completed':
      return sms(
        'good',
        `${charge.externalReference} Imethibitishwa. Umefanya ${what}. Asante.`,
        charge.completedAt ?? charge.createdAt,
      )
    case 'failed': {
      const why = failureInSwahili[charge.failureReason ?? ''] ?? 'kuna hitilafu, jaribu tena'
      return sms('bad', `Imeshindikana: ${what}. Sababu: ${why}.`, charge.failedAt ?? charge.createdAt)
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
