/**
 * `ops -- person export|erase`: for an operator when a person asks for their data, or for its erasure. To confirm an erasure, the operator
 * types the person's address or number again.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { readPhone } from '../domain/phone.ts'
import type { Db } from '../platform/db/db.ts'
import type { RecordMac } from '../platform/crypto/record-mac.ts'
import { Refusal } from '../platform/refusal.ts'
import type { Sealer } from '../platform/crypto/secrets.ts'
import { eraseAccount } from './erase-account.ts'
import { erasePayer } from './erase-payer.ts'
import { exportAccount, exportPhone } from './export-person.ts'
import { hasAccount } from './person.sql.ts'

export type PersonArguments = {
  action: 'export' | 'erase'
  email: string | undefined
  /** E.164. */
  phoneNumber: string | undefined
  out: string | undefined
  keepsHeldRecords: boolean
  /** The confirmation, for use without a terminal. */
  confirm: string | undefined
}

/** Undefined if the arguments are not a command. */
export function readPersonArguments(args: string[]): PersonArguments | undefined {
  const [action, ...rest] = args
  if (action !== 'export' && action !== 'erase') return undefined
  const text = { type: 'string' } as const
  try {
    const options = { email: text, phone: text, out: text, confirm: text, 'keep-held-records': { type: 'boolean' } } as const
    const { values } = parseArgs({ args: rest, options })
    const { email, phone, out, confirm, 'keep-held-records': keepsHeldRecords = false } = values
    if ((email === undefined) === (phone === undefined)) return undefined
    const reading = phone === undefined ? undefined : readPhone(phone)
    if (reading?.kind === 'invalid') return undefined
    return { action, email, phoneNumber: reading?.e164, out, confirm, keepsHeldRecords }
  } catch {
    // An unknown option: the usage text lists the valid ones.
    return undefined
  }
}

export type PersonDeps = {
  db: Db
  sealer: Sealer
  recordMac: RecordMac
  nowMs: number
  heldYears: number
  print(line: string): void
  /** Asks the operator at the terminal. */
  ask(question: string): Promise<string>
}

async function exportPerson(deps: PersonDeps, { email, phoneNumber, out }: PersonArguments): Promise<void> {
  const data = email === undefined ? await exportPhone(deps, phoneNumber!) : await exportAccount(deps, email)
  const text = JSON.stringify(data, null, 2)
  if (out === undefined) return deps.print(text)
  // Readable by one user only, and never overwrites a file of another person.
  await writeFile(out, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new Refusal(409, 'invalid_state', `${out} already exists and may contain data of another person. Nothing was written.`)
  })
  return deps.print(`${out} contains all personal data of ${data.about}. Give it to that person only, then delete it.`)
}

async function erasePerson(deps: PersonDeps, args: PersonArguments): Promise<void> {
  const { email, phoneNumber, keepsHeldRecords } = args
  const who = email ?? phoneNumber!
  const typed = args.confirm ?? (await deps.ask(`This cannot be undone. Type ${who} again to erase this person: `))
  if (typed.trim() !== who) throw new Refusal(400, 'validation_error', 'The answer does not match. Nothing was erased.')
  if (email === undefined) {
    const { pseudonym, payments, payouts } = await erasePayer(deps, who)
    deps.print(`Erased: the payer of ${payments} payments and the recipient of ${payouts} payouts is ${pseudonym} now.`)
    if (await hasAccount(deps.db, who)) {
      deps.print('An account with this number exists. It was not erased: use --email.')
    }
    return
  }
  const { pseudonym, heldUntil } = await eraseAccount(deps, { email, keepsHeldRecords, heldYears: deps.heldYears })
  deps.print(`Erased: the account is ${pseudonym} now; its books are unchanged.`)
  if (heldUntil)
    deps.print(
      `Records of identification are held until ${heldUntil.toISOString().slice(0, 10)}, and then removed automatically.`,
    )
  deps.print('Payments and payouts of their phone number were not erased: use --phone.')
}

export async function runPersonCommand(deps: PersonDeps, args: PersonArguments): Promise<void> {
  await (args.action === 'export' ? exportPerson(deps, args) : erasePerson(deps, args))
}
