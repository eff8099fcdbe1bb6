/** A wallet at a glance: balance, volume, recent payments, and open tasks. */
import { Paper, Skeleton } from '@mantine/core'
import { IconCash } from '../../ui/icons.ts'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useAnswer } from '../../api/queries.ts'
import type { MerchantPayment } from '../../api/operations.ts'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { Figures } from './figures.tsx'
import { NewSandbox } from './new-sandbox.tsx'
import { homeTexts } from './texts.ts'
import { ToDo } from './to-do.tsx'
import { YourRole } from './your-role.tsx'

// Loaded after the figures, which matter most.
const VolumeChart = lazy(() => import('./volume-chart.tsx'))
const chartHeight = 300

export function HomeScreen() {
  const say = homeTexts.use()
  const { query } = useAccount()
  const can = useCan()
  // Undefined until the role is known: the figures are placeholders then.
  const seesMoney = can('wallet.read') && can('statements.read')
  const seesPayments = can('payments.read')
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true, isWanted: seesMoney === true })
  const payments = useAnswer(
    'GET /v1/merchant/payments',
    { query: { ...query, limit: 8 } },
    { isLive: true, isWanted: seesPayments === true },
  )
  const summary = useAnswer('GET /v1/merchant/summary', { query }, { isWanted: seesMoney === true })
  const failed = [balance, summary].find(({ error, data }) => error && !data)

  // The sums of two months are read after a change, not every two seconds.
  const newest = payments.data?.data.map(({ reference, status }) => `${reference} ${status}`).join()
  const seen = `${balance.data?.data.available} ${newest}`
  const summed = useRef<string>(undefined)
  const { refetch } = summary
  useEffect(() => {
    if (!balance.data || newest === undefined) return
    if (summed.current !== undefined && summed.current !== seen) void refetch()
    summed.current = seen
  }, [balance.data, newest, seen, refetch])

  const columns: Column<MerchantPayment>[] = [
    {
      key: 'customer',
      title: say('customer'),
      cell: ({ reference, customer }) => (
        <RowLink from="/$owner/$environment" to="./payments/$reference" params={{ reference }}>
          {customer.name ?? customer.phone_masked}
        </RowLink>
      ),
      onCard: 'heading',
    },
    { key: 'page', title: say('page'), cell: ({ payment_page }) => payment_page?.title ?? '–' },
    { key: 'status', title: say('status'), cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} ago /> },
    { key: 'amount', title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true, onCard: 'opposite' },
  ]
  return (
    <Screen title={say('title')}>
      <NewSandbox />
      {seesMoney === false && <YourRole />}
      {seesMoney === false ? undefined : failed ? (
        <ErrorState error={failed.error} onRetry={() => Promise.all([balance.refetch(), summary.refetch()])} />
      ) : (
        <>
          <Figures balance={balance.data?.data} summary={summary.data?.data} />
          {summary.data && can('business.read') && <ToDo setup={summary.data.data.setup} />}
          <Paper p="lg" mih={chartHeight}>
            <Suspense fallback={<Skeleton h={chartHeight - 40} />}>
              {summary.data ? <VolumeChart days={summary.data.data.days} /> : <Skeleton h={chartHeight - 40} />}
            </Suspense>
          </Paper>
        </>
      )}
      {seesPayments !== false && (
        <Section title={say('recent')} isBare>
          <DataTable
            label={say('recent')}
            columns={columns}
            rows={payments.data?.data}
            rowKey={({ reference }) => reference}
            error={payments.error}
            onRetry={payments.refetch}
            empty={<EmptyState icon={IconCash} title={say('noPayments')} text={say('noPaymentsText')} />}
          />
        </Section>
      )}
    </Screen>
  )
}
