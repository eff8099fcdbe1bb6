/** The customer's phone as HTML, worded as a Tanzanian USSD menu. Invariant: every value is escaped, nothing is loaded from outside, and all of it works without JavaScript. */
import { createHash } from 'node:crypto'
import { openPrompt } from './charge.ts'
import type { Charge, Prompt } from './charge.ts'
import type { AccountName } from './config.ts'
import { networkOf } from './phones.ts'
import type { NetworkName } from './phones.ts'
import { failureWords } from './scenarios.ts'

/** Text that is already HTML. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | null

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const written = values.map((value) => {
    if (value === null) return ''
    if (value instanceof Html) return value.text
    if (typeof value === 'object') return value.map((part) => part.text).join('')
    return String(value).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
  })
  return new Html(String.raw({ raw: parts }, ...written))
}

const style = `
:root{color-scheme:light;font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;line-height:1.4}
*{box-sizing:border-box}
body{margin:0;background:#e8ebef;color:#17202a;display:flex;flex-direction:column;align-items:center;gap:12px;padding:12px 12px 32px}
a{color:#0b5a4b}
.phone{width:100%;max-width:340px;background:#12181f;border-radius:34px;padding:12px;box-shadow:0 8px 28px rgba(18,24,31,.28)}
.screen{background:#f5f7f9;border-radius:24px;min-height:540px;display:flex;flex-direction:column;overflow:hidden;position:relative}
.bar{display:flex;justify-content:space-between;gap:8px;padding:10px 18px 8px;font-size:13px;font-weight:600;background:#fff;border-bottom:1px solid #dde3e8}
.bar span:last-child{font-variant-numeric:tabular-nums}
.number{margin:0;padding:12px 18px 4px;font-size:18px;font-weight:650;font-variant-numeric:tabular-nums}
.sms{list-style:none;margin:0;padding:8px 14px 14px;display:flex;flex-direction:column;gap:8px}
.sms li{background:#fff;border:1px solid #dde3e8;border-radius:4px 14px 14px 14px;padding:10px 12px;font-size:14px;overflow-wrap:anywhere}
.sms time{display:block;margin-top:4px;font-size:12px;color:#52606d}
.sms .good{border-left:4px solid #17805f}.sms .bad{border-left:4px solid #b3372b}.sms .open{border-left:4px solid #a56a00}
.empty{margin:auto;padding:24px;text-align:center;color:#52606d;font-size:15px}
.veil{background:rgba(18,24,31,.62);flex:1;display:flex;align-items:center;padding:16px}
.ussd{width:100%;background:#fff;border-radius:14px;padding:18px 16px 14px;margin:0;box-shadow:0 4px 18px rgba(0,0,0,.3)}
.ussd h1{margin:0 0 8px;font-size:17px}
.ussd p{margin:0 0 10px;font-size:15px;overflow-wrap:anywhere}
.ussd .amount{font-size:26px;font-weight:700;margin:2px 0 6px;font-variant-numeric:tabular-nums}
.ussd .wrong{background:#fdecea;color:#8f251b;border-radius:8px;padding:8px 10px}
.ussd .note{font-size:13px;color:#52606d;margin:10px 0 0}
label{display:block;font-size:14px;font-weight:600;margin:4px 0 6px}
input{width:100%;font:inherit;font-size:22px;letter-spacing:.3em;padding:9px 12px;border:2px solid #7b8794;border-radius:10px;background:#fff;color:inherit}
input.tel{font-size:17px;letter-spacing:normal}
input:focus-visible,button:focus-visible,a:focus-visible{outline:3px solid #1d6fd6;outline-offset:2px}
.keys{display:flex;gap:10px;margin-top:12px}
button{flex:1;min-height:46px;font:inherit;font-weight:650;border-radius:10px;border:2px solid #0b5a4b;background:#0b5a4b;color:#fff;cursor:pointer}
button.second{background:#fff;color:#0b5a4b}
button.third{flex:none;width:100%;margin-top:8px;min-height:44px;border:0;background:none;color:#384553;font-weight:500;text-decoration:underline}
.side{width:100%;max-width:340px;font-size:14px;color:#384553}
.side h2{font-size:15px;margin:14px 0 6px;color:#17202a}
.side ul{margin:0;padding-left:18px}
.side p{margin:6px 0}
.ringing{list-style:none;margin:0;padding:8px 14px 14px;display:flex;flex-direction:column;gap:8px}
.ringing a{display:block;background:#fff;border:1px solid #cfd7de;border-radius:12px;padding:11px 14px;text-decoration:none;color:#17202a}
.ringing b{font-variant-numeric:tabular-nums;font-size:16px}
.ringing span{display:block;font-size:13px;color:#384553}
.pick{padding:6px 14px 16px}
.problem{color:#8f251b;font-size:14px;margin:8px 0 0}
.tag{display:inline-block;border-radius:5px;padding:0 6px;font-size:11px;font-weight:700;background:#ffe8b3;color:#5f3b00}
.tag.live{background:#d6efe6;color:#06402f}
`

// Progressive only: fetches this same page and swaps the screen when something on the phone has changed, so that a half-typed PIN stays.
const script = `
(function(){
  function tick(){
    var left=document.querySelector('[data-closes]');
    if(left){var s=Math.max(0,Math.ceil((Number(left.dataset.closes)-Date.now())/1000));left.textContent=s+' s'}
  }
  function poll(){
    if(document.hidden)return;
    fetch(location.href,{cache:'no-store'}).then(function(r){return r.text()}).then(function(t){
      var now=new DOMParser().parseFromString(t,'text/html').querySelector('main'),old=document.querySelector('main');
      if(now&&old&&now.dataset.state!==old.dataset.state){
        old.replaceWith(document.adoptNode(now));
        var pin=document.querySelector('input[name=pin]');if(pin)pin.focus();
        tick();
      }
    }).catch(function(){});
  }
  setInterval(tick,500);setInterval(poll,1000);tick();
})();
`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only what this page carries itself; JSON answers get it too and need nothing. */
export const phoneContentPolicy = {
  useDefaults: false,
  directives: {
    'default-src': ["'none'"],
    'style-src': [hashOf(style)],
    'script-src': [hashOf(script)],
    'connect-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
}

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
  html`<span class="${account === 'live' ? 'tag live' : 'tag'}">${account.toUpperCase()}</span>`

function page(title: string, refreshSeconds: number, state: string, body: Html, side: Html): string {
  return html`<!doctype html>
    <html lang="sw">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>
        <style>
          ${new Html(style)}
        </style>
      </head>
      <body>
        <main class="phone" data-state="${state}"><div class="screen">${body}</div></main>
        <aside class="side" lang="en">${side}</aside>
        <script>
          ${new Html(script)}
        </script>
      </body>
    </html>`.text
}

export type Ringing = { charge: Charge; prompt: Prompt }

/** The newest open prompts, newest first. */
export function ringingOf(charges: readonly Charge[], now: number): Ringing[] {
  return charges
    .flatMap((charge) => {
      const prompt = openPrompt(charge, now)
      return prompt ? [{ charge, prompt }] : []
    })
    .toSorted((a, b) => b.prompt.openedAt - a.prompt.openedAt)
}

export type ScenarioNote = { suffix: string; about: string }

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
    <h1 class="number">Simu zenye ombi la malipo</h1>
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
  return page('Simu ya mteja', 4, state, body, side)
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
  const bar = html`<div class="bar"><span>${walletOf(phone)}</span><span>${clock.format(now)}</span></div>`
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
  return html`<form class="ussd" method="post" action="/phone/${phone}" autocomplete="off">
    ${about}${wrong}
    <input type="hidden" name="reference" value="${charge.reference}" />
    <label for="pin">Weka namba ya siri kuthibitisha</label>
    <input id="pin" name="pin" type="password" inputmode="numeric" maxlength="4" autocomplete="off" autofocus />
    <div class="keys">
      <button name="action" value="pin">Tuma</button><button class="second" name="action" value="cancel">Ghairi</button>
    </div>
    <button class="third" name="action" value="timeout">Puuza ombi hili</button>
    <p class="note">
      Ombi litapotea saa ${exactClock.format(prompt.closesAt)} (<span data-closes="${prompt.closesAt}">baadaye</span>)
    </p>
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
