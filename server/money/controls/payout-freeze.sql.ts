/** The only statements on payout_freezes: merchants whose payouts are frozen. */
import type { MerchantKind } from '../../domain/merchant.ts'
import type { Environment } from '../../domain/environment.ts'
import { sql, type Runner, type Tx } from '../../platform/db/db.ts'

export type PayoutFreeze = { home: number; merchantId: string; environment: Environment; reason: string; since: Date }

/** Returns the freezes that are new; an existing freeze keeps its first reason. */
export async function insertPayoutFreezes(
  tx: Tx,
  merchant: { home: number; id: string },
  environments: readonly Environment[],
  reason: string,
): Promise<Environment[]> {
  return tx.values<Environment>(sql`
    insert into payout_freezes (home, merchant_id, environment, reason)
    select ${merchant.home}, ${merchant.id}, environment, ${reason} from unnest(${environments}::text[]) as environment
    on conflict (home, merchant_id, environment) do nothing
    returning environment`)
}

/** The freeze that was removed; undefined when none existed. */
export async function deletePayoutFreeze(
  tx: Tx,
  merchant: { home: number; id: string },
  environment: Environment,
): Promise<PayoutFreeze | undefined> {
  return tx.maybeOne<PayoutFreeze>(sql`
    delete from payout_freezes where home = ${merchant.home} and merchant_id = ${merchant.id} and environment = ${environment}
    returning home, merchant_id, environment, reason, since`)
}

/** All freezes, for operators: the oldest first, at most `limit`. */
export async function readPayoutFreezes(db: Runner, limit: number): Promise<(PayoutFreeze & { kind: MerchantKind })[]> {
  return db.rows(sql`
    select f.home, f.merchant_id, f.environment, f.reason, f.since, m.kind
    from payout_freezes f join merchants m on m.id = f.merchant_id
    order by f.since, f.merchant_id, f.environment limit ${limit}`)
}
