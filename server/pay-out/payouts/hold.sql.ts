/** Whether the payouts of a merchant are on hold: the only rule for new payouts and for those that wait to be sent. */
import type { walletHoldReasons } from '../../domain/hold.ts'
import type { Owner } from '../../accounts/identity/merchant.ts'
import { walletAccounts, walletColumns, type Wallet } from '../../money/ledger/account.sql.ts'
import { sql, type Runner, type Sql } from '../../platform/db/db.ts'

/** `owed`: TZS that the merchant owes. */
export type PayoutHold = { reason: (typeof walletHoldReasons)[number]; owed: number; since: Date }

const freezes = (alias: Sql): Sql => sql`
  from payout_freezes f
    where f.home = ${alias}.home and f.merchant_id = ${alias}.merchant_id and f.environment = ${alias}.environment`

/** The provider's report about a payout of this merchant contradicts our books, and operators have not decided yet. */
const contradictions = (alias: Sql): Sql => sql`
  from breaks b join payouts q on q.home = b.home and q.id = b.payout_id
    where b.home = ${alias}.home and b.kind = 'payout_contradicts' and b.resolved_at is null
      and q.merchant_id = ${alias}.merchant_id and q.environment = ${alias}.environment`

const isFrozen = (alias: Sql): Sql => sql`exists (select ${freezes(alias)})`
const isContradicted = (alias: Sql): Sql => sql`exists (select ${contradictions(alias)})`

const owedBy = (alias: Sql): Sql => sql`
  coalesce((select -a.balance from ledger_accounts a
    where a.home = ${alias}.home and a.environment = ${alias}.environment and a.kind = 'receivable' and a.holder = ${alias}.merchant_id), 0)`

/** The newest debit of an account on which nothing was owed before. Debits are few: operators book them; repayments are many. */
const debts = (alias: Sql): Sql => sql`
  from ledger_accounts a
    join lateral (
      select t.created_at from ledger_transfers t
      where t.home = a.home and t.debit_account_id = a.id and t.debit_balance_after = -t.amount
      order by t.debit_seq desc limit 1) d on true
    where a.home = ${alias}.home and a.environment = ${alias}.environment and a.kind = 'receivable' and a.holder = ${alias}.merchant_id
      and a.owes`

/** `alias` needs `home`, `merchant_id` and `environment`. A return to a payer has no merchant and is never on hold. */
export const isOnHold = (alias: Sql): Sql => sql`(${isFrozen(alias)} or ${isContradicted(alias)} or ${owedBy(alias)} > 0)`

type HeldSince = { frozenSince: Date | null; contradictedSince: Date | null; owedSince: Date | null }

const w = sql`w`
const heldSince = sql`
  (select f.since ${freezes(w)}) as frozen_since, (select min(b.opened_at) ${contradictions(w)}) as contradicted_since,
  (select d.created_at ${debts(w)}) as owed_since`

function holdOf({ owed, frozenSince, contradictedSince, owedSince }: HeldSince & { owed: number }): PayoutHold | undefined {
  if (frozenSince) return { reason: 'books_under_review', owed, since: frozenSince }
  if (owedSince) return { reason: 'amount_owed', owed, since: owedSince }
  return contradictedSince ? { reason: 'payout_under_review', owed, since: contradictedSince } : undefined
}

const ownerRow = ({ merchant, environment }: Owner): Sql => sql`
  (select ${merchant.home}::smallint as home, ${merchant.id}::uuid as merchant_id, ${environment}::text as environment) w`

/** The reason of the hold; undefined if there is no hold. */
export async function readHold(db: Runner, owner: Owner): Promise<PayoutHold | undefined> {
  const [row] = await db.rows<HeldSince & { owed: number }>(
    sql`select ${heldSince}, ${owedBy(w)} as owed from ${ownerRow(owner)}`,
  )
  return holdOf(row!)
}

/** A wallet and its hold, in one statement: servers ask for their balance often. */
export async function readWalletAndHold(db: Runner, owner: Owner): Promise<{ wallet: Wallet; hold: PayoutHold | undefined }> {
  const [row] = await db.rows<Wallet & HeldSince>(
    sql`select ${walletColumns}, ${heldSince} from ${ownerRow(owner)} ${walletAccounts}`,
  )
  return { wallet: row!, hold: holdOf(row!) }
}
