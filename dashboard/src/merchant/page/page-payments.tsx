/** The newest payments of a page, with a link to all of them. */
import { IconCash } from '../../ui/icons.ts'
import type { MerchantPayment, PaymentPage } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { LinkButton } from '../../ui/link-button.tsx'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
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
    { key: 'status', title: say('status'), cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} ago /> },
    { key: 'amount', title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true, onCard: 'opposite' },
  ]
  return (
    <Section
      title={say('payments')}
      isBare
      actions={
        <LinkButton from="/$owner/$environment" to="./payments" search={{ page: page.id }} variant="default" size="xs">
          {say('allPayments')}
        </LinkButton>
      }
    >
      <DataTable
        label={say('payments')}
        columns={columns}
        rows={payments.data?.data}
        rowKey={({ reference }) => reference}
        error={payments.error}
        onRetry={payments.refetch}
        empty={<EmptyState icon={IconCash} title={say('noPayments')} text={say('noPaymentsText')} />}
      />
    </Section>
  )
}
