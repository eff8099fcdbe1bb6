/** The phone that paid the money of a break: the payer of its payment, or the payer that the provider names for an unknown charge. */
import type { Break } from '../../money/breaks/break.ts'
import { readPhone } from '../../domain/phone.ts'
import type { Payer } from '../../pay-out/payouts/return-to-payer.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalidState, Refusal } from '../../platform/refusal.ts'
import { providerNamed, type Providers } from '../../money/providers/provider.ts'
import { findPayer } from './break-subject.sql.ts'

/** The recipient's name of a return, if no one gave the payer's. */
const unknownName = 'Malipo payer'

async function payerThere(providers: Providers, one: Break): Promise<Payer> {
  const { environment, provider, providerReference: reference, details, payerPhone } = one
  if (provider === null || reference === null)
    throw invalidState(
      'The provider’s record has no reference, so the provider cannot be queried.',
      'Rekodi ya mtoa huduma haina kumbukumbu, kwa hiyo hawezi kuulizwa.',
    )
  const ourReference = typeof details['our_reference_there'] === 'string' ? details['our_reference_there'] : ''
  const answer = await providerNamed(providers, environment, provider).fetchCharge({ reference, ourReference })
  if (answer.kind !== 'found') {
    throw new Refusal(
      503,
      'provider_unavailable',
      'The provider did not return which phone paid. No money was moved. Try again shortly.',
      {
        retryAfterSeconds: 30,
      },
    )
  }
  const { status, network } = answer.snapshot
  if (status !== 'completed')
    throw invalidState(
      'The provider no longer reports this charge as completed.',
      'Mtoa huduma haonyeshi tena kuwa malipo haya yamekamilika.',
    )
  const phone = payerPhone === null ? undefined : readPhone(payerPhone)
  if (phone?.kind !== 'mobile')
    throw invalidState(
      'The provider does not report which phone paid. Keep the money, or credit it.',
      'Mtoa huduma haonyeshi simu iliyolipa. Itunze pesa hiyo, au iweke kwenye malipo yake.',
    )
  return { phoneNumber: phone.e164, name: unknownName, network: network ?? phone.network }
}

/** Refuses with 409 when the phone is no longer known, with 503 `provider_unavailable` when the provider does not answer. */
export async function findPayerOf(deps: { db: Db; providers: Providers }, one: Break): Promise<Payer> {
  if (one.paymentId === null) return payerThere(deps.providers, one)
  const payer = await findPayer(deps.db, { home: one.home, paymentId: one.paymentId })
  if (!payer || readPhone(payer.phoneNumber).kind !== 'mobile')
    throw invalidState('The phone that paid is no longer known.', 'Simu iliyolipa haijulikani tena.')
  return { ...payer, name: payer.name ?? unknownName }
}
