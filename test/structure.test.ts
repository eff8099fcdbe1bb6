/** Structure rules that a machine can check: the direction of imports, and functions that may exist in one place only. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { providerNames } from '../server/domain/provider.ts'
import { mustBeNone, mustMatch } from './must-match.ts'

const root = join(import.meta.dirname, '..')

/**
 * The house from the bottom up: each wing imports only from the wings above its line here, each slice of a wing only from the slices before
 * it, and slices that stand together not from each other. A wing without slices is one folder.
 */
const wings: Record<string, string[][]> = {
  domain: [],
  platform: [['clock', 'ids', 'short-code', 'refusal', 'crypto', 'local-postgres'], ['process'], ['db'], ['http', 'outbound']],
  config: [],
  base: [['audit', 'mail']],
  accounts: [['idempotency'], ['identity'], ['members'], ['developers', 'live']],
  money: [['ledger', 'breaks', 'providers', 'controls']],
  merchants: [
    ['documents', 'webhooks'],
    ['brands', 'onboarding'],
  ],
  collect: [['pages'], ['payments', 'payment-requests'], ['support-cases', 'customers']],
  'pay-out': [['recipients'], ['payouts'], ['payout-batches'], ['approvals']],
  assurance: [['reconciliation', 'invariants'], ['provider-webhooks']],
  views: [['description'], ['merchant-account', 'web'], ['notifications']],
  operations: [
    ['operators', 'data-lifecycle', 'backup'],
    ['metrics', 'clock', 'cells'],
  ],
  start: [],
}
const floors = Object.entries(wings).flatMap(([wing, slices]) =>
  slices.length === 0 ? [[wing]] : slices.map((together) => together.map((slice) => `${wing}/${slice}`)),
)
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
const production = server.filter(({ path }) => !path.endsWith('.test.ts'))

