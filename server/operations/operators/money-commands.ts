/** `malipo-ops verify | payment show | payout show | redirects`: reads the books; changes nothing. */
import type { Config } from '../../config/config.ts'
import { isRestoreNoted, openHeads, verifyHeads } from '../../assurance/invariants/heads.ts'
import { verifyAll } from '../../assurance/invariants/verify-all.ts'
import type { Progress } from '../../assurance/invariants/verify.ts'
import { clocksOf } from '../../assurance/invariants/verify-schema.ts'
import { displayed } from '../../collect/pages/redirect-host.ts'
import { listStrayPages } from '../../collect/pages/redirect-host.sql.ts'
import { createRecordMac } from '../../platform/crypto/record-mac.ts'
import type { Db } from '../../platform/db/db.ts'
import { lastHome, toWire } from '../../platform/ids.ts'
import { command, CommandError, type Commands } from '../../platform/process/commands.ts'
import { findByCode, mistypingOf } from '../../collect/payments/find-by-code.ts'
import type { Providers } from '../../money/providers/provider.ts'
import { describePayment, describePayout } from './describe-history.ts'

type Deps = {
  open(): Promise<{ config: Config; db: Db }>
  providers(): Promise<Providers>
  print(line: string): void
}

const progressEveryMs = 5_000

/** Tells on standard error how far a long check is; its findings alone are on standard output. */
function sayProgress(): Progress {
  const startedAt = performance.now()
  let saidAt = startedAt
  return (part, { home }, done) => {
    const now = performance.now()
    if (now - saidAt < progressEveryMs) return
    saidAt = now
    process.stderr.write(
      `${((now - startedAt) / 1000).toFixed(0)} s: ${done} parts done, ${part} up to home ${home} of ${lastHome}\n`,
    )
  }
}

async function verifyMoney({ open, print }: Deps): Promise<void> {
  const { config, db } = await open()
  const recordMac = createRecordMac(config.keys.integrity)
  const violations = await verifyAll({ db, recordMac, clocks: clocksOf(config.mode) }, { since: null }, sayProgress())
  for (const { invariant, promise, what } of violations) print(`${invariant}: ${what}  (${promise})`)
  if (violations.length > 0) {
    process.exitCode = 1
    print(`${violations.length} violations.`)
  } else print('Everything that must be true of the money is true.')
}

async function compareHeads({ open, print }: Deps, file: string): Promise<void> {
  const { config, db } = await open()
  const lines = await openHeads(file).catch(() => {
    throw new CommandError(`${file} cannot be read.`)
  })
  const deps = { db, recordMac: createRecordMac(config.keys.integrity) }
  const { heads, rewritten, underOtherKeys, cutShort, aheadSince } = await verifyHeads(deps, lines)
  for (const what of rewritten) print(what)
  if (cutShort > 0)
    print(
      `${cutShort} lines were cut short, as by a full disk, and not compared. Later heads have their content if the disk had room again within the hour.`,
    )
  for (const [keyId, count] of underOtherKeys) {
    process.exitCode = 1
    print(
      `${count} heads are under the key ${keyId}, which is not configured, and were not compared. Run this with that key behind the key in use, as INTEGRITY_KEYS=…,${keyId}:…; if you never had it, the file was forged.`,
    )
  }
  if (aheadSince !== undefined && !(await isRestoreNoted(deps, aheadSince))) {
    process.exitCode = 1
    print(
      `The audit log ends before ${aheadSince}, and no restore is recorded: it was cut, or \`malipo-ops restored --to <time>\` is still to be run.`,
    )
  } else if (aheadSince !== undefined) {
    print(
      `The database is at a moment before ${aheadSince}, as after a restore: go on with docs/runbooks/restore.md before payouts are switched on.`,
    )
  }
  if (rewritten.length > 0) {
    process.exitCode = 1
    print(
      `${rewritten.length} differences: the database or the file was changed by someone. Continue with docs/runbooks/data-breach.md.`,
    )
  } else if (heads > 0 || underOtherKeys.size === 0) print(`The database fits all ${heads} heads that it has reached.`)
}

/** `example` shows how the id begins. */
function printHistory(print: Deps['print'], lines: string[] | undefined, missing: { what: string; example: string }): void {
  if (lines) return lines.forEach(print)
  const { what, example } = missing
  throw new CommandError(`There is no ${what} in this database (${example} and has 26 characters more).`)
}

/** How many payments are listed when a text names several. */
const maxNamed = 20
const strayPagesAtOnce = 1_000

export const moneyCommands: Commands<Deps> = {
  'payment show': command({
    takes: ['reference'],
    summary: 'Show the history of a payment, by its reference, short code or network receipt, without names and phone numbers.',
    run: async ({ open, providers, print }: Deps, [named]) => {
      const { db } = await open()
      const found = await findByCode(db, named, { limit: maxNamed })
      if (found.length > 1) {
        print(
          `${found.length === maxNamed ? 'These and more' : `${found.length}`} payments match. Name one of them by its reference:`,
        )
        return found.forEach(({ id }) => print(toWire('pay', id)))
      }
      const mistyping = found.length === 0 ? mistypingOf(named) : undefined
      if (mistyping !== undefined) throw new CommandError(mistyping)
      const [one] = found
      const id = one === undefined ? named : toWire('pay', one.id)
      const lines = await describePayment({ db, providers: await providers() }, id)
      printHistory(print, lines, { what: `payment ${id}`, example: 'a payment’s reference begins with pay_' })
    },
  }),
  'payout show': command({
    takes: ['id'],
    summary: 'Show the history of a payout or refund, without names and phone numbers.',
    run: async ({ open, print }: Deps, [id]) => {
      const lines = await describePayout(await open(), id)
      printHistory(print, lines, { what: `payout ${id}`, example: 'a payout’s id begins with po_' })
    },
  }),
  verify: command({
    flags: '[--heads <file>]',
    options: { heads: { type: 'string' } },
    summary: 'Check every promise about the money, or compare with a file of heads (docs/runbooks/verify-violation.md).',
    run: (deps: Deps, _words, { heads }) => (heads === undefined ? verifyMoney(deps) : compareHeads(deps, heads)),
  }),
  redirects: command({
    summary: 'List live pages that redirect payers to a host that the merchant has not proved.',
    run: async ({ open, print }: Deps) => {
      const pages = await listStrayPages((await open()).db, strayPagesAtOnce)
      for (const { slug, merchantName, host } of pages) print(`${slug}: ${displayed(host)} (${host}), of ${merchantName}`)
      print(pages.length === 0 ? 'Each live page leads on to a host of its merchant.' : `${pages.length} pages.`)
    },
  }),
}
