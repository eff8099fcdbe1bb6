/**
 * The rules that let the same schema run on many databases (docs/scaling.md): the money of a merchant lives in one home, each row
 * names its home, no database rule spans two homes, and each statement names the home that it reads.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { before, after, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from './databases.ts'

const root = join(import.meta.dirname, '..')

/** Tables of a merchant's money: divided by home. */
const divided = new Set([
  'payment_pages',
  'payment_requests',
  'payments',
  'payment_receipts',
  'support_cases',
  'support_case_answers',
  'provider_charges',
  'payouts',
  'recipients',
  'customers',
  'customer_counts',
  'provider_payouts',
  'payout_batches',
  'payout_batch_rows',
  'payout_batch_changes',
  'approval_rules',
  'approval_requests',
  'approval_votes',
  'ledger_accounts',
  'ledger_transfers',
  'wallet_days',
  'events',
  'webhook_deliveries',
  'webhook_attempts',
  'receipts',
  'breaks',
  'payout_freezes',
])

/** Small tables that are read together with the money: a copy on every database. */
const everywhere = new Set([
  'users',
  'merchants',
  'members',
  'businesses',
  'apps',
  'api_keys',
  'webhook_endpoints',
  'payment_page_slugs',
  'redirect_hosts',
  'support_contacts',
  'merchant_brands',
  'support_case_transitions',
  'payment_transitions',
  'payout_transitions',
  'switches',
  // Beside the rows that they seal.
  'sealed_tables',
  'row_seals',
  'release_code_start',
  'network_states',
])

/** Tables that are searched without a home, and money without an owner: both are on one database. */
const inOnePlace = new Set([
  'provider_inbox',
  'provider_references',
  'prompts',
  'checkout_paces',
  'network_paces',
  'second_step_orders',
  'rate_limits',
  'audit_log',
  'audit_head',
  'book_checks',
  'check_cursors',
  'closed_days',
  'closed_day_homes',
  'summed_days',
  'sealed_spans',
  'saved_filters',
  'statement_schedules',
  'mailed_statements',
  'reconciliation_runs',
  'provider_movements',
  'provider_positions',
  'provider_balances',
  'restores',
  'clock_marks',
  'reconciliation_records',
  'receipt_sweep',
  'retention_turns',
  'erasures',
  'mails',
  'sessions',
  'second_factors',
  'recovery_codes',
  'sign_in_challenges',
  'mailed_tokens',
  'notification_preferences',
  'api_requests',
  'api_request_places',
  'documents',
  'document_folder',
  'document_views',
  'unfinished_objects',
  'verifications',
  'submitted_documents',
  'verification_history',
  'verification_moves',
  'identity_papers',
  'review_claims',
  'idempotent_answers',
  'kysely_migration',
])

