/** The frame of every screen: language, banner of test pages, link to the other language, the line about the PIN. */
import { brandStyle, logoHtml, type ShownBrand } from './brand-look.ts'
import { html, type Html, type Insertable } from './html.ts'
import { scripts, style } from './look.ts'
import { messagesOf, type Language } from './messages.ts'

export type Screen = {
  language: Language
  title: string
  isTest?: boolean
  testNumbers?: readonly string[]
  /** Extra content for the head, such as a refresh for browsers without script. */
  head?: Html
  /** Further query parameters of this screen, kept when the language changes: `&number=other`. */
  query?: string
  /** The script of this screen; null: it uses none. */
  script?: 'form' | 'page' | null
  /** A further script, after it. */
  more?: Html
  body: Html
  help?: Html
  brand?: ShownBrand
}

function testHtml(language: Language, numbers: readonly string[] | undefined): Html {
  const t = messagesOf[language]
  const banner = html`<b>TEST.</b> ${t.testBanner}`
  if (!numbers) return html`<div class="test"><p>${banner}</p></div>`
  return html`<details class="test">
    <summary>${banner} <u>${t.testNumbersTitle}</u></summary>
    <ul>
      ${numbers.map((line) => html`<li>${line}</li>`)}
    </ul>
  </details>`
}

/** One whole document; one request loads it. */
export function screenHtml({
  language,
  title,
  isTest = false,
  testNumbers,
  head,
  query = '',
  script = 'page',
  more,
  body,
  help,
  brand,
}: Screen): Html {
  const t = messagesOf[language]
  const other = language === 'en' ? 'sw' : 'en'
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Malipo</title>
        <link rel="icon" href="data:," />
        ${head}${style}${brandStyle(brand)}
      </head>
      <body>
        <header>
          <b>Malipo</b><a href="?lang=${other}${query}" lang="${other}" hreflang="${other}">${t.otherLanguage}</a>
        </header>
        <main>${isTest && testHtml(language, testNumbers)}${body}${help}</main>
        <footer>
          <p>${t.pinSafety}</p>
        </footer>
        ${script && scripts[script]}${more}
      </body>
    </html>`
}

export type Notice = {
  language: Language
  title: string
  text: string
  /** What the payer must know before the text. */
  first?: string
  isTest?: boolean
  /** A message of the page's owner. */
  ownWords?: string | null
  link?: { href: string; label: string }
  /** For the support staff when a payer asks. */
  requestId?: string
  help?: Html
}

/** A screen without input: the problem, and the next step. */
export function noticeHtml({ language, title, text, first, isTest, ownWords, link, requestId, help }: Notice): Html {
  const t = messagesOf[language]
  const words: Insertable = ownWords ? html`<p class="text">${ownWords}</p>` : undefined
  return screenHtml({
    language,
    title,
    isTest,
    help,
    body: html`<div class="card">
      <h1>${title}</h1>
      ${words}${first !== undefined && html`<p class="note">${first}</p>`}
      <p>${text}</p>
      ${link && html`<a class="button second" href="${link.href}">${link.label}</a>`}${requestId !== undefined && html`<p><small>${t.requestId}: ${requestId}</small></p>`}
    </div>`,
  })
}

/** The merchant, at the top: with its logo or its first letter as a mark, and whether it is verified. */
export function merchantHtml(
  merchant: { name: string; isVerified: boolean; brand: ShownBrand | undefined },
  language: Language,
  label: string = messagesOf[language].payTo,
): Html {
  const t = messagesOf[language]
  const [letter = ''] = merchant.name
  return html`<div class="who">
    ${merchant.brand?.logo ? logoHtml(merchant.brand.logo, merchant.brand.logoSource) : html`<span class="letter" aria-hidden="true">${letter.toUpperCase()}</span>`}
    <p>
      <small>${label}</small><b>${merchant.name}</b>${
        merchant.isVerified && html`<small class="known"><span class="tick"></span>${t.verified}</small>`
      }
    </p>
  </div>`
}
