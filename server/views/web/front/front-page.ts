/** The first page of the API host, for people: what this is and where to go, in both languages. */
import type { NetworkStatus } from '../../../domain/network.ts'
import { byLanguage } from '../../../domain/texts.ts'
import { html, type Html } from '../checkout/html.ts'
import type { Language } from '../checkout/messages.ts'
import { home } from '../docs/site.ts'
import { frameHtml } from './front-frame.ts'

type Way = { title: string; text: string }

const words = byLanguage({
  title: ['Mobile money payments for Tanzania', 'Malipo kwa simu nchini Tanzania'],
  lead: [
    'Malipo connects students and businesses to M-Pesa, Airtel Money, Mixx by Yas and HaloPesa: payment pages, an API, payouts, and signed webhooks.',
    'Malipo inawaunganisha wanafunzi na biashara na M-Pesa, Airtel Money, Mixx by Yas na HaloPesa: kurasa za malipo, API, kutuma pesa, na webhook zilizotiwa saini.',
  ],
  dashboard: {
    title: ['Dashboard', 'Dashibodi'],
    text: [
      'Sign in or register. A test key and a test page are ready at once.',
      'Ingia au jisajili. Ufunguo na ukurasa wa majaribio viko tayari mara moja.',
    ],
  },
  docs: {
    title: ['Documentation', 'Nyaraka'],
    text: [
      'From the first payment to going live, with code to copy.',
      'Kutoka malipo ya kwanza hadi malipo halisi, pamoja na programu za kunakili.',
    ],
  },
  reference: {
    title: ['API reference', 'Rejea ya API'],
    text: ['Every operation, field and error code.', 'Kila shughuli, kila sehemu na kila msimbo wa kosa.'],
  },
  local: {
    title: ['This machine', 'Kompyuta hii'],
    text: [
      'Demo accounts, one-time codes, mail and the payer’s phone.',
      'Akaunti za majaribio, misimbo ya mara moja, barua pepe na simu ya mlipaji.',
    ],
  },
  networks: ['Networks now', 'Mitandao sasa hivi'],
  statuses: {
    operational: ['Works', 'Inafanya kazi'],
    degraded: ['Many payments fail', 'Malipo mengi yanashindikana'],
    down: ['Not available', 'Haipatikani'],
  },
  prices: {
    title: ['Prices and limits', 'Bei na viwango'],
    text: ['What a payment and a payout cost, and how much they may be.', 'Gharama za kupokea na kutuma pesa, na viwango vyake.'],
  },
})

export type FrontFacts = {
  language: Language
  networks: readonly { name: string; status: NetworkStatus }[]
  /** Whether this machine shows its own page, `/local`. */
  isLocal: boolean
}

export function frontHtml({ language, networks, isLocal }: FrontFacts): Html {
  const { title, lead, dashboard, docs, reference, prices, local, statuses, ...say } = words[language]
  const way = (address: string, { title: name, text }: Way): Html =>
    html`<li><a href="${address}"><b>${name}</b><span>${text}</span></a></li>`
  const main = html`<h1>${title}</h1><p class="lead">${lead}</p>
    <ul class="ways">${way('/dashboard/', dashboard)}${way(home[language], docs)}${way('/reference', reference)}
    ${way(`/prices?lang=${language}`, prices)}${isLocal && way('/local', local)}</ul>
    <h2>${say.networks}</h2>
    <ul class="networks">${networks.map(
      ({ name, status }) => html`<li><span>${name}</span><span class="${status}">${statuses[status]}</span></li>`,
    )}</ul>`
  return frameHtml({ language, title, about: lead, main })
}
