/** The webhook deliveries of a payment to the merchant's programs, attempt by attempt, with a resend. */
import { RowLink } from '../links.tsx'
import { Button } from '@mantine/core'
import { Note } from '../../ui/note.tsx'
import { IconRefresh, IconWebhook } from '../../ui/icons.ts'
import type { MerchantPaymentWithTimeline } from '../../api/operations.ts'
import { useAction } from '../../api/queries.ts'
import { figureColumn, headingColumn, momentColumn, oppositeColumn } from '../../ui/columns.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { notifyDone, notifyProblem } from '../../ui/notify.ts'
import { Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import type { Entry } from './history.tsx'
import classes from './payment.module.css'
import { paymentTexts } from './texts.ts'

type Attempt = Extract<Entry, { type: 'webhook_attempt' }>

function useColumns(): Column<Attempt>[] {
  const say = paymentTexts.use()
  return [
    headingColumn(say('receiver'), ({ url, app_id, delivery_id }) => (
      <RowLink to="./developers/apps/$appId/deliveries/$deliveryId" params={{ appId: app_id, deliveryId: delivery_id }}>
        <span className={classes['breaks']}>{url}</span>
      </RowLink>
    )),
    { title: say('eventType'), cell: ({ event_type }) => <span className="code">{event_type}</span> },
    oppositeColumn(say('outcome'), ({ outcome }) => <StatusBadge status={outcome} />),
    {
      title: say('answer'),
      cell: ({ response_status, error_code }) => <span className="code">{response_status ?? error_code ?? '–'}</span>,
    },
    figureColumn(say('attempt'), ({ attempt }) => attempt),
    { title: say('trigger'), cell: ({ trigger }) => say(`triggers.${trigger}`) },
    momentColumn(say('when'), ({ at }) => at),
  ]
}

export function Deliveries({ payment }: { payment: MerchantPaymentWithTimeline }) {
  const say = paymentTexts.use()
  const { query } = useAccount()
  const columns = useColumns()
  const attempts = payment.timeline.filter((entry) => entry.type === 'webhook_attempt').toReversed()
  // A late success follows an earlier end: it is what the receiver must know.
  const event = payment.timeline.findLast((entry) => entry.type === 'event')
  const resend = useAction('POST /v1/merchant/events/{event_id}/resend', ['GET /v1/merchant/payments/{reference}'])
  return (
    <Section
      title={say('deliveries')}
      isBare
      actions={
        event && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={resend.isPending}
            onClick={() =>
              resend.mutate(
                { params: { event_id: event.event_id }, query },
                {
                  onSuccess: ({ data }) => notifyDone(say('resent', { count: data.deliveries.length })),
                  onError: notifyProblem,
                },
              )
            }
          >
            {say('resend')}
          </Button>
        )
      }
    >
      <DataTable
        label={say('deliveries')}
        columns={columns}
        rows={attempts}
        rowKey={({ delivery_id, attempt, at }) => `${delivery_id} ${attempt} ${at}`}
        empty={<EmptyState icon={IconWebhook} title={say('noDeliveries')} text={say(event ? 'noReceiverText' : 'noEventText')} />}
      />
      {attempts.length > 0 && <Note size="xs">{say('deliveriesText')}</Note>}
    </Section>
  )
}
