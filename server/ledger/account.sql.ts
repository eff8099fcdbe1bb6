/** Ledger accounts: each merchant's wallet per environment, and the system's own accounts of each home. Balances are kept, never summed. */
import type { Environment } from '../config.ts'
import { sql, type Runner } from '../platform/db.ts'
import { newMoneyId } from '../platform/ids.ts'

export type AccountKind = 'wallet' | 'provider_clearing' | 'provider_fees' | 'suspense'

/** The holder of the system's own accounts. */
export const systemHolder = '00000000-0000-0000-0000-000000000000'

const systemKinds: AccountKind[] = ['provider_clearing', 'provider_fees', 'suspense']

/** Opens a merchant's wallet in one environment, and the system accounts of its home; does nothing where they exist. */
export async function openWallet(
  db: Runner,
  owner: { merchantId: string; home: number; environment: Environment },
): Promise<void> {
  const kinds: AccountKind[] = ['wallet', ...systemKinds]
  const holders = kinds.map((kind) => (kind === 'wallet' ? owner.merchantId : systemHolder))
  const ids = kinds.map(() => newMoneyId(owner.home))
  await db.rows(sql`
    insert into ledger_accounts (home, id, environment, kind, holder)
    select ${owner.home}, a.id, ${owner.environment}, a.kind, a.holder
    from unnest(${ids}::uuid[], ${kinds}::text[], ${holders}::uuid[]) as a (id, kind, holder)
    on conflict on constraint ledger_accounts_one_of_each do nothing`)
}

type Wallet = { accountId: string | null; balance: number; asOf: Date }

/** The wallet's balance in TZS; a wallet that was never opened holds nothing. */
export async function readWallet(
  db: Runner,
  owner: { merchantId: string; home: number; environment: Environment },
): Promise<Wallet> {
  const [row] = await db.rows<Wallet>(sql`
    select a.id as account_id, coalesce(a.balance, 0) as balance, clock_now() as as_of
    from (values (1)) as one
    left join ledger_accounts a on a.home = ${owner.home} and a.environment = ${owner.environment}
      and a.kind = 'wallet' and a.holder = ${owner.merchantId}`)
  return row!
}
