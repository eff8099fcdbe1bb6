/**
 * What a merchant owes is repaid from its wallet as soon as that has something. Invariant: no payout leaves while something is owed, so what
 * was credited in between is still there. It is no part of settling: a debt is rare, and each credit would pay for looking.
 */
import type { Db } from '../platform/db/db.ts'
import { listRepayable, lockAccounts } from './account.sql.ts'
import { postSteps } from './transfer.sql.ts'

/** Repays what can be repaid now; answers from how many wallets something was taken. */
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
