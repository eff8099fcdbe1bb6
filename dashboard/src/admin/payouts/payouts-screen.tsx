/** Payouts that wait for an operator, and payouts in flight. */
import { Badge, Group, SegmentedControl } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { IconCash } from '../../ui/icons.ts'
import type { OperatorPayout } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { AboveRow, DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen } from '../../ui/screen.tsx'
import { EnvironmentBadge } from '../environment-badge.tsx'
import { EnvironmentFilter } from '../environment-filter.tsx'
import { QueueAge, secondsSince, useOpenWork, Waited } from '../open-work.tsx'
import { operatorTexts } from '../operator-texts.ts'
import { payoutTexts } from '../payout-texts.ts'
import { payoutsRoute, type PayoutFilter } from '../routes.ts'

export function PayoutsScreen() {
  const say = payoutTexts.use()
  const sayOperator = operatorTexts.use()
  const work = useOpenWork('payout_approvals')
  const { which, environment, cursor } = payoutsRoute.useSearch()
  const wanted =
    which === undefined
      ? { approval: 'required' as const, unfinished: 'true' as const }
      : which === 'unfinished'
        ? { unfinished: 'true' as const }
        : {}
  const {
    data: answer,
    error,
    refetch,
  } = useAnswer(
    'GET /v1/admin/payouts',
    { query: { limit: 50, ...wanted, ...(environment && { environment }), ...(cursor !== undefined && { cursor }) } },
    { isLive: true },
  )
  const { filter, change, onOlder, onNewest } = useListSearch<PayoutFilter>(answer)
  const columns: Column<OperatorPayout>[] = [
    {
      key: 'recipient',
      title: say('recipient'),
      onCard: 'heading',
      cell: ({ id, recipient_name }) => (
        <RowLink to="/payouts/$id" params={{ id }}>
          {recipient_name}
        </RowLink>
      ),
    },
    {
      key: 'purpose',
      title: say('purposeTitle'),
      cell: ({ purpose, refund_of }) =>
        refund_of === null ? (
          say(`purpose.${purpose}`)
        ) : (
          <AboveRow>
            <Link to="/payments/$reference" params={{ reference: refund_of }}>
              {say(`purpose.${purpose}`)}
            </Link>
          </AboveRow>
        ),
    },
    {
      key: 'merchant',
      title: sayOperator('merchant'),
      cell: ({ merchant }) => <span className="code">{merchant?.id ?? '–'}</span>,
    },
    { key: 'status', title: sayOperator('status'), cell: ({ status }) => say(`status.${status}`) },
    // Those that wait for an operator are all of one kind.
    ...(which === undefined
      ? []
      : [
          {
            key: 'approval',
            title: say('approvalTitle'),
            cell: ({ approval }: OperatorPayout) => (
              <Badge miw="max-content" color={approval === 'required' ? 'yellow' : 'gray'}>
                {say(`approval.${approval}`)}
              </Badge>
            ),
          },
        ]),
    {
      key: 'environment',
      title: sayOperator('money'),
      cell: ({ environment }) => <EnvironmentBadge environment={environment} />,
    },
    { key: 'asked', title: say('asked'), cell: ({ created_at }) => <Moment at={created_at} ago={which !== undefined} /> },
    ...(which === undefined
      ? [
          {
            key: 'waited',
            title: sayOperator('waitedFor'),
            cell: ({ created_at }: OperatorPayout) => (
              <Waited seconds={secondsSince(created_at)} overdueAfter={work?.overdue_after_seconds} />
            ),
          },
        ]
      : []),
    {
      key: 'amount',
      title: sayOperator('amount'),
      isFigure: true,
      onCard: 'opposite',
      cell: ({ amount }) => <Money amount={amount} />,
    },
  ]
  return (
    <Screen title={say('title')} text={say('text')}>
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
      <DataTable
        label={say('title')}
        columns={columns}
        rows={answer?.data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={refetch}
        onOlder={onOlder}
        onNewest={onNewest}
        empty={
          which === undefined ? (
            <EmptyState icon={IconCash} title={say('empty')} text={say('emptyText')} />
          ) : (
            <EmptyState icon={IconCash} title={say('noneSuch')} />
          )
        }
      />
    </Screen>
  )
}
