/** Every payment, newest first: search, filters, export, live updates. */
import { LinkButton, RowLink } from '../links.tsx'
import { Text } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { IconCash } from '../../ui/icons.ts'
import { download } from '../../api/call.ts'
import { currentLanguage } from '../../i18n/current-language.ts'
import type { MerchantPayment } from '../../api/operations.ts'
import { amountColumn, headingColumn, momentColumn, plainColumn, statusColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { DownloadButton } from '../../ui/download-button.tsx'
import { useFilter } from '../../ui/list-search.ts'
import { useAccount } from '../account.ts'
import { ListTotal, useDays, useTotals } from '../list-totals.tsx'
import { useCan } from '../membership.ts'
import { WalletNav } from '../wallet-nav.tsx'
import { FilterBar } from './filter-bar.tsx'
import { queryOf, type PaymentsFilter, type PaymentsSearch } from './filter.ts'
import { paymentsTexts } from './texts.ts'

const rowsAtOnce = 25

function useColumns(): Column<MerchantPayment>[] {
  const say = paymentsTexts.use()
  return [
    headingColumn(
      say('customer'),
      ({ reference, customer, merchant_reference, description }) => (
        <RowLink to="./payments/$reference" params={{ reference }}>
          {customer.name ?? merchant_reference ?? description ?? customer.phone_masked}
        </RowLink>
      ),
      ({ customer, short_code, custom_fields }) => (
        <span className="figures">
          <span className="nowrap">{customer.phone_masked}</span>
          {/* On a phone, the number tells payers apart. */}
          <Text inherit span visibleFrom="sm">
            {' · '}
            <span className="nowrap">{short_code}</span>
          </Text>
          {custom_fields.map(({ label, value }) => ` · ${label}: ${value}`)}
        </span>
      ),
    ),
    statusColumn(say('status'), ({ status }) => status),
    { ...plainColumn(say('page'), ({ payment_page }) => payment_page?.title ?? '–'), onCard: 'hidden' },
    { ...plainColumn(say('network'), ({ network }) => (network ? say(`network.${network}`) : '–')), onCard: 'hidden' },
    momentColumn(say('when'), ({ created_at }) => created_at, { isOfDay: true }),
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
}

export default function PaymentsScreen() {
  const say = paymentsTexts.use()
  const { query } = useAccount()
  const { cursor, ...inAddress }: PaymentsSearch = useSearch({ from: '/signed-in/$owner/$environment/payments' })
  const asked = { ...query, ...queryOf(inAddress) }
  const payments = useList('GET /v1/merchant/payments', { query: { ...asked, limit: rowsAtOnce } }, { isLive: true })
  const totals = useTotals('GET /v1/merchant/payments/totals', asked, cursor === undefined ? undefined : payments.data?.data[0])
  const days = useDays<MerchantPayment>({ of: 'payments', totals })
  const { change } = useFilter<PaymentsFilter>()
  const isFiltered = Object.keys(inAddress).length > 0
  const columns = useColumns()
  const can = useCan()
  return (
    <ListScreen
      title={say('title')}
      nav={<WalletNav of="payments" />}
      actions={
        can('statements.read') && (
          <DownloadButton
            onFetch={() =>
              download('GET /v1/merchant/payments', { query: { ...asked, csv_language: currentLanguage() }, accept: 'text/csv' })
            }
          >
            {say('export')}
          </DownloadButton>
        )
      }
      list={payments}
      groups={days}
      columns={columns}
      rowKey={({ reference }) => reference}
      noneYet={{ title: say('noneYet'), text: say('noneYetText'), action: say('lookOn') }}
      noneFound={(isFiltered || cursor !== undefined) && { title: say('noneFound'), text: say('noneFoundText') }}
      none={{
        icon: IconCash,
        title: say('none'),
        text: say('noneText'),
        action: <LinkButton to="./pages">{say('toPages')}</LinkButton>,
      }}
    >
      <FilterBar filter={inAddress} onChange={change} />
      <ListTotal of="payments" totals={totals} />
    </ListScreen>
  )
}
