/**
 * `malipo-ops person … | retention`: for an operator when a person asks for their data, or for its erasure, and how long rows are
 * kept. To confirm an erasure, the operator types the person's address or number again.
 */
import { writeFile } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { readPhone } from '../../domain/phone.ts'
import { systemClock } from '../../platform/clock.ts'
import { createRecordMac } from '../../platform/crypto/record-mac.ts'
import { createSealer } from '../../platform/crypto/secrets.ts'
import type { Db } from '../../platform/db/db.ts'
import { command, CommandError, UsageError, type Commands } from '../../platform/process/commands.ts'
import { eraseAccount } from './erase-account.ts'
import { erasePayer } from './erase-payer.ts'
import { exportAccount, exportPhone } from './export-person.ts'
import { hasAccount } from './person.sql.ts'
import { rules } from './retention-rules.ts'
import { readTurns } from './turn.sql.ts'

type Deps = {
  open(): Promise<{ config: Config; db: Db }>
  print(line: string): void
  /** Asks the operator at the terminal. */
  ask(question: string): Promise<string>
}

type Person = { email: string; phoneNumber?: undefined } | { email?: undefined; phoneNumber: string }

/** Exactly one of the two options names the person. */
function readPerson({ email, phone }: { email?: string; phone?: string }): Person {
  if (email !== undefined && phone === undefined) return { email }
  const reading = email === undefined && phone !== undefined ? readPhone(phone) : undefined
  if (reading === undefined || reading.kind === 'invalid') throw new UsageError()
  return { phoneNumber: reading.e164 }
}

async function openForPerson({ open }: Deps) {
  const { config, db } = await open()
  return {
    db,
    sealer: createSealer(config.keys.envelope),
    recordMac: createRecordMac(config.keys.integrity),
    nowMs: systemClock.now(),
    heldYears: config.privacy.kycRecordYears,
  }
}

async function exportPerson(deps: Deps, { email, phoneNumber }: Person, out: string | undefined): Promise<void> {
  const opened = await openForPerson(deps)
  const data = email === undefined ? await exportPhone(opened, phoneNumber) : await exportAccount(opened, email)
  const text = JSON.stringify(data, null, 2)
  if (out === undefined) return deps.print(text)
  // Readable by one user only, and never overwrites a file of another person.
  await writeFile(out, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new CommandError(`${out} already exists and may contain data of another person. Nothing was written.`)
  })
  return deps.print(`${out} contains all personal data of ${data.about}. Give it to that person only, then delete it.`)
}

async function erasePerson(
  deps: Deps,
  { email, phoneNumber }: Person,
  { confirm, keepsHeldRecords }: { confirm: string | undefined; keepsHeldRecords: boolean },
): Promise<void> {
  const opened = await openForPerson(deps)
  const who = email ?? phoneNumber
  const typed = confirm ?? (await deps.ask(`This cannot be undone. Type ${who} again to erase this person: `))
  if (typed.trim() !== who) throw new CommandError('The answer does not match. Nothing was erased.')
  if (email === undefined) {
    const { pseudonym, payments, payouts } = await erasePayer(opened, who)
    deps.print(`Erased: the payer of ${payments} payments and the recipient of ${payouts} payouts is ${pseudonym} now.`)
    if (await hasAccount(opened.db, who)) {
      deps.print('An account with this number exists. It was not erased: use --email.')
    }
    return
  }
  const { pseudonym, heldUntil } = await eraseAccount(opened, { email, keepsHeldRecords, heldYears: opened.heldYears })
  deps.print(`Erased: the account is ${pseudonym} now; its books are unchanged.`)
  if (heldUntil)
    deps.print(`Records of identification are held until ${heldUntil.toISOString().slice(0, 10)} and then removed automatically.`)
  deps.print('Payments and payouts of their phone number were not erased: use --phone.')
}

/** A paragraph for each rule: the kept rows, the period, and the time of the last run. */
export async function describeRetention(db: Db): Promise<string> {
  const turns = new Map((await readTurns(db)).map((turn) => [turn.rule, turn]))
  return rules
    .map(({ name, tables, keeps, because }) => {
      const turn = turns.get(name)
      const last = turn?.endedAt ? `${turn.endedAt.toISOString()}, ${turn.removed} removed so far` : 'never'
      return `${name} (${tables.join(', ')})\n  kept:     ${keeps}\n  why:      ${because}\n  last run: ${last}`
    })
    .join('\n\n')
}

export const personCommands: Commands<Deps> = {
  'person export': command({
    flags: '(--email <email> | --phone <number>) [--out <file>]',
    options: { email: { type: 'string' }, phone: { type: 'string' }, out: { type: 'string' } },
    summary: 'Export all data about an account, or about a payer with this phone number, as JSON.',
    run: (deps: Deps, _words, { out, ...person }) => exportPerson(deps, readPerson(person), out),
  }),
  'person erase': command({
    flags: '(--email <email> [--keep-held-records] | --phone <number>) [--confirm <the same again>]',
    options: {
      email: { type: 'string' },
      phone: { type: 'string' },
      'keep-held-records': { type: 'boolean' },
      confirm: { type: 'string' },
    },
    summary: "Erase a person's identity; keep the books (docs/operations/personal-data.md).",
    run: (deps: Deps, _words, { confirm, 'keep-held-records': keepsHeldRecords = false, ...person }) =>
      erasePerson(deps, readPerson(person), { confirm, keepsHeldRecords }),
  }),
  retention: command({
    summary: 'Show how long each table keeps its rows, and when each rule last ran.',
    run: async ({ open, print }: Deps) => print(await describeRetention((await open()).db)),
  }),
}
