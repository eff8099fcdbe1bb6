/**
 * `rows<Row>`, and what is made of it, is a cast that the compiler cannot check. Here PostgreSQL prepares every statement of the service on the real schema,
 * and each column is compared with its row type: whether it is there, its type as the driver reads it, the texts that a check
 * constraint lists, and whether it may be null.
 */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { camelCase, openDb, Sql, type Db } from '../../server/platform/db/db.ts'
import { createTestDatabase } from '../databases.ts'
import { findStatements, onlyColumn, type BoundValue, type Kind, type RowColumn } from './find-statements.ts'
import { QueryTree, type Catalog } from './query-tree.ts'
import { standIns } from './stand-ins.ts'
import { mustBeNone } from '../must-match.ts'

/** Columns that are never null although the statement does not show it, as `file function: column`: the constraint, or the reason. */
const neverNull: Record<string, { constraint: string } | { because: string }> = {
  'server/collect/payment-requests/payment-request.sql.ts findRequest: amount': {
    constraint: 'payment_pages_request_has_amount',
  },
  'server/collect/payment-requests/payment-request.sql.ts listRequests: amount': {
    constraint: 'payment_pages_request_has_amount',
  },
  'server/assurance/invariants/walks.sql.ts nextMessages: home': { constraint: 'provider_inbox_applied_names_subject' },
  'server/base/mail/mail.sql.ts claimMails: sealedContent': { constraint: 'mails_content_while_due' },
  'server/base/mail/mail.sql.ts lockWaitingMail: sealedContent': { constraint: 'mails_content_while_due' },
  'server/merchants/onboarding/review-queue.sql.ts listWaiting: submittedAt': { constraint: 'verifications_submitted_has_time' },
  'server/merchants/onboarding/review-queue.sql.ts listWaiting: ageSeconds': { constraint: 'verifications_submitted_has_time' },
  'server/merchants/onboarding/review.sql.ts everSubmitted: id': { because: 'each document of a submitted package has an id' },
  'server/money/breaks/break.sql.ts findLostRecord: providerReference': { constraint: 'breaks_names_its_subject' },
  'server/money/breaks/break.sql.ts findLostRecord: isDecided': { constraint: 'breaks_resolution_is_whole' },
  'server/accounts/members/member.sql.ts listMemberships: joinedAt': { constraint: 'members_joined_with_person' },
  'server/collect/payments/payment.sql.ts claimRechecks: endedSeconds': { constraint: 'provider_charges_rechecked_after_end' },
  'server/collect/payments/pace.sql.ts listSecondSteps: since': { because: 'confirming_since is written with confirming_at' },
  'server/pay-out/payout-batches/batch.sql.ts listReady: amount': { constraint: 'payout_batch_rows_ready_complete' },
  'server/pay-out/payout-batches/batch.sql.ts listReady: phoneNumber': { constraint: 'payout_batch_rows_ready_complete' },
  'server/pay-out/payout-batches/batch.sql.ts listReady: recipientName': { constraint: 'payout_batch_rows_ready_complete' },
  'server/pay-out/payout-batches/batch.sql.ts listRecipientsOf: name': { constraint: 'payout_batch_rows_ready_complete' },
  'server/pay-out/payout-batches/batch.sql.ts findEarlier: rowCount': {
    because: 'there is at least one change: having count(*) > 0',
  },
  'server/pay-out/payout-batches/batch.sql.ts findEarlier: total': {
    because: 'there is at least one change: having count(*) > 0',
  },
  'server/pay-out/payout-batches/batch.sql.ts listShares: amount': { constraint: 'payout_batch_rows_ready_complete' },
  'server/pay-out/payout-batches/batch.sql.ts listShares: phoneNumber': { constraint: 'payout_batch_rows_ready_complete' },
  'server/pay-out/payouts/payout.sql.ts listPaidRefunds: completedAt': { constraint: 'payouts_completed_has_time' },
  'server/pay-out/payouts/payout.sql.ts claimUnnotifiedPayouts: merchantId': {
    because: 'it claims payouts that have a merchant',
  },
  'server/assurance/invariants/closed-day.sql.ts digestHomes: home': { because: 'the function groups transfers by home' },
  'server/assurance/invariants/closed-day.sql.ts digestHomes: transfers': { because: 'the function groups transfers by home' },
  'server/assurance/invariants/closed-day.sql.ts digestHomes: digest': { because: 'the function groups transfers by home' },
  'server/assurance/invariants/schema.sql.ts readSchema: definition': { because: 'the tables of transitions are not empty' },
  'server/assurance/invariants/verify.ts run: what': { because: 'each check selects `what`' },
  'server/assurance/reconciliation/charge-records.sql.ts nextMissingCharge: providerReference': {
    because: 'missing records name their charge',
  },
  'server/assurance/reconciliation/payout-records.sql.ts nextMissingPayout: providerReference': {
    because: 'missing records name their payout',
  },
  'server/assurance/invariants/head.sql.ts readHeadNow: audit': { because: 'the table has one row' },
  'server/operations/data-lifecycle/person.sql.ts findEndedHolds: userId': { constraint: 'erasures_only_accounts_are_held' },
}

