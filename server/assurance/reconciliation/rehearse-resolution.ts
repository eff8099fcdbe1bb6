/**
 * What each resolution of a break would move now. Invariant: a rehearsal carries the resolution out with the code of the real decision, in a
 * transaction that is always rolled back, so that an operator reads exactly what a decision would book, or why it would be refused.
 */
import { findUnallocated, lockBreak } from '../../money/breaks/break.sql.ts'
import { resolutionsFor, returnsMoney, type Break, type Resolution } from '../../money/breaks/break.ts'
import type { AccountKind } from '../../domain/ledger.ts'
import { findHeldMoney } from '../../collect/payments/release-held.sql.ts'
import { findReturnable, refuseSmallReturn, type ReturnDeps } from '../../pay-out/payouts/return-to-payer.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { silenceChanges } from '../../platform/db/notify.sql.ts'
import { Refusal } from '../../platform/refusal.ts'
import { listTransfersAround } from './break-subject.sql.ts'
import { carryOutNow, type Operator } from './resolve-break.ts'

type Deps = Pick<ReturnDeps, 'providers'> & { db: Db }

/** TZS from one account to another. */
export type Move = { debit: AccountKind; credit: AccountKind; amount: number }

/** `refused`: why a decision would be refused now. */
export type Effect = { resolution: Resolution; moves: Move[]; refused: string | null }

/** Ends a rehearsal: nothing of it stays. */
class RolledBack extends Error {
  moves: Move[]
  constructor(moves: Move[]) {
    super('a rehearsal is rolled back')
    this.moves = moves
  }
}

/** What moves if an operator names the payment or the wallet; without the name there is nothing to rehearse. */
async function movesOfNamed(tx: Tx, one: Break, resolution: Resolution): Promise<Move[] | undefined> {
  if (resolution !== 'credit_to_payment' && resolution !== 'debit_wallet') return undefined
  const { amount } = await findUnallocated(tx, one)
  if (amount === 0) return []
  return resolution === 'credit_to_payment'
    ? [{ debit: 'unallocated', credit: 'wallet', amount }]
    : [{ debit: 'wallet', credit: 'unallocated', amount: Math.abs(amount) }]
}

/** The money is reserved when the decision is confirmed, and leaves with the payout. Its fee is quoted only then. */
async function movesOfReturn(deps: Deps, tx: Tx, one: Break): Promise<Move[]> {
  const { origin, amount } = await findReturnable(tx, one)
  if (amount <= 0) return []
  refuseSmallReturn(deps, one.environment, amount)
  return [
    { debit: origin, credit: 'returns_reserved', amount },
    { debit: 'returns_reserved', credit: 'provider_clearing', amount },
  ]
}

async function movesOf(deps: Deps, tx: Tx, one: Break, resolution: Resolution, operator: Operator): Promise<Move[]> {
  if (returnsMoney.has(resolution)) return movesOfReturn(deps, tx, one)
  const named = await movesOfNamed(tx, one, resolution)
  if (named) return named
  const before = new Set((await listTransfersAround(tx, one)).map(({ id }) => id))
  // The real decision asks the provider once more whether it has this money.
  const held =
    resolution === 'credit_payment' && one.paymentId !== null ? { home: one.home, paymentId: one.paymentId } : undefined
  await carryOutNow(tx, one, resolution, operator, held && (await findHeldMoney(tx, held)))
  const after = await listTransfersAround(tx, one)
  return after.filter(({ id }) => !before.has(id)).map(({ debit, credit, amount }) => ({ debit, credit, amount }))
}

async function rehearse(
  deps: Deps,
  key: { home: number; id: string },
  resolution: Resolution,
  operator: Operator,
): Promise<Effect> {
  try {
    return await deps.db.tx(async (tx) => {
      // Or the screen that shows the effects would read, and rehearse, again.
      await silenceChanges(tx)
      const one = await lockBreak(tx, key)
      throw new RolledBack(one.resolvedAt === null ? await movesOf(deps, tx, one, resolution, operator) : [])
    })
  } catch (error) {
    if (error instanceof RolledBack) return { resolution, moves: error.moves, refused: null }
    if (error instanceof Refusal) return { resolution, moves: [], refused: error.message }
    throw error
  }
}

/** The effects of every possible resolution, one after the other: each locks the same accounts. None for a resolved break. */
export async function rehearseResolutions(deps: Deps, one: Break, operator: Operator): Promise<Effect[]> {
  const effects: Effect[] = []
  if (one.resolvedAt !== null) return effects
  for (const resolution of resolutionsFor(one)) effects.push(await rehearse(deps, one, resolution, operator))
  return effects
}
