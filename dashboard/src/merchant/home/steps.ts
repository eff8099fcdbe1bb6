/** The open tasks of a wallet: missing setup and problems, the most urgent first. */
import type { Business, MerchantSummary, User } from '../../api/operations.ts'
import type { Status } from '../../ui/status-badge.tsx'
import { standingOf } from '../standing.ts'
import type { homeTexts } from './texts.ts'

export type Step = {
  key: string
  title: string
  text: string
  /** Something that worked has stopped working. */
  isProblem?: boolean
  /** The person can only wait. */
  isWaiting?: boolean
  /** The screen of the task. */
  to: '/verify-email' | '/$owner/$environment/pages/new' | '/$owner/$environment/verification' | '/$owner/$environment/developers'
  /** The owner, if it is not the shown wallet. */
  owner?: 'me'
}

type Say = ReturnType<typeof homeTexts.use>
type Verification = Extract<Status, 'unsubmitted' | 'pending' | 'verified' | 'rejected'>

function verificationStep(say: Say, of: 'identity' | 'business', status: Verification): Step[] {
  if (status === 'verified') return []
  const way = { key: of, to: '/$owner/$environment/verification' as const, ...(of === 'identity' && { owner: 'me' as const }) }
  if (status === 'pending') return [{ ...way, title: say(`steps.${of}Waits`), text: say('steps.waitsText'), isWaiting: true }]
  if (status === 'rejected')
    return [{ ...way, title: say(`steps.${of}Again`), text: say('steps.identityAgainText'), isProblem: true }]
  return [{ ...way, title: say(`steps.${of}`), text: say(`steps.${of}Text`) }]
}

export function stepsOf(
  say: Say,
  { me, business, setup }: { me: User; business: Business | undefined; setup: MerchantSummary['setup'] },
): Step[] {
  const { enabled, disabled, failing } = setup.webhooks
  const developers = '/$owner/$environment/developers'
  const steps: (Step | false)[] = [
    disabled > 0 && {
      key: 'disabled',
      title: say('steps.disabled', { count: disabled }),
      text: say('steps.disabledText'),
      isProblem: true,
      to: developers,
    },
    failing > 0 && {
      key: 'failing',
      title: say('steps.failing', { count: failing }),
      text: say('steps.failingText'),
      isProblem: true,
      to: developers,
    },
    !me.email_verified && { key: 'email', title: say('steps.email'), text: say('steps.emailText'), to: '/verify-email' },
    ...verificationStep(say, 'identity', me.kyc_status),
    ...(business ? verificationStep(say, 'business', standingOf(business)) : []),
    !setup.has_payment_page && {
      key: 'page',
      title: say('steps.page'),
      text: say('steps.pageText'),
      to: '/$owner/$environment/pages/new',
    },
    enabled + disabled === 0 && { key: 'webhook', title: say('steps.webhook'), text: say('steps.webhookText'), to: developers },
  ]
  return steps.filter((step) => step !== false)
}
