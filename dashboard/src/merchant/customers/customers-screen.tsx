/** Who has paid a wallet: found by name or number, with totals, and with masked numbers. */
import { Alert, Button, Text } from '@mantine/core'
import type { Customer } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { count, money } from '../../ui/format.ts'
import { IconClock, IconSearchOff, IconUsers } from '../../ui/icons.ts'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen } from '../../ui/screen.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { searchedText } from '../../ui/searched-text.ts'
import { shared } from '../../ui/texts.ts'
import { useTyped } from '../../ui/typed.ts'
import { useAccount } from '../account.ts'
import { PaymentNav } from '../payment-nav.tsx'
import { customersRoute } from '../routes.ts'
import { customersTexts } from './texts.ts'

function useColumns(): Column<Customer>[] {
  const say = customersTexts.use()
  const sayShared = shared.use()
  const language = useLanguage()
  return [
    {
      key: 'name',
      title: say('name'),
      cell: ({ id, name, phone_masked, network }) => (
        <>
          <RowLink from="/$owner/$environment" to="./payments/customers/$customer" params={{ customer: id }}>
            {name ?? say('noName')}
          </RowLink>
          <Text size="sm" c="dimmed" className="figures">
            <span className="nowrap">{phone_masked}</span>
            {network !== null && <span className="nowrap"> · {sayShared(`network.${network}`)}</span>}
          </Text>
        </>
      ),
      onCard: 'heading',
    },
    { key: 'last', title: say('last'), cell: ({ last_paid_at: at }) => <Moment at={at} ago /> },
    {
      key: 'payments',
      title: say('payments'),
      cell: ({ paid_count }) => <span className="figures">{count(paid_count, language)}</span>,
      isFigure: true,
    },
    {
      key: 'total',
      title: say('total'),
      cell: ({ paid_total, refunded_total }) => (
        <>
          <Money amount={paid_total} />
          {refunded_total > 0 && (
            <Text size="xs" c="dimmed">
              {say('refunded', { amount: money(refunded_total, language) })}
            </Text>
          )}
        </>
      ),
      isFigure: true,
      onCard: 'opposite',
    },
  ]
}

export function CustomersScreen() {
  const say = customersTexts.use()
  const { query } = useAccount()
  const { q, cursor } = customersRoute.useSearch()
  const wanted = searchedText(q)
  const customers = useAnswer(
    'GET /v1/merchant/customers',
    { query: { ...query, limit: 25, ...(wanted !== undefined && { q: wanted }), ...(cursor !== undefined && { cursor }) } },
    { isLive: 'slowly' },
  )
  const { change, onOlder, onNewest } = useListSearch<{ q?: string }>(customers.data)
  const search = useTyped(q, (text) => change({ q: text || undefined }))
  const columns = useColumns()
  return (
    <Screen title={say('title')} text={say('text')}>
      <PaymentNav />
      <SearchField label={say('search')} value={search.value ?? ''} onChange={search.onChange} />
      {customers.data?.counting && (
        <Alert color="blue" icon={<IconClock aria-hidden />} title={say('counting')} role="status">
          {say('countingText')}
        </Alert>
      )}
      <div aria-busy={customers.isPlaceholderData}>
        <DataTable
          label={say('title')}
          columns={columns}
          rows={customers.data?.data}
          rowKey={({ id }) => id}
          error={customers.error}
          onRetry={customers.refetch}
          empty={
            customers.data?.has_more ? (
              <EmptyState
                icon={IconSearchOff}
                title={say('noneYet')}
                text={say('noneYetText')}
                action={<Button onClick={onOlder}>{say('lookOn')}</Button>}
              />
            ) : wanted !== undefined || cursor !== undefined ? (
              <EmptyState icon={IconSearchOff} title={say('noneFound')} text={say('noneFoundText')} />
            ) : (
              <EmptyState icon={IconUsers} title={say('none')} text={say('noneText')} />
            )
          }
          onOlder={onOlder}
          onNewest={onNewest}
        />
      </div>
    </Screen>
  )
}