function importsOf({ path, text }: Source): string[] {
  const found = [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map((match) => normalize(join(dirname(path), match[1]!)))
  return found
}

/** `collect/payments` of `server/collect/payments/settle.ts`, `start` of `server/start/api.ts`. */
function folderOf(path: string): string {
  const [, wing, inside] = path.replace(/\.ts$/, '').split('/')
  return wings[wing!]?.length === 0 ? wing! : `${wing}/${inside}`
}

test('imports go down the layers, and folders of one layer do not import each other', () => {
  const wrong: string[] = []
  for (const source of production) {
    for (const target of importsOf(source)) {
      if (!target.startsWith('server/')) continue
      const [from, to] = [folderOf(source.path), folderOf(target)]
      if (from === to) continue
      const [fromFloor, toFloor] = [floorOf.get(from), floorOf.get(to)]
      assert.ok(
        fromFloor !== undefined && toFloor !== undefined,
        `${source.path} -> ${target}: write ${from} and ${to} into wings of test/structure.test.ts`,
      )
      if (toFloor >= fromFloor) wrong.push(`${source.path} -> ${target}`)
    }
  }
  mustBeNone(wrong, 'A file imports only from lower layers: move what both need down, or pass it as a dependency')
})

test('platform imports nothing of the business', () => {
  // The log accepts only listed events, and the list has the events of the whole service.
  const logEvents = 'server/domain/log-events.ts'
  // Reads texts, and knows nothing of what they mean.
  const typed = 'server/domain/typed.ts'
  const wrong = production
    .filter(({ path }) => path.startsWith('server/platform/'))
    .flatMap((source) =>
      importsOf(source)
        .filter((target) => !target.startsWith('server/platform/') && target !== typed)
        .filter((target) => target !== logEvents || !source.path.startsWith('server/platform/process/'))
        .map((target) => `${source.path} -> ${target}`),
    )
  mustBeNone(wrong, 'Pass these to the platform as arguments')
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
  mustBeNone(
    [...outside, ...inside],
    'Write these again on the other side: a shared file would make the simulator an echo of the service',
  )
})

test('a provider adapter imports only the enumerations, the shared files of all adapters and the platform', () => {
  const adapterOf = (path: string): string | undefined =>
    providerNames.find((name) => new RegExp(`^server/money/providers/${name}\\b`).test(path))
  const wrong = production
    .filter(({ path }) => path.startsWith('server/money/providers/'))
    .flatMap((source) =>
      importsOf(source)
        .filter(
          (target) =>
            !/^server\/(domain|platform|money\/providers)\//.test(target) ||
            (adapterOf(target) !== undefined && adapterOf(target) !== adapterOf(source.path)),
        )
        .map((target) => `${source.path} -> ${target}`),
    )
  mustBeNone(wrong, 'Move what the adapter needs to server/money/providers, or pass it')
})

test('only config.ts reads the environment', () => {
  const readers = production
    .filter(({ path, code }) => path !== 'server/config/config.ts' && /process\.env/.test(code))
    .map(({ path }) => path)
  mustBeNone(readers, 'Read the variable in server/config and pass the setting')
})

/** Writes that are declared to Fastify itself, so without the steps of `publicRoute`, `personRoute`, `operatorRoute` and `ownerRoute`. */
const plainWrites: Record<string, string> = {
  'server/platform/http/route.ts': 'registers every declared route',
  'server/assurance/provider-webhooks/provider-routes.ts': 'a provider proves itself by its signature',
  'server/merchants/documents/host.ts': 'a host of its own: the address of an upload is signed',
  'server/views/web/checkout/case-routes.ts': 'forms of payers, on the host of the checkout',
  'server/views/web/checkout/checkout-routes.ts': 'forms of payers, on the host of the checkout',
}

test('a write of the API is declared with the steps of its callers', () => {
  const write = /\b(?:http|typed|files|scope|api|app|server)\.(?:post|put|patch|delete|route)\(/
  const found = production.filter(({ code }) => write.test(code)).map(({ path }) => path)
  mustMatch(found, Object.keys(plainWrites), {
    add: (path) => `${path}: declare the route with publicRoute, personRoute, operatorRoute or ownerRoute`,
    remove: (path) => `remove ${path} from plainWrites of test/structure.test.ts`,
  })
})

/** Statements outside *.sql.ts, each with its reason. */
const sqlElsewhere: Record<string, string> = {
  'server/platform/db/db.ts': 'the tag itself: begin, commit, rollback',
  'server/platform/db/migrate.ts': 'applies the files, and writes down which ones',
  'server/platform/db/primary.ts': 'asks a server whether it takes writes, before there is a pool',
  'server/platform/http/health.ts': 'asks the server whether it can be written to',
  'server/platform/db/notifications.ts': 'LISTEN',
  'server/platform/local-postgres/embedded-postgres.ts': 'creates the database of a new cluster',
  'server/assurance/invariants/verify.ts': 'settings of the checking transaction',
}

test('what people type is read in domain/typed.ts alone', () => {
  // A password is any characters, the name of a host follows its own rules, and a file or a text in our name was not typed into a field.
  const others = [
    'identity/password.ts',
    'identity/password-strength.ts',
    'pages/redirect-host.ts',
    'http/csv.ts',
    'checkout/clean-text.ts',
  ]
  const found = production
    .filter(
      ({ path }) => path.startsWith('server/') && path !== 'server/domain/typed.ts' && !others.some((end) => path.endsWith(end)),
    )
    .filter(({ code }) => /\.normalize\(|\\p\{(?:Cf|Zs|M)\}|string\(\)\s*\.trim\(\)|\.trim\(\)\.toLowerCase\(\)/.test(code))
    .map(({ path }) => path)
  mustBeNone(found, 'Use a reader of server/domain/typed.ts')
  // A class of signs with spaces that is cut out, a parser of phone numbers, a check of an e-mail address that nothing has cleaned.
  const own: [pattern: RegExp, readers: RegExp][] = [
    [/\.replace(?:All)?\(\s*\/\[[^\]\n]*\\s[^\]\n]*\]/, /^$/],
    [/parsePhoneNumber/, /^server\/domain\/any-phone\.ts$/],
    [/\bz\.email\(|\.email\(\)/, /^server\/(?:platform\/http\/text\.ts|config\/)/],
  ]
  mustBeNone(
    production
      .filter(
        ({ path, code }) => path.startsWith('server/') && own.some(([sign, readers]) => sign.test(code) && !readers.test(path)),
      )
      .map(({ path }) => path),
    'Use a reader of server/domain/typed.ts or any-phone.ts, or mailAddress of platform/http/text.ts',
  )
})

test('SQL is only in *.sql.ts files', () => {
  const wrong = production
    .filter(({ path, code }) => !path.endsWith('.sql.ts') && !(path in sqlElsewhere) && /\bsql`|\.query\(/.test(code))
    .map(({ path }) => path)
  mustBeNone(
    wrong,
    'Move the statements of these files into a *.sql.ts file of the folder, or name the file with its reason in sqlElsewhere of test/structure.test.ts',
  )
})

test('notifications are sent after their commit: NOTIFY is in one place', () => {
  const everywhere = [...production, ...readSources('migrations/*.sql')]
  const wrong = everywhere
    .filter(
      ({ path, code }) => path !== 'server/platform/db/notify.sql.ts' && /\bpg_notify\(|\bnotify [a-z_]+\b(?=`|,|;)/.test(code),
    )
    .map(({ path }) => path)
  mustBeNone(wrong, 'Call the functions of server/platform/db/notify.sql.ts instead')
})

/** The description of a folder in its README, which has the same form everywhere. */
type FolderDescription = { name: string; owns: string; tables: string[]; usedBy: string[] }

const described: FolderDescription[] = globSync('server/**/README.md', { cwd: root })
  .sort()
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const form = /^# (\S+)\n\n- Owns: (.+)\n- Tables: (.+)\n- Used by: (.+)\n- Must not: .+\n$/.exec(text)
    assert.ok(form, `${path}: write a title and a list of four: Owns, Tables, Used by, Must not`)
    const [, name, owns, tables, usedBy] = form
    assert.equal(`server/${name}`, dirname(path))
    const listed = (list: string): string[] => [...list.matchAll(/`([^`]+)`/g)].map(([, word]) => word!)
    return { name: name!, owns: owns!, tables: listed(tables!), usedBy: listed(usedBy!) }
  })

test('every wing and slice has a README, and ARCHITECTURE.md has a row for each wing', () => {
  const folders = production
    .map(({ path }) => folderOf(path))
    .filter((folder) => !/^platform\/[\w-]+$/.test(folder) || existsSync(join(root, 'server', folder)))
  mustMatch(
    new Set([...folders, ...Object.keys(wings)]),
    described.map(({ name }) => name),
    {
      add: (name) => `write server/${name}/README.md, as in the other folders`,
      remove: (name) => `remove server/${name}/README.md`,
    },
  )
  const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const missing = described
    .filter(({ name }) => name in wings)
    .map(({ name, owns }) => `| \`server/${name}/\` | ${owns} |`)
    .filter((row) => !architecture.includes(row))
  mustBeNone(missing, 'Write these rows into the table of ARCHITECTURE.md')
})

