/**
 * Answers the prompt of a test payment as its payer would, on the simulator's phone. Invariant: a payment of the live environment
 * is never answered, and the payment changes only by the provider's word, as with any payer.
 */
import type { Owner } from '../../accounts/identity/merchant.ts'
import type { Db } from '../../platform/db/db.ts'
import { fromWire } from '../../platform/ids.ts'
import { invalidState, orNotFound, Refusal } from '../../platform/refusal.ts'
import type { PhoneAction, SimulatedPhone } from '../../money/providers/simulated-phone.ts'
import { findOwnerPayment, type OwnerPayment } from './owner-payment.sql.ts'
import { findOpenCharge } from './payer.sql.ts'

export type AnswerPromptDeps = { db: Db; simulatedPhone: SimulatedPhone }

/** Refuses with 403 `test_environment_only` the live environment, and a test environment whose provider is real. */
export function requireSimulatedPhone({ simulatedPhone }: Pick<AnswerPromptDeps, 'simulatedPhone'>, owner: Owner): void {
  if (owner.environment === 'test' && simulatedPhone.isThere) return
  throw new Refusal(
    403,
    'test_environment_only',
    'Only the prompt of a simulated test payment can be answered here. A real payer answers on their own phone.',
  )
}

/** Refuses with 404 what is no payment of this merchant. */
export async function findTestPayment({ db }: Pick<AnswerPromptDeps, 'db'>, owner: Owner, wireId: string): Promise<OwnerPayment> {
  const id = fromWire('pay', wireId)
  return orNotFound(id === undefined ? undefined : await findOwnerPayment(db, owner, id))
}

/** Returns how many tries for the PIN are left. Refuses a prompt that is no longer open, or not there yet, with 409. */
export async function answerPrompt(
  deps: AnswerPromptDeps,
  owner: Owner,
  wireId: string,
  action: PhoneAction,
): Promise<{ triesLeft: number }> {
  requireSimulatedPhone(deps, owner)
  const payment = await findTestPayment(deps, owner, wireId)
  const charge = await findOpenCharge(deps.db, { home: payment.home, id: payment.id })
  // No transaction is open here.
  const outcome =
    charge?.environment === 'test' && charge.providerReference !== null
      ? await deps.simulatedPhone.answer(charge.provider, charge.providerReference, action)
      : ({ kind: 'no_prompt' } as const)
  switch (outcome.kind) {
    case 'answered':
      return { triesLeft: outcome.triesLeft }
    case 'no_prompt':
      throw invalidState(
        'The phone shows no prompt of this payment: it was answered, or it has ended.',
        'Simu haionyeshi ombi la malipo haya: limejibiwa, au limeisha.',
      )
    case 'unavailable':
      throw new Refusal(503, 'provider_unavailable', 'The simulator does not answer. Try again shortly.', {
        retryAfterSeconds: 2,
        messageSw: 'Kiigaji hakijibu. Jaribu tena baada ya muda mfupi.',
      })
  }
}
