/** What a browser gets at an address that the API host does not have: the ways to what it has. */
import { byLanguage } from '../../../domain/texts.ts'
import { html, type Html } from '../checkout/html.ts'
import type { Language } from '../checkout/messages.ts'
import { home } from '../docs/site.ts'
import { frameHtml } from './front-frame.ts'

const words = byLanguage({
  title: ['There is no such page', 'Hakuna ukurasa huu'],
  about: [
    'Nothing is at this address. Check how it is written, or start from one of these.',
    'Hakuna kitu kwenye anwani hii. Angalia ilivyoandikwa, au anzia kwenye mojawapo ya hizi.',
  ],
  docs: ['Documentation', 'Nyaraka'],
  reference: ['API reference', 'Rejea ya API'],
  dashboard: ['Dashboard', 'Dashibodi'],
  prices: ['Prices and limits', 'Bei na viwango'],
})

export function missingHtml(language: Language): Html {
  const { title, about, ...say } = words[language]
  const way = (address: string, name: string): Html => html`<li><a href="${address}"><b>${name}</b></a></li>`
  const main = html`<h1>${title}</h1><p class="lead">${about}</p>
    <ul class="ways">${way(home[language], say.docs)}${way('/reference', say.reference)}
    ${way('/dashboard/', say.dashboard)}${way(`/prices?lang=${language}`, say.prices)}</ul>`
  return frameHtml({ language, title, about, main })
}
