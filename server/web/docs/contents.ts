/** The Markdown files that are pages of the documentation, in menu order, with their addresses. */

export type Entry = Readonly<{
  /** Below `/docs`; empty for the first page. */
  path: string
  /** Relative to the root of the repository. */
  file: string
  /** Its menu name, if the title alone is unclear. */
  name?: string
}>

export type Section = Readonly<{ title: string; entries: readonly Entry[] }>

/** A file in `docs/` has an address equal to its name. */
function at(path: string): Entry {
  return { path, file: `docs/${path}.md` }
}

export const sections: readonly Section[] = [
  {
    title: 'Start',
    entries: [{ path: '', file: 'docs/index.md' }, at('quick-start'), at('tour')],
  },
  {
    title: 'Concepts',
    entries: [at('concepts/payments'), at('concepts/idempotency'), at('concepts/test-and-live'), at('concepts/reconciliation')],
  },
  {
    title: 'Guides',
    entries: [
      at('guides/payment-requests'),
      at('guides/webhooks'),
      at('guides/event-types'),
      at('guides/test-numbers'),
      at('guides/payouts'),
      at('guides/refunds'),
      at('guides/go-live'),
      at('errors'),
      at('changelog'),
      { path: 'sdk', file: 'sdk/README.md', name: 'SDK for JavaScript' },
      { path: 'command-line', file: 'cli/README.md', name: 'Command line' },
    ],
  },
  {
    title: 'Operations',
    entries: [
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
