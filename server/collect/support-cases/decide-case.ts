/**
 * An operator closes a case. Invariants: a decision about the money agrees with the books, the audit log has it in the same transaction,
 * and no operator decides about a merchant of their own.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { CaseDecision } from '../../domain/support-case.ts'
import { confirmOperator, type ActiveSession } from '../../accounts/identity/authenticate.ts'
import { isMember } from '../../accounts/members/access.sql.ts'
import { truthInBooks } from '../payments/ask-charge.ts'
import { findKnownCharge } from '../payments/ask-charge.sql.ts'
import { endStatuses } from '../payments/payment.ts'
import type { Db, Tx } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState, Refusal } from '../../platform/refusal.ts'
import { mailChange, type CaseMailDeps } from './ask-providers.ts'
import { closeCase, lockCase, type CaseKey } from './support-case.sql.ts'
import type { SupportCase } from './support-case.ts'

export type CaseVerdict = { decision: CaseDecision; note: string; message: string | null }

/** Refuses a decision that the books contradict. */
async function refuseAgainstBooks(tx: Tx, one: SupportCase, decision: CaseDecision): Promise<void> {
  const charge = (await findKnownCharge(tx, { home: one.home, id: one.paymentId }))!
  const isReceived = truthInBooks(charge)?.kind === 'received'
  if (decision === 'received' && !isReceived) {
    throw invalidState(
      'The books do not show this payment as received. Settle it first: the answer "received" follows from them.',
      'Vitabu havionyeshi kuwa malipo haya yamepokelewa. Yakamilishe kwanza: jibu la kuwa yamepokelewa linatokana na vitabu.',
    )
  }
  if (decision === 'no_money' && (isReceived || charge.held || !endStatuses.has(charge.status))) {
    throw invalidState(
      'This payment was paid, or may still be paid. "No money was taken" needs a payment that ended without money.',
      'Malipo haya yamelipwa, au bado yanaweza kulipwa. Jibu la kuwa hakuna pesa iliyokatwa linahitaji malipo yaliyomalizika bila pesa.',
    )
  }
}

/** Refuses a case that does not wait for operators with 409 `invalid_state`, and one of the operator's own merchant with 403. */
export async function decideCase(
  deps: CaseMailDeps & { db: Db },
  key: CaseKey,
  verdict: CaseVerdict,
  operator: ActiveSession & { origin: Origin },
): Promise<void> {
  await deps.db.tx(async (tx) => {
    await confirmOperator(tx, operator)
    const before = await lockCase(tx, key)
    if (before.state !== 'with_operators')
      throw invalidState('This case does not wait for operators.', 'Kesi hii haisubiri wasimamizi.')
    if (await isMember(tx, operator.userId, before.merchantId)) {
      throw new Refusal(403, 'self_approval_forbidden', 'This case is about your own merchant. Another operator must decide.')
    }
    await refuseAgainstBooks(tx, before, verdict.decision)
    const by = toWire('usr', operator.userId)
    await closeCase(tx, key, { ...verdict, by })
    await mailChange(deps, tx, before, {
      ...before,
      state: 'closed',
      decision: verdict.decision,
      decisionMessage: verdict.message,
    })
    await appendAudit(tx, operator.origin, {
      action: 'support_case.closed',
      object: toWire('case', before.id),
      before: { state: before.state, reason: before.escalatedBecause },
      after: { decision: verdict.decision, payment: toWire('pay', before.paymentId) },
    })
  })
}
