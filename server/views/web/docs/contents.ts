/** The Markdown files that are pages of the documentation, in menu order, with their addresses. */
import type { Language } from '../checkout/messages.ts'

export type Entry = Readonly<{
  /** Below `/docs`; empty for the first page. */
  path: string
  /** Relative to the root of the repository. */
  file: string
  /** The same page in Swahili; undefined for a page that is only in English. */
  swahiliFile?: string
  /** Its menu name, if the title alone is unclear. */
  name?: string
}>

export type Section = Readonly<{ title: Record<Language, string>; entries: readonly Entry[] }>

/** A file in `docs/` has an address equal to its name. */
function onlyEnglish(path: string): Entry {
  return { path, file: `docs/${path}.md` }
}

function at(path: string): Entry {
  return { ...onlyEnglish(path), swahiliFile: `docs/sw/${path}.md` }
}

/** The last section is for those who run the service; all others are for those who take payments with it. */
export const sections: readonly Section[] = [
  {
    title: { en: 'Start', sw: 'Mwanzo' },
    entries: [{ path: '', file: 'docs/index.md', swahiliFile: 'docs/sw/index.md' }, at('quick-start')],
  },
  {
    title: { en: 'Guides', sw: 'Miongozo' },
    entries: [
      at('guides/from-order-to-fulfilment'),
      at('guides/payment-requests'),
      at('guides/customers'),
      at('guides/webhooks'),
      at('guides/payouts'),
      at('guides/payout-batches'),
      at('guides/refunds'),
      at('guides/support'),
      at('guides/brand'),
      at('guides/till'),
      at('guides/members'),
      at('guides/go-live'),
    ],
  },
  {
    title: { en: 'Concepts', sw: 'Dhana' },
    entries: [at('concepts/payments'), at('concepts/idempotency'), at('concepts/test-and-live'), at('concepts/reconciliation')],
  },
  {
    title: { en: 'Look up', sw: 'Rejea' },
    entries: [
      at('guides/test-numbers'),
      at('guides/questions'),
      at('guides/phone-numbers'),
      at('guides/event-types'),
      at('errors'),
      at('limits'),
      { path: 'sdk', file: 'sdk/README.md', name: 'SDK for JavaScript' },
      { path: 'command-line', file: 'cli/README.md', name: 'Command line' },
      at('changelog'),
    ],
  },
  {
    title: { en: 'Run it yourself', sw: 'Iendeshe mwenyewe' },
    entries: [
      onlyEnglish('operations/quick-start'),
      at('tour'),
      onlyEnglish('operations/local'),
      onlyEnglish('operations/install'),
      onlyEnglish('operations/production'),
      onlyEnglish('operations/providers'),
      onlyEnglish('operations/proxies'),
      onlyEnglish('operations/watching'),
      onlyEnglish('operations/upgrades'),
      onlyEnglish('operations/keys'),
      onlyEnglish('operations/backup'),
      onlyEnglish('operations/personal-data'),
      onlyEnglish('scaling'),
      onlyEnglish('cluster'),
      onlyEnglish('cells'),
    ],
  },
]

/** The pages of the last section. */
export const operatorPages: ReadonlySet<string> = new Set(sections.at(-1)!.entries.map(({ path }) => path))

export const entries: readonly Entry[] = sections.flatMap((section) => section.entries)
