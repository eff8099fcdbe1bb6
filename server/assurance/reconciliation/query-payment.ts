/** Queries the provider about one payment now, for an operator. The answer is settled like any other. */
import type { PaymentStatus } from '../../domain/payment.ts'
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Config } from '../../config/config.ts'
import { checkDelay } from '../../config/payments.ts'
import type { Verdict } from '../../collect/payments/settle.sql.ts'
import type { Settle } from '../../collect/payments/settle.ts'
import { settlementOfAnswer } from '../../collect/payments/settlement.ts'
import type { Db } from '../../platform/db/db.ts'
import { toWire } from '../../platform/ids.ts'
import { invalidState } from '../../platform/refusal.ts'
import { providerNamed, type ChargeSnapshot, type Providers, type ChargeAnswer } from '../../money/providers/provider.ts'
import type { ChargeFacts } from './break-subject.sql.ts'

export type QueryDeps = { db: Db; config: Pick<Config, 'payments'>; providers: Providers; settle: Settle }

export type Queried = {
  answer: ChargeAnswer['kind']
  /** The reason why there is no answer. */
  reason: string | null
  snapshot: ChargeSnapshot | null
  verdict: Verdict | null
  status: PaymentStatus
}

/**
 * Refuses with 409 `invalid_state` a charge that cannot be queried: we have no reference for it, and the provider does not look up ours.
 */
export async function queryPayment(deps: QueryDeps, charge: ChargeFacts, origin: Origin): Promise<Queried> {
  const { home, id: paymentId, environment, isPastExpiry, providerReference: reference } = charge
  const provider = providerNamed(deps.providers, environment, charge.provider)
  if (reference === null && !provider.capabilities.looksUpOurReference) {
    throw invalidState(
      'The provider’s reference for this charge is not known. Start a reconciliation run to find it.',
      'Kumbukumbu ya mtoa huduma kwa malipo haya haijulikani. Anzisha ulinganisho ili kuipata.',
    )
  }
  const ourReference = toWire('pay', paymentId)
  const answer = await provider.fetchCharge({ reference, ourReference })
  const queried: Queried = {
    answer: answer.kind,
    reason: answer.kind === 'indeterminate' ? answer.reason : null,
    snapshot: null,
    verdict: null,
    status: charge.status,
  }
  if (answer.kind === 'found') {
    const source = { home, paymentId, environment, provider: charge.provider, actor: origin.actor, requestId: origin.requestId }
    const nextAttemptSeconds = checkDelay(deps.config, charge.attempts)
    const settled = await deps.settle(settlementOfAnswer(source, answer.snapshot, { isPastExpiry, nextAttemptSeconds }))
    queried.snapshot = answer.snapshot
    queried.verdict = settled.verdict
    queried.status = settled.status ?? charge.status
  }
  await appendAudit(deps.db, origin, {
    action: 'payment.queried',
    object: ourReference,
    before: { status: charge.status },
    after: { answer: answer.kind, provider_status: queried.snapshot?.status ?? null, status: queried.status },
  })
  return queried
}
