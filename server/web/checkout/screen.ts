/** The frame around every screen: language, banner of test pages, the way to the other language, the line about the PIN. */
import { html, type Html, type Insertable } from './html.ts'
import { script, style } from './look.ts'
import { messagesOf, type Language } from './messages.ts'

export type Screen = {
  language: Language
  title: string
  isTest?: boolean
  /** What a test page offers to play with. */
  testNumbers?: readonly string[]
  /** Goes into the head, such as a refresh for browsers without script. */
  head?: Html
  /** What else the address of this screen says, so that the other language says it too: `&number=other`. */
  query?: string
  /** Nothing on it needs the script. */
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

/** One whole document; one request shows it. */
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
  /** What the page's owner wants to say. */
  ownWords?: string | null
  link?: { href: string; label: string }
  /** For the person who answers when a payer asks. */
  requestId?: string
}

/** A screen that has nothing to fill in: what is the matter, and what to do now. */
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

/** Who is paid, first of all: with the first letter as a mark, and whether we know them. */
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
