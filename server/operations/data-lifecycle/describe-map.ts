/** Makes the map of personal data as a page for readers. Run as a script, it updates the page. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { columnsOf, personalTables, type Erased, type Person } from './personal-data.ts'

const people: Record<Person, string> = {
  account: 'Account holders (students, owners of businesses)',
  payer: 'Payers',
  recipient: 'Recipients of payouts',
  operator: 'Operators',
  anyone: 'Anyone',
}

const erasures: Record<Erased, string> = {
  replaced: 'replaced by a pseudonym, or emptied',
  removed: 'removed',
  held: 'held as long as the law requires, then removed',
  stays: 'stays',
}

/** One table for each kind of person. */
export function mapAsMarkdown(): string {
  const sections = Object.entries(people).map(([person, title]) => {
    const rows = Object.entries(personalTables[person as Person]).flatMap(([name, table]) =>
      columnsOf(table).map((column) => {
        const fate = erasures[column.erased] + (column.because === undefined ? '' : `: ${column.because}`)
        return `| \`${name}.${column.name}\` | ${column.what} | ${table.why} | ${column.guard ?? '–'} | ${table.seenBy} | ${table.keptFor} | ${fate} |`
      }),
    )
    return `### ${title}\n\n| Column | What | Why | Guard | Seen by | Kept | When erased |\n|---|---|---|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return sections.join('\n')
}

const [from, to] = ['<!-- map -->\n', '<!-- end of map -->']

if (import.meta.main) {
  const path = join(import.meta.dirname, '../../../docs/operations/personal-data.md')
  const page = readFileSync(path, 'utf8')
  const [start, end] = [page.indexOf(from) + from.length, page.indexOf(to)]
  writeFileSync(path, page.slice(0, start) + mapAsMarkdown() + page.slice(end))
}
