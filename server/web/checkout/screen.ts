/** The frame of every screen: language, banner of test pages, link to the other language, the line about the PIN. */
import { html, type Html, type Insertable } from './html.ts'
import { script, style } from './look.ts'
import { messagesOf, type Language } from './messages.ts'

export type Screen = {
  language: Language
  title: string
  isTest?: boolean
  /** The test numbers of a test page. */
  testNumbers?: readonly string[]
  /** Extra content for the head, such as a refresh for browsers without script. */
  head?: Html
  /** Further query parameters of this screen, kept when the language changes: `&number=other`. */
  query?: string
  /** The screen does not use the script. */
  isStill?: boolean
  body: Html
}

function testHtml(language: Language, numbers: readonly string[] | undefined): Html {
  const t = messagesOf[language]
  return html`<div class="test">
    <p><b>TEST.</b> ${t.testBanner}</p>
    ${
      numbers &&
      html`<details>
        <summary>${t.testNumbersTitle}</summary>
        <ul>
          ${numbers.map((line) => html`<li>${line}</li>`)}
        </ul>
      </details>`
    }
  </div>`
}

/** One whole document; one request loads it. */
export function screenHtml({
  language,
  title,
  isTest = false,
  testNumbers,
  head,
  query = '',
  isStill = false,
  body,
}: Screen): Html {
  const t = messagesOf[language]
  const other = t.otherLanguage
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – Malipo</title>
        <link rel="icon" href="data:," />
        ${head}${style}
      </head>
      <body>
        <header>
          <b>Malipo</b><a href="?lang=${other.code}${query}" lang="${other.code}" hreflang="${other.code}">${other.name}</a>
        </header>
        <main>${isTest && testHtml(language, testNumbers)}${body}</main>
        <footer>
          <p>${t.pinSafety}</p>
        </footer>
        ${!isStill && script}
      </body>
    </html>`
}

export type Notice = {
  language: Language
  title: string
  text: string
  isTest?: boolean
  /** A message of the page's owner. */
  ownWords?: string | null
  link?: { href: string; label: string }
  /** For the support staff when a payer asks. */
  requestId?: string
}

/** A screen without input: the problem, and the next step. */
export function noticeHtml({ language, title, text, isTest, ownWords, link, requestId }: Notice): Html {
  const t = messagesOf[language]
  const words: Insertable = ownWords ? html`<p class="text">${ownWords}</p>` : undefined
  return screenHtml({
    language,
    title,
    isTest,
    body: html`<div class="card">
      <h1>${title}</h1>
      ${words}
      <p>${text}</p>
      ${link && html`<a class="button second" href="${link.href}">${link.label}</a>`}${requestId !== undefined && html`<p><small>${t.requestId}: ${requestId}</small></p>`}
    </div>`,
  })
}

/** The merchant, at the top: with its first letter as a mark, and whether it is verified. */
export function merchantHtml(merchant: { name: string; isVerified: boolean }, language: Language): Html {
  const t = messagesOf[language]
  const [letter = ''] = merchant.name
  return html`<div class="who">
    <span class="letter" aria-hidden="true">${letter.toUpperCase()}</span>
    <p>
      <small>${t.payTo}</small><b>${merchant.name}</b>${
        merchant.isVerified && html`<small class="known"><span class="tick"></span>${t.verified}</small>`
      }
    </p>
  </div>`
}
