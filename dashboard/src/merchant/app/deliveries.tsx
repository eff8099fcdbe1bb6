/** What the webhook of an app was sent, attempt by attempt. */
import { SegmentedControl } from '@mantine/core'
import { IconInbox } from '@tabler/icons-react'
import type { App, WebhookDeliveryAttempt } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { milliseconds } from '../../ui/format.ts'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { appRoute, type AppSearch } from './route.ts'
import { appTexts } from './texts.ts'

type Outcome = NonNullable<AppSearch['outcome']>

export function Deliveries({ app }: { app: App }) {
  const say = appTexts.use()
  const language = useLanguage()
  const search = appRoute.useSearch()
  const deliveries = useAnswer(
    'GET /developers/apps/{app_id}/webhook/deliveries',
    { params: { app_id: app.id }, query: { limit: 20, ...search } },
    { isLive: true },
  )
  const { filter, change, onOlder, onNewest } = useListSearch<{ outcome?: Outcome }>(deliveries.data)
  const columns: Column<WebhookDeliveryAttempt>[] = [
    { key: 'result', title: say('result'), cell: ({ outcome }) => <StatusBadge status={outcome} />, onCard: 'opposite' },
    {
      key: 'event',
      title: say('event'),
      cell: ({ id, event_type, event_id }) => (
        <RowLink
          from="/$owner/$environment"
          to="./developers/apps/$appId/deliveries/$deliveryId"
          params={{ appId: app.id, deliveryId: id }}
        >
          {event_type} <span className="code">…{event_id.slice(-6)}</span>
        </RowLink>
      ),
      onCard: 'heading',
    },
    { key: 'attempt', title: say('attempt'), cell: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}` },
    { key: 'http', title: say('http'), cell: ({ response_status }) => response_status ?? say('none') },
    { key: 'took', title: say('duration'), cell: ({ duration_ms }) => milliseconds(duration_ms, language) },
    { key: 'when', title: say('when'), cell: ({ attempted_at }) => <Moment at={attempted_at} ago /> },
    {
      key: 'next',
      title: say('next'),
      cell: ({ next_attempt_at }) => (next_attempt_at === null ? say('none') : <Moment at={next_attempt_at} />),
    },
  ]
  return (
    <Section
      title={say('deliveries')}
      isBare
      actions={
        <SegmentedControl
          size="xs"
          aria-label={say('outcome')}
          value={filter.outcome ?? 'any'}
          onChange={(value) => change({ outcome: value === 'any' ? undefined : (value as Outcome) })}
          data={(['any', 'failed', 'succeeded'] as const).map((value) => ({ value, label: say(`outcomes.${value}`) }))}
        />
      }
    >
      <DataTable
        label={say('deliveries')}
        columns={columns}
        rows={deliveries.data?.data}
        rowKey={({ id }) => id}
        error={deliveries.error}
        onRetry={deliveries.refetch}
        empty={<EmptyState icon={IconInbox} title={say('noDeliveries')} text={say('noDeliveriesText')} />}
        onOlder={onOlder}
        onNewest={onNewest}
      />
    </Section>
  )
}