let database: TestDatabase
let client: pg.Client
before(async () => {
  database = await createTestDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
after(async () => {
  await client.end()
  await database.drop()
})

async function ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  return (await client.query<Row>(text)).rows
}

test('every table has its place', async () => {
  const tables = await ask<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  const places = [divided, everywhere, inOnePlace]
  const wrong = tables.filter(({ name }) => places.filter((place) => place.has(name)).length !== 1).map(({ name }) => name)
  assert.deepEqual(wrong, [], 'name each in one list of this file')
  const known = new Set(tables.map(({ name }) => name))
  assert.deepEqual(
    places.flatMap((place) => [...place]).filter((name) => !known.has(name)),
    [],
    'there are no such tables',
  )
})

test('a row of money names its home, and shares no ordering with another home', async () => {
  const homes = await ask<{ table: string }>(`
    select attrelid::regclass::text as "table" from pg_attribute
    where attname = 'home' and atttypid = 'smallint'::regtype and attnotnull`)
  const saying = new Set(homes.map(({ table }) => table))
  assert.deepEqual(
    [...divided].filter((table) => !saying.has(table)),
    [],
    'home smallint not null',
  )

  const counted = await ask<{ what: string }>(`
    select c.relname as what from pg_class c where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace
    union all
    select attrelid::regclass::text || '.' || attname from pg_attribute
    where attidentity <> '' and attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`)
  assert.deepEqual(counted, [], 'a sequence counts for all homes at once')
})

/** Unique indexes that do not begin with the home, with the reason. */
const acrossHomes: Record<string, string> = {
  provider_payouts_one_per_reference:
    'a payout is found by the provider’s reference without a home; before homes are split, the reference moves to a separate table, as for payments',
}

test('uniqueness of money rows is enforced per home', async () => {
  const indexes = await ask<{ table: string; name: string; first: string }>(`
    select i.indrelid::regclass::text as "table", c.relname as name, a.attname as first
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indisunique and c.relnamespace = 'public'::regnamespace`)
  const wrong = indexes.filter(({ table, first }) => divided.has(table) && first !== 'home').map(({ name }) => name)
  assert.deepEqual(wrong.sort(), Object.keys(acrossHomes).sort())
})

test('money rows refer only to money rows of the same home, and to tables that exist everywhere', async () => {
  const keys = await ask<{ name: string; from: string; to: string; columns: string[]; referred: string[] }>(`
    select k.conname as name, k.conrelid::regclass::text as "from", k.confrelid::regclass::text as "to",
      (select array_agg(a.attname::text order by u.ord) from unnest(k.conkey) with ordinality as u (num, ord)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.num) as columns,
      (select array_agg(a.attname::text order by u.ord) from unnest(k.confkey) with ordinality as u (num, ord)
        join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.num) as referred
    from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace`)
  const wrong = keys.flatMap(({ name, from, to, columns, referred }) => {
    if (divided.has(from) && divided.has(to)) {
      return columns.indexOf('home') === referred.indexOf('home') && columns.includes('home')
        ? []
        : [`${name} leaves the home out`]
    }
    if (divided.has(to)) return [`${name}: ${from} is not divided and refers to ${to}`]
    if (divided.has(from) && !everywhere.has(to)) return [`${name}: ${to} is not everywhere`]
    if (everywhere.has(from) && !everywhere.has(to)) return [`${name}: ${from} is everywhere, ${to} is not`]
    return []
  })
  assert.deepEqual(wrong, [])
})

/** Triggers on money; each reads only its own row and tables that exist everywhere. */
const ownRowTriggers = [
  'ledger_accounts_note_debt',
  'payouts_method_stays',
  'payouts_transition_known',
  'provider_charges_attempts_never_fall',
  'provider_payouts_attempts_never_fall',
]

/** A payout takes its reference as settling takes that of a charge: the statement that writes it also writes the table in one place. */
const bindingTrigger = 'provider_payouts_bind_their_record'

/** An order reads whether its payout, of the same home, is sent at all. */
const orderTrigger = 'outside_has_no_order'

/** Defaults and generated columns with a call; each reads only its own row and the clock. */
const ownRowDefaults = new Set(['clock_now()', 'short_code_of(id)'])

test('no trigger, exclusion or default of money reaches beyond its own row', async () => {
  const triggers = await ask<{ table: string; name: string; body: string }>(`
    select t.tgrelid::regclass::text as "table", t.tgname as name, p.prosrc as body
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where not t.tgisinternal`)
  const isHint = (name: string): boolean => /_tell_(insert|update|delete)$/.test(name)
  const isSeal = (name: string): boolean => /_seal_(insert|update|delete)$/.test(name)
  const onMoney = triggers.filter(({ table, name }) => divided.has(table) && !isHint(name) && !isSeal(name))
  // A seal stands beside its row, in the same database.
  for (const { name, body } of triggers.filter((trigger) => isSeal(trigger.name)))
    for (const table of [...divided, ...inOnePlace])
      assert.ok(!new RegExp(`\\b(from|join|update|into)\\s+${table}\\b`).test(body), `${name} reads ${table}`)
  assert.deepEqual(onMoney.map(({ name }) => name).toSorted(), [...ownRowTriggers, bindingTrigger, orderTrigger].toSorted())
  // A hint for open screens writes nothing, and reads besides the changed rows only rows of the same home.
  for (const { name, body } of triggers.filter(({ table, name }) => divided.has(table) && isHint(name))) {
    assert.doesNotMatch(body, /\b(insert|update|delete|into)\b/, name)
    for (const [, table, alias, condition] of body.matchAll(/\bjoin (\w+) (\w+) on (.+?)(?= join |\)\);|$)/g)) {
      assert.ok(!inOnePlace.has(table!), `${name} reads ${table}`)
      if (divided.has(table!)) assert.match(condition!, new RegExp(`${alias}\\.home = c\\.home`), name)
    }
  }
  assert.match(
    triggers.find(({ name }) => name === orderTrigger)!.body,
    /join payouts p on p\.home = i\.home and p\.id = i\.payout_id/,
  )
  for (const { name, body } of onMoney.filter((one) => one.name !== orderTrigger)) {
    for (const table of [...divided, ...inOnePlace].filter((one) => name !== bindingTrigger || one !== 'provider_references'))
      assert.ok(!new RegExp(`\\b(from|join|update|into)\\s+${table}\\b`).test(body), `${name} reads ${table}`)
  }
  const beyond = await ask<{ table: string }>(
    `select conrelid::regclass::text as "table" from pg_constraint where contype in ('x', 't') and connamespace = 'public'::regnamespace`,
  )
  assert.deepEqual(
    beyond.filter(({ table }) => divided.has(table)),
    [],
  )
  // A generated column can read nothing but its row.
  const defaults = await ask<{ table: string; text: string }>(`
    select adrelid::regclass::text as "table", pg_get_expr(adbin, adrelid) as text
    from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum where attgenerated = ''`)
  assert.deepEqual(
    defaults.filter(({ table, text }) => divided.has(table) && /\(/.test(text) && !ownRowDefaults.has(text)),
    [],
  )
})

