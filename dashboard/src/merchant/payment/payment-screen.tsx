/** One payment: its state and money, the source and time of each change, and its webhooks. */
import { BackLink } from '../links.tsx'
import { useParams } from '@tanstack/react-router'
import { Alert, Skeleton, Stack } from '@mantine/core'
import { IconAlertTriangle, IconClock, IconEye } from '../../ui/icons.ts'
import type { MerchantPaymentWithTimeline } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { momentText, money } from '../../ui/format.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { Deliveries } from './deliveries.tsx'
import { Facts } from './facts.tsx'
import { failureText } from './failure-text.ts'
import classes from './payment.module.css'
import { SupportCases } from './support-cases.tsx'
import { Refunds } from './refunds.tsx'
import { reviewTextsOf } from './review-texts.ts'
import { paymentTexts } from './texts.ts'
import { History } from './history.tsx'
import { UnreadScreen } from '../../ui/unread.tsx'

export default function PaymentScreen() {
  const say = paymentTexts.use()
  const { reference } = useParams({ from: '/signed-in/$owner/$environment/payments/$reference' })
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer(
    'GET /v1/merchant/payments/{reference}',
    { params: { reference }, query },
    { isLive: true },
  )
  const payment = data?.data
  const can = useCan()
  const back = <BackLink to="./payments">{say('back')}</BackLink>
  if (!payment) return <UnreadScreen title={say('title')} back={back} of={{ error, refetch }} placeholder={<Waiting />} />
  return (
    <Screen
      title={say('titleOf', { amount: money(payment.amount) })}
      text={payment.customer.name ?? payment.customer.phone_masked}
      back={back}
      mark={<StatusBadge status={payment.status} isOfPayment />}
      actions={<CopyButton value={payment.reference} label={say('copyReference')} isWide />}
    >
      {Boolean(error) && <ErrorState error={error} onRetry={refetch} />}
      <Notes payment={payment} />
      <div className={classes['columns']}>
        <Section title={say('facts')}>
          {/* What was revealed or typed for one payment is not shown for the next one. */}
          <Facts key={payment.reference} payment={payment} />
        </Section>
        <Section title={say('history')}>
          <History entries={payment.timeline} />
        </Section>
      </div>
      <SupportCases reference={payment.reference} />
      {can('payouts.read') && <Refunds key={payment.reference} payment={payment} />}
      {can('events.read') && <Deliveries payment={payment} />}
    </Screen>
  )
}

/** The most important fact, shown first. */
function Notes({ payment }: { payment: MerchantPaymentWithTimeline }) {
  const say = paymentTexts.use()
  return (
    <>
      {payment.failure && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={failureText(payment.failure)}>
          {!payment.under_review && say(payment.failure.retryable ? 'mayRetry' : 'notSame')}
        </Alert>
      )}
      {payment.under_review && (
        <Alert color="yellow" icon={<IconEye aria-hidden />} title={say(reviewTextsOf(payment)[0])}>
          {say(reviewTextsOf(payment)[1])} {say('underReviewSince', { time: momentText(payment.under_review.since) })}
        </Alert>
      )}
      {payment.credit_reversed_at !== null && (
        <Alert color="red" icon={<IconEye aria-hidden />} title={say('creditReversed')}>
          {say('creditReversedText', { time: momentText(payment.credit_reversed_at) })}
        </Alert>
      )}
      {payment.late && (
        <Alert color="blue" icon={<IconClock aria-hidden />} title={say('late')}>
          {say('lateText')}
        </Alert>
      )}
    </>
  )
}

function Waiting() {
  const say = paymentTexts.use()
  return (
    <Stack role="status" aria-label={say('loading')}>
      <Skeleton h={28} w={220} />
      <Skeleton h={280} />
    </Stack>
  )
}
