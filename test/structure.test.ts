/** The house rules that a machine can read: which way imports go, and which doors there is only one of. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

/** From the bottom up: a slice imports from lower floors only, never from its own floor. */
const floors = [
  ['platform'],
  ['config'],
  ['audit', 'mail', 'storage', 'ledger', 'providers', 'breaks'],
  ['identity'],
  ['apps', 'documents', 'switches'],
  ['networks'],
  ['pages', 'webhooks', 'verification'],
  ['businesses', 'admin'],
  ['payments', 'profile'],
  ['payouts'],
  ['wallets', 'invariants', 'search', 'reconciliation', 'keys', 'backup'],
  ['checkout', 'dashboard', 'console', 'docs', 'emergency'],
  ['receipts', 'notices', 'metrics'],
  ['privacy'],
  ['retention'],
  ['clock'],
  ['dependencies', 'error-codes', 'serving-login'],
  ['reference'],
  ['api', 'worker', 'demo', 'local-settings', 'simulator-process'],
  ['local', 'ops', 'start-role'],
  ['main'],
]
const floorOf = new Map(floors.flatMap((names, floor) => names.map((name) => [name, floor] as const)))

type Source = { path: string; text: string; code: string }

function readSources(pattern: string): Source[] {
  return globSync(pattern, { cwd: root }).map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, text, code: text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '') }
  })
}

const server = readSources('server/**/*.ts')
const dashboard = readSources('dashboard/src/**/*.{ts,tsx}')
const production = server.filter(({ path }) => !path.endsWith('.test.ts') && !path.endsWith('-world.ts'))