type Statement = { file: string; name: string; text: string }

/** Skips a string, a template or a pair of brackets that begins at `at`; returns the position of its end. */
function endOf(source: string, at: number): number {
  const opening = source[at]!
  if (opening === '`') {
    let place = at + 1
    for (; source[place] !== '`'; place += 1) {
      if (source.startsWith('${', place)) place = endOf(source, place + 1)
    }
    return place
  }
  if (opening === "'" || opening === '"') {
    let place = at + 1
    for (; source[place] !== opening; place += 1) if (source[place] === '\\') place += 1
    return place
  }
  let place = at + 1
  for (; !'})]'.includes(source[place]!); place += 1) {
    if ('{([\'"`'.includes(source[place]!)) place = endOf(source, place)
    // A comment may contain a quote that is never closed.
    if (source.startsWith('//', place)) place = source.indexOf('\n', place)
  }
  return place
}

/** The outermost `sql` pieces of a file, with nested ones in place, and the function or constant that each is in. */
function statementsOf(file: string): Statement[] {
  const source = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  const found: Statement[] = []
  for (let at = source.indexOf('sql`'); at >= 0; at = source.indexOf('sql`', at)) {
    const end = endOf(source, at + 3)
    const names = [...source.slice(0, at).matchAll(/^(?:export )?(?:async )?(?:function\*?|const) (\w+)/gm)]
    found.push({ file, name: names.at(-1)?.[1] ?? '', text: source.slice(at + 4, end) })
    at = end + 1
  }
  return found
}

const statements = globSync('server/**/*.sql.ts', { cwd: root }).sort().flatMap(statementsOf)

const keyword =
  /^(where|on|set|order|group|limit|left|inner|join|cross|for|union|select|values|returning|using|having|window|offset|as|with|except|intersect|do)$/

/**
 * Money tables that a statement reads or writes without naming a home. A table joined by its home to another table counts as named
 * if that other table is.
 */
function withoutHome({ text }: Statement): string[] {
  const code = text.replace(/--.*$/gm, '')
  const matches = [...code.matchAll(/\b(from|join|update|into|using)\s+(\w+)(?:\s+(?:as\s+)?([a-z_]\w*))?/g)]
  return matches.flatMap(([, how, table, next]) => {
    if (!divided.has(table!)) return []
    if (how === 'into') return new RegExp(`into\\s+${table}(\\s+as)?(\\s+\\w+)?\\s*\\(\\s*home\\b`).test(code) ? [] : [table!]
    const alias = next === undefined || keyword.test(next) ? undefined : next
    const column = alias === undefined ? `(?:${table}\\.)?home` : `${alias}\\.home`
    const isSaid = new RegExp(
      `(^|[^.\\w])${column}\\s*=|=\\s*${column}\\b|\\(\\s*${column}\\s*,[^)]*\\)\\s*(in|=|<|>)|=\\s*\\(\\s*${column}\\b|in\\s*\\(\\s*select\\s+${column}\\b`,
    ).test(code)
    return isSaid ? [] : [`${table}${alias === undefined ? '' : ` ${alias}`}`]
  })
}

