/** Ends a payout before it is sent: the merchant cancels it, an operator refuses it, or the account may no longer pay. */
import type { ApprovalFailure } from '../../domain/approval.ts'
import { unsentOrderStates, type Approval, type PayoutOrderState } from '../../domain/payout.ts'
import { endApproval } from '../../accounts/members/approval.sql.ts'
import { appendAudit, bySystem, type Origin } from '../../base/audit/audit.ts'
import type { RecordMac } from '../../platform/crypto/record-mac.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, must, Refusal } from '../../platform/refusal.ts'
import type { Payout } from './payout.ts'
import { payoutReleaseMac } from './order-mac.ts'
import { decidePayout, lockEndable, lockPayout, updatePayout, type DuePayout, type EndablePayout } from './payout.sql.ts'
import { auditByPerson, ofMerchant } from './audit-payout.ts'
import { returnReserved } from './post-payout.ts'
import type { SettlePayoutDeps } from './settle-payout.ts'
import type { Db, Tx } from '../../platform/db/db.ts'

/** Orders that no process has claimed and that were certainly never sent. */
const unsentStates: ReadonlySet<PayoutOrderState> = new Set(unsentOrderStates)

/** Returns the money of an order that was never sent. `failureCode`: why it was not approved; null: for another reason. */
export async function endUnsent(
  tx: Tx,
  payout: Payout,
  cause: { actor: string; requestId: string },
  failureCode: ApprovalFailure | null = null,
): Promise<Payout> {
  await returnReserved(tx, payout, cause)
  await updatePayout(tx, payout, {
    status: 'cancelled',
    held: payout.held,
    network: payout.network,
    failureCode,
    failureText: null,
    state: 'withdrawn',
    providerReference: null,
    nextAttemptSeconds: null,
  })
  return { ...payout, status: 'cancelled', failureCode }
}

/** Refuses with 409 to return the money of an order that may have been sent during the time that a restore lost. */
export function refuseInDoubt({ restoreDoubt }: EndablePayout): void {
  if (restoreDoubt === 'comparing' || restoreDoubt === 'uncompared') {
    throw invalidState(
      'It is not known yet whether the provider has this payout, so it cannot be ended here. Wait for its outcome.',
      'Bado haijulikani kama mtoa huduma ameyapata malipo haya, kwa hiyo hayawezi kughairiwa hapa. Subiri matokeo yake.',
    )
  }
}

/**
 * Cancels a pending payout that was not sent; refuses every other payout with 409 `invalid_state`, including one that is just being sent.
 * `confirm` refuses, in the transaction, a caller that may no longer cancel. `person`: who cancels it by sign-in, for the audit log.
 */
export async function cancelPayout(
  deps: { db: Db },
  key: { home: number; id: string },
  cause: { actor: string; requestId: string },
  confirm: (tx: Tx) => Promise<void>,
  person: Origin | null,
): Promise<Payout> {
  return deps.db.tx(async (tx) => {
    await confirm(tx)
    const payout = must(await lockEndable(tx, key), 'a payout stays')
    refuseInDoubt(payout)
    if (payout.status !== 'pending' || !unsentStates.has(payout.state)) {
      throw invalidState(
        'This payout was already sent or has ended, and can no longer be cancelled.',
        'Malipo haya yameshatumwa au yameshamalizika, kwa hiyo hayawezi kughairiwa tena.',
      )
    }
    const cancelled = await endUnsent(tx, payout, cause)
    await endApproval(tx, key, 'withdrawn')
    if (person) await auditByPerson(tx, person, cancelled, 'cancelled')
    return cancelled
  })
}

/** Why the payout of a merchant must not be sent. */
export type Hindrance = 'account_not_verified' | 'account_suspended' | 'batch_stopped'

/** Cancels an order that this process has claimed and has not sent. */
export async function cancelUnsent(deps: SettlePayoutDeps, payout: DuePayout, reason: Hindrance): Promise<void> {
  await deps.db.tx(async (tx) => {
    const now = must(await lockPayout(tx, payout), 'a claimed payout is there')
    // A later claim may already have sent it.
    if (now.status !== 'pending' || now.providerReference !== null || now.attempts !== payout.attempts) return
    await endUnsent(tx, now, { actor: 'system', requestId: payout.requestId })
    await appendAudit(
      tx,
      { ...bySystem, requestId: payout.requestId },
      {
        action: 'payout.cancelled',
        object: toWire('po', payout.id),
        ...ofMerchant(payout),
        before: { status: payout.status },
        after: { status: 'cancelled', reason },
      },
    )
  })
}

/**
 * An operator approves a payout above the threshold, or refuses it, which returns the money. Refuses with 403 an operator who requested
 * the payout or belongs to its merchant, with 409 a payout that does not wait for approval.
 */
export async function decideOnPayout(
  deps: { db: Db; recordMac: RecordMac },
  key: { home: number; id: string },
  decision: {
    approval: Extract<Approval, 'approved' | 'refused'>
    by: string
    isBehindIt(tx: Tx, merchantId: string): Promise<boolean>
    /** Refuses, in the transaction, an operator that may no longer decide. */
    confirm(tx: Tx): Promise<void>
    note: string | null
  },
  origin: Origin,
): Promise<Payout> {
  return deps.db.tx(async (tx) => {
    await decision.confirm(tx)
    const payout = must(await lockPayout(tx, key), 'a payout stays')
    const isBehindIt = payout.merchantId !== null && (await decision.isBehindIt(tx, payout.merchantId))
    if (payout.requestedBy === decision.by || isBehindIt) {
      throw new Refusal(
        403,
        'self_approval_forbidden',
        'You requested this payout or it is your own money. Another operator must decide.',
      )
    }
    if (payout.status !== 'pending' || payout.approval !== 'required' || payout.approvalBy !== 'operators') {
      throw invalidState(
        'This payout is not waiting for the approval of operators.',
        'Malipo haya ya nje hayasubiri idhini ya wasimamizi.',
      )
    }
    if (decision.approval === 'refused') refuseInDoubt(payout)
    const by = 'operators'
    const mac = payoutReleaseMac(deps.recordMac, { ...payout, approval: 'approved', approvalBy: by })
    await decidePayout(
      tx,
      key,
      decision.approval === 'approved' ? { approval: 'approved', by, mac } : { approval: 'refused', by },
    )
    const decided =
      decision.approval === 'refused'
        ? await endUnsent(tx, payout, { actor: origin.actor, requestId: origin.requestId }, 'approval_refused')
        : payout
    await appendAudit(tx, origin, {
      action: `payout.${decision.approval}`,
      object: toWire('po', payout.id),
      ...ofMerchant(payout),
      before: { approval: payout.approval, status: payout.status },
      after: { approval: decision.approval, status: decided.status, amount: payout.amount, note: decision.note },
    })
    return { ...decided, approval: decision.approval }
  })
}
