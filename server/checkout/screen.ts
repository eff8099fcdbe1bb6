/** The frame around every screen: language, banner of test pages, the way to the other language, the line about the PIN. */
import { html, type Html, type Insertable } from './html.ts'
import { script, style } from './look.ts'
import { messagesOf, type Language } from './messages.ts'

export type Screen = {
  language: Language
  title: string
  isTest?: boolean
  /** What a test page offers to play with. */
  testHint?: string
  /** Goes into the head, such as a refresh for browsers without script. */
  head?: Html
  body: Html
}

/** One whole document; one request shows it. */
export function screenHtml({ language, title, isTest = false, testHint, head, body }: Screen): Html {
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
        ${head}
        ${style}
      </head>
      <body>
        <header>
          <b>Malipo</b><a href="?lang=${other.code}" lang="${other.code}" hreflang="${other.code}">${other.name}</a>
        </header>
        <main>
          ${
            isTest &&
            html`<div class="test">
              <p><b>TEST.</b> ${t.testBanner} ${testHint}</p>
            </div>`
          }${body}
        </main>
        <footer>
          <p>${t.pinSafety}</p>
        </footer>
        ${script}
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
