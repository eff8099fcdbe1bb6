/**
 * Ledger accounts: each merchant's wallet per environment, and the system's own accounts of each home. Balances are stored, never summed.
 */
import { merchantAccountKinds, systemAccountKinds, type AccountKind } from '../../domain/ledger.ts'
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'
import { newMoneyId } from '../../platform/ids.ts'

/** The holder of the system's own accounts. */
export const systemHolder = '00000000-0000-0000-0000-000000000000'

export const isHeldByMerchant = (kind: AccountKind): boolean => (merchantAccountKinds as readonly AccountKind[]).includes(kind)

/**
 * Opens a merchant's accounts in one environment and the system accounts of its home; without a merchant, only the system accounts. Does
 * nothing for existing accounts. A merchant or home that is older than a kind of account gets it by the first call that needs it.
 */
export async function openWallet(
  db: Runner,
  owner: { merchantId: string | null; home: number; environment: Environment },
): Promise<void> {
  const kinds: AccountKind[] =
    owner.merchantId === null ? [...systemAccountKinds] : [...merchantAccountKinds, ...systemAccountKinds]
  const holders = kinds.map((kind) => (isHeldByMerchant(kind) ? owner.merchantId : systemHolder))
  const ids = kinds.map(() => newMoneyId(owner.home))
  await db.rows(sql`
    insert into ledger_accounts (home, id, environment, kind, holder)
    select ${owner.home}, a.id, ${owner.environment}, a.kind, a.holder
    from unnest(${ids}::uuid[], ${kinds}::text[], ${holders}::uuid[]) as a (id, kind, holder)
    on conflict on constraint ledger_accounts_one_of_each do nothing`)
}

/**
 * Locks a merchant's accounts and the system accounts of its home, in the order in which transfers lock them. Returns the balances of the
 * merchant's accounts. For a transaction that decides by a balance before it posts.
 */
export async function lockAccounts(
  tx: Tx,
  owner: { merchantId: string; home: number; environment: Environment },
): Promise<{ wallet: number; receivable: number }> {
  const rows = await tx.rows<{ kind: AccountKind; balance: number }>(sql`
    select kind, balance from ledger_accounts
    where home = ${owner.home} and environment = ${owner.environment} and kind = any(${[...merchantAccountKinds, ...systemAccountKinds]}::text[])
      and holder = any(${[owner.merchantId, systemHolder]}::uuid[])
    order by kind, holder
    for no key update`)
  const balanceOf = (kind: AccountKind): number => rows.find((row) => row.kind === kind)?.balance ?? 0
  return { wallet: balanceOf('wallet'), receivable: balanceOf('receivable') }
}

export async function lockSystemAccounts(tx: Tx, at: { home: number; environment: Environment }): Promise<void> {
  await tx.rows(sql`
    select from ledger_accounts
    where home = ${at.home} and environment = ${at.environment} and kind = any(${[...systemAccountKinds]}::text[]) and holder = ${systemHolder}
    order by kind
    for no key update`)
}

/** Merchants with a debt and a positive balance. */
export async function listRepayable(
  db: Runner,
  limit: number,
): Promise<{ home: number; environment: Environment; merchantId: string }[]> {
  return db.rows<{ home: number; environment: Environment; merchantId: string }>(sql`
    select r.home, r.environment, r.holder as merchant_id
    from ledger_accounts r
    join ledger_accounts w on w.home = r.home and w.environment = r.environment and w.kind = 'wallet' and w.holder = r.holder
    where r.owes and w.balance > 0
    limit ${limit}`)
}

/** `reserved`: TZS reserved for payouts in flight, not part of `balance`. `owed`: TZS that the merchant owes. `lines`: its transfers, ever. */
export type Wallet = { accountId: string | null; lines: number; balance: number; reserved: number; owed: number; asOf: Date }

/** The columns of a `Wallet` whose owner is `w`: `home`, `merchant_id` and `environment`. It needs `walletAccounts`. */
export const walletColumns = sql`
  a.id as account_id, coalesce(a.last_seq, 0) as lines, coalesce(a.balance, 0) as balance, coalesce(r.balance, 0) as reserved,
  coalesce(-o.balance, 0) as owed, clock_now() as as_of`

/** Joins the accounts of `w`, which may not be open yet. */
export const walletAccounts = sql`
  left join ledger_accounts a on a.home = w.home and a.environment = w.environment and a.kind = 'wallet' and a.holder = w.merchant_id
  left join ledger_accounts r on r.home = a.home and r.environment = a.environment and r.kind = 'payouts_reserved' and r.holder = a.holder
  left join ledger_accounts o on o.home = a.home and o.environment = a.environment and o.kind = 'receivable' and o.holder = a.holder`

/** The wallet's balance in TZS; 0 for a wallet that was never opened. */
export async function readWallet(
  db: Runner,
  owner: { merchantId: string; home: number; environment: Environment },
): Promise<Wallet> {
  return db.one<Wallet>(sql`
    select ${walletColumns}
    from (select ${owner.home}::smallint as home, ${owner.merchantId}::uuid as merchant_id, ${owner.environment}::text as environment) w
    ${walletAccounts}`)
}
