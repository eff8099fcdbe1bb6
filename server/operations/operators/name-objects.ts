/** Names what audit entries are about, so that operators read people and payments instead of ids. One page of the log is a few reads by key. */
import { paymentNamesInLine } from '../../collect/payments/payment-names.ts'
import { readPaymentNames } from '../../collect/payments/payment-names.sql.ts'
import type { Runner } from '../../platform/db/db.ts'
import { fromWire, type IdPrefix } from '../../platform/ids.ts'
import { readObjectNames, readPaymentsOf } from './object-names.sql.ts'

/** The name behind a wire id, of these ids; null: it has none, or a person was erased. */
export async function nameObjects(db: Runner, wireIds: string[]): Promise<(wireId: string) => string | null> {
  const wanted = [...new Set(wireIds)]
  const of = (...prefixes: IdPrefix[]) => wanted.flatMap((wire) => prefixes.flatMap((prefix) => fromWire(prefix, wire) ?? []))
  const [named, subjects] = await Promise.all([
    readObjectNames(db, { usr: of('usr'), biz: of('biz'), po: of('po', 'rf'), page: of('page', 'preq') }),
    readPaymentsOf(db, { brk: of('brk'), case: of('case') }),
  ])
  const payments = await readPaymentNames(db, [...new Set([...of('pay'), ...subjects.map(({ paymentId }) => paymentId)])])
  const names = new Map(named.map(({ id, name }) => [id, name]))
  for (const [id, payment] of payments) names.set(id, paymentNamesInLine(payment))
  for (const { id, paymentId } of subjects) names.set(id, names.get(paymentId)!)
  return (wireId) => {
    const id = fromWire(wireId.slice(0, wireId.indexOf('_')) as IdPrefix, wireId)
    return (id && names.get(id)) ?? null
  }
}
