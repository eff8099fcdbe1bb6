/** Payouts that wait for an operator, and payouts in flight. */
import { Badge, Group, SegmentedControl } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { IconCash } from '../../ui/icons.ts'
import type { OperatorPayout } from '../../api/operations.ts'
import { amountColumn, headingColumn, momentColumn, plainColumn } from '../../ui/columns.tsx'
import { AboveRow, RowLink, type Columns } from '../../ui/data-table.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { environmentColumn } from '../environment-badge.tsx'
import { EnvironmentFilter } from '../environment-filter.tsx'
import { QueueAge, secondsSince, useOpenWork, waitedColumn } from '../open-work.tsx'
import { payoutTexts } from '../payout-texts.ts'
import type { PayoutFilter } from '../searches.ts'

export default function PayoutsScreen() {
  const say = payoutTexts.use()
  const work = useOpenWork('payout_approvals')
  const { which, environment } = useSearch({ from: '/signed-in/payouts' })
  const wanted =
    which === undefined
      ? { approval: 'required' as const, unfinished: 'true' as const }
      : which === 'unfinished'
        ? { unfinished: 'true' as const }
        : {}
  const list = useList(
    'GET /v1/admin/payouts',
    { query: { limit: 50, ...wanted, ...(environment && { environment }) } },
    { isLive: true },
  )
  const { filter, change } = useFilter<PayoutFilter>()
  const columns: Columns<OperatorPayout> = [
    headingColumn(say('recipient'), ({ id, recipient_name }) => (
      <RowLink to="/payouts/$id" params={{ id }}>
        {recipient_name}
      </RowLink>
    )),
    plainColumn(say('purposeTitle'), ({ purpose, refund_of }) =>
      refund_of === null ? (
        say(`purpose.${purpose}`)
      ) : (
        <AboveRow>
          <Link to="/payments/$reference" params={{ reference: refund_of }}>
            {say(`purpose.${purpose}`)}
          </Link>
        </AboveRow>
      ),
    ),
    plainColumn(say('merchant'), ({ merchant }) => merchant?.name ?? '–'),
    plainColumn(say('status'), ({ status }) => say(`status.${status}`)),
    // Those that wait for an operator are all of one kind.
    which !== undefined && {
      title: say('approvalTitle'),
      cell: ({ approval }) => (
        <Badge miw="max-content" color={approval === 'required' ? 'yellow' : 'gray'}>
          {say(`approval.${approval}`)}
        </Badge>
      ),
    },
    environmentColumn(say('money'), ({ environment }) => environment),
    momentColumn(say('asked'), ({ created_at }) => created_at, { ago: which !== undefined }),
    which === undefined && waitedColumn(say('waitedFor'), ({ created_at }) => secondsSince(created_at), work),
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
  return (
    <ListScreen
      title={say('title')}
      text={say('text')}
      list={list}
      columns={columns}
      rowKey={({ id }) => id}
      none={
        which === undefined
          ? { icon: IconCash, title: say('empty'), text: say('emptyText') }
          : { icon: IconCash, title: say('noneSuch') }
      }
    >
      <QueueAge work={work} />
      <Group gap="sm">
        <SegmentedControl
          aria-label={say('which')}
          value={filter.which ?? 'waiting'}
          onChange={(value) => change({ which: value === 'waiting' ? undefined : (value as 'unfinished' | 'all') })}
          data={(['waiting', 'unfinished', 'all'] as const).map((value) => ({ value, label: say(value) }))}
        />
        <EnvironmentFilter value={environment} onChange={(value) => change({ environment: value })} />
      </Group>
    </ListScreen>
  )
}
