/** What is always true of where money lives: the home of a row is the one that its id carries. */
import { sql, type Sql } from '../platform/db.ts'
import { within, type Check, type Walked } from './scope.sql.ts'

/** What each of the tables holds; the rows of two of them are never changed in bulk, and read whole. */
const held: readonly [over: Walked, what: string, relation: Sql, isReadWhole: boolean][] = [
  ['payments', 'payment', sql`payments`, false],
  ['payment_pages', 'page', sql`payment_pages`, true],
  ['ledger_transfers', 'transfer', sql`ledger_transfers`, false],
  ['events', 'event', sql`events`, false],
  ['payouts', 'payout', sql`payouts`, false],
  ['ledger_accounts', 'account', sql`ledger_accounts`, true],
  ['webhook_deliveries', 'delivery', sql`webhook_deliveries`, false],
]

export const homePromises: readonly Check[] = held.map(([over, what, relation, isReadWhole]) => ({
  invariant: 'homes',
  over,
  broken: (scope) => sql`
    select format('%s %s lives in home %s', ${what}::text, r.id, r.home) as what
    from ${relation} r
    where ('x' || substr(replace(r.id::text, '-', ''), 14, 3))::bit(12)::integer <> r.home
      and ${isReadWhole ? sql`true` : within(scope, sql`r`, 'created_at')}`,
}))
