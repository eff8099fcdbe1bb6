/** Who has paid a wallet: found by name or number, with totals, and with masked numbers. */
import { RowLink } from '../links.tsx'
import { useSearch } from '@tanstack/react-router'
import { Alert } from '@mantine/core'
import type { Customer } from '../../api/operations.ts'
import { Note } from '../../ui/note.tsx'
import { oppositeFigureColumn, figureColumn, headingColumn, momentColumn } from '../../ui/columns.tsx'
import { ListScreen, useList } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { count, money } from '../../ui/format.ts'
import { IconClock, IconUsers } from '../../ui/icons.ts'
import { useFilter } from '../../ui/list-search.ts'
import { Money } from '../../ui/money.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { searchedText } from '../../ui/searched-text.ts'
import { useTyped } from '../../ui/typed.ts'
import { useAccount } from '../account.ts'
import { WalletNav } from '../wallet-nav.tsx'
import { customersTexts } from './texts.ts'

function useColumns(): Column<Customer>[] {
  const say = customersTexts.use()
  return [
    headingColumn(
      say('name'),
      ({ id, name }) => (
        <RowLink to="./payments/customers/$customer" params={{ customer: id }}>
          {name ?? say('noName')}
        </RowLink>
      ),
      ({ phone_masked, network }) => (
        <span className="figures">
          <span className="nowrap">{phone_masked}</span>
          {network !== null && <span className="nowrap"> · {say(`network.${network}`)}</span>}
        </span>
      ),
    ),
    momentColumn(say('last'), ({ last_paid_at: at }) => at, { ago: true }),
    figureColumn(say('payments'), ({ paid_count }) => <span className="figures">{count(paid_count)}</span>),
    oppositeFigureColumn(say('total'), ({ paid_total, refunded_total }) => (
      <>
        <Money amount={paid_total} />
        {refunded_total > 0 && <Note size="xs">{say('refunded', { amount: money(refunded_total) })}</Note>}
      </>
    )),
  ]
}

export default function CustomersScreen() {
  const say = customersTexts.use()
  const { query } = useAccount()
  const { q, cursor } = useSearch({ from: '/signed-in/$owner/$environment/payments/customers' })
  const wanted = searchedText(q)
  const customers = useList(
    'GET /v1/merchant/customers',
    { query: { ...query, limit: 25, ...(wanted !== undefined && { q: wanted }) } },
    { isLive: 'slowly' },
  )
  const { change } = useFilter<{ q?: string }>()
  const search = useTyped(q, (text) => change({ q: text || undefined }))
  const columns = useColumns()
  return (
    <ListScreen
      title={say('title')}
      nav={<WalletNav of="payments" />}
      text={say('text')}
      list={customers}
      columns={columns}
      rowKey={({ id }) => id}
      noneYet={{ title: say('noneYet'), text: say('noneYetText'), action: say('lookOn') }}
      noneFound={(wanted !== undefined || cursor !== undefined) && { title: say('noneFound'), text: say('noneFoundText') }}
      none={{ icon: IconUsers, title: say('none'), text: say('noneText') }}
    >
      <SearchField label={say('search')} value={search.value ?? ''} onChange={search.onChange} />
      {customers.data?.counting && (
        <Alert color="blue" icon={<IconClock aria-hidden />} title={say('counting')} role="status">
          {say('countingText')}
        </Alert>
      )}
    </ListScreen>
  )
}
