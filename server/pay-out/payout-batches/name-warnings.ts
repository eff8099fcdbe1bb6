/** Rows whose recipient has another name than the number was last paid under. */
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Runner } from '../../platform/db/db.ts'
import { namesDiffer } from '../recipients/compare-names.ts'
import { lastPaidNames } from '../recipients/recipient.sql.ts'
import type { BatchItem } from './batch.ts'

type Named = { rowNumber: number; phoneNumber: string; recipientName: string }

/** The numbers of the rows to warn of. */
export async function nameWarningsOf(db: Runner, owner: Owner, rows: readonly Named[]): Promise<ReadonlySet<number>> {
  const names = await lastPaidNames(db, owner, [...new Set(rows.map(({ phoneNumber }) => phoneNumber))])
  const differing = rows.filter(({ phoneNumber, recipientName }) => {
    const last = names.get(phoneNumber)
    return last !== undefined && namesDiffer(last, recipientName)
  })
  return new Set(differing.map(({ rowNumber }) => rowNumber))
}

/** The names under which the numbers of rows with such a warning were last paid. */
export function differingNames(db: Runner, owner: Owner, items: readonly BatchItem[]): Promise<Map<string, string>> {
  const numbers = items
    .filter(({ nameDiffers }) => nameDiffers)
    .map(({ phoneNumber }) => phoneNumber)
    .filter((one) => one !== null)
  return numbers.length === 0 ? Promise.resolve(new Map()) : lastPaidNames(db, owner, [...new Set(numbers)])
}
