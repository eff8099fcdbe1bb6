/**
 * Repays a merchant's debt from its wallet as soon as the wallet has money. Invariant: no payout is sent while something is owed, so the
 * money credited in between is still there. This is not part of settling: debts are rare, and every credit would pay for the check.
 */
import type { Db } from '../../platform/db/db.ts'
import { listRepayable, lockAccounts } from './account.sql.ts'
import { postSteps } from './transfer.sql.ts'

/** Repays what can be repaid now. Returns the number of wallets that were debited. */
export async function repayReceivables({ db }: { db: Db }, limit: number): Promise<number> {
  const owing = await listRepayable(db, limit)
  for (const owner of owing) {
    const { home, environment, merchantId } = owner
    await db.tx(async (tx) => {
      const { wallet, receivable } = await lockAccounts(tx, owner)
      const amount = Math.min(wallet, -receivable)
      if (amount <= 0) return
      const cause = { actor: 'system', requestId: 'repay-receivables' }
      await postSteps(tx, { home, environment, merchantId, ...cause }, [
        { kind: 'receivable_repaid', debit: 'wallet', credit: 'receivable', amount },
      ])
    })
  }
  return owing.length
}
