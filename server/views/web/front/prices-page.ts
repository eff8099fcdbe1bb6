/** Prices and limits, generated from the configuration that enforces them, in both languages. */
import { shillings } from '../../../domain/currency.ts'
import { html, type Html } from '../checkout/html.ts'
import type { Language } from '../checkout/messages.ts'
import { frameHtml } from './front-frame.ts'

/** Amounts in TZS. */
export type PriceFacts = {
  payment: { least: number; most: number; expirySeconds: number }
  /** `approvalAbove`: undefined if no payout waits for an operator. A wait of 0 is none. */
  payout: {
    least: number
    most: number
    approvalAbove: number | undefined
    keyWaitSeconds: number
    accountWaitSeconds: number
    recipientWaitSeconds: number
  }
  /** How often one phone may be prompted, and how long an unanswered prompt blocks the next one of its page. */
  prompts: { quotas: readonly { quota: number; windowSeconds: number }[]; openSeconds: number }
  requests: { key: Quota; checkout: Quota; status: Quota; payout: Quota; bodyBytes: number }
  webhooks: {
    retryDelaysSeconds: readonly number[]
    deadlineSeconds: number
    endpoints: number
    sourceAddresses: string
    tests: Quota
  }
  documents: { types: readonly string[]; mostBytes: number; uploads: Quota }
}

type Quota = { quota: number; windowSeconds: number }
type Row = [name: string, value: string, note?: string]
type Words = { title: string; about: string; tables: (facts: PriceFacts) => { caption: string; rows: (Row | false)[] }[] }

const units = [
  [86_400, 'day', 'days', 'siku'],
  [3600, 'hour', 'hours', 'saa'],
  [60, 'minute', 'minutes', 'dakika'],
  [1, 'second', 'seconds', 'sekunde'],
] as const

/** In the largest unit that gives a whole number. */
function duration(seconds: number, language: Language): string {
  const [size, one, many, sw] = units.find(([unit]) => seconds % unit === 0)!
  const count = seconds / size
  return language === 'sw' ? `${sw} ${count}` : `${count} ${count === 1 ? one : many}`
}