type Column = { name: string; type: string; nullBecause: string | undefined; allowed: string[] | undefined }

async function readCatalog(client: pg.Client): Promise<Catalog> {
  const columns = await client.query<[string, string]>({
    text: `select attrelid || '.' || attnum, attrelid::regclass || '.' || attname from pg_attribute where attnum > 0 and not attnotnull`,
    rowMode: 'array',
  })
  const functions = await client.query<{ oid: string; name: string; isStrict: boolean; isOurs: boolean }>(
    `select oid::text, proname as name, proisstrict as "isStrict", pronamespace <> 'pg_catalog'::regnamespace as "isOurs" from pg_proc`,
  )
  const lists = await client.query<{ key: string; definition: string }>(
    `select conrelid || '.' || conkey[1] as key, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'c' and cardinality(conkey) = 1 and pg_get_constraintdef(oid) ~ '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\['`,
  )
  const textsIn = (definition: string): string[] => [...definition.matchAll(/'([^']*)'/g)].map(([, text]) => text!)
  return {
    allowedTexts: new Map(lists.rows.map(({ key, definition }) => [key, textsIn(definition)])),
    nullableColumns: new Map(columns.rows),
    functions: new Map(functions.rows.map((row) => [row.oid, row])),
  }
}

/** The columns that a statement returns. `isRead`: whether anything reads them. */
async function describe(
  client: pg.Client,
  catalog: Catalog,
  { text, bound }: { text: string; bound: BoundValue[] },
  isRead: boolean,
): Promise<Column[]> {
  await client.query(`deallocate all; prepare statement as ${text}`)
  if (!isRead) return []
  const { rows } = await client.query<{ parameters: string[]; results: string[] | null }>(
    'select parameter_types::text[] as parameters, result_types::text[] as results from pg_prepared_statements',
  )
  const { parameters, results } = rows[0]!
  // The body of a function is the one place where PostgreSQL stores and shows how it has understood a statement.
  await client.query(
    `begin; create function described(${parameters.join(', ')}) returns setof record begin atomic ${text}\n; end`,
  )
  const { rows: bodies } = await client
    .query<{ body: string }>(`select prosqlbody::text as body from pg_proc where proname = 'described'; rollback`)
    .then((both) => (both as unknown as pg.QueryResult<{ body: string }>[])[0]!)
  return new QueryTree(bodies[0]!.body, catalog, bound).columns().map((column, index) => ({
    ...column,
    name: camelCase(column.name),
    type: results![index]!,
    allowed: catalog.allowedTexts.get(column.origin),
  }))
}

