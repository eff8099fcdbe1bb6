/** A wallet at a glance: balance, volume in a period, recent payments, and open tasks. */
import { RowLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Paper, Skeleton } from '@mantine/core'
import { IconCash } from '../../ui/icons.ts'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useAnswer, useOldSince } from '../../api/queries.ts'
import { newSandbox } from '../../api/session.ts'
import type { MerchantPayment } from '../../api/operations.ts'
import { amountColumn, headingColumn, momentColumn, plainColumn, statusColumn } from '../../ui/columns.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { laterPart } from '../../ui/later.ts'
import { Screen, Section } from '../../ui/screen.tsx'
import { useAccount } from '../account.ts'
import { useCan } from '../membership.ts'
import { Figures } from './figures.tsx'
import { homeTexts } from './texts.ts'
import { ToDo } from './to-do.tsx'
import { YourRole } from './your-role.tsx'

// Loaded after the figures, which matter most.
const useParts = laterPart(() => import('./period-parts.ts'))
// Shown once, after the registration.
const NewSandbox = lazy(() => import('./new-sandbox.tsx'))
const chartHeight = 300

export default function HomeScreen() {
  const say = homeTexts.use()
  const { owner, environment, query } = useAccount()
  const search = useSearch({ from: '/signed-in/$owner/$environment/' })
  const can = useCan()
  const parts = useParts()
  // Undefined until the role is known: the figures are placeholders then.
  const seesMoney = can('wallet.read') && can('statements.read')
  const seesPayments = can('payments.read')
  const balance = useAnswer('GET /v1/merchant/balance', { query }, { isLive: true, isWanted: seesMoney === true })
  const payments = useAnswer(
    'GET /v1/merchant/payments',
    { query: { ...query, limit: 8 } },
    { isLive: true, isWanted: seesPayments === true },
  )
  const summary = useAnswer('GET /v1/merchant/summary', { query: { ...query, ...search } }, { isWanted: seesMoney === true })
  const balanceOldSince = useOldSince([balance])
  const summaryOldSince = useOldSince([summary])
  const failed = [balance, summary].find(({ error, data }) => error && !data)

  // The days before may be of another period until the API has answered.
  const isChanging = summary.isPlaceholderData
  const figures = isChanging ? undefined : summary.data?.data
  // The sums are read after a change, not every two seconds.
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
    headingColumn(say('customer'), ({ reference, customer }) => (
      <RowLink to="./payments/$reference" params={{ reference }}>
        {customer.name ?? customer.phone_masked}
      </RowLink>
    )),
    { ...plainColumn(say('page'), ({ payment_page }) => payment_page?.title ?? '–'), onCard: 'hidden' },
    statusColumn(say('status'), ({ status }) => status),
    momentColumn(say('when'), ({ created_at }) => created_at, { ago: true }),
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
  return (
    <Screen
      title={say('title')}
      actions={
        seesMoney === true &&
        (parts ? <parts.PeriodChoice search={search} shown={figures?.period} /> : <Skeleton h={42} w={180} />)
      }
    >
      {newSandbox(owner) && environment === 'test' && (
        <Suspense>
          {/* A wallet's own: another one is shown after a switch. */}
          <NewSandbox key={owner} />
        </Suspense>
      )}
      {seesMoney === false && <YourRole />}
      {seesMoney === false ? undefined : failed ? (
        <ErrorState error={failed.error} onRetry={() => Promise.all([balance.refetch(), summary.refetch()])} />
      ) : (
        <>
          <Figures
            balance={balance.data?.data}
            balanceOldSince={balanceOldSince}
            summary={summary.data?.data}
            summaryOldSince={summaryOldSince}
            isChanging={isChanging}
          />
          {summary.data && <ToDo setup={can('business.read') ? summary.data.data.setup : undefined} />}
          {/* A chart of one day would be one bar. */}
          {figures?.days.length !== 1 && (
            <Paper p="lg" mih={chartHeight}>
              {figures && parts ? <parts.VolumeChart days={figures.days} /> : <Skeleton h={chartHeight - 40} />}
            </Paper>
          )}
          {figures && parts && <parts.Shares summary={figures} />}
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
      {summary.data && parts && <parts.PatternsInView search={search} />}
    </Screen>
  )
}
