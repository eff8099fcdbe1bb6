/** The queue of payers who say that money was taken. */
import { useSearch } from '@tanstack/react-router'
import { SegmentedControl } from '@mantine/core'
import type { ListedSupportCase } from '../../api/operations.ts'
import { headingColumn, plainColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { RowLink, type Column } from '../../ui/data-table.tsx'
import { IconMessage } from '../../ui/icons.ts'
import { useFilter } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { environmentColumn } from '../environment-badge.tsx'
import { PaymentCell } from '../named-payment.tsx'
import { QueueAge, secondsSince, useOpenWork, Waited } from '../open-work.tsx'
import type { CaseFilter } from '../searches.ts'
import { caseTexts } from './texts.ts'

export default function SupportCasesScreen() {
  const say = caseTexts.use()
  const { state = 'with_operators', ...rest } = useSearch({ from: '/signed-in/support-cases' })
  const list = useList('GET /v1/admin/support-cases', { query: { state, ...rest, limit: 50 } }, { isLive: true })
  const { filter, change } = useFilter<CaseFilter>()
  const work = useOpenWork('support_cases')
  const columns: Column<ListedSupportCase>[] = [
    headingColumn(say('number'), ({ id, sms_number, alike }) =>
      alike > 1 ? (
        <RowLink to="/support-cases" search={{ like: id }}>
          {say('alike', { count: alike })}
        </RowLink>
      ) : (
        <RowLink to="/support-cases/$id" params={{ id }}>
          {sms_number ?? '–'}
        </RowLink>
      ),
    ),
    { title: say('because'), cell: ({ escalated_because: because }) => (because === null ? '–' : say(`reason.${because}`)) },
    plainColumn(say('payment'), ({ payment, payment_reference }) => <PaymentCell of={payment} id={payment_reference} />),
    environmentColumn(say('money'), ({ environment }) => environment),
    {
      title: state === 'with_operators' ? say('waits') : say('opened'),
      cell: ({ escalated_at, created_at }) =>
        state === 'with_operators' && escalated_at !== null ? (
          <Waited seconds={secondsSince(escalated_at)} overdueAfter={work?.overdue_after_seconds} />
        ) : (
          <Moment at={created_at} ago />
        ),
    },
  ]
  return (
    <ListScreen
      title={say('title')}
      text={say('text')}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      none={{ icon: IconMessage, title: say('empty'), text: say('emptyText') }}
    >
      <div>
        <SegmentedControl
          aria-label={say('which')}
          value={filter.state ?? 'with_operators'}
          onChange={(value) =>
            change({ state: value === 'with_operators' ? undefined : (value as 'answered' | 'closed'), like: undefined })
          }
          data={(['with_operators', 'answered', 'closed'] as const).map((value) => ({ value, label: say(`state.${value}`) }))}
        />
      </div>
      {state === 'with_operators' && <QueueAge work={work} />}
    </ListScreen>
  )
}
