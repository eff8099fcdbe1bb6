/** All personal data of one person, as one document: of an account, or of the person who pays from a phone or is paid to it. */
import { addressTyped } from '../../domain/typed.ts'
import { toWire } from '../../platform/ids.ts'
import type { Db } from '../../platform/db/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { exportedColumns } from './personal-data.ts'
import { findAccountByEmail, readAccount, readActionsOf, readPhone, type Account } from './person.sql.ts'

export type PersonExport = {
  about: string
  /** ISO 8601 UTC. */
  as_of: string
  /** Rows by table. A table without rows is left out. */
  data: Record<string, Record<string, unknown>[]>
}

export async function requireAccount(db: Db, email: string): Promise<Account> {
  const account = await findAccountByEmail(db, addressTyped(email))
  if (!account) throw new Refusal(404, 'not_found', `There is no account with the e-mail address ${email}.`)
  return account
}

function toExport(about: string, nowMs: number, rows: Map<string, Record<string, unknown>[]>): PersonExport {
  const data = [...rows].flatMap(([table, found]) => {
    const exported = exportedColumns(table)
    const entries = found.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => exported.has(name))))
    return entries.length > 0 ? [[table, entries] as const] : []
  })
  return { about, as_of: new Date(nowMs).toISOString(), data: Object.fromEntries(data) }
}

/** Refuses an address without an account: 404. */
export async function exportAccount(deps: { db: Db; nowMs: number }, email: string): Promise<PersonExport> {
  const account = await requireAccount(deps.db, email)
  const rows = await deps.db.snapshot((tx) => readAccount(tx, account))
  rows.set('audit_log', await readActionsOf(deps.db, toWire('usr', account.id)))
  return toExport(`the account ${toWire('usr', account.id)}`, deps.nowMs, rows)
}

/** `phoneNumber` in E.164. */
export async function exportPhone(deps: { db: Db; nowMs: number }, phoneNumber: string): Promise<PersonExport> {
  const rows = await deps.db.snapshot((tx) => readPhone(tx, phoneNumber))
  return toExport(`payments and payouts of ${phoneNumber}`, deps.nowMs, rows)
}
