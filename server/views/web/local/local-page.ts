/** The page of a local start: addresses, demo accounts, the current one-time code, the mailbox and the payer's phone. */
import { createHash } from 'node:crypto'
import { constantElement, html, type Html } from '../checkout/html.ts'
import type { KeptDemo } from './kept-demo.ts'

const css = `
:root{color-scheme:light dark;--ground:#fff;--second:#f3f6f4;--text:#17211d;--soft:#4b5a54;--line:#d5deda;--brand:#0a6148;--focus:#1a5fd0}
@media (prefers-color-scheme:dark){:root{--ground:#101614;--second:#1a2320;--text:#e8eeeb;--soft:#afbdb6;--line:#37443f;--brand:#6fd3b0;--focus:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:84rem;padding:1rem;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
body.code{padding:0}
.code code{font-size:1.75rem;font-weight:600;line-height:1.2;letter-spacing:.08em}
.code small{display:block;color:var(--soft)}
a{color:var(--brand)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
h1{font-size:1.6rem;margin:.25rem 0}
h2{font-size:1.15rem;margin:0 0 .5rem}
p{margin:0 0 .75rem;color:var(--soft)}
section{border:1px solid var(--line);border-radius:.75rem;padding:1rem 1.1rem;min-width:0}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(19rem,100%),1fr));margin:1rem 0}
dl{margin:0;display:grid;grid-template-columns:minmax(6rem,auto) minmax(0,1fr);gap:.35rem 1rem}
dt{color:var(--soft)}
dd{margin:0}
dd a{display:inline-block;min-height:1.6rem}
code{font:.92em/1.5 ui-monospace,Menlo,Consolas,monospace;user-select:all}
iframe{display:block;width:100%;border:0;border-radius:.5rem}
.one{height:4.4rem}
.wide{margin:1rem 0}
.phone{height:56rem;background:#e8ebef}
.mail{height:26rem;border:1px solid var(--line)}
`

const style = constantElement('style', css)
const styleHash = `'sha256-${createHash('sha256').update(css).digest('base64')}'`

/** Only our style, and frames of this host and of the simulator. */
export function policyOf(simulatorOrigin: string | undefined): string {
  return [
    `default-src 'none'`,
    `style-src ${styleHash}`,
    `frame-src 'self'${simulatorOrigin === undefined ? '' : ` ${simulatorOrigin}`}`,
    `img-src 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'self'`,
  ].join('; ')
}

type Urls = { api: string; checkout: string; storage: string }
type Fact = [name: string, value: Html]

const link = (address: string, text = address): Html => html`<a href="${address}">${text}</a>`
const literal = (text: string): Html => html`<code>${text}</code>`

function cardOf(title: string, about: string, facts: Fact[]): Html {
  return html`<section><h2>${title}</h2><p>${about}</p>
    <dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`
}

function documentOf(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
    <title>${title} – Malipo</title><link rel="icon" href="/favicon.ico" sizes="32x32">${style}</head>${body}</html>`
}

function accountsOf({ student, admin, test_key, live_key }: KeptDemo): Html[] {
  return [
    cardOf('Demo student', 'A verified merchant with a payment page and keys.', [
      ['Sign in', link('/dashboard/', 'Merchants’ dashboard')],
      ['E-mail', literal(student.email)],
      ['Password', literal(student.password)],
      ['Test key', literal(test_key)],
      ['Live key', literal(live_key)],
    ]),
    ...(admin
      ? [
          cardOf('Demo operator', 'The one-time code below is the current one. Each code works once.', [
            ['Sign in', link('/admin/', 'Operators’ console')],
            ['E-mail', literal(admin.email)],
            ['Password', literal(admin.password)],
            ['Code', html`<iframe class="one" src="/local/code" title="Current one-time code"></iframe>`],
          ]),
        ]
      : []),
  ]
}

export function localHtml({ urls, demo, hasMailbox }: { urls: Urls; demo: KeptDemo | undefined; hasMailbox: boolean }): Html {
  const addresses: Fact[] = [
    ['API', link(urls.api)],
    ['Reference', link('/reference')],
    ['Documentation', link('/docs')],
    ['Checkout', html`${urls.checkout}`],
    ['Documents', html`${urls.storage}`],
    ...(demo
      ? ([
          ['Demo page', link(`${urls.checkout}/pay/${demo.page_slug}`)],
          ['Payer’s phone', link(`${demo.simulator_url}/phone`)],
        ] satisfies Fact[])
      : []),
  ]
  return documentOf(
    'This machine',
    html`<body><main><h1>Malipo on this machine</h1>
      <p>Only a local start has this page. No real money moves.</p>
      <div class="cards">${cardOf('Addresses', 'Where each part of the service answers.', addresses)}
      ${demo ? accountsOf(demo) : cardOf('No demo', 'Only npm start creates demo accounts.', [])}</div>
      ${
        demo &&
        html`<section class="wide"><h2>The payer’s phone</h2>
        <p>Open prompts ring here: enter any PIN of four digits, or cancel. A number that ends in 789 pays by itself.</p>
        <iframe class="phone" src="${demo.simulator_url}/phone" title="The payer’s phone"></iframe></section>`
      }
      ${
        hasMailbox &&
        html`<section class="wide"><h2>Mail</h2><p>The newest mails that the service has sent. ${link('/local/mail', 'Open the mailbox')}</p>
        <iframe class="mail" src="/local/mail" title="Mailbox"></iframe></section>`
      }</main></body>`,
  )
}

/** One code, in a frame that loads itself again when the code changes. */
export function codeHtml({ code, secondsLeft }: { code: string; secondsLeft: number }): Html {
  return documentOf(
    'One-time code',
    html`<body class="code"><main><code>${code}</code><small>A new code appears in ${secondsLeft} s or less.</small></main></body>`,
  )
}
