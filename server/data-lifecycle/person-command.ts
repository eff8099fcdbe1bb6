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

export type PersonWords = {
  action: 'export' | 'erase'
  email: string | undefined
  /** E.164. */
  phoneNumber: string | undefined
  out: string | undefined
  keepsHeldRecords: boolean
  /** The confirmation, for use without a terminal. */
  confirm: string | undefined
}

/** Undefined when the words are not a command. */
export function readPersonWords(words: string[]): PersonWords | undefined {
  const [action, ...rest] = words
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

async function exportPerson(deps: PersonDeps, { email, phoneNumber, out }: PersonWords): Promise<void> {
  const told = email === undefined ? await exportPhone(deps, phoneNumber!) : await exportAccount(deps, email)
  const text = JSON.stringify(told, null, 2)
  if (out === undefined) return deps.print(text)
  // Readable by one user only, and never overwrites a file of another person.
  await writeFile(out, `${text}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new Refusal(409, 'invalid_state', `${out} already exists and may contain data of another person. Nothing was written.`)
  })
  return deps.print(
    `${out} tells all that is known about ${told.about}. Hand it to that person and to nobody else, then delete it.`,
  )
}

async function erasePerson(deps: PersonDeps, words: PersonWords): Promise<void> {
  const { email, phoneNumber, keepsHeldRecords } = words
  const who = email ?? phoneNumber!
  const typed = words.confirm ?? (await deps.ask(`This cannot be undone. Type ${who} once more to erase who that is: `))
  if (typed.trim() !== who) throw new Refusal(400, 'validation_error', 'The answer does not match. Nothing was erased.')
  if (email === undefined) {
    const { pseudonym, payments, payouts } = await erasePayer(deps, who)
    deps.print(`Erased: the payer of ${payments} payments and the recipient of ${payouts} payouts is ${pseudonym} now.`)
    if (await hasAccount(deps.db, who)) {
      deps.print('Somebody signs in with this number: their account is another matter (--email).')
    }
    return
  }
  const { pseudonym, heldUntil } = await eraseAccount(deps, { email, keepsHeldRecords, heldYears: deps.heldYears })
  deps.print(`Erased: the account is ${pseudonym} now; its books are what they were.`)
  if (heldUntil)
    deps.print(`Records of identification are held until ${heldUntil.toISOString().slice(0, 10)}, and go then by themselves.`)
  deps.print('What they paid, or were paid, by phone is another matter (--phone).')
}

export async function runPersonCommand(deps: PersonDeps, words: PersonWords): Promise<void> {
  await (words.action === 'export' ? exportPerson(deps, words) : erasePerson(deps, words))
}