/** Values in PostgreSQL's text format; `1` is one of every other type. */
const samples: Record<string, string> = {
  boolean: 't',
  bytea: String.raw`\x00`,
  date: '2026-01-01',
  inet: '127.0.0.1',
  json: '{}',
  jsonb: '{}',
  pg_lsn: '0/0',
  'timestamp with time zone': '2026-01-01 00:00:00+00',
  uuid: '00000000-0000-0000-0000-000000000000',
}

const jsonTypes = new Set(['json', 'jsonb'])

/** What the driver makes of each type. */
async function readKinds(db: Db, types: string[]): Promise<Map<string, Kind>> {
  const literals = types.map((type) => {
    const element = type.replace(/\[\]$/, '')
    const value = `'${samples[element] ?? '1'}'::${element}`
    return `${element === type ? value : `array[${value}]`} as "${type}"`
  })
  const [row] = await db.rows<Record<string, unknown>>(new Sql([`select ${literals.join(', ')}`], []))
  return new Map(types.map((type) => [type, kindOf(row![camelCase(type)])]))
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return { arrayOf: value.map(kindOf) }
  if (value instanceof Date) return 'Date'
  if (value instanceof Buffer) return 'Buffer'
  const type = typeof value
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object'
}

function fits(actual: Kind, wanted: Kind): boolean {
  if (wanted === 'anything') return true
  if (typeof actual === 'string' || typeof wanted === 'string') return actual === wanted
  return wanted.arrayOf.every((element) => fits(actual.arrayOf[0]!, element))
}

function* differences(
  columns: Column[],
  row: Map<string, RowColumn>,
  kinds: Map<string, Kind>,
): Generator<{ name: string; what: string; mayBeNull?: boolean }> {
  for (const name of row.keys()) {
    if (!columns.some((column) => column.name === name))
      yield { name, what: 'the row type has it, but the statement does not return it' }
  }
  for (const { name, type, nullBecause, allowed = [] } of columns) {
    const wanted = row.get(name)
    if (!wanted) {
      yield { name, what: 'the statement returns it, but the row type does not have it' }
      continue
    }
    const isFitting = jsonTypes.has(type) ? !wanted.isBeyondJson : wanted.kinds.every((kind) => fits(kinds.get(type)!, kind))
    if (!isFitting) yield { name, what: `${type} is read as ${JSON.stringify(kinds.get(type))}, not as ${wanted.type}` }
    const missing = allowed.filter((text) => wanted.texts?.includes(text) === false)
    if (missing.length > 0) yield { name, what: `is ${wanted.type}, but the column allows ${missing.join(', ')} too` }
    if (nullBecause !== undefined && !wanted.isNullable)
      yield { name, mayBeNull: true, what: `is ${wanted.type}, but may be null: ${nullBecause}` }
  }
}

/** A database with the real schema: a plain connection, the service's own, and what is known about the columns. */
async function openSchema(t: TestContext): Promise<{ client: pg.Client; db: Db; catalog: Catalog }> {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const db = openDb({
    url: database.url,
    poolSize: 1,
    connectTimeoutMs: 5_000,
    statementTimeoutMs: 5_000,
    applicationName: 'statements',
    onError: () => undefined,
  })
  t.after(async () => {
    await Promise.all([client.end(), db.close()])
    await database.drop()
  })
  return { client, db, catalog: await readCatalog(client) }
}

