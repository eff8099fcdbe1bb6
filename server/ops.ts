/**
 * The operator's command line, on the operator's machine: `npm run ops -- <command>`. It uses the database directly and is never
 * reachable over HTTP. Without keys in its environment it works on the service that `npm start` runs in this folder.
 */
import { readFile } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { byCommandLine } from './audit/audit.ts'
import { confirmAuditLog, findCodeFaults } from './audit/entry-codes.ts'
import {
  backupUsage,
  needsNoDatabase,
  readBackupCommand,
  runOnDatabase,
  runOnFiles,
  type BackupCommand,
} from './backup/run-backup.ts'
import { BackupProblem } from './backup/take-backup.ts'
import { ConfigError, loadConfig, readLocalChoices, readSetting, type Config } from './config.ts'
import { describePayment, describePayout } from './operators/describe-story.ts'
import { openProviders, openServiceDb } from './dependencies.ts'
import { emergencyUsage, readEmergency, type Emergency } from './operators/emergency-command.ts'
import { createAdmin } from './identity/create-admin.ts'
import { createPasswords } from './identity/password.ts'
import { verifyHeads } from './invariants/heads.ts'
import { verifyAll } from './invariants/verify-all.ts'
import { clocksOf } from './invariants/verify-schema.ts'
import { allRings, isKeyMissing, isRing, newKeys, rewrapLines, rotationOf, statusLines } from './operators/print-keys.ts'
import { readKeyStatus } from './operators/read-key-status.ts'
import { rewrapValues } from './operators/rewrap-values.ts'
import { prepareLocal, type LocalSettings } from './local-settings.ts'
import { listStrayPages } from './pages/redirect-host.sql.ts'
import { displayed } from './pages/redirect-host.ts'
import { systemClock } from './platform/clock.ts'
import { databaseErrorCode, openDb, type Db } from './platform/db/db.ts'
import { createLog } from './platform/process/log.ts'
import { migrate } from './platform/db/migrate.ts'
import { owningLogin } from './platform/db/logins.sql.ts'
import { createRecordMac } from './platform/crypto/record-mac.ts'
import { Refusal } from './platform/refusal.ts'
import { forTerminal } from './platform/http/text.ts'
import { createSealer } from './platform/crypto/secrets.ts'
import { readPersonArguments, runPersonCommand, type PersonArguments } from './data-lifecycle/person-command.ts'
import { describeRetention } from './data-lifecycle/describe-retention.ts'
import { markRestored } from './controls/mark-restored.ts'
import { countComparisonsLeft } from './controls/restore.sql.ts'
import { setKycStatus } from './onboarding/decide-by-operator.ts'

const usage = `Usage: npm run ops -- <command>

  admin create --email <email> [--name <full name>]
                           make an operator, or make one of the account with this e-mail address
${emergencyUsage}
  kyc verify <email>       a person's identity has been checked: pages, payouts and live keys open
  kyc reject <email>       it has been refused
  person export (--email <email> | --phone <number>) [--out <file>]
                           all that is known of an account, or of whoever pays from a phone, as JSON
  person erase (--email <email> [--keep-held-records] | --phone <number>) [--confirm <the same once more>]
                           forget who that is; the books stay (docs/operations/personal-data.md)
  payment show <reference> what happened to a payment, whoever did it, in order; nobody's name or number
  payout show <id>         the same of a payout
  verify                   check that everything that must be true of the money is true
  verify --heads <file>    compare the database with the heads that were written into a file (docs/runbooks/verify-violation.md)
  restored [--to <time>]   with a time: this database was put back to it by other means than backup restore; without: is a restore compared?
  redirects                live pages that lead payers on to a host which their merchant has not proved
  retention                what is forgotten when, and when that was last looked after
  migrate                  bring the database schema up to date
  keys generate            print new keys for a production environment
  keys rotate <setting>    print what to set, step by step, to replace JWT_SIGNING_KEYS, API_KEY_PEPPERS, ENVELOPE_KEYS, INTEGRITY_KEYS or SERVER_SECRET
  keys status              say which keys are in use, and whether those before are still needed
  keys rewrap              move everything that is sealed to the envelope key in use; may be stopped and begun again
  keys confirm-audit [--confirm]
                           take entries of the audit log without a code as they are: after an upgrade from a version without codes
  keys export              print the settings that hold keys, to be kept apart from the backups
${backupUsage}`

const keyActions = ['rotate', 'status', 'rewrap', 'export', 'confirm-audit'] as const

class UsageError extends Error {}

