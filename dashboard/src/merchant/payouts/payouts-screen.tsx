/** The payouts of a wallet, the available balance, and a link to a new payout. */
import { Button, Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { IconSearchOff, IconSend } from '../../ui/icons.ts'
import { download } from '../../api/call.ts'
import type { Payout } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { dayOf } from '../../ui/days.ts'
import { useListSearch } from '../../ui/list-search.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { Barred, useMay } from '../barred.tsx'
import { PayoutNav } from '../payout-nav.tsx'
import { ListTotal, useDays } from '../list-totals.tsx'
import { useCan } from '../membership.ts'
import { payoutsRoute } from '../routes.ts'
import { FilterBar } from './filter-bar.tsx'
import { queryOf, type PayoutsFilter } from './filter.ts'
import { payoutsTexts } from './texts.ts'

const rowsAtOnce = 20

export function PayoutsScreen() {
  const say = payoutsTexts.use()
  const { query } = useAccount()
  const { cursor, ...inAddress } = payoutsRoute.useSearch()
  const asked = { ...query, ...queryOf(inAddress) }
  const can = useCan()
  const may = useMay('payouts')
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true })
  const payouts = useAnswer(
    'GET /v1/merchant/payouts',
    { query: { ...asked, limit: rowsAtOnce, ...(cursor !== undefined && { cursor }) } },
    { isLive: true },
  )
  // The days of an older page are known with its rows.
  const first = cursor === undefined ? undefined : payouts.data?.data[0]
  const {
    data: counted,
    error: uncounted,
    isPlaceholderData: isOfOther,
  } = useAnswer(
    'GET /v1/merchant/payouts/totals',
    { query: { ...asked, ...(first && { days_to: dayOf(first.created_at) }) } },
    { isLive: true },
  )
  // Figures of another filter, or from before a change that could not be counted, would be wrong here.
  const totals = isOfOther || uncounted ? undefined : counted?.data
  const days = useDays<Payout>({ of: 'payouts', totals })
  const { change, onOlder, onNewest } = useListSearch<PayoutsFilter>(payouts.data)
  const isFiltered = Object.keys(inAddress).length > 0 || cursor !== undefined
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
      <Section
        title={say('sent')}
        isBare
        actions={
          can('statements.read') && (
            <DownloadButton onFetch={() => download('GET /v1/merchant/payouts', { query: asked, accept: 'text/csv' })}>
              {say('export')}
            </DownloadButton>
          )
        }
      >
        <FilterBar filter={inAddress} onChange={change} />
        <ListTotal of="payouts" totals={totals} />
        <div aria-busy={payouts.isPlaceholderData}>
          <DataTable
            label={say('title')}
            groups={days}
            columns={columns}
            rows={payouts.data?.data}
            rowKey={({ id }) => id}
            error={payouts.error}
            onRetry={payouts.refetch}
            empty={
              payouts.data?.has_more ? (
                <EmptyState
                  icon={IconSearchOff}
                  title={say('noneYet')}
                  text={say('noneYetText')}
                  action={<Button onClick={onOlder}>{say('lookOn')}</Button>}
                />
              ) : isFiltered ? (
                <EmptyState icon={IconSearchOff} title={say('noneFound')} text={say('noneFoundText')} />
              ) : (
                <EmptyState icon={IconSend} title={say('none')} text={say('noneText')} action={payOut} />
              )
            }
            onOlder={onOlder}
            onNewest={onNewest}
          />
        </div>
      </Section>
    </Screen>
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
