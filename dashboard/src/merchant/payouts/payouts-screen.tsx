/** The payouts of a wallet, the available balance, and a link to a new payout. */
import { NativeSelect, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconSend } from '../../ui/icons.ts'
import type { Payout } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { useListSearch } from '../../ui/list-search.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { shared } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { PayoutNav } from '../payout-nav.tsx'
import { payoutStatuses, payoutsRoute } from '../routes.ts'
import { payoutsTexts } from './texts.ts'

export function PayoutsScreen() {
  const say = payoutsTexts.use()
  const { query } = useAccount()
  const search = payoutsRoute.useSearch()
  const may = useMay('payouts')
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true })
  const payouts = useAnswer('GET /v1/merchant/payouts', { query: { ...query, ...search, limit: 20 } }, { isLive: true })
  const { filter, change, onOlder, onNewest } = useListSearch<{ status?: Payout['status'] }>(payouts.data)
  const payOut = may && (
    <LinkButton leftSection={<IconSend size={16} aria-hidden />} from="/$owner/$environment" to="./payouts/new">
      {say('payOut')}
    </LinkButton>
  )
  const columns: Column<Payout>[] = [
    {
      key: 'recipient',
      title: say('recipient'),
      cell: ({ id, recipient_name, phone_number }) => (
        <>
          <RowLink from="/$owner/$environment" to="./payouts/$payoutId" params={{ payoutId: id }}>
            {recipient_name}
          </RowLink>
          <Text size="sm" c="dimmed" className="figures">
            {phone_number}
          </Text>
        </>
      ),
      onCard: 'heading',
    },
    {
      key: 'status',
      title: say('status'),
      cell: ({ status, approval, approval_by: by }) => (
        <>
          <StatusBadge status={status} />
          {status === 'pending' && approval === 'required' && (
            <Text size="xs" c="dimmed">
              {say(`waits.${by ?? 'operators'}`)}
            </Text>
          )}
        </>
      ),
    },
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} ago /> },
    { key: 'fee', title: say('fee'), cell: ({ fee }) => <Money amount={fee} />, isFigure: true },
    { key: 'amount', title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true, onCard: 'opposite' },
  ]
  return (
    <Screen title={say('title')} actions={payOut}>
      <PayoutNav />
      <Barred what="payouts" />
      {balance.error && !balance.data ? (
        <ErrorState error={balance.error} onRetry={balance.refetch} />
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <Figure title={say('available')} amount={balance.data?.data.available} />
          <Figure title={say('reserved')} amount={balance.data?.data.reserved} />
          {balance.data && balance.data.data.receivable > 0 && (
            <Figure title={say('receivable')} amount={balance.data.data.receivable} />
          )}
        </SimpleGrid>
      )}
      <Section title={say('sent')} isBare actions={<StatusFilter value={filter.status} onChange={change} />}>
        <DataTable
          label={say('title')}
          columns={columns}
          rows={payouts.data?.data}
          rowKey={({ id }) => id}
          error={payouts.error}
          onRetry={payouts.refetch}
          empty={
            filter.status === undefined ? (
              <EmptyState icon={IconSend} title={say('none')} text={say('noneText')} action={payOut} />
            ) : (
              <EmptyState icon={IconSend} title={say('noneSuch')} />
            )
          }
          onOlder={onOlder}
          onNewest={onNewest}
        />
      </Section>
    </Screen>
  )
}

type FilterProps = { value: Payout['status'] | undefined; onChange(change: { status: Payout['status'] | undefined }): void }

function StatusFilter({ value, onChange }: FilterProps) {
  const say = payoutsTexts.use()
  const sayShared = shared.use()
  return (
    <NativeSelect
      size="sm"
      aria-label={say('status')}
      value={value ?? ''}
      onChange={(event) => onChange({ status: payoutStatuses.find((status) => status === event.currentTarget.value) })}
      data={[
        { value: '', label: say('anyStatus') },
        ...payoutStatuses.map((status) => ({ value: status, label: sayShared(`status.${status}`) })),
      ]}
    />
  )
}

function Figure({ title, amount }: { title: string; amount: number | undefined }) {
  return (
    <Paper p="lg">
      <Text c="dimmed">{title}</Text>
      {amount === undefined ? (
        <Skeleton h={30} w={160} mt={6} />
      ) : (
        <Text fz={26} fw={650} lh={1.4}>
          <Money amount={amount} />
        </Text>
      )}
    </Paper>
  )
}