function importsOf({ path, text }: Source): string[] {
  const found = [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map((match) => normalize(join(dirname(path), match[1]!)))
  return found
}

const sliceOf = (path: string): string => path.split('/')[1]!.replace(/\.ts$/, '')

test('imports go down the floors, and slices of one floor do not know each other', () => {
  const wrong: string[] = []
  for (const source of production) {
    for (const target of importsOf(source)) {
      if (!target.startsWith('server/')) continue
      const [from, to] = [sliceOf(source.path), sliceOf(target)]
      if (from === to) continue
      const [fromFloor, toFloor] = [floorOf.get(from), floorOf.get(to)]
      assert.ok(
        fromFloor !== undefined && toFloor !== undefined,
        `${source.path} -> ${target}: give ${from} and ${to} a floor in this test`,
      )
      if (toFloor >= fromFloor) wrong.push(`${source.path} -> ${target}`)
    }
  }
  assert.deepEqual(wrong, [])
})

test('platform knows nothing of the business', () => {
  const wrong = production
    .filter(({ path }) => path.startsWith('server/platform/'))
    .flatMap((source) =>
      importsOf(source)
        .filter((target) => !target.startsWith('server/platform/'))
        .map((target) => `${source.path} -> ${target}`),
    )
  assert.deepEqual(wrong, [])
})

test('the simulator and the service share no code', () => {
  const outside = readSources('simulator/**/*.ts').flatMap((source) =>
    importsOf(source)
      .filter((target) => !target.startsWith('simulator/'))
      .map((target) => `${source.path} -> ${target}`),
  )
  const inside = production.flatMap((source) =>
    importsOf(source)
      .filter((target) => target.startsWith('simulator/'))
      .map((target) => `${source.path} -> ${target}`),
  )
  assert.deepEqual([...outside, ...inside], [])
})

test('a provider adapter imports what all of them share and the platform, nothing else of ours', () => {
  const adapters = ['server/providers/snippe.ts', 'server/providers/clickpesa.ts']
  const wrong = production
    .filter(({ path }) => path.startsWith('server/providers/'))
    .flatMap((source) =>
      importsOf(source)
        .filter((target) => !/^server\/(platform|providers)\//.test(target) || adapters.includes(target))
        .map((target) => `${source.path} -> ${target}`),
    )
  assert.deepEqual(wrong, [])
})

test('the environment is read in config.ts alone', () => {
  const readers = production
    .filter(({ path, code }) => path !== 'server/config.ts' && /process\.env/.test(code))
    .map(({ path }) => path)
  assert.deepEqual(readers, [])
})

/** Statements outside *.sql.ts, each with its reason. */
const sqlElsewhere: Record<string, string> = {
  'server/platform/db.ts': 'the tag itself: begin, commit, rollback',
  'server/platform/migrate.ts': 'reads the migrator’s own table',
  'server/platform/primary.ts': 'asks a server whether it takes writes, before there is a pool',
  'server/platform/health.ts': 'asks the server whether it can be written to',
  'server/platform/notifications.ts': 'LISTEN',
  'server/platform/embedded-postgres.ts': 'creates the database of a new cluster',
  'server/invariants/verify.ts': 'settings of the checking transaction',
}

test('SQL stands in *.sql.ts files', () => {
  const wrong = production
    .filter(({ path, code }) => !path.endsWith('.sql.ts') && !(path in sqlElsewhere) && /\bsql`|\.query\(/.test(code))
    .map(({ path }) => path)
  assert.deepEqual(wrong, [])
})

test('news leaves after the commit that it is about: NOTIFY stands in one place', () => {
  const everywhere = [...production, ...readSources('migrations/*.sql')]
  const wrong = everywhere
    .filter(
      ({ path, code }) => path !== 'server/platform/notify.sql.ts' && /\bpg_notify\(|\bnotify [a-z_]+\b(?=`|,|;)/.test(code),
    )
    .map(({ path }) => path)
  assert.deepEqual(wrong, [])
})

test('a slice’s SQL writes the tables of its own slice only', () => {
  const owners: Record<string, string> = {
    users: 'identity',
    merchants: 'identity',
    sessions: 'identity',
    second_factors: 'identity',
    notification_preferences: 'identity',
    recovery_codes: 'identity',
    sign_in_challenges: 'identity',
    mailed_tokens: 'identity',
    audit_log: 'audit',
    audit_head: 'audit',
    switches: 'switches',
    payout_freezes: 'switches',
    network_states: 'networks',
    mails: 'mail',
    documents: 'documents',
    document_views: 'documents',
    unfinished_objects: 'documents',
    verifications: 'verification',
    submitted_documents: 'verification',
    verification_history: 'verification',
    identity_papers: 'verification',
    review_claims: 'verification',
    businesses: 'businesses',
    apps: 'apps',
    api_keys: 'apps',
    api_requests: 'apps',
    api_request_places: 'apps',
    ledger_accounts: 'ledger',
    ledger_transfers: 'ledger',
    payment_pages: 'pages',
    payment_page_slugs: 'pages',
    webhook_endpoints: 'webhooks',
    events: 'webhooks',
    webhook_deliveries: 'webhooks',
    webhook_attempts: 'webhooks',
    payments: 'payments',
    provider_charges: 'payments',
    provider_references: 'payments',
    breaks: 'breaks',
    book_checks: 'invariants',
    closed_days: 'invariants',
    closed_day_homes: 'invariants',
    check_cursors: 'invariants',
    rate_limits: 'platform',
    clock_marks: 'platform',
    reconciliation_runs: 'reconciliation',
    reconciliation_records: 'reconciliation',
    provider_inbox: 'payments',
    prompts: 'payments',
    checkout_paces: 'payments',
    network_paces: 'payments',
    second_step_orders: 'payments',
    receipts: 'receipts',
    receipt_sweep: 'receipts',
    payouts: 'payouts',
    provider_payouts: 'payouts',
    retention_turns: 'retention',
    erasures: 'privacy',
  }
  // A place is held in the statement that stores the payment, with the page's row locked: two statements could oversell.
  const allowed = new Set(['server/payments/payment.sql.ts writes payment_pages'])
  const wrong: string[] = []
  for (const { path, code } of production.filter((source) => source.path.endsWith('.sql.ts'))) {
    for (const [, table] of code.matchAll(/\b(?:insert into|update|delete from)\s+([a-z_]+)/g)) {
      const owner = owners[table!]
      const sentence = `${path} writes ${table}`
      if (owner !== undefined && owner !== sliceOf(path) && !allowed.has(sentence)) wrong.push(sentence)
    }
  }
  assert.deepEqual(wrong, [])
})

test('time on money rows is clock_now(), and Node’s own clock is read in named places', () => {
  const migrations = readSources('migrations/*.sql').flatMap(({ path, code }) =>
    path.includes('0001') ? [] : /\bnow\(\)/.test(code.replaceAll('clock_now()', '')) ? [path] : [],
  )
  const databaseClocks = new Set([
    'server/platform/simulated-clock.sql.ts', // the declared variant of clock_now()
    'server/backup/cluster.sql.ts', // a backup's moments are compared with those of commits in the WAL
  ])
  const statements = production
    .filter(
      ({ path, code }) =>
        path.endsWith('.sql.ts') &&
        /\b(now|statement_timestamp|clock_timestamp)\(\)|current_timestamp/.test(code.replaceAll('clock_now()', '')),
    )
    .map(({ path }) => path)
    .filter((path) => !databaseClocks.has(path))
  const nodeClocks = production.filter(({ code }) => /Date\.now\(\)|new Date\(\)/.test(code)).map(({ path }) => path)
  const namedPlaces = new Set([
    'server/platform/clock.ts', // the clock itself
    'server/platform/ids.ts', // ids are ordered by the wall clock of their maker
    'server/platform/log.ts', // the time of a log line
    'server/ops.ts', // the name of a new key
    'server/checkout/look.ts', // the script that runs in the payer's browser
    'server/platform/embedded-postgres.ts', // deadlines of the launcher
    'server/platform/embedded-postgres-folders.ts',
    'server/platform/embedded-postgres-binaries.ts',
  ])
  assert.deepEqual([...migrations, ...statements, ...nodeClocks.filter((path) => !namedPlaces.has(path))], [])
})

test('nothing is named service, utils, helpers, common, models, types or index', () => {
  const wrong = [...server, ...readSources('simulator/**/*.ts'), ...readSources('{sdk,cli}/src/*.ts'), ...dashboard]
    .map(({ path }) => path)
    .filter((path) => /\/(service|utils?|helpers?|common|models?|types|index)\.tsx?$/.test(path))
  assert.deepEqual(wrong, [])
})

test('every source file opens with a sentence about what it owns', () => {
  const simulator = readSources('simulator/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'))
  const wrong = [...production, ...simulator, ...readSources('{sdk,cli}/src/*.ts'), ...dashboard]
    .filter(({ text }) => !text.replace(/^#!.*\n/, '').startsWith('/**'))
    .map(({ path }) => path)
  assert.deepEqual(wrong, [])
})

test('no source has left-overs: TODO, FIXME, skipped tests', () => {
  const left = [...server, ...readSources('{simulator,bench}/**/*.ts'), ...readSources('{sdk,cli}/src/*.ts'), ...dashboard]
    .filter(({ text }) => /\b(TODO|FIXME|XXX)\b|\.(skip|todo|only)\(/.test(text))
    .map(({ path }) => path)
  assert.deepEqual(left, [])
})
