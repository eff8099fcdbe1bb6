/** The newest payments of a page, with a link to all of them. */
import { LinkButton, RowLink } from '../links.tsx'
import { IconCash } from '../../ui/icons.ts'
import type { MerchantPayment, PaymentPage } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { amountColumn, headingColumn, momentColumn, statusColumn } from '../../ui/columns.tsx'
import { ListSection } from '../../ui/list-screen.tsx'
import { type Column } from '../../ui/data-table.tsx'
import { useAccount } from '../account.ts'
import { pageTexts } from './texts.ts'

const rowsShown = 5

export function PagePayments({ page }: { page: PaymentPage }) {
  const say = pageTexts.use()
  const { query } = useAccount()
  const payments = useAnswer(
    'GET /v1/merchant/payments',
    { query: { ...query, payment_page_id: page.id, limit: rowsShown } },
    { isLive: true },
  )
  const columns: Column<MerchantPayment>[] = [
    headingColumn(say('customer'), ({ reference, customer }) => (
      <RowLink to="./payments/$reference" params={{ reference }}>
        {customer.name ?? customer.phone_masked}
      </RowLink>
    )),
    statusColumn(say('status'), ({ status }) => status),
    momentColumn(say('when'), ({ created_at }) => created_at, { ago: true }),
    amountColumn(say('amount'), ({ amount }) => amount),
  ]
  return (
    <ListSection
      title={say('payments')}
      actions={
        <LinkButton to="./payments" search={{ page: page.id }} variant="default" size="xs">
          {say('allPayments')}
        </LinkButton>
      }
      list={payments}
      columns={columns}
      rowKey={({ reference }) => reference}
      none={{ icon: IconCash, title: say('noPayments'), text: say('noPaymentsText') }}
    />
  )
}