/** Lines contain texts of providers and merchants: no control characters may reach the terminal. */
const print = (line: string): void => void process.stdout.write(`${forTerminal(line)}\n`)

const today = (): string => new Date().toISOString().slice(0, 10).replaceAll('-', '')

function printRotation(local: LocalSettings | undefined, name: string | undefined): void {
  if (!isRing(name)) throw new UsageError(usage)
  const current = readSetting(name) ?? local?.settings[name]
  if (current === undefined) throw new UsageError(`${name} is not set here: run this where the service's settings are.`)
  for (const line of rotationOf(name, current, today())) print(line)
}

function printKeys(local: LocalSettings | undefined): void {
  for (const name of allRings) print(`${name}=${readSetting(name) ?? local?.settings[name] ?? ''}`)
}

const secretsOf = ({ keys }: Config) => ({
  sealer: createSealer(keys.envelope),
  recordMac: createRecordMac(keys.integrity),
})

async function printKeyStatus(config: Config, db: Db): Promise<void> {
  const status = await readKeyStatus({ db, config, ...secretsOf(config) })
  for (const line of statusLines(status)) print(line)
  if (isKeyMissing(status)) process.exitCode = 1
}

async function rewrapKeys(config: Config, db: Db): Promise<void> {
  const results = await rewrapValues({ db, config, ...secretsOf(config) })
  for (const line of rewrapLines(results)) print(line)
  if (results.some(({ unreadable }) => unreadable.length > 0)) process.exitCode = 1
}

async function confirmAudit(config: Config, db: Db, flag: string | undefined): Promise<void> {
  if (flag !== undefined && flag !== '--confirm') throw new UsageError(usage)
  const macs = createRecordMac(config.keys.integrity)
  const faults = await findCodeFaults(db, macs)
  if (faults.length === 0) return print('There is nothing to confirm: every entry of the audit log has a code that fits it.')
  for (const fault of faults) print(fault)
  if (flag === undefined)
    return print('With --confirm entries without a code are taken as they are; a wrong code or a broken chain is not.')
  const { upTo, refused } = await confirmAuditLog(db, macs, byCommandLine)
  if (upTo !== undefined) return print(`The audit log up to entry ${upTo} is confirmed.`)
  print('Nothing was confirmed.')
  for (const reason of refused) print(`No upgrade explains that ${reason}: docs/runbooks/data-breach.md`)
  process.exitCode = 1
}

async function setKyc(config: Config, db: Db, action: string | undefined, email: string | undefined): Promise<void> {
  const status = action === 'verify' ? 'verified' : action === 'reject' ? 'rejected' : undefined
  if (!status || !email) throw new UsageError(usage)
  await setKycStatus({ db, sealer: createSealer(config.keys.envelope) }, email, status)
  print(`${email} is ${status}.`)
}

async function makeAdmin(config: Config, db: Db, words: string[]): Promise<void> {
  const { email, name } = readAdminOptions(words)
  const deps = { db, config, sealer: createSealer(config.keys.envelope), passwords: createPasswords() }
  const { user, password, secret, otpauthUrl, recoveryCodes, wasPromoted } = await createAdmin(deps, { email, fullName: name })
  print(`${user.fullName} is an operator now. All of this is shown once and cannot be read again: hand it over in person.

  Sign-in         ${user.email}
  Password        ${password ?? 'the one that the account had'}
  Secret          ${secret}
  otpauth URL     ${otpauthUrl}
  Recovery codes  ${recoveryCodes.join('\n                  ')}

Put the secret, or the otpauth URL as a QR code, into an authenticator app; keep the recovery codes on paper, each lets in once
without the app. Then sign in with POST /v1/auth/login and complete it with a code of the app at POST /v1/auth/2fa/verify.`)
  // Anyone can register with another person's address, and would then know the password of an operator.
  if (wasPromoted && !user.isEmailVerified) {
    print(
      '\nThe e-mail address of this account was never verified: have its owner reset the password (POST /v1/auth/password/forgot).',
    )
  }
}

/** The time in the words; undefined when they contain none. */
function readRestoredTo(words: string[]): Date | undefined {
  const [flag, time, ...more] = words
  const moment = new Date(time ?? '')
  if (flag === undefined) return undefined
  if (flag !== '--to' || more.length > 0 || Number.isNaN(moment.getTime())) throw new UsageError(usage)
  return moment
}

async function handleRestored(db: Db, restoredTo: Date | undefined): Promise<string> {
  if (restoredTo) {
    await markRestored(db, { id: randomUUID(), restoredTo }, byCommandLine)
    return `Noted. Checkouts and payouts are off; a worker compares the time since ${restoredTo.toISOString()} with the providers.`
  }
  const left = await countComparisonsLeft(db)
  if (left === undefined) return 'No restore is open: checkouts and payouts can be turned on.'
  return `A restore is open: ${left} comparisons with providers have not ended, or could not read a payout.`
}

