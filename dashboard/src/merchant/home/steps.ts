/** What is still to be done before all of a wallet can be used, or what went wrong with it: the most pressing first. */
import type { MerchantSummary, User } from '../../api/operations.ts'
import type { Status } from '../../ui/status-badge.tsx'
import type { homeTexts } from './texts.ts'

export type Step = {
  key: string
  title: string
  text: string
  /** Something that worked does not any more. */
  isProblem?: boolean
  /** Nothing to do but wait. */
  isWaiting?: boolean
  /** Where it is done. A screen that does one of them is named here. */
  to?: '/verify-email' | '/$owner/$environment/pages/new'
}

type Say = ReturnType<typeof homeTexts.use>
type Verification = Extract<Status, 'unsubmitted' | 'pending' | 'verified' | 'rejected'>

function verificationStep(say: Say, of: 'identity' | 'business', status: Verification): Step[] {
  if (status === 'verified') return []
  if (status === 'pending') return [{ key: of, title: say(`steps.${of}Waits`), text: say('steps.waitsText'), isWaiting: true }]
  if (status === 'rejected') return [{ key: of, title: say(`steps.${of}Again`), text: say('steps.identityAgainText') }]
  return [{ key: of, title: say(`steps.${of}`), text: say(`steps.${of}Text`) }]
}

export function stepsOf(
  say: Say,
  { me, business, setup }: { me: User; business: { status: Verification } | undefined; setup: MerchantSummary['setup'] },
): Step[] {
  const { enabled, disabled, failing } = setup.webhooks
  return [
    ...(disabled > 0
      ? [{ key: 'disabled', title: say('steps.disabled', { count: disabled }), text: say('steps.disabledText'), isProblem: true }]
      : []),
    ...(failing > 0
      ? [{ key: 'failing', title: say('steps.failing', { count: failing }), text: say('steps.failingText'), isProblem: true }]
      : []),
    ...(me.email_verified
      ? []
      : [{ key: 'email', title: say('steps.email'), text: say('steps.emailText'), to: '/verify-email' as const }]),
    ...verificationStep(say, 'identity', me.kyc_status),
    ...(business ? verificationStep(say, 'business', business.status) : []),
    ...(setup.has_payment_page
      ? []
      : [{ key: 'page', title: say('steps.page'), text: say('steps.pageText'), to: '/$owner/$environment/pages/new' as const }]),
    ...(enabled + disabled > 0 ? [] : [{ key: 'webhook', title: say('steps.webhook'), text: say('steps.webhookText') }]),
  ]
}
