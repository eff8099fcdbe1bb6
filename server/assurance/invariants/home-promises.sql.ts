/** The promise about homes: the home of a row is the one in its id. */
import { sql, type Sql } from '../../platform/db/db.ts'
import { within, type Check, type Walked } from './scope.sql.ts'

/** The tables, with the name of a row of each. */
const held: readonly [over: Walked, what: string, relation: Sql][] = [
  ['payments', 'payment', sql`payments`],
  ['payment_pages', 'page', sql`payment_pages`],
  ['ledger_transfers', 'transfer', sql`ledger_transfers`],
  ['events', 'event', sql`events`],
  ['payouts', 'payout', sql`payouts`],
  ['ledger_accounts', 'account', sql`ledger_accounts`],
  ['webhook_deliveries', 'delivery', sql`webhook_deliveries`],
]

export const homePromises: readonly Check[] = held.map(([over, what, relation]) => ({
  invariant: 'homes',
  over,
  broken: (scope) => sql`
    select format('%s %s lives in home %s', ${what}::text, r.id, r.home) as what
    from ${relation} r
    where ('x' || substr(replace(r.id::text, '-', ''), 14, 3))::bit(12)::integer <> r.home
      and ${within(scope, sql`r`, 'created_at')}`,
}))
