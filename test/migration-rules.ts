/**
 * Forbidden actions of a migration on tables in use, rule by rule; most have the names of squawk (squawkhq.com), a linter for
 * PostgreSQL migrations. A statement is checked by its words alone, so in doubt a rule refuses.
 */

export type Finding = { rule: string; statement: string }

const outsideMark = '-- outside a transaction'
/**
 * The first line, or the one after `outsideMark`, of a file that removes something that older versions read; the rest of the line
 * says since when no version reads it.
 */
const contractMark = /^(?:-- outside a transaction\n)?-- contract: .{20,}/

type Statement = { text: string; table: string | undefined }

function statementsOf(text: string): Statement[] {
  const plain = text
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, '$body$')
    .replace(/--.*$/gm, '')
    .replace(/\s+/g, ' ')
  return plain
    .split(';')
    .map((statement) => statement.trim().toLowerCase())
    .filter(Boolean)
    .map((statement) => ({
      text: statement,
      table:
        /^alter table (?:if exists )?(?:only )?(\w+)/.exec(statement)?.[1] ??
        /^create (?:unique )?index (?:concurrently )?(?:if not exists )?(?:\w+ )?on (?:only )?(\w+)/.exec(statement)?.[1] ??
        /^create trigger \w+ .* on (\w+)/.exec(statement)?.[1],
    }))
}

type Rule = {
  name: string
  breaks(statement: Statement, file: { isNew: boolean; isOutside: boolean; isContract: boolean; all: string }): boolean
}

const rules: Rule[] = [
  {
    name: 'require-concurrent-index-creation',
    breaks: ({ text }, { isNew }) => !isNew && /^create (unique )?index (?!concurrently)/.test(text),
  },
  {
    name: 'ban-concurrent-index-creation-in-transaction',
    breaks: ({ text }, { isOutside }) => !isOutside && /\bconcurrently\b/.test(text),
  },
  {
    // An index whose build was interrupted remains, invalid, and "if not exists" would accept it as valid.
    name: 'concurrent-index-is-dropped-first',
    breaks: ({ text }, { all }) => {
      const index = /^create (?:unique )?index concurrently (?!if not exists)(\w+) on/.exec(text)?.[1]
      return (
        /^create (unique )?index concurrently/.test(text) &&
        (!index || !all.includes(`drop index concurrently if exists ${index};`))
      )
    },
  },
  {
    // Older versions that still run may need it for their reads, and for their inserts with "on conflict".
    name: 'dropped-index-is-made-again',
    breaks: ({ text }, { isContract, all }) => {
      const index = /^drop index (?:concurrently )?(?:if exists )?(\w+)/.exec(text)?.[1]
      if (index === undefined || isContract) return false
      return !new RegExp(`create (unique )?index concurrently ${index} on `).test(all.slice(all.indexOf(`${text};`)))
    },
  },
  {
    name: 'outside-a-transaction-only-what-needs-it',
    breaks: ({ text }, { isOutside }) =>
      isOutside &&
      !/^(create (unique )?index concurrently|drop index concurrently if exists|alter table \w+ validate constraint|analyze) ?/.test(
        text,
      ),
  },
  {
    name: 'constraint-missing-not-valid',
    breaks: ({ text }, { isNew }) =>
      !isNew && /\badd (constraint \w+ )?(check|foreign key)\b/.test(text) && !/ not valid\b/.test(text),
  },
  {
    name: 'adding-foreign-key-with-column',
    breaks: ({ text }, { isNew }) => !isNew && /\badd column [^,]* references\b/.test(text),
  },
  {
    name: 'disallowed-unique-constraint',
    breaks: ({ text }, { isNew }) =>
      !isNew && /\badd (constraint \w+ )?(unique|primary key|exclude)\b/.test(text) && !/ using index\b/.test(text),
  },
  {
    name: 'adding-required-field',
    breaks: ({ text }, { isNew }) =>
      !isNew && /\badd column [^,]*\bnot null\b/.test(text) && !/\badd column [^,]*\bdefault\b/.test(text),
  },
  {
    // A default that differs from row to row is written into every row, with the table locked.
    name: 'adding-field-with-volatile-default',
    breaks: ({ text }, { isNew }) =>
      !isNew && /\badd column [^,]*\bdefault\b[^,]*(clock_now|clock_timestamp|gen_random_uuid|random|nextval)\(/.test(text),
  },
  {
    name: 'adding-generated-or-serial-field',
    breaks: ({ text }, { isNew }) =>
      !isNew && /\badd column [^,]*\b(generated always as \(|generated .* as identity|(big|small)?serial\b)/.test(text),
  },
  {
    // With a valid constraint of the same meaning, PostgreSQL does not scan the rows.
    name: 'adding-not-nullable-field',
    breaks: ({ text }, { isNew, isContract }) => !isNew && /\balter column \w+ set not null\b/.test(text) && !isContract,
  },
  {
    name: 'changing-column-type',
    // Another collation rewrites no row. It makes the indexes on the column again, under the lock: upgrades.md says what it costs.
    breaks: ({ text }, { isNew }) => !isNew && /\balter column \w+ (set data )?type\b(?! text collate "c"$)/.test(text),
  },
  {
    name: 'validation-in-the-same-file',
    breaks: ({ text }, { isOutside }) => / validate constraint\b/.test(text) && !isOutside,
  },
  {
    name: 'taking-away-is-a-contract',
    breaks: ({ text }, { isContract }) =>
      !isContract &&
      /^(drop table|drop function|alter table .*\b(drop column|rename (column |to )|drop constraint)|truncate)\b/.test(text),
  },
  {
    name: 'prefer-bigint-identity-text-timestamptz',
    breaks: ({ text }) =>
      /^(create table|alter table)/.test(text) &&
      /\b\w+ (serial|bigserial|varchar|character varying|char\(|timestamp( |\(|,|$)|money\b|json\b)/.test(text),
  },
  {
    name: 'blocking-maintenance',
    breaks: ({ text }) =>
      /^(lock table|vacuum full|cluster|reindex(?!.*concurrently)|refresh materialized view(?! concurrently))\b/.test(text),
  },
  {
    // In batches, as a job: one statement would lock every row until all are done.
    name: 'backfill-is-a-job',
    breaks: ({ text }) => /^update \w+/.test(text) && !/\bwhere \w+ = '/.test(text),
  },
  {
    // The runner sets a limit; a file may set one shorter than two seconds.
    name: 'lock-timeout-at-most-two-seconds',
    breaks: ({ text }) =>
      /^set (local |session )?(lock_timeout|statement_timeout)/.test(text) &&
      !/^set local lock_timeout = '([1-9]\d{0,2}ms|[12]s)'$/.test(text),
  },
  {
    name: 'transaction-is-the-runners',
    breaks: ({ text }) => /^(begin|commit|rollback|start transaction)\b/.test(text),
  },
]

/** The errors of a migration, statement by statement. */
export function findingsIn(text: string): Finding[] {
  const statements = statementsOf(text)
  const made = new Set(
    statements.flatMap(({ text: statement }) => /^create table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? []),
  )
  const all = `${statements.map((statement) => statement.text).join(';')};`
  return statements.flatMap((statement) =>
    rules
      .filter(({ breaks }) =>
        breaks(statement, {
          isNew: statement.table !== undefined && made.has(statement.table),
          isOutside: text.startsWith(outsideMark),
          isContract: contractMark.test(text),
          all,
        }),
      )
      .map(({ name }) => ({ rule: name, statement: statement.text })),
  )
}
