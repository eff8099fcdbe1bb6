/** One customer: the totals, the number for those who may see it, and the payments of the phone. */
import { Skeleton, Stack, Text } from '@mantine/core'
import type { MerchantPayment } from '../../api/operations.ts'
import { useAnswer } from '../../api/queries.ts'
import { useLanguage } from '../../i18n/define-texts.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { DataTable, RowLink, type Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Facts } from '../../ui/facts.tsx'
import { count } from '../../ui/format.ts'
import { IconCash } from '../../ui/icons.ts'
import { useListSearch } from '../../ui/list-search.ts'
import { Moment } from '../../ui/moment.tsx'
import { Money } from '../../ui/money.tsx'
import { Screen, Section } from '../../ui/screen.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { shared } from '../../ui/texts.ts'
import { useAccount } from '../account.ts'
import { PayerNumber } from '../payer-number.tsx'
import { customerRoute } from '../routes.ts'
import { customerTexts } from './texts.ts'

function useColumns(): Column<MerchantPayment>[] {
  const say = customerTexts.use()
  return [
    {
      key: 'payment',
      title: say('payment'),
      cell: ({ reference, short_code, payment_page, description }) => (
        <>
          <RowLink from="/$owner/$environment" to="./payments/$reference" params={{ reference }}>
            {description ?? payment_page?.title ?? short_code}
          </RowLink>
          <Text size="xs" c="dimmed" className="figures">
            {short_code}
          </Text>
        </>
      ),
      onCard: 'heading',
    },
    { key: 'status', title: say('status'), cell: ({ status }) => <StatusBadge status={status} /> },
    { key: 'when', title: say('when'), cell: ({ created_at }) => <Moment at={created_at} /> },
    { key: 'amount', title: say('amount'), cell: ({ amount }) => <Money amount={amount} />, isFigure: true, onCard: 'opposite' },
  ]
}

export function CustomerScreen() {
  const say = customerTexts.use()
  const sayShared = shared.use()
  const language = useLanguage()
  const { customer: id } = customerRoute.useParams()
  const { cursor } = customerRoute.useSearch()
  const { query } = useAccount()
  const { data, error, refetch } = useAnswer('GET /v1/merchant/customers/{id}', { params: { id }, query }, { isLive: true })
  const payments = useAnswer(
    'GET /v1/merchant/customers/{id}/payments',
    { params: { id }, query: { ...query, limit: 25, ...(cursor !== undefined && { cursor }) } },
    { isLive: true },
  )
  const { onOlder, onNewest } = useListSearch(payments.data)
  const columns = useColumns()
  const back = (
    <BackLink from="/$owner/$environment" to="./payments/customers">
      {say('back')}
    </BackLink>
  )
  const customer = data?.data
  if (!customer) {
    return (
      <Screen title={say('title')} back={back}>
        {error ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : (
          <Stack role="status" aria-label={say('loading')}>
            <Skeleton h={28} w={220} />
            <Skeleton h={280} />
          </Stack>
        )}
      </Screen>
    )
  }
  const { name, phone_masked: masked, network, paid_count, paid_total, refunded_total } = customer
  return (
    <Screen title={name ?? masked} back={back}>
      <Section title={say('facts')}>
        <Facts
          facts={[
            [say('phone'), <PayerNumber key={id} of={{ customer: id }} masked={masked} name={name} side="start" />],
            network !== null && [say('network'), sayShared(`network.${network}`)],
            [
              say('completed'),
              <span key="count" className="figures">
                {count(paid_count, language)}
              </span>,
            ],
            [say('total'), <Money key="total" amount={paid_total} />],
            refunded_total > 0 && [say('refunded'), <Money key="refunded" amount={refunded_total} />],
            [say('first'), <Moment key="first" at={customer.first_paid_at} />],
            [say('last'), <Moment key="last" at={customer.last_paid_at} />],
          ]}
        />
      </Section>
      <Section title={say('payments')} isBare>
        <DataTable
          label={say('payments')}
          columns={columns}
          rows={payments.data?.data}
          rowKey={({ reference }) => reference}
          error={payments.error}
          onRetry={payments.refetch}
          empty={<EmptyState icon={IconCash} title={say('none')} text={say('noneText')} />}
          onOlder={onOlder}
          onNewest={onNewest}
        />
      </Section>
    </Screen>
  )
}
