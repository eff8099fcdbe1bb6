/**
 * Suspends a merchant's live business, and unsuspends it. Invariant: the owner is mailed the reason in the transaction that
 * suspends, and payments and payouts that had begun continue to their end: a suspension only prevents new ones.
 */
import { appendAudit, type Origin } from '../../base/audit/audit.ts'
import type { Db } from '../../platform/db/db.ts'
import { invalidState, must } from '../../platform/refusal.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import { confirmOperator, type ActiveSession } from '../../accounts/identity/authenticate.ts'
import { lockMerchant, setSuspension } from '../../accounts/identity/merchant.sql.ts'
import { wireIdOf, type Merchant } from '../../accounts/identity/merchant.ts'
import { mailOwners } from '../../accounts/members/mail-owners.ts'
import { refuseOwnMerchant } from '../../accounts/members/self-decision.ts'

export type SuspendDeps = { db: Db; sealer: Sealer }

/** An operator, and the request in which they act. */
export type Operator = ActiveSession & { origin: Origin }

/** The owner reads `reason`. A merchant that is already suspended keeps its date and gets the new reason. */
export async function suspendMerchant(deps: SuspendDeps, id: string, reason: string, operator: Operator): Promise<Merchant> {
  return deps.db.tx(async (tx) => {
    const before = must(await lockMerchant(tx, id), 'the merchant was found')
    await confirmOperator(tx, operator)
    await refuseOwnMerchant(tx, before.id, operator.userId)
    const merchant = await setSuspension(tx, id, reason)
    const { displayName: name } = merchant
    await mailOwners(deps, tx, merchant.id, {
      kind: 'merchant_suspended',
      subject: 'Akaunti yako imesimamishwa · Your account is suspended',
      sw: `Biashara halisi ya ${name} imesimamishwa: haipokei malipo mapya wala kutoa fedha, na funguo zake zinasoma tu. Kurasa zake za majaribio zimefungwa pia. Malipo yaliyokwisha kuanza yatakamilika, na salio lako lipo. Jibu barua pepe hii kama unaona kuna kosa.`,
      en: `The live business of ${name} is suspended: it accepts no new payments and makes no payouts, and its keys can only read. Its test pages are closed, too. Payments that were already started still settle, and your balance is kept. Reply to this mail if you think that this is a mistake.`,
      reason,
    })
    await appendAudit(tx, operator.origin, {
      action: 'merchant.suspended',
      object: wireIdOf(merchant),
      merchantId: merchant.id,
      before: { suspended: before.suspendedAt !== null, reason: before.suspensionReason },
      after: { suspended: true, reason },
    })
    return merchant
  })
}

/** Refuses a merchant that is not suspended with 409 `invalid_state`. `note` is for the other operators. */
export async function liftSuspension(deps: SuspendDeps, id: string, note: string, operator: Operator): Promise<Merchant> {
  return deps.db.tx(async (tx) => {
    const before = must(await lockMerchant(tx, id), 'the merchant was found')
    await confirmOperator(tx, operator)
    await refuseOwnMerchant(tx, before.id, operator.userId)
    if (before.suspendedAt === null) throw invalidState('This account is not suspended.', 'Akaunti hii haijasimamishwa.')
    const merchant = await setSuspension(tx, id, null)
    const { displayName: name } = merchant
    await mailOwners(deps, tx, merchant.id, {
      kind: 'merchant_unsuspended',
      subject: 'Akaunti yako imefunguliwa · Your account is open again',
      sw: `Biashara halisi ya ${name} imefunguliwa tena.`,
      en: `The live business of ${name} is open again.`,
      reason: null,
    })
    await appendAudit(tx, operator.origin, {
      action: 'merchant.unsuspended',
      object: wireIdOf(merchant),
      merchantId: merchant.id,
      before: { suspended: true, reason: before.suspensionReason },
      after: { suspended: false, note },
    })
    return merchant
  })
}
