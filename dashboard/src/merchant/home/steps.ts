/** The open tasks of a wallet: missing setup and problems, the most urgent first. */
import type { Business, MerchantSummary, User } from '../../api/operations.ts'
import type { Status } from '../../ui/status-badge.tsx'
import { money } from '../../ui/format.ts'
import { standingOf } from '../standing.ts'
import type { WaitingForMe } from '../waiting-for-me.ts'
import type { homeTexts } from './texts.ts'

export type Step = {
  key: string
  title: string
  text?: string
  /** Something that worked has stopped working, or others wait for it. */
  isProblem?: boolean
  /** The person can only wait. */
  isWaiting?: boolean
  /** The screen of the task. */
  to:
    | '/verify-email'
    | '/$owner/$environment/approvals'
    | '/$owner/$environment/try'
    | '/$owner/$environment/pages'
    | '/$owner/$environment/pages/new'
    | '/$owner/$environment/verification'
    | '/$owner/$environment/developers'
    | '/$owner/$environment/developers/quick-start'
  /** The owner, if it is not the shown wallet. */
  owner?: 'me'
  environment?: 'live'
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

/** Others wait for it, so it is the first. */
export function approvalStep(say: Say, { entries, count }: WaitingForMe): Step {
  const sum = entries.reduce((total, { amount }) => total + (amount ?? 0), 0)
  return {
    key: 'approvals',
    title: entries.length === 1 ? say('steps.approval') : say('steps.approvals', { count }),
    ...(sum > 0 && { text: say('steps.approvalsText', { amount: money(sum) }) }),
    isProblem: true,
    to: '/$owner/$environment/approvals',
  }
}

type Facts = { me: User; business: Business | undefined; setup: MerchantSummary['setup']; environment: string }

/** The way from registration to the first live payment: how much of it is done. Undefined when it is over, and in live. */
export function progressOf({ me, business, setup, environment }: Facts): { done: number; all: number } | undefined {
  if (environment !== 'test' || setup.has_live_payment) return undefined
  const isVerified = (business ? standingOf(business) : me.kyc_status) === 'verified'
  const facts = [true, setup.has_test_payment, setup.has_used_key, setup.webhooks.enabled > 0, isVerified, false]
  return { done: facts.filter(Boolean).length, all: facts.length }
}

export function stepsOf(say: Say, facts: Facts): Step[] {
  const { me, business, setup } = facts
  const { enabled, disabled, failing } = setup.webhooks
  const developers = '/$owner/$environment/developers'
  const isOnTheWay = progressOf(facts) !== undefined
  const verification = [
    ...verificationStep(say, 'identity', me.kyc_status),
    ...(business ? verificationStep(say, 'business', standingOf(business)) : []),
  ]
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
    isOnTheWay &&
      !setup.has_test_payment && { key: 'testPayment', title: say('first.testPayment'), to: '/$owner/$environment/try' },
    ...verification,
    !setup.has_payment_page && {
      key: 'page',
      title: say('steps.page'),
      text: say('steps.pageText'),
      to: '/$owner/$environment/pages/new',
    },
    isOnTheWay &&
      !setup.has_used_key && { key: 'keyUsed', title: say('first.keyUsed'), to: '/$owner/$environment/developers/quick-start' },
    enabled + disabled === 0 && { key: 'webhook', title: say('steps.webhook'), text: say('steps.webhookText'), to: developers },
    isOnTheWay &&
      verification.length === 0 && {
        key: 'livePayment',
        title: say('first.livePayment'),
        to: '/$owner/$environment/pages',
        environment: 'live',
      },
  ]
  return steps.filter((step) => step !== false)
}
