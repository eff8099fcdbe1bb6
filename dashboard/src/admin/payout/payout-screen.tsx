/** One payout: its details, and whether an operator approves it. */
import { phoneText } from '../../ui/format.ts'
import { Badge, Button, Group } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import type { OperatorPayout } from '../../api/operations.ts'
import { useAction, useAnswer } from '../../api/queries.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { notifyDone, told } from '../../ui/notify.ts'
import { useFailureText } from '../../ui/payout-failures.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { Facts } from '../facts.tsx'
import { useActorName } from '../me.tsx'
import { payoutTexts } from '../payout-texts.ts'
import { ReasonDialog } from '../reason-dialog.tsx'
import { UnreadScreen } from '../../ui/unread.tsx'
import { providerName } from '../provider-name.ts'

export default function PayoutScreen() {
  const say = payoutTexts.use()
  const { id } = useParams({ from: '/signed-in/payouts/$id' })
  const { data: answer, error, refetch } = useAnswer('GET /v1/admin/payouts/{id}', { params: { id } }, { isLive: true })
  if (!answer) return <UnreadScreen title={say('one')} of={{ error, refetch }} placeholder={360} />
  const payout = answer.data
  return (
    <Screen title={say(`purpose.${payout.purpose}`)} text={payout.id} actions={<Actions payout={payout} />}>
      <About payout={payout} />
    </Screen>
  )
}

function Actions({ payout: { id, approval, status } }: { payout: OperatorPayout }) {
  const say = payoutTexts.use()
  const [asked, setAsked] = useState<'approve' | 'refuse'>()
  const approve = useAction('POST /v1/admin/payouts/{id}/approve')
  const refuse = useAction('POST /v1/admin/payouts/{id}/refuse')
  const query = useAction('POST /v1/admin/payouts/{id}/query')
  const send = async (note: string): Promise<void> => {
    await (asked === 'approve' ? approve : refuse).mutateAsync({ params: { id }, body: note === '' ? {} : { note } })
    setAsked(undefined)
    notifyDone(say('done'))
  }
  if (approval !== 'required' || status !== 'pending') {
    return (
      <Button variant="default" loading={query.isPending} onClick={() => query.mutate({ params: { id } }, told(say('asked2')))}>
        {say('ask')}
      </Button>
    )
  }
  return (
    <>
      <Button onClick={() => setAsked('approve')}>{say('approve')}</Button>
      <Button variant="default" onClick={() => setAsked('refuse')}>
        {say('refuse')}
      </Button>
      <ReasonDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={say(asked === 'refuse' ? 'refuseTitle' : 'approveTitle')}
        label={say('note')}
        action={say(asked === 'refuse' ? 'refuse' : 'approve')}
        isDanger={asked === 'refuse'}
        isOptional
        onConfirm={send}
      >
        {say(asked === 'refuse' ? 'refuseText' : 'approveText')}
      </ReasonDialog>
    </>
  )
}

function About({ payout }: { payout: OperatorPayout }) {
  const say = payoutTexts.use()
  const nameOf = useActorName()
  const failureText = useFailureText()
  return (
    <Section title={say('one')}>
      <Facts
        facts={[
          [
            say('status'),
            <Group key="status" gap="xs">
              {say(`status.${payout.status}`)}
              <EnvironmentBadge environment={payout.environment} />
              <Badge color={payout.approval === 'required' ? 'yellow' : 'gray'}>{say(`approval.${payout.approval}`)}</Badge>
            </Group>,
          ],
          payout.refund_of !== null && [
            say('refundOf'),
            <Link key="refundOf" to="/payments/$reference" params={{ reference: payout.refund_of }}>
              {payout.refund_of}
            </Link>,
          ],
          payout.refund_of !== null && [say('refundId'), payout.refund_id],
          [say('amount'), <Money key="amount" amount={payout.amount} />],
          [say('fee'), <Money key="fee" amount={payout.fee} />],
          [say('debited'), <Money key="debited" amount={payout.total_debited} />],
          [
            say('recipient'),
            <Fragment key="recipient">
              {payout.recipient_name} · <span className="nowrap">{phoneText(payout.phone_number)}</span>
            </Fragment>,
          ],
          [say('network'), payout.network === null ? null : say(`network.${payout.network}`)],
          payout.merchant === null
            ? [say('break'), payout.break_id]
            : [
                say('merchant'),
                <Link key="merchant" to="/merchants/$id" params={{ id: payout.merchant.id }}>
                  {payout.merchant.name}
                </Link>,
              ],
          [say('requestedBy'), nameOf(payout.requested_by)],
          [say('asked'), <Moment key="asked" at={payout.created_at} />],
          [say('narration'), payout.narration],
          [
            say('order'),
            [providerName(payout.provider), say(`orderState.${payout.order_state}`), payout.provider_reference]
              .filter((part) => part !== null)
              .join(' · '),
          ],
          [say('failure'), payout.failure && failureText(payout.failure)],
        ]}
      />
    </Section>
  )
}