/** The columns of a list in a file, in snake case: `const rowColumns = { ...cellColumns, home: 'smallint' }`. */
function columnsOf(source: string, list: string): string {
  const [, inside = ''] = new RegExp(`const ${list} = \\{([^}]*)\\}`).exec(source) ?? []
  return inside
    .replace(/\.\.\.(\w+)/g, (_, other: string) => columnsOf(source, other))
    .replace(/(\w+): '[^']*'/g, (_, key: string) => key.replace(/[A-Z]/g, '_$&').toLowerCase())
}

/** The file from which a file imports a fragment; undefined: it does not. */
function importedFrom(file: string, name: string): string | undefined {
  if (!imports.has(file)) {
    const all = readFileSync(join(root, file), 'utf8').matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)
    imports.set(
      file,
      new Map([...all].flatMap(([, names, from]) => names!.split(/\W+/).map((one) => [one, join(dirname(file), from!)]))),
    )
  }
  return imports.get(file)!.get(name)
}

const imports = new Map<string, Map<string, string>>()

/**
 * The fragments of a file from which its statements are built, by name, and its lists of columns. The text of a fragment counts as text of
 * the statement.
 */
function spliced({ file, text }: Statement, depth = 0): string {
  return text.replace(
    /\$\{(\w+)(?:\((?:[^()]*, )?(\w+)(?:, '(\w+)')?\))?[^}]*\}/g,
    (whole, name: string, list?: string, alias?: string) => {
      if ((name === 'columnNames' || name === 'newRows') && list !== undefined && alias === undefined) {
        const columns = columnsOf(readFileSync(join(root, file), 'utf8'), list)
        return name === 'newRows' ? `(${columns}) select * from n` : columns
      }
      const home = importedFrom(file, name) ?? file
      const piece = statements.find((other) => other.file === home && other.name === name && other.text !== text)
      return piece && depth < 2 ? spliced(piece, depth + 1) : whole
    },
  )
}

/**
 * Code that reads money in all homes at once. On divided tables each of these queries every database, or becomes one statement for
 * each.
 */
