/** Ledger accounts: each merchant's wallet per environment, and the system's own accounts of each home. Balances are kept, never summed. */
import type { Environment } from '../config.ts'
import { sql, type Runner } from '../platform/db.ts'
import { newMoneyId } from '../platform/ids.ts'

/**
 * `receivable`: what a merchant owes, as a negative balance. `loss`: written off. `unallocated`: money that only the provider knows.
 * `returns_reserved`: reserved for system payouts that return money to payers.
 */
export type AccountKind = (typeof merchantKinds)[number] | (typeof systemKinds)[number]

/** The holder of the system's own accounts. */
export const systemHolder = '00000000-0000-0000-0000-000000000000'

const merchantKinds = ['wallet', 'payouts_reserved', 'receivable'] as const
const systemKinds = ['provider_clearing', 'provider_fees', 'suspense', 'loss', 'unallocated', 'returns_reserved'] as const

export const isHeldByMerchant = (kind: AccountKind): boolean => (merchantKinds as readonly AccountKind[]).includes(kind)

/**
 * Opens a merchant's accounts in one environment and the system accounts of its home, or without a merchant the latter alone; does nothing
 * where they exist. A merchant or home that is older than a kind of account gets it by the first call that needs it.
 */
export async function openWallet(
  db: Runner,
  owner: { merchantId: string | null; home: number; environment: Environment },
): Promise<void> {
  const kinds: AccountKind[] = owner.merchantId === null ? [...systemKinds] : [...merchantKinds, ...systemKinds]
  const holders = kinds.map((kind) => (isHeldByMerchant(kind) ? owner.merchantId : systemHolder))
  const ids = kinds.map(() => newMoneyId(owner.home))
  await db.rows(sql`
    insert into ledger_accounts (home, id, environment, kind, holder)
    select ${owner.home}, a.id, ${owner.environment}, a.kind, a.holder
    from unnest(${ids}::uuid[], ${kinds}::text[], ${holders}::uuid[]) as a (id, kind, holder)
    on conflict on constraint ledger_accounts_one_of_each do nothing`)
}

/** `reserved`: TZS set aside for payouts on their way, not part of `balance`. */
type Wallet = { accountId: string | null; balance: number; reserved: number; asOf: Date }

/** The wallet's balance in TZS; a wallet that was never opened holds nothing. */
export async function readWallet(
  db: Runner,
  owner: { merchantId: string; home: number; environment: Environment },
): Promise<Wallet> {
  const [row] = await db.rows<Wallet>(sql`
    select a.id as account_id, coalesce(a.balance, 0) as balance, coalesce(r.balance, 0) as reserved, clock_now() as as_of
    from (values (1)) as one
    left join ledger_accounts a on a.home = ${owner.home} and a.environment = ${owner.environment}
      and a.kind = 'wallet' and a.holder = ${owner.merchantId}
    left join ledger_accounts r on r.home = a.home and r.environment = a.environment and r.kind = 'payouts_reserved' and r.holder = a.holder`)
  return row!
}
