/** The first page of the API host, for people: what this is and where to go, in both languages. */
import type { NetworkStatus } from '../../../domain/network.ts'
import { byLanguage } from '../../../domain/texts.ts'
import { html, type Html } from '../checkout/html.ts'
import type { Language } from '../checkout/messages.ts'
import { home } from '../docs/site.ts'
import { frameHtml } from './front-frame.ts'
import { pictureOf } from './front-picture.ts'

const words = byLanguage({
  title: ['Mobile money payments for Tanzania', 'Malipo kwa simu nchini Tanzania'],
  sentence: [
    'Get paid by M-Pesa, Airtel Money, Mixx by Yas and HaloPesa.',
    'Pokea malipo kwa M-Pesa, Airtel Money, Mixx by Yas na HaloPesa.',
  ],
  start: ['Sign in or register', 'Ingia au jisajili'],
  about: [
    'Malipo connects students and businesses to M-Pesa, Airtel Money, Mixx by Yas and HaloPesa: payment pages, an API, payouts, and signed webhooks.',
    'Malipo inawaunganisha wanafunzi na biashara na M-Pesa, Airtel Money, Mixx by Yas na HaloPesa: kurasa za malipo, API, kutuma pesa, na webhook zilizotiwa saini.',
  ],
  docs: ['Documentation', 'Nyaraka'],
  reference: ['API reference', 'Rejea ya API'],
  prices: ['Prices and limits', 'Bei na viwango'],
  local: ['This machine: demo accounts and the payer’s phone', 'Kompyuta hii: akaunti za majaribio na simu ya mlipaji'],
  networks: ['Networks now', 'Mitandao sasa hivi'],
  statuses: {
    operational: ['Works', 'Inafanya kazi'],
    degraded: ['Many payments fail', 'Malipo mengi yanashindikana'],
    down: ['Not available', 'Haipatikani'],
  },
})

export type FrontFacts = {
  language: Language
  networks: readonly { name: string; status: NetworkStatus }[]
  /** Whether this machine shows its own page, `/local`. */
  isLocal: boolean
}

export function frontHtml({ language, networks, isLocal }: FrontFacts): Html {
  const { title, sentence, start, about, statuses, ...say } = words[language]
  // No line ends within its name. Some fonts have no other hyphen.
  const [before, after] = sentence.split('M-Pesa')
  const way = (address: string, name: string): Html => html`<a href="${address}">${name}</a>`
  const main = html`<div class="front"><div><h1>${before}<span>M-Pesa</span>${after}</h1><a class="start" href="/dashboard/">${start}</a></div>${pictureOf(language)}</div>
    <p class="more">${way(home[language], say.docs)}${way('/reference', say.reference)}${way(`/prices?lang=${language}`, say.prices)}${isLocal && way('/local', say.local)}</p>
    <h2>${say.networks}</h2>
    <ul class="networks">${networks.map(
      ({ name, status }) => html`<li><span>${name}</span><span class="${status}">${statuses[status]}</span></li>`,
    )}</ul>`
  return frameHtml({ language, title, about, main })
}