const inAllHomes: Record<string, string> = {
  'collect/payments/payment.sql.ts claimDueCharges': 'claims due rows of all merchants',
  'collect/customers/customer.sql.ts findBehind': 'claims due rows of all merchants',
  'collect/customers/customer.sql.ts pseudonymizeCustomer': 'a person’s data, in all homes',
  'collect/payment-requests/payment-request.sql.ts eraseCustomer': 'a person’s data, in all homes',
  'collect/payments/payment.sql.ts moveChargeTimes': 'a clock of one database, for all its homes',
  'pay-out/payouts/payout.sql.ts movePayoutTimes': 'a clock of one database, for all its homes',
  'merchants/webhooks/delivery.sql.ts moveDeliveryTimes': 'a clock of one database, for all its homes',
  'pay-out/payouts/payout.sql.ts claimUnnotifiedPayouts': 'claims due rows of all merchants',
  'pay-out/payout-batches/batch.sql.ts moveBatchTimes': 'a clock of one database, for all its homes',
  'accounts/members/approval.sql.ts moveApprovalTimes': 'a clock of one database, for all its homes',
  'accounts/members/approval-rule.sql.ts takeUnasked': 'asks the owners of old rules, of all merchants',
  'pay-out/payout-batches/batch.sql.ts claimUnnotifiedBatches': 'claims due rows of all merchants',
  'pay-out/payout-batches/batch.sql.ts pruneDrafts': 'removes expired rows of all merchants',
  'merchants/webhooks/delivery.sql.ts firstQueue': 'a step along the queues of all endpoints',
  'merchants/webhooks/delivery.sql.ts readOldestDue': 'the age of the oldest due row',
  'merchants/webhooks/delivery.sql.ts countOverdueOwners': 'counts the owners of due rows, of all homes',
  'assurance/reconciliation/record.sql.ts listFoundAfterAll': 'a record of the provider, by its reference',
  'assurance/invariants/event-promises.sql.ts eventPromises': 'checks every home',
  'assurance/invariants/evidence-promises.sql.ts evidencePromises': 'checks every home',
  'assurance/invariants/evidence-promises.sql.ts namesPayment':
    'a charge that was found may have been credited in another home than that of its break',
  'pay-out/payouts/order-mac.sql.ts payoutOrders':
    'counts the codes under each key, for operators; and a person’s data, in all homes',
  'pay-out/payouts/order-mac.sql.ts released':
    'counts the codes under each key, for operators; and a person’s data, in all homes',
  'pay-out/payouts/order-mac.sql.ts payoutReleases':
    'counts the codes under each key, for operators; and a person’s data, in all homes',
  'collect/payments/order-mac.sql.ts chargeOrders':
    'counts the codes under each key, for operators; and a person’s data, in all homes',
  'collect/payments/payment.sql.ts claimRechecks': 'claims due rows of all merchants',
  'operations/metrics/figures.sql.ts readRecheckDelay': 'the age of the oldest due row',
  'merchants/webhooks/failing-endpoint.sql.ts findFailingEndpoints': 'looks over all webhooks once a minute',
  'money/breaks/break.sql.ts findLostRecord': 'a record of the provider that matched nothing; by its reference',
  'pay-out/payouts/payout.sql.ts findPayoutReference': 'a provider’s reference of a payout (see above)',
  'assurance/reconciliation/payout-records.sql.ts findOurPayouts': 'a provider’s reference of a payout (see above)',
  'collect/payments/erase-payer.sql.ts lockPaymentsOf': 'a person’s data, in all homes',
  'collect/payments/code.sql.ts findByShortCode': 'a code is heard without a merchant; operators search all homes',
  'collect/payments/code.sql.ts findByReceipt': 'a receipt’s number is told without a merchant; operators search all homes',
  'collect/payments/ask-charge.sql.ts findReceiptOwner': 'a receipt’s number is told without a merchant',
  'collect/support-cases/support-case.sql.ts claimDueCases': 'claims due rows of all merchants',
  'collect/support-cases/support-case.sql.ts lockPaidSince': 'claims due rows of all merchants',
  'collect/support-cases/support-case.sql.ts listCases': 'operators list the cases of all merchants',
  'collect/support-cases/support-case.sql.ts readCaseQueue': 'operators count the cases of all merchants',
  'collect/support-cases/support-case.sql.ts pruneCases': 'old rows of all merchants',
  'collect/support-cases/support-case.sql.ts moveCaseTimes': 'a clock of one database, for all its homes',
  'collect/payments/erase-payer.sql.ts emailsOfPayer': 'a person’s data, in all homes',
  'collect/payments/erase-payer.sql.ts pseudonymisePayer': 'a person’s data, in all homes',
  'pay-out/payout-batches/batch.sql.ts eraseRowsTo': 'a person’s data, in all homes',
  'pay-out/payouts/erase-recipient.sql.ts lockPayoutsTo': 'a person’s data, in all homes',
  'pay-out/payouts/erase-recipient.sql.ts pseudonymiseRecipient': 'a person’s data, in all homes',
  'pay-out/recipients/recipient.sql.ts deleteRecipientsOf': 'a person’s data, in all homes',
  'operations/data-lifecycle/person.sql.ts ofPhone': 'a person’s data, in all homes',
  'operations/operators/overview.sql.ts readQueues': 'operators',
  'operations/operators/overview.sql.ts countOpenBreaks': 'operators',
  'collect/pages/redirect-host.sql.ts listStrayPages': 'operators',
  'views/notifications/receipt.sql.ts countReceiptsOfPages': 'pages with due receipts, of all merchants',
  'money/controls/payout-freeze.sql.ts readPayoutFreezes': 'operators',
  'operations/operators/search.sql.ts findPaymentsByPhone': 'operators',
  'operations/operators/search.sql.ts findPayoutsByPhone': 'operators',
  'operations/operators/search.sql.ts findPaymentsByMerchantReference': 'operators',
  'operations/operators/search.sql.ts findPages': 'operators',
  'operations/operators/search.sql.ts findCasesByNumber': 'operators',
  'operations/operators/search.sql.ts findCasesByPhone': 'operators',
  'assurance/reconciliation/break-subject.sql.ts unknownCharges': 'operators',
  'assurance/reconciliation/break-subject.sql.ts countUnknownPayments': 'operators',
  'assurance/reconciliation/break-subject.sql.ts listStuckCharges': 'operators',
  'operations/operators/search.sql.ts findSubject': 'operators',
  'views/merchant-account/wallet-day.sql.ts listHomesOfDay': 'sums a day of all books',
  'assurance/invariants/closed-day.sql.ts findDayToClose': 'closes a day of all books',
  'assurance/invariants/closed-day.sql.ts findHomeRanges': 'closes a day of all books',
  'assurance/invariants/account-chains.sql.ts brokenLines': 'verifies all books',
  'assurance/invariants/changed-keys.sql.ts changedAccounts': 'verifies all books',
  'assurance/invariants/changed-keys.sql.ts changedBreaks': 'verifies all books',
  'assurance/invariants/scope.sql.ts changedPayouts': 'verifies all books',
  'assurance/invariants/ledger-promises.sql.ts ledgerPromises': 'verifies all books',
  'assurance/invariants/payment-promises.sql.ts ofChanges': 'verifies all books',
  'assurance/invariants/refund-promises.sql.ts sumsOff': 'verifies all books',
  'assurance/invariants/payment-promises.sql.ts paymentPromises': 'verifies all books',
  'assurance/invariants/payout-promises.sql.ts payoutPromises': 'verifies all books',
  'assurance/invariants/delivery-promises.sql.ts deliveryPromises': 'verifies all books',
  'assurance/invariants/unfinished-promises.sql.ts unclaimed': 'verifies all books',
}

