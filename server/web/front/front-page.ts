/** The first page of the API host, for people: what this is and where to go, in both languages, without script or outside files. */
import { createHash } from 'node:crypto'
import type { NetworkStatus } from '../../domain/network.ts'
import { constantElement, html, type Html } from '../checkout/html.ts'
import type { Language } from '../checkout/messages.ts'

const css = `
:root{color-scheme:light dark;--ground:#fff;--second:#f3f6f4;--text:#17211d;--soft:#4b5a54;--line:#d5deda;--brand:#0a6148;--warn:#8a5200;--bad:#a3241a;--focus:#1a5fd0}
@media (prefers-color-scheme:dark){:root{--ground:#101614;--second:#1a2320;--text:#e8eeeb;--soft:#afbdb6;--line:#37443f;--brand:#6fd3b0;--warn:#f2c063;--bad:#ff9d92;--focus:#8ab4f8}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
a{color:var(--brand)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1.25rem}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center;padding-top:1rem}
header b{font-size:1.15rem;color:var(--brand)}
header a,footer a{display:inline-block;padding:.65rem 0}
h1{font-size:clamp(1.9rem,6vw,2.9rem);line-height:1.15;letter-spacing:-.02em;margin:2.5rem 0 1rem;max-width:20ch;text-wrap:balance}
.lead{font-size:1.15rem;color:var(--soft);max-width:38rem;margin:0 0 2rem}
.ways{list-style:none;margin:0 0 2.5rem;padding:0;display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr))}
.ways a{display:block;height:100%;padding:1.1rem 1.25rem;border:1px solid var(--line);border-radius:.75rem;background:var(--second);text-decoration:none;color:inherit}
.ways a:hover{border-color:var(--brand)}
.ways b{display:block;color:var(--brand);font-size:1.1rem}
.ways span{color:var(--soft)}
h2{font-size:1.15rem;margin:0 0 .5rem}
.networks{list-style:none;margin:0 0 2.5rem;padding:0;display:grid;gap:0 3rem;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}
.networks li{display:flex;justify-content:space-between;gap:1rem;padding:.6rem 0;border-top:1px solid var(--line)}
.operational{color:var(--brand)}.degraded{color:var(--warn)}.down{color:var(--bad)}
footer{display:flex;flex-wrap:wrap;gap:0 1.5rem;border-top:1px solid var(--line);padding-top:.5rem;padding-bottom:2rem;color:var(--soft);font-size:.95rem}
`

const style = constantElement('style', css)

export const policy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`,
  `img-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

type Way = { title: string; text: string }
type Words = {
  title: string
  lead: string
  dashboard: Way
  docs: Way
  reference: Way
  local: Way
  networks: string
  statuses: Record<NetworkStatus, string>
  footer: { ways: string; privacy: string; programs: string; security: string }
  other: { language: Language; name: string }
}

const words: Record<Language, Words> = {
  en: {
    title: 'Mobile money payments for Tanzania',
    lead: 'Malipo connects students and businesses to M-Pesa, Airtel Money, Mixx by Yas and HaloPesa: payment pages, an API, payouts, and signed webhooks.',
    dashboard: {
      title: 'Dashboard',
      text: 'Sign in or register. A test key and a test page are ready at once.',
    },
    docs: { title: 'Documentation', text: 'From the first payment to going live, with code to copy.' },
    reference: { title: 'API reference', text: 'Every operation, field and error code.' },
    local: { title: 'This machine', text: 'Demo accounts, one-time codes, mail and the payer’s phone.' },
    networks: 'Networks now',
    statuses: { operational: 'Works', degraded: 'Many payments fail', down: 'Not available' },
    footer: { ways: 'More', privacy: 'Your data', programs: 'For programs', security: 'Report a security problem' },
    other: { language: 'sw', name: 'Kiswahili' },
  },
  sw: {
    title: 'Malipo kwa simu nchini Tanzania',
    lead: 'Malipo inawaunganisha wanafunzi na biashara na M-Pesa, Airtel Money, Mixx by Yas na HaloPesa: kurasa za malipo, API, kutuma pesa, na webhook zilizotiwa saini.',
    dashboard: {
      title: 'Dashibodi',
      text: 'Ingia au jisajili. Ufunguo na ukurasa wa majaribio viko tayari mara moja.',
    },
    docs: { title: 'Nyaraka', text: 'Kutoka malipo ya kwanza hadi malipo halisi, pamoja na programu za kunakili.' },
    reference: { title: 'Rejea ya API', text: 'Kila shughuli, kila sehemu na kila msimbo wa kosa.' },
    local: { title: 'Kompyuta hii', text: 'Akaunti za majaribio, misimbo ya mara moja, barua pepe na simu ya mlipaji.' },
    networks: 'Mitandao sasa hivi',
    statuses: { operational: 'Inafanya kazi', degraded: 'Malipo mengi yanashindikana', down: 'Haipatikani' },
    footer: { ways: 'Zaidi', privacy: 'Data zako', programs: 'Kwa programu', security: 'Ripoti tatizo la usalama' },
    other: { language: 'en', name: 'English' },
  },
}

export type FrontFacts = {
  language: Language
  networks: readonly { name: string; status: NetworkStatus }[]
  /** Whether this machine shows its own page, `/local`. */
  isLocal: boolean
}

export function frontHtml({ language, networks, isLocal }: FrontFacts): Html {
  const { title, lead, dashboard, docs, reference, local, statuses, footer, other, ...say } = words[language]
  const way = (address: string, { title: name, text }: Way): Html =>
    html`<li><a href="${address}"><b>${name}</b><span>${text}</span></a></li>`
  return html`<!doctype html>
    <html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
    <title>Malipo – ${title}</title><meta name="description" content="${lead}"><link rel="icon" href="/favicon.ico" sizes="32x32">${style}</head>
    <body><header><b>Malipo</b><a href="/?lang=${other.language}" lang="${other.language}" hreflang="${other.language}">${other.name}</a></header>
    <main><h1>${title}</h1><p class="lead">${lead}</p>
    <ul class="ways">${way('/dashboard/', dashboard)}${way('/docs', docs)}${way('/reference', reference)}${isLocal && way('/local', local)}</ul>
    <h2>${say.networks}</h2>
    <ul class="networks">${networks.map(
      ({ name, status }) => html`<li><span>${name}</span><span class="${status}">${statuses[status]}</span></li>`,
    )}</ul></main>
    <footer><a href="/privacy?lang=${language}">${footer.privacy}</a><a href="/.well-known/security.txt">${footer.security}</a>
    <span>${footer.programs}: <a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a></span></footer></body></html>`
}
