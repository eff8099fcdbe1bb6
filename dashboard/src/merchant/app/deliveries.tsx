/** The webhook deliveries of an app, attempt by attempt. */
import { RowLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Button, Group, SegmentedControl, TextInput } from '@mantine/core'
import { IconInbox, IconX } from '../../ui/icons.ts'
import type { App, WebhookDeliveryAttempt } from '../../api/operations.ts'
import { dayRange, today } from '../../ui/days.ts'
import { headingColumn, momentColumn, oppositeColumn } from '../../ui/columns.tsx'
import { ListSection, useList } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { milliseconds } from '../../ui/format.ts'
import { FilterSelect } from '../../ui/filter-select.tsx'
import { useFilter, type Changes } from '../../ui/list-search.ts'
import { StatusBadge } from '../../ui/status-badge.tsx'
import type { DeliveriesFilter } from '../searches.ts'
import { offeredEvents } from './event-types.ts'
import { appTexts } from './texts.ts'

export function Deliveries({ app }: { app: App }) {
  const say = appTexts.use()
  const { event, type, from, to, ...search } = useSearch({ from: '/signed-in/$owner/$environment/developers/apps/$appId' })
  const deliveries = useList(
    'GET /developers/apps/{app_id}/webhook/deliveries',
    {
      params: { app_id: app.id },
      query: {
        limit: 20,
        ...search,
        ...dayRange(from, to),
        ...(event !== undefined && { event_id: event }),
        ...(type !== undefined && { event_type: type }),
      },
    },
    { isLive: true },
  )
  const { filter, change } = useFilter<DeliveriesFilter>()
  const isNarrowed = Object.keys(filter).length > 0
  const columns: Column<WebhookDeliveryAttempt>[] = [
    oppositeColumn(say('result'), ({ outcome }) => <StatusBadge status={outcome} />),
    headingColumn(say('event'), ({ id, event_type, event_id }) => (
      <RowLink to="./developers/apps/$appId/deliveries/$deliveryId" params={{ appId: app.id, deliveryId: id }}>
        {event_type} <span className="code nowrap">…{event_id.slice(-6)}</span>
      </RowLink>
    )),
    { title: say('attempt'), cell: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}` },
    { title: say('http'), cell: ({ response_status }) => response_status ?? say('none') },
    { title: say('duration'), cell: ({ duration_ms }) => milliseconds(duration_ms) },
    momentColumn(say('when'), ({ attempted_at }) => attempted_at, { ago: true }),
    momentColumn(say('next'), ({ next_attempt_at }) => next_attempt_at, { never: say('none') }),
  ]
  return (
    <ListSection
      title={say('deliveries')}
      list={deliveries}
      columns={columns}
      rowKey={({ id }) => id}
      noneFound={isNarrowed && { title: say('noneSuch') }}
      none={{ icon: IconInbox, title: say('noDeliveries'), text: say('noDeliveriesText') }}
    >
      {(isNarrowed || (deliveries.data?.data.length ?? 0) > 0) && <FilterBar filter={filter} onChange={change} />}
    </ListSection>
  )
}

type FilterProps = { filter: DeliveriesFilter; onChange(changes: Changes<DeliveriesFilter>): void }

function FilterBar({ filter, onChange }: FilterProps) {
  const say = appTexts.use()
  const day = (name: 'from' | 'to') => ({
    type: 'date',
    size: 'sm',
    'aria-label': say(`${name}Day`),
    value: filter[name] ?? '',
    onChange: ({ currentTarget }: React.ChangeEvent<HTMLInputElement>) => onChange({ [name]: currentTarget.value || undefined }),
  })
  return (
    <Group gap="sm" role="search" aria-label={say('deliveries')}>
      <SegmentedControl
        aria-label={say('outcome')}
        value={filter.outcome ?? 'any'}
        onChange={(value) => onChange({ outcome: value === 'any' ? undefined : (value as DeliveriesFilter['outcome']) })}
        data={(['any', 'failed', 'succeeded'] as const).map((value) => ({ value, label: say(`outcomes.${value}`) }))}
      />
      <FilterSelect
        size="sm"
        aria-label={say('type')}
        any={say('anyType')}
        options={offeredEvents.map((type) => [type, type])}
        value={filter.type}
        onChoose={(type) => onChange({ type })}
      />
      <Group gap={6} wrap="nowrap">
        <TextInput {...day('from')} max={filter.to ?? today()} />
        <span aria-hidden>–</span>
        <TextInput {...day('to')} min={filter.from} max={today()} />
      </Group>
      {filter.event !== undefined && (
        <Button
          variant="default"
          size="sm"
          leftSection={<IconX size={14} aria-hidden />}
          title={say('anyEvent')}
          onClick={() => onChange({ event: undefined })}
        >
          {say('onlyEvent', { end: filter.event.slice(-6) })}
        </Button>
      )}
    </Group>
  )
}
