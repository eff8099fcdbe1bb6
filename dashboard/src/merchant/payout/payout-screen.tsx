/** One payout: its state, its wallet lines, and the returned money if it did not arrive. */
import { BackLink, TextLink } from '../links.tsx'
import { useParams } from '@tanstack/react-router'
import { Alert, Button, SimpleGrid, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAlertTriangle, IconArrowBackUp, IconEye } from '../../ui/icons.ts'
import type { PayoutWithTimeline } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { ConfirmAction } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { money, phoneText } from '../../ui/format.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { ApprovalFact, ApprovalNotice } from '../approval-state.tsx'
import { useFailureText } from '../../ui/payout-failures.ts'
import { History } from './history.tsx'
import { returnOf, reviewTextsOf } from './money-state.ts'
import { payoutTexts } from './texts.ts'
import { UnreadScreen } from '../../ui/unread.tsx'

export default function PayoutScreen() {
  const say = payoutTexts.use()
  const { payoutId } = useParams({ from: '/signed-in/$owner/$environment/payouts/$payoutId' })
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer(
    'GET /v1/merchant/payouts/{id}',
    { params: { id: payoutId }, query },
    { isLive: true },
  )
  const payout = data?.data
  const can = useCan()
  const back = <BackLink to="./payouts">{say('back')}</BackLink>
  if (!payout) return <UnreadScreen title={say('title')} back={back} of={{ error, refetch }} placeholder={320} />
  return (
    <Screen
      title={say('titleOf', { amount: money(payout.amount), name: payout.recipient_name })}
      back={back}
      mark={<StatusBadge status={payout.status} />}
      actions={
        <>
          <CopyButton value={payout.id} label={say('copyId')} isWide />
          {payout.status === 'pending' && can('payouts.write') && <Cancel payout={payout} />}
        </>
      }
    >
      {/* Screen readers announce each change of the state. */}
      <VisuallyHidden role="status">{say(`state.${payout.status}`)}</VisuallyHidden>
      {Boolean(error) && <ErrorState error={error} onRetry={refetch} />}
      {payout.under_review && (
        <Alert color="yellow" icon={<IconEye aria-hidden />} title={say('underReview')}>
          {reviewTextsOf(payout)
            .map((key) => say(key))
            .join(' ')}
        </Alert>
      )}
      <ApprovalNotice of={payout} />
      <Outcome payout={payout} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title={say('facts')}>
          <About payout={payout} />
        </Section>
        <Section title={say('history')}>
          <History entries={payout.timeline} />
        </Section>
      </SimpleGrid>
    </Screen>
  )
}

/** The reason of a failure, and that the money is back. */
function Outcome({ payout }: { payout: PayoutWithTimeline }) {
  const say = payoutTexts.use()
  const { failure } = payout
  const back = returnOf(payout)
  const failureText = useFailureText()
  return (
    <>
      {failure && <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={failureText(failure)} />}
      {back && (
        <Alert color="green" icon={<IconArrowBackUp aria-hidden />} title={say('returned', { amount: money(back.amount) })}>
          {back.balance_after !== null && say('returnedText', { balance: money(back.balance_after) })}
        </Alert>
      )}
    </>
  )
}

function About({ payout }: { payout: PayoutWithTimeline }) {
  const say = payoutTexts.use()
  const { approval, network, narration, reference, status, waits_until: waitsUntil } = payout
  return (
    <Facts
      facts={[
        [say('amount'), <Money key="amount" amount={payout.amount} />],
        [say('fee'), <Money key="fee" amount={payout.fee} />],
        [say('total'), <Money key="total" amount={payout.total_debited} />],
        [
          say('phone'),
          <span key="phone" className="figures">
            {phoneText(payout.phone_number)}
          </span>,
        ],
        network !== null && [say('network'), say(`network.${network}`)],
        narration !== null && [say('narration'), narration],
        reference !== null && [say('reference'), reference],
        payout.batch_id !== null && [say('batch'), <BatchLink key="batch" batchId={payout.batch_id} />],
        waitsUntil !== null && status === 'pending' && [say('waitsUntil'), <Moment key="waits" at={waitsUntil} />],
        approval !== 'none' && [say('approval'), <ApprovalFact key="approval" of={payout} />],
      ]}
    />
  )
}

function BatchLink({ batchId }: { batchId: string }) {
  const say = payoutTexts.use()
  return (
    <TextLink to="./payouts/batches/$batchId" params={{ batchId }}>
      {say('toBatch')}
    </TextLink>
  )
}

function Cancel({ payout }: { payout: PayoutWithTimeline }) {
  const say = payoutTexts.use()
  const { query } = useAccount()
  const [isAsking, { open, close }] = useDisclosure()
  const cancel = useAction('POST /v1/merchant/payouts/{id}/cancel')
  return (
    <>
      <Button variant="default" onClick={open}>
        {say('cancel')}
      </Button>
      <ConfirmAction
        isOpen={isAsking}
        onClose={close}
        title={say('cancel')}
        action={say('cancel')}
        isDanger
        send={() => cancel.mutateAsync({ params: { id: payout.id }, query })}
        done={say('cancelled')}
      >
        {say('cancelText')}
      </ConfirmAction>
    </>
  )
}
