/** Why a payout or refund did not arrive, in both languages. */
import { defineTexts } from '../i18n/define-texts.ts'

const texts = defineTexts('payout-failures', {
  recipient_not_found: ['This number has no mobile money account.', 'Namba hii haina akaunti ya pesa za simu.'],
  recipient_limit: [
    'The recipient has reached a limit of their mobile money account.',
    'Mpokeaji amefikia kikomo cha akaunti yake ya simu.',
  ],
  network_unavailable: ['The mobile network could not be reached.', 'Mtandao wa simu haukupatikana.'],
  provider_error: ['The money could not be sent.', 'Pesa haikuweza kutumwa.'],
  approval_refused: ['A member of the business refused it.', 'Mwanachama wa biashara amekataa.'],
  approval_expired: ['No one approved it in time.', 'Hakuna aliyeidhinisha kwa wakati.'],
})

/** The reason in the person's language; the API's text for a code that is new. */
export function useFailureText(): (failure: { code: string; message: string }) => string {
  const say = texts.use()
  return ({ code, message }) => (texts.has(code) ? say(code) : message)
}
