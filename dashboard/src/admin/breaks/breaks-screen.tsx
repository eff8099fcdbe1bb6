/** The differences between our books and the providers. */
import { SegmentedControl } from '@mantine/core'
import { IconScale } from '../../ui/icons.ts'
import type { Break } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Screen } from '../../ui/screen.tsx'
import { BreakBadge } from '../break-panel.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { QueueAge, secondsSince, useOpenWork, Waited } from '../open-work.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { breaksRoute, type BreakFilter } from '../routes.ts'
import { breaksTexts } from './texts.ts'

export function BreaksScreen() {
  const say = breaksTexts.use()
  const sayShared = operatorTexts.use()
  const work = useOpenWork('breaks')
  const { status = 'open', ...rest } = breaksRoute.useSearch()
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer('GET /v1/admin/breaks', { query: { status, ...rest, limit: 50 } }, { isLive: true })
  const { filter, change, onOlder, onNewest } = useListSearch<BreakFilter>(answer)
  const columns: Column<Break>[] = [
    {
      key: 'kind',
      title: say('what'),
      onCard: 'heading',
      cell: ({ id, kind }) => (
        <RowLink to="/breaks/$id" params={{ id }}>
          {sayShared(`breakKind.${kind}`)}
        </RowLink>
      ),
    },
    {
      key: 'about',
      title: say('about'),
      cell: (one) => <span className="code">{one.payment_reference ?? one.payout_id ?? one.provider_reference ?? '–'}</span>,
    },
    { key: 'provider', title: sayShared('provider'), cell: ({ provider }) => provider ?? '–' },
    { key: 'environment', title: sayShared('money'), cell: ({ environment }) => <EnvironmentBadge environment={environment} /> },
    { key: 'opened', title: say('opened'), cell: ({ opened_at }) => <Moment at={opened_at} /> },
    ...(status === 'resolved'
      ? []
      : [
          {
            key: 'waited',
            title: sayShared('waitedFor'),
            cell: ({ opened_at }: Break) => (
              <Waited seconds={secondsSince(opened_at)} overdueAfter={work?.overdue_after_seconds} />
            ),
          },
        ]),
    { key: 'state', title: say('state'), onCard: 'opposite', cell: (one) => <BreakBadge status={one.status} /> },
  ]
  return (
    <Screen title={say('title')} text={say('text')}>
      <QueueAge work={work} />
      <div>
        <SegmentedControl
          aria-label={say('which')}
          value={filter.status ?? 'open'}
          onChange={(value) => change({ status: value === 'open' ? undefined : (value as 'proposed' | 'resolved') })}
          data={(['open', 'proposed', 'resolved'] as const).map((value) => ({ value, label: say(value) }))}
        />
      </div>
      <DataTable
        label={say('title')}
        columns={columns}
        rows={answer?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={refetch}
        onOlder={onOlder}
        onNewest={onNewest}
        empty={<EmptyState icon={IconScale} title={say('empty')} text={say('emptyText')} />}
      />
    </Screen>
  )
}
