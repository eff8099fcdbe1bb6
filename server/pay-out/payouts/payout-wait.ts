/** Payouts to new recipients, which must wait because an attacker may have taken over the account, and the mails about them. */
import type { Environment } from '../../domain/environment.ts'
import { hasShownFactor } from '../../accounts/identity/account-wait.ts'
import { mailOwners } from '../../accounts/members/mail-owners.ts'
import type { SignedIn } from '../../accounts/identity/session.ts'
import type { Config } from '../../config/config.ts'
import type { Runner, Tx } from '../../platform/db/db.ts'
import type { Sealer } from '../../platform/crypto/secrets.ts'
import type { Payout } from './payout.ts'

type WaitDeps = { db: Runner; config: Pick<Config, 'safeguards'> }

/**
 * How many seconds a payout waits before it is sent if its recipient was never paid; 0: no wait. Keys are trusted with new recipients
 * (docs/decisions/0021), and so is a session with a verified second factor.
 */
export async function newRecipientWaitOf(
  { db, config }: WaitDeps,
  environment: Environment,
  signedIn: SignedIn | null,
): Promise<number> {
  if (environment === 'test' || signedIn === null || (await hasShownFactor(db, signedIn))) return 0
  return config.safeguards.newRecipientPayoutWaitSeconds
}

/** Mails the owners of the payouts of a batch that wait, once. */
export async function mailWaitingPayouts(
  deps: { sealer: Sealer },
  tx: Tx,
  { count, waitsUntil }: { count: number; waitsUntil: Date },
  merchantId: string,
): Promise<void> {
  const until = waitsUntil.toISOString()
  await mailOwners(deps, tx, merchantId, {
    kind: 'payout_waits',
    subject: 'Malipo kwa wapokeaji wapya yanasubiri · Payouts to new recipients wait',
    sw: `Malipo ${count} ya kwanza kwa wapokeaji wapya yataondoka ${until}. Kama si wewe, simamisha orodha kwenye dashibodi na ubadilishe nenosiri lako mara moja.`,
    en: `${count} first payouts to new recipients leave at ${until}. If this was not you, stop the batch in the dashboard and change your password at once.`,
    reason: null,
  })
}

/** Mails the owners of a payout that waits. The mail contains no text that a user has entered. */
export async function mailWaitingPayout(
  deps: { sealer: Sealer },
  tx: Tx,
  { phoneNumber, waitsUntil }: Pick<Payout, 'phoneNumber'> & { waitsUntil: Date },
  merchantId: string,
): Promise<void> {
  const [number, until] = [`…${phoneNumber.slice(-3)}`, waitsUntil.toISOString()]
  await mailOwners(deps, tx, merchantId, {
    kind: 'payout_waits',
    subject: 'Malipo kwa mpokeaji mpya yanasubiri · A payout to a new recipient waits',
    sw: `Malipo ya kwanza kwa namba ${number} yataondoka ${until}. Kama si wewe, yaghairi kwenye dashibodi na ubadilishe nenosiri lako mara moja.`,
    en: `A first payout to the number ${number} leaves at ${until}. If this was not you, cancel it in the dashboard and change your password at once.`,
    reason: null,
  })
}
