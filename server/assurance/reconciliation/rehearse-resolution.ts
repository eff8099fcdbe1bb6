/**
 * What each resolution of a break would move now. Invariant: a rehearsal carries the resolution out with the code of the real decision, in a
 * transaction that is always rolled back, so that an operator reads exactly what a decision would book, or why it would be refused.
 */
import { resolutionsFor, returnsMoney, type Break, type Resolution } from '../../money/breaks/break.ts'
import type { AccountKind } from '../../domain/ledger.ts'
import { findHeldMoney } from '../../collect/payments/release-held.sql.ts'
import { findReturnable, refuseSmallReturn, type ReturnDeps } from '../../pay-out/payouts/return-to-payer.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { silenceChanges } from '../../platform/db/notify.sql.ts'
import { Refusal } from '../../platform/refusal.ts'
import { listTransfersAround } from './break-subject.sql.ts'
import { carryOutNow, openFor, type Operator } from './resolve-break.ts'

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

/** What they move depends on the payment or wallet that the proposal names: nothing is said of them, because it would be a guess. */
const isNamed = (resolution: Resolution): boolean => resolution === 'credit_to_payment' || resolution === 'debit_wallet'

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
      // The gates of the decision: no operator reads of their own money, or of a record that is booked elsewhere, as if they could decide.
      throw new RolledBack(await movesOf(deps, tx, await openFor(tx, key, operator), resolution, operator))
    })
  } catch (error) {
    if (error instanceof RolledBack) return { resolution, moves: error.moves, refused: null }
    if (error instanceof Refusal) return { resolution, moves: [], refused: error.message }
    throw error
  }
}

/** The effects of every possible resolution that names nothing, one after the other: each locks the same accounts. None for a resolved break. */
export async function rehearseResolutions(deps: Deps, one: Break, operator: Operator): Promise<Effect[]> {
  const effects: Effect[] = []
  if (one.resolvedAt !== null) return effects
  for (const resolution of resolutionsFor(one))
    if (!isNamed(resolution)) effects.push(await rehearse(deps, one, resolution, operator))
  return effects
}
