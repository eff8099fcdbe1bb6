/**
 * Sends the same prompt to the payer again. Invariant: the same charge on the same phone, never a new one; at most three times, a minute
 * apart, each claimed before the call, across all processes; and only while the charge is open at the provider.
 */
import { createHash } from 'node:crypto'
import type { Db } from '../../platform/db/db.ts'
import { homeOfId, toWire } from '../../platform/ids.ts'
import { invalidState, orNotFound, Refusal } from '../../platform/refusal.ts'
import { providerNamed, type ProviderKey } from '../../money/providers/provider.ts'
import { checkDelay, promptLife } from '../../config/payments.ts'
import { claimPush, findOpenCharge, returnPush, type OpenCharge } from './payer.sql.ts'
import { maxPushes, pushPauseSeconds } from './payment.sql.ts'
import { endStatuses } from './payment.ts'
import { settlementOf } from './settlement.ts'
import { notCalledRefusal, providerRefusal, type CheckoutDeps } from './start-checkout.ts'

export type ResendDeps = CheckoutDeps & { db: Db }

function resendLimitRefusal({ pushes, waitSeconds, secondsLeft }: OpenCharge): Refusal {
  const isSpent = pushes >= maxPushes
  const seconds = isSpent ? secondsLeft : waitSeconds
  return new Refusal(
    429,
    'rate_limited',
    isSpent
      ? 'The payment request was sent the maximum number of times. Answer it on the phone, or wait until this payment has ended.'
      : 'The payment request was sent to the phone a moment ago. Wait before you send it again.',
    {
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
      messageSw: isSpent
        ? 'Ombi limetumwa mara nyingi inavyoruhusiwa. Lijibu kwenye simu, au subiri malipo haya yaishe.'
        : 'Ombi limetumwa sasa hivi. Subiri kidogo kabla ya kulituma tena.',
    },
  )
}

/** The prompt may have been shown. */
export const resendUnknownRefusal = new Refusal(
  503,
  'provider_unavailable',
  'It is not known whether the payment request was sent again. Check the phone first.',
  {
    retryAfterSeconds: pushPauseSeconds,
    messageSw: 'Haijulikani kama ombi limetumwa tena. Angalia simu kwanza.',
  },
)

const tooLateRefusal = invalidState(
  'This payment is about to expire, so its request is not sent again. Start a new payment when it has ended.',
  'Muda wa malipo haya unakaribia kuisha, kwa hiyo ombi halitumwi tena. Anza malipo mapya yakiisha.',
)

/**
 * Queries the status of the charge and applies the answer: a payer who asks for the prompt again may not know that it was already
 * answered.
 */
async function ask(deps: ResendDeps, charge: OpenCharge, key: ProviderKey): Promise<void> {
  const { home, paymentId, environment, provider, requestId } = charge
  const answer = await providerNamed(deps.providers, environment, provider).fetchCharge(key)
  if (answer.kind !== 'found') return
  const source = { home, paymentId, environment, provider, actor: 'provider:poll', requestId }
  await deps.settle(settlementOf(source, answer.snapshot, checkDelay(deps.config, 0)))
}

/**
 * Sends the prompt of a payment again, or finds out that it is no longer open. Refuses with 409 if the payer has cancelled, the
 * payment ends before a prompt would, or the provider cannot send again, 429 if too early or too often, 503 if the network is switched off, the provider is not called or the outcome is unknown.
 */
export async function resendPrompt(deps: ResendDeps, paymentId: string): Promise<void> {
  const payment = { home: homeOfId(paymentId), id: paymentId }
  const charge = orNotFound(await findOpenCharge(deps.db, payment))
  if (endStatuses.has(charge.status)) return
  if (charge.isCancelRequested) {
    throw invalidState('This payment was cancelled. Start a new payment.', 'Malipo haya yameghairiwa. Anza malipo mapya.')
  }
  const provider = providerNamed(deps.providers, charge.environment, charge.provider)
  const key = { reference: charge.providerReference, ourReference: toWire('pay', paymentId) }
  // Without the provider's reference it is unknown whether there is a prompt: the check of charges finds out.
  if (key.reference === null) return
  if (charge.status !== 'pending' || charge.secondsLeft <= 0) return ask(deps, charge, key)
  if (!provider.capabilities.pushes) {
    throw invalidState(
      'The payment request cannot be sent again for this payment. Start a new payment.',
      'Ombi la malipo haya haliwezi kutumwa tena. Anza malipo mapya.',
    )
  }
  if (charge.pushes >= maxPushes || charge.waitSeconds > 0) throw resendLimitRefusal(charge)
  // The payment would end while its prompt can still be answered.
  if (charge.secondsLeft < promptLife(deps.config, charge.network)) throw tooLateRefusal
  const refused = (await deps.switches.checkoutRefusal(charge.environment, charge.network)) ?? providerRefusal(provider)
  if (refused) throw refused
  // Not given back when another request has claimed the push: that request sends it.
  const prompt = deps.config.providers[charge.environment].isSimulated
    ? undefined
    : await deps.promptLimit.take({
        page: { home: charge.home, id: charge.pageId },
        idempotencyHash: createHash('sha256')
          .update(`push ${charge.pushes + 1} of ${paymentId}`)
          .digest(),
        repeats: charge.idempotencyHash,
        phoneNumber: charge.phoneNumber,
      })
  if (!(await claimPush(deps.db, payment, deps.config.payments.promptSeconds))) {
    // Another event came first: the same request, the PIN, or the end of the payment.
    const now = await findOpenCharge(deps.db, payment)
    if (now && now.status === 'pending' && (now.pushes >= maxPushes || now.waitSeconds > 0)) throw resendLimitRefusal(now)
    return
  }
  // No transaction is open here: a slow provider must not hold row locks.
  const outcome = await provider.pushCharge(key)
  switch (outcome.kind) {
    case 'pushed':
      return
    case 'not_pending':
      return ask(deps, charge, key)
    case 'held':
      // The push first: if this process dies in between, too many prompts are counted and not too few.
      await returnPush(deps.db, payment, charge)
      await prompt?.refund()
      throw notCalledRefusal(outcome.afterMs)
    case 'indeterminate':
      deps.log.warn('prompt.resend_unknown', {
        payment_id: toWire('pay', paymentId),
        reason: outcome.reason,
      })
      throw resendUnknownRefusal
  }
}