/** The last word of a folder is its name in READMEs: no two slices have the same. */
const nameOf = (folder: string): string => folder.split('/').at(-1)!

// A folder that every other may use says so, in those words.
test('each README names the folders that use its folder', () => {
  const users = new Map<string, Set<string>>()
  const add = (to: string, from: string): void => void users.set(to, (users.get(to) ?? new Set()).add(from))
  for (const source of production) {
    for (const target of importsOf(source).filter((path) => path.startsWith('server/'))) {
      const [from, to] = [folderOf(source.path), folderOf(target)]
      const [fromWing, toWing] = [from.split('/')[0]!, to.split('/')[0]!]
      if (from !== to) add(to, nameOf(from))
      if (fromWing !== toWing && to !== toWing) add(toWing, fromWing)
    }
  }
  for (const { name, usedBy } of described.filter((folder) => folder.usedBy.length > 0)) {
    const line = [...(users.get(name) ?? [])].sort().map((user) => `\`${user}\``)
    assert.equal(
      usedBy.map((user) => `\`${user}\``).join(', '),
      line.join(', '),
      `server/${name}/README.md: write "- Used by: ${line.join(', ')}"`,
    )
  }
})

test('each table has one owner, and only the owner’s SQL writes it', () => {
  const owners = new Map(described.flatMap(({ name, tables }) => tables.map((table) => [table, name] as const)))
  assert.equal(owners.size, described.flatMap(({ tables }) => tables).length, 'a table is listed in two READMEs')
  // The statement that stores the payment also takes the place, with the page's row locked: two statements could oversell.
  const allowed = new Set(['server/collect/payments/payment.sql.ts writes payment_pages'])
  const wrong: string[] = []
  for (const { path, code } of production.filter((source) => source.path.endsWith('.sql.ts'))) {
    for (const [, table] of code.matchAll(
      /\b(?:insert into|delete from|(?<!for (?:no key )?|on conflict[^`]*do )update)\s+([a-z_]+)/g,
    )) {
      const sentence = `${path} writes ${table}`
      if (owners.get(table!) !== folderOf(path) && !allowed.has(sentence)) wrong.push(sentence)
    }
  }
  mustBeNone(
    wrong,
    'Call a function of the folder that owns the table, or write the table into the README.md of the folder that writes it',
  )
})

/** The lists of words in a file: zod enums, constant tuples and unions of literal types; `plain`, every other array of words. */
function wordListsOf({ path, code }: Source): { words: string; place: string; isPlain: boolean }[] {
  const found: { words: string; place: string; isPlain: boolean }[] = []
  const add = (list: string, at: number, isPlain: boolean): void => {
    const words = [...list.matchAll(/'([^']+)'/g)].map(([, word]) => word!)
    const line = code.slice(0, at).split('\n').length
    found.push({ words: words.toSorted().join(' '), place: `${path}, about line ${line}: ${words.join(', ')}`, isPlain })
  }
  const array = /(z\s*\.enum\()?\[\s*'[^'\n]+'(?:\s*,\s*'[^'\n]+')+\s*,?\s*\]( as const)?/g
  for (const match of code.matchAll(array)) add(match[0], match.index, match[1] === undefined && match[2] === undefined)
  // A choice of a type's own words is no list of its own.
  const choice = /\b(?:Pick|Omit|Extract|Exclude)<(?:[^<>]|<[^<>]*>)*,\s*$/
  for (const match of code.matchAll(/'[^'\n]+'(?:\s*\|\s*'[^'\n]+')+/g)) {
    if (!choice.test(code.slice(Math.max(0, match.index - 200), match.index))) add(match[0], match.index, false)
  }
  return found
}

test('a list of values stands once: an enumeration of the business in server/domain, another one where it is owned', () => {
  const lists = production.flatMap(wordListsOf)
  const listed = new Map<string, string[]>()
  for (const { words, place } of lists.filter((list) => !list.isPlain)) listed.set(words, [...(listed.get(words) ?? []), place])
  const ofDomain = new Set(
    lists.filter((list) => !list.isPlain && list.place.startsWith('server/domain/')).map((list) => list.words),
  )
  const repeated = [...listed.values()].filter((places) => places.length > 1)
  const written = lists.filter((list) => list.isPlain && ofDomain.has(list.words)).map((list) => [list.place])
  mustBeNone([...repeated, ...written].flat(), 'Import the list from one place: server/domain for words of the business')
})

test('time on money rows is clock_now(), and Node’s own clock is read in named places', () => {
  const migrations = readSources('migrations/*.sql').flatMap(({ path, code }) =>
    path.includes('0001') ? [] : /\bnow\(\)/.test(code.replaceAll('clock_now()', '')) ? [path] : [],
  )
  const databaseClocks = new Set([
    'server/platform/db/simulated-clock.sql.ts', // the declared variant of clock_now()
    'server/operations/backup/cluster.sql.ts', // a backup's moments are compared with those of commits in the WAL
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
    'server/platform/process/log.ts', // the time of a log line
    'server/views/web/checkout/look.ts', // the script that runs in the payer's browser
    'server/platform/local-postgres/embedded-postgres.ts', // deadlines of the launcher
    'server/platform/local-postgres/embedded-postgres-folders.ts',
    'server/platform/local-postgres/embedded-postgres-binaries.ts',
  ])
  mustBeNone(
    [...migrations, ...statements, ...nodeClocks.filter((path) => !namedPlaces.has(path))],
    'Use clock_now() in SQL and the clock of the dependencies in code, or name the file with its reason in this test of test/structure.test.ts',
  )
})

test('nothing is named service, utils, helpers, common, models, types or index', () => {
  const wrong = [...server, ...readSources('simulator/**/*.ts'), ...readSources('{sdk,cli}/src/*.ts'), ...dashboard]
    .map(({ path }) => path)
    .filter((path) => /\/(service|utils?|helpers?|common|models?|types|index)\.tsx?$/.test(path))
  mustBeNone(wrong, 'Name these files after what they own')
})

test('every source file begins with a header comment', () => {
  const simulator = readSources('simulator/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'))
  const wrong = [
    ...production,
    ...simulator,
    ...readSources('{sdk,cli}/src/*.ts'),
    ...dashboard.filter(({ path }) => !path.endsWith('.test.ts')),
  ]
    .filter(({ text }) => !text.replace(/^#!.*\n/, '').startsWith('/**'))
    .map(({ path }) => path)
  mustBeNone(wrong, 'Begin these files with a comment /** … */ that says what the file owns')
})

test('no source contains TODO, FIXME or skipped tests', () => {
  const left = [...server, ...readSources('{simulator,bench}/**/*.ts'), ...readSources('{sdk,cli}/src/*.ts'), ...dashboard]
    .filter(({ text }) => /\b(TODO|FIXME|XXX)\b|\.(skip|todo|only)\(/.test(text))
    .map(({ path }) => path)
  mustBeNone(left, 'Finish these, or remove them')
})