test('a statement on money names the home that it reads', () => {
  assert.ok(statements.length > 200, 'the statements are found')
  const found = statements.flatMap((statement) => {
    const tables = withoutHome({ ...statement, text: spliced(statement) })
    return tables.length === 0 ? [] : [{ who: `${statement.file.replace('server/', '')} ${statement.name}`, tables }]
  })
  assert.deepEqual(
    found.filter(({ who }) => !(who in inAllHomes)),
    [],
  )
  const who = new Set(found.map((statement) => statement.who))
  assert.deepEqual(
    Object.keys(inAllHomes).filter((name) => !who.has(name)),
    [],
    'they say it by now',
  )
})

/**
 * How many homes a statement leaves uncompared, beyond the one of `inAllHomes`: it begins in many homes at once, or it is a part of a
 * statement that says the home. The checks of the books and the reconciliation read all homes.
 */
const uncompared: Record<string, number> = {
  'accounts/members/approval.sql.ts eraseReasonsAbout': 1,
  'accounts/members/approval.sql.ts listEnded': 1,
  'collect/payment-requests/payment-request.sql.ts eraseCustomer': 1,
  'collect/payments/order-mac.sql.ts stored': 1,
  'collect/support-cases/support-case.sql.ts eraseCasesOf': 2,
  'collect/support-cases/support-case.sql.ts emailsOfCases': 2,
  'merchants/webhooks/delivery.sql.ts claimDeliveries': 4,
  'merchants/webhooks/delivery.sql.ts countOverdueOwners': 2,
  'merchants/webhooks/delivery.sql.ts readOldestDue': 2,
  'merchants/webhooks/event.sql.ts enqueueMissing': 1,
  'money/breaks/break.sql.ts listBreaks': 1,
  'money/ledger/account.sql.ts listRepayable': 1,
  'money/ledger/transfer.sql.ts walletLines': 1,
  'money/ledger/transfer.sql.ts transfersWithAccounts': 1,
  'operations/data-lifecycle/person.sql.ts ofPhone': 1,
  'operations/operators/merchant.sql.ts listWebhookHealth': 1,
  'operations/operators/merchant.sql.ts listOpenBreaksOf': 1,
  'operations/operators/overview.sql.ts readQueues': 3,
  'operations/operators/search.sql.ts findPayoutsByProviderReference': 1,
  'pay-out/payout-batches/batch.sql.ts view': 1,
  'pay-out/payout-batches/batch.sql.ts lockBatchesTo': 1,
  'pay-out/payout-batches/finish-batches.sql.ts finishBatches': 1,
  'pay-out/payouts/order-mac.sql.ts stored': 1,
  'pay-out/payouts/payout.sql.ts withOrder': 1,
  'pay-out/payouts/payout.sql.ts listOrderedPayouts': 1,
  'views/merchant-account/wallet-day.sql.ts sumWalletDays': 1,
  'views/notifications/receipt.sql.ts findWithoutReceipt': 1,
}

