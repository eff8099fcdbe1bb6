/** Every payment, newest first: search, filters, export, live updates. */
import { Button, Text } from '@mantine/core'
import { IconCash, IconSearchOff } from '../../ui/icons.ts'
import { download } from '../../api/call.ts'
import type { MerchantPayment } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { dayOf } from '../../ui/days.ts'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { shared } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { ListTotal, useDays } from '../list-totals.tsx'
import { useCan } from '../membership.ts'
import { PaymentNav } from '../payment-nav.tsx'
import { FilterBar } from './filter-bar.tsx'
import { queryOf, type PaymentsFilter, type PaymentsSearch } from './filter.ts'
import { paymentsRoute } from '../routes.ts'
import { paymentsTexts } from './texts.ts'

const rowsAtOnce = 25

function useColumns(): Column<MerchantPayment>[] {
  const say = paymentsTexts.use()
  const sayShared = shared.use()
  return [
    {
      key: 'customer',
      title: say('customer'),
      cell: ({ reference, short_code, customer, merchant_reference, description, custom_fields }) => (
        <>
          <RowLink from="/$owner/$environment" to="./payments/$reference" params={{ reference }}>
            {customer.name ?? merchant_reference ?? description ?? customer.phone_masked}
          </RowLink>
          <Text size="xs" c="dimmed" className="figures">
            <span className="nowrap">{customer.phone_masked}</span> · <span className="nowrap">{short_code}</span>
          </Text>
          {custom_fields.length > 0 && (
            <Text size="xs" c="dimmed" lineClamp={2}>
              {custom_fields.map(({ label, value }) => `${label}: ${value}`).join(' · ')}
            </Text>
          )}
        </>
      ),
      onCard: 'heading',
    },
    { key: 'status', title: say('status'), cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'page', title: say('page'), cell: ({ payment_page }) => payment_page?.title ?? '–' },
    { key: 'network', title: say('network'), cell: ({ network }) => (network ? sayShared(`network.${network}`) : '–') },
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} /> },
    { key: 'amount', title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true, onCard: 'opposite' },
  ]
}

export function PaymentsScreen() {
  const say = paymentsTexts.use()
  const { query } = useAccount()
  const { cursor, ...inAddress }: PaymentsSearch = paymentsRoute.useSearch()
  const asked = { ...query, ...queryOf(inAddress) }
  const payments = useAnswer(
    'GET /v1/merchant/payments',
    { query: { ...asked, limit: rowsAtOnce, ...(cursor !== undefined && { cursor }) } },
    { isLive: true },
  )
  // The days of an older page are known with its rows.
  const first = cursor === undefined ? undefined : payments.data?.data[0]
  const {
    data: counted,
    error: uncounted,
    isPlaceholderData: isOfOther,
  } = useAnswer(
    'GET /v1/merchant/payments/totals',
    { query: { ...asked, ...(first && { days_to: dayOf(first.created_at) }) } },
    { isLive: true },
  )
  // Figures of another filter, or from before a change that could not be counted, would be wrong here.
  const totals = isOfOther || uncounted ? undefined : counted?.data
  const days = useDays<MerchantPayment>({ of: 'payments', totals })
  const list = useListSearch<PaymentsFilter>(payments.data)
  const isFiltered = Object.keys(inAddress).length > 0
  const columns = useColumns()
  const can = useCan()
  return (
    <Screen
      title={say('title')}
      actions={
        can('statements.read') && (
          <DownloadButton onFetch={() => download('GET /v1/merchant/payments', { query: asked, accept: 'text/csv' })}>
            {say('export')}
          </DownloadButton>
        )
      }
    >
      <PaymentNav />
      <FilterBar filter={inAddress} onChange={list.change} />
      <ListTotal of="payments" totals={totals} />
      <div aria-busy={payments.isPlaceholderData}>
        <DataTable
          label={say('title')}
          groups={days}
          columns={columns}
          rows={payments.data?.data}
          rowKey={({ reference }) => reference}
          error={payments.error}
          onRetry={payments.refetch}
          empty={
            payments.data?.has_more ? (
              <EmptyState
                icon={IconSearchOff}
                title={say('noneYet')}
                text={say('noneYetText')}
                action={<Button onClick={list.onOlder}>{say('lookOn')}</Button>}
              />
            ) : isFiltered || cursor !== undefined ? (
              <EmptyState icon={IconSearchOff} title={say('noneFound')} text={say('noneFoundText')} />
            ) : (
              <EmptyState
                icon={IconCash}
                title={say('none')}
                text={say('noneText')}
                action={
                  <LinkButton from="/$owner/$environment" to="./pages">
                    {say('toPages')}
                  </LinkButton>
                }
              />
            )
          }
          onOlder={list.onOlder}
          onNewest={list.onNewest}
        />
      </div>
    </Screen>
  )
}
