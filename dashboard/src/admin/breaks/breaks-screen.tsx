/** The differences between our books and the providers. */
import { useSearch } from '@tanstack/react-router'
import { SegmentedControl } from '@mantine/core'
import { IconScale } from '../../ui/icons.ts'
import type { ListedBreak } from '../../api/operations.ts'
import { headingColumn, momentColumn, oppositeColumn, plainColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { RowLink, type Columns } from '../../ui/data-table.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { BreakBadge } from '../break-panel.tsx'
import { environmentColumn } from '../environment-badge.tsx'
import { PaymentCell } from '../named-payment.tsx'
import { QueueAge, secondsSince, useOpenWork, waitedColumn } from '../open-work.tsx'
import type { BreakFilter } from '../searches.ts'
import { breaksTexts } from './texts.ts'
import { providerName } from '../provider-name.ts'

export default function BreaksScreen() {
  const say = breaksTexts.use()
  const work = useOpenWork('breaks')
  const { status = 'open', ...rest } = useSearch({ from: '/signed-in/breaks' })
  const list = useList('GET /v1/admin/breaks', { query: { status, ...rest, limit: 50 } }, { isLive: true })
  const { filter, change } = useFilter<BreakFilter>()
  const columns: Columns<ListedBreak> = [
    headingColumn(say('what'), ({ id, kind }) => (
      <RowLink to="/breaks/$id" params={{ id }}>
        {say(`breakKind.${kind}`)}
      </RowLink>
    )),
    plainColumn(say('about'), (one) => (
      <PaymentCell of={one.payment} id={one.payment_reference ?? one.payout_id ?? one.provider_reference} />
    )),
    plainColumn(say('provider'), ({ provider }) => (provider === null ? '–' : providerName(provider))),
    environmentColumn(say('money'), ({ environment }) => environment),
    momentColumn(say('opened'), ({ opened_at }) => opened_at),
    status !== 'resolved' && waitedColumn(say('waitedFor'), ({ opened_at }) => secondsSince(opened_at), work),
    oppositeColumn(say('state'), (one) => <BreakBadge status={one.status} />),
  ]
  return (
    <ListScreen
      title={say('title')}
      text={say('text')}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconScale, title: say('empty'), text: say('emptyText') }}
    >
      <QueueAge work={work} />
      <div>
        <SegmentedControl
          aria-label={say('which')}
          value={filter.status ?? 'open'}
          onChange={(value) => change({ status: value === 'open' ? undefined : (value as 'proposed' | 'resolved') })}
          data={(['open', 'proposed', 'resolved'] as const).map((value) => ({ value, label: say(value) }))}
        />
      </div>
    </ListScreen>
  )
}
