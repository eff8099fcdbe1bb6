/** The Markdown files that are pages of the documentation, in menu order, with their addresses. */
import type { Language } from '../checkout/messages.ts'

export type Entry = Readonly<{
  /** Below `/docs`; empty for the first page. */
  path: string
  /** Relative to the root of the repository. */
  file: string
  /** Its menu name, if the title alone is unclear. */
  name?: string
}>

/** `isTranslated`: its files in `docs/` have a Swahili file of the same name in `docs/sw/`. */
export type Section = Readonly<{ title: Record<Language, string>; isTranslated: boolean; entries: readonly Entry[] }>

/** A file in `docs/` has an address equal to its name. */
function at(path: string): Entry {
  return { path, file: `docs/${path}.md` }
}

/** The last section is for those who run the service; all others are for those who take payments with it. */
export const sections: readonly Section[] = [
  {
    title: { en: 'Start', sw: 'Mwanzo' },
    isTranslated: true,
    entries: [{ path: '', file: 'docs/index.md' }, at('quick-start')],
  },
  {
    title: { en: 'Guides', sw: 'Miongozo' },
    isTranslated: true,
    entries: [
      at('guides/from-order-to-fulfilment'),
      at('guides/payment-requests'),
      at('guides/webhooks'),
      at('guides/payouts'),
      at('guides/refunds'),
      at('guides/go-live'),
    ],
  },
  {
    title: { en: 'Concepts', sw: 'Dhana' },
    isTranslated: true,
    entries: [at('concepts/payments'), at('concepts/idempotency'), at('concepts/test-and-live'), at('concepts/reconciliation')],
  },
  {
    title: { en: 'Look up', sw: 'Rejea' },
    isTranslated: true,
    entries: [
      at('guides/test-numbers'),
      at('guides/phone-numbers'),
      at('guides/event-types'),
      at('errors'),
      { path: 'sdk', file: 'sdk/README.md', name: 'SDK for JavaScript' },
      { path: 'command-line', file: 'cli/README.md', name: 'Command line' },
      at('changelog'),
    ],
  },
  {
    title: { en: 'Run it yourself', sw: 'Iendeshe mwenyewe' },
    isTranslated: false,
    entries: [
      at('operations/quick-start'),
      at('tour'),
      at('operations/local'),
      at('operations/production'),
      at('operations/watching'),
      at('operations/upgrades'),
      at('operations/keys'),
      at('operations/backup'),
      at('operations/personal-data'),
      at('scaling'),
    ],
  },
]

export const entries: readonly Entry[] = sections.flatMap((section) => section.entries)

/** The Swahili file of a page; undefined for a page that is only in English. */
export function swahiliFileOf({ file }: Entry): string | undefined {
  const isTranslated = sections.some((section) => section.isTranslated && section.entries.some((entry) => entry.file === file))
  return isTranslated && file.startsWith('docs/') ? file.replace('docs/', 'docs/sw/') : undefined
}