/** Of a limit that counts bytes by thousands, such as 10 MB, or by 1024, such as 256 KiB. */
const size = (bytes: number): string => (bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes / 1_000_000} MB`)

const inEnglish = (seconds: number): string => duration(seconds, 'en')
const inSwahili = (seconds: number): string => duration(seconds, 'sw')

const words: Record<Language, Words> = {
  en: {
    title: 'Prices and limits',
    about: 'What receiving and sending money costs, and the limits of amounts, prompts and requests.',
    tables: ({ payment, payout, prompts, requests, webhooks, documents }) => [
      {
        caption: 'Receiving money',
        rows: [
          [
            'Fee for the merchant',
            'None',
            'The wallet receives the whole amount that the payer confirmed. The network may charge the payer.',
          ],
          ['Smallest payment', shillings(payment.least)],
          ['Largest payment', shillings(payment.most), 'The network’s own limit for the payer may be lower.'],
          [
            'Time to pay',
            inEnglish(payment.expirySeconds),
            'After that the payment expires, once the network has said that no money moved.',
          ],
        ],
      },
      {
        caption: 'Sending money',
        rows: [
          [
            'Fee',
            'As the provider charges it',
            'The exact fee is shown before you confirm, and by GET /v1/payouts/fee. A payout that fails gives amount and fee back.',
          ],
          ['Smallest payout', shillings(payout.least)],
          ['Largest payout', shillings(payout.most)],
          payout.approvalAbove !== undefined && ['Needs an approval above', shillings(payout.approvalAbove)],
          payout.keyWaitSeconds > 0 && [
            'New live key without a second factor',
            `First payout after ${inEnglish(payout.keyWaitSeconds)}`,
          ],
          payout.accountWaitSeconds > 0 && [
            'New password, device, second factor or contact',
            `First payout after ${inEnglish(payout.accountWaitSeconds)}`,
          ],
          payout.recipientWaitSeconds > 0 && [
            'First payout of a person to a recipient',
            `Sent after ${inEnglish(payout.recipientWaitSeconds)}`,
            'It can be cancelled until then.',
          ],
          [
            'Refund of a payment',
            'No time limit',
            'Up to the amount of the payment, in parts if you like. Fee, smallest amount, approval and waits are those of a payout.',
          ],
        ],
      },
      {
        caption: 'Prompts to one phone',
        rows: [
          ...prompts.quotas.map(({ quota, windowSeconds }): Row => [`In ${inEnglish(windowSeconds)}`, `At most ${quota}`]),
          ['Unanswered prompt of the same page', `Blocks the next one for ${inEnglish(prompts.openSeconds)}`],
        ],
      },
      {
        caption: 'Requests',
        rows: [
          ['With one API key', `${requests.key.quota} in ${inEnglish(requests.key.windowSeconds)}`],
          ['Checkouts from one address', `${requests.checkout.quota} in ${inEnglish(requests.checkout.windowSeconds)}`],
          ['Status of one payment', `${requests.status.quota} in ${inEnglish(requests.status.windowSeconds)}`],
          ['Payouts and refunds of one wallet', `${requests.payout.quota} in ${inEnglish(requests.payout.windowSeconds)}`],
          ['Body of a request', `At most ${size(requests.bodyBytes)}`],
        ],
      },
      {
        caption: 'Webhooks',
        rows: [
          [
            'Attempts for one event',
            `${webhooks.retryDelaysSeconds.length + 1}`,
            `The waits between them: ${webhooks.retryDelaysSeconds.map(inEnglish).join(', ')}.`,
          ],
          ['Time for your answer', inEnglish(webhooks.deadlineSeconds)],
          ['They come from', webhooks.sourceAddresses || 'Addresses that can change'],
          ['Webhooks of one merchant in one environment', `At most ${webhooks.endpoints}`],
          ['Test events of one app', `${webhooks.tests.quota} in ${inEnglish(webhooks.tests.windowSeconds)}`],
        ],
      },
      {
        caption: 'Documents for a verification',
        rows: [
          ['Types', documents.types.join(', ')],
          ['Size of one file', `At most ${size(documents.mostBytes)}`],
          ['Uploads', `${documents.uploads.quota} in ${inEnglish(documents.uploads.windowSeconds)}`],
        ],
      },
    ],
  },
  sw: {
    title: 'Bei na viwango',
    about: 'Gharama za kupokea na kutuma pesa, na viwango vya kiasi, maombi ya simu na maombi ya API.',
    tables: ({ payment, payout, prompts, requests, webhooks, documents }) => [
      {
        caption: 'Kupokea pesa',
        rows: [
          [
            'Makato kwa mfanyabiashara',
            'Hakuna',
            'Pochi inapokea kiasi chote alichothibitisha mlipaji. Mtandao unaweza kumtoza mlipaji.',
          ],
          ['Malipo madogo kabisa', shillings(payment.least)],
          ['Malipo makubwa kabisa', shillings(payment.most), 'Kiwango cha mtandao kwa mlipaji kinaweza kuwa kidogo zaidi.'],
          [
            'Muda wa kulipa',
            inSwahili(payment.expirySeconds),
            'Baada ya hapo malipo yanaisha muda, mtandao ukishasema kwamba hakuna pesa iliyohama.',
          ],
        ],
      },
      {
        caption: 'Kutuma pesa',
        rows: [
          [
            'Makato',
            'Kama anavyotoza mtoa huduma',
            'Makato kamili yanaonyeshwa kabla ya kuthibitisha, na GET /v1/payouts/fee. Ikishindikana, kiasi na makato vinarudishwa.',
          ],
          ['Kiasi kidogo kabisa', shillings(payout.least)],
          ['Kiasi kikubwa kabisa', shillings(payout.most)],
          payout.approvalAbove !== undefined && ['Kinahitaji idhini kikizidi', shillings(payout.approvalAbove)],
          payout.keyWaitSeconds > 0 && [
            'Ufunguo halisi mpya bila hatua ya pili ya kuingia',
            `Unatuma pesa baada ya ${inSwahili(payout.keyWaitSeconds)}`,
          ],
          payout.accountWaitSeconds > 0 && [
            'Nenosiri, kifaa, hatua ya pili au mawasiliano mapya',
            `Unatuma pesa baada ya ${inSwahili(payout.accountWaitSeconds)}`,
          ],
          payout.recipientWaitSeconds > 0 && [
            'Mtu anapomtumia mpokeaji mara ya kwanza',
            `Zinatumwa baada ya ${inSwahili(payout.recipientWaitSeconds)}`,
            'Unaweza kughairi hadi wakati huo.',
          ],
          [
            'Kumrudishia mlipaji',
            'Hakuna kikomo cha muda',
            'Hadi kiasi cha malipo, hata kwa sehemu. Ada, kiasi kidogo kabisa, idhini na muda wa kusubiri ni vya kutuma pesa.',
          ],
        ],
      },
      {
        caption: 'Maombi kwa simu moja',
        rows: [
          ...prompts.quotas.map(({ quota, windowSeconds }): Row => [
            `Ndani ya ${inSwahili(windowSeconds)}`,
            `Yasiyozidi ${quota}`,
          ]),
          ['Ombi la ukurasa uleule lisilojibiwa', `Linazuia linalofuata kwa ${inSwahili(prompts.openSeconds)}`],
        ],
      },
      {
        caption: 'Maombi ya API',
        rows: [
          ['Kwa ufunguo mmoja', `${requests.key.quota} ndani ya ${inSwahili(requests.key.windowSeconds)}`],
          [
            'Malipo mapya kutoka anwani moja',
            `${requests.checkout.quota} ndani ya ${inSwahili(requests.checkout.windowSeconds)}`,
          ],
          ['Hali ya malipo yaleyale', `${requests.status.quota} ndani ya ${inSwahili(requests.status.windowSeconds)}`],
          [
            'Kutuma na kurudisha pesa kutoka pochi moja',
            `${requests.payout.quota} ndani ya ${inSwahili(requests.payout.windowSeconds)}`,
          ],
          ['Mwili wa ombi', `Usiozidi ${size(requests.bodyBytes)}`],
        ],
      },
      {
        caption: 'Webhook',
        rows: [
          [
            'Majaribio kwa tukio moja',
            `${webhooks.retryDelaysSeconds.length + 1}`,
            `Muda kati yake: ${webhooks.retryDelaysSeconds.map(inSwahili).join(', ')}.`,
          ],
          ['Muda wa jibu lako', inSwahili(webhooks.deadlineSeconds)],
          ['Zinatoka', webhooks.sourceAddresses || 'Anwani zinazoweza kubadilika'],
          ['Webhook za mfanyabiashara mmoja kwenye mazingira moja', `Zisizozidi ${webhooks.endpoints}`],
          [
            'Matukio ya majaribio ya programu moja',
            `${webhooks.tests.quota} ndani ya ${inSwahili(webhooks.tests.windowSeconds)}`,
          ],
        ],
      },
      {
        caption: 'Hati za uthibitisho',
        rows: [
          ['Aina', documents.types.join(', ')],
          ['Ukubwa wa faili moja', `Usiozidi ${size(documents.mostBytes)}`],
          ['Kupakia', `${documents.uploads.quota} ndani ya ${inSwahili(documents.uploads.windowSeconds)}`],
        ],
      },
    ],
  },
}

export const pricesTitle: Record<Language, string> = { en: words.en.title, sw: words.sw.title }

export function pricesHtml(language: Language, facts: PriceFacts): Html {
  const { title, about, tables } = words[language]
  const row = ([name, value, note]: Row): Html =>
    html`<tr><th scope="row">${name}</th><td>${value}${note !== undefined && html`<small>${note}</small>`}</td></tr>`
  const parts = tables(facts).map(
    ({ caption, rows }) =>
      html`<table><caption>${caption}</caption><tbody>${rows.filter((one) => one !== false).map(row)}</tbody></table>`,
  )
  return frameHtml({ language, title, about, main: html`<h1>${title}</h1><p class="lead">${about}</p>${parts}` })
}
