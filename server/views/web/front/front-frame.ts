/** The frame of the pages at the front door: style, header with the other language, footer. No script and no outside file. */
import { createHash } from 'node:crypto'
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
header .brand{font-size:1.15rem;font-weight:700;text-decoration:none}
header a,footer a{display:inline-block;padding:.65rem 0}
h1{font-size:clamp(1.9rem,6vw,2.9rem);line-height:1.15;letter-spacing:-.02em;margin:2.5rem 0 1rem;max-width:20ch;text-wrap:balance}
.lead{font-size:1.15rem;color:var(--soft);max-width:38rem;margin:0 0 2rem}
.front{display:grid;gap:1rem 3rem;align-items:center;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr));margin:0 0 1.5rem}
.front h1{margin:1rem 0 1.5rem}
.front h1 span{white-space:nowrap}
.start{display:inline-block;padding:.8rem 1.5rem;border-radius:.6rem;background:var(--brand);color:var(--ground);font-size:1.1rem;font-weight:650;text-decoration:none}
.start:hover{text-decoration:underline}
.picture{display:block;width:100%;max-width:22rem;max-height:46vh;margin:auto;font-family:inherit;text-anchor:middle}
.picture .body{fill:var(--text)}.picture .screen{fill:var(--second)}.picture .card{fill:var(--ground);stroke:var(--line)}
.picture text{fill:var(--text);font-size:13px}.picture .small{fill:var(--soft);font-size:12px}.picture .sum{font-size:19px;font-weight:700}
.picture .dot{fill:var(--text)}.picture .ring{fill:none;stroke:var(--soft);stroke-width:2}
.picture .paid{fill:var(--ground);stroke:var(--brand);stroke-width:2}.picture .tick{fill:var(--brand)}
.picture .stroke{fill:none;stroke:var(--ground);stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
.picture .told{text-anchor:start}.picture .amount{font-weight:700}
.more{display:flex;flex-wrap:wrap;gap:0 1.5rem;margin:0 0 1.5rem}
.more a{padding:.65rem 0}
.ways{list-style:none;margin:0 0 2.5rem;padding:0;display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr))}
.ways a{display:block;height:100%;padding:1.1rem 1.25rem;border:1px solid var(--line);border-radius:.75rem;background:var(--second);text-decoration:none;color:inherit}
.ways a:hover{border-color:var(--brand)}
.ways b{display:block;color:var(--brand);font-size:1.1rem}
.ways span{color:var(--soft)}
h2{font-size:1.15rem;margin:0 0 .5rem}
.networks{list-style:none;margin:0 0 2.5rem;padding:0;display:grid;gap:0 3rem;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}
.networks li{display:flex;justify-content:space-between;gap:1rem;padding:.6rem 0;border-top:1px solid var(--line)}
.operational{color:var(--brand)}.degraded{color:var(--warn)}.down{color:var(--bad)}
table{border-collapse:collapse;width:100%;margin:0 0 2rem}
caption{text-align:left;font-size:1.15rem;font-weight:700;padding:0 0 .5rem}
th,td{text-align:left;vertical-align:top;padding:.6rem 1rem .6rem 0;border-top:1px solid var(--line);font-weight:400}
th{color:var(--soft);width:45%}
small{display:block;color:var(--soft)}
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

const words: Record<Language, { privacy: string; programs: string; security: string; other: Language; otherName: string }> = {
  en: {
    privacy: 'Your data',
    programs: 'For programs',
    security: 'Report a security problem',
    other: 'sw',
    otherName: 'Kiswahili',
  },
  sw: {
    privacy: 'Data zako',
    programs: 'Kwa programu',
    security: 'Ripoti tatizo la usalama',
    other: 'en',
    otherName: 'English',
  },
}

/** `about`: one sentence for search results and link previews. */
export function frameHtml({
  language,
  title,
  about,
  main,
}: {
  language: Language
  title: string
  about: string
  main: Html
}): Html {
  const { privacy, programs, security, other, otherName } = words[language]
  return html`<!doctype html>
    <html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
    <title>Malipo – ${title}</title><meta name="description" content="${about}"><link rel="icon" href="/favicon.ico" sizes="32x32">${style}</head>
    <body><header><a class="brand" href="/?lang=${language}">Malipo</a><a href="?lang=${other}" lang="${other}" hreflang="${other}">${otherName}</a></header>
    <main>${main}</main>
    <footer><a href="/privacy?lang=${language}">${privacy}</a><a href="/.well-known/security.txt">${security}</a>
    <span>${programs}: <a href="/openapi.json">OpenAPI</a> · <a href="/llms.txt">llms.txt</a></span></footer></body></html>`
}