function readAdminOptions(words: string[]): { email: string; name: string } {
  try {
    const { values } = parseArgs({ args: words, options: { email: { type: 'string' }, name: { type: 'string' } } })
    if (values.email !== undefined) return { email: values.email, name: values.name ?? 'Operator' }
  } catch {
    // Unknown option: the usage lists the known ones.
  }
  throw new UsageError(usage)
}

async function verifyMoney(config: Config, db: Db): Promise<void> {
  const violations = await verifyAll({
    db,
    recordMac: createRecordMac(config.keys.integrity),
    clocks: clocksOf(config.mode),
  })
  for (const { invariant, promise, what } of violations) print(`${invariant}: ${what}  (${promise})`)
  if (violations.length > 0) {
    process.exitCode = 1
    print(`${violations.length} violations.`)
  } else print('Everything that must be true of the money is true.')
}

async function checkBooks(config: Config, db: Db, option: string | undefined, file: string | undefined): Promise<void> {
  if (option === undefined) return verifyMoney(config, db)
  if (option !== '--heads' || file === undefined) throw new UsageError(usage)
  return compareHeads(config, db, file)
}

/** Compares the database with a file of heads. */
async function compareHeads(config: Config, db: Db, file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new UsageError(`${file} cannot be read.`)
  })
  const lines = text.split('\n').filter(Boolean)
  const { heads, rewritten, aheadSince } = await verifyHeads({ db, recordMac: createRecordMac(config.keys.integrity) }, lines)
  for (const what of rewritten) print(what)
  if (aheadSince !== undefined) {
    print(
      `The database is at a moment before ${aheadSince}, as after a restore: go on with docs/runbooks/restore.md before payouts are switched on.`,
    )
  }
  if (rewritten.length > 0) {
    process.exitCode = 1
    print(
      `${rewritten.length} differences: somebody has rewritten the database, or the file. Go on with docs/runbooks/data-breach.md.`,
    )
  } else print(`The database fits all ${heads} heads that it has reached.`)
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}

async function handlePerson(config: Config, db: Db, words: PersonArguments): Promise<void> {
  const sealer = createSealer(config.keys.envelope)
  const recordMac = createRecordMac(config.keys.integrity)
  const deps = { db, sealer, recordMac, nowMs: systemClock.now(), heldYears: config.privacy.kycRecordYears, print, ask }
  await runPersonCommand(deps, words)
}

const strayPagesAtOnce = 1_000

async function printStrayPages(db: Db): Promise<void> {
  const pages = await listStrayPages(db, strayPagesAtOnce)
  for (const { slug, merchantName, host } of pages) print(`${slug}: ${displayed(host)} (${host}), of ${merchantName}`)
  print(pages.length === 0 ? 'Each live page leads on to a host of its merchant.' : `${pages.length} pages.`)
}

/** The payment or payout that the words ask to show; undefined when they are no such command. */
function storyOf([command, action, id, ...more]: string[]): { of: 'payment' | 'payout'; id: string } | undefined {
  if ((command !== 'payment' && command !== 'payout') || action !== 'show' || id === undefined || more.length > 0)
    return undefined
  return { of: command, id }
}

async function showStory(config: Config, db: Db, { of, id }: { of: 'payment' | 'payout'; id: string }): Promise<void> {
  const providers = openProviders(config)
  try {
    const lines = await (of === 'payment' ? describePayment({ db, providers }, id) : describePayout({ db }, id))
    if (lines) return lines.forEach(print)
    const example = of === 'payment' ? 'a payment’s reference begins with pay_' : 'a payout’s id begins with po_'
    throw new UsageError(`There is no ${of} ${id} in this database (${example} and has 26 characters more).`)
  } finally {
    const all = Object.values(providers).flatMap(({ byName }) => [...byName.values()])
    await Promise.all(all.map((provider) => provider.close()))
  }
}

/** A connection as the owner of the schema, with a long statement timeout. */
function openOwner(config: Config): Db {
  return openDb({
    ...config.database,
    url: config.database.ownerUrl,
    poolSize: 2,
    // A scan of a large table or an index build takes longer than any request may take.
    statementTimeoutMs: 6 * 3_600_000,
    applicationName: 'malipo-ops',
    onError: () => undefined,
  })
}

/** PostgreSQL's "insufficient privilege". */
const notAllowed = '42501'