/** Tables of money in a statement that are tied neither to a home nor to another table by its home. */
function countUncompared({ text }: Statement): number {
  const code = text.replace(/--.*$/gm, '')
  const tables = [...code.matchAll(/\b(?:from|join|update|using)\s+(\w+)\b/g)].filter(([, table]) => divided.has(table!))
  const comparisons = code.matchAll(
    /\bhome\s*=\s|\bhome in\b|\(\s*(?:\w+\.)?home\s*,[^()]*\)\s*(?:in|=|<|>)|using\s*\(\s*home\b/g,
  )
  return tables.length - [...comparisons].length
}

test('a statement on money compares the home of each of its tables', () => {
  const found: Record<string, number> = {}
  for (const statement of statements) {
    const who = `${statement.file.replace('server/', '')} ${statement.name}`
    const count = countUncompared({ ...statement, text: spliced(statement) }) - (who in inAllHomes ? 1 : 0)
    if (count > 0 && !who.startsWith('assurance/')) found[who] = Math.max(count, found[who] ?? 0)
  }
  assert.deepEqual(found, uncompared)
})

/** Syntax that PostgreSQL 15 does not have yet, or that a version up to 18 interprets differently. */
const notEverywhere: [what: string, pattern: RegExp][] = [
  ['functions of 16', /\b(any_value|array_shuffle|array_sample|random_normal|date_add|date_subtract|pg_input_is_valid)\s*\(/i],
  [
    'functions of 17',
    /\b(json_table|json_query|json_value|json_exists|json_serialize|json_scalar|to_bin|to_oct|uuid_extract_\w+)\s*\(|\brandom\s*\(\s*[^)\s]/i,
  ],
  ['functions of 18', /\b(uuidv7|uuidv4|array_sort|array_reverse|casefold|crc32c?|gamma|lgamma|reverse_bytea)\s*\(/i],
  ['json constructors of 16', /\b(json_object|json_array|json_arrayagg|json_objectagg)\s*\(|\bis\s+(not\s+)?json\b/i],
  ['merge, which returns from 17 on', /\bmerge\s+into\b/i],
  ['old and new after returning, of 18', /\breturning\b[^;]*\b(old|new)\./i],
  ['constraints of 18', /\b(not enforced|without overlaps|period for)\b/i],
  ['generated columns, virtual from 18 on', /\bgenerated\s+always\s+as\s*\((?:[^()]|\([^()]*\))*\)(?!\s*stored)/i],
  ['numbers with underscores, of 16', /(?<![\w$'])\d+_\d+/],
  ['copy on_error of 17', /\bon_error\b/i],
]

/** Subqueries after `from` or `join` without a name, which only 16 and later accept. */
function namelessQueries(text: string): string[] {
  const code = text.replace(/--.*$/gm, '').replace(/'[^']*'/g, "''")
  return [...code.matchAll(/(?<!\bdistinct\s+)\b(?:from|join|lateral)\s*\(\s*(?:select|values|with)\b/gi)].flatMap((match) => {
    let depth = 0
    let at = code.indexOf('(', match.index)
    do {
      if (code[at] === '(') depth += 1
      if (code[at] === ')') depth -= 1
      at += 1
    } while (depth > 0 && at < code.length)
    // A piece of SQL may get its name from outside.
    const [, next] = /^\s*(?:as\s+)?(\w+|\$\{name\})?/i.exec(code.slice(at)) ?? []
    return next === undefined || keyword.test(next.toLowerCase()) ? [code.slice(match.index, match.index + 80)] : []
  })
}

test('the SQL is that of PostgreSQL 15 to 18', () => {
  const migrations = globSync('migrations/*.sql', { cwd: root }).map((file) => ({
    file,
    name: '',
    text: readFileSync(join(root, file), 'utf8'),
  }))
  const wrong = [...statements, ...migrations].flatMap(({ file, name, text }) => [
    ...notEverywhere
      .filter(([, pattern]) => pattern.test(text.replace(/--.*$/gm, '').replace(/'[^']*'/g, "''")))
      .map(([what]) => `${file} ${name}: ${what}`),
    ...namelessQueries(text).map((query) => `${file} ${name}: no name for ${query}`),
  ])
  assert.deepEqual(wrong, [])
  assert.equal(namelessQueries('select 1 from (select 2) where true').length, 1)
  assert.equal(namelessQueries('select 1 from (select (2)) as two join (values (1)) v (x) on true').length, 0)
})