/** Statements with a column `never` that is never null, or `maybe` that may be. */
const examples = [
  'select id as never, phone_number as maybe from users',
  'select phone_number as never from users where phone_number is not null',
  `select phone_number as never from users where phone_number = '+255' and role = 'person'`,
  `select phone_number as maybe from users where phone_number = '+255' or role = 'person'`,
  'select phone_number as maybe from users where not (phone_number is not null and disabled_at is null)',
  'select coalesce(phone_number, email) as never, nullif(email, $1) as maybe from users',
  'select greatest(disabled_at, created_at) as never, disabled_at > created_at as maybe from users',
  'select case when disabled_at is not null then disabled_at else created_at end as never from users',
  'select case when disabled_at is null then created_at end as maybe from users',
  'select u.id as never, m.id as maybe from users u left join merchants m on m.user_id = u.id',
  'select m.id as never from users u left join merchants m on m.user_id = u.id where m.home = 1',
  'select u.phone_number as never from users u join merchants m on m.display_name = u.phone_number',
  'select u.phone_number as maybe from users u left join merchants m on m.display_name = u.phone_number',
  'select count(*) as never, max(created_at) as maybe from users',
  'select role, max(created_at) as never, max(disabled_at) as maybe from users group by role',
  'select (select count(*) from users) as never, (select id from users limit 1) as maybe',
  'select exists (select from users) as never, array(select phone_number from users) as never',
  'with u as (select phone_number from users) select phone_number as maybe from u',
  'with u as (select phone_number from users where phone_number is not null) select phone_number as never from u',
  'select id as never, phone_number as maybe from users union all select id, email from users',
  'select email as maybe from users union all select phone_number from users',
  'update users set phone_number = $1 where phone_number is null returning phone_number as never',
  'update users set phone_number = null where phone_number is not null returning phone_number as maybe',
  'update users set email = $1 where phone_number is not null returning phone_number as never',
  'with u as (delete from users returning phone_number) select phone_number as maybe from u',
  `select '{}'::jsonb ->> 'a' as maybe, jsonb_build_object('a', null) as never`,
  'with recursive r as (select 1 as n union all select n + 1 from r where n < 9) select n as never from r',
]

test('a column may be null where the statement can return null', async (t) => {
  const { client, catalog } = await openSchema(t)
  for (const text of examples) {
    for (const { name, nullBecause } of await describe(
      client,
      catalog,
      { text, bound: [{ isNullable: false, hasNullElements: false }] },
      true,
    )) {
      if (name === 'never') assert.equal(nullBecause, undefined, text)
      if (name === 'maybe') assert.notEqual(nullBecause, undefined, text)
    }
  }
})

test('every statement returns the columns of its row type', async (t) => {
  const { client, db, catalog } = await openSchema(t)
  const { statements, problems, close } = findStatements(standIns)
  t.after(close)
  const described: { place: string; home: string; row: Map<string, RowColumn>; columns: Column[] }[] = []
  for (const { place, home, variants, columns: row } of statements) {
    for (const variant of variants) {
      try {
        const columns = await describe(client, catalog, variant, row !== undefined)
        const only = row?.get(onlyColumn)
        if (row) described.push({ place, home, row: only ? new Map([[columns[0]!.name, only]]) : row, columns })
      } catch (error) {
        problems.push(`${place}: ${(error as Error).message}`)
        if (!(error instanceof pg.DatabaseError)) throw error
        await client.query('rollback')
      }
    }
  }
  const kinds = await readKinds(db, [...new Set(described.flatMap(({ columns }) => columns.map(({ type }) => type)))])
  const isUsed = new Set<string>()
  for (const { place, home, row, columns } of described) {
    for (const { name, what, mayBeNull } of differences(columns, row, kinds)) {
      const key = `${home}: ${name}`
      if (mayBeNull && key in neverNull) isUsed.add(key)
      else problems.push(`${place}: ${name}: ${what}`)
    }
  }
  const constraints = await client.query<{ name: string }>('select conname as name from pg_constraint where convalidated')
  for (const [key, reason] of Object.entries(neverNull)) {
    if (!isUsed.has(key)) problems.push(`neverNull needs no line for ${key}: remove it`)
    if ('constraint' in reason && !constraints.rows.some(({ name }) => name === reason.constraint))
      problems.push(`the line of neverNull for ${key} names no constraint: ${reason.constraint}`)
  }
  mustBeNone(problems, 'Correct the row type or the statement of these, or the lists of test/statements/statements.test.ts')
})