async function migrateSchema(config: Config): Promise<void> {
  const owner = openOwner(config)
  try {
    const applied = await migrate(owner).catch((error: unknown) => {
      if (databaseErrorCode(error) !== notAllowed) throw error
      throw new UsageError(
        `The login that migrates (DATABASE_OWNER_URL, else DATABASE_URL) lacks a right: ${(error as Error).message}. Let an administrator run ops/logins.sql in this database once, and migrate as ${owningLogin}.`,
      )
    })
    print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.')
  } finally {
    await owner.close()
  }
}

async function runBackup(config: Config, command: BackupCommand): Promise<void> {
  const owner = openOwner(config)
  try {
    for (const line of await runOnDatabase(command, { config, db: owner })) print(line)
  } finally {
    await owner.close()
  }
}

async function run(words: string[]): Promise<void> {
  const [command, action, argument] = words
  if (command === 'keys' && action === 'generate') return newKeys(today()).forEach(print)
  const ofKeys = command === 'keys' ? keyActions.find((known) => known === action) : undefined
  if (ofKeys === 'rotate' && !isRing(argument)) throw new UsageError(usage)
  const backup = command === 'backup' ? readBackupCommand(words.slice(1)) : undefined
  if (command === 'backup' && !backup) throw new UsageError(usage)
  if (backup && needsNoDatabase(backup)) return (await runOnFiles(backup)).forEach(print)
  const isAdmin = command === 'admin' && action === 'create'
  const person = command === 'person' ? readPersonArguments(words.slice(1)) : undefined
  const story = storyOf(words)
  const isKnown =
    isAdmin ||
    person ||
    story ||
    ofKeys ||
    backup ||
    ['kyc', 'verify', 'retention', 'migrate', 'restored', 'redirects'].includes(command ?? '')
  if (!isKnown) throw new UsageError(usage)
  // Check the words before a database is started for them.
  if (isAdmin) readAdminOptions(words.slice(2))
  const restoredTo = command === 'restored' ? readRestoredTo(words.slice(1)) : undefined
  // Without keys in the environment, the command is for the service that `npm start` runs here, with its own database or another
  // one.
  const local = readLocalChoices().hasKeys ? undefined : await prepareLocal()
  try {
    const config = local?.config ?? loadConfig()
    if (command === 'migrate') return await migrateSchema(config)
    if (ofKeys === 'rotate') return printRotation(local, argument)
    if (ofKeys === 'export') return printKeys(local)
    if (backup) return await runBackup(config, backup)
    const log = createLog({ level: 'warn', role: 'ops' })
    const db = openServiceDb(config, log, 'malipo-ops')
    try {
      if (isAdmin) await makeAdmin(config, db, words.slice(2))
      else if (person) await handlePerson(config, db, person)
      else if (command === 'redirects') await printStrayPages(db)
      else if (command === 'retention') print(await describeRetention(db))
      else if (command === 'restored') print(await handleRestored(db, restoredTo))
      else if (story) await showStory(config, db, story)
      else if (ofKeys === 'status') await printKeyStatus(config, db)
      else if (ofKeys === 'rewrap') await rewrapKeys(config, db)
      else if (ofKeys === 'confirm-audit') await confirmAudit(config, db, argument)
      else await (command === 'kyc' ? setKyc(config, db, action, argument) : checkBooks(config, db, action, argument))
    } finally {
      await db.close()
    }
  } finally {
    await local?.releaseDatabase()
  }
  return undefined
}

/** Runs an emergency command, after something was stolen or lost. */
async function runEmergency(emergency: Emergency): Promise<void> {
  const local = readLocalChoices().hasKeys ? undefined : await prepareLocal()
  try {
    const config = local?.config ?? loadConfig()
    const db = openServiceDb(config, createLog({ level: 'warn', role: 'ops' }), 'malipo-ops')
    try {
      await emergency({ config, db, print, ask })
    } finally {
      await db.close()
    }
  } finally {
    await local?.releaseDatabase()
  }
}

async function runWords(words: string[]): Promise<void> {
  const emergency = readEmergency(words)
  if (emergency === 'wrong') throw new UsageError(usage)
  await (emergency ? runEmergency(emergency) : run(words))
}

runWords(process.argv.slice(2)).catch((error: unknown) => {
  const isForPeople =
    error instanceof UsageError || error instanceof Refusal || error instanceof ConfigError || error instanceof BackupProblem
  process.stderr.write(`${forTerminal(isForPeople ? error.message : String((error as Error).stack ?? error))}\n`)
  process.exitCode = 1
})
